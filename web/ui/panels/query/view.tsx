import guide from '../../../../docs/sql.md?raw';
import type { RemoteWorker } from '../../../base/remote.ts';
import { createSql } from '../../../model/sql.ts';
import { examplesOf } from '../../../model/sql_examples.ts';
import { gatherRecords, gatherTables } from '../../../model/tables.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import type { PanelView } from '../../dock/panel.ts';
import { Query } from './query.tsx';
import { createQueryState } from './state.ts';

/** The SQL panel of a trace. `spawn` starts its worker at the first query. */
export function queryView(open: OpenTrace, spawn: () => RemoteWorker): PanelView {
  const sql = createSql(sourceOf(open), spawn);
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
        ? 'The trace is still being read. Ask again when it is complete.'
        : gatherTables(trace, rangeNow(), hear, trace.ledger.room('sql')),
    records: (take: (portion: Uint8Array<ArrayBuffer>, share: number) => boolean) =>
      gatherRecords(trace, rangeNow(), take),
    ledger: trace.ledger,
    // Names can come later, and a range has tables of its own.
    version: () => `${rangeNow()?.from} ${rangeNow()?.to} ${trace.names.version.peek()}`,
  };
}
