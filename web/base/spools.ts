/*
 * The files in which the page keeps what it has unpacked: a folder of the origin's private file system. A worker holds a
 * lock on each of its files, so that another tab does not take it for a stale one.
 */

const FOLDER = 'unpacked';

/** The folder of these files. Rejects if the browser has none, or does not give it to this page. */
export async function spoolFolder(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** The lock on a file of the folder. */
export function spoolLock(name: string): string {
  return `unspool:${FOLDER}/${name}`;
}

/** How long after the end of a worker its files are deleted. */
const SWEEP_MS = 1000;

/** Deletes the files of a worker that is about to end, and others that no worker uses. */
export function sweepSoon(): void {
  setTimeout(() => void sweepSpools(), SWEEP_MS);
}

/** Deletes the files that no worker uses, left by a tab that ended unexpectedly. */
export async function sweepSpools(): Promise<void> {
  try {
    const folder = await spoolFolder();
    for await (const name of folder.keys()) {
      await navigator.locks.request(spoolLock(name), { ifAvailable: true }, async (lock) => {
        if (lock) await folder.removeEntry(name);
      });
    }
  } catch {
    // Without such files there is nothing to delete.
  }
}
