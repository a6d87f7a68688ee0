import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import { type GivenNames, givenNames, shownByName } from '../../base/given_names.ts';
import { resultOf } from '../../base/portions.ts';
import type { Remote } from '../../base/remote.ts';
import type { Comparing, FoundSuspects, PointsOfRun } from './protocol.ts';
import type { Run } from './runs.ts';
import { bestOf, createSuspects, type Suspects, type SuspectsSide } from './suspects.ts';

let suspects: Suspects | null = null;
afterEach(() => suspects?.dispose());

const side = (name: string, byte: number) =>
  ({
    file: new Blob(),
    statistics: { range: signal(null) },
    trace: {
      name,
      status: signal({ at: 'ready' }),
      info: signal({ offers: ['values'] }),
      names: { version: signal(0), text: ['f', 'm = y'], keyOf: (id: number) => (id === 1 ? '1:7' : '') },
      companions: signal([]),
      records: { aboutValues: async () => Uint8Array.of(byte) },
    },
  }) as unknown as SuspectsSide;

const run = (name: string, bytes: Uint8Array | null, names: GivenNames = []): Run => ({
  file: { file: new Blob(), name },
  profile: null,
  values: bytes && { bytes, names },
  failure: '',
});

it('ranks runs of A, which passed, and of B, which failed, once all are read and while it is shown', async () => {
  const asked: [unknown, number, GivenNames][] = [];
  const comparing = {
    rankSuspects: async (...question: [unknown, number, GivenNames]) => {
      asked.push(question);
      return { found: { sentence: 'x' } as FoundSuspects, names: new Map([['1:7', 'm = y']]) };
    },
  } as unknown as Remote<Comparing>;
  const [ofA, ofB] = [signal<readonly Run[]>([run('a2', null)]), signal<readonly Run[]>([run('b2', Uint8Array.of(4))])];
  const further = { a: { all: ofA }, b: { all: ofB } } as never;
  const isShown = signal(false);
  const values = { state: signal<never>({ at: 'done' } as never) };
  const sides = [side('a1', 1), side('b1', 3)] as const;
  suspects = createSuspects(
    sides,
    further,
    values,
    () => isShown.value,
    () => comparing,
  );
  expect(suspects.state.value.at).toBe('waiting');
  isShown.value = true;
  expect(suspects.state.value).toEqual({ at: 'working', share: 0.5 });
  ofA.value = [
    run('a2', Uint8Array.of(2), await resultOf(givenNames({ text: ['else'], keyOf: () => '1:8' }))),
    { ...run('broken', null), failure: 'It is damaged.' },
  ];
  await vi.waitFor(() => expect(suspects!.state.value.at).toBe('done'));
  const bytes = [1, 2, 3, 4].map((byte) => Uint8Array.of(byte));
  expect(asked.map(([runs, passed]) => [runs, passed])).toEqual([[bytes, 2]]);
  expect([...(await shownByName(asked[0]?.[2] ?? []))]).toEqual([
    ['1:7', 'm = y'],
    ['1:8', 'else'],
  ]);
  const state = suspects.state.value as Extract<Suspects['state']['value'], { at: 'done' }>;
  expect(state.names.get('1:7')).toBe('m = y');
  expect(state.runs.map(({ side, name, file }) => [side, name, file === null])).toEqual([
    ['a', 'a1', true],
    ['a', 'a2', false],
    ['b', 'b1', true],
    ['b', 'b2', false],
  ]);
  // The open run that failed comes first, and then others that failed.
  const points = (...runs: number[]) => runs.map((run): PointsOfRun => ({ run, count: 1, point: 5, track: 0 }));
  const best = (...runs: number[]) => bestOf(points(...runs), state.runs)?.run;
  expect([best(0, 1, 2, 3), best(0, 1, 3), best(1, 0), best(1), best()]).toEqual([2, 3, 0, 1, undefined]);
});
