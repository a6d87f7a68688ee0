import { ticks } from '../../base/ticks.ts';
import { bringToFront } from '../../page/dock.ts';
import type { Start } from '../../page/page.ts';
import { goToPosition } from '../../timeline/go_to.ts';
import { canWalk } from '../../trace/stepping.ts';

/** Questions about what instructions did. */
export const STARTS: readonly Start[] = [
  {
    id: 'coverage',
    place: 10,
    asked: ({ trace }) =>
      canWalk(trace.info.value)
        ? { words: 'Which code ran?', way: 'Coverage: functions, blocks and addresses with how often each ran' }
        : null,
    answer: (open, { dock }) => bringToFront(dock, open.trace.info.peek()?.format, 'coverage'),
  },
  {
    id: 'origin',
    place: 30,
    asked: ({ trace }) =>
      trace.info.value?.offers.includes('state')
        ? {
            words: 'Where does a value come from?',
            way: 'State: select a step, then a register or a byte, then *origin*',
          }
        : null,
    answer: (open, { dock }) => {
      const extent = open.trace.progress.peek().extent;
      // At its first steps, what a trace has comes from before it.
      if (extent) void goToPosition(ticks(extent.from + (extent.to - extent.from) / 2n), open);
      dock.pane.value = 'state';
    },
  },
];
