import { type ReadonlySignal, signal } from '@preact/signals';
import type { RecordRow } from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { distance } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import type { Pointed } from '../trace/pointed.ts';
import type { Selection } from '../trace/selection.ts';
import type { Statistics } from '../trace/statistics.ts';
import type { Extent, View } from '../trace/view.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds that a view must stay to be a place of its own. */
const REST_MS = 500;
/** A view that begins to move this soon after a selection follows it. */
const FOLLOWS_MS = 250;
/** A view that moved at least this long before a selection is a place of its own, although it has not stayed. */
const PASSING_MS = 100;
/** A selection that is replaced this soon is not a place of its own: a key is held down. */
const HELD_MS = 80;
/** The last place that has an entry of its own in the browser's history. Browsers keep 50 entries, some of other pages. */
const MOST = 40;
/** CSS pixels by which equal places may differ. */
const SLACK = 2;

/** The history of the browser, as far as visits use it. Entries of a trace are numbered from 0. */
export interface PageHistory {
  /** Starts again at entry 0. Until disposed, `show` is called with the entry that the user went to. */
  begin(show: (entry: number) => void): Dispose;
  /** Adds an entry with this number after the current one, in place of those that follow. */
  push(entry: number): void;
  /** Goes to the previous or the next entry. */
  go(by: -1 | 1): void;
}

/** The places in a trace that the user has looked at: view, selection and range. */
export interface Visits {
  readonly canGoBack: ReadonlySignal<boolean>;
  readonly canGoForward: ReadonlySignal<boolean>;
  back(): void;
  forward(): void;
  /** What is shown until a promise settles belongs to the current place: it was there before the page was loaded again. */
  joins(shown: Promise<void>): void;
  readonly dispose: Dispose;
}

/** What else belongs to a place: what a link has brought to the front. `at` is another object whenever that changes, or null. */
export interface Views {
  readonly at: ReadonlySignal<object | null>;
  /** Shows it again. */
  show(at: object): void;
  /** Shows what was there before it. `to` is what belongs to that place. */
  leave(at: object, to: object | null): void;
}

interface Place {
  /** null while the user has not moved the view, which then shows the whole trace. */
  readonly view: View | null;
  readonly scrollTop: number;
  readonly selected: Pointed | null;
  readonly record: RecordRow | null;
  readonly range: Extent | null;
  readonly views: object | null;
}

/** What visits need of an open trace. */
export interface Visited {
  readonly timeline: Pick<Timeline, 'view' | 'scrollTop' | 'isMoved' | 'goTo' | 'showWhole'>;
  readonly selection: Pick<Selection, 'selected' | 'record' | 'selectRecord' | 'clear'>;
  readonly statistics: Pick<Statistics, 'range'>;
}

/**
 * Notes places in the history of the browser: each new selection or range, what a link shows, and each view that has rested.
 * `scrollTo` scrolls the tracks (CSS pixels of the layout).
 */
