import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { whenHolds } from './when.ts';

const isLarge = (value: number): value is number => value > 9;

it('hears of the first value that holds, be it the present one, and of no other', async () => {
  for (const [values, expected] of [
    [[1, 10, 11], [10]],
    [[10, 11], [10]],
    [[1, 2], []],
  ] as const) {
    const value = signal<number>(values[0]);
    const heard: number[] = [];
    whenHolds(value, isLarge, (now) => heard.push(now));
    for (const next of values) value.value = next;
    await Promise.resolve();
    value.value = 0;
    value.value = 20;
    if (expected.length > 0) expect(heard).toEqual(expected);
    else expect(heard).toEqual([20]);
  }
});

it('hears of nothing once it is disposed', () => {
  const value = signal<number>(1);
  const heard: number[] = [];
  whenHolds(value, isLarge, (now) => heard.push(now))();
  value.value = 10;
  expect(heard).toEqual([]);
});
