import { type ReadonlySignal, signal } from '@preact/signals';
import { copiesFolder } from '../base/copies_protocol.ts';

/** A copy of a file, with its companions, in the private files of the origin. The user has asked for it. */
export interface Copy {
  /** The name of its folder. */
  readonly id: string;
  /** The name of the trace's file. */
  readonly name: string;
  /** Bytes of the trace's file. */
  readonly size: number;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Name and version of the format. */
  readonly format: string;
  /** The names of the files, the trace's first. In the folder they have numbers. */
  readonly files: readonly string[];
}

/** The files of which this browser has a copy. */
export interface Copies {
  /** The latest first. */
  readonly list: ReadonlySignal<readonly Copy[]>;
  /** Adds a copy that has been written. */
  add(copy: Copy): void;
  /** The files of a copy, the trace's first. null if the browser has deleted them. */
  open(copy: Copy): Promise<readonly File[] | null>;
  /** Deletes a copy. */
  remove(copy: Copy): Promise<void>;
}

const KEY = 'unspool:copies';

/** The copies that are listed in a storage. Without one there are no copies. */
export function createCopies(
  storage: Pick<Storage, 'getItem' | 'setItem'> | null,
  folder: () => Promise<FileSystemDirectoryHandle> = copiesFolder,
): Copies {
  const list = signal(readCopies(storage));
  const set = (next: readonly Copy[]) => {
    list.value = next;
    try {
      storage?.setItem(KEY, JSON.stringify(next));
    } catch {
      // It is full: the list lasts as long as the page.
    }
  };
  const drop = (copy: Copy) => set(list.peek().filter(({ id }) => id !== copy.id));
  return {
    list,
    add: (copy) => set([copy, ...list.peek()]),
    open: async (copy) => {
      try {
        const own = await (await folder()).getDirectoryHandle(copy.id);
        return await Promise.all(
          copy.files.map(async (name, i) => new File([await (await own.getFileHandle(`${i}`)).getFile()], name)),
        );
      } catch {
        // Browsers delete private files when space is short, or with the data of the site.
        drop(copy);
        return null;
      }
    },
    remove: async (copy) => {
      drop(copy);
      await folder()
        .then((all) => all.removeEntry(copy.id, { recursive: true }))
        // It is gone already.
        .catch(() => undefined);
    },
  };
}

function readCopies(storage: Pick<Storage, 'getItem'> | null): readonly Copy[] {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isCopy) : [];
  } catch {
    return [];
  }
}

function isCopy(value: unknown): value is Copy {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, size, bytes, format, files } = value as Record<string, unknown>;
  const hasTexts = [id, name, format].every((text) => typeof text === 'string');
  const hasFiles = Array.isArray(files) && files.length > 0 && files.every((file) => typeof file === 'string');
  return hasTexts && hasFiles && typeof size === 'number' && typeof bytes === 'number';
}
