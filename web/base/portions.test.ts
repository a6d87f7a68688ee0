import { expect, it } from 'vitest';
import { nextTask } from './next_task.fixture.ts';
import { inOrder, numbersWhere } from './order.ts';
import { byTurns } from './portions.fixture.ts';
import { inPortions, PORTION } from './portions.ts';

it('goes through the first portion at once, and the others one by one', async () => {
  const portions: number[][] = [];
  let isFinished = false;
  const note = (start: number, end: number) => portions.push([start, end]);
  inPortions(2 * PORTION + 1, note, () => {
    isFinished = true;
  });
  expect([portions, isFinished]).toEqual([[[0, PORTION]], false]);
  await nextTask();
  expect(portions).toEqual([
    [0, PORTION],
    [PORTION, 2 * PORTION],
  ]);
  await nextTask();
  expect([portions.at(-1), isFinished]).toEqual([[2 * PORTION, 2 * PORTION + 1], true]);
});

it('stops', async () => {
  const portions: number[] = [];
  const stop = inPortions(
    2 * PORTION,
    (start) => portions.push(start),
    () => portions.push(-1),
  );
  stop();
  await nextTask();
  expect(portions).toEqual([0]);
});

it('sorts as much as at once, and keeps equal ones as they are', () => {
  let compared = 0;
  const keyOf = (number: number) => (number * 7919) % 1009;
  const compare = (a: number, b: number) => {
    compared += 1;
    return keyOf(a) - keyOf(b);
  };
  for (const length of [0, 1, 999, 3 * PORTION + 7]) {
    const numbers = Uint32Array.from({ length }, (_, i) => i);
    const { result, most } = byTurns(inOrder(numbers, compare), () => compared);
    expect(result).toEqual(Uint32Array.from(numbers).sort((a, b) => keyOf(a) - keyOf(b) || a - b));
    expect(most).toBeLessThan(1.5 * PORTION);
  }
});

it('looks at a portion of the numbers in a turn', () => {
  let looks = 0;
  const isEven = (number: number) => {
    looks += 1;
    return number % 2 === 0;
  };
  const { result, most } = byTurns(numbersWhere(3 * PORTION, isEven), () => looks);
  expect([result.length, most]).toEqual([1.5 * PORTION, PORTION]);
});
