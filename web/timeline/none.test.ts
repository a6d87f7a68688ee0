import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import type { Whose } from '../trace/statistics.ts';
import { noneOf } from './none.ts';

it('says why a list is empty', () => {
  const range = signal<{ from: ReturnType<typeof ticks>; to: ReturnType<typeof ticks> } | null>(null);
  const whose = signal<Whose>('all');
  const words = () => [
    noneOf({ statistics: { range, whose } }, 'call'),
    noneOf({ statistics: { range, whose } }, 'call', true),
  ];
  expect(words()).toEqual(['The trace has no calls.', 'No call matches.']);
  whose.value = 3;
  expect(words()).toEqual(['No calls of this track.', 'No call of this track matches.']);
  range.value = { from: ticks(0n), to: ticks(9n) };
  expect(words()).toEqual(['No calls of this track in this range.', 'No call of this track in this range matches.']);
});
