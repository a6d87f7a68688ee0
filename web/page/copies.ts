import { type ReadonlySignal, signal } from '@preact/signals';
import { ABOUT, type Copy, copiesFolder, copyLock } from '../base/copies_protocol.ts';
import { type Locks, whereFree } from '../base/held.ts';

/** The files of which this browser has a copy. */
export interface Copies {
  /** The latest first. Empty until it is loaded. */
  readonly list: ReadonlySignal<readonly Copy[]>;
  /** Loads the list, and deletes copies that a tab was writing when it ended. */
  load(): Promise<void>;
  /** Adds a copy that has been written. */
  add(copy: Copy): void;
  /** The files of a copy, the trace's first. null if the browser has deleted them. */
  open(copy: Copy): Promise<readonly File[] | null>;
  /** Deletes a copy. */
  remove(copy: Copy): Promise<void>;
}

/** The list that versions up to 0.2.0 kept, of copies whose folders do not say what they are. */
const OLD_LIST = 'unspool:copies';

/** The parts of `FileSystemDirectoryHandle` that are used of the folder of a copy. */
export interface CopyFolder {
  getFileHandle(name: string): Promise<{ getFile(): Promise<File> }>;
}

/** The parts of `FileSystemDirectoryHandle` that are used of the folder of all copies. */
export interface AllCopies {
  keys(): AsyncIterable<string>;
  getDirectoryHandle(id: string): Promise<CopyFolder>;
  removeEntry(id: string, options: { readonly recursive: true }): Promise<void>;
}

/** The parts of the browser that copies need. Tests substitute their own. */
interface Places {
  readonly folder: () => Promise<AllCopies>;
  readonly locks: () => Locks;
}

const PLACES: Places = { folder: copiesFolder, locks: () => navigator.locks };

/** Milliseconds after which a copy is deleted that the worker which wrote it still had open. */
const LATER_MS = 1000;

/** The copies in the private files of the origin. `storage` may have a list of an older version. */
export function createCopies(storage: Pick<Storage, 'getItem' | 'setItem'> | null, places: Places = PLACES): Copies {
  const list = signal<readonly Copy[]>([]);
  /** Counts changes, which a list that was begun before them does not have. */
  let changes = 0;
  const set = (next: readonly Copy[]) => {
    changes += 1;
    list.value = next;
  };
  const drop = (copy: Copy) => {
    set(list.peek().filter(({ id }) => id !== copy.id));
    forget(storage, copy.id);
  };
  const load = async () => {
    for (;;) {
      const version = changes;
      const copies = await wholeCopies(places, oldList(storage));
      if (changes !== version) continue;
      list.value = copies;
      return;
    }
  };
  return {
    list,
    load,
    add: (copy) => set([copy, ...list.peek().filter(({ id }) => id !== copy.id)]),
    open: async (copy) => {
      try {
        const files = await filesOf(await places.folder(), copy);
        return files.map((file, i) => new File([file], copy.files[i] ?? copy.name));
      } catch {
        // Browsers delete private files when space is short, or with the data of the site.
        drop(copy);
        return null;
      }
    },
    remove: async (copy) => {
      drop(copy);
      await places
        .folder()
        .then((root) => root.removeEntry(copy.id, { recursive: true }))
        .catch((error: unknown) => {
          if (!isNotFound(error)) setTimeout(() => void load(), LATER_MS);
        });
      // A list that was begun meanwhile may have it.
      set(list.peek().filter(({ id }) => id !== copy.id));
    },
  };
}

/** A copy that is there with all of its bytes, and when it was begun. */
interface Whole {
  readonly copy: Copy;
  readonly time: number;
}

/** The copies that are there, the latest first. Those that are not whole are deleted, unless a tab is writing them. */
async function wholeCopies(places: Places, old: readonly Copy[]): Promise<readonly Copy[]> {
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

function isNotFound(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}

/** The files of a copy with numbers as names. Rejects if one is missing. */
async function filesOf(root: AllCopies, copy: Copy): Promise<readonly File[]> {
  const directory = await root.getDirectoryHandle(copy.id);
  return Promise.all(copy.files.map(async (_, i) => (await directory.getFileHandle(`${i}`)).getFile()));
}

/** The list of an older version. */
function oldList(storage: Pick<Storage, 'getItem'> | null): readonly Copy[] {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(OLD_LIST) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isCopy) : [];
  } catch {
    return [];
  }
}

/** Drops a copy from the list of an older version. */
function forget(storage: Pick<Storage, 'getItem' | 'setItem'> | null, id: string): void {
  const list = oldList(storage);
  if (!list.some((copy) => copy.id === id)) return;
  try {
    storage?.setItem(OLD_LIST, JSON.stringify(list.filter((copy) => copy.id !== id)));
  } catch {
    // It is not listed without its files.
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

function isCopy(value: unknown): value is Copy {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, size, bytes, format, files } = value as Record<string, unknown>;
  const hasTexts = [id, name, format].every((text) => typeof text === 'string');
  const hasFiles = Array.isArray(files) && files.length > 0 && files.every((file) => typeof file === 'string');
  return hasTexts && hasFiles && typeof size === 'number' && typeof bytes === 'number';
}
