import { describe, expect, it } from 'vitest';
import { transferables } from './transfer.ts';

describe('the transfer list of a message', () => {
  it('holds the buffer of each typed array, however deeply nested', () => {
    const start = Float64Array.of(1);
    const bytes = Uint8Array.of(2);
    const message = { t: 'rects', id: 1, origin: 5n, rects: { count: 1, start }, fields: [{ value: { v: [bytes] } }] };
    expect(new Set(transferables(message))).toEqual(new Set([start.buffer, bytes.buffer]));
  });
  it('holds a shared buffer once', () => {
    const buffer = new ArrayBuffer(16);
    expect(transferables([new Uint8Array(buffer, 0, 8), new Uint8Array(buffer, 8)])).toEqual([buffer]);
  });
  it('is empty for a message without typed arrays', () => {
    expect(transferables({ t: 'names', first: 0, names: ['a', 'b'], error: null })).toEqual([]);
  });
  it('survives values that nest deeply', () => {
    let value: unknown = Uint8Array.of(1);
    for (let depth = 0; depth < 100_000; depth += 1) value = { v: [value] };
    expect(transferables(value)).toHaveLength(1);
  });
});
