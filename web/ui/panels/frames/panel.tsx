import type { Dock } from '../../../model/dock.ts';
import { lazily } from '../../dock/lazy.tsx';
import type { Panel } from '../../dock/panel.ts';

/** The Frames panel: which frames are heavy, and with what. It leads to their resources in `dock`. */
export function createFramesPanel(dock: Dock): Panel {
  return {
    id: 'frames',
    title: 'Frames',
    unscoped: true,
    offered: ({ trace }) => trace.info.value?.offers.includes('graphics') ?? false,
    create: (open) =>
      lazily(
        () => import('./frames.tsx'),
        ({ framesView }) => framesView(open, dock),
      ),
  };
}
