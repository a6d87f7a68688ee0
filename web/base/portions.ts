import type { Dispose } from './scope.ts';

/** Names, or what takes as long, that are gone through between two frames: some milliseconds. */
export const PORTION = 10_000;

/** Comparisons of numbers that take as long. */
export const NUMBERS = 10 * PORTION;

/** Work that yields after each portion. */
export type Portions<T> = Generator<void, T>;

/**
 * Does work in portions, then calls `finish` with its result. The first portion is done at once, each other one in a task of its own: the
 * page draws between them. Returns what stops it.
 */
export function inTurns<T>(work: Portions<T>, finish: (result: T) => void): Dispose {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const step = () => {
    const turn = work.next();
    if (turn.done) finish(turn.value);
    else timer = setTimeout(step);
  };
  step();
  return () => clearTimeout(timer);
}

/** Does work in portions, and resolves with its result. */
export function resultOf<T>(work: Portions<T>): Promise<T> {
  return new Promise((resolve) => inTurns(work, resolve));
}

/** Goes through the numbers below `count` in portions, then calls `finish`, as {@link inTurns} does. */
export function inPortions(count: number, work: (start: number, end: number) => void, finish: () => void): Dispose {
  return inTurns(portionsOf(count, work), finish);
}

/** Goes through the numbers below `count` in portions. */
export function* portionsOf(count: number, work: (start: number, end: number) => void): Portions<void> {
  for (let start = 0; ; start += PORTION) {
    work(start, Math.min(count, start + PORTION));
    if (start + PORTION >= count) return;
    yield;
  }
}

/** Numbers below `count` that a condition holds for. */
export function* numbersWhere(count: number, holds: (number: number) => boolean): Portions<Uint32Array> {
  const numbers = new Uint32Array(count);
  let length = 0;
  yield* portionsOf(count, (start, end) => {
    for (let number = start; number < end; number += 1) if (holds(number)) numbers[length++] = number;
  });
  return numbers.slice(0, length);
}

/** Numbers in order. Equal ones stay as they are. `portion`: comparisons in one, about. */
export function* inOrder(
  numbers: Uint32Array,
  compare: (a: number, b: number) => number,
  portion = PORTION,
): Portions<Uint32Array> {
  const { length } = numbers;
  /** Sorting so many takes ten comparisons for each, or some more. */
  let width = portion / 10;
  let source = numbers.slice();
  for (let start = 0; start < length; start += width) {
    if (start > 0) yield;
    source.subarray(start, start + width).sort(compare);
  }
  let target = new Uint32Array(length);
  let comparisons = 0;
  for (; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(middle + width, length);
      for (let left = start, right = middle, place = start; place < end; place += 1) {
        comparisons += 1;
        if (comparisons % portion === 0) yield;
        const isLeft = left < middle && (right === end || compare(source[left]!, source[right]!) <= 0);
        target[place] = source[isLeft ? left++ : right++]!;
      }
    }
    [source, target] = [target, source];
  }
  return source;
}
