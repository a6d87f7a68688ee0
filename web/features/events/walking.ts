import type { OpenTrace } from '../../timeline/open_trace.ts';
import { machineOf } from '../../trace/machines.ts';
import { perTrace } from '../../trace/per_trace.ts';
import { createWalk } from './walk.ts';

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
