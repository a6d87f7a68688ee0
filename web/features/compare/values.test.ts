import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { shownByName } from '../../base/given_names.ts';
import { manyNames } from '../../base/portions.fixture.ts';
import { PORTION } from '../../base/portions.ts';
import type { Remote } from '../../base/remote.ts';
import type { PointRange } from '../../base/values_protocol.ts';
import type { ComparedValues, Comparing } from './protocol.ts';
import { createValueDifferences, type ValueDifferences, type ValuesSide } from './values.ts';

const FOUND: ComparedValues = { sentence: 'Less.', statements: [], variables: [], relations: [], isCut: false };

let differences: ValueDifferences | null = null;
afterEach(() => differences?.dispose());

/** A trace whose values are these bytes, and the ranges that were asked about. */
function side(bytes: Uint8Array | null, names: Readonly<Record<string, string>> = {}, offers = ['values']) {
  const asked: (PointRange | null)[] = [];
  const range = signal<unknown>(null);
  const status = signal({ at: 'ready' });
  const values = {
    profile: async (of: PointRange | null, hear: (share: number) => void) => {
      asked.push(of);
      hear(0.5);
      return bytes;
    },
  };
  const trace = {
    status,
    info: signal({ offers }),
    // Names are shown as companions give them.
    names: { version: signal(0), text: Object.values(names), keyOf: (id: number) => Object.keys(names)[id] ?? '' },
    records: { aboutValues: (ask: (of: typeof values) => unknown) => ask(values) },
  };
  return { side: { trace, statistics: { range } } as unknown as ValuesSide, asked, range, status };
}

/** What compares, and what it was asked to. */
function comparing(found: ComparedValues | null = FOUND) {
  const compareValues = vi.fn(async (..._question: Parameters<Comparing['compareValues']>) => found);
  return { compareValues, remote: () => ({ compareValues }) as unknown as Remote<Comparing> };
}

it('compares what is known of both, with the names that companions give to statements', async () => {
  const a = side(Uint8Array.of(1), { 'statement 1': 'main (m.c:2)', 'statement 2': 'statement 2' });
  const b = side(Uint8Array.of(2), { 'statement 3': 'swap' });
  const { compareValues, remote } = comparing();
  differences = createValueDifferences([a.side, b.side], remote);
  await vi.waitFor(() => expect(differences?.state.value).toEqual({ at: 'done', found: FOUND }));
  const [bytesA, bytesB, given] = compareValues.mock.lastCall ?? [];
  expect([bytesA, bytesB]).toEqual([Uint8Array.of(1), Uint8Array.of(2)]);
  expect([...(await shownByName(given ?? []))]).toEqual([
    ['statement 1', 'main (m.c:2)'],
    ['statement 3', 'swap'],
  ]);
});

it('goes through a portion of the names in a turn', async () => {
  const [a, b] = [side(Uint8Array.of(1)), side(Uint8Array.of(2))];
  const many = manyNames();
  Object.assign(a.side.trace, { names: { version: signal(0), text: many.text, keyOf: many.keyOf } });
  const { compareValues, remote } = comparing();
  differences = createValueDifferences([a.side, b.side], remote);
  await vi.waitFor(() => expect(compareValues).toHaveBeenCalledTimes(1));
  expect(many.most()).toBe(PORTION);
});

it('compares ranges, and again when one changes', async () => {
  const [a, b] = [side(Uint8Array.of(1)), side(Uint8Array.of(2))];
  const { compareValues, remote } = comparing();
  differences = createValueDifferences([a.side, b.side], remote);
  await vi.waitFor(() => expect(compareValues).toHaveBeenCalledTimes(1));
  b.range.value = { from: 4n, to: 9n };
  await vi.waitFor(() => expect(compareValues).toHaveBeenCalledTimes(2));
  expect([a.asked, b.asked]).toEqual([
    [null, null],
    [null, { from: 4, to: 9 }],
  ]);
});

it('asks nothing of traces without values, nor before both have been read', async () => {
  const [a, b] = [side(Uint8Array.of(1)), side(Uint8Array.of(2))];
  b.status.value = { at: 'reading' };
  const { compareValues, remote } = comparing();
  differences = createValueDifferences([a.side, b.side], remote);
  expect(differences.state.value).toEqual({ at: 'waiting' });
  b.status.value = { at: 'ready' };
  await vi.waitFor(() => expect(compareValues).toHaveBeenCalledTimes(1));
  differences.dispose();
  const other = side(null, {}, []);
  differences = createValueDifferences([other.side, other.side], remote);
  expect(differences.state.value).toEqual({ at: 'waiting' });
  expect(other.asked).toEqual([]);
});

it('says that the values of a trace could not be read', async () => {
  differences = createValueDifferences([side(Uint8Array.of(1)).side, side(null).side], comparing().remote);
  await vi.waitFor(() =>
    expect(differences?.state.value).toEqual({ at: 'failed', sentence: 'The values could not be read.' }),
  );
});
