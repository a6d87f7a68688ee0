/*
 * What a list of steps hides: the iterations of loops between the first and the last one, and the bodies of calls. A row stands in place
 * of each.
 */
import type { Loops } from '../../base/steps_protocol.ts';

/** A call whose steps are hidden. */
export interface FoldedCall {
  /** Its first step. */
  readonly from: number;
  /** The step after it. */
  readonly to: number;
  /** Id of its name. */
  readonly name: number;
}

/** A run of hidden steps. */
export interface Fold {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Whose iterations these are: its index in {@link Loops}. null for a call. */
  readonly loop: number | null;
  readonly call: FoldedCall | null;
}

/** Rows of a list, some of which stand for many. Rows of the list without folds are called steps here, counted from its first one. */
export interface FoldedRows {
  /** Number of rows. */
  readonly count: number;
  /** Number of folds. */
  readonly folds: number;
  /** The fold that a row stands for, or null. */
  foldAt(row: number): Fold | null;
  /** The step of a row; of a fold, its first one. */
  stepAt(row: number): number;
  /** The row of a step; of a hidden one, that of its fold. */
  rowOf(step: number): number;
}

/** Fewest iterations of a loop that is folded: the first and the last one are shown. */
const LEAST_FOLDED = 3;

/** A list of `count` steps with nothing hidden. */
export function unfolded(count: number): FoldedRows {
  return { count, folds: 0, foldAt: () => null, stepAt: (row) => row, rowOf: (step) => step };
}

/**
 * The list of `count` steps from number `base` on. Hidden are `calls`, by their begin, and the iterations of all loops but those that `isOpen`.
 * Where two folds overlap, the later one begins with the end of the earlier one.
 */
export function foldedRows(
  base: number,
  count: number,
  loops: Loops | null,
  isOpen: (loop: number) => boolean,
  calls: readonly FoldedCall[],
): FoldedRows {
  // For each fold its first step, the step after it, the rows of the list before it, and its loop, or -1 - the index of its call.
  const from: number[] = [];
  const to: number[] = [];
  const rows: number[] = [];
  const of: number[] = [];
  let until = base;
  /** Rows before the step `until`. */
  let before = 0;
  const hide = (first: number, end: number, what: number) => {
    const start = Math.max(first, until);
    const stop = Math.min(end, base + count);
    if (stop - start < 2) return;
    const row = before + (start - until);
    from.push(start - base);
    to.push(stop - base);
    rows.push(row);
    of.push(what);
    until = stop;
    before = row + 1;
  };
  let call = 0;
  const hideCallsTo = (step: number) => {
    for (; call < calls.length && calls[call]!.from <= step; call += 1)
      hide(calls[call]!.from, calls[call]!.to, -1 - call);
  };
  if (loops) {
    const { start, firstEnd, lastStart, count: iterations, shared } = loops;
    // Loops whose hidden iterations may come after those of loops in their first one. The innermost is the last.
    const waiting: number[] = [];
    const hideTo = (step: number) => {
      for (let last = waiting.at(-1); last !== undefined && firstEnd[last]! <= step; last = waiting.at(-1)) {
        waiting.pop();
        hideCallsTo(firstEnd[last]!);
        hide(firstEnd[last]!, lastStart[last]!, last);
      }
    };
    for (let loop = 0; loop < start.length; loop += 1) {
      hideTo(start[loop]!);
      const isHidden = start[loop]! < until && lastStart[loop]! <= until;
      if (isHidden || iterations[loop]! < LEAST_FOLDED || shared[loop] === 1 || isOpen(loop)) continue;
      waiting.push(loop);
    }
    hideTo(Number.POSITIVE_INFINITY);
  }
  hideCallsTo(Number.POSITIVE_INFINITY);

  /** The last fold whose value in `column` is not above `value`, or -1. */
  const lastTo = (column: readonly number[], value: number) => {
    let low = 0;
    let high = column.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    count: before + (base + count - until),
    folds: from.length,
    foldAt: (row) => {
      const at = lastTo(rows, row);
      if (at < 0 || rows[at] !== row) return null;
      const what = of[at]!;
      return {
        from: base + from[at]!,
        to: base + to[at]!,
        loop: what < 0 ? null : what,
        call: what < 0 ? calls[-1 - what]! : null,
      };
    },
    stepAt: (row) => {
      const at = lastTo(rows, row);
      if (at < 0) return row;
      return row === rows[at] ? from[at]! : to[at]! + (row - rows[at]! - 1);
    },
    rowOf: (step) => {
      const at = lastTo(from, step);
      if (at < 0) return step;
      return step < to[at]! ? rows[at]! : rows[at]! + 1 + (step - to[at]!);
    },
  };
}

/** The loop that begins at a step, the outermost one of those with three iterations at least; -1 for none. */
export function loopAt(loops: Loops, step: number): number {
  const { start, count, shared } = loops;
  let low = 0;
  let high = start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle]! < step) low = middle + 1;
    else high = middle;
  }
  for (let loop = low; start[loop] === step; loop += 1) {
    if (count[loop]! >= LEAST_FOLDED && shared[loop] === 0) return loop;
  }
  return -1;
}
