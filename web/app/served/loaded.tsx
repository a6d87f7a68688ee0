import type { Ranged } from '../../base/ranged.ts';
import { loadedOf, loads } from '../../page/loads.ts';

/** In the header: how much of the file was loaded. While it is read, its progress says that. */
export function Loaded({ file }: { file: Ranged }) {
  return (
    <span
      class="muted summary ellipsis loaded"
      title="Bytes loaded from the server so far. Only what is read is loaded."
    >
      {loadedOf(file)}
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
