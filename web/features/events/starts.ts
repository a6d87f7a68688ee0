import { whenHolds } from '../../base/when.ts';
import { bringToFront, HITS } from '../../page/dock.ts';
import type { Start } from '../../page/page.ts';
import type { SearchState } from '../../trace/search.ts';
import { canWalk } from '../../trace/stepping.ts';

/** What finds system calls: instructions of the processors that have one for that alone, and records of tracers. */
const SYSTEM_CALLS = 'insn:syscall or insn:sysenter or insn:svc or insn:ecall or arg.syscall:*';

/** Questions about instructions in their order. */
export const STARTS: readonly Start[] = [
  {
    id: 'system-calls',
    place: 20,
    asked: ({ trace }) =>
      canWalk(trace.info.value)
        ? {
            words: 'Which system calls are there?',
            way: 'Search for `insn:syscall`, or go from one to the next with Ctrl+F8',
          }
        : null,
    answer: (open, { dock, workbench }) => {
      const { find, trace } = open;
      find.ask(SYSTEM_CALLS);
      bringToFront(dock, trace.info.peek()?.format, HITS);
      const isDone = (state: SearchState): state is SearchState =>
        state.at === 'done' && find.asked.peek() === SYSTEM_CALLS;
      open.scope.add(
        whenHolds(find.state, isDone, () => {
          if (find.count.peek() === 0) workbench.tell('This trace has no system calls.');
        }),
      );
    },
  },
  {
    id: 'loops',
    place: 40,
    asked: ({ trace }) =>
      canWalk(trace.info.value)
        ? { words: 'Where are the loops?', way: 'Steps, *Fold loops* (Alt+L): one row stands for all iterations' }
        : null,
    answer: (open, { dock }) => {
      bringToFront(dock, open.trace.info.peek()?.format, 'events');
      void import('./loops.ts').then(({ foldsOf, keepLoops }) => {
        if (!foldsOf(open).isFolding.peek()) foldsOf(open).foldLoops();
        void keepLoops(open);
      });
    },
  },
];
