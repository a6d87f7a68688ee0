/**
 * Reads the bytes from `from` up to but not including `to`, synchronously. Returns fewer only at the end of the file.
 * Throws if the file cannot be read.
 */
export type ReadAt = (from: number, to: number) => Uint8Array;

const KIB = 1024;
/** Bytes of an aligned block, the unit of reading. A search reads one block per level of a table. */
const BLOCK = 64 * KIB;
/** Blocks per read at the height of a scan. */
const LONGEST_RUN = 64;
/** Blocks in the cache. */
const KEPT = 192;

/**
 * A file that stands in for the byte array of a database in sql.js, and reads only the pages that SQLite requests.
 *
 * The published sql.js keeps the byte array as the contents of a file in memory: it calls `slice` once and then
 * `subarray` for each page. An object with these two methods serves a database of any size without holding it, and one with
 * `set` holds what is written. This depends on the inner workings of sql.js, so its version is pinned and a test verifies the
 * contract.
 */
export class LazyFile {
  /** The error of the first failed read, or null. SQLite's C frames must not unwind, so it got fewer bytes instead. */
  failure: unknown = null;
  /** Bytes read from the file so far, repeated reads included. */
  bytesRead = 0;
  readonly #size: number;
  readonly #read: ReadAt;
  readonly #ahead: ReadAt;
  /** What was written in place of blocks of the file, and after its end, by number; null while nothing may be. */
  #written: Map<number, Uint8Array> | null = null;
  /** Cached blocks by number, the most recently used last. */
  readonly #blocks = new Map<number, Uint8Array>();
  #run = 1;
  #expected = -1;

  /** `size` is in bytes. `ahead` serves {@link read}, the scan that bypasses SQLite. */
  constructor(size: number, read: ReadAt, ahead: ReadAt = read) {
    this.#size = size;
    this.#read = read;
    this.#ahead = ahead;
  }

  /** Bytes. sql.js reads it as the size of the database when it opens it, and as the room for more whenever it writes. */
  get length(): number {
    return this.#written ? Number.MAX_SAFE_INTEGER : this.#size;
  }

  /** From now on SQLite may write. The file itself stays as it is. */
  allowWriting(): void {
    this.#written ??= new Map();
  }

  /** sql.js calls this to write bytes. */
  set(bytes: Uint8Array, at: number): void {
    for (let done = 0; this.#written && done < bytes.length; ) {
      const number = Math.floor((at + done) / BLOCK);
      let block = this.#written.get(number);
      if (!block) {
        block = new Uint8Array(BLOCK);
        if (number * BLOCK < this.#size) block.set(this.#block(number));
        this.#written.set(number, block);
        this.#blocks.delete(number);
      }
      const from = at + done - number * BLOCK;
      const part = bytes.subarray(done, done + BLOCK - from);
      block.set(part, from);
      done += part.length;
    }
  }

  /** sql.js calls this to copy the bytes. */
  slice(): LazyFile {
    return this;
  }

  /** The bytes of a page; fewer if the file cannot be read. */
  subarray(from: number, to: number): Uint8Array {
    try {
      const first = Math.floor(from / BLOCK);
      const inFirst = from - first * BLOCK;
      const block = this.#block(first);
      if (inFirst + (to - from) <= block.length) return block.subarray(inFirst, inFirst + (to - from));
      // A page across blocks is rare: pages have at most 64 KiB and the alignment of the file.
      const bytes = new Uint8Array(Math.max(0, Math.min(to, this.length) - from));
      for (let at = from; at < from + bytes.length; ) {
        const number = Math.floor(at / BLOCK);
        const part = this.#block(number).subarray(at - number * BLOCK, to - number * BLOCK);
        if (part.length === 0) return bytes.subarray(0, at - from);
        bytes.set(part.subarray(0, from + bytes.length - at), at - from);
        at += part.length;
      }
      return bytes;
    } catch (error) {
      this.failure ??= error;
      return new Uint8Array();
    }
  }

  /** Bytes for a scan that bypasses SQLite. Empty only at the end of the file; null if the file cannot be read. */
  read(from: number, to: number): Uint8Array | null {
    try {
      const bytes = this.#ahead(from, Math.min(this.#size, to));
      this.bytesRead += bytes.length;
      return bytes;
    } catch (error) {
      this.failure ??= error;
      return null;
    }
  }

  #block(number: number): Uint8Array {
    const written = this.#written?.get(number);
    if (written) return written;
    const known = this.#blocks.get(number);
    if (known) {
      this.#blocks.delete(number);
      this.#blocks.set(number, known);
      return known;
    }
    // A read that starts where the previous one ended is part of a scan. Each call costs 1 ms, so the runs grow.
    this.#run = number === this.#expected ? Math.min(this.#run * 2, LONGEST_RUN) : 1;
    const from = number * BLOCK;
    const bytes = this.#read(from, Math.min(this.#size, from + this.#run * BLOCK));
    this.bytesRead += bytes.length;
    if (from + bytes.length < Math.min(this.#size, from + this.#run * BLOCK)) {
      this.failure ??= new Error('the file is shorter than it was');
    }
    this.#expected = number + this.#run;
    for (let i = 0; i * BLOCK < bytes.length; i += 1) {
      this.#blocks.set(number + i, bytes.subarray(i * BLOCK, (i + 1) * BLOCK));
    }
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= KEPT) break;
      this.#blocks.delete(old);
    }
    return this.#blocks.get(number) ?? bytes;
  }
}
