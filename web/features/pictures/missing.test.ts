import { expect, it } from 'vitest';
import { lackingOf, wordsOf } from './missing.tsx';
import type { Coverage, Frames } from './protocol.ts';

const frames: Frames = { from: Float64Array.of(0, 10), to: Float64Array.of(9, 19), draws: Float64Array.of(3, 4) };
const coverage = {
  drawCalls: Uint32Array.of(1, 2, 8, 11, 12, 14, 18),
  // A call may be missing for several reasons.
  calls: Float64Array.of(2, 12, 12, 14),
  why: Uint32Array.of(0, 0, 1, 0),
  reasons: [{ reason: 'geometry shaders are not in WebGL2' }, { reason: 'line stipple is not replayed' }],
} as unknown as Coverage;

it('says what a picture lacks of its own frame, up to its call', () => {
  const at = (call: number) => lackingOf(coverage, frames, [], call);
  expect([at(1), at(11)]).toEqual([null, null]);
  expect(at(9)).toMatchObject({ draws: 3, missing: 1, others: 0 });
  expect(at(19)).toMatchObject({ draws: 4, missing: 2, reason: 'geometry shaders are not in WebGL2', others: 1 });
  expect(wordsOf(at(12)!)).toBe(
    '1 of 2 draws and clears are missing: geometry shaders are not in WebGL2, and another reason',
  );
});

it('adds what WebGL2 did not draw', () => {
  const refusals = [
    { call: 18, what: 'WebGL2 refuses DrawArrays', isMissing: true },
    { call: 11, what: 'WebGL2 refuses TexImage', isMissing: false },
  ];
  expect(lackingOf(coverage, frames, refusals, 19)).toMatchObject({ missing: 3, others: 2 });
  expect(lackingOf({ ...coverage, calls: Float64Array.of() }, frames, refusals, 19)?.reason).toContain('DrawArrays');
});
