import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type Hit,
  type HitColumns,
  type HitNumbers,
  type HitOrder,
  type HitService,
  MOST_SORTED,
} from '../base/find_protocol.ts';
import type { Ticks } from '../base/protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { type AccessMarks, createAccessMarks } from './access_marks.ts';
import { createHitMarks, type HitMarks } from './hit_marks.ts';
import type { OnScreen } from './picture.ts';
import { pointedOf, sameItem } from './pointed.ts';
import { createRowList } from './row_list.ts';
import { createSearch, SETTLED_MS, type SearchedTrace, type SearchState } from './search.ts';
import type { Selection } from './selection.ts';
import type { Trace } from './trace.ts';
import { type Extent, toTick } from './view.ts';

/** The search of a trace. There is one at a time. */
export interface Find {
  /** What the user has typed. */
  readonly text: Signal<string>;
  /** The expression that the hits are of, or ''. */
  readonly asked: ReadonlySignal<string>;
  readonly state: ReadonlySignal<SearchState>;
  readonly count: ReadonlySignal<number>;
  /** The number of the current hit from 0, or -1. */
  readonly current: ReadonlySignal<number>;
  /** The numbers of the hits that the list has: of those that begin in the range, or of all. */
  readonly listed: ReadonlySignal<HitNumbers>;
  /** The row of the list that is selected, in its order, or -1. */
  readonly currentRow: ReadonlySignal<number>;
  /** Ids of the names of hits. */
  readonly names: ReadonlySignal<ReadonlySet<number>>;
  readonly marks: HitMarks;
  /** They take the place of {@link marks} if the search is about accesses, executions or taint. */
  readonly accesses: AccessMarks;
  /** The order of the list. */
  readonly order: Signal<HitOrder>;
  /** Counts arrivals of rows. */
  readonly version: ReadonlySignal<number>;
  /** A row of the list in its order, or null if it is not there yet. */
  row(number: number): Hit | null;
  /** Requests the rows of a part of the list that are not there yet, `end` exclusive. */
  want(first: number, end: number): void;
  /** Searches for the text at once. */
  ask(text: string): void;
  /** Ends the search and keeps what it has found. */
  stop(): void;
  /** Searches for the same again, to the end. */
  again(): void;
  /** Forgets the search. */
  clear(): void;
  /** Hits of the list in its order, from row `first` on; null if the search has changed. */
  page(first: number, count: number): Promise<readonly Hit[] | null>;
  /** The hits as columns, at most {@link MOST_SORTED}, by position. */
  columns(): Promise<HitColumns | null>;
  /** Selects a row of the list in its order. */
  choose(number: number): void;
  /** Selects the next or the previous hit after the selection, or after the left edge of the screen. Starts over at the end. */
  step(by: 1 | -1): Promise<void>;
  readonly dispose: Dispose;
}

