import { expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { View } from '../trace/view.ts';
import { gapAt, gapsOf, missingTime } from './gaps.ts';
import type { LaidTrack } from './layout.ts';

const extent = { from: ticks(100n), to: ticks(900n) };

it('gaps begin with the trace at the earliest', () => {
  const track = aTrack({ gaps: [0, 150n, 200, 260] });
  expect(gapsOf(track, extent)).toEqual([
    { from: 100n, to: 150n, isFirst: true },
    { from: 200n, to: 260n, isFirst: false },
  ]);
  expect(missingTime(track, extent)).toBe(110n);
  // The first thread has nothing before it.
  expect(gapsOf(aTrack({ gaps: [0, 100] }), extent)).toEqual([]);
  expect(missingTime(aTrack(), extent)).toBe(0n);
});

it('the gap at a pixel is found', () => {
  const view = { anchor: ticks(100n), fraction: 0, perPixel: 10 } as View;
  const laid = { track: aTrack({ gaps: [200, 260] }) } as LaidTrack;
  expect(gapAt(laid, view, extent, 12)?.from).toBe(200n);
  expect([gapAt(laid, view, extent, 9), gapAt(laid, view, extent, 16)]).toEqual([null, null]);
});
