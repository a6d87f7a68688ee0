import { type OpenFile, openFile, write } from './spool.ts';

/** Bytes of a file. What the browser says of its quota is not to be believed, so files are begun until a write fails. */
const FILE = 1_000_000_000;
/** The next file is opened when the last one has this many bytes: that takes a turn of the worker. */
const AHEAD = FILE / 2;
/** Bytes that tell how fast the disk is, and the least bytes a millisecond. In private windows it is up to a hundred times as slow. */
const TRIAL = 8 * 1024 * 1024;
const LEAST = 100_000;

/** Where the trace's worker keeps slices that leave memory, bound by `crate/wasm/session/src/shelf.rs`. */
export interface ShelfFiles {
  /** Appends bytes at `at`, counted over all files. false if there is no room yet, undefined if there will be none. */
  write(at: number, bytes: Uint8Array): boolean | undefined;
  /** Reads bytes of one write. Returns whether all of them are there. */
  read(at: number, into: Uint8Array): boolean;
  /** Bytes could not be read, so what was asked for is incomplete. */
  readonly isLost: boolean;
}

/** A file, and the number of its first byte, counted over all files. */
interface Part {
  readonly from: number;
  readonly access: OpenFile['access'];
}

/** An empty shelf with its first file. Rejects where there are no files. `open` begins a file on disk; `now` is a clock in milliseconds. */
export async function openShelf(open = openFile, now: () => number = () => performance.now()): Promise<ShelfFiles> {
  const parts: Part[] = [{ from: 0, access: (await open()).access }];
  let next: OpenFile | null = null;
  let isOpening = false;
  let isFull = false;
  let fastest = 0;
  const openNext = () => {
    isOpening = true;
    open().then(
      (file) => {
        next = file;
        isOpening = false;
      },
      () => {
        isFull = true;
      },
    );
  };
  const shelf = {
    isLost: false,
    write: (at: number, bytes: Uint8Array) => {
      if (isFull) return undefined;
      let last = parts.at(-1)!;
      if (at - last.from + bytes.length > FILE) {
        if (!next) {
          if (!isOpening) openNext();
          return false;
        }
        last = { from: at, access: next.access };
        parts.push(last);
        next = null;
      }
      const began = now();
      try {
        write(last, bytes, at - last.from);
      } catch {
        isFull = true;
        return undefined;
      }
      const end = at + bytes.length;
      if (at < TRIAL) {
        // The fastest write counts: on a busy machine, others wait for more than the disk.
        fastest = Math.max(fastest, bytes.length / (now() - began));
        // What was written stays there: it can be read.
        isFull = end >= TRIAL && fastest < LEAST;
      }
      if (end - last.from > AHEAD && !next && !isOpening) openNext();
      return true;
    },
    read: (at: number, into: Uint8Array) => {
      try {
        const part = parts.findLast(({ from }) => from <= at)!;
        shelf.isLost ||= part.access.read(into, { at: at - part.from }) < into.length;
      } catch {
        shelf.isLost = true;
      }
      return !shelf.isLost;
    },
  };
  return shelf;
}
