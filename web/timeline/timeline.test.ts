import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Track } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { aTrack } from '../base/track.fixture.ts';
import { HIGHEST, LOWEST, type Question } from '../trace/picture.ts';
import type { Status, Trace } from '../trace/trace.ts';
import { SLICE_ROW } from './layout.ts';
import { createTimeline, type Timeline } from './timeline.ts';

const ROWS = 5000;
const LOW = -7;
const HEIGHT = 600;
const TRACK: Track = aTrack({ id: 4, name: 'deep', rows: ROWS, lowest: LOW, slices: ROWS });

const rowsOf = ({ depths }: Question) => [depths[0]!, depths[1]!] as const;

/** A timeline scrolled to `top`, and its first query. */
function scrolledTo(top: number): { timeline: Timeline; question: Question } {
  const asked: Question[] = [];
  const trace: Pick<Trace, 'status' | 'progress' | 'tracks' | 'picture' | 'overview'> = {
    status: signal<Status>({ at: 'ready', how: 'complete', error: null }),
    progress: signal({
      bytesRead: 1,
      bytes: 1,
      events: 1,
      slices: ROWS,
      storeBytes: 1,
      extent: { from: ticks(0n), to: ticks(1_000_000n) },
      problems: [],
      stage: null,
      uncertainty: null,
    }),
    tracks: signal(new Map([[TRACK.id, TRACK]])),
    picture: (question) => {
      asked.push(question);
      return new Promise(() => undefined);
    },
    overview: async () => null,
  };
  const timeline = createTimeline(trace as Trace);
  timeline.scrollTop.value = top;
  timeline.size.value = { width: 1000, height: HEIGHT };
  expect(asked).toHaveLength(1);
  return { timeline, question: asked[0]! };
}

describe('a timeline', () => {
  it('requests the rows on the screen and a screen above and below, at any depth of the track', () => {
    const [first, end] = rowsOf(scrolledTo(0).question);
    expect(first).toBe(LOWEST);
    expect(Math.abs(end - LOW - (2 * HEIGHT) / SLICE_ROW)).toBeLessThan(2);
    const [above, below] = rowsOf(scrolledTo(40_000).question);
    expect(Math.abs(above - LOW - (40_000 - HEIGHT) / SLICE_ROW)).toBeLessThan(2);
    expect(Math.abs(below - LOW - (40_000 + 2 * HEIGHT) / SLICE_ROW)).toBeLessThan(2);
  });
  it('requests open-ended rows at the end of a track', () => {
    expect(rowsOf(scrolledTo(ROWS * SLICE_ROW - HEIGHT).question)[1]).toBe(HIGHEST);
  });
  it('is not exact without a picture', () => {
    expect(scrolledTo(0).timeline.isExact()).toBe(false);
  });
});
