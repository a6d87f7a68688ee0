import type { Signal } from '@preact/signals';
import { formatCount } from '../../base/format.ts';
import { inOrder, NUMBERS, numbersWhere } from '../../base/order.ts';
import { PORTION, type Portions } from '../../base/portions.ts';
import type { Functions } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Names } from '../../trace/names.ts';
import type { Told } from '../../trace/statistics.ts';
import type { FunctionFilter } from './function_filter.ts';

/** A column of the table of functions. */
export type FunctionColumn = 'name' | 'count' | 'total' | 'self' | 'min' | 'median' | 'p90' | 'p99' | 'max' | 'bytes';

/** The columns from the left. The share of the total is sorted with it. */
const FUNCTION_COLUMNS = [
  'name',
  'count',
  'total',
  'share',
  'self',
  'min',
  'median',
  'p90',
  'p99',
  'max',
  'bytes',
] as const satisfies readonly (FunctionColumn | 'share')[];

/** The sort order of the table. */
export interface Sort {
  readonly by: FunctionColumn;
  readonly descending: boolean;
}

/** Maximum number of rows. Browsers do not lay out longer tables exactly; the filter reaches the other rows. */
export const MOST_ROWS = 100_000;

/**
 * The sort order after a click on the head of column `by`: first descending for numbers and ascending for names, then
 * reversed.
 */
export function sortedBy(sort: Sort, by: FunctionColumn): Sort {
  return { by, descending: sort.by === by ? !sort.descending : by !== 'name' };
}

/**
 * Finds the rows of the table in order, as indices into the columns: functions for which `holds`, by name id. Ties are in the order of name ids.
 */
export function* functionRows(
  functions: Functions,
  names: Names,
  sort: Sort,
  holds: (name: number) => boolean,
): Portions<Uint32Array> {
  const rows = yield* numbersWhere(functions.length, (row) => holds(functions.name[row]!));
  const direction = sort.descending ? -1 : 1;
  if (sort.by === 'name') {
    const collator = new Intl.Collator(undefined, { numeric: true });
    const nameOf = (row: number) => names.shown(functions.name[row]!);
    return yield* inOrder(rows, (a, b) => direction * collator.compare(nameOf(a), nameOf(b)), PORTION);
  }
  const column = functions[sort.by];
  return yield* inOrder(rows, (a, b) => direction * (column[a]! - column[b]!) || a - b, NUMBERS);
}

/** Figures, and the rows of the table that list them: the first {@link MOST_ROWS} of `count`. */
export interface Listed {
  readonly told: Told<Functions> | null;
  readonly rows: Uint32Array;
  readonly count: number;
}

/** Words around the number of all functions: how many of them a filter leaves, and how many of these have rows. */
export function partWords(count: number, length: number, filter: string) {
  return {
    of: count < length && filter.trim() !== '' ? `${formatCount(count)} of ` : '',
    cut: count > MOST_ROWS ? `, the first ${formatCount(MOST_ROWS)} shown` : '',
  };
}

/** No figures yet. */
export const NOTHING_LISTED: Listed = { told: null, rows: new Uint32Array(), count: 0 };

/** Lists the figures as they are now. Reads first what the rows depend on. */
export function listedOf(
  { trace: { names }, statistics }: OpenTrace,
  { value: sort }: Signal<Sort>,
  { holds: { value: holds } }: FunctionFilter,
): Portions<Listed> {
  const told = statistics.functions.value;
  void names.version.value;
  return (function* () {
    if (!told) return NOTHING_LISTED;
    const rows = yield* functionRows(told.columns, names, sort, holds);
    return { told, rows: rows.slice(0, MOST_ROWS), count: rows.length };
  })();
}

/**
 * The columns that say something: not those that repeat another one for every function. Where each function takes equally
 * long each time, as many calls of a trace that counts calls, durations follow from the total and the count.
 */
export function tellingColumns({
  length,
  count,
  total,
  self,
  min,
  max,
  bytes,
}: Functions): readonly (FunctionColumn | 'share')[] {
  const differ = (a: Float64Array, b: Float64Array) => {
    for (let i = 0; i < length; i += 1) if (a[i] !== b[i]) return true;
    return false;
  };
  const takesTime = total.some((value) => value > 0);
  const counts = count.some((value) => value !== 1);
  const says: Partial<Record<FunctionColumn | 'share', boolean>> = {
    // Each name is that of one slice, as those of frames are.
    count: counts || !takesTime,
    total: takesTime && (!counts || differ(total, count)),
    share: takesTime,
    self: differ(self, total),
    bytes: bytes.some((value) => value > 0),
  };
  const durations = differ(min, max);
  for (const by of ['min', 'median', 'p90', 'p99', 'max'] as const) says[by] = durations;
  return FUNCTION_COLUMNS.filter((column) => length === 0 || (says[column] ?? true));
}

/** The time of all outermost calls, the whole that shares are of: self times do not overlap. */
export function wholeOf({ self }: Functions): number {
  return self.reduce((sum, value) => sum + value, 0);
}
