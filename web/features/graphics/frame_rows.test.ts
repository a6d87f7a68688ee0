import { expect, test } from 'vitest';
import type { OpenedFrame } from '../../base/survey_protocol.ts';
import { type FrameCalls, frameRows, isOpen, JUST_OPENED, type OpenedFrames, revealed, toggled } from './frame_rows.ts';

/** Two groups, the second with one in it, and a call after them. */
const CALLS: OpenedFrame = {
  by: 'groups',
  leftOut: 0,
  depth: Float64Array.of(0, 1, 0, 1, 2, 0),
  isGroup: Float64Array.of(1, 0, 1, 1, 0, 0),
  call: Float64Array.of(5, 5, 6, 7, 8, 9),
  figures: new Float64Array(24),
  isRedundant: Float64Array.of(0, 0, 0, 0, 1, 1),
  text: ['a', 'a()', 'b', 'c', 'c()', 'd()'],
};
const ORDER = Uint32Array.of(2, 0, 1);
const row = (item: number, folded = 0) => ({ frame: 0, item, folded });

const itemsOf = (opened: OpenedFrames, which: FrameCalls = 'all') =>
  frameRows(ORDER, opened, which).map(({ frame, item, folded }) =>
    item < 0 ? `frame ${frame}` : folded > 0 ? `${item} and ${folded - 1}` : item,
  );

test('frames open in place, groups inside of them', () => {
  let opened: OpenedFrames = new Map();
  const items = () => itemsOf(opened);
  expect(items()).toEqual(['frame 2', 'frame 0', 'frame 1']);
  opened = toggled(opened, row(-1));
  // Its calls are on their way.
  expect(items()).toHaveLength(3);
  opened = new Map(opened).set(0, { ...JUST_OPENED, calls: CALLS });
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 5, 'frame 1']);
  opened = toggled(opened, row(2));
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 3, 5, 'frame 1']);
  opened = toggled(opened, row(3));
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 3, 4, 5, 'frame 1']);
  expect([2, 0, 5].map((item) => isOpen(opened, row(item)))).toEqual([true, false, null]);
  // A folded group hides the open ones in it, which stay open.
  opened = toggled(opened, row(2));
  expect(items()).toEqual(['frame 2', 'frame 0', 0, 2, 5, 'frame 1']);
  expect(itemsOf(opened, 'redundant')).toEqual(['frame 2', 'frame 0', 4, 5, 'frame 1']);
  opened = toggled(opened, row(-1));
  expect(items()).toHaveLength(3);
});

test('a selected call is shown in its groups', () => {
  const { item, of } = revealed({ ...JUST_OPENED, calls: CALLS }, 8, 'all');
  expect([item, [...of.groups].sort()]).toEqual([4, [2, 3]]);
  expect(revealed(of, 8, 'all').of).toBe(of);
  expect(revealed(of, 77, 'all').item).toBe(-1);
  expect(revealed(JUST_OPENED, 8, 'all').item).toBe(-1);
});

/** Three calls before a draw, one before the next, and a clear. */
const FLAT: OpenedFrame = {
  ...CALLS,
  depth: new Float64Array(7),
  isGroup: new Float64Array(7),
  call: Float64Array.of(10, 11, 12, 13, 14, 15, 16),
  figures: Float64Array.from({ length: 28 }, (_, i) => (i === 13 || i === 21 || i === 26 ? 1 : 0)),
};

test('calls between draws are folded, and open where one is selected', () => {
  let opened: OpenedFrames = new Map([[0, { ...JUST_OPENED, calls: FLAT }]]);
  expect(itemsOf(opened, 'draws').slice(2, -1)).toEqual(['0 and 2', 3, 4, 5, 6]);
  expect(isOpen(opened, row(0, 3))).toBe(false);
  opened = toggled(opened, row(0, 3));
  expect(itemsOf(opened, 'draws').slice(2, -1)).toEqual(['0 and 2', 0, 1, 2, 3, 4, 5, 6]);
  opened = toggled(opened, row(0, 3));
  const { item, of } = revealed(opened.get(0)!, 12, 'draws');
  expect([item, [...of.folds]]).toEqual([2, [0]]);
  expect(revealed(of, 14, 'draws').of).toBe(of);
});
