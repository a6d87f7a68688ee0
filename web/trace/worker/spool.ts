import { holdForLife } from '../../base/held.ts';
import { spoolFolder, spoolLock, sweepSpools } from '../../base/spools.ts';

/** Bytes that are kept in memory before a file is begun. */
const SMALL = 8 * 1024 * 1024;
/** Bytes that are kept in memory where there are no files. */
const MEMORY = 256 * 1024 * 1024;

/** A growing copy of an unpacked file, for reading it again: in memory at first, and then on disk. */
export interface Spool {
  /** Bytes kept. */
  readonly size: number;
  /** Whether all that was appended is kept. */
  readonly whole: boolean;
  /** Appends a copy of the bytes, unless there is no room for them or was none for earlier ones. */
  append(bytes: Uint8Array): Promise<void>;
  /** Bytes that are kept; fewer at the end. */
  read(from: number, to: number): Promise<Uint8Array>;
  /** Ends the appending and returns what is kept. */
  finish(): Promise<Blob>;
}

/** The part of `FileSystemSyncAccessHandle` that is used. It exists in workers only, so the DOM types lack it. */
export interface AccessHandle {
  write(bytes: Uint8Array, options: { at: number }): number;
  read(into: Uint8Array, options: { at: number }): number;
  close(): void;
}

/** A file on disk. */
export interface OpenFile {
  readonly handle: FileSystemFileHandle;
  readonly access: AccessHandle;
}

/** An empty spool. `open` begins its file on disk; `most` bytes are kept in memory if that fails. */
export function createSpool(open: () => Promise<OpenFile> = openFile, most = MEMORY): Spool {
  let size = 0;
  let whole = true;
  /** What is in memory: copies while they are few, as they are written to disk soon. */
  let parts: (Uint8Array<ArrayBuffer> | Blob)[] = [];
  let file: OpenFile | null = null;
  /** There is no file, and there will be none. */
  let inMemory = false;
  /** What is in memory, for reading. */
  let snapshot: Blob | null = null;
  let finished: Promise<Blob> | null = null;

  const spill = async () => {
    try {
      const opened = await open();
      let at = 0;
      for (const part of parts) {
        if (part instanceof Blob) continue;
        write(opened, part, at);
        at += part.length;
      }
      file = opened;
      parts = [];
      snapshot = null;
    } catch {
      inMemory = true;
      parts = [new Blob(parts)];
    }
  };
  return {
    get size() {
      return size;
    },
    get whole() {
      return whole;
    },
    append: async (bytes) => {
      if (!whole) return;
      if (!file && !inMemory && size + bytes.length > SMALL) await spill();
      try {
        if (file) write(file, bytes, size);
        else if (size + bytes.length > most) throw new RangeError('no room');
        else parts.push(inMemory ? new Blob([bytes as Uint8Array<ArrayBuffer>]) : bytes.slice());
        size += bytes.length;
      } catch {
        // The disk or the quota is full.
        whole = false;
      }
    },
    read: async (from, to) => {
      const end = Math.min(to, size);
      if (file && !finished) {
        const bytes = new Uint8Array(Math.max(0, end - from));
        return bytes.subarray(0, file.access.read(bytes, { at: from }));
      }
      if (!finished && snapshot?.size !== size) snapshot = new Blob(parts);
      const kept = (finished ? await finished : snapshot) ?? new Blob();
      return new Uint8Array(await kept.slice(from, end).arrayBuffer());
    },
    finish: () => {
      finished ??= (async () => {
        if (!file) return new Blob(parts);
        file.access.close();
        const kept = await file.handle.getFile();
        return kept.size > size ? kept.slice(0, size) : kept;
      })();
      return finished;
    },
  };
}

/** Throws if not all of the bytes were written. */
export function write(file: Pick<OpenFile, 'access'>, bytes: Uint8Array, at: number): void {
  if (file.access.write(bytes, { at }) < bytes.length) throw new RangeError('no room');
}

/** A new file on disk. Rejects where there are none. */
export async function openFile(): Promise<OpenFile> {
  await sweepSpools();
  const folder = await spoolFolder();
  const name = crypto.randomUUID();
  await holdForLife(spoolLock(name));
  const handle = await folder.getFileHandle(name, { create: true });
  const createAccess = (handle as unknown as { createSyncAccessHandle(): Promise<AccessHandle> })
    .createSyncAccessHandle;
  return { handle, access: await createAccess.call(handle) };
}
