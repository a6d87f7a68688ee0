import { formatLength, shortened } from '../../base/format.ts';
import type { Functions } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { whenHolds } from '../../base/when.ts';
import { bringToFront, type Dock, FUNCTIONS } from '../../page/dock.ts';
import type { Page, Start } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { selectCall } from '../../trace/find_call.ts';
import type { Told } from '../../trace/statistics.ts';
import { type CallView, chooseView } from './views.ts';
import { wishedComparison } from './wished.ts';

/** A function needs as many calls for one of them to be unusual. */
const FEWEST = 3;

/** Questions about calls that take time. */
export const STARTS: readonly Start[] = [
  {
    id: 'slow-call',
    place: 10,
    asked: ({ trace, statistics }) => {
      const info = trace.info.value;
      if (!info?.offers.includes('callStacks') || info.clock.kind === 'ordinal') return null;
      const way = 'Double-click a function in Functions, then *Compare*';
      const told = wholeOf(statistics.functions.value);
      if (!told) return { words: 'Why is the slowest call slow?', way };
      const row = mostUnusual(told.columns);
      if (row < 0) return null;
      const length = (of: number) => formatLength(ticks(BigInt(Math.round(of))), info.clock);
      return {
        words: `Why is the longest call of ${shortened(trace.names.of(told.columns.name[row]!), 40)} slow?`,
        figure: `${length(told.columns.max[row]!)}, median ${length(told.columns.median[row]!)}`,
        way,
      };
    },
    answer: (open, page) =>
      withFunctions(open, page, ({ columns }) => {
        const row = mostUnusual(columns);
        if (row < 0) return page.workbench.tell('No function has a call that is much longer than its others.');
        const name = columns.name[row]!;
        open.scope.add(selectCall({ name, order: 'longest' }, open));
        wishedComparison(open).value = name;
        open.statistics.highlighted.value = name;
        open.statistics.listed.value = name;
        return undefined;
      }),
  },
  costly('costly-functions', 20, 'Which functions cost the most?', (isTimed) => isTimed),
  {
    id: 'heaviest-stacks',
    place: 65,
    asked: ({ trace }) => {
      const info = trace.info.value;
      if (!info?.offers.includes('callStacks') || info.clock.kind === 'ordinal') return null;
      return { words: 'On which call paths is the time spent?', way: 'Functions, *Stacks*: the heaviest paths first' };
    },
    answer: (open, { dock }) => showWhole(open, dock, 'stacks'),
  },
  // Instructions raise other questions first.
  costly('long-functions', 70, 'Which functions take the most steps?', (isTimed) => !isTimed),
];

/** A question for the functions with the greatest self time, in traces with or without time. */
function costly(id: string, place: number, words: string, isFor: (isTimed: boolean) => boolean): Start {
  return {
    id,
    place,
    asked: ({ trace, statistics }) => {
      const info = trace.info.value;
      if (!info?.offers.includes('callStacks') || info.offers.includes('graphics')) return null;
      if (!isFor(info.clock.kind !== 'ordinal')) return null;
      const told = wholeOf(statistics.functions.value);
      const row = told ? mostBySelf(told.columns) : -1;
      return {
        words,
        ...(told && row >= 0 ? { figure: shortened(trace.names.of(told.columns.name[row]!), 40) } : {}),
        way: 'Functions, sorted by Self',
      };
    },
    answer: (open, page) =>
      withFunctions(open, page, ({ columns }) => {
        void import('./calls.tsx').then(({ sortFunctions }) => sortFunctions({ by: 'self', descending: true }));
        const row = mostBySelf(columns);
        if (row >= 0) open.statistics.highlighted.value = columns.name[row]!;
      }),
  };
}

/** Statistics of the whole trace and all threads, once all calls are counted; else null. */
function wholeOf(told: Told<Functions> | null): Told<Functions> | null {
  return told?.exact && told.range === null ? told : null;
}

/** Brings a view of the Functions panel to the front, about the whole trace and all threads. */
function showWhole(open: OpenTrace, dock: Dock, view: CallView): void {
  const { statistics, trace } = open;
  statistics.range.value = null;
  statistics.whose.value = 'all';
  chooseView(open, dock, view);
  bringToFront(dock, trace.info.peek()?.format, FUNCTIONS);
}

/** Brings the functions of the whole trace to the front, and calls `then` once they are counted. */
function withFunctions(open: OpenTrace, { dock }: Page, then: (told: Told<Functions>) => void): void {
  const { statistics } = open;
  // What is known of one thread stays until the answer about all arrives.
  const stale = statistics.whose.peek() === 'all' ? null : statistics.functions.peek();
  showWhole(open, dock, 'functions');
  const isWhole = (told: Told<Functions> | null): told is Told<Functions> => told !== stale && wholeOf(told) !== null;
  open.scope.add(whenHolds(statistics.functions, isWhole, then));
}

/** The function whose longest call exceeds its median by most, as a row, or -1 if none does. */
export function mostUnusual({ length, count, max, median }: Pick<Functions, 'length' | 'count' | 'max' | 'median'>) {
  let best = -1;
  const excess = (row: number) => max[row]! - median[row]!;
  for (let row = 0; row < length; row += 1) {
    if (count[row]! >= FEWEST && excess(row) > (best < 0 ? 0 : excess(best))) best = row;
  }
  return best;
}

function mostBySelf({ length, self }: Functions): number {
  let best = -1;
  for (let row = 0; row < length; row += 1) if (best < 0 || self[row]! > self[best]!) best = row;
  return best;
}
