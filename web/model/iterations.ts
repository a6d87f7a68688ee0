import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { WrongExpression } from '../base/find_protocol.ts';
import type { Ticks } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import type { IterationRow, IterationTable } from '../base/values_protocol.ts';
import { watch } from '../base/watch.ts';
import { SETTLED_MS } from './search.ts';
import type { Selection } from './selection.ts';
import type { Trace } from './trace.ts';

/** Rows of a block, which are requested together, and blocks kept. */
const BLOCK = 64;
const KEPT = 64;

/** The variables of one statement over its occurrences. */
export interface Iterations {
  /** null while it is made. */
  readonly table: ReadonlySignal<IterationTable | null>;
  /** The query that leaves some occurrences. */
  readonly text: Signal<string>;
  readonly wrong: ReadonlySignal<WrongExpression | null>;
  /** By a column, or by the order of the trace: -1. */
  readonly sort: Signal<{ readonly column: number; readonly descending: boolean }>;
  /** The row of the selection, or -1. */
  readonly current: ReadonlySignal<number>;
  /** Counts arrivals of rows. */
  readonly version: ReadonlySignal<number>;
  row(number: number): IterationRow | null;
  /** Requests the rows of a part that are not there yet, `end` exclusive. */
  want(first: number, end: number): void;
  /** Some rows, for a person who takes them along. */
  page(first: number, count: number): Promise<readonly IterationRow[] | null>;
  /** Selects the point of a row, in the timeline as well. */
  choose(row: number): void;
  readonly dispose: Dispose;
}

/** The table of the statement with a number, whose points are on `track`. There is one at a time. */
export function createIterations(
  trace: { readonly records: Pick<Trace['records'], 'aboutValues'> },
  selection: Pick<Selection, 'selected' | 'record' | 'revealRecord'>,
  statement: number,
  track: number,
): Iterations {
  const { aboutValues } = trace.records;
  const scope = createScope();
  const table = signal<IterationTable | null>(null);
  const text = signal('');
  const wrong = signal<WrongExpression | null>(null);
  const sort = signal({ column: -1, descending: false });
  const current = signal(-1);
  const version = signal(0);
  const blocks = new Map<number, readonly IterationRow[]>();
  const requested = new Set<number>();
  /** A row that is to be chosen when it arrives, or -1. */
  let awaited = -1;
  /** Counts what makes rows outdated. */
  let era = 0;
  let mine: Ticks | null = null;

  const renew = () => {
    era += 1;
    blocks.clear();
    requested.clear();
    version.value += 1;
  };
  const make = async (query: string) => {
    renew();
    const at = era;
    const made = await aboutValues({ what: 'table', statement, query });
    if (era !== at || !made) return;
    if ('wrong' in made) {
      wrong.value = made.wrong;
      return;
    }
    wrong.value = null;
    table.value = made;
    current.value = -1;
    renew();
    void follow();
  };
  let asked: string | null = null;
  scope.add(
    effect(() => {
      const query = text.value.trim();
      if (query === asked) return undefined;
      const timer = setTimeout(
        () => {
          asked = query;
          void make(query);
        },
        asked === null ? 0 : SETTLED_MS,
      );
      return () => clearTimeout(timer);
    }),
  );
  const page = async (first: number, count: number) => {
    const at = era;
    const rows = await aboutValues({ what: 'rows', first, count, ...sort.peek() });
    return era === at ? rows : null;
  };
  const rowOf = (number: number) => blocks.get(Math.floor(number / BLOCK))?.[number % BLOCK] ?? null;
  const choose = (number: number) => {
    const row = rowOf(number);
    current.value = number;
    awaited = row ? -1 : number;
    if (!row) return;
    const x = ticks(BigInt(row.point));
    mine = x;
    selection.revealRecord({ x, track, locator: row.locator, name: '', fields: [], dropped: 0 });
  };
  /** Makes the occurrence at or before the selection the current row. */
  const follow = async () => {
    const x = selection.selected.peek()?.start ?? selection.record.peek()?.x;
    if (x === undefined || x === mine || !table.peek()) return;
    mine = x;
    const at = era;
    // The order of rows is that of the latest request for rows.
    await page(0, 1);
    const found = await aboutValues({ what: 'row', point: Number(x) });
    if (era === at && found) current.value = found.row ?? -1;
  };
  scope.add(watch([selection.selected, selection.record], () => void follow()));
  scope.add(
    watch([sort], () => {
      renew();
      mine = null;
      void follow();
    }),
  );
  return {
    table,
    text,
    wrong,
    sort,
    current,
    version,
    row: rowOf,
    want: (first, end) => {
      const last = Math.min(end, table.peek()?.rows ?? 0);
      for (let block = Math.floor(first / BLOCK); block * BLOCK < last; block += 1) {
        if (blocks.has(block) || requested.has(block)) continue;
        requested.add(block);
        void page(block * BLOCK, BLOCK).then((rows) => {
          if (!rows) return;
          requested.delete(block);
          blocks.set(block, rows);
          for (const oldest of blocks.keys()) {
            if (blocks.size <= KEPT) break;
            blocks.delete(oldest);
          }
          version.value += 1;
          if (awaited >= 0 && rowOf(awaited)) choose(awaited);
        });
      }
    },
    page,
    choose,
    dispose: () => {
      era += 1;
      scope.dispose();
    },
  };
}
