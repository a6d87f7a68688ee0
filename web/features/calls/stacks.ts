import { NO_PARENT, type TreeRows } from '../../base/calls_protocol.ts';

/** What decides which stacks are listed. */
export const STACK_ORDERS = ['self', 'total', 'count'] as const;
export type StackOrder = (typeof STACK_ORDERS)[number];

/** One stack. Times are ticks. */
export interface Stack {
  /** Name ids from the outermost function to the innermost one, with spaces between them: the key of its row in the tree. */
  readonly key: string;
  readonly path: readonly number[];
  /** Time in the innermost function with its callees, and in itself. */
  readonly total: number;
  readonly self: number;
  /** Calls of the innermost function. */
  readonly count: number;
}

/** The heaviest stacks of a range, the heaviest first. */
export interface Stacks {
  readonly order: StackOrder;
  readonly stacks: readonly Stack[];
  /** Stacks that are not listed. */
  readonly cut: number;
  /** Ticks in which any call was open. */
  readonly whole: number;
  /** Calls and self time of the listed stacks. */
  readonly count: number;
  readonly self: number;
}

/** The listed stacks of the rows that the worker sends for {@link StackOrder}. */
export function stacksOf(rows: TreeRows, order: StackOrder): Stacks {
  const listed: number[] = [];
  for (let i = 0; i < rows.length; i += 1) if (rows.state[i] === 1) listed.push(i);
  const weight = rows[order];
  listed.sort((a, b) => weight[b]! - weight[a]! || a - b);
  const stacks = listed.map((i): Stack => {
    const path = pathTo(rows, i);
    return { key: path.join(' '), path, total: rows.total[i]!, self: rows.self[i]!, count: rows.count[i]! };
  });
  const sum = (of: 'count' | 'self') => stacks.reduce((all, stack) => all + stack[of], 0);
  return { order, stacks, cut: rows.cut, whole: rows.whole, count: sum('count'), self: sum('self') };
}

function pathTo(rows: TreeRows, row: number): readonly number[] {
  const path: number[] = [];
  for (let at = row; at !== NO_PARENT; at = rows.parent[at]!) path.push(rows.name[at]!);
  return path.reverse();
}

/** A line of a stack on the screen: a function at a depth, or a number of functions that are left out. */
export type StackLine =
  | { readonly depth: number; readonly name: number }
  | { readonly depth: number; readonly leftOut: number };

/** The lines of a stack, innermost first. A stack with more than `most` calls keeps its innermost and outermost ones. */
export function stackLines(path: readonly number[], most: number): readonly StackLine[] {
  const line = (depth: number): StackLine => ({ depth, name: path[depth]! });
  const all = path.map((_, depth) => line(depth)).reverse();
  if (path.length <= most) return all;
  const outer = Math.floor((most - 1) / 3);
  const inner = most - 1 - outer;
  const leftOut = path.length - inner - outer;
  return [...all.slice(0, inner), { depth: outer, leftOut }, ...all.slice(all.length - outer)];
}
