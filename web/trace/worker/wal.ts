import type { ReadAt } from './lazy_file.ts';
import type { Stream } from './source.ts';

/*
 * The write-ahead log of an SQLite database, https://www.sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then
 * frames of a header of 24 bytes and a page. A transaction counts once its last frame is there, which has the size of the
 * database after it.
 */
const HEADER = 32;
const FRAME = 24;
/** Bytes of frames read at once. */
const PORTION = 4 * 1024 * 1024;

/** A database as its write-ahead log leaves it. */
export interface Overlaid {
  /** Bytes. */
  readonly size: number;
  readonly read: ReadAt;
  /** As `openStream` of the database's file, with the pages of the log. */
  stream(at: number): Stream;
}

/** What a write-ahead log holds. */
export interface Log {
  readonly pageSize: number;
  /** Number of pages of the database after the last transaction. 0 without any. */
  readonly pages: number;
  /** Offsets in the log of the newest content of each page, by its number from 1. */
  readonly places: ReadonlyMap<number, number>;
  readonly transactions: number;
  /** Offset of the first frame that is damaged or incomplete; what follows is lost. null if there is none. */
  readonly damagedAt: number | null;
}

/** Reads a write-ahead log of `size` bytes. Returns null if it is not one. Frames of an earlier log, which follow its own, are left out. */
export function readLog(size: number, read: ReadAt): Log | null {
  const header = read(0, Math.min(size, HEADER));
  if (header.length < HEADER) return null;
  const view = viewOf(header);
  const magic = view.getUint32(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return null;
  const little = magic === 0x377f0682;
  const pageSize = view.getUint32(8);
  if (pageSize < 512 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) return null;
  const salts = [view.getUint32(16), view.getUint32(20)] as const;
  const sums: Sums = [0, 0];
  add(sums, view, 0, 24, little);
  const places = new Map<number, number>();
  const empty = { pageSize, pages: 0, places, transactions: 0 };
  if (sums[0] !== view.getUint32(24) || sums[1] !== view.getUint32(28)) return { ...empty, damagedAt: 0 };

  const length = FRAME + pageSize;
  const most = Math.max(1, Math.floor(PORTION / length));
  /** Pages of the transaction that is not complete yet. */
  const open = new Map<number, number>();
  let pages = 0;
  let transactions = 0;
  /** End of the last complete transaction. */
  let complete = HEADER;
  for (let at = HEADER; at < size; ) {
    const bytes = read(at, Math.min(size, at + most * length));
    if (bytes.length === 0) break;
    const frames = viewOf(bytes);
    for (let from = 0; from < bytes.length; from += length, at += length) {
      // The rest of the log is from before the last checkpoint, and SQLite would overwrite it.
      const saltsThere = bytes.length - from >= 16;
      if (saltsThere && (frames.getUint32(from + 8) !== salts[0] || frames.getUint32(from + 12) !== salts[1])) {
        return { ...empty, pages, transactions, damagedAt: null };
      }
      if (bytes.length - from < length) return { ...empty, pages, transactions, damagedAt: at };
      add(sums, frames, from, from + 8, little);
      add(sums, frames, from + FRAME, from + length, little);
      if (sums[0] !== frames.getUint32(from + 16) || sums[1] !== frames.getUint32(from + 20)) {
        return { ...empty, pages, transactions, damagedAt: at };
      }
      open.set(frames.getUint32(from), at + FRAME);
      const after = frames.getUint32(from + 4);
      if (after === 0) continue;
      for (const [page, place] of open) places.set(page, place);
      open.clear();
      pages = after;
      transactions += 1;
      complete = at + length;
    }
  }
  // A transaction without its end was never committed, or its end is lost.
  return { ...empty, pages, transactions, damagedAt: open.size > 0 ? complete : null };
}

/** Lays the pages of a log over a database of `size` bytes. `readDatabase`, `readWal` and `open` read the two files. */
export function overlaid(
  size: number,
  readDatabase: ReadAt,
  open: (at: number) => Stream,
  log: Log,
  readWal: ReadAt,
): Overlaid {
  const { pageSize, places } = log;
  const whole = log.pages === 0 ? size : log.pages * pageSize;
  /** The bytes from `from` on, of which `base` is what the database's file has. */
  const patched = (from: number, length: number, base: Uint8Array): Uint8Array => {
    const bytes = base.length === length ? base : new Uint8Array(length);
    if (bytes !== base) bytes.set(base.subarray(0, length));
    for (let page = Math.floor(from / pageSize); page * pageSize < from + length; page += 1) {
      const place = places.get(page + 1);
      if (place === undefined) continue;
      const start = page * pageSize;
      const [low, high] = [Math.max(from, start), Math.min(from + length, start + pageSize)];
      bytes.set(readWal(place + low - start, place + high - start), low - from);
    }
    // File format versions for reading and writing, of which 2 means a log. SQLite would look for it.
    for (const at of [18, 19]) if (at >= from && at < from + length) bytes[at - from] = 1;
    return bytes;
  };
  return {
    size: whole,
    read: (from, to) => {
      const length = Math.max(0, Math.min(to, whole) - from);
      const base = readDatabase(from, Math.min(from + length, size));
      // A file that cannot be read any more returns less than it has.
      const there = Math.max(0, Math.min(from + length, size) - from);
      return base.length < there ? base : patched(from, length, base);
    },
    stream: (at) => {
      const stream = open(at);
      let position = at;
      return {
        get position() {
          return position;
        },
        next: async (length) => {
          const from = position;
          const wanted = Math.max(0, Math.min(length, whole - from));
          position += wanted;
          return patched(from, wanted, await stream.next(Math.max(0, Math.min(wanted, size - from))));
        },
        close: () => stream.close(),
      };
    },
  };
}

type Sums = [number, number];

/** Adds the words of `view` from `from` to `to` to a checksum. */
function add(sums: Sums, view: DataView, from: number, to: number, little: boolean): void {
  let [a, b] = sums;
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, little) + b) | 0;
    b = (b + view.getUint32(at + 4, little) + a) | 0;
  }
  sums[0] = a >>> 0;
  sums[1] = b >>> 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
