import { type ReadonlySignal, signal } from '@preact/signals';

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
  /** A file is open: it becomes the first, if its handle is known. */
  note(file: Blob, about: Pick<RecentFile, 'name' | 'size' | 'format'>): Promise<void>;
  /** The file of an entry. Asks the user for permission. Null if that is denied or the file is gone. */
  open(entry: RecentFile): Promise<File | null>;
  remove(entry: RecentFile): Promise<void>;
  removeAll(): Promise<void>;
}

/** Entries of the list. */
const MOST = 8;

/** The list in a store. `now` returns milliseconds since 1970. */
export function createRecent(store: RecentStore, now: () => number = Date.now): Recent {
  const files = signal<readonly RecentFile[]>([]);
  const handles = new WeakMap<Blob, FileHandle>();
  const set = async (next: readonly RecentFile[]) => {
    files.value = next;
    // Without a store, as in private windows, the list lasts as long as the page.
    await store.write(next).catch(() => undefined);
  };
  const load = async () => {
    files.value = await store.read().catch(() => []);
  };
  return {
    files,
    load,
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
    note: async (file, about) => {
      const handle = handles.get(file);
      if (!handle) return;
      await load();
      const others: RecentFile[] = [];
      for (const entry of files.peek()) {
        if (!(await handle.isSameEntry(entry.handle).catch(() => false))) others.push(entry);
      }
      await set([{ ...about, handle, openedAt: now() }, ...others].slice(0, MOST));
    },
    open: async ({ handle }) => {
      try {
        const asked = { mode: 'read' } as const;
        const known = await handle.queryPermission?.(asked);
        if (known !== undefined && known !== 'granted') {
          if ((await handle.requestPermission?.(asked)) !== 'granted') return null;
        }
        const file = await handle.getFile();
        handles.set(file, handle);
        return file;
      } catch {
        return null;
      }
    },
    remove: (entry) => set(files.peek().filter((it) => it !== entry)),
    removeAll: () => set([]),
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
  const { name, size, format, openedAt, handle } = value as Record<string, unknown>;
  const isText = typeof name === 'string' && typeof format === 'string';
  return isText && typeof size === 'number' && typeof openedAt === 'number' && typeof handle === 'object' && !!handle;
}
