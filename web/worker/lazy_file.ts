/** Reads a stretch of a file at once; throws when the file cannot be read any more. Less than asked for only at its end. */
export type ReadAt = (from: number, to: number) => Uint8Array;

const KIB = 1024;
/** Aligned, and read whole: a seek costs one of them a level of a table. */
const BLOCK = 64 * KIB;
/** Blocks read at once when a scan goes on and on. */
const LONGEST_RUN = 64;
/** Blocks that are kept. */
const KEPT = 192;

/**
 * A file that sql.js takes for the bytes of a database, and that is read where SQLite looks.
 *
 * The published sql.js keeps the bytes that it is given as contents of a file in memory: it calls `slice` once and then
 * `subarray` for each page. So an object with these two reads a database of any size without ever holding it. This leans on how
 * sql.js is made: its version is pinned, and a test keeps watch.
 */
export class LazyFile {
  /** In bytes; what sql.js takes for the size of the database. */
  readonly length: number;
  /** Why the first read that failed did. SQLite's own code is never unwound: it was answered with fewer bytes. */
  failure: unknown = null;
  /** Bytes read from the file so far, some of them more than once perhaps. */
  bytesRead = 0;
  readonly #read: ReadAt;
  readonly #ahead: ReadAt;
  /** By number, the one that was used last at the end. */
  readonly #blocks = new Map<number, Uint8Array>();
  #run = 1;
  #expected = -1;

  /** `ahead` reads for those who go through the file without SQLite. */
  constructor(length: number, read: ReadAt, ahead: ReadAt = read) {
    this.length = length;
    this.#read = read;
    this.#ahead = ahead;
  }

  /** What sql.js calls to have a copy of its own. */
  slice(): LazyFile {
    return this;
  }

  /** The bytes of a page, or fewer of them when the file cannot be read. */
  subarray(from: number, to: number): Uint8Array {
    try {
      const first = Math.floor(from / BLOCK);
      const inFirst = from - first * BLOCK;
      const block = this.#block(first);
      if (inFirst + (to - from) <= block.length) return block.subarray(inFirst, inFirst + (to - from));
      // A page across blocks: pages are up to 64 KiB and as aligned as the file is, so this is rare.
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

  /** Bytes for whoever goes through the file without SQLite; none only at its end, null when it cannot be read. */
  read(from: number, to: number): Uint8Array | null {
    try {
      const bytes = this.#ahead(from, Math.min(this.length, to));
      this.bytesRead += bytes.length;
      return bytes;
    } catch (error) {
      this.failure ??= error;
      return null;
    }
  }

  #block(number: number): Uint8Array {
    const known = this.#blocks.get(number);
    if (known) {
      this.#blocks.delete(number);
      this.#blocks.set(number, known);
      return known;
    }
    // Reading on where the last read ended is a scan: each call costs a millisecond, so the steps grow.
    this.#run = number === this.#expected ? Math.min(this.#run * 2, LONGEST_RUN) : 1;
    const from = number * BLOCK;
    const bytes = this.#read(from, Math.min(this.length, from + this.#run * BLOCK));
    this.bytesRead += bytes.length;
    if (from + bytes.length < Math.min(this.length, from + this.#run * BLOCK)) {
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
