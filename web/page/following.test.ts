import { expect, it } from 'vitest';
import { becameOf, lookAt } from './following.ts';

/** A file of this many bytes, which are `byte` from the offset `from` on. */
function file(size: number, from = size, byte = 1): File {
  return new File([Uint8Array.from({ length: size }, (_, i) => (i < from ? i % 251 : byte))], 'a.trace');
}

/** What has become of a file of 200 kB. */
const became = async (now: File) => becameOf(await lookAt(file(200_000)), now);

it('tells what has become of a file by its size, its first bytes and the last ones that were read', async () => {
  expect(await became(file(200_000))).toBe('grown');
  expect(await became(file(300_000))).toBe('grown');
  expect(await became(file(300_000, 200_000))).toBe('grown');
  expect(await became(file(300_000, 199_999))).toBe('rewritten');
  expect(await became(file(200_000, 150_000))).toBe('rewritten');
  expect(await became(file(100_000))).toBe('shrunk');
  expect(await became(file(0))).toBe('replaced');
  expect(await became(file(100_000, 0))).toBe('replaced');
  expect(await became(file(300_000, 0))).toBe('replaced');
});

it('knows a writer that fills in the beginning at the end', async () => {
  const bytes = new Uint8Array(await file(300_000).arrayBuffer());
  bytes.fill(0xff, 32, 48);
  expect(await became(new File([bytes], 'a.trace'))).toBe('completed');
});

it('tells small files apart, too', async () => {
  const small = (text: string) => new File([text], 'a.trace');
  const of = async (before: string, now: string) => becameOf(await lookAt(small(before)), small(now));
  expect(await of('', 'anything')).toBe('grown');
  expect(await of('head', 'head and more')).toBe('grown');
  expect(await of('head', 'other')).toBe('completed');
  const long = 'x'.repeat(100);
  expect(await of(long, `${long}y`)).toBe('grown');
  expect(await of(long, `${long.slice(0, 99)}yz`)).toBe('rewritten');
});
