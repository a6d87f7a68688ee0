import { type ReadonlySignal, signal } from '@preact/signals';
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
  trace: Pick<Trace, 'hits'>,
  { picture, overview }: Pick<OnScreen, 'picture' | 'overview'>,
  job: ReadonlySignal<number>,
  added: ReadonlySignal<number>,
): HitMarks {
  const scope = createScope();
  const rows = signal<Marks | null>(null);
  const whole = signal<Marks | null>(null);

  const ask = async (into: typeof rows, question: MarksQuestion) => {
    const id = job.peek();
    const part = await trace.hits(id, { what: 'marks', ...question });
    if (part && job.peek() === id) into.value = marksOf({ name: -1, from: question.from }, part);
  };
  scope.add(
    watch([picture, job, added], () => {
      const now = picture.peek();
      if (job.peek() < 0) rows.value = null;
      if (job.peek() < 0 || !now) return undefined;
      const { from, to, asked } = now;
      // A cell that a hit touches is filled, so cells are finer than shapes.
      const step = now.step > 1n ? now.step / 2n : 1n;
      const question = { from, to, step, tracks: asked.tracks, depths: asked.depths, merged: false };
      const timer = setTimeout(() => void ask(rows, question), rows.peek() ? REST_MS : 0);
      return () => clearTimeout(timer);
    }),
  );
  scope.add(
    watch([overview, job, added], () => {
      const now = overview.peek();
      if (job.peek() < 0) whole.value = null;
      if (job.peek() < 0 || !now || now.buckets === 0) return;
      const length = now.to > now.from ? now.to - now.from : 1n;
      void ask(whole, {
        from: now.from,
        // The last position belongs to the trace.
        to: (now.to + 1n) as Ticks,
        step: (length + BigInt(now.buckets) - 1n) / BigInt(now.buckets),
        tracks: now.rows,
        depths: Int32Array.from([...now.rows].flatMap(() => [LOWEST, HIGHEST])),
        merged: true,
      });
    }),
  );
  return { rows, whole, dispose: scope.dispose };
}

interface MarksQuestion {
  readonly from: Ticks;
  readonly to: Ticks;
  readonly step: bigint;
  readonly tracks: Uint32Array;
  readonly depths: Int32Array;
  readonly merged: boolean;
}
