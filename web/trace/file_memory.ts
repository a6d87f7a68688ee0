import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import type { Trace } from './trace.ts';

/** Bytes at the beginning of a file that tell it apart from others of its name and size. */
const HEAD = 65_536;
const PREFIX = 'unspool:file:';

/** What tells a file apart from others. */
export interface FileIdentity {
  /** With the path of the trace if it is in an archive: `traces.zip › run.xray`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the first 64 KiB in hexadecimal; empty where the browser computes no hashes, outside of secure contexts. */
  readonly head: string;
}

/** The parts of what is remembered. What a part holds is checked by the model that it belongs to. */
export type Part = (typeof PARTS)[number];
const PARTS = ['notes', 'tracks', 'events', 'findings'] as const;

/** What is remembered of a file, by part. */
export type Parts = Readonly<Partial<Record<Part, unknown>>>;

/** What this browser remembers of one file. */
export interface FileMemory {
  /** null until the beginning of the file was read. Changes by other tabs arrive, too. */
  readonly parts: ReadonlySignal<Parts | null>;
  /** null until the beginning of the file was read, and if it cannot be read. */
  readonly identity: ReadonlySignal<FileIdentity | null>;
  /** Whether the browser stores changes. Otherwise they last as long as the page. */
  readonly isStored: ReadonlySignal<boolean>;
  /** Remembers a part, or with undefined forgets it. */
  put(part: Part, value: unknown): void;
  /** Forgets all parts. */
  forget(): void;
  readonly dispose: Dispose;
}

/** What this browser remembers of all files. */
export interface BrowserMemory {
  /** The memory of an open trace's file. */
  of(trace: Pick<Trace, 'name' | 'size' | 'info' | 'entry'>, file: Blob): FileMemory;
  /** Number of files of which something is stored. */
  count(): number;
  /** Forgets all files, the open one included. */
  forgetAll(): void;
  /** Reads an item of the storage again that another tab has changed; null if that has changed all. */
  hear(key: string | null): void;
}

/** The part of `Storage` that is used. */
export type ItemStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * The memory in a storage. Records are small, so they are items of the local storage: one to read when a trace opens, one to write
 * after a change. Without a storage, or if it is full, they last as long as the page.
 */
export function createBrowserMemory(storage: ItemStorage | null): BrowserMemory {
  const open = new Set<OwnMemory>();
  const items = createItems(storage);
  return {
    of: (trace, file) => {
      const memory = createFileMemory(items, trace, file);
      open.add(memory);
      const dispose = () => {
        open.delete(memory);
        memory.dispose();
      };
      return { ...memory, dispose };
    },
    count: () => items.keys().length,
    forgetAll: () => {
      for (const key of items.keys()) items.put(key, null);
      for (const memory of open) memory.forget();
    },
    hear: (key) => {
      for (const { identity, reread } of open) {
        const own = identity.peek();
        if (own && (key === null || key === keyOf(own))) reread();
      }
    },
  };
}

/** Items of the storage, and of the page where the storage fails. */
interface Items {
  readonly isStored: boolean;
  keys(): readonly string[];
  get(key: string): string | null;
  /** Removes the item with null. Returns whether the storage has taken the change. */
  put(key: string, text: string | null): boolean;
}

function createItems(storage: ItemStorage | null): Items {
  const own = new Map<string, string>();
  const attempt = <T>(use: (storage: ItemStorage) => T, otherwise: T): T => {
    try {
      return storage ? use(storage) : otherwise;
    } catch {
      // It may be full, or denied by now.
      return otherwise;
    }
  };
  return {
    isStored: storage !== null,
    keys: () => {
      const stored = attempt((it) => Array.from({ length: it.length }, (_, i) => it.key(i) ?? ''), []);
      return [...new Set([...own.keys(), ...stored])].filter((key) => key.startsWith(PREFIX));
    },
    get: (key) => own.get(key) ?? attempt((it) => it.getItem(key), null),
    put: (key, text) => {
      own.delete(key);
      const isTaken = attempt((it) => {
        if (text === null) it.removeItem(key);
        else it.setItem(key, text);
        return true;
      }, false);
      if (!isTaken && text !== null) own.set(key, text);
      return isTaken;
    },
  };
}

/** A memory that can be read again. */
interface OwnMemory extends FileMemory {
  readonly reread: () => void;
}

function createFileMemory(
  items: Items,
  { name, size, info, entry }: Pick<Trace, 'name' | 'size' | 'info' | 'entry'>,
  file: Blob,
): OwnMemory {
  const parts = signal<Parts | null>(null);
  const identity = signal<FileIdentity | null>(null);
  const isStored = signal(items.isStored);
  /** What was put before the identity was known. */
  let early: Parts = {};
  let disposed = false;

  const read = (): Parts => {
    const known = identity.peek();
    if (!known) return {};
    try {
      return partsIn(JSON.parse(items.get(keyOf(known)) ?? 'null'));
    } catch {
      return {};
    }
  };
  const write = () => {
    const known = identity.peek();
    const now = parts.peek() ?? {};
    const isEmpty = PARTS.every((part) => now[part] === undefined);
    isStored.value =
      known !== null && items.put(keyOf(known), isEmpty ? null : JSON.stringify({ version: 1, ...known, ...now }));
  };
  const begin = async (path: string | null) => {
    const head = await headOf(file);
    if (disposed) return;
    identity.value = head === null ? null : { name: path === null ? name : `${name} › ${path}`, size, head };
    if (head === null) isStored.value = false;
    parts.value = { ...read(), ...early };
    if (Object.keys(early).length > 0) write();
  };
  let begun = false;
  const stop = effect(() => {
    // By then it is known which trace of an archive it is.
    if (!info.value || begun) return;
    begun = true;
    untracked(() => void begin(entry.peek()));
  });
  return {
    parts,
    identity,
    isStored,
    put: (part, value) => {
      if (parts.peek() === null) {
        early = { ...early, [part]: value };
        return;
      }
      parts.value = { ...parts.peek(), [part]: value };
      write();
    },
    forget: () => {
      early = {};
      if (parts.peek() === null) return;
      parts.value = {};
      write();
    },
    reread: () => {
      if (parts.peek() !== null) parts.value = read();
    },
    dispose: () => {
      disposed = true;
      stop();
    },
  };
}

function keyOf({ name, size, head }: FileIdentity): string {
  return `${PREFIX}${size}:${head.slice(0, 32)}:${name}`;
}

function partsIn(stored: unknown): Parts {
  if (typeof stored !== 'object' || stored === null) return {};
  const record = stored as Parts & { readonly version?: unknown };
  // A later version of the page may have stored something else.
  if (record.version !== 1) return {};
  return Object.fromEntries(PARTS.flatMap((part) => (record[part] === undefined ? [] : [[part, record[part]]])));
}

/** The hash of the beginning of a file; null if it cannot be read any more, '' if the browser has none. */
export async function headOf(file: Blob): Promise<string | null> {
  try {
    const bytes = await file.slice(0, HEAD).arrayBuffer();
    if (!globalThis.crypto?.subtle) return '';
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    return null;
  }
}
