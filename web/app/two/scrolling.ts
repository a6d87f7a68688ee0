import { computed } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import { trackAt } from '../../timeline/layout.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { pairTracks } from '../../timeline/track_pairs.ts';

/** CSS pixels by which a track may be beside its place. */
const SLACK = 1;

/**
 * While the timelines are linked, scrolls the tracks of one along with those of the other, so that the counterpart of the first track on the
 * screen is as far up. Until disposed. `scrollers` are those of both.
 */
export function scrollTogether(pair: Pair, scrollers: readonly [HTMLElement, HTMLElement]): Dispose {
  const scope = createScope();
  const sides = [pair.a.timeline, pair.b.timeline] as const;
  const { isLinked } = alignmentOf(pair);
  const tracksOf = (side: 0 | 1) => sides[side].arrangement.ordered.value;
  const forth = computed(() => pairTracks(tracksOf(0), tracksOf(1)));
  const back = computed(() => new Map([...forth.value].map(([a, b]) => [b, a])));
  /** The scroller that is moved here, and where to. */
  let moved: { readonly scroller: HTMLElement; readonly top: number } | null = null;
  const follow = (side: 0 | 1) => {
    const scroller = scrollers[side];
    if (moved?.scroller === scroller) {
      // The user may have scrolled on before there was an event.
      const isThere = scroller.scrollTop === moved.top;
      moved = null;
      if (isThere) return;
    }
    const other = side === 0 ? 1 : 0;
    const [from, to] = [sides[side].layout.peek(), sides[other].layout.peek()];
    const top = from.pinnedHeight + scroller.scrollTop;
    const first = trackAt(from, top);
    const id = first && (side === 0 ? forth : back).value.get(first.track.id);
    const counterpart = to.tracks.find(({ track }) => track.id === id);
    if (!isLinked.peek() || !first || !counterpart) return;
    const target = counterpart.top - to.pinnedHeight + Math.min(top - first.top, counterpart.height);
    const follower = scrollers[other];
    const before = follower.scrollTop;
    if (Math.abs(before - target) <= SLACK) return;
    follower.scrollTop = target;
    // At the end of the tracks it may stay where it is, without an event.
    if (follower.scrollTop !== before) moved = { scroller: follower, top: follower.scrollTop };
  };
  scope.listen(scrollers[0], 'scroll', () => follow(0));
  scope.listen(scrollers[1], 'scroll', () => follow(1));
  return scope.dispose;
}
