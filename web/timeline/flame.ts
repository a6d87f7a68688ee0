import { type Flame, NO_NAME } from '../base/protocol.ts';

/** CSS pixels of a row of the flame graph, including the gap below it. */
export const FLAME_ROW = 17;

/** Fill of the callers of the node in focus, out of 255. They serve navigation, not comparison. */
const CALLER_FILL = 72;

/** The named nodes of one depth as columns for a renderer, sorted and free of overlap. */
export interface FlameRow {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly name: Uint32Array;
  /** Index of the node in the flame graph. */
  readonly index: Uint32Array;
  readonly fill: Uint8Array;
  /** Indices of the nodes without a name: the root, and merged groups of narrow callees. */
  readonly nameless: readonly number[];
}

/** The place of each node. The focus and its callers have the full width. Starts, ends and widths are ticks. */
export interface LaidFlame {
  readonly flame: Flame;
  readonly rows: readonly FlameRow[];
  /** Below 0 for nodes that are not drawn. */
  readonly row: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The total of the focus in ticks; 0 for an empty graph. */
  readonly width: number;
}

/**
 * Lays out a flame graph: callees side by side below their caller, from its left edge. The first `hidden` rows are not
 * drawn.
 */
export function layOutFlame(flame: Flame, hidden = 0): LaidFlame {
  const { length, focus, parent, total, name } = flame;
  const width = total[focus] ?? 0;
  const row = new Int32Array(length);
  const start = new Float64Array(length);
  const end = new Float64Array(length);
  /** The start of the next callee of each node. */
  const next = new Float64Array(length);
  const counts: number[] = [];
  for (let i = 0; i < length; i += 1) {
    const caller = parent[i]!;
    row[i] = i > 0 ? row[caller]! + 1 : -hidden;
    if (i > focus) {
      start[i] = next[caller]!;
      end[i] = start[i]! + total[i]!;
      next[caller] = end[i]!;
      next[i] = start[i]!;
    } else {
      end[i] = width;
    }
    if (row[i]! < 0) continue;
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
    if (depth < 0) continue;
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

/** Index of the node at `x` in a row, or -1. `x` and the tolerance `slack` are fractions of the width, 0 to 1. */
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

/** A step of the keyboard cursor. */
export type FlameStep = 'caller' | 'callee' | 'next' | 'previous';

/** Index of the node one step from `from`, or `from` if there is none. The callee is the heaviest one. */
export function flameStep({ flame, row }: LaidFlame, from: number, step: FlameStep): number {
  if (step === 'caller') return row[flame.parent[from]!]! < 0 ? from : flame.parent[from]!;
  if (step === 'callee') {
    for (let i = from + 1; i < flame.length && row[i]! > row[from]!; i += 1) if (flame.parent[i] === from) return i;
    return from;
  }
  const by = step === 'next' ? 1 : -1;
  for (let i = from + by; i >= 0 && i < flame.length; i += by) if (row[i] === row[from]) return i;
  return from;
}

/** Whether the node at an index can be in focus. A merged group of narrow nodes cannot. */
export function canFocus(flame: Flame, index: number): boolean {
  return index >= 0 && index < flame.length && (index === 0 || flame.name[index] !== NO_NAME);
}

/** The names from the root to a node, without the root. */
export function flamePath(flame: Flame, index: number): number[] {
  const path: number[] = [];
  for (let i = index; i > 0; i = flame.parent[i]!) path.push(flame.name[i]!);
  return path.reverse();
}

/** Index of the node at the end of a path, or -1. */
export function flameIndex(flame: Flame, path: readonly number[]): number {
  let at = 0;
  for (const name of path) {
    let next = at + 1;
    while (next < flame.length && (flame.parent[next] !== at || flame.name[next] !== name)) next += 1;
    if (next >= flame.length) return -1;
    at = next;
  }
  return at;
}
