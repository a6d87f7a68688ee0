/*
 * What the page in one file has within it, made small by the build. unpacking.ts is the way back.
 */

import { KEY, PREFIXES } from './unpacking.ts';

/** Places that are remembered, as a power of two. */
const PLACES = 22;
/** A factor of hashes: the prime of FNV. */
const PRIME = 0x01000193;

/**
 * Bytes as text for an element of HTML: each character has the next seven bits, or fifteen if they begin with one of {@link PREFIXES}. With UTF-8,
 * that is 7.05 bits a byte, where base64 has six.
 */
export function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  let codes: number[] = [];
  let [value, bits] = [0, 0];
  const put = (code: number) => {
    if (codes.push(code) < 8192) return;
    parts.push(String.fromCharCode(...codes));
    codes = [];
  };
  // Two bytes more complete the last character.
  for (let i = 0; i < bytes.length + 2; i += 1) {
    value = (value << 8) | (bytes[i] ?? 0);
    bits += 8;
    while (bits >= 15) {
      const seven = (value >> (bits - 7)) & 127;
      const prefix = PREFIXES.indexOf(seven);
      bits -= prefix < 0 ? 7 : 15;
      put(prefix < 0 ? seven : 128 + (prefix << 8) + ((value >> bits) & 255));
    }
    value &= (1 << bits) - 1;
  }
  return parts.join('') + String.fromCharCode(...codes);
}

/**
 * Bytes with instructions in place of what was there before, at any distance: wasm modules have much in common, and gzip looks only 32 KiB back.
 * First the length of the instructions, then they, then all other bytes. An instruction is four numbers in LEB128: how many other bytes come
 * first, how many bytes are copied less {@link KEY}, and the distance from which, as the zigzag difference from the last one.
 */
export function withCopies(bytes: Uint8Array): Uint8Array {
  const instructions: number[] = [];
  const others: Uint8Array[] = [];
  const places = new Int32Array(1 << PLACES).fill(-1);
  let gone = 1;
  for (let i = 0; i < KEY; i += 1) gone = Math.imul(gone, PRIME);
  let hash = 0;
  const take = (byte: number) => {
    hash = (Math.imul(hash, PRIME) + byte) | 0;
  };
  let [written, lastDistance] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    take(bytes[at]!);
    // Of the bytes up to here.
    const start = at + 1 - KEY;
    if (start < 0) continue;
    if (start > 0) hash = (hash - Math.imul(gone, bytes[start - 1]!)) | 0;
    const place = Math.imul(hash, 0x9e3779b1) >>> (32 - PLACES);
    const found = places[place]!;
    places[place] = start;
    if (found < 0 || start < written) continue;
    let [from, to, length] = [found, start, 0];
    while (to + length < bytes.length && bytes[from + length] === bytes[to + length]) length += 1;
    if (length < KEY) continue;
    while (from > 0 && to > written && bytes[from - 1] === bytes[to - 1]) {
      from -= 1;
      to -= 1;
      length += 1;
    }
    const distance = to - from;
    const change = distance - lastDistance;
    for (const value of [to - written, length - KEY, change < 0 ? -2 * change - 1 : 2 * change])
      put(instructions, value);
    others.push(bytes.subarray(written, to));
    written = to + length;
    lastDistance = distance;
  }
  others.push(bytes.subarray(written));
  const head: number[] = [];
  put(head, instructions.length);
  return Buffer.concat([Uint8Array.from(head), Uint8Array.from(instructions), ...others]);
}

/** Appends a number in LEB128. */
function put(to: number[], value: number): void {
  let rest = value;
  for (; rest > 127; rest >>= 7) to.push((rest & 127) | 128);
  to.push(rest);
}
