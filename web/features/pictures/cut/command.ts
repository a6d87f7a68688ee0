import type { Command, LoadDialog } from '../../../page/page.ts';
import { isDrawn } from '../drawn.ts';

const loadSaveFrame: LoadDialog = async () => (await import('./dialog.tsx')).SaveFrame;

/** Saves the selected frame as a trace of its own. */
export const SAVE_FRAME: Command = {
  id: 'save-frame',
  title: 'Save this frame as a trace…',
  keys: [],
  part: 'frame',
  enabled: ({ surface }) =>
    surface !== null && surface.open.trace.status.peek().at === 'ready' && isDrawn(surface.open).is.peek(),
  run: ({ page: { dialog } }) => {
    dialog.value = loadSaveFrame;
  },
};
