import type { ComponentType, RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { bringToFront } from '../../page/dock.ts';
import { furtherRunsOf } from '../../page/further_runs.ts';
import type { Page } from '../../page/page.ts';
import { alignmentOf, swapSides } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { shareColours } from '../../timeline/same_colours.ts';
import type { PageHistory } from '../../timeline/visits.ts';
import { AlignButton } from './align_button.tsx';
import { addPairCommands } from './commands.ts';
import { placesOfSecond } from './places.ts';
import { noteBoth } from './remember.ts';
import { scrollTogether } from './scrolling.ts';
import './two.css';

interface Props {
  readonly pair: Pair;
  readonly page: Page;
  /** The timeline of one trace. */
  readonly View: ComponentType<{ open: OpenTrace; page: Page; history: PageHistory }>;
}

/** The id of the panel of differences. */
const DIFFERENCES = 'differences';

/** The timeline of what is compared, and what links it with that of the base above it. */
export function Second({ pair, page, View }: Props) {
  const history = useMemo(placesOfSecond, [pair.b]);
  const bar = useRef<HTMLDivElement>(null);
  const bench = page.workbench.bench.value;
  const front = bench.at === 'open' && bench.open === pair.b ? pair.b : pair.a;
  useEffect(() => addPairCommands(page), [page]);
  useEffect(() => {
    const { isRanked } = furtherRunsOf(pair.b);
    if (!isRanked.peek()) return;
    isRanked.value = false;
    bringToFront(page.dock, pair.a.trace.info.peek()?.format ?? pair.b.trace.info.peek()?.format, DIFFERENCES);
  }, [pair, page]);
  useEffect(() => noteBoth(pair, page), [pair, page]);
  useEffect(() => shareColours(pair), [pair]);
  useEffect(() => {
    const found = [...(bar.current?.parentElement?.querySelectorAll<HTMLElement>('.scroller') ?? [])];
    const [first, second] = found;
    return first && second ? scrollTogether(pair, [first, second]) : undefined;
  }, [pair]);
  return (
    <>
      <PairBar pair={pair} front={front} bar={bar} />
      <View key={pair.b.id} open={pair.b} page={page} history={history} />
    </>
  );
}

/** What both timelines have in common, between them. */
function PairBar({ pair, front, bar }: { pair: Pair; front: OpenTrace; bar: RefObject<HTMLDivElement | null> }) {
  const { isLinked } = alignmentOf(pair);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form has these.
    <div class="pair-bar row small" role="group" aria-label="Both timelines" ref={bar}>
      <button
        type="button"
        class="plain toggle"
        aria-pressed={isLinked.value}
        title="Move both timelines together (L)"
        onClick={() => {
          isLinked.value = !isLinked.peek();
        }}
      >
        Linked
      </button>
      <AlignButton pair={pair} front={front} />
      <span class="grow" />
      <button type="button" class="plain" title="Make B the base" onClick={() => swapSides(pair)}>
        Swap
      </button>
      <button type="button" class="plain" onClick={() => pair.close(pair.a)}>
        Close A
      </button>
      <button type="button" class="plain" onClick={() => pair.close(pair.b)}>
        Close B
      </button>
    </div>
  );
}
