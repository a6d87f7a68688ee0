import { PORTION, type Portions, portionsOf } from './portions.ts';

/** Comparisons of numbers in a portion: they take less time than those of names. */
export const NUMBERS = 10 * PORTION;

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
