import { expect, it } from 'vitest';
import type { StepFilter } from '../../base/steps_protocol.ts';
import { changed, choicesOf, listsOf } from './step_choices.ts';

const KINDS = {
  threads: BigUint64Array.of(3n, 5n),
  modes: [
    { number: 0, name: '' },
    { number: 7, name: 'arm:t32' },
  ],
  user: true,
  kernel: true,
};

it('offers what tells steps apart', () => {
  expect(choicesOf(KINDS).map(({ words }) => words)).toEqual([
    'User',
    'Kernel',
    'No mode',
    'arm:t32',
    'Thread 3',
    'Thread 5',
  ]);
  expect(choicesOf({ ...KINDS, kernel: false, modes: [], threads: BigUint64Array.of(1n) })).toEqual([]);
});

it('joins conditions of different kinds', () => {
  const choices = choicesOf(KINDS);
  let filter: StepFilter | null = null;
  const choose = (list: number, key: string) => {
    const lists = listsOf(choices, filter);
    filter = changed(lists, list, lists[list]!.choices.find((choice) => choice.key === key) ?? null);
    return listsOf(choices, filter).map((it) => [it.chosen?.key ?? '', it.choices.length]);
  };
  expect(listsOf(choices, null).map((it) => it.chosen)).toEqual([null]);
  expect(choose(0, 'thread 5')).toEqual([
    ['thread 5', 6],
    ['', 4],
  ]);
  expect(choose(1, 'kernel')).toEqual([
    ['thread 5', 6],
    ['kernel', 4],
    ['', 2],
  ]);
  expect(choose(2, 'mode 7')).toEqual([
    ['thread 5', 6],
    ['kernel', 4],
    ['mode 7', 2],
  ]);
  expect(filter).toEqual({ kernel: true, mode: 7, thread: 5n });
  // What a list says takes the place of what it said, and another list of that kind goes.
  expect(choose(1, '')).toEqual([
    ['thread 5', 6],
    ['mode 7', 4],
    ['', 2],
  ]);
  expect(choose(0, 'user')).toEqual([
    ['user', 6],
    ['mode 7', 4],
    ['', 2],
  ]);
  choose(0, '');
  choose(0, '');
  expect(filter).toBeNull();
});

it('has one list where there is nothing to choose', () => {
  expect(listsOf([], null)).toEqual([{ choices: [], chosen: null }]);
});
