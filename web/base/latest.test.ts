import { expect, it } from 'vitest';
import { latest } from './latest.ts';

it('leaves the older question at once, and stops it', async () => {
  const asked: { readonly name: string; readonly stop: AbortSignal; answer(value: string): void }[] = [];
  const ask = latest((stop, name: string) => new Promise<string>((answer) => asked.push({ name, stop, answer })));
  const older = ask('older');
  const newer = ask('newer');
  expect(await older).toBeNull();
  expect(asked.map(({ name, stop }) => [name, stop.aborted])).toEqual([
    ['older', true],
    ['newer', false],
  ]);
  asked[0]!.answer('late');
  asked[1]!.answer('in time');
  expect(await newer).toBe('in time');
});

it('passes on an error', async () => {
  await expect(latest(() => Promise.reject('no'))()).rejects.toBe('no');
});
