import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
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
  /** Has positions stand below each other, or with null the starts of both, and links the timelines. */
  align(at: Aligned | null): void;
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
  const reachOfA = computed(() => reachOf(b, back));
  const reachOfB = computed(() => reachOf(a, forth));
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
  /** The one that the user has moved last leads. */
  let isLedByB = false;
  /** The view that was set last, which is not a move of the user. */
  let set: View | null = null;
  const follow = () => {
    const [leader, follower, way] = isLedByB ? [b, a, back.peek()] : [a, b, forth.peek()];
    const view = leader.timeline.view.peek();
    if (!isLinked.peek() || !view || !way) return;
    follower.timeline.goTo(viewBy(way, view), 'at once');
    set = follower.timeline.view.peek();
  };
  const lead = (leader: OpenTrace) => {
    const view = leader.timeline.view.peek();
    if (!view || view === set) return;
    isLedByB = leader === b;
    follow();
  };
  // Before its first move, the second one follows.
  let isFirst = true;
  scope.add(watch([isLinked, aligned, a.timeline.size, b.timeline.size], follow));
  scope.add(watch([a.timeline.view], () => lead(a)));
  scope.add(
    watch([b.timeline.view], () => {
      if (!isFirst && b.timeline.isMoved()) lead(b);
      isFirst = false;
    }),
  );
  scope.add(() => {
    a.timeline.reach.value = null;
    b.timeline.reach.value = null;
  });
  const align = (at: Aligned | null) => {
    batch(() => {
      chosen.value = at;
      isLinked.value = true;
    });
  };
  return { isLinked, chosen, aligned, align, dispose: scope.dispose };
});

/** Makes what is compared the base, and the other way round. The alignment stays. */
export function swapSides(pair: Pair): void {
  const { isLinked, chosen } = alignmentOf(pair);
  const before = { isLinked: isLinked.peek(), chosen: chosen.peek() };
  const { a } = pair;
  pair.swap();
  const swapped = a.pair.peek();
  if (!swapped) return;
  const now = alignmentOf(swapped);
  now.isLinked.value = before.isLinked;
  now.chosen.value = before.chosen && { a: before.chosen.b, b: before.chosen.a };
}

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
