import { createDock } from '../model/dock.ts';
import type { Panel } from './dock.tsx';
import { FlameGraph } from './flame.tsx';
import { Functions } from './functions.tsx';

/** The panels of the dock, in the order of their tabs. */
export const PANELS: readonly Panel[] = [
  { id: 'flame', title: 'Flame graph', component: FlameGraph },
  { id: 'functions', title: 'Functions', component: Functions },
];

/** The dock of this page, whichever trace is open. */
export const dock = createDock(window, 'functions');
