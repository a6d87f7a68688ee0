import { SQL_PANEL } from '../../page/dock.ts';
import type { Feature } from '../../page/page.ts';

/** The SQL panel: queries over the tables that every trace has, and over those of a database. */
export const SQL: Feature = {
  panels: [
    {
      id: SQL_PANEL,
      title: 'SQL',
      place: 9,
      isMore: () => true,
      ofAllThreads: true,
      ofEmpty: true,
      load: async () => (await import('./view.tsx')).queryView,
    },
  ],
};
