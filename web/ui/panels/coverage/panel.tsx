import { canWalk } from '../../../model/stepping.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Coverage panel: what the trace executes. */
export function createCoveragePanel(): Panel {
  return {
    id: 'coverage',
    title: 'Coverage',
    ofAllThreads: true,
    offered: ({ trace }) => canWalk(trace.info.value),
    create: (open) =>
      lazily(
        () => import('./coverage.tsx'),
        ({ coverageView }) => coverageView(open),
      ),
  };
}
