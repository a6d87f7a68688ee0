import { signal } from '@preact/signals';
import { beforeEach, expect, it } from 'vitest';
import { createNames } from '../../trace/names.ts';
import type { Whose } from '../../trace/statistics.ts';
import { markDurations } from './brush.ts';
import type { Interval } from './call_list.ts';

const names = createNames();
names.add(0, ['operator new', 'main'], ['', '#12']);
const asked = signal('');
const whose = signal<Whose>('all');
const interval = signal<Interval | null>(null);
const open = {
  trace: { names, tracks: signal({ get: () => ({ name: 'worker 7' }) as never }) },
  statistics: { whose },
  find: {
    asked,
    ask: (text: string) => {
      asked.value = text;
    },
    clear: () => {
      asked.value = '';
    },
  },
};
const mark = (name: number) => markDurations({ name, interval }, open);

beforeEach(() => {
  asked.value = '';
  whose.value = 'all';
  interval.value = null;
});

it('finds the calls of the chosen durations, and takes the search back with them', () => {
  const dispose = mark(0);
  expect(asked.value).toBe('');
  interval.value = { shortest: 5n, longest: 9n };
  expect(asked.value).toBe('name:"operator new" dur:5..9');
  interval.value = { shortest: 6n, longest: 9n };
  expect(asked.value).toBe('name:"operator new" dur:6..9');
  interval.value = null;
  expect(asked.value).toBe('');
  interval.value = { shortest: 1n, longest: 2n };
  dispose();
  expect(asked.value).toBe('');
});

it('names a function by its id, and the thread of the panels', () => {
  const dispose = mark(1);
  whose.value = 3;
  interval.value = { shortest: 0n, longest: 4n };
  expect(asked.value).toBe('name:#12 dur:0..4 thread:"worker 7"');
  whose.value = 'all';
  expect(asked.value).toBe('name:#12 dur:0..4');
  dispose();
});

it('brings the search before back, unless there is another one', () => {
  asked.value = 'malloc';
  const first = mark(1);
  interval.value = { shortest: 0n, longest: 4n };
  interval.value = { shortest: 0n, longest: 5n };
  first();
  expect(asked.value).toBe('malloc');
  interval.value = null;
  const second = mark(1);
  interval.value = { shortest: 0n, longest: 4n };
  asked.value = 'free';
  second();
  expect(asked.value).toBe('free');
});
