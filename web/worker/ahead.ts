import type { ReadAt } from './lazy_file.ts';

/** Starts reading a range of a file, without waiting. */
export type ReadLater = (from: number, to: number) => Promise<ArrayBuffer>;

/** Bytes. Reads below this are searches, after which a prefetch would be wasted. */
const SHORTEST = 1024 * 1024;

/**
 * A {@link ReadAt} that prefetches. It reads synchronously with `read`, and after each long read starts to prefetch the
 * next range of the same length with `later`, because a scan takes as long to work on a range as to read one. If part
 * of a requested range is prefetched, it returns that part, which may be shorter than the request.
 */
export function createAhead(size: number, read: ReadAt, later: ReadLater): ReadAt {
  let next: { readonly from: number; bytes: Uint8Array | null } | null = null;
  const begin = (from: number, to: number) => {
    const mine = { from, bytes: null as Uint8Array | null };
    next = mine;
    later(from, to).then(
      (buffer) => {
        mine.bytes = new Uint8Array(buffer);
      },
      // The synchronous read of these bytes will report the failure.
      () => undefined,
    );
  };
  return (from, to) => {
    const ready = next?.bytes?.subarray(Math.max(0, from - next.from));
    const fits = next !== null && from >= next.from && ready !== undefined && ready.length > 0;
    const bytes = fits ? ready.subarray(0, to - from) : read(from, to);
    const end = from + bytes.length;
    if (to - from < SHORTEST) return bytes;
    next = null;
    if (end < size) begin(end, Math.min(size, end + (to - from)));
    return bytes;
  };
}
