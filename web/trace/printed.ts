import type { Value } from '../base/protocol.ts';

/** Bytes of the longest text that is recorded as bytes. */
const MOST_PRINTED = 4096;

/**
 * Bytes as text, if they are one, as `printed` of `crate/trace` has it: valid UTF-8 without control characters but for tabs and ends of
 * lines. Of bytes that are not all there, it is not known.
 */
export function printed({ v, length }: Pick<Value & { t: 'bytes' }, 'v' | 'length'>): string | null {
  if (v.length > MOST_PRINTED || BigInt(v.length) !== length) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(v);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}
