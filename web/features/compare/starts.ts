import { differencesOf } from '../../page/differences.ts';
import { bringToFront } from '../../page/dock.ts';
import { furtherRunsOf } from '../../page/further_runs.ts';
import type { Start } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { View } from './comparison.ts';

/** Questions about two traces that are compared. They come before those about one. */
export const STARTS: readonly Start[] = [
  aboutBoth(
    'runs-part',
    1,
    'records',
    'Where do A and B first differ?',
    'the first record that is not alike',
    ({ offers }) => offers.includes('disassembly') || offers.includes('values') || offers.includes('graphics'),
  ),
  aboutBoth(
    'slower-functions',
    2,
    'functions',
    'Which functions take longer in B?',
    'calls and times of A beside those of B',
    ({ offers }) => offers.includes('callStacks'),
  ),
  aboutBoth(
    'slower-paths',
    3,
    'flame',
    'On which call paths is B slower?',
    'one tree of both, coloured by what changed',
    ({ offers }) => offers.includes('callStacks'),
  ),
  aboutBoth('apart-frames', 2, 'drawn', 'Which frames differ?', 'frames of A beside those of B', ({ offers }) =>
    offers.includes('graphics'),
  ),
  aboutBoth('apart-variables', 2, 'variables', 'Which values differ?', 'values of A beside those of B', ({ offers }) =>
    offers.includes('values'),
  ),
];

/** Titles of views, as the panel has them. */
const TITLES: Readonly<Partial<Record<View, string>>> = {
  records: 'Records',
  functions: 'Functions',
  flame: 'Flame graph',
  drawn: 'Frames',
  variables: 'Variables',
};

/** A question that a view of the differences answers. */
function aboutBoth(
  id: string,
  place: number,
  view: View,
  words: string,
  says: string,
  isOf: (info: { readonly offers: readonly string[] }) => boolean,
): Start {
  return {
    id,
    place,
    asked: ({ pair, trace }) => {
      const info = trace.info.value;
      return pair.value && info && isOf(info) ? { words, way: `Differences, *${TITLES[view]}*: ${says}` } : null;
    },
    answer: (open, { dock }) =>
      show(open, view, () => bringToFront(dock, open.trace.info.peek()?.format, 'differences')),
  };
}

function show({ pair }: OpenTrace, view: View, bring: () => void): void {
  const traces = pair.peek();
  if (!traces) return;
  for (const side of [traces.a, traces.b]) furtherRunsOf(side).view.value = view;
  if (view === 'records') differencesOf(traces).wanted.value = true;
  bring();
}
