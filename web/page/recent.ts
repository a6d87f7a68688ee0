import { type ReadonlySignal, signal } from '@preact/signals';
import { type Locks, oneByOne } from '../base/held.ts';

/** A file that was opened, with the browser's handle of it. */
export interface RecentFile {
  readonly name: string;
  /** Bytes, when it was opened. */
  readonly size: number;
  /** Name and version of the format. */
  readonly format: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly handle: FileHandle;
  /** The handles of its companions, as far as they are known. */
  readonly companions?: readonly FileHandle[];
  /** What it was compared with. */
  readonly other?: RecentFile;
}

/** The part of `FileSystemFileHandle` that is used. The DOM types lack the questions about permission. */
export interface FileHandle {
  readonly kind: string;
  readonly name: string;
  getFile(): Promise<File>;
  isSameEntry(other: FileHandle): Promise<boolean>;
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
}

/** Where the list is kept. */
export interface RecentStore {
  read(): Promise<readonly RecentFile[]>;
  write(files: readonly RecentFile[]): Promise<void>;
}

/** Files that were opened lately, as far as the browser can open them again. Names alone would be of no use. */
export interface Recent {
  /** The latest first. Empty until {@link Recent.load}. */
  readonly files: ReadonlySignal<readonly RecentFile[]>;
  load(): Promise<void>;
  /** Notes the handle of a file that is about to be opened. */
  know(file: Blob, handle: FileHandle): void;
  /** A file as it is now. null without a handle of it, or without permission. Rejects if the file is gone. */
  again(file: Blob): Promise<File | null>;
  /** By what the browser can open a file again; null if it cannot. */
  handleOf(file: Blob): FileHandle | null;
  /** A file is open, with its companions, and with another one that it is compared with: it becomes the first, if its handle is known. */
  note(...noted: [...Noted, other?: Noted]): Promise<void>;
  /** Whether an entry can be opened without asking the user. */
  isGranted(entry: RecentFile): Promise<boolean>;
  /** The file of an entry, and its companions after it. Asks the user for permission. Null if that is denied or the file is gone. */
  open(entry: RecentFile): Promise<readonly File[] | null>;
  remove(entry: RecentFile): Promise<void>;
  removeAll(): Promise<void>;
}

/** What looks at files on the disk. */
export type Disk = Pick<Recent, 'again' | 'handleOf'>;

/** A file to note, and its companions. */
export type Noted = [file: Blob, about: Pick<RecentFile, 'name' | 'size' | 'format'>, companions?: readonly Blob[]];

/** Entries of the list. */
const MOST = 8;

/** The lock of who changes the list: what another tab has changed meanwhile would be lost. */
const LOCK = 'unspool:recent';

/** The list in a store. `now` returns milliseconds since 1970. */
export function createRecent(store: RecentStore, now: () => number = Date.now, locks?: Locks): Recent {
  const files = signal<readonly RecentFile[]>([]);
  const handles = new WeakMap<Blob, FileHandle>();
  const set = async (next: readonly RecentFile[]) => {
    files.value = next;
    // Without a store, as in private windows, the list lasts as long as the page.
    await store.write(next).catch(() => undefined);
  };
  const load = async () => {
    files.value = await store.read().catch(() => files.peek());
  };
  const permits = async (handle: FileHandle) => {
    const known = await handle.queryPermission?.({ mode: 'read' });
    return known === undefined || known === 'granted';
  };
  /** The file of a handle, with permission. Rejects if it is gone. */
  const fileOf = async (handle: FileHandle): Promise<File | null> => {
    const isGranted = await permits(handle);
    if (!isGranted && (await handle.requestPermission?.({ mode: 'read' })) !== 'granted') return null;
    const file = await handle.getFile();
    handles.set(file, handle);
    return file;
  };
  const entryOf = (...[file, about, companions = []]: Noted): RecentFile | null => {
    const handle = handles.get(file);
    if (!handle) return null;
    const added = companions.flatMap((companion) => handles.get(companion) ?? []);
    return { ...about, ...(added.length > 0 ? { companions: added } : {}), handle, openedAt: now() };
  };
  /** Whether two entries are of one file, or both are missing. */
  const isOf = async (a: RecentFile | null | undefined, b: RecentFile | undefined) =>
    a && b ? a.handle.isSameEntry(b.handle).catch(() => false) : !a && !b;
  return {
    files,
    load,
    handleOf: (file) => handles.get(file) ?? null,
    know: (file, handle) => handles.set(file, handle),
    again: async (file) => {
      const handle = handles.get(file);
      if (!handle) return null;
      try {
        const now = await handle.getFile();
        handles.set(now, handle);
        return now;
      } catch (error) {
        if (error instanceof DOMException && error.name === 'NotFoundError') throw error;
        return null;
      }
    },
    note: async (file, about, companions, noted) => {
      const first = entryOf(file, about, companions);
      const other = noted && entryOf(...noted);
      if (!first || (noted && !other)) return;
      await oneByOne(
        LOCK,
        async () => {
          await load();
          const others: RecentFile[] = [];
          for (const entry of files.peek()) {
            const isSame = (await isOf(first, entry)) && (await isOf(other, entry.other));
            if (!isSame) others.push(entry);
          }
          await set([other ? { ...first, other } : first, ...others].slice(0, MOST));
        },
        locks,
      );
    },
    isGranted: async ({ handle }) => {
      try {
        return await permits(handle);
      } catch {
        return false;
      }
    },
    open: async ({ handle, companions = [] }) => {
      try {
        const file = await fileOf(handle);
        if (!file) return null;
        // A trace without one of its companions is better than none.
        const others = await Promise.all(companions.map((it) => fileOf(it).catch(() => null)));
        return [file, ...others.filter((it) => it !== null)];
      } catch {
        return null;
      }
    },
    remove: ({ name, openedAt }) =>
      oneByOne(
        LOCK,
        async () => {
          await load();
          await set(files.peek().filter((it) => it.name !== name || it.openedAt !== openedAt));
        },
        locks,
      ),
    removeAll: () => oneByOne(LOCK, () => set([]), locks),
  };
}

const DATABASE = 'unspool';
const STORE = 'recent';

/**
 * The list in the database of the browser, which is the only place that can keep handles. `database` may throw: some browsers forbid
 * even to ask whether there is one.
 */
export function recentInBrowser(database: () => IDBFactory | undefined): RecentStore {
  const withStore = <T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const factory = database();
      if (!factory) throw new Error('no database');
      const opening = factory.open(DATABASE, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const { result: opened } = opening;
        const transaction = opened.transaction(STORE, mode);
        const request = use(transaction.objectStore(STORE));
        transaction.oncomplete = () => {
          opened.close();
          resolve(request.result);
        };
        transaction.onabort = () => {
          opened.close();
          reject(transaction.error);
        };
      };
    });
  return {
    read: async () => {
      const value: unknown = await withStore('readonly', (store) => store.get('files'));
      return Array.isArray(value) ? value.filter(isRecent).slice(0, MOST) : [];
    },
    write: async (files) => {
      await withStore('readwrite', (store) => store.put([...files], 'files'));
    },
  };
}

function isRecent(value: unknown): value is RecentFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, size, format, openedAt, handle, companions, other } = value as Record<string, unknown>;
  const isText = typeof name === 'string' && typeof format === 'string';
  return (
    (companions === undefined || Array.isArray(companions)) &&
    (other === undefined || isRecent(other)) &&
    isText &&
    typeof size === 'number' &&
    typeof openedAt === 'number' &&
    typeof handle === 'object' &&
    !!handle
  );
}
