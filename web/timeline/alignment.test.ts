import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { createScope } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import type { Extent, View } from '../trace/view.ts';
import { alignmentOf, extentBy, swapSides, viewBy } from './alignment.ts';
import type { OpenTrace, Pair } from './open_trace.ts';

const of = (from: number, to: number): Extent => ({ from: ticks(BigInt(from)), to: ticks(BigInt(to)) });
const at = (anchor: number, perPixel = 1): View => ({ anchor: BigInt(anchor), fraction: 0, perPixel });

/** A trace whose timeline shows any view at once. */
function trace(extent: Extent, frequency = 1_000n) {
  const view = signal<View | null>(at(Number(extent.from)));
  return {
    trace: {
      progress: signal({ extent }),
      info: signal({ clock: { kind: 'seconds', frequency } }),
    },
    timeline: {
      view,
      reach: signal<Extent | null>(null),
      whole: signal(extent),
      size: signal({ width: 100, height: 100 }),
      isMoved: () => true,
      goTo: (next: View) => {
        view.value = next;
      },
    },
    pair: signal<Pair | null>(null),
  };
}

function paired(a = trace(of(1000, 2000)), b = trace(of(5000, 9000))) {
  const join = (first: typeof a, second: typeof a): Pair => {
    const scope = createScope();
    const swap = () => {
      scope.dispose();
      join(second, first);
    };
    const pair = { a: first, b: second, scope, swap } as unknown as Pair;
    for (const open of [first, second]) open.pair.value = pair;
    return pair;
  };
  return { a, b, pair: join(a, b) };
}
const viewOf = ({ timeline }: Pick<OpenTrace, 'timeline'> | ReturnType<typeof trace>) => timeline.view.value;

it('keeps two timelines together, aligned at the start, as far as either goes', () => {
  const { a, b, pair } = paired();
  const { isLinked } = alignmentOf(pair);
  expect([viewOf(a), viewOf(b)]).toEqual([at(1000), at(5000)]);
  expect([a.timeline.reach.value, b.timeline.reach.value]).toEqual([of(1000, 5000), of(5000, 6000)]);
  a.timeline.view.value = at(1500, 2);
  expect(viewOf(b)).toEqual(at(5500, 2));
  b.timeline.view.value = at(5100, 4);
  expect(viewOf(a)).toEqual(at(1100, 4));
  isLinked.value = false;
  expect([a.timeline.reach.value, b.timeline.reach.value]).toEqual([null, null]);
  b.timeline.view.value = at(8000);
  expect(viewOf(a)).toEqual(at(1100, 4));
  // The one that was moved last leads.
  isLinked.value = true;
  expect(viewOf(a)).toEqual(at(4000));
  pair.scope.dispose();
  expect(a.timeline.reach.value).toBeNull();
});

it('aligns at positions, and keeps them when the traces change places', () => {
  const { a, b, pair } = paired();
  const { align, isLinked } = alignmentOf(pair);
  isLinked.value = false;
  align({ a: 1200n, b: 8000n });
  expect([isLinked.value, viewOf(b)]).toEqual([true, at(7800)]);
  swapSides(pair);
  expect(alignmentOf(a.pair.value!).aligned.value).toEqual({ a: 8000n, b: 1200n });
  b.timeline.view.value = at(8000, 3);
  expect(viewOf(a)).toEqual(at(1200, 3));
});

it('compares times where clocks differ', () => {
  const way = { from: 1000n, to: 50n, scale: 2.5 };
  expect(viewBy(way, { anchor: 1001n, fraction: 0.5, perPixel: 4 })).toEqual({
    anchor: 53n,
    fraction: 0.75,
    perPixel: 10,
  });
  expect(extentBy(way, of(1000, 1100))).toEqual(of(50, 300));
  const { b, pair } = paired(trace(of(0, 100), 1_000n), trace(of(0, 500), 4_000n));
  alignmentOf(pair);
  pair.a.timeline.goTo(at(10));
  expect(viewOf(b)).toEqual(at(40, 4));
});
