import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Indexed, Loops } from '../../base/steps_protocol.ts';
import { createListingFolds } from './listing_folds.ts';

const LOOPS: Loops = {
  start: Float64Array.of(0),
  firstEnd: Float64Array.of(2),
  lastStart: Float64Array.of(8),
  end: Float64Array.of(10),
  count: Float64Array.of(5),
  length: Float64Array.of(2),
  address: BigUint64Array.of(0x40n),
  shared: Uint8Array.of(0),
  unlisted: 0,
  leftOut: 0,
};

it('looks for loops again once more is indexed', async () => {
  const indexed = signal<Indexed>({ built: 10, count: 40, bytes: 0, done: false, full: false });
  let searches = 0;
  const events = { listed: signal(null), question: signal(null), portion: async () => null, sort: signal(null) };
  const folds = createListingFolds({ records: { listing: signal(null) } } as never, events as never, () => ({
    indexed,
    // The indexing is paused.
    ready: async () => undefined,
    ask: {
      loops: async () => {
        searches += 1;
        return LOOPS;
      },
    },
  }));
  await folds.findLoops();
  indexed.value = { ...indexed.value, built: 40, done: true };
  await folds.findLoops();
  expect(searches).toBe(2);
  expect(await folds.findLoops()).toBe(LOOPS);
  expect(searches).toBe(2);
});

it('folds nothing in a list that is sorted', async () => {
  const sort = signal<unknown>(null);
  const row = (x: bigint) => [{ x }];
  const events = {
    listed: signal({ rows: 10, inOrder: true }),
    question: signal({ range: null, tracks: null, filter: null }),
    portion: async (first: number) => row(BigInt(first)),
    sort,
  };
  const folds = createListingFolds(
    { records: { listing: signal(null) } } as never,
    events as never,
    () => ({}) as never,
  );
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  await settled();
  expect(folds.base.value).toBe(0);
  sort.value = { column: { shows: 'name', label: 'Function' }, descending: false };
  await settled();
  expect(folds.base.value).toBe(null);
});
