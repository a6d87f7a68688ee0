import type { OpenTrace } from '../../model/open_trace.ts';
import { perTrace } from '../../model/per_trace.ts';
import { createWalk } from '../../model/walk.ts';
import { machineOf } from './machines.ts';

/** The walk through the steps of a trace. It begins on the screen if nothing is selected. */
export const walkOf = perTrace((open: OpenTrace) =>
  createWalk(
    open.trace,
    open.selection,
    () => machineOf(open),
    () => {
      const at = open.timeline.view.peek()?.anchor;
      return at === undefined ? null : at < 0n ? 0n : at;
    },
  ),
);
