import type { Functions } from '../base/protocol.ts';
import type { Names } from './names.ts';

/** A column of the table of functions. */
export type FunctionColumn = 'name' | 'count' | 'total' | 'self' | 'min' | 'median' | 'p90' | 'p99' | 'max';

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

/** Columns that may be left out. */
const OPTIONAL = ['count', 'self', 'min', 'median', 'p90', 'p99', 'max'] as const;

/** The columns that are 1 in every row, as the lengths of calls that count nothing but themselves. They say nothing. */
export function idleColumns(functions: Functions): ReadonlySet<FunctionColumn> {
  const isIdle = (by: (typeof OPTIONAL)[number]) => functions.length > 0 && functions[by].every((value) => value === 1);
  return new Set(OPTIONAL.filter(isIdle));
}

/**
 * The rows of the table in order, as indices into the columns: functions whose names contain `filter`, at most
 * {@link MOST_ROWS}. Ties are in the order of name ids.
 */
export function functionRows(functions: Functions, names: Names, sort: Sort, filter: string): Uint32Array {
  const wanted = filter.trim().toLowerCase();
  const found: number[] = [];
  for (let i = 0; i < functions.length; i += 1) {
    const id = functions.name[i]!;
    // By id or address, too, where another text is shown.
    const fits = (text: string) => text.toLowerCase().includes(wanted);
    if (wanted === '' || fits(names.of(id)) || fits(names.keyOf(id))) found.push(i);
  }
  const direction = sort.descending ? -1 : 1;
  if (sort.by === 'name') {
    const order = new Intl.Collator(undefined, { numeric: true });
    found.sort((a, b) => direction * order.compare(names.of(functions.name[a]!), names.of(functions.name[b]!)));
  } else {
    const column = functions[sort.by];
    found.sort((a, b) => direction * (column[a]! - column[b]!) || a - b);
  }
  return Uint32Array.from(found.length > MOST_ROWS ? found.slice(0, MOST_ROWS) : found);
}
