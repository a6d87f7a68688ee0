import { hasSelection, onTrace } from '../../page/commands.ts';
import { differencesOf } from '../../page/differences.ts';
import type { Command, Page, Surface } from '../../page/page.ts';
import { alignmentOf, swapSides } from '../../timeline/alignment.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { alignAtCall, alignAtSelections, selectedCall } from './align.ts';

/** Adds the commands on two traces to those of the page, once. Those that share their keys with others come first. */
export function addPairCommands({ commands }: Page): void {
  if (commands.includes(PAIR_COMMANDS[0]!)) return;
  commands.unshift(...STEP_COMMANDS);
  commands.push(...PAIR_COMMANDS);
}

/** A command that needs two traces. */
function onPair(
  id: string,
  title: string,
  keys: Command['keys'],
  run: (pair: Pair, surface: Surface, page: Page) => void,
  needs: (pair: Pair, surface: Surface) => boolean = () => true,
): Command {
  const pairOf = ({ open }: Surface) => open.pair.peek();
  return onTrace(
    id,
    title,
    keys,
    (surface, page) => {
      const pair = pairOf(surface);
      if (pair) run(pair, surface, page);
    },
    {
      part: 'compare',
      needs: (surface) => {
        const pair = pairOf(surface);
        return pair !== null && needs(pair, surface);
      },
      ...(keys.length > 0 ? { sheet: { group: 'Move' } } : {}),
    },
  );
}

/** From difference to difference, in place of hits, as long as differences are known. */
const STEP_COMMANDS: readonly Command[] = ([1, -1] as const).map((by) => {
  const known = (pair: Pair) => differencesOf(pair).known.peek();
  return {
    ...onPair(
      by > 0 ? 'next-difference' : 'previous-difference',
      by > 0 ? 'Go to the next difference' : 'Go to the previous difference',
      [by > 0 ? 'n' : 'shift n'],
      (pair) => known(pair)?.step(by),
      (pair) => known(pair) !== null,
    ),
    sheet: {
      group: 'Move',
      does: 'Go to the next or previous difference, once two traces are compared record by record',
    },
  };
});

/** The commands on two traces. */
export const PAIR_COMMANDS: readonly Command[] = [
  onPair('other-side', 'Go to the other trace', ['o'], (pair, { open }) => {
    pair.show(open === pair.a ? pair.b : pair.a);
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('.side[data-front] .area')?.focus({ preventScroll: true }),
    );
  }),
  onPair('link-timelines', 'Link or free the timelines', ['l'], (pair) => {
    const { isLinked } = alignmentOf(pair);
    isLinked.value = !isLinked.peek();
  }),
  onPair('swap-sides', 'Swap A and B', [], swapSides),
  onPair('align-start', 'Align both timelines at the start', [], (pair) => {
    alignmentOf(pair).align(null);
  }),
  onPair('align-selected', 'Align both timelines at what is selected', [], alignAtSelections, ({ a, b }) =>
    [a, b].every(({ selection }) => selection.selected.peek() ?? selection.record.peek()),
  ),
  {
    ...onPair(
      'align-call',
      'Align at this call in both traces',
      [],
      (pair, { open }, page) => {
        void selectedCall(open)
          .then((call) =>
            call ? alignAtCall(pair, call.text, call.n) : 'This call cannot be found in the other trace.',
          )
          .then((why) => why !== '' && page.workbench.tell(why));
      },
      (_, surface) => hasSelection(surface),
    ),
    part: 'step',
  },
  onPair('close-a', 'Close A', [], (pair) => pair.close(pair.a)),
  onPair('close-b', 'Close B', [], (pair) => pair.close(pair.b)),
];
