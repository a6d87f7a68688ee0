import { type ReadonlySignal, signal } from '@preact/signals';
import type { HitService } from '../base/find_protocol.ts';
import type { Ticks } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { type Marks, marksOf } from './marks.ts';
import { HIGHEST, LOWEST, type OnScreen } from './picture.ts';
import type { Trace } from './trace.ts';

/** Where the hits of a search are: in the rows on the screen, and over the whole trace. Both are null without hits. */
export interface HitMarks {
  readonly rows: ReadonlySignal<Marks | null>;
  /** All depths of a track are at depth 0. */
  readonly whole: ReadonlySignal<Marks | null>;
  readonly dispose: Dispose;
}

/** Time between requests for the marks of pictures that follow one another. */
const REST_MS = 30;

/** Keeps the marks of a search, by the id of its `job` or -1, in step with the picture and the overview, and with what was `added`. */
export function createHitMarks(
  trace: Pick<Trace, 'marksOfHits'>,
  { picture, overview }: Pick<OnScreen, 'picture' | 'overview'>,
  job: ReadonlySignal<number>,
  added: ReadonlySignal<number>,
): HitMarks {
  const scope = createScope();
  const rows = signal<Marks | null>(null);
  const whole = signal<Marks | null>(null);

  const ask = async (into: typeof rows, ...question: MarksQuestion) => {
    const id = job.peek();
    const part = await trace.marksOfHits(id, ...question);
    if (part && job.peek() === id) into.value = marksOf({ name: -1, from: question[0] }, part);
  };
  scope.add(
    watch([picture, job, added], () => {
      const now = picture.peek();
      if (job.peek() < 0) rows.value = null;
      if (job.peek() < 0 || !now) return undefined;
      const { from, to, asked } = now;
      // A cell that a hit touches is filled, so cells are finer than shapes.
      const step = now.step > 1n ? now.step / 2n : 1n;
      const ofRows = () => void ask(rows, from, to, step, asked.tracks, asked.depths, false);
      const timer = setTimeout(ofRows, rows.peek() ? REST_MS : 0);
      return () => clearTimeout(timer);
    }),
  );
  scope.add(
    watch([overview, job, added], () => {
      const now = overview.peek();
      if (job.peek() < 0) whole.value = null;
      if (job.peek() < 0 || !now || now.buckets === 0) return;
      const length = now.to > now.from ? now.to - now.from : 1n;
      void ask(
        whole,
        now.from,
        // The last position belongs to the trace.
        (now.to + 1n) as Ticks,
        (length + BigInt(now.buckets) - 1n) / BigInt(now.buckets),
        now.rows,
        Int32Array.from([...now.rows].flatMap(() => [LOWEST, HIGHEST])),
        true,
      );
    }),
  );
  return { rows, whole, dispose: scope.dispose };
}

/** What follows the job. */
type MarksQuestion = Parameters<HitService['marksOfHits']> extends [number, ...infer Rest] ? Rest : never;
