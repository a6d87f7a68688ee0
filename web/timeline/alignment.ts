import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Clock } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import { perTrace } from '../trace/per_trace.ts';
import type { Extent, View } from '../trace/view.ts';
import type { OpenTrace, Pair } from './open_trace.ts';

/** Positions of two traces that stand below each other. */
export interface Aligned {
  readonly a: bigint;
  readonly b: bigint;
}

/** How the timelines of two traces stand to each other. */
export interface Alignment {
  /** Whether both show the same stretch: what moves one moves the other. */
  readonly isLinked: Signal<boolean>;
  /** What the user has chosen to stand below each other; null for the starts of both. */
  readonly chosen: Signal<Aligned | null>;
  /** The positions that stand below each other. null until both have some. */
  readonly aligned: ReadonlySignal<Aligned | null>;
  readonly dispose: Dispose;
}

/** The alignment of a pair, at first at the starts, and linked. While it is linked, it keeps the views of both timelines together. */
export const alignmentOf = perTrace((pair: Pair): Alignment => {
  const { a, b } = pair;
  const scope = createScope();
  const isLinked = signal(true);
  const chosen = signal<Aligned | null>(null);
  const aligned = computed<Aligned | null>(() => {
    const [first, second] = [a.trace.progress.value.extent, b.trace.progress.value.extent];
    return chosen.value ?? (first && second && { a: first.from, b: second.from });
  });
  /** Ticks of the one for each of the other. */
  const scale = computed(() => frequencyOf(b) / frequencyOf(a));
  const forth = computed(() => aligned.value && { from: aligned.value.a, to: aligned.value.b, scale: scale.value });
  const back = computed(() => aligned.value && { from: aligned.value.b, to: aligned.value.a, scale: 1 / scale.value });
  const reachOf = (other: OpenTrace, way: ReadonlySignal<Way | null>) => {
    const whole = other.timeline.whole.value;
    return isLinked.value && whole && way.value ? extentBy(way.value, whole) : null;
  };
  /** Parts of equal extents are one value: these are computed with each report of progress. */
  const reachOfA = computed(() => reachOf(b, back));
  const reachOfB = computed(() => reachOf(a, forth));
  let set: View | null = null;
  const follow = (leader: OpenTrace, follower: OpenTrace, way: ReadonlySignal<Way | null>) => {
    const view = leader.timeline.view.peek();
    // What this has set itself is no move of the user.
    if (!isLinked.peek() || !view || !way.peek() || view === set) return;
    follower.timeline.goTo(viewBy(way.peek()!, view), 'at once');
    set = follower.timeline.view.peek();
  };
  scope.add(
    watch([reachOfA], () => {
      a.timeline.reach.value = reachOfA.peek();
    }),
  );
  scope.add(
    watch([reachOfB], () => {
      b.timeline.reach.value = reachOfB.peek();
    }),
  );
  // The second one begins with what the first one shows, and whenever they are linked or aligned anew.
  scope.add(watch([a.timeline.view, b.timeline.size, isLinked, forth], () => follow(a, b, forth)));
  let isFirst = true;
  scope.add(
    watch([b.timeline.view], () => {
      if (!isFirst) follow(b, a, back);
      isFirst = false;
    }),
  );
  scope.add(() => {
    a.timeline.reach.value = null;
    b.timeline.reach.value = null;
  });
  return { isLinked, chosen, aligned, dispose: scope.dispose };
});

/** From positions of a trace to those of another. `scale`: ticks there for each tick here. */
export interface Way {
  readonly from: bigint;
  readonly to: bigint;
  readonly scale: number;
}

/** The view of another trace that shows what stands below a view. */
export function viewBy({ from, to, scale }: Way, { anchor, fraction, perPixel }: View): View {
  if (scale === 1) return { anchor: to + anchor - from, fraction, perPixel };
  const away = (Number(anchor - from) + fraction) * scale;
  const whole = Math.floor(away);
  return { anchor: to + BigInt(whole), fraction: away - whole, perPixel: perPixel * scale };
}

/** The part of the axis of another trace that stands below an extent. It may begin before the axis. */
export function extentBy({ from, to, scale }: Way, extent: Extent): Extent {
  const at = (position: bigint) =>
    scale === 1 ? to + position - from : to + BigInt(Math.floor(Number(position - from) * scale));
  return { from: ticks(at(extent.from)), to: ticks(at(extent.to)) };
}

function frequencyOf({ trace }: OpenTrace): number {
  const clock: Clock | undefined = trace.info.value?.clock;
  return clock?.kind === 'seconds' ? Number(clock.frequency) : 1;
}
