import { openFile, write } from '../../../trace/worker/spool.ts';

/** Bytes that are kept in memory where there are no files. */
const MEMORY = 256 * 1024 * 1024;
/** Bytes of a block in memory. */
const BLOCK = 1024 * 1024;

/** A temporary file that is written at its end and read anywhere while the caller waits, bound by `crate/wasm/export`. */
export interface Scratch {
  /** Writes at the offset `at`, the end so far. Returns false if there is no room. */
  write(at: number, bytes: Uint8Array): boolean;
  /** Fills `into` from the offset `at` on. Returns false if there are not as many bytes. */
  read(at: number, into: Uint8Array): boolean;
}

/** An empty file: one on disk, which the page sweeps away after the end of the worker, or `most` bytes of memory if there is none. */
export async function createScratch(open = openFile, most = MEMORY): Promise<Scratch> {
  try {
    const file = await open();
    return {
      write: (at, bytes) => {
        try {
          write(file, bytes, at);
          return true;
        } catch {
          return false;
        }
      },
      read: (at, into) => file.access.read(into, { at }) === into.length,
    };
  } catch {
    return inMemory(most);
  }
}

function inMemory(most: number): Scratch {
  const blocks: Uint8Array[] = [];
  let size = 0;
  /** Calls `copy` with each part of a range: its block, where it is there, and where it begins and ends in the range. */
  const each = (
    at: number,
    length: number,
    copy: (block: Uint8Array, within: number, from: number, to: number) => void,
  ) => {
    for (let from = 0; from < length; ) {
      const within = (at + from) % BLOCK;
      const to = Math.min(length, from + BLOCK - within);
      const number = Math.floor((at + from) / BLOCK);
      blocks[number] ??= new Uint8Array(BLOCK);
      copy(blocks[number], within, from, to);
      from = to;
    }
  };
  return {
    write: (at, bytes) => {
      if (at + bytes.length > most) return false;
      each(at, bytes.length, (block, within, from, to) => block.set(bytes.subarray(from, to), within));
      size = Math.max(size, at + bytes.length);
      return true;
    },
    read: (at, into) => {
      if (at + into.length > size) return false;
      each(at, into.length, (block, within, from, to) => into.set(block.subarray(within, within + to - from), from));
      return true;
    },
  };
}
