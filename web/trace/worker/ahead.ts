import type { ReadAt } from './lazy_file.ts';
import type { Stream } from './source.ts';

/** Bytes. Reads below this are searches, after which a prefetch would be wasted. */
const SHORTEST = 1024 * 1024;
/** Bytes of a synchronous read at most. After it, the scan waits for the prefetch. */
const AT_ONCE = 1024 * 1024;
/**
 * Ranges on their way at once. With one, the scan sometimes finishes a range before the next has arrived, and waits in a
 * synchronous read.
 */
const ON_THEIR_WAY = 2;

/** A prefetched range. */
interface Range {
  readonly from: number;
  readonly to: number;
  /** null until it has been read. */
  bytes: Uint8Array | null;
  /** Settles when the range has been read, or cannot be. null afterwards. Never rejects. */
  pending: Promise<void> | null;
}

/** Reads for scans, with the next ranges on their way. */
export interface Ahead {
  readonly read: ReadAt;
  /**
   * A promise while the range after the last long read is on its way, else null. A scan that waits for it does not
   * have to read synchronously, which would take longer, and would hold up the range itself.
   */
  arrival(): Promise<void> | null;
}

/**
 * Reads that prefetch. It reads synchronously with `read`, and from each long read on keeps the next
 * {@link ON_THEIR_WAY} ranges of the same length on their way, because a scan takes as long to work on a range as to read
 * one. They come from a stream that `open` starts at an offset. It may return fewer bytes than requested: the part that
 * is prefetched, or as much as it reads at once.
 */
export function createAhead(size: number, read: ReadAt, open: (at: number) => Stream): Ahead {
  /** Back-to-back, in order. */
  let ranges: readonly Range[] = [];
  let stream: Stream | null = null;
  const begin = (from: number, to: number): Range => {
    const range: Range = { from, to, bytes: null, pending: null };
    if (stream?.position !== from) {
      stream?.close();
      stream = open(from);
    }
    range.pending = stream.next(to - from).then(
      (bytes) => {
        range.bytes = bytes;
        range.pending = null;
      },
      // The synchronous read of these bytes will report the failure.
      () => {
        range.pending = null;
      },
    );
    return range;
  };
  const readAhead: ReadAt = (from, to) => {
    const known = ranges.find((range) => from >= range.from && from < range.to);
    const ready = known?.bytes?.subarray(from - known.from, to - known.from);
    // A prefetch that came back short says nothing about the file: only a read of these bytes finds its end.
    const bytes = ready && ready.length > 0 ? ready : read(from, Math.min(to, from + AT_ONCE));
    if (to - from < SHORTEST || bytes.length === 0) return bytes;
    const end = from + bytes.length;
    // What a scan has left behind, or jumped away from, is not needed any more.
    const next = ranges.findIndex((range) => end >= range.from && end < range.to);
    const kept = next < 0 ? [] : ranges.slice(next);
    for (let at = kept.at(-1)?.to ?? end; kept.length < ON_THEIR_WAY && at < size; at = kept.at(-1)!.to) {
      kept.push(begin(at, Math.min(size, at + (to - from))));
    }
    ranges = kept;
    return bytes;
  };
  return { read: readAhead, arrival: () => ranges[0]?.pending ?? null };
}
