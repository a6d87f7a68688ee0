import { type Flame, NO_NAME, NO_NODE } from '../base/protocol.ts';

/** CSS pixels of a row of the flame graph, with the gap below it. */
export const FLAME_ROW = 17;

/** How full the callers of what is in focus are drawn: they are there to go back to, not to be compared. */
const CALLER_FILL = 72;

/** A row: the nodes of one depth that have a name, sorted and free of overlap, as a renderer takes them. */
export interface FlameRow {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  /** Which node of the flame graph it is. */
  readonly index: Uint32Array;
  readonly fill: Uint8Array;
  /** Nodes without a name: the root, and several callees too narrow to be told apart. */
  readonly nameless: readonly number[];
}

/** Where each node is. The focus and its callers are as wide as the whole picture; widths are ticks of the focus. */
export interface LaidFlame {
  readonly flame: Flame;
  readonly rows: readonly FlameRow[];
  readonly row: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The width of the whole, in ticks; 0 when there is nothing. */
  readonly width: number;
}

/** Lays a flame graph out: callees side by side below their caller, from its left edge. */
export function layOutFlame(flame: Flame): LaidFlame {
  const { length, focus, parent, total, name } = flame;
  const width = total[focus] ?? 0;
  const row = new Uint32Array(length);
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  /** Where the next callee of each node begins. */
  const next = new Float64Array(length);
  const counts: number[] = [];
  for (let i = 0; i < length; i += 1) {
    const caller = parent[i]!;
    if (i > 0) row[i] = row[caller]! + 1;
    if (i > focus) {
      start[i] = next[caller]!;
      end[i] = start[i]! + total[i]!;
      next[caller] = end[i]!;
      next[i] = start[i]!;
    } else {
      end[i] = width;
    }
    if (name[i] !== NO_NAME) counts[row[i]!] = (counts[row[i]!] ?? 0) + 1;
    else counts[row[i]!] ??= 0;
  }
  const nameless: number[][] = counts.map(() => []);
  const rows = counts.map((count, depth) => ({
    start: new Float64Array(count),
    end: new Float64Array(count),
    name: new Uint32Array(count),
    index: new Uint32Array(count),
    fill: new Uint8Array(count).fill(255),
    nameless: nameless[depth]!,
  }));
  const used = new Uint32Array(rows.length);
  for (let i = 0; i < length; i += 1) {
    const depth = row[i]!;
    if (name[i] === NO_NAME) {
      nameless[depth]!.push(i);
      continue;
    }
    const to = rows[depth]!;
    const at = used[depth]!;
    used[depth] = at + 1;
    to.start[at] = start[i]!;
    to.end[at] = end[i]!;
    to.name[at] = name[i]!;
    to.index[at] = i;
    if (i < focus) to.fill[at] = CALLER_FILL;
  }
  return { flame, rows, row, start, end, width };
}

/** The node at `x` (a part of the width, 0 to 1) of a row, or -1. `slack` is how far beside it may be, as such a part. */
export function nodeAt({ rows, start, end, width }: LaidFlame, row: number, x: number, slack: number): number {
  const there = rows[row];
  if (!there || width === 0) return -1;
  const at = x * width;
  for (const i of there.nameless) if (at >= start[i]! && at < end[i]!) return i;
  let low = 0;
  let high = there.start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (there.end[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  if (low < there.start.length && there.start[low]! <= at + slack * width) return there.index[low]!;
  return low > 0 && there.end[low - 1]! >= at - slack * width ? there.index[low - 1]! : -1;
}

/** Where one goes in a flame graph by keyboard. */
export type FlameStep = 'caller' | 'callee' | 'next' | 'previous';

/** The node beside, above or below another one, or the same when there is none. The callee is the heaviest. */
export function flameStep({ flame, row }: LaidFlame, from: number, step: FlameStep): number {
  if (step === 'caller') return flame.parent[from]!;
  if (step === 'callee') {
    for (let i = from + 1; i < flame.length && row[i]! > row[from]!; i += 1) if (flame.parent[i] === from) return i;
    return from;
  }
  const by = step === 'next' ? 1 : -1;
  for (let i = from + by; i >= 0 && i < flame.length; i += by) if (row[i] === row[from]) return i;
  return from;
}

/** Whether there is a node of the call tree that can be in focus: several narrow ones are none. */
export function canFocus(flame: Flame, index: number): boolean {
  return index >= 0 && flame.node[index] !== NO_NODE && flame.node[index] !== undefined;
}
