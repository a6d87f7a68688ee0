import { AWAITED, BLOCK, FileBlocks } from './file_blocks.ts';

/** Bytes of the file that a turn of a pass covers, about. */
export const STEP_BYTES = 4 * 1024 * 1024;

/** Bytes. A longer read is one of a pass, which reads on from there. */
const LONG_READ = 1024 * 1024;

/** Blocks before its latest one that a pass may read again: a turn begins where a piece of the file does, before the end of the last turn. */
const REREAD = 2;

const NOTHING = new Uint8Array();

/** A file that is read while the caller waits, bound by `crate/wasm/js/src/file.rs`. */
export class RecordFile {
  readonly #blocks: FileBlocks;
  /** End of the latest read of a pass; null before one. */
  #delivered: number | null;
  /** How far the pass is, about: an offset in the file. */
  at = 0;
  /** Reads of passes return nothing instead of waiting for bytes that {@link arrival} waits for. */
  isPatient = false;
  /** The bytes that were not returned last are on their way. */
  isLate = false;

  /** Reads a file, or blocks that others read, too. */
  constructor(of: Blob | FileBlocks) {
    this.#blocks = of instanceof FileBlocks ? of : new FileBlocks(of);
    this.#delivered = this.#blocks.keeps ? 0 : null;
  }

  get size(): number {
    return this.#blocks.size;
  }

  /** Reads from another file, which has the same bytes. */
  replace(file: Blob): void {
    this.#blocks.replace(file);
  }

  /**
   * Bytes of the file, perhaps fewer than requested, empty only at its end. Returns undefined if they cannot be read, or are late:
   * {@link isLate} says so. They stay as they are until the caller waits for something: later their memory may hold others.
   */
  read(from: number, to: number): Uint8Array | undefined {
    this.isLate = false;
    if (from >= this.size) return NOTHING;
    try {
      const bytes = this.#read(from, Math.min(to, this.size));
      this.isLate = bytes === null;
      return bytes ?? undefined;
    } catch {
      return undefined;
    }
  }

  #read(from: number, to: number): Uint8Array | null {
    const blocks = this.#blocks;
    const number = Math.floor(from / BLOCK);
    // Those that share blocks read in short parts, too.
    const goesOn = this.#delivered !== null && from <= this.#delivered && this.#delivered < to;
    const isOfPass = this.isPatient || to - from > LONG_READ || (blocks.keeps && goesOn);
    let block = blocks.get(number);
    if (!block && this.isPatient && to - from <= AWAITED && !blocks.hasFailed(number)) {
      this.#delivered = from;
      return null;
    }
    // A synchronous read takes 3 to 17 ms, however short it is.
    if (!block && (isOfPass || blocks.keepsAll)) block = blocks.readNow(number);
    const bytes = block ? block.subarray(from - number * BLOCK, to - number * BLOCK) : blocks.part(from, to);
    if (isOfPass) {
      this.#delivered = from + bytes.length;
      // Of a read that was late, its first blocks are read again.
      if (!this.isPatient) blocks.leave(number - 1 - REREAD);
      blocks.ahead(Math.floor(this.#delivered / BLOCK));
    }
    return bytes;
  }

  /**
   * Settles when the bytes that the next turn of a pass will {@link read} are there. null if they are, or are not on their
   * way, or if the pass still has enough.
   */
  arrival(): Promise<void> | null {
    const from = this.#delivered;
    if (from === null || (!this.isLate && from - this.at >= 2 * STEP_BYTES)) return null;
    return this.#blocks.arrival(from, from + STEP_BYTES);
  }
}
