import { expect, it } from 'vitest';
import { keepDatabase, keepWhileReading } from './kept.ts';
import type { Input } from './reading.ts';
import { inputOf } from './reading.ts';

const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
const file = new Blob([bytes]);
const all = async (blob: Blob | null) => blob && new Uint8Array(await blob.arrayBuffer());

/** Reads portions of 300 bytes of an input from an offset on, at most a number of them. */
async function read(input: Input, at: number, most = 10): Promise<void> {
  const source = input.open(at);
  for (let i = 0; i < most && (await source.take(300)); i += 1);
  source.close();
}

it('keeps what is read, and fetches the rest', async () => {
  const whole = keepWhileReading(file, inputOf(file));
  await read(whole.input, 0);
  expect(await all(await whole.finish())).toEqual(bytes);
  const begun = keepWhileReading(file, inputOf(file));
  await read(begun.input, 0, 1);
  expect(await all(await begun.finish())).toEqual(bytes);
  const elsewhere = keepWhileReading(file, inputOf(file));
  await read(elsewhere.input, 400);
  expect(await all(await elsewhere.finish())).toEqual(bytes);
});

it('keeps what was read of a file that has changed', async () => {
  const refuse = () => {
    throw new DOMException('', 'NotReadableError');
  };
  const changed = { size: 1000, slice: refuse } as unknown as Blob;
  const kept = keepWhileReading(changed, inputOf(file));
  expect(await kept.finish()).toBeNull();
  const begun = keepWhileReading(changed, inputOf(file));
  await read(begun.input, 0, 2);
  expect(await all(await begun.finish())).toEqual(bytes.subarray(0, 600));
});

it('copies databases alone', async () => {
  expect(await keepDatabase(file)).toBe(file);
  const database = new Blob(['SQLite format 3\0', bytes]);
  const copy = await keepDatabase(database);
  expect(copy).not.toBe(database);
  expect(await all(copy)).toEqual(await all(database));
});
