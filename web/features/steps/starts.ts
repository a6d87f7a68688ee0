import { bringToFront } from '../../page/dock.ts';
import type { Start } from '../../page/page.ts';
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
            way: 'State: select a step, then a register or a byte, then *Origin*',
          }
        : null,
    answer: (_, { dock, surface }) => {
      surface.peek()?.selectFirst();
      dock.pane.value = 'state';
    },
  },
];
