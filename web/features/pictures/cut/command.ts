import type { Command, LoadDialog } from '../../../page/page.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { isDrawn } from '../drawn.ts';

const loadSaveFrame: LoadDialog = async () => (await import('./dialog.tsx')).SaveFrame;

/** Saves the selected frame as a trace of its own. */
export const SAVE_FRAME: Command = {
  id: 'save-frame',
  title: 'Save this frame as a trace…',
  keys: [],
  part: 'frame',
  enabled: ({ surface }) => surface !== null && canDraw(surface.open),
  run: ({ page: { dialog } }) => {
    dialog.value = loadSaveFrame;
  },
};

function canDraw(open: OpenTrace): boolean {
  const { info, status } = open.trace;
  const isOffered = info.peek()?.offers.includes('graphics') ?? false;
  return isOffered && status.peek().at === 'ready' && isDrawn(open).is.peek();
}
