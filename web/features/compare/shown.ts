import { effect } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import { differencesOf } from '../../page/differences.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import { differingOf } from '../../timeline/marked.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { DIFFERING } from '../../timeline/render/palette.ts';
import type { KindOfStretch } from '../../trace/range_marks.ts';
import type { Ends, Hunk, Positions, RecordDifferences, Thread } from './records.ts';
import { wordsOf } from './work.ts';

/** The kind of marks of what was executed, as in `abouts` of the palette. */
const EXECUTED = 1;

/** Selects records in both traces, and has them stand below each other. */
export function reveal(pair: Pair, [first, second]: Ends): void {
  const { a, b } = pair;
  if (first && second) alignmentOf(pair).align({ a: first.x, b: second.x });
  if (first) a.selection.revealRecord(first);
  if (second) {
    b.selection.selectRecord(second);
    b.selection.revealRow();
  }
}

/** Chooses a difference, and shows it in both traces. */
export function showDifference(differences: RecordDifferences, pair: Pair, number: number): void {
  const state = differences.state.peek();
  const hunk = state.at === 'done' ? state.hunks[number] : undefined;
  if (!hunk) return;
  differences.chosen.value = number;
  void differences.records(hunk).then((ends) => {
    if (differences.chosen.peek() === number) reveal(pair, ends);
  });
}

/** As long as differences are known, both timelines have marks of them, and keys go from one to the next. */
export function showDifferences(differences: RecordDifferences, pair: Pair): Dispose {
  const scope = createScope();
  const { known, progress } = differencesOf(pair);
  const marks = [differingOf(pair.a), differingOf(pair.b)] as const;
  const forget = () => {
    known.value = null;
    for (const of of marks) of.set(null);
  };
  scope.add(
    effect(() => {
      const state = differences.state.value;
      progress.value = state.at === 'done' ? '' : wordsOf(state);
      if (state.at !== 'done' || state.hunks.length === 0) return forget();
      for (const side of [0, 1] as const) marks[side].set(stretchesOf(state.threads, state.hunks, side));
      known.value = {
        step: (by) => {
          const next = differences.beside(by);
          if (next >= 0) showDifference(differences, pair, next);
        },
      };
    }),
  );
  scope.add(forget);
  return scope.dispose;
}

/** Where differences are on the timeline of A (0) or B (1): what A has alone and what B has, where it would be. Then what only this one executed. */
export function stretchesOf(threads: readonly Thread[], hunks: readonly Hunk[], side: 0 | 1): readonly KindOfStretch[] {
  const kinds = (['a', 'b'] as const).map((of) => ({ of, stretches: new Map<number, Float64Array>() }));
  const alone = new Map<number, Float64Array>();
  for (const { tracks, positions, first, end, alone: own } of threads) {
    const [track, places] = [tracks[side], positions[side]];
    if (track === null || !places) continue;
    const at = (from: number, to: number) => [positionOf(places, from), positionOf(places, Math.max(from, to - 1))];
    for (const { of, stretches } of kinds) {
      const found: number[] = [];
      for (let number = first; number < end; number += 1) {
        const hunk = hunks[number]!;
        if (hunk[of][0] !== hunk[of][1]) {
          const [from, to] = hunk[side === 0 ? 'a' : 'b'];
          found.push(...at(from, to));
        }
      }
      stretches.set(track, Float64Array.from(found));
    }
    const executed = own[side];
    if (executed.length === 0) continue;
    const found = new Float64Array(executed.length);
    for (let i = 0; i < executed.length; i += 2) found.set(at(executed[i]!, executed[i + 1]!), i);
    alone.set(track, found);
  }
  const differing = kinds.map(({ of, stretches }) => ({ about: DIFFERING[of], stretches }));
  return alone.size > 0 ? [...differing, { about: EXECUTED, stretches: alone }] : differing;
}

/** About where a record is on the x axis; after the last one, where that is. */
export function positionOf({ every, shift }: Positions, number: number): number {
  const at = Math.min(every.length - 1, Math.floor(number / 2 ** shift));
  const [from, to] = [every[at] ?? 0n, every[at + 1]];
  const start = Number(from);
  if (to === undefined || to < from) return start;
  return Math.floor(start + (Number(to - from) * (number - at * 2 ** shift)) / 2 ** shift);
}
