import { signal } from '@preact/signals';
import type { Sort } from '../../../model/functions.ts';
import type { Panel } from '../../dock/panel.ts';
import { Functions } from './functions.tsx';

/**
 * The Functions panel: how often and how long each function ran. The sort order outlives a trace, the filter does not.
 */
export function createFunctionsPanel(): Panel {
  const sort = signal<Sort>({ by: 'total', descending: true });
  return {
    id: 'functions',
    title: 'Functions',
    asks: 'functions',
    create: (open) => {
      const filter = signal('');
      return { component: ({ theme }) => <Functions open={open} theme={theme} sort={sort} filter={filter} /> };
    },
  };
}
