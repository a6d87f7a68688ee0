import { type ReadonlySignal, signal } from '@preact/signals';
import { type Copy, copiesFolder } from '../base/copies_protocol.ts';
import { filesOf, isCopy, isNotFound, type Places } from './copy_files.ts';

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

const PLACES: Places = { folder: copiesFolder, locks: () => navigator.locks };

/** Milliseconds after which the list is loaded again if a copy could not be deleted: the worker that wrote it may still have it open. */
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
      // Not before the page is there.
      const { wholeCopies } = await import('./whole_copies.ts');
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
