import type { ReadAt } from './lazy_file.ts';

/** Begins to read a stretch of a file. */
export type ReadLater = (from: number, to: number) => Promise<ArrayBuffer>;

/** Shorter stretches are not worth it: what is read ahead in vain is read by nobody. */
const SHORTEST = 1024 * 1024;

/**
 * Reads at once, and after each long stretch begins to read the one behind it, for a scan that works on the first
 * meanwhile: a read that one waits for takes as long as the work itself. What is ready in time is answered instead of what
 * was asked for, even if it is less.
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
      // Whoever asks for these bytes hears of it then.
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
