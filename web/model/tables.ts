import { formatCount } from '../base/format.ts';
import type { SqlRange } from '../base/messages.ts';
import type { Trace } from './trace.ts';

/** Most rows of the tables for SQL: at 45 bytes each they take 450 MB. */
export const MOST_TABLE_ROWS = 10_000_000;
/** Pages of a portion: 2 MiB, about ten milliseconds of the trace's worker. */
const PORTION_PAGES = 32;

/** A database in portions, of which all but the last are equally long. `size` is in bytes. */
export interface Gathered {
  readonly size: number;
  readonly portions: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Fetches the tables of a range of a trace, or of all of it, from its worker. `hear` gets the share that is there, from 0 to 1, and
 * returns whether to go on. Resolves with a sentence if they are too many, and with null if it was not to go on or the worker ended.
 */
export async function gatherTables(
  trace: Pick<Trace, 'tables'>,
  range: SqlRange | null,
  hear: (share: number) => boolean,
): Promise<Gathered | string | null> {
  const portions: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const reply = await trace.tables(range, portions.length * PORTION_PAGES, PORTION_PAGES);
    if (!reply) return null;
    const { rows, size, pages } = reply;
    if (rows > MOST_TABLE_ROWS) {
      const of = range ? 'This range' : 'This trace';
      return `${of} has ${formatCount(rows)} rows. SQL takes ${formatCount(MOST_TABLE_ROWS)} at a time: select a shorter range by a drag with Shift.`;
    }
    portions.push(pages);
    bytes += pages.length;
    if (bytes >= size || pages.length === 0) return { size, portions };
    if (!hear(bytes / size)) return null;
  }
}
