import { formatBytes } from '../../base/format.ts';
import type { Machine } from '../../trace/machine.ts';
import '../../parts/building.css';

/** How far the index is, while it is being built. */
export function Indexing({ machine }: { machine: Machine }) {
  const indexed = machine.indexed.value;
  if (!indexed || indexed.done || machine.error.value !== '') return null;
  const share = indexed.built / Math.max(1, indexed.count);
  const paused = machine.isStopped.value;
  return (
    <div class="building row">
      <progress max={1} value={share} aria-label="Indexing" />
      <span class="muted">
        {paused ? 'Paused at' : 'Indexing…'} {Math.floor(100 * share)} %
        {indexed.bytes > 1e6 && `, ${formatBytes(indexed.bytes)}`}
      </span>
      <button type="button" onClick={paused ? machine.goOn : machine.stop}>
        {paused ? 'Go on' : 'Pause'}
      </button>
    </div>
  );
}
