import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { computedInPortions } from './computed_portions.ts';
import { nextTask } from './next_task.fixture.ts';
import { numbersWhere } from './order.ts';
import { PORTION } from './portions.ts';

it('is there at once if it is little, and again when what it depends on changes', () => {
  const count = signal(3);
  const { result, dispose } = computedInPortions(() => numbersWhere(count.value, (number) => number > 0), null);
  expect(result.value).toEqual(Uint32Array.of(1, 2));
  count.value = 2;
  expect(result.value).toEqual(Uint32Array.of(1));
  dispose();
  count.value = 3;
  expect(result.value).toEqual(Uint32Array.of(1));
});

it('finishes what it does before it begins again', async () => {
  const least = signal(0);
  const begin = () => {
    const from = least.value;
    return numbersWhere(2 * PORTION, (number) => number >= from);
  };
  const { result, isWorking, dispose } = computedInPortions(begin, null);
  expect(isWorking.value).toBe(true);
  const lengths: (number | undefined)[] = [];
  const forget = result.subscribe((value) => lengths.push(value?.length));
  for (least.value = 1; least.peek() < 4; least.value += 1) await nextTask();
  for (let i = 0; i < 4; i += 1) await nextTask();
  forget();
  dispose();
  expect(isWorking.value).toBe(false);
  expect(lengths[0]).toBeUndefined();
  expect(lengths).toContain(2 * PORTION - 1);
  expect(lengths.at(-1)).toBe(2 * PORTION - 4);
});
