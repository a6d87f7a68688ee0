import { expect, test } from 'vitest';
import type { OpenedFrame } from '../../base/survey_protocol.ts';
import { frameRows, isOpen, type OpenedFrames, toggled } from './frame_rows.ts';

/** Two groups, the second with one in it, and a call after them. */
const CALLS: OpenedFrame = {
  by: 'groups',
  leftOut: 0,
  depth: Float64Array.of(0, 1, 0, 1, 2, 0),
  isGroup: Float64Array.of(1, 0, 1, 1, 0, 0),
  call: Float64Array.of(5, 5, 6, 7, 8, 9),
  figures: new Float64Array(24),
  text: ['a', 'a()', 'b', 'c', 'c()', 'd()'],
};
const ORDER = Uint32Array.of(2, 0, 1);

test('frames open in place, groups inside of them', () => {
  let opened: OpenedFrames = new Map();
  const items = () => frameRows(ORDER, opened).map(({ frame, item }) => (item < 0 ? `frame ${frame}` : item));
  expect(items()).toEqual(['frame 2', 'frame 0', 'frame 1']);
  opened = toggled(opened, { frame: 0, item: -1 });
  // Its calls are on their way.
  expect(items()).toHaveLength(3);
  opened = new Map(opened).set(0, { calls: CALLS, groups: new Set() });
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 5, 'frame 1']);
  opened = toggled(opened, { frame: 0, item: 2 });
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 3, 5, 'frame 1']);
  opened = toggled(opened, { frame: 0, item: 3 });
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 3, 4, 5, 'frame 1']);
  expect([2, 0, 5].map((item) => isOpen(opened, { frame: 0, item }))).toEqual([true, false, null]);
  // A folded group hides the open ones in it, which stay open.
  opened = toggled(opened, { frame: 0, item: 2 });
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 5, 'frame 1']);
  opened = toggled(opened, { frame: 0, item: -1 });
  expect(items()).toHaveLength(3);
});
