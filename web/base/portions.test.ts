import { expect, it } from 'vitest';
import { nextTask } from './next_task.fixture.ts';
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
