import { isRanged } from '../../base/ranged.ts';
import type { Input } from './reading.ts';
import type { Source } from './source.ts';

/**
 * Bytes. A file of up to this length is kept by the browser as it was read. Files on disk change while they are open, and browsers then
 * refuse to read any of the former ones.
 */
export const KEPT_AT_MOST = 256 * 1024 * 1024;

/**
 * Bytes. Of a larger file, nothing is kept while it is read, which costs a tenth of that time, but all of it afterwards. What is loaded from
 * an address would travel twice.
 */
const AT_ONCE = 32 * 1024 * 1024;
/** Bytes that are fetched at once afterwards. */
const PORTION = 8 * 1024 * 1024;

/** A file that is kept while it is read. */
export interface Kept {
  readonly input: Input;
  /** What is kept: the whole file, or what was read before it changed. null if that is nothing. */
  finish(): Promise<Blob | null>;
}

/** Keeps what is read of `file` through `input`. Only what is read from the beginning on: the rest is fetched at the end. */
export function keepWhileReading(file: Blob, input: Input): Kept {
  let parts: Blob[] = [];
  let size = 0;
  const append = (bytes: Uint8Array) => {
    parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]));
    size += bytes.length;
  };
  const keeping = (source: Source): Source => ({
    get position() {
      return source.position;
    },
    prefetch: source.prefetch,
    take: async (most) => {
      const at = source.position;
      const bytes = await source.take(most);
      if (bytes && at === size && (file.size <= AT_ONCE || isRanged(file))) append(bytes);
      return bytes;
    },
    close: source.close,
  });
  return {
    input: { ...input, open: (at) => keeping(input.open(at)) },
    finish: async () => {
      try {
        while (size < file.size) append(new Uint8Array(await file.slice(size, size + PORTION).arrayBuffer()));
      } catch {
        // It has changed already.
      }
      const kept = size > 0 ? new Blob(parts) : null;
      parts = [];
      return kept;
    },
  };
}

/**
 * A copy of a database, which is not read from the beginning on. The file itself if it is too large or at an address, or has changed already.
 */
export async function keepDatabase(file: Blob): Promise<Blob> {
  if (file.size > KEPT_AT_MOST || isRanged(file)) return file;
  const begins = new Uint8Array(await file.slice(0, 15).arrayBuffer());
  return isDatabase(begins) ? new Blob([await file.arrayBuffer()]) : file;
}

/** Whether a file that begins with these bytes is a database. */
export function isDatabase(head: Uint8Array): boolean {
  return new TextDecoder().decode(head.subarray(0, 15)) === 'SQLite format 3';
}
