import { createWalk, type Walk } from '../../model/walk.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { machineOf } from './machines.ts';

/** The walks of open traces. */
const walks = new WeakMap<OpenTrace, Walk>();

/** The walk through the steps of a trace. It begins on the screen if nothing is selected. */
export function walkOf(open: OpenTrace): Walk {
  const known = walks.get(open);
  if (known) return known;
  const walk = createWalk(
    open.trace,
    open.selection,
    () => machineOf(open),
    () => {
      const at = open.timeline.view.peek()?.anchor;
      return at === undefined ? null : at < 0n ? 0n : at;
    },
  );
  walks.set(open, walk);
  return walk;
}