export function createVisits(
  { timeline, selection, statistics }: Visited,
  history: PageHistory,
  scrollTo: (top: number) => void,
  views?: Views,
): Visits {
  const scope = createScope();
  const canGoBack = signal(false);
  const canGoForward = signal(false);

  const placeNow = (): Place => ({
    view: timeline.isMoved() ? timeline.view.peek() : null,
    scrollTop: timeline.scrollTop.peek(),
    selected: selection.selected.peek(),
    record: selection.record.peek(),
    range: statistics.range.peek(),
    views: views?.at.peek() ?? null,
  });
  let places: readonly Place[] = [placeNow()];
  let at = 0;
  /** When the view began to move, and whether it follows a selection; null while it rests. */
  let move: { readonly since: number; readonly follows: boolean } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let jumped = Number.NEGATIVE_INFINITY;
  let asked = false;
  let disposed = false;
  /** Changes that belong to the current place are under way. */
  let joining = 0;

  const tell = () => {
    canGoBack.value = at > 0;
    canGoForward.value = at < places.length - 1;
  };
  const put = (place: Place) => {
    places = places.map((it, i) => (i === at ? place : it));
  };
  const push = (place: Place) => {
    if (joining > 0) return put(place);
    places = [...places.slice(0, at + 1), place];
    // The oldest place is forgotten, and the entries of the browser stand for the others.
    if (at === MOST) places = places.slice(1);
    else {
      at += 1;
      history.push(at);
    }
    tell();
  };
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
    move = null;
  };
  const settle = () => {
    const follows = move?.follows;
    rest();
    const now = placeNow();
    if (follows) put(now);
    else if (!sameView(now, places[at]!)) push(now);
  };
  const commit = () => {
    asked = false;
    const now = placeNow();
    const here = places[at]!;
    if (sameChoice(now, here)) return;
    const time = performance.now();
    const held = time - jumped < HELD_MS;
    if (move && !move.follows && time - move.since >= PASSING_MS) {
      push({ ...here, view: now.view, scrollTop: now.scrollTop });
      push(now);
    } else if (held && at > 0) put(now);
    else push(now);
    jumped = time;
    rest();
  };
  const show = (entry: number) => {
    const place = places[entry];
    if (!place) return;
    // What was looked at until now can be returned to.
    if (move && !move.follows) put(placeNow());
    rest();
    const isBack = entry < at;
    const left = isBack ? places.slice(entry + 1, at + 1).find((it) => it.views !== place.views)?.views : null;
    const current = places[at]?.views ?? null;
    at = entry;
    tell();
    if (left) views?.leave(left, place.views);
    else if (place.views && place.views !== current) views?.show(place.views);
    jumped = performance.now();
    statistics.range.value = place.range;
    if (place.record) selection.selectRecord(place.record);
    else if (place.selected) selection.selected.value = place.selected;
    else selection.clear();
    if (place.view) timeline.goTo(place.view);
    else timeline.showWhole();
    scrollTo(place.scrollTop);
  };

  scope.add(
    watch([timeline.view, timeline.scrollTop], () => {
      // While the view shows the whole trace, it grows along with it.
      if (sameView(placeNow(), places[at]!)) return;
      const time = performance.now();
      move ??= { since: time, follows: time - jumped < FOLLOWS_MS };
      clearTimeout(timer);
      timer = setTimeout(settle, REST_MS);
    }),
  );
  scope.add(
    watch([selection.selected, selection.record, statistics.range, ...(views ? [views.at] : [])], () => {
      if (asked) return;
      asked = true;
      // One act may change several of them.
      queueMicrotask(() => {
        if (!disposed) commit();
      });
    }),
  );
  scope.add(() => {
    disposed = true;
    clearTimeout(timer);
  });
  scope.add(history.begin(show));
  return {
    canGoBack,
    canGoForward,
    joins: (shown) => {
      joining += 1;
      void shown.finally(() => {
        rest();
        put(placeNow());
        // The view may still be on its way to what was selected.
        jumped = performance.now();
        // What was selected last is noticed first.
        queueMicrotask(() => {
          joining -= 1;
        });
      });
    },
    back: () => history.go(-1),
    forward: () => history.go(1),
    dispose: scope.dispose,
  };
}

function sameChoice(a: Place, b: Place): boolean {
  if (a.record?.locator !== b.record?.locator || a.record?.x !== b.record?.x || a.views !== b.views) return false;
  return sameItem(a.selected, b.selected) && a.range?.from === b.range?.from && a.range?.to === b.range?.to;
}

function sameItem(a: Pointed | null, b: Pointed | null): boolean {
  return a?.track === b?.track && a?.depth === b?.depth && a?.start === b?.start && a?.name === b?.name;
}

function sameView(a: Place, b: Place): boolean {
  if (Math.abs(a.scrollTop - b.scrollTop) > SLACK) return false;
  if (!a.view || !b.view) return a.view === b.view;
  const {
    view,
    view: { perPixel },
  } = a;
  const moved = (distance(view.anchor, b.view.anchor) + view.fraction - b.view.fraction) / perPixel;
  return Math.abs(moved) <= SLACK && Math.abs(b.view.perPixel / perPixel - 1) < 0.001;
}
