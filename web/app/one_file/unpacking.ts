/*
 * What the page in one file is packed in, as the browser unpacks it: the way back from packing.ts.
 */

/**
 * Seven bits that are not a character: NUL, the carriage return and `<`, of which HTML would make something else, and four that programs take
 * as commands. Each is one of the 1,792 characters from U+0080 on together with the eight bits after it, which UTF-8 writes as two bytes.
 */
export const PREFIXES: readonly number[] = [0, 13, 60, 8, 26, 27, 127];

/** Bytes of the shortest copy. Fewer are left to gzip. */
export const KEY = 24;

/** The first `size` bytes of a text of `textOf`. */
export function bytesOf(text: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let [value, bits, at] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      value = (value << 7) | code;
      bits += 7;
    } else {
      const two = code - 128;
      value = (value << 15) | (PREFIXES[two >> 8]! << 8) | (two & 255);
      bits += 15;
    }
    for (; bits >= 8; at += 1) {
      bits -= 8;
      // What is beyond the size only completes the last character.
      bytes[at] = value >> bits;
    }
  }
  return bytes;
}

/** The `size` bytes of which `withCopies` made these. */
export function withoutCopies(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let next = 0;
  const number = () => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = packed[next]!;
      next += 1;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  let other = number();
  const end = next + other;
  other = end;
  let [at, distance] = [0, 0];
  const take = (length: number) => {
    bytes.set(packed.subarray(other, other + length), at);
    other += length;
    at += length;
  };
  while (next < end) {
    take(number());
    const length = number() + KEY;
    const change = number();
    distance += change & 1 ? -(change + 1) / 2 : change / 2;
    // A copy that reaches into itself repeats what it has copied.
    for (const stop = at + length; at < stop; ) {
      const part = Math.min(distance, stop - at);
      bytes.copyWithin(at, at - distance, at - distance + part);
      at += part;
    }
  }
  take(size - at);
  return bytes;
}
