import type { Panel } from '../../dock/panel.ts';
import { FlameGraph } from './flame.tsx';

/** The Flame graph panel: where time goes, by call path. */
export function createFlamePanel(): Panel {
  return {
    id: 'flame',
    title: 'Flame graph',
    asks: 'flame',
    create: (open) => ({ component: ({ theme }) => <FlameGraph open={open} theme={theme} /> }),
  };
}
