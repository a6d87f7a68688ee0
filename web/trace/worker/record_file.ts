import { type Ahead, createAhead } from './ahead.ts';
import type { ReadAt } from './lazy_file.ts';
import { openStream, readNow } from './source.ts';

/** Bytes of the file that a turn of a pass covers, about. */
export const STEP_BYTES = 4 * 1024 * 1024;

/** Bytes. A longer read is one of a pass, which reads on from there. */
const LONG_READ = 1024 * 1024;

/** Bytes. A file above this is not kept in memory. */
const KEPT_AT_MOST = 64 * 1024 * 1024;

/** A file that is read while the caller waits, bound by `crate/wasm/js/src/file.rs`. */
export class RecordFile {
  #read!: ReadAt;
  #ahead!: Ahead;
  #file!: Blob;
  /** All of it, if it is kept. */
  #kept: Uint8Array | null = null;
  /** End of the latest long read. */
  #delivered = 0;
  /** The latest long reads, for other passes. */
  #recent: readonly { readonly from: number; readonly bytes: Uint8Array }[] = [];
  /** How far the pass is, about: an offset in the file. */
  at = 0;
  /** Number of long reads that are remembered. */
  recent = 0;
  readonly size: number;

  constructor(file: Blob) {
    this.size = file.size;
    this.replace(file);
  }

  /** Reads from another file, which has the same bytes. */
  replace(file: Blob): void {
    this.#file = file;
    this.#read = (from, to) => readNow(file, from, to);
    this.#ahead = createAhead(file.size, this.#read, (at) => openStream(file, at));
  }

  /** Bytes of the file, perhaps fewer than requested, empty only at its end. Returns undefined if they cannot be read. */
  read(from: number, to: number): Uint8Array | undefined {
    if (this.#kept) return this.#kept.subarray(from, to);
    try {
      if (to - from <= LONG_READ) return this.#read(from, to);
      const known = this.#recent.find((range) => from >= range.from && from < range.from + range.bytes.length);
      if (known) return known.bytes.subarray(from - known.from, to - known.from);
      const bytes = this.#ahead.read(from, to);
      this.#delivered = from + bytes.length;
      this.#recent = this.recent > 0 ? [...this.#recent, { from, bytes }].slice(-this.recent) : [];
      return bytes;
    } catch {
      return undefined;
    }
  }

  /** Forgets the long reads. */
  forget(): void {
    this.#recent = [];
  }

  /**
   * Keeps a file of up to 64 MiB in memory from when it is read: a synchronous read of some hundred kilobytes takes 3 to 17 ms,
   * which is more than the answer that is made from them. If it cannot be read, nothing changes.
   */
  async keep(): Promise<void> {
    if (this.size > KEPT_AT_MOST || this.#kept) return;
    try {
      this.#kept = new Uint8Array(await this.#file.arrayBuffer());
    } catch {
      // The next read reports it.
    }
  }

  /**
   * Settles when the bytes that the next turn of a pass will {@link read} are there. null if they are, or are not on their
   * way, or if the pass still has enough.
   */
  arrival(): Promise<void> | null {
    return this.#delivered - this.at < 2 * STEP_BYTES ? this.#ahead.arrival() : null;
  }
}
