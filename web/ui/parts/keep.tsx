import { formatPercent, shortened } from '../../base/format.ts';
import { functionKey, type Keeping } from '../../model/derived.ts';
import type { OpenTrace } from '../../model/workbench.ts';

/** Keeps all calls of a function as a track above the others. */
export function Keep({ open, name }: { open: OpenTrace; name: number }) {
  const { trace, derived } = open;
  return (
    <KeepButton
      keeping={derived.keeping.value.get(functionKey(name))}
      reading={trace.status.value.at === 'loading'}
      title={`Show all calls of ${shortened(trace.names.of(name))} on one track`}
      onClick={() => derived.keepFunction(name)}
    />
  );
}

interface ButtonProps {
  readonly keeping: Keeping | undefined;
  /** The file is still being read. */
  readonly reading: boolean;
  readonly title: string;
  readonly onClick: () => void;
}

/** The button that keeps something as a track, with its progress. */
export function KeepButton({ keeping, reading, title, onClick }: ButtonProps) {
  const text =
    keeping?.at === 'making'
      ? `Keeping… ${formatPercent(keeping.share, 1)}`
      : keeping
        ? 'Kept as track'
        : 'Keep as track';
  return (
    <button
      type="button"
      class="plain link"
      disabled={reading || keeping !== undefined}
      title={reading ? 'Available once the file is read' : title}
      onClick={onClick}
    >
      {text}
    </button>
  );
}
