import type { Companion, CompanionFile } from '../base/companions.ts';
import './companions.css';

interface Props {
  readonly companions: readonly (CompanionFile & Partial<Pick<Companion, 'attachment'>>)[];
  readonly remove: (id: number) => void;
}

/** The files that add to a trace, each with a way to take it away. */
export function Companions({ companions, remove }: Props) {
  if (companions.length === 0) return null;
  return (
    <ul class="companions" aria-label="Files that add to this trace">
      {companions.map(({ id, name, attachment }) => (
        <li key={id} class={attachment?.wrong ? 'chip warning' : 'chip'} title={attachment?.sentence ?? name}>
          <span class="ellipsis">{name}</span>
          <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={() => remove(id)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
