import { ABOUT, type Copy, copyLock } from '../base/copies_protocol.ts';
import { type Locks, whereFree } from '../base/held.ts';
import { type AllCopies, filesOf, isCopy, isNotFound, type Places } from './copy_files.ts';

/** A copy that is there with all of its bytes, and when it was begun. */
interface Whole {
  readonly copy: Copy;
  readonly time: number;
}

/** The copies that are there, the latest first. Those that are not whole are deleted, unless a tab is writing them. */
export async function wholeCopies(places: Places, old: readonly Copy[]): Promise<readonly Copy[]> {
  const entries: Whole[] = [];
  try {
    const root = await places.folder();
    const ids: string[] = [];
    for await (const id of root.keys()) ids.push(id);
    for (const id of ids) {
      // One that cannot be read or deleted now leaves the others as they are.
      const entry = await wholeOrDeleted(root, id, old, places.locks()).catch(() => null);
      if (entry) entries.push(entry);
    }
  } catch {
    // Without private files there are no copies.
  }
  return entries.sort((a, b) => b.time - a.time).map(({ copy }) => copy);
}

/** A copy that is whole. Another one is deleted, unless it is being written. */
async function wholeOrDeleted(root: AllCopies, id: string, old: readonly Copy[], locks: Locks): Promise<Whole | null> {
  let entry = await wholeCopy(root, id, old);
  if (entry) return entry;
  await whereFree(
    copyLock(id),
    async () => {
      // It may have been completed meanwhile.
      entry = await wholeCopy(root, id, old);
      if (!entry) await root.removeEntry(id, { recursive: true });
    },
    locks,
  );
  return entry;
}

/** A copy with all of its bytes; null if some are missing. Rejects if that cannot be known. */
async function wholeCopy(root: AllCopies, id: string, old: readonly Copy[]): Promise<Whole | null> {
  try {
    const directory = await root.getDirectoryHandle(id);
    const description = await directory.getFileHandle(ABOUT).then(
      (handle) => handle.getFile(),
      (error: unknown) => {
        if (isNotFound(error)) return null;
        throw error;
      },
    );
    const copy = description ? parsed(await description.text()) : old.find((it) => it.id === id);
    if (copy?.id !== id) return null;
    const files = await filesOf(root, copy);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return bytes === copy.bytes ? { copy, time: description?.lastModified ?? 0 } : null;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** The copy that a text describes; null if that was not written to its end. */
function parsed(text: string): Copy | null {
  try {
    const value: unknown = JSON.parse(text);
    return isCopy(value) ? value : null;
  } catch {
    return null;
  }
}
