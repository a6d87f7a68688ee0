import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { FIGURES, type FrameColumns } from '../base/survey_protocol.ts';
import { perTrace } from '../trace/per_trace.ts';
import { surveyOf } from '../trace/surveys.ts';
import type { Pair } from './open_trace.ts';

/** A frame of each of two traces, by their numbers; null where one has none. */
export interface FramePair {
  readonly a: number | null;
  readonly b: number | null;
}

/** What frames are paired by. */
export type PairedBy = 'number' | 'figures';

/** Which frames of two traces belong together. */
export interface FramePairs {
  /** At first by number. */
  readonly by: Signal<PairedBy>;
  /** Whether the frames of both are listed beside each other, whichever trace is in front. */
  readonly isListed: Signal<boolean>;
  /** All frames of both, in their order. null until the frames of both were counted. */
  readonly pairs: ReadonlySignal<readonly FramePair[] | null>;
  /** The frame of the other trace that belongs to a frame; null if none does. By number until both were counted. Subscribes. */
  across(frame: number, side: 'a' | 'b'): number | null;
}

/** The frames of a pair. Paired by figures, the calls of both are surveyed. */
export const framePairsOf = perTrace((pair: Pair): FramePairs => {
  const by = signal<PairedBy>('number');
  const pairs = computed(() => {
    const [a, b] = [surveyOf(pair.a).frames.value, surveyOf(pair.b).frames.value];
    return a && b && (by.value === 'number' ? pairsByNumber(a.count, b.count) : pairsByFigures(a, b));
  });
  const maps = computed(() => {
    const [toB, toA] = [new Map<number, number | null>(), new Map<number, number | null>()];
    for (const { a, b } of pairs.value ?? []) {
      if (a !== null) toB.set(a, b);
      if (b !== null) toA.set(b, a);
    }
    return { a: toB, b: toA };
  });
  return {
    by,
    isListed: signal(false),
    pairs,
    across: (frame, side) => {
      if (by.value === 'number') return frame;
      const found = maps.value[side];
      return found.size === 0 ? frame : (found.get(frame) ?? null);
    },
  };
});

/** Pairs frames of the same number. `a`, `b`: how many there are. */
export function pairsByNumber(a: number, b: number): readonly FramePair[] {
  const number = (i: number, count: number) => (i < count ? i : null);
  return Array.from({ length: Math.max(a, b) }, (_, i) => ({ a: number(i, a), b: number(i, b) }));
}

/** Edits that are looked for at most: beyond that, frames are paired in their order. Bounds time by edits × frames, and memory by their square. */
const MOST_EDITS = 1000;

/** Pairs frames whose figures are the same, as long as they come in the same order. What lies between such frames is paired in its order. */
export function pairsByFigures(a: FrameColumns, b: FrameColumns): readonly FramePair[] {
  const [first, second] = [tokensOf(a), tokensOf(b)];
  const pairs: FramePair[] = [];
  const between = (toA: number, toB: number) => {
    let [i, j] = [
      (pairs.findLast((it) => it.a !== null)?.a ?? -1) + 1,
      (pairs.findLast((it) => it.b !== null)?.b ?? -1) + 1,
    ];
    for (; i < toA || j < toB; i += 1, j += 1) pairs.push({ a: i < toA ? i : null, b: j < toB ? j : null });
  };
  for (const [i, j] of matchesOf(first, second)) {
    between(i, j);
    pairs.push({ a: i, b: j });
  }
  between(a.count, b.count);
  return pairs;
}

/** What a frame holds, as far as figures say. */
function tokensOf({ count, figures }: FrameColumns): readonly string[] {
  return Array.from({ length: count }, (_, i) => FIGURES.map((figure) => figures[figure][i]).join(' '));
}

/** Positions of equal tokens that a shortest edit script keeps (Myers, An O(ND) difference algorithm, 1986); only the common beginning and end if it is long. */
function matchesOf(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const room = Math.min(a.length, b.length) - head;
  while (tail < room && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const range = (count: number, i: number, j: number) =>
    Array.from({ length: count }, (_, k) => [i + k, j + k] as const);
  const middle = script(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [
    ...range(head, 0, 0),
    ...middle.map(([i, j]) => [i + head, j + head] as const),
    ...range(tail, a.length - tail, b.length - tail),
  ];
}

function script(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const most = Math.min(a.length + b.length, MOST_EDITS);
  /** How far each diagonal reaches in `a` after a number of edits, from diagonal -edits - 1 on. */
  const reached: Int32Array[] = [];
  const at = (edits: number, diagonal: number) => reached[edits]![diagonal + edits + 1]!;
  /** Whether the edit before is an insertion. */
  const isDown = (edits: number, k: number) =>
    k === -edits || (k !== edits && at(edits - 1, k - 1) < at(edits - 1, k + 1));
  const startOf = (edits: number, k: number) =>
    edits === 0 ? 0 : isDown(edits, k) ? at(edits - 1, k + 1) : at(edits - 1, k - 1) + 1;
  for (let edits = 0; edits <= most; edits += 1) {
    const row = new Int32Array(2 * edits + 3).fill(-1);
    reached.push(row);
    for (let k = -edits; k <= edits; k += 2) {
      let i = startOf(edits, k);
      while (i < a.length && i - k < b.length && a[i] === b[i - k]) i += 1;
      row[k + edits + 1] = i;
      if (i >= a.length && i - k >= b.length) return traced(edits, k);
    }
  }
  return [];

  function traced(edits: number, diagonal: number): readonly (readonly [number, number])[] {
    const matches: [number, number][] = [];
    let k = diagonal;
    for (let step = edits; step >= 0; step -= 1) {
      const from = startOf(step, k);
      for (let i = at(step, k) - 1; i >= from; i -= 1) matches.push([i, i - k]);
      if (step > 0) k += isDown(step, k) ? 1 : -1;
    }
    return matches.reverse();
  }
}
