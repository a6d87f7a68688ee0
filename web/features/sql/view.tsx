import { useMemo } from 'preact/hooks';
import guide from '../../../docs/sql.md?raw';
import { watch } from '../../base/watch.ts';
import { startWorker } from '../../base/workers.ts';
import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { otherOf, schemaOfSide } from './both.ts';
import { Query } from './query.tsx';
import { createSql, type SqlSide, type SqlSource } from './sql.ts';
import { examplesOf } from './sql_examples.ts';
import { createQueryState } from './state.ts';
import { gatherRecords, gatherTables } from './tables.ts';
import queryWorker from './worker/query.ts?worker&url';

/** The SQL panel of a trace. Its worker starts at the first query. */
export function queryView(open: OpenTrace): PanelView {
  const sql = createSql(sourceOf(open), () => startWorker(queryWorker));
  const stop = watch([open.pair], sql.leave);
  const state = createQueryState(open, sql);
  const format = open.trace.info.peek()?.format ?? '';
  return {
    component: () => {
      const isCompared = open.pair.value !== null;
      const examples = useMemo(() => examplesOf(guide, format, isCompared), [isCompared]);
      return <Query open={open} sql={sql} state={state} examples={examples} />;
    },
    dispose: () => {
      stop();
      state.dispose();
      sql.dispose();
    },
  };
}

function sourceOf(open: OpenTrace): SqlSource {
  const { file, trace } = open;
  const isDatabase = trace.info.peek()?.offers.includes('sql') ?? false;
  return {
    file: isDatabase ? (trace.content.peek() ?? file) : null,
    log: trace.log,
    sides: () => {
      const other = otherOf(open);
      const room = () => trace.ledger.room('sql');
      return other ? [sideOf(open, room), sideOf(other, room)] : [sideOf(open, room)];
    },
    ledger: trace.ledger,
  };
}

/** A trace, with the bytes that all tables of a query may take. */
function sideOf(open: OpenTrace, room: () => number): SqlSide {
  const { trace, statistics } = open;
  const rangeNow = () => statistics.range.peek();
  return {
    schema: schemaOfSide(open),
    tables: async (hear, taken) =>
      trace.status.peek().at === 'loading'
        ? 'The trace is still being read. Run the query again when it is complete.'
        : gatherTables(trace, rangeNow(), hear, room() - taken),
    records: (take) => gatherRecords(trace, rangeNow(), take),
    range: rangeNow,
    // Names can come later, records while the trace grows, and a range has tables of its own.
    version: () =>
      `${open.id} ${rangeNow()?.from} ${rangeNow()?.to} ${trace.names.version.peek()} ${trace.progress.peek().events}`,
  };
}
