import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { WrongExpression } from '../../base/find_protocol.ts';
import type { Ticks } from '../../base/protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import type { Invariant, IterationRow, IterationTable, PointRange } from '../../base/values_protocol.ts';
import { watch } from '../../base/watch.ts';
import { createRowList } from '../../trace/row_list.ts';
import { SETTLED_MS } from '../../trace/search.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { pointsIn } from './point_range.ts';

/** What is shown of a statement: its points one by one, or what likely always holds there. */
export type IterationsView = 'occurrences' | 'invariants';

/** The variables of one statement over its occurrences. */
export interface Iterations {
  /** null while it is made. */
  readonly table: ReadonlySignal<IterationTable | null>;
  /** The query that leaves some occurrences. */
  readonly text: Signal<string>;
  readonly wrong: ReadonlySignal<WrongExpression | null>;
  /** Its occurrences one by one, or what likely always holds at those that the query leaves. */
  readonly view: ReadonlySignal<IterationsView>;
  show(view: IterationsView): void;
  /** null while they are sought. */
  readonly invariants: ReadonlySignal<readonly Invariant[] | null>;
  /** Shows the occurrences that a query finds, until {@link Iterations.show} leads back. */
  showWhere(query: string): void;
  /** By a column, or by the order of the trace: -1. */
  readonly sort: Signal<{ readonly column: number; readonly descending: boolean }>;
  /** The row of the selection, or -1. */
  readonly current: ReadonlySignal<number>;
  /** A new object for each wish to see the current row. Another order or query makes none. */
  readonly wish: ReadonlySignal<object | null>;
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

/** The table of the statement with a number, whose points are on `track`, for a range. There is one at a time. */
export function createIterations(
  trace: { readonly records: Pick<Trace['records'], 'aboutValues'> },
  selection: Pick<Selection, 'selected' | 'record' | 'revealRecord'>,
  range: ReadonlySignal<Extent | null>,
  statement: number,
  track: number,
): Iterations {
  const { aboutValues } = trace.records;
  const scope = createScope();
  const table = signal<IterationTable | null>(null);
  const text = signal('');
  const wrong = signal<WrongExpression | null>(null);
  const sort = signal({ column: -1, descending: false });
  const page = async (first: number, count: number) => {
    const at = era();
    const { column, descending } = sort.peek();
    const found = await aboutValues((values) => values.occurrences(first, count, column, descending));
    return era() === at ? found : null;
  };
  const rows = createRowList<IterationRow>({
    ask: (first, count, take) => void page(first, count).then(take),
    count: () => table.peek()?.rows ?? 0,
    select: ({ point, locator }) => {
      const x = ticks(BigInt(point));
      mine = x;
      selection.revealRecord({ x, track, locator, name: '', fields: [], dropped: 0 });
    },
  });
  const { era, renew, current } = rows;
  const view = signal<IterationsView>('occurrences');
  const invariants = signal<readonly Invariant[] | null>(null);
  /** What the table is of, and the one that invariants were sought in: a query and a range. */
  let made: object | null = null;
  let sought: object | null = null;
  /** A query that shows what an invariant is about, and the one before it. */
  let detour: { readonly query: string; readonly back: string } | null = null;
  let mine: Ticks | null = null;
  const wish = signal<object | null>(null);
  /** The row of the selection is wanted, once it is known. */
  let isSought = true;

  const make = async (query: string, points: PointRange | null) => {
    renew();
    const at = era();
    const answer = await aboutValues((values) => values.table(statement, query, points));
    if (era() !== at || !answer) return;
    if ('wrong' in answer) {
      wrong.value = answer.wrong;
      return;
    }
    wrong.value = null;
    isSought = table.peek() === null;
    table.value = answer;
    current.value = -1;
    made = answer;
    renew();
    void follow();
    void seek();
  };
  /** Seeks what holds in the table, if that is to be shown and not known yet. */
  const seek = async () => {
    if (view.peek() !== 'invariants' || made === null || made === sought) return;
    const of = made;
    invariants.value = null;
    const found = await aboutValues((values) => values.invariants());
    if (made !== of || !found) return;
    sought = of;
    invariants.value = found;
  };
  let asked: { readonly query: string; readonly range: Extent | null } | null = null;
  scope.add(
    effect(() => {
      const next = { query: text.value.trim(), range: range.value };
      if (next.query === asked?.query && next.range === asked.range) return undefined;
      const timer = setTimeout(
        () => {
          asked = next;
          void make(next.query, pointsIn(next.range));
        },
        // What is typed waits for more.
        asked === null || asked.query === next.query ? 0 : SETTLED_MS,
      );
      return () => clearTimeout(timer);
    }),
  );
  /** Makes the occurrence at or before the selection the current row. */
  const follow = async () => {
    const x = selection.selected.peek()?.start ?? selection.record.peek()?.x;
    if (x === undefined || x === mine || !table.peek()) return;
    mine = x;
    const at = era();
    // The order of rows is that of the latest request for rows.
    await page(0, 1);
    const row = await aboutValues((values) => values.occurrenceAt(Number(x)));
    if (era() !== at || row === null) return;
    current.value = row;
    if (isSought) wish.value = {};
    isSought = false;
  };
  scope.add(
    watch([selection.selected, selection.record], () => {
      isSought = true;
      void follow();
    }),
  );
  scope.add(
    watch([sort], () => {
      renew();
      mine = null;
      isSought = false;
      void follow();
    }),
  );
  return {
    view,
    show: (next) => {
      view.value = next;
      if (next === 'invariants' && detour && detour.query === text.peek()) text.value = detour.back;
      void seek();
    },
    invariants,
    showWhere: (query) => {
      detour = { query, back: text.peek() };
      text.value = query;
      view.value = 'occurrences';
    },
    table,
    text,
    wrong,
    sort,
    current,
    wish,
    version: rows.version,
    row: rows.row,
    want: rows.want,
    page,
    choose: (row) => {
      rows.choose(row);
      wish.value = {};
    },
    dispose: () => {
      renew();
      scope.dispose();
    },
  };
}
