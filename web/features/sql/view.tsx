import guide from '../../../docs/sql.md?raw';
import { startWorker } from '../../base/workers.ts';
import type { PanelView } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Query } from './query.tsx';
import { createSql } from './sql.ts';
import { examplesOf } from './sql_examples.ts';
import { createQueryState } from './state.ts';
import { gatherRecords, gatherTables } from './tables.ts';
import queryWorker from './worker/query.ts?worker&url';

/** The SQL panel of a trace. Its worker starts at the first query. */
export function queryView(open: OpenTrace): PanelView {
  const sql = createSql(sourceOf(open), () => startWorker(queryWorker));
  const state = createQueryState(open, sql);
  const examples = examplesOf(guide, open.trace.info.peek()?.format ?? '');
  return {
    component: () => <Query open={open} sql={sql} state={state} examples={examples} />,
    dispose: () => {
      state.dispose();
      sql.dispose();
    },
  };
}

function sourceOf({ file, trace, statistics }: OpenTrace) {
  const isDatabase = trace.info.peek()?.offers.includes('sql') ?? false;
  const rangeNow = () => statistics.range.peek();
  return {
    file: isDatabase ? (trace.content.peek() ?? file) : null,
    log: trace.log,
    tables: async (hear: (share: number) => boolean) =>
      trace.status.peek().at === 'loading'
        ? 'The trace is still being read. Run the query again when it is complete.'
        : gatherTables(trace, rangeNow(), hear, trace.ledger.room('sql')),
    records: (take: (portion: Uint8Array<ArrayBuffer>, share: number) => boolean) =>
      gatherRecords(trace, rangeNow(), take),
    ledger: trace.ledger,
    range: rangeNow,
    // Names can come later, and a range has tables of its own.
    version: () => `${rangeNow()?.from} ${rangeNow()?.to} ${trace.names.version.peek()}`,
  };
}
