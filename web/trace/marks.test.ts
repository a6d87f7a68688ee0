import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import { MANY, type Overview } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { createMarks, type HighlightMarks } from './marks.ts';
import type { Picture } from './picture.ts';
import type { Status } from './trace.ts';

let begun: { question: JobQuestion<'marks'>; take: (reply: JobReply) => void; slot: string }[];
let cancelled: number;
let marks: HighlightMarks;
const picture = signal<Picture | null>(null);
const overview = signal<Overview | null>(null);
const highlighted = signal(-1);
const status = signal<Status>({ at: 'ready', how: 'complete', error: null });

const pictureOf = (index: number): Picture =>
  ({
    from: ticks(100n),
    to: ticks(200n),
    step: 4n,
    rects: { index: Uint32Array.of(3, index), count: 2 },
    asked: { tracks: Uint32Array.of(7), depths: Int32Array.of(0, 2) },
  }) as unknown as Picture;
const tell = (i: number) =>
  begun[i]!.take({
    t: 'job-part',
    id: 1,
    part: {
      length: 3,
      step: 4n,
      track: Uint32Array.of(7, 7, 7),
      depth: Int32Array.of(0, 0, 1),
      cell: Uint32Array.of(1, 5, 2),
      count: Uint32Array.of(1, 2, 3),
    },
    progress: { done: 1, of: 1 },
    last: true,
  });

beforeEach(() => {
  vi.useFakeTimers();
  begun = [];
  cancelled = 0;
  picture.value = null;
  overview.value = null;
  highlighted.value = -1;
  marks = createMarks(
    {
      begin: (question: JobQuestion, take: never, slot = '') => {
        begun.push({ question: question as JobQuestion<'marks'>, take, slot });
        return () => {
          cancelled += 1;
        };
      },
      status,
    },
    { picture, overview },
    highlighted,
  );
});
afterEach(() => {
  marks.dispose();
  vi.useRealTimers();
});

describe('the marks of the highlighted function', () => {
  it('are requested when the picture has settled', () => {
    picture.value = pictureOf(MANY);
    highlighted.value = 4;
    vi.advanceTimersByTime(60);
    picture.value = pictureOf(MANY);
    vi.advanceTimersByTime(100);
    expect(begun.length).toBe(0);
    vi.advanceTimersByTime(100);
    const { kind, name, from, step, merged } = begun[0]!.question;
    expect({ kind, name, from, step, merged }).toEqual({ kind: 'marks', name: 4, from: 100n, step: 4n, merged: false });
    tell(0);
    expect(marks.rows.value?.row(7, 0)).toEqual({ first: 0, end: 2 });
    expect(marks.rows.value?.row(7, 1)).toEqual({ first: 2, end: 3 });
    expect(marks.rows.value?.row(8, 0)).toEqual({ first: 0, end: 0 });
    // Those of the previous picture stay.
    picture.value = pictureOf(MANY);
    expect([marks.rows.value?.name, cancelled]).toEqual([4, 1]);
    highlighted.value = -1;
    expect(marks.rows.value).toBeNull();
  });
  it('are not requested where every slice is drawn', () => {
    picture.value = pictureOf(5);
    highlighted.value = 4;
    vi.advanceTimersByTime(1000);
    expect(begun.length).toBe(0);
  });
  it('cover the whole trace in the cells of the overview', () => {
    const rows = Uint32Array.of(7, 9);
    overview.value = { from: ticks(0n), to: ticks(1000n), buckets: 300, rows } as Overview;
    highlighted.value = 4;
    const { from, to, step, merged, depths } = begun[0]!.question;
    expect({ from, to, step, merged, depths: depths.length }).toEqual({
      from: 0n,
      to: 1001n,
      step: 4n,
      merged: true,
      depths: 4,
    });
    tell(0);
    expect(marks.whole.value?.name).toBe(4);
    highlighted.value = 5;
    expect([marks.whole.value, cancelled, begun.length]).toEqual([null, 1, 2]);
  });
});
