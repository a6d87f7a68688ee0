import type { RemoteWorker } from '../../base/remote.ts';
import type { Dock } from '../../model/dock.ts';
import type { Panel } from '../dock/panel.ts';
import { createCallsPanel } from './calls/panel.tsx';
import { createCoveragePanel } from './coverage/panel.tsx';
import { createEventsPanel } from './events/panel.tsx';
import { createFramesPanel } from './frames/panel.tsx';
import { createGraphPanel } from './graph/panel.tsx';
import { createQueryPanel } from './query/panel.tsx';
import { createResourcesPanel } from './resources/panel.tsx';
import { createResultsPanel } from './results/panel.tsx';
import { createStatementsPanel } from './statements/panel.ts';
import { createVariablesPanel } from './variables/panel.ts';
import './panel.css';

/** The panels of a page, in the order of their tabs. `spawnSql` starts the worker of the SQL panel. */
export function createPanels(dock: Dock, spawnSql: () => RemoteWorker): readonly Panel[] {
  return [
    createStatementsPanel(),
    createFramesPanel(dock),
    createVariablesPanel(),
    createEventsPanel(dock),
    createResourcesPanel(),
    createCallsPanel(dock),
    createGraphPanel(dock),
    createCoveragePanel(),
    createQueryPanel(spawnSql),
    createResultsPanel(),
  ];
}
