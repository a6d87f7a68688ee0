import { expect, it } from 'vitest';
import { FIGURES, type FrameColumns, MEASURES } from '../../base/survey_protocol.ts';
import { changesOf } from './frame_change.tsx';

it('says in which figures a frame differs from the one before it, and by how much', () => {
  const own: Partial<Record<keyof FrameColumns['figures'], readonly number[]>> = {
    draws: [3, 1_500, 1_500],
    vertices: [70, 20, 20],
    uploaded: [0, 12, 12],
    cpuTime: [Number.NaN, 5000, 9000],
  };
  const frames = {
    count: 3,
    figures: Object.fromEntries(
      [...FIGURES, ...MEASURES].map((figure) => [figure, Float64Array.from(own[figure] ?? [0, 0, 0])]),
    ),
  } as unknown as FrameColumns;
  const found = (frame: number) => changesOf(frames, frame).map(([title, by]) => `${title} ${by}`);
  expect(found(1)).toEqual(['draws +1,497', 'vertices −50', 'uploaded +12 B']);
  expect(found(2)).toEqual([expect.stringMatching(/^CPU \+4\sµs$/)]);
});
