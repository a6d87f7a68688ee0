import { signal } from '@preact/signals';
import { createSql, type SqlPort } from '../../../model/sql.ts';
import type { Panel } from '../../dock/panel.ts';
import { Query } from './query.tsx';

/** The Query panel: SQL over the tables of a database. `spawn` starts its worker at the first query. */
export function createQueryPanel(spawn: () => SqlPort): Panel {
  return {
    id: 'query',
    title: 'Query',
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.offers.includes('sql') ?? false,
    create: ({ file, trace }) => {
      const sql = createSql(trace.content.peek() ?? file, trace.log, spawn);
      const text = signal('');
      return { component: () => <Query sql={sql} text={text} />, dispose: sql.dispose };
    },
  };
}
