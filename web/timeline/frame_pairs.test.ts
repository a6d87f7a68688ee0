import { expect, it } from 'vitest';
import { FIGURES, type FrameColumns } from '../base/survey_protocol.ts';
import { pairsByFigures, pairsByNumber } from './frame_pairs.ts';

/** Frames with these numbers of calls. */
const framesOf = (...calls: number[]) =>
  ({
    count: calls.length,
    figures: Object.fromEntries(FIGURES.map((figure) => [figure, Float64Array.from(calls)])),
  }) as unknown as FrameColumns;

const words = (a: number[], b: number[]) =>
  pairsByFigures(framesOf(...a), framesOf(...b))
    .map((pair) => `${pair.a ?? '–'}:${pair.b ?? '–'}`)
    .join(' ');

it('pairs frames by number, and those that one trace lacks with none', () => {
  expect(pairsByNumber(1, 2)).toEqual([
    { a: 0, b: 0 },
    { a: null, b: 1 },
  ]);
});

it('pairs frames by their figures', () => {
  expect(words([9, 1, 2, 3], [9, 1, 7, 2, 3])).toBe('0:0 1:1 –:2 2:3 3:4');
  expect(words([1, 2, 3, 4, 5], [1, 4, 5])).toBe('0:0 1:– 2:– 3:1 4:2');
  // A frame that changed is between others that did not.
  expect(words([1, 2, 3], [1, 8, 3])).toBe('0:0 1:1 2:2');
  expect(words([1, 2], [8, 9, 10])).toBe('0:0 1:1 –:2');
  expect(words([], [4])).toBe('–:0');
  expect(words([], [])).toBe('');
});

it('has each frame once and in order, whatever the frames are', () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const [a, b] = [random(12), random(12)].map((count) => Array.from({ length: count }, () => random(4)));
    const pairs = pairsByFigures(framesOf(...a!), framesOf(...b!));
    expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual([...a!.keys()]);
    expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual([...b!.keys()]);
  }
});

it('ends soon for traces that share no frame', () => {
  const [a, b] = [Array.from({ length: 20_000 }, (_, i) => i), Array.from({ length: 20_000 }, (_, i) => -1 - i)];
  expect(pairsByFigures(framesOf(...a), framesOf(...b))).toHaveLength(20_000);
});
