import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { perTrace } from '../trace/per_trace.ts';
import { surveyOf } from '../trace/surveys.ts';
import type { Pair } from './open_trace.ts';

/** A frame of each of two traces, by their numbers; null where one has none. */
export interface FramePair {
  readonly a: number | null;
  readonly b: number | null;
}

/** What frames are paired by: the calls that both have, or their numbers. */
export type PairedBy = 'calls' | 'number';

/** What belongs together by the calls that both traces have. */
export interface Matched {
  /** All frames of both, in their order. */
  readonly frames: readonly FramePair[];
  /**
   * The call of the other trace that is the same as a call, or differs in its arguments only; null if there is none, and `undefined` if it is
   * not known which one.
   */
  across(call: number, side: 'a' | 'b'): number | null | undefined;
}

/** Which frames of two traces belong together. */
export interface FramePairs {
  /** What the user has chosen, at first by calls. */
  readonly by: Signal<PairedBy>;
  /** Whether the frames of both are listed beside each other, whichever trace is in front. */
  readonly isListed: Signal<boolean>;
  /** The comparison of records sets it; null until then. */
  readonly matched: Signal<Matched | null>;
  /** What {@link FramePairs.pairs} are paired by: by number until the calls of both were compared. */
  readonly paired: ReadonlySignal<PairedBy>;
  /** All frames of both, in their order. null until the frames of both were counted. */
  readonly pairs: ReadonlySignal<readonly FramePair[] | null>;
  /** The frame of the other trace that belongs to a frame; null if none does. Subscribes. */
  across(frame: number, side: 'a' | 'b'): number | null;
  /** As {@link Matched.across}; `undefined` while frames are paired by number. Subscribes. */
  callAcross(call: number, side: 'a' | 'b'): number | null | undefined;
}

/** The frames of a pair. */
export const framePairsOf = perTrace((pair: Pair): FramePairs => {
  const by = signal<PairedBy>('calls');
  const matched = signal<Matched | null>(null);
  const paired = computed(() => (matched.value ? by.value : 'number'));
  const pairs = computed(() => {
    if (paired.value === 'calls') return matched.value!.frames;
    const [a, b] = [surveyOf(pair.a).frames.value, surveyOf(pair.b).frames.value];
    return a && b && pairsByNumber(a.count, b.count);
  });
  const maps = computed(() => {
    const [toB, toA] = [new Map<number, number | null>(), new Map<number, number | null>()];
    for (const { a, b } of matched.value?.frames ?? []) {
      if (a !== null) toB.set(a, b);
      if (b !== null) toA.set(b, a);
    }
    return { a: toB, b: toA };
  });
  return {
    by,
    isListed: signal(false),
    matched,
    paired,
    pairs,
    across: (frame, side) => (paired.value === 'number' ? frame : (maps.value[side].get(frame) ?? null)),
    callAcross: (call, side) => (paired.value === 'number' ? undefined : matched.value!.across(call, side)),
  };
});

/** Pairs frames of the same number. `a`, `b`: how many there are. */
export function pairsByNumber(a: number, b: number): readonly FramePair[] {
  const number = (i: number, count: number) => (i < count ? i : null);
  return Array.from({ length: Math.max(a, b) }, (_, i) => ({ a: number(i, a), b: number(i, b) }));
}
