import { formatPercent, shortened } from '../../base/format.ts';
import { functionKey, type Keeping } from '../../trace/derived.ts';
import type { OpenTrace } from '../open_trace.ts';

/** Keeps all calls of a function as a track above the others. `name` is -1 while no function is chosen: the button keeps its place. */
export function Keep({ open, name }: { open: OpenTrace; name: number }) {
  const { trace, derived } = open;
  return (
    <KeepButton
      keeping={derived.keeping.value.get(functionKey(name))}
      reading={trace.status.value.at === 'loading'}
      none={name < 0}
      title={
        name < 0
          ? 'Show all calls of the chosen function on one track'
          : `Show all calls of ${shortened(trace.names.of(name))} on one track`
      }
      onClick={() => derived.keepFunction(name)}
      stop={() => derived.stop(functionKey(name))}
    />
  );
}

interface ButtonProps {
  readonly keeping: Keeping | undefined;
  /** The file is still being read. */
  readonly reading: boolean;
  /** Nothing is chosen that could be kept. */
  readonly none?: boolean;
  readonly title: string;
  readonly onClick: () => void;
  readonly stop: () => void;
}

/** The button that keeps something as a track, with its progress. While the track is being made, it stops that. */
export function KeepButton({ keeping, reading, none = false, title, onClick, stop }: ButtonProps) {
  if (keeping?.at === 'making') {
    return (
      <button type="button" class="plain link" title="Stop" onClick={stop}>
        Keeping… {formatPercent(keeping.share, 1)} ×
      </button>
    );
  }
  const text = keeping ? 'Kept as track' : 'Keep as track';
  return (
    <button
      type="button"
      class="plain link"
      disabled={reading || none || keeping !== undefined}
      title={reading ? 'Available once the file is read' : title}
      onClick={onClick}
    >
      {text}
    </button>
  );
}
