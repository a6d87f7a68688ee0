import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { StatementColumns } from '../../base/values_protocol.ts';
import { givenName, ownName } from '../../trace/statement_names.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { askOnce } from './ask_once.ts';
import { pointsIn } from './point_range.ts';

/** What statements are sorted by. */
export type StatementOrder = 'statement' | 'name' | 'count' | 'first' | 'last';

/** The statements of a trace. */
export interface Statements {
  /** null while they are being counted. */
  readonly columns: ReadonlySignal<StatementColumns | null>;
  /** They could not be counted. */
  readonly failed: ReadonlySignal<boolean>;
  readonly sort: Signal<{ readonly by: StatementOrder; readonly descending: boolean }>;
  /** The numbers of the statements with points in the range, in their order. */
  readonly order: ReadonlySignal<Uint32Array>;
  retry(): void;
  readonly dispose: Dispose;
}

/** The statements with what they have in a range, once the trace has been read. */
export function createStatements(
  trace: Pick<Trace, 'status' | 'names'> & { readonly records: Pick<Trace['records'], 'aboutValues'> },
  range: ReadonlySignal<Extent | null>,
): Statements {
  const scope = createScope();
  const {
    answer: columns,
    failed,
    retry,
    dispose,
  } = askOnce(trace, () => {
    const points = pointsIn(range.value);
    return trace.records.aboutValues((values) => values.statements(points));
  });
  scope.add(dispose);
  const sort = signal<{ by: StatementOrder; descending: boolean }>({ by: 'count', descending: true });
  const order = signal<Uint32Array>(new Uint32Array());
  scope.add(
    effect(() => {
      const all = columns.value;
      const { by, descending } = sort.value;
      const nameOf = (number: number) => givenName(trace.names, all!, number);
      order.value = all ? sorted(all, by, descending, nameOf) : new Uint32Array();
    }),
  );
  return {
    columns,
    failed,
    sort,
    order,
    retry,
    dispose: scope.dispose,
  };
}

/** Statements that are asked for what holds at them, so that the answer does not take long. */
const MOST_ASKED = 8;

/** Of the statements that are reached most often the first at which something holds each time, else the first; -1 without any. */
export async function tellingStatement(
  trace: { readonly records: Pick<Trace['records'], 'aboutValues'> },
  all: StatementColumns,
): Promise<number> {
  const order = sorted(all, 'count', true, () => '');
  for (const statement of order.subarray(0, MOST_ASKED)) {
    const table = await trace.records.aboutValues((values) => values.table(statement, '', null));
    if (!table || 'wrong' in table) break;
    const found = await trace.records.aboutValues((values) => values.invariants());
    if (found && found.length > 0) return statement;
  }
  return order[0] ?? -1;
}

/** Numbers of statements with points, in an order. Equal ones stay in the order of the trace. */
export function sorted(
  all: StatementColumns,
  by: StatementOrder,
  descending: boolean,
  nameOf: (number: number) => string,
): Uint32Array {
  const order = Uint32Array.from(all.count.keys()).filter((number) => all.count[number]! > 0);
  const names = by === 'name' ? Array.from(all.count.keys(), nameOf) : [];
  const compare = (a: number, b: number): number => {
    if (by === 'name') {
      const [x, y] = [names[a]!, names[b]!];
      return x < y ? -1 : x > y ? 1 : 0;
    }
    if (by !== 'statement') return all[by][a]! - all[by][b]!;
    const byFile = all.file[a]! - all.file[b]!;
    if (byFile !== 0) return byFile;
    const byPlace = all.place[a]! - all.place[b]!;
    return byPlace < 0n ? -1 : byPlace > 0n ? 1 : 0;
  };
  return order.sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
}

/** The number of the statement with this name in the file, or -1. */
export function statementNamed(all: StatementColumns, own: string): number {
  return all.named.findIndex((named, number) => named > 0 && ownName(all, number) === own);
}

/** How much of the darkest cell each cell of a statement has: from 0 to 1, at least 0.15 where there is a point. */
export function heatOf({ heat, cells }: StatementColumns, number: number): readonly number[] {
  const own = heat.subarray(number * cells, (number + 1) * cells);
  const most = Math.max(1, ...own);
  return Array.from(own, (count) => (count === 0 ? 0 : 0.15 + (0.85 * count) / most));
}
