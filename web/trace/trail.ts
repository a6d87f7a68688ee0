import { type ReadonlySignal, signal } from '@preact/signals';
import type { Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { Extent } from './view.ts';

/** The way from a wide range to a narrow one. */
export interface Trail {
  /** The earlier ranges around the current one, the widest first. Empty without a range. */
  readonly ranges: ReadonlySignal<readonly Extent[]>;
  readonly dispose: Dispose;
}

/** Ranges that are kept; of a longer way the widest go. */
const MOST = 20;

/** Follows a range: each narrower one within it makes the way longer, and leaving a range forgets it. */
export function createTrail(range: ReadonlySignal<Extent | null>): Trail {
  const ranges = signal<readonly Extent[]>([]);
  let before: Extent | null = null;
  const dispose = watch([range], () => {
    const now = range.peek();
    const way = before ? [...ranges.peek(), before] : ranges.peek();
    ranges.value = now ? way.filter((each) => encloses(each, now)).slice(-MOST) : [];
    before = now;
  });
  return { ranges, dispose };
}

/** Whether a range holds all of another one, and more. */
function encloses(outer: Extent, inner: Extent): boolean {
  const isWider = outer.from < inner.from || outer.to > inner.to;
  return isWider && outer.from <= inner.from && outer.to >= inner.to;
}
