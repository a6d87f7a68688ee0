import { createDock } from '../model/dock.ts';
import type { Panel } from './dock.tsx';
import { FlameGraph } from './flame.tsx';
import { Functions } from './functions.tsx';
import { Query } from './query.tsx';

/** The panels of the dock, in the order of their tabs. */
export const PANELS: readonly Panel[] = [
  { id: 'flame', title: 'Flame graph', component: FlameGraph },
  { id: 'functions', title: 'Functions', component: Functions },
  {
    id: 'query',
    title: 'Query',
    component: Query,
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.container === 'SQLite',
  },
];

/** The dock of this page, whichever trace is open. */
export const dock = createDock(window, 'functions');
