import { describe, expect, it } from 'vitest';
import { DERIVED } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { View } from '../trace/view.ts';
import { layOut } from './layout.ts';
import { middleOf, rowOf, rowsOf } from './rows.ts';

const TRACKS = [
  aTrack({ id: DERIVED + 1 }),
  aTrack({ id: 1, kind: 'process', rows: 0 }),
  aTrack({ id: 2, parent: 1, rows: 3, lowest: -1, instants: 4 }),
  aTrack({ id: 3, kind: 'counter', rows: 0, samples: 3 }),
  aTrack({ id: 4 }),
];

describe('the rows of a timeline', () => {
  const rows = rowsOf(layOut(TRACKS));
  it('are instants, then depths, of the tracks that have any', () => {
    expect(rows.map(({ track, depth }) => [track, depth])).toEqual([
      [2, null],
      [2, -1],
      [2, 0],
      [2, 1],
      [4, 0],
    ]);
  });
  it('are those that are shown of a folded track', () => {
    const folded = rowsOf(layOut(TRACKS, { folded: { all: false, except: new Set([2]) } }));
    expect(folded).toEqual([
      { track: 2, depth: -1 },
      { track: 4, depth: 0 },
    ]);
    expect(rowOf(folded, 2, { kind: 'slice', track: 2, depth: 1, index: 0 })).toBe(0);
  });
  it('have the selected item', () => {
    expect(rowOf(rows, 2, { kind: 'slice', track: 2, depth: 1, index: 9 })).toBe(3);
    expect(rowOf(rows, 2, { kind: 'instant', track: 2, index: 9 })).toBe(0);
    expect(rowOf(rows, 4, null)).toBe(4);
    expect(rowOf(rows, 3, null)).toBe(-1);
  });
});

it('the middle of a slice is on the screen if a part of the slice is', () => {
  const view: View = { anchor: 100n, fraction: 0, perPixel: 1 };
  const middle = (from: bigint, to: bigint) => middleOf(ticks(from), ticks(to), view, 100);
  expect([middle(120n, 140n), middle(0n, 1000n), middle(180n, 1000n)]).toEqual([130n, 150n, 190n]);
  expect([middle(0n, 50n), middle(500n, 600n)]).toEqual([49n, 500n]);
  expect(middleOf(ticks(7n), null, view, 100)).toBe(7n);
});
