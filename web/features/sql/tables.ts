import { formatBytes, formatCount } from '../../base/format.ts';
import type { SqlRange } from '../../base/trace_protocol.ts';
import type { Trace } from '../../trace/trace.ts';

/** Most rows of the tables for SQL: at 45 bytes each they take 450 MB. */
const MOST_TABLE_ROWS = 10_000_000;
/** Pages of a portion: 2 MiB, about ten milliseconds of the trace's worker. */
const PORTION_PAGES = 32;

/** Most rows of `records` and `fields` together, and bytes of their values: they are inserted, which takes about a second for a million. */
const MOST_DETAIL_ROWS = 2_000_000;
const MOST_DETAIL_BYTES = 256 * 2 ** 20;

/** A database in portions, of which all but the last are equally long. `size` is in bytes. */
export interface Gathered {
  readonly size: number;
  readonly portions: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Fetches the tables of a range of a trace, or of all of it, from its worker. `hear` gets the share that is there, from 0 to 1, and
 * returns whether to go on. Resolves with a sentence if they are too many, or take more bytes than there is `room` for, and with null if it
 * was not to go on or the worker ended.
 */
export async function gatherTables(
  trace: Pick<Trace, 'tables'>,
  range: SqlRange | null,
  hear: (share: number) => boolean,
  room = Number.POSITIVE_INFINITY,
): Promise<Gathered | string | null> {
  const portions: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const reply = await trace.tables(range, portions.length * PORTION_PAGES, PORTION_PAGES);
    if (!reply) return null;
    const { rows, size, pages } = reply;
    if (rows > MOST_TABLE_ROWS) {
      const of = range ? 'This range' : 'This trace';
      return `${of} has ${formatCount(rows)} rows. SQL takes ${formatCount(MOST_TABLE_ROWS)} at a time: select a shorter range by dragging on the ruler.`;
    }
    if (size > room) {
      const of = range ? 'this range' : 'this trace';
      return `The tables of ${of} take ${formatBytes(size)}, and ${formatBytes(room)} of memory are left. Select a shorter range by dragging on the ruler.`;
    }
    portions.push(pages);
    bytes += pages.length;
    if (bytes >= size || pages.length === 0) return { size, portions };
    if (!hear(bytes / size)) return null;
  }
}

/**
 * Has the records of a range, or of the whole trace, read with their fields. `take` gets them in portions with the share that is there, and
 * returns whether to go on. Resolves with the number of rows if there are more, 0 if these are all, with a sentence if they cannot be
 * read, and with null if it was not to go on or the worker ended.
 */
export async function gatherRecords(
  { records }: { readonly records: Pick<Trace['records'], 'tabulate'> },
  range: SqlRange | null,
  take: (portion: Uint8Array<ArrayBuffer>, share: number) => boolean,
): Promise<number | string | null> {
  let [next, rows, bytes] = [0, 0, 0];
  for (;;) {
    const [mostRows, mostBytes] = [MOST_DETAIL_ROWS - rows, MOST_DETAIL_BYTES - bytes];
    const reply = await records.tabulate({ range, next, rows: mostRows, bytes: mostBytes });
    if (!reply) return null;
    if (!reply.value) return reply.error?.sentence ?? 'The records could not be read.';
    const part = reply.value;
    const isFull = part.rows >= mostRows || part.bytes.length >= mostBytes;
    [next, rows, bytes] = [part.next, rows + part.rows, bytes + part.bytes.length];
    if (!take(part.bytes, next / Math.max(1, part.of))) return null;
    if (isFull) return rows;
    if (next >= part.of) return 0;
  }
}