/** No search yet. The list has what begins in the `range`; marks and steps are about the whole trace. */
export function createFind(
  trace: SearchedTrace & Pick<Trace, 'bind' | keyof Omit<HitService, 'addHits'>>,
  timeline: OnScreen,
  selection: Pick<Selection, 'selected' | 'record' | 'reveal' | 'revealRecord'>,
  range: ReadonlySignal<Extent | null> = signal(null),
): Find {
  const scope = createScope();
  const text = signal('');
  const asked = signal('');
  const accesses = createAccessMarks(timeline);
  scope.add(accesses.dispose);
  const search = createSearch(trace, 'find', () => grown(), accesses);
  const { state, count, names, job, added } = search;
  const order = signal<HitOrder>('position');
  /** The row that was chosen from the list, and its hit, until another one is selected. */
  const picked = signal<{ readonly row: number; readonly hit: Hit } | null>(null);
  /** The number of the hit that is selected, by position, or -1. */
  const current = signal(-1);
  /** The hits that begin in the range; null without a range. */
  const inRange = signal<HitNumbers | null>(null);
  const listed = computed(() => inRange.value ?? { first: 0, end: count.value });
  const rows = createRowList<Hit>({
    ask: (first, size, take) => {
      const by = order.peek();
      const among = listed.peek();
      const isSame = () => order.peek() === by && listed.peek() === among;
      void page(among, first, size, by).then((found) => take(isSame() ? found : null));
    },
    count: () => listed.peek().end - listed.peek().first,
    select: (hit, row) => {
      picked.value = { row, hit };
      select(hit);
    },
  });
  const currentRow = computed(() => {
    if (order.value !== 'position') return picked.value?.row ?? -1;
    const { first, end } = listed.value;
    return current.value >= first && current.value < end ? current.value - first : -1;
  });
  /** Steps that wait for the first hits. */
  let awaited: 1 | -1 | 0 = 0;

  const marks = createHitMarks(trace, timeline, job, added);
  scope.add(marks.dispose);

  const forget = () => {
    search.forget();
    inRange.value = null;
    rows.renew();
    awaited = 0;
    current.value = -1;
  };
  const grown = () => {
    rows.grow();
    void follow();
    if (awaited !== 0 && count.peek() > 0) {
      const by = awaited;
      awaited = 0;
      void inTurn(by);
    }
  };
  const begin = (expression: string) => {
    forget();
    asked.value = expression;
    if (expression.trim() === '') return;
    // Browsers keep marks until the page clears them.
    performance.clearMarks('unspool:find');
    performance.mark('unspool:find');
    search.begin(() => trace.bind(expression));
  };

  scope.add(
    effect(() => {
      const typed = text.value;
      if (typed === asked.peek()) return undefined;
      const timer = setTimeout(() => {
        // Enter may have begun it.
        if (typed !== asked.peek()) begin(typed);
      }, SETTLED_MS);
      return () => clearTimeout(timer);
    }),
  );
  scope.add(watch([trace.status], () => search.resume()));
  scope.add(
    watch([order], () => {
      picked.value = null;
      rows.renew();
    }),
  );

  /** Makes the selection the current hit, if it is one. */
  const follow = async () => {
    const id = job.peek();
    if (id < 0) return;
    const selected = selection.selected.peek();
    const record = selection.record.peek();
    const x = selected?.start ?? record?.x;
    const hit = picked.peek()?.hit;
    const isPicked = selected ? sameItem(selected.item, hit?.item ?? null) : record?.locator === hit?.locator;
    if (!isPicked) picked.value = null;
    if (x === undefined || (!selected?.item && !record)) {
      current.value = -1;
      return;
    }
    const item = selected?.item ?? null;
    const answer = await trace.rankOfHit(id, x, item, record?.locator ?? null);
    if (!answer || job.peek() !== id) return;
    if (selection.selected.peek() !== selected || selection.record.peek() !== record) return;
    current.value = answer.isHit ? answer.rank : -1;
  };
  scope.add(watch([selection.selected, selection.record], () => void follow()));

  const select = (hit: Hit) => {
    const { item, track, start, end, name, title, locator } = hit;
    if (item) selection.reveal(pointedOf({ item, name: name ?? -1, start, end, flags: 0 }));
    else selection.revealRecord({ x: start, track, locator, name: title, fields: [], dropped: 0 });
  };
  const page = async (among: HitNumbers, first: number, size: number, by: HitOrder) => {
    const id = job.peek();
    const found = id < 0 ? null : await trace.hits(id, among, first, size, by);
    return job.peek() === id ? found : null;
  };
  /** Lists what begins in the range. */
  const limit = async () => {
    const id = job.peek();
    const now = range.peek();
    const arrived = added.peek();
    const isNewest = () => job.peek() === id && range.peek() === now && added.peek() === arrived;
    if (id < 0 || !now) {
      if (inRange.peek()) {
        inRange.value = null;
        rows.renew();
      }
      return;
    }
    const [first, end] = await Promise.all([now.from, now.to].map((x) => trace.rankOfHit(id, x, null, null)));
    if (!first || !end || !isNewest()) return;
    const known = inRange.peek();
    if (known?.first === first.rank && known.end === end.rank) return;
    inRange.value = { first: first.rank, end: end.rank };
    rows.renew();
  };
  scope.add(watch([range, job, added], () => void limit()));
  /** The position from which the next hit is sought. */
  const place = (): { readonly x: Ticks; readonly rank: number } | null => {
    const selected = selection.selected.peek();
    const record = selection.record.peek();
    const x = selected?.start ?? record?.x;
    if (x !== undefined) return { x, rank: current.peek() };
    const view = timeline.view.peek();
    return view && { x: toTick(view, 0) as Ticks, rank: -1 };
  };
  const step = async (by: 1 | -1) => {
    const total = count.peek();
    const from = place();
    const id = job.peek();
    if (id < 0 || !from) return;
    let next: number;
    if (from.rank >= 0) next = from.rank + by;
    else {
      const answer = await trace.rankOfHit(id, from.x, null, null);
      if (!answer || job.peek() !== id) return;
      next = by > 0 ? answer.rank : answer.rank - 1;
    }
    if (total === 0) return;
    next = (next + total) % total;
    const [hit] = (await page({ first: 0, end: total }, next, 1, 'position')) ?? [];
    if (!hit) return;
    select(hit);
    current.value = next;
  };

  /** Settles when the latest step is done: a step begins where the one before has led. */
  let latest: Promise<void> = Promise.resolve();
  const inTurn = (by: 1 | -1) => {
    latest = latest.then(() => step(by));
    return latest;
  };

  const askFor = (wanted: string) => {
    text.value = wanted;
    if (wanted !== asked.peek() || state.peek().at === 'idle') begin(wanted);
  };
  return {
    text,
    asked,
    state,
    count,
    current,
    listed,
    currentRow,
    names,
    marks,
    accesses,
    order,
    version: rows.version,
    row: rows.row,
    want: rows.want,
    ask: askFor,
    stop: search.stop,
    again: () => begin(asked.peek()),
    clear: () => {
      text.value = '';
      asked.value = '';
      forget();
    },
    page: (first, size) => page(listed.peek(), first, size, order.peek()),
    columns: async () => (job.peek() < 0 ? null : trace.columnsOfHits(job.peek(), MOST_SORTED)),
    choose: rows.choose,
    step: async (by) => {
      if (text.peek() !== asked.peek()) begin(text.peek());
      if (state.peek().at === 'searching' && count.peek() === 0) {
        awaited = by;
        return;
      }
      await inTurn(by);
    },
    dispose: () => {
      forget();
      scope.dispose();
    },
  };
}
