import type { Command, CommandContext, SheetGroup } from '../../page/page.ts';
import { canWalk } from '../../trace/stepping.ts';
import type { WalkTo } from './walk.ts';

/** What the sheet of keys says of them. */
export const WALK_SHEET: SheetGroup = {
  title: 'Walk through instructions',
  place: 3,
  ofSteps: true,
  last: [['Enter', 'Open a fold; fold the loop or call that begins here (Steps)']],
};

/**
 * Walks through the steps of a trace of instructions. The keys are those of REVEN's Axion where the browser leaves them to the
 * page: it keeps F11 and F12, and Shift F10 opens menus.
 */
export const WALK_COMMANDS: readonly Command[] = [
  onSteps('step-over', 'Step over', 'over', true, ['f10'], 'Step over, backwards'),
  onSteps('step-over-back', 'Step over backwards', 'over', false, ['ctrl shift f10'], 'Step over, backwards'),
  onSteps('step-into', 'Step into', 'step', true, ['ctrl f11'], 'Step into, backwards'),
  onSteps('step-into-back', 'Step into backwards', 'step', false, ['ctrl shift f11'], 'Step into, backwards'),
  onSteps('step-out', 'Step out', 'out', true, ['ctrl f12'], 'Step out, backwards'),
  onSteps('step-out-back', 'Step out backwards', 'out', false, ['ctrl shift f12'], 'Step out, backwards'),
  ...toEither('execution', 'execution of this address', 'execution', 'f9', 'Next, previous execution of this address'),
  ...toEither('system-call', 'system call', 'system-call', 'f8', 'Next, previous system call'),
  ...toEither('interrupt', 'interrupt or fault', 'interrupt', 'f7', 'Next, previous interrupt or fault'),
  ...toEither('thread-change', 'change of thread', 'thread'),
  ...toEither('mode-change', 'change of mode', 'mode'),
  ...toEither('privilege-change', 'change between user and kernel', 'privilege'),
  {
    id: 'fold-loops',
    title: 'Fold or unfold loops in Steps',
    keys: ['alt l'],
    sheet: { group: WALK_SHEET.title },
    enabled: isWalking,
    run: ({ surface }) => {
      if (surface) void import('./loops.ts').then(({ toggleLoops }) => toggleLoops(surface.open));
    },
  },
  {
    id: 'keep-loops',
    title: 'Show a track of loops',
    keys: [],
    enabled: isWalking,
    run: ({ surface }) => {
      if (surface) void import('./loops.ts').then(({ keepLoops }) => keepLoops(surface.open));
    },
  },
];

/** Whether the steps of a trace are at hand, and no row that a menu is about. */
function isWalking({ surface, row, table }: CommandContext): boolean {
  return row === null && table === null && surface !== null && canWalk(surface.open.trace.info.peek());
}

/** The commands to the next and to the previous step of a kind, the latter with Shift. */
function toEither(id: string, noun: string, to: WalkTo, key?: string, does?: string): readonly Command[] {
  const keys = (shift: string) => (key ? [`ctrl ${shift}${key}`] : []);
  return [
    onSteps(`next-${id}`, `Go to the next ${noun}`, to, true, keys(''), does),
    onSteps(`previous-${id}`, `Go to the previous ${noun}`, to, false, keys('shift '), does),
  ];
}

function onSteps(
  id: string,
  title: string,
  to: WalkTo,
  next: boolean,
  keys: readonly string[],
  does?: string,
): Command {
  return {
    id,
    title,
    keys,
    ...(does ? { sheet: { group: WALK_SHEET.title, does } } : {}),
    enabled: isWalking,
    run: ({ surface }) => {
      // Loaded with the first step: few traces have any.
      if (surface) void import('./walking.ts').then(({ walkOf }) => walkOf(surface.open).go(to, next));
    },
  };
}
