/*
 * The files in which the page keeps what it has unpacked: a folder of the origin's private file system. A worker takes a lock on each of its
 * files before it makes it, so that another tab does not take it for a stale one.
 */

import { type Locks, whereFree } from './held.ts';

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

/** The parts of `FileSystemDirectoryHandle` that deleting uses. */
interface Swept {
  keys(): AsyncIterable<string>;
  removeEntry(name: string): Promise<void>;
}

/** The parts of `FileSystemDirectoryHandle` that listing uses. */
interface Listed {
  keys(): AsyncIterable<string>;
  getFileHandle(name: string): Promise<{ getFile(): Promise<Blob> }>;
}

/** The bytes of each file that is there; null where the browser does not say while a worker has the file open. */
export async function listSpools(folderOf: () => Promise<Listed> = spoolFolder): Promise<readonly (number | null)[]> {
  const sizes: (number | null)[] = [];
  try {
    const folder = await folderOf();
    for await (const name of folder.keys()) {
      const handle = await folder.getFileHandle(name).catch(() => null);
      const file = await handle?.getFile().catch(() => null);
      sizes.push(file?.size ?? null);
    }
  } catch {
    // Without private files there are none.
  }
  return sizes;
}

/** Deletes the files that no worker uses, left by a tab that ended, perhaps unexpectedly. */
export async function sweepSpools(folderOf: () => Promise<Swept> = spoolFolder, locks?: Locks): Promise<void> {
  try {
    const folder = await folderOf();
    const names: string[] = [];
    for await (const name of folder.keys()) names.push(name);
    // One that cannot be deleted, because the browser has not closed it yet, leaves the others as they are.
    for (const name of names) await whereFree(spoolLock(name), () => folder.removeEntry(name), locks).catch(() => null);
  } catch {
    // Without such files there is nothing to delete.
  }
}
