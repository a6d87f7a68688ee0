import { LISTINGS, NO_PARENT, type TreeRows, type TreeView } from '../base/calls_protocol.ts';
import type { Names } from './names.ts';

/** The sort order of rows that are below the same row. */
export interface TreeSort {
  /** The key of a column: `name`, or one of figures. */
  readonly by: string;
  readonly descending: boolean;
}

/** The rows of a tree without their figures. */
export type TreeShape = Pick<TreeRows, 'length' | 'name' | 'parent' | 'state'>;

/** The figures of rows in a column; null for names. */
export type TreeFigures = (by: string) => ArrayLike<number> | null;

/** A row of the call tree on the screen. */
export interface TreeRow {
  /** Names from the outermost row to this one: {@link pathKey}. */
  readonly key: string;
  /** Index in the columns. */
  readonly index: number;
  /** From 1. */
  readonly level: number;
  /** Place among the rows below the same row, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  readonly state: 'leaf' | 'closed' | 'open';
}

const STATES = ['leaf', 'closed', 'open'] as const;

/** A path of names as text. */
export function pathKey(path: readonly number[]): string {
  return path.join(' ');
}

/** The key of the row above; '' for an outermost row. */
export function keyAbove(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf(' ')));
}

/**
 * The question for rows of which those in `open` are open, by their keys. Everything below the row `everything` is to be
 * opened as well: '' for all rows, null for none.
 */
export function treeView(inverted: boolean, open: ReadonlySet<string>, everything: string | null): TreeView {
  const numbers = new Map([['', 0]]);
  const parents: number[] = [];
  const names: number[] = [];
  // A row precedes those below it.
  const depth = (key: string) => key.split(' ').length;
  for (const key of [...open].sort((a, b) => depth(a) - depth(b))) {
    const above = numbers.get(keyAbove(key));
    // What is open below a closed row shows again when that is opened.
    if (above === undefined) continue;
    parents.push(above);
    names.push(Number(key.slice(key.lastIndexOf(' ') + 1)));
    numbers.set(key, names.length);
  }
  return {
    listing: LISTINGS.tree,
    inverted,
    parents: Uint32Array.from(parents),
    names: Uint32Array.from(names),
    everything: everything === null ? null : (numbers.get(everything) ?? null),
  };
}

/** The rows in their order on the screen. */
export function layRows(
  rows: TreeShape,
  figures: TreeFigures,
  sort: TreeSort,
  names: Pick<Names, 'shown'>,
): readonly TreeRow[] {
  const below = new Map<number, number[]>();
  for (let i = 0; i < rows.length; i += 1) {
    const parent = rows.parent[i]!;
    const list = below.get(parent);
    if (list) list.push(i);
    else below.set(parent, [i]);
  }
  const inOrder = orderOf(rows, figures(sort.by), sort, names);
  for (const list of below.values()) list.sort(inOrder);
  const laid: TreeRow[] = [];
  // The rows still to be placed, the next one last. Call stacks may be deeper than a recursion survives.
  const waiting: TreeRow[] = [];
  const put = (parent: number, above: string, level: number) => {
    const list = below.get(parent) ?? [];
    for (let k = list.length - 1; k >= 0; k -= 1) {
      const index = list[k]!;
      const key = above === '' ? String(rows.name[index]) : `${above} ${rows.name[index]}`;
      const state = STATES[rows.state[index]!] ?? 'leaf';
      waiting.push({ key, index, level, position: k + 1, siblings: list.length, state });
    }
  };
  put(NO_PARENT, '', 1);
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    laid.push(row);
    put(row.index, row.key, row.level + 1);
  }
  return laid;
}

function orderOf(
  rows: TreeShape,
  column: ArrayLike<number> | null,
  { descending }: TreeSort,
  names: Pick<Names, 'shown'>,
) {
  const direction = descending ? -1 : 1;
  if (!column) {
    const collator = new Intl.Collator(undefined, { numeric: true });
    return (a: number, b: number) =>
      direction * collator.compare(names.shown(rows.name[a]!), names.shown(rows.name[b]!));
  }
  return (a: number, b: number) => direction * (column[a]! - column[b]!) || a - b;
}

/** Where a key leads in the tree. */
export type TreeMove =
  | { readonly to: 'row'; readonly row: number }
  | { readonly to: 'open' | 'close'; readonly key: string }
  | null;

/** What the right or the left arrow does at `current`, the number of a row or -1. null for other keys. */
export function treeMove(rows: readonly TreeRow[], current: number, key: string): TreeMove {
  const row = rows[current];
  if (key === 'ArrowRight') {
    if (!row) return rows.length > 0 ? { to: 'row', row: 0 } : null;
    if (row.state === 'closed') return { to: 'open', key: row.key };
    return row.state === 'open' && current < rows.length - 1 ? { to: 'row', row: current + 1 } : null;
  }
  if (key !== 'ArrowLeft' || !row) return null;
  if (row.state === 'open') return { to: 'close', key: row.key };
  if (row.level === 1) return null;
  const above = keyAbove(row.key);
  return { to: 'row', row: rows.findIndex((candidate) => candidate.key === above) };
}

/** The next row whose name begins with `typed`, from `from` on and around; -1 without one. */
export function typedRow(rows: readonly TreeRow[], from: number, typed: string, nameOf: (index: number) => string) {
  const wanted = typed.toLowerCase();
  for (let k = 0; k < rows.length; k += 1) {
    const at = (Math.max(0, from) + k) % rows.length;
    if (nameOf(rows[at]!.index).toLowerCase().startsWith(wanted)) return at;
  }
  return -1;
}

/** The closed rows that are below the same row as the one with a key, that one included. */
export function closedSiblings(rows: readonly TreeRow[], key: string): readonly string[] {
  const above = keyAbove(key);
  return rows.filter((row) => row.state === 'closed' && keyAbove(row.key) === above).map((row) => row.key);
}
