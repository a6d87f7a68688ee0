import { onTrace } from '../../page/commands.ts';
import type { Command, Page, Surface } from '../../page/page.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { Pair } from '../../timeline/open_trace.ts';

/** Adds the commands on two traces to those of the page, once. */
export function addPairCommands({ commands }: Page): void {
  if (!commands.includes(PAIR_COMMANDS[0]!)) commands.push(...PAIR_COMMANDS);
}

/** A command that needs two traces. */
function onPair(
  id: string,
  title: string,
  keys: Command['keys'],
  run: (pair: Pair, surface: Surface) => void,
  needs: (pair: Pair) => boolean = () => true,
): Command {
  const pairOf = ({ open }: Surface) => open.pair.peek();
  return onTrace(
    id,
    title,
    keys,
    (surface) => {
      const pair = pairOf(surface);
      if (pair) run(pair, surface);
    },
    {
      part: 'compare',
      needs: (surface) => {
        const pair = pairOf(surface);
        return pair !== null && needs(pair);
      },
      ...(keys.length > 0 ? { sheet: { group: 'Move' } } : {}),
    },
  );
}

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
  onPair('swap-sides', 'Swap A and B', [], (pair) => pair.swap()),
  onPair('close-a', 'Close A', [], (pair) => pair.close(pair.a)),
  onPair('close-b', 'Close B', [], (pair) => pair.close(pair.b)),
];
