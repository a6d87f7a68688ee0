// Damaged copies of traces for scripts/same.mjs. The same seed and the same fixtures give the same bytes.

import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Numbers below `below`, the same for each seed: xorshift over 32 bits, begun by a hash, so that neighbouring seeds differ.
 *
 * @param {number} seed
 * @returns {(below: number) => number}
 */
export function random(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) ^ 0x85ebca6b || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return below > 0 ? (state >>> 0) % below : 0;
  };
}

/** Bytes that formats treat differently from their neighbours: ends of ranges, continuation bits, signs. */
const TELLING = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];

/**
 * A damaged trace: a few bytes changed, a part removed, repeated, or taken from another file, and perhaps an end that is missing.
 *
 * @param {number} seed which one
 * @param {readonly { path: string, bytes: Buffer }[]} files what to damage
 * @returns {{ of: string, bytes: Buffer }} the path of the file that was damaged, and what became of it
 */
export function damaged(seed, files) {
  const next = random(seed);
  const { path, bytes: whole } = files[next(files.length)];
  // Damage of compressed bytes seldom gets past the checks of the container. Half of the traces with one are damaged within it.
  const stream = next(2) === 0 ? unpacked(whole) : undefined;
  let bytes = Buffer.from(stream ?? whole);
  for (let left = 1 + next(3); left > 0 && bytes.length > 0; left--) {
    // Headers are short and decide about everything after them.
    const at = next(4) === 0 ? next(Math.min(bytes.length, 64)) : next(bytes.length);
    const length = Math.min(1 + next(1 << next(9)), bytes.length - at);
    const part = bytes.subarray(at, at + length);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + length)];
    switch (next(7)) {
      case 0:
        bytes[at] ^= 1 << next(8);
        break;
      case 1:
        bytes[at] = TELLING[next(TELLING.length)];
        break;
      case 2:
        for (let i = 0; i < Math.min(part.length, 8); i++) part[i] = next(256);
        break;
      case 3:
        bytes = Buffer.concat([before, after]);
        break;
      case 4:
        bytes = Buffer.concat([before, ...Array.from({ length: 2 + next(20) }, () => part), after]);
        break;
      case 5: {
        const other = files[next(files.length)].bytes;
        const from = next(other.length);
        bytes = Buffer.concat([before, other.subarray(from, from + length), after]);
        break;
      }
      default:
        bytes = Buffer.from(before);
    }
  }
  return { of: path, bytes: stream ? gzipSync(bytes) : bytes };
}

/**
 * What is in a gzip file or in the chunks of an apitrace; undefined if a file is neither.
 *
 * @param {Buffer} bytes
 */
function unpacked(bytes) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes);
  if (bytes[0] !== 0x61 || bytes[1] !== 0x74) return undefined;
  const blocks = [];
  for (let at = 2; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    blocks.push(block(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

/**
 * What is in a block of Snappy, as far as the block is there.
 *
 * @param {Buffer} bytes
 */
function block(bytes) {
  /** @type {number[]} */
  const out = [];
  let at = 0;
  /** @param {number} size */
  const number = (size) => {
    let value = 0;
    for (let i = 0; i < size; i++) value += (bytes[at++] ?? 0) * 2 ** (8 * i);
    return value;
  };
  while ((bytes[at++] ?? 0) >= 0x80);
  while (at < bytes.length) {
    const tag = bytes[at++];
    const top = tag >> 2;
    if ((tag & 3) === 0) {
      const length = 1 + (top < 60 ? top : number(top - 59));
      for (const byte of bytes.subarray(at, at + length)) out.push(byte);
      at += length;
      continue;
    }
    const [length, back] =
      (tag & 3) === 1 ? [4 + (top & 7), ((tag >> 5) << 8) + number(1)] : [1 + top, number((tag & 3) === 2 ? 2 : 4)];
    for (let i = 0; i < length; i++) out.push(out[out.length - back] ?? 0);
  }
  return Buffer.from(out);
}
