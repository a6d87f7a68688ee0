import { expect, test } from 'vitest';
import { NBSP } from '../base/format.ts';
import { FIGURES, type FrameColumns } from '../base/survey_protocol.ts';
import { ticks } from '../base/ticks.ts';
import { framesIn, framesText, frameText, heaviest, orderOf, sumsOf } from './frames.ts';

test('frames are counted in one way, from 0', () => {
  expect([framesText({ from: 0, to: 508 }), framesText({ from: 0, to: 1 })]).toEqual([
    `508${NBSP}frames, 0–507`,
    `1${NBSP}frame`,
  ]);
  expect([frameText(5, 508), frameText(4052, 4331), frameText(0, 1)]).toEqual([
    'Frame 5 of 0–507',
    'Frame 4,052 of 0–4,330',
    'Frame 0',
  ]);
});

test('a range has the frames that have a call in it', () => {
  const count = 4;
  const numbers = Float64Array.of(5, 1, 9, 2);
  const frames = {
    count,
    first: Float64Array.of(0, 10, 20, 30),
    last: Float64Array.of(9, 19, 29, 35),
    ended: true,
    figures: Object.fromEntries(FIGURES.map((figure) => [figure, numbers])),
  } as unknown as FrameColumns;
  const span = (from: number, to: number) => {
    const { from: first, to: end } = framesIn(frames, { from: ticks(BigInt(from)), to: ticks(BigInt(to)) });
    return [first, end];
  };
  expect([span(0, 36), span(9, 10), span(9, 11), span(25, 31), span(36, 99)]).toEqual([
    [0, 4],
    [0, 1],
    [0, 2],
    [2, 4],
    [4, 4],
  ]);
  expect(framesIn(frames, null)).toEqual({ from: 0, to: 4 });
  const middle = { from: 1, to: 3 };
  expect([...orderOf(frames, 'draws', true, middle)]).toEqual([2, 1]);
  expect([heaviest(frames, 'draws', { from: 0, to: 2 }), heaviest(frames, 'draws')]).toEqual([0, 2]);
  expect([sumsOf(frames, middle).draws, sumsOf(frames).draws]).toEqual([10, 17]);
  expect([framesText(middle), framesText({ from: 2, to: 3 }), framesText({ from: 4, to: 4 })]).toEqual([
    `2${NBSP}frames, 1–2`,
    `1${NBSP}frame, 2`,
    `0${NBSP}frames`,
  ]);
});
