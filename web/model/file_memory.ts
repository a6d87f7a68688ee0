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
export type Part = 'notes' | 'tracks';

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
 * The memory in a storage, or with null one that lasts as long as the page. Records are small, so they are items of the local
 * storage: one to read when a trace opens, one to write after a change.
 */
export function createBrowserMemory(storage: ItemStorage | null): BrowserMemory {
  const open = new Set<OwnMemory>();
  const keys = () => {
    try {
      return Array.from({ length: storage?.length ?? 0 }, (_, i) => storage?.key(i) ?? '').filter((key) =>
        key.startsWith(PREFIX),
      );
    } catch {
      return [];
    }
  };
  return {
    of: (trace, file) => {
      const memory = createFileMemory(storage, trace, file);
      open.add(memory);
      const dispose = () => {
        open.delete(memory);
        memory.dispose();
      };
      return { ...memory, dispose };
    },
    count: () => keys().length,
    forgetAll: () => {
      for (const key of keys()) attempt(() => storage?.removeItem(key));
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

/** A memory that can be read again. */
interface OwnMemory extends FileMemory {
  readonly reread: () => void;
}

function createFileMemory(
  storage: ItemStorage | null,
  { name, size, info, entry }: Pick<Trace, 'name' | 'size' | 'info' | 'entry'>,
  file: Blob,
): OwnMemory {
  const parts = signal<Parts | null>(null);
  const identity = signal<FileIdentity | null>(null);
  const isStored = signal(storage !== null);
  /** What was put before the identity was known. */
  let early: Parts = {};
  let disposed = false;

  const read = (): Parts => {
    const known = identity.peek();
    if (!storage || !known) return {};
    try {
      return partsIn(JSON.parse(storage.getItem(keyOf(known)) ?? 'null'));
    } catch {
      return {};
    }
  };
  const write = () => {
    const known = identity.peek();
    const { notes, tracks } = parts.peek() ?? {};
    if (!storage || !known) {
      isStored.value = false;
      return;
    }
    const key = keyOf(known);
    isStored.value =
      notes === undefined && tracks === undefined
        ? attempt(() => storage.removeItem(key))
        : attempt(() => storage.setItem(key, JSON.stringify({ version: 1, ...known, notes, tracks })));
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
      // What could not be stored is here only.
      if (parts.peek() !== null && isStored.peek()) parts.value = read();
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
  const { version, notes, tracks } = stored as Record<string, unknown>;
  // A later version of the page may have stored something else.
  if (version !== 1) return {};
  return { ...(notes === undefined ? {} : { notes }), ...(tracks === undefined ? {} : { tracks }) };
}

/** The hash of the beginning of a file; null if it cannot be read any more. */
async function headOf(file: Blob): Promise<string | null> {
  try {
    const bytes = await file.slice(0, HEAD).arrayBuffer();
    if (!globalThis.crypto?.subtle) return '';
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    return null;
  }
}

/** Whether the storage did it: it may be full, or denied by now. */
function attempt(write: () => void): boolean {
  try {
    write();
    return true;
  } catch {
    return false;
  }
}
