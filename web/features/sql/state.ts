import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { createQueryHistory, type QueryHistory } from '../../trace/query_history.ts';
import { wantedQuery } from '../../trace/wanted_query.ts';
import type { Sql } from './sql.ts';
import { type ChartChoice, chartOf } from './sql_chart.ts';
import { orderOf, type SqlSort } from './sql_results.ts';
import { createValuesQuery, type ValuesQuery } from './values_query.ts';

/** Languages of the editor. */
export type Mode = 'sql' | 'values';

/** The state of the panel, kept while another one is in front. */
export interface QueryState {
  readonly mode: Signal<Mode>;
  /** The query as typed. */
  readonly text: Signal<string>;
  /** null if the trace has no values. */
  readonly values: ValuesQuery | null;
  readonly sort: Signal<SqlSort | null>;
  /** The rows in the order of the table. */
  readonly order: ReadonlySignal<Uint32Array>;
  readonly isChart: Signal<boolean>;
  readonly chart: Signal<ChartChoice | null>;
  readonly history: Readonly<Record<Mode, QueryHistory>>;
  readonly dispose: Dispose;
}

/** The state of a new trace. */
export function createQueryState(open: OpenTrace, sql: Sql): QueryState {
  const { trace, find } = open;
  const info = trace.info.peek();
  const scope = createScope();
  const sort = signal<SqlSort | null>(null);
  const isChart = signal(false);
  const chart = signal<ChartChoice | null>(null);
  const values = info?.offers.includes('values') ? createValuesQuery(trace, find) : null;
  if (values) scope.add(values.dispose);
  const order = computed(() => {
    const { value: count } = sql.count;
    const by = sort.value;
    // Sorting again and again while rows arrive would make them jump.
    if (by === null || sql.asked.value.at === 'running') return Uint32Array.from({ length: count }, (_, i) => i);
    return orderOf(sql.rows, by);
  });
  let shown: readonly string[] = [];
  scope.add(
    effect(() => {
      const names = sql.columns.value;
      // The same columns are those of the same query, about another range.
      if (names.length === 0 || (names.length === shown.length && names.every((name, i) => name === shown[i]))) return;
      shown = names;
      sort.value = null;
      chart.value = null;
    }),
  );
  scope.add(
    effect(() => {
      if (isChart.value && chart.value === null && sql.asked.value.at !== 'running' && sql.count.value > 0)
        chart.value = chartOf(sql.columns.value, sql.rows);
    }),
  );
  const format = info?.format ?? '';
  const mode = signal<Mode>('sql');
  const text = signal('');
  const history = {
    sql: createQueryHistory(() => localStorage, format),
    values: createQueryHistory(() => localStorage, `${format}:values`),
  };
  const wanted = wantedQuery(open);
  scope.add(
    effect(() => {
      const query = wanted.value;
      if (query === '') return;
      untracked(() => {
        wanted.value = '';
        mode.value = 'sql';
        text.value = query;
        history.sql.add(query);
        sql.run(query);
      });
    }),
  );
  return {
    mode,
    text,
    values,
    sort,
    order,
    isChart,
    chart,
    history,
    dispose: scope.dispose,
  };
}
