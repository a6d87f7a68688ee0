import { effect } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { FrameColumns } from '../../base/survey_protocol.ts';
import { type FramePair, framePairsOf, type Matched } from '../../timeline/frame_pairs.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { extentOf } from '../../trace/survey.ts';
import { surveyOf } from '../../trace/surveys.ts';
import { alignRows, type Beside } from './aligned_rows.ts';
import type { Hunk, Positions, RecordDifferences, Thread } from './records.ts';
import { positionOf } from './shown.ts';

/** A frame of each trace that have calls in common, and how many. */
type Share = readonly [a: number, b: number, calls: number];

/** As long as the differences between the calls of a pair are known, its frames are paired by the calls that both have. */
export function matchFrames({ state }: Pick<RecordDifferences, 'state'>, pair: Pair): Dispose {
  const scope = createScope();
  const { matched } = framePairsOf(pair);
  const surveys = [surveyOf(pair.a), surveyOf(pair.b)] as const;
  scope.add(
    effect(() => {
      const now = state.value;
      const [a, b] = surveys.map((survey) => (extentOf(survey) === 'going' ? null : survey.frames.value));
      matched.value = now.at === 'done' && a && b ? matchedBy(now.threads, now.hunks, a, b) : null;
    }),
  );
  scope.add(() => {
    matched.value = null;
  });
  return scope.dispose;
}

/** A thread of both: its records that are beside each other, and where they are. */
interface Calls {
  readonly both: readonly Beside[];
  readonly places: readonly [Positions, Positions];
  readonly lengths: Thread['lengths'];
}

/** Frames and calls that belong together by the calls that both have. */
export function matchedBy(
  threads: readonly Thread[],
  hunks: readonly Hunk[],
  a: Pick<FrameColumns, 'count' | 'last'>,
  b: Pick<FrameColumns, 'count' | 'last'>,
): Matched {
  const calls = threads.flatMap((thread): Calls | never[] => {
    const { positions, first, end, lengths } = thread;
    const [inA, inB] = positions;
    return inA && inB ? { both: alignRows(thread, hunks.slice(first, end)).both, places: [inA, inB], lengths } : [];
  });
  return {
    frames: pairsOf(chainOf(sharesOf(calls, a, b), b.count), a.count, b.count),
    across: (call, side) => {
      const [here, there] = side === 'a' ? ([0, 1] as const) : ([1, 0] as const);
      const other = side === 'a' ? 'b' : 'a';
      for (const { both, places, lengths } of calls) {
        const record = firstFrom(places[here], lengths[here], call);
        if (record >= lengths[here] || positionOf(places[here], record) !== call) continue;
        const found = both.findLast((it) => it[side] <= record);
        const beyond = found ? record - found[side] : 0;
        return found && beyond < found.length ? positionOf(places[there], found[other] + beyond) : null;
      }
      return undefined;
    },
  };
}

/** The first record of a thread at or after a position; `length` if there is none. Near enough where not each position is known. */
function firstFrom(places: Positions, length: number, x: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positionOf(places, middle) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many calls frames have in common. */
function sharesOf(
  calls: readonly Calls[],
  a: Pick<FrameColumns, 'count' | 'last'>,
  b: Pick<FrameColumns, 'count' | 'last'>,
): readonly Share[] {
  /** By frame of A, calls in common with frames of B. */
  const shares = new Map<number, Map<number, number>>();
  for (const { both, places, lengths } of calls) {
    /** By frame, the record of the thread after its last one. */
    const [endsA, endsB] = [a, b].map(({ count, last }, side) =>
      Array.from({ length: count }, (_, frame) =>
        firstFrom(places[side as 0 | 1], lengths[side as 0 | 1], last[frame]! + 1),
      ),
    );
    let [i, j] = [0, 0];
    for (const beside of both) {
      for (let done = 0; done < beside.length; ) {
        const [inA, inB] = [beside.a + done, beside.b + done];
        while (i < a.count && endsA![i]! <= inA) i += 1;
        while (j < b.count && endsB![j]! <= inB) j += 1;
        if (i === a.count || j === b.count) break;
        const length = Math.min(beside.length - done, endsA![i]! - inA, endsB![j]! - inB);
        const of = shares.get(i) ?? new Map<number, number>();
        of.set(j, (of.get(j) ?? 0) + length);
        shares.set(i, of);
        done += length;
      }
    }
  }
  return [...shares].flatMap(([i, of]) => [...of].map(([j, length]): Share => [i, j, length]));
}

/** The frames in their order on both sides that have most calls in common together. `count`: frames of B. */
function chainOf(shares: readonly Share[], count: number): readonly Share[] {
  interface Link {
    readonly share: Share;
    readonly before: Link | null;
    readonly weight: number;
  }
  /** Of frames of B, the best chain that ends at or before each: a Fenwick tree. */
  const best: (Link | null)[] = new Array(count + 1).fill(null);
  const until = (end: number) => {
    let found: Link | null = null;
    for (let at = end; at > 0; at -= at & -at) {
      const link = best[at]!;
      if (link && (!found || link.weight > found.weight)) found = link;
    }
    return found;
  };
  // Of one frame of A only one share counts: the later frame of B is first, so that none is before it.
  for (const share of [...shares].sort((one, other) => one[0] - other[0] || other[1] - one[1])) {
    const before = until(share[1]);
    const link: Link = { share, before, weight: share[2] + (before?.weight ?? 0) };
    for (let at = share[1] + 1; at <= count; at += at & -at) {
      if (!best[at] || link.weight > best[at]!.weight) best[at] = link;
    }
  }
  const chain: Share[] = [];
  for (let link = until(count); link; link = link.before) chain.push(link.share);
  return chain.reverse();
}

/** All frames of both in their order, those of a chain beside each other. */
function pairsOf(chain: readonly Share[], a: number, b: number): readonly FramePair[] {
  const pairs: FramePair[] = [];
  let [i, j] = [0, 0];
  const alone = (toA: number, toB: number) => {
    for (; i < toA; i += 1) pairs.push({ a: i, b: null });
    for (; j < toB; j += 1) pairs.push({ a: null, b: j });
  };
  for (const [inA, inB] of chain) {
    alone(inA, inB);
    pairs.push({ a: i++, b: j++ });
  }
  alone(a, b);
  return pairs;
}
