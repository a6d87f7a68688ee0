import type { SqlPort } from '../../model/sql.ts';
import type { Panel } from '../dock/panel.ts';
import { createEventsPanel } from './events/panel.tsx';
import { createFlamePanel } from './flame/panel.tsx';
import { createFunctionsPanel } from './functions/panel.tsx';
import { createQueryPanel } from './query/panel.tsx';
import { createResultsPanel } from './results/panel.tsx';
import './panel.css';

/** The panels of a page, in the order of their tabs. `spawnSql` starts the worker of the Query panel. */
export function createPanels(spawnSql: () => SqlPort): readonly Panel[] {
  return [
    createFlamePanel(),
    createFunctionsPanel(),
    createEventsPanel(),
    createQueryPanel(spawnSql),
    createResultsPanel(),
  ];
}
