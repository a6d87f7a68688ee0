import { type ReadonlySignal, signal } from '@preact/signals';
import type { JobQuestion, JobReply, MarksPart } from '../base/job_protocol.ts';
import { MANY, type Ticks } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { HIGHEST, LOWEST, type OnScreen, type Picture, type Range } from './picture.ts';
import type { Trace } from './trace.ts';

/** Time for which a picture must stay before its marks are requested. */
const SETTLED_MS = 120;

/** Cells with calls of a function that are too short to be drawn on their own. */
export interface Marks {
  readonly name: number;
  /** Where the first cell begins. */
  readonly from: Ticks;
  /** Width of a cell in ticks. */
  readonly step: bigint;
  readonly cell: Uint32Array;
  readonly count: Uint32Array;
  /** The cells of a row, in order. */
  row(track: number, depth: number): Range;
}

/** Where the highlighted function is called: in the rows on the screen, and over the whole trace. */
export interface HighlightMarks {
  /** null without a highlighted function, and if nothing is hidden. */
  readonly rows: ReadonlySignal<Marks | null>;
  /** All depths of a track are at depth 0. */
  readonly whole: ReadonlySignal<Marks | null>;
  dispose: Dispose;
}

const NOTHING: Range = { first: 0, end: 0 };

/**
 * Keeps the marks of the highlighted function in step with the picture and the overview. They are requested when the
 * picture has settled; until they arrive those of the previous picture stay. `highlighted` is a name id or -1.
 */
export function createMarks(
  trace: Pick<Trace, 'begin' | 'status'>,
  { picture, overview }: Pick<OnScreen, 'picture' | 'overview'>,
  highlighted: ReadonlySignal<number>,
): HighlightMarks {
  const scope = createScope();
  const rows = signal<Marks | null>(null);
  const whole = signal<Marks | null>(null);
  const name = () => (trace.status.peek().at === 'ready' ? highlighted.peek() : -1);
  const ask = (into: typeof rows, slot: string, question: JobQuestion<'marks'>): Dispose =>
    trace.begin(
      question,
      (reply: JobReply<'marks'>) => {
        if (reply.t === 'job-part') into.value = marksOf(question, reply.part);
      },
      slot,
    );

  scope.add(
    watch([picture, highlighted, trace.status], () => {
      const now = picture.peek();
      if (rows.peek() && rows.peek()?.name !== name()) rows.value = null;
      if (name() < 0 || !now) return;
      if (!hidesSlices(now)) {
        rows.value = null;
        return;
      }
      const { from, to, step, asked } = now;
      let cancel: Dispose = () => undefined;
      const timer = setTimeout(() => {
        const question = { name: name(), from, to, step, tracks: asked.tracks, depths: asked.depths, merged: false };
        cancel = ask(rows, 'row marks', { kind: 'marks', ...question });
      }, SETTLED_MS);
      return () => {
        clearTimeout(timer);
        cancel();
      };
    }),
  );
  scope.add(
    watch([overview, highlighted, trace.status], () => {
      const now = overview.peek();
      whole.value = null;
      if (name() < 0 || !now || now.buckets === 0) return;
      const { from, to, buckets } = now;
      const length = to > from ? to - from : 1n;
      return ask(whole, 'overview marks', {
        kind: 'marks',
        name: name(),
        from,
        // The last position belongs to the trace.
        to: (to + 1n) as Ticks,
        step: (length + BigInt(buckets) - 1n) / BigInt(buckets),
        tracks: now.rows,
        depths: Int32Array.from([...now.rows].flatMap(() => [LOWEST, HIGHEST])),
        merged: true,
      });
    }),
  );
  return { rows, whole, dispose: scope.dispose };
}

/** Whether a rectangle of the picture stands for several slices. */
function hidesSlices({ rects }: Picture): boolean {
  return rects.index.subarray(0, rects.count).includes(MANY);
}

/** Marks by row, from a reply. */
export function marksOf({ name, from }: { readonly name: number; readonly from: Ticks }, part: MarksPart): Marks {
  const rows = new Map<number, Map<number, Range>>();
  for (let first = 0; first < part.length; ) {
    const track = part.track[first]!;
    const depth = part.depth[first]!;
    let end = first + 1;
    while (end < part.length && part.track[end] === track && part.depth[end] === depth) end += 1;
    const ofTrack = rows.get(track) ?? new Map<number, Range>();
    rows.set(track, ofTrack.set(depth, { first, end }));
    first = end;
  }
  const { step, cell, count } = part;
  return { name, from, step, cell, count, row: (track, depth) => rows.get(track)?.get(depth) ?? NOTHING };
}
