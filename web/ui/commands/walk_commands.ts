import type { WalkTo } from '../../model/walk.ts';
import type { CommandContext } from './context.ts';

/**
 * Walks through the steps of a trace of instructions. The keys are those of REVEN's Axion where the browser leaves them to the
 * page: it keeps F11 and F12, and Shift F10 opens menus.
 */
export const WALK_COMMANDS = [
  onSteps('step-over', 'Step over', 'over', true, ['f10']),
  onSteps('step-over-back', 'Step over backwards', 'over', false, ['ctrl shift f10']),
  onSteps('step-into', 'Step into', 'step', true, ['ctrl f11']),
  onSteps('step-into-back', 'Step into backwards', 'step', false, ['ctrl shift f11']),
  onSteps('step-out', 'Step out', 'out', true, ['ctrl f12']),
  onSteps('step-out-back', 'Step out backwards', 'out', false, ['ctrl shift f12']),
  onSteps('next-execution', 'Go to the next execution of this address', 'execution', true, ['ctrl f9']),
  onSteps('previous-execution', 'Go to the previous execution of this address', 'execution', false, ['ctrl shift f9']),
  onSteps('next-system-call', 'Go to the next system call', 'system-call', true, ['ctrl f8']),
  onSteps('previous-system-call', 'Go to the previous system call', 'system-call', false, ['ctrl shift f8']),
  onSteps('next-interrupt', 'Go to the next interrupt or fault', 'interrupt', true, ['ctrl f7']),
  onSteps('previous-interrupt', 'Go to the previous interrupt or fault', 'interrupt', false, ['ctrl shift f7']),
  onSteps('next-thread-change', 'Go to the next change of thread', 'thread', true),
  onSteps('previous-thread-change', 'Go to the previous change of thread', 'thread', false),
  onSteps('next-mode-change', 'Go to the next change of mode', 'mode', true),
  onSteps('previous-mode-change', 'Go to the previous change of mode', 'mode', false),
  onSteps('next-privilege-change', 'Go to the next change between user and kernel', 'privilege', true),
  onSteps('previous-privilege-change', 'Go to the previous change between user and kernel', 'privilege', false),
  {
    id: 'fold-loops',
    title: 'Fold or unfold loops in the Listing',
    keys: ['alt l'],
    enabled: isWalking,
    run: ({ trace }: CommandContext) => trace?.toggleLoops(),
  },
  {
    id: 'keep-loops',
    title: 'Show a track of loops',
    keys: [],
    enabled: isWalking,
    run: ({ trace }: CommandContext) => trace?.keepLoops(),
  },
] as const;

/** Whether the steps of a trace are at hand, and no row that a menu is about. */
function isWalking({ trace, row, table }: CommandContext): boolean {
  return row === null && table === null && (trace?.canWalk.peek() ?? false);
}

function onSteps<const Id extends string>(
  id: Id,
  title: string,
  to: WalkTo,
  next: boolean,
  keys: readonly string[] = [],
) {
  return {
    id,
    title,
    keys,
    enabled: isWalking,
    run: ({ trace }: CommandContext) => trace?.walk(to, next),
  };
}
