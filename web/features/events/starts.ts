import { whenHolds } from '../../base/when.ts';
import { bringToFront, HITS } from '../../page/dock.ts';
import type { Page, Start } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { SearchState } from '../../trace/search.ts';
import { canWalk } from '../../trace/stepping.ts';

/** What finds system calls: instructions of the processors that have one for that alone, and records of tracers. */
const SYSTEM_CALLS = 'insn:syscall or insn:sysenter or insn:svc or insn:ecall or arg.syscall:*';
/** What finds interrupts and faults, in what tracers of whole systems record and in what others do. */
const FAULTS = 'arg.interrupt.number:* or arg.exception.number:*';

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
    answer: (open, page) => listHits(open, page, SYSTEM_CALLS, 'This trace has no system calls.'),
  },
  {
    id: 'faults',
    place: 65,
    asked: ({ trace }) =>
      canWalk(trace.info.value)
        ? {
            words: 'Which exceptions, interrupts and faults are there?',
            way: 'Steps: *interrupt or fault*, in the list beside the buttons',
          }
        : null,
    answer: (open, page) => listHits(open, page, FAULTS, 'This trace has no exceptions, interrupts or faults.'),
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

/** Lists what an expression finds, and says `none` if that is nothing. */
function listHits(
  { find, scope, trace }: OpenTrace,
  { dock, workbench }: Page,
  expression: string,
  none: string,
): void {
  find.ask(expression);
  bringToFront(dock, trace.info.peek()?.format, HITS);
  const isDone = (state: SearchState): state is SearchState => state.at === 'done' && find.asked.peek() === expression;
  scope.add(
    whenHolds(find.state, isDone, () => {
      if (find.count.peek() === 0) workbench.tell(none);
    }),
  );
}
