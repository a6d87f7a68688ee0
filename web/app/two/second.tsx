import type { ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Page } from '../../page/page.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import type { PageHistory } from '../../timeline/visits.ts';
import { addPairCommands } from './commands.ts';
import { placesOfSecond } from './places.ts';
import { noteBoth } from './remember.ts';
import './two.css';

interface Props {
  readonly pair: Pair;
  readonly page: Page;
  /** The timeline of one trace. */
  readonly View: ComponentType<{ open: OpenTrace; page: Page; history: PageHistory }>;
}

/** The timeline of what is compared, and what links it with that of the base above it. */
export function Second({ pair, page, View }: Props) {
  const history = useMemo(placesOfSecond, [pair.b]);
  useEffect(() => addPairCommands(page), [page]);
  useEffect(() => noteBoth(pair, page), [pair, page]);
  return (
    <>
      <PairBar pair={pair} />
      <View key={pair.b.id} open={pair.b} page={page} history={history} />
    </>
  );
}

/** What both timelines have in common, between them. */
function PairBar({ pair }: { pair: Pair }) {
  const { isLinked } = alignmentOf(pair);
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form has these.
    <div class="pair-bar row small" role="group" aria-label="Both timelines">
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
      <span class="grow" />
      <button type="button" class="plain" title="Make B the base" onClick={pair.swap}>
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
