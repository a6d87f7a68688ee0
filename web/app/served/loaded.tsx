import { formatBytes } from '../../base/format.ts';
import type { Ranged } from '../../base/ranged.ts';
import { loads } from '../../page/loads.ts';
import './loaded.css';

/** In the header: how much of the file was loaded. While it is read, its progress says that. */
export function Loaded({ file }: { file: Ranged }) {
  return (
    <span
      class="muted loaded"
      title={`Loaded from the server so far, of ${formatBytes(file.ranges.total)}. Only what is read is loaded.`}
    >
      {formatBytes(loads().bytesOf(file.ranges.url))} loaded
    </span>
  );
}

/** Below the header: the server does not answer, and reading waits. */
export function Waits() {
  const { waits, goOn } = loads();
  if (waits.value === '') return null;
  return (
    <p>
      {waits.value}
      <button type="button" onClick={goOn}>
        Go on
      </button>
    </p>
  );
}
