import { computed, type ReadonlySignal, type Signal } from '@preact/signals';
import { formatPosition } from '../../base/format.ts';
import type { Ticks } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import { watch } from '../../base/watch.ts';
import { bringToFront, type Dock } from '../../model/dock.ts';
import { termOfName } from '../../model/find_terms.ts';
import { bandOf, type LaidTrack, SLICE_ROW, trackAt } from '../../model/layout.ts';
import { rangeAround } from '../../model/measure.ts';
import { noteHere, rangeHere } from '../../model/note_places.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import { firstSlice, type Pointed, pointedOf, type Step } from '../../model/pointing.ts';
import { middleOf, rowOf, rowsOf } from '../../model/rows.ts';
import { canWalk } from '../../model/stepping.ts';
import { rangeBetween, toPixel } from '../../model/view.ts';
import type { Visits } from '../../model/visits.ts';
import { isStatement, wantedStatement } from '../../model/wanted_statement.ts';
import type { TraceActions } from '../commands/context.ts';
import { FIND_ID } from '../find/find_bar.tsx';
import { GO_TO_ID } from './go_to.tsx';
import { lanesOf } from './lanes.ts';
import { TRACK_FILTER_ID } from './track_filter.tsx';
import type { PointerPlace } from './view_state.ts';

/** Steps that wait for one another at most. */
const MOST_STEPS = 4;

/** The elements around the actions. */
export interface Surroundings {
  /** The element of the timeline. */
  readonly area: HTMLElement;
  /** Scrolls the tracks by CSS pixels of the layout. */
  readonly scrollBy: (pixels: number) => void;
  /** Whether the field that filters tracks is open. */
  readonly filtering: Signal<boolean>;
  readonly dock: Dock;
  readonly pointer: ReadonlySignal<PointerPlace | null>;
  readonly visits: Visits;
}

/** What commands do with a trace. */
export function createTraceActions(
  open: OpenTrace,
  { area, scrollBy, filtering, dock, pointer, visits }: Surroundings,
): TraceActions & { readonly dispose: Dispose } {
  const { trace, timeline, selection, statistics, find, derived, notes } = open;
  const scope = createScope();
  const widthOf = () => timeline.size.peek().width;
  const findTerm = (term: string) => {
    find.shown.value = true;
    find.ask(term);
  };
  const { arrangement } = timeline;
  const laidOf = (id: number) => timeline.layout.peek().tracks.find(({ track }) => track.id === id);
  const bringRowIntoView = (pointed: Pointed) => {
    const laid = laidOf(pointed.track);
    if (!laid) return;
    const row = pointed.end === null ? 0 : pointed.depth - laid.track.lowest;
    const { top, bottom, shift, isPinned } = bandOf(timeline.layout.peek(), timeline.window.peek(), laid);
    const y = laid.top + laid.slices + row * laid.rowHeight - shift;
    if (y < top || y > bottom - laid.rowHeight) (isPinned ? timeline.scrollPinned : scrollBy)(y - (top + bottom) / 2);
  };
  const bringIntoView = (pointed: Pointed) => {
    bringRowIntoView(pointed);
    const view = timeline.view.peek();
    if (!view) return;
    const width = widthOf();
    const left = toPixel(view, pointed.start);
    const right = pointed.end === null ? left : toPixel(view, pointed.end);
    if (right < 0 || left > width) timeline.glideBy((left + Math.min(right, left + width)) / 2 - width / 2);
  };
  /** Scrolls so that a track is on the screen, the top of it if it is higher than that. */
  const bringTrackIntoView = (laid: LaidTrack) => {
    const { top, bottom, shift, isPinned } = bandOf(timeline.layout.peek(), timeline.window.peek(), laid);
    const above = laid.top - shift - top;
    const below = laid.top + laid.height - shift - bottom;
    const by = above < 0 || laid.height > bottom - top ? above : Math.max(0, below);
    (isPinned ? timeline.scrollPinned : scrollBy)(by);
  };
  /** Makes a track the current one and brings it into view. */
  const goToTrack = (id: number) => {
    const go = () => {
      const laid = laidOf(id);
      if (laid) bringTrackIntoView(laid);
    };
    arrangement.current.value = id;
    if (laidOf(id)) return go();
    arrangement.uncover(id);
    afterLayout(go);
  };
  /** The current track if the selection is elsewhere: the next step of the selection leads into it. */
  const entered = (): number | null => {
    const own = selection.selected.peek()?.track ?? selection.record.peek()?.track;
    const id = arrangement.current.peek();
    return id >= 0 && id !== own ? id : null;
  };
  /** Moves the view to a position unless it is on the screen. */
  const reveal = (x: Ticks) => {
    const view = timeline.view.peek();
    const at = view && toPixel(view, x);
    if (at !== null && (at < 0 || at > widthOf())) timeline.glideBy(at - widthOf() / 2);
  };
  const select = (next: Pointed | null) => {
    if (!next) return;
    selection.selected.value = next;
    bringIntoView(next);
  };
  scope.add(
    watch([selection.revealed], () => {
      const pointed = selection.revealed.peek();
      if (pointed) bringIntoView(pointed);
    }),
  );
  scope.add(
    watch([selection.revealedRow], () => {
      const pointed = selection.revealedRow.peek();
      const laid = pointed && laidOf(pointed.track);
      // A record has no row of its own.
      if (laid && pointed.item) bringRowIntoView(pointed);
      else if (laid) bringTrackIntoView(laid);
    }),
  );
  scope.add(
    watch([selection.selected, selection.record], () => {
      const selected = selection.selected.peek();
      const track = selected?.track ?? selection.record.peek()?.track;
      if (track === undefined) return;
      arrangement.current.value = track;
      if (laidOf(track)) return;
      // What was selected from elsewhere is to be seen.
      arrangement.uncover(track);
      afterLayout(() => {
        const laid = laidOf(track);
        if (selected) bringRowIntoView(selected);
        else if (laid) bringTrackIntoView(laid);
      });
    }),
  );
  /** Where the last step from row to row led, and the position that it kept to. */
  let way: { readonly to: Pointed | null; readonly time: Ticks } | null = null;
  let latest: 'selected' | 'range' = 'selected';
  scope.add(
    watch([selection.selected], () => {
      if (selection.selected.peek()) latest = 'selected';
    }),
  );
  scope.add(
    watch([statistics.range], () => {
      if (statistics.range.peek()) latest = 'range';
    }),
  );

  let stepping: Promise<void> = Promise.resolve();
  let steps = 0;
  /** Steps wait for one another, so that no key of several quick ones is lost. Of a key that is held, those beyond the limit are. */
  const inTurn = (step: () => Promise<void>): Promise<void> => {
    if (steps >= MOST_STEPS) return stepping;
    steps += 1;
    stepping = stepping.then(step, step).finally(() => {
      steps -= 1;
    });
    return stepping;
  };

  /** From a record to the next or previous one, or to the slice around it. */
  const stepFrom = async (record: RecordRow, to: Step) => {
    if (to === 'callee') return;
    if (to === 'caller') {
      const found = await trace.find({ to: 'at', time: record.x, track: record.track });
      if (found && selection.record.peek() === record) select(pointedOf(found));
      return;
    }
    const next = await trace.records.recordAt(ticks(record.x + (to === 'next' ? 1n : -1n)), record.track);
    if (!next || next.x === record.x || selection.record.peek() !== record) return;
    selection.selectRecord(next);
    reveal(next.x);
  };

  return {
    area,
    hasSelection: computed(() => selection.selected.value !== null || selection.record.value !== null),
    zoom: (factor) => timeline.zoom(widthOf() / 2, factor, 'gliding'),
    pan: (part) => timeline.glideBy(part * widthOf()),
    scroll: (rows) => scrollBy(rows * SLICE_ROW),
    arrangement,
    currentTrack: () => laidOf(arrangement.current.peek()) ?? null,
    goToTrack,
    stepTrack: (by) => {
      const { tracks } = timeline.layout.peek();
      const at = tracks.findIndex(({ track }) => track.id === arrangement.current.peek());
      // Without a current track, the first step leads to the first one on the screen.
      const first = tracks.indexOf(trackAt(timeline.layout.peek(), timeline.placeAt(0))!);
      const next = tracks[at < 0 ? Math.max(0, first) : at + by];
      if (next) goToTrack(next.track.id);
    },
    filterTracks: () => {
      filtering.value = true;
      requestAnimationFrame(() => document.getElementById(TRACK_FILTER_ID)?.focus());
    },
    showWhole: timeline.showWhole,
    find: () => {
      find.shown.value = true;
      // Its field may have to be made first.
      requestAnimationFrame(() => {
        const field = document.getElementById(FIND_ID);
        if (field instanceof HTMLInputElement) field.select();
      });
    },
    findStep: (by) => void find.step(by),
    hasHits: computed(() => find.count.value > 0),
    goTo: () => document.getElementById(GO_TO_ID)?.focus(),
    fitSelection: () => {
      const selected = selection.selected.peek();
      if (!selected) return;
      if (selected.end !== null) timeline.show({ from: selected.start, to: selected.end });
      else bringIntoView(selected);
    },
    selectFirst: () => {
      const picture = timeline.picture.peek();
      const view = timeline.view.peek();
      if (!picture || !view) return;
      const layout = timeline.layout.peek();
      const own = { ...layout, tracks: layout.tracks.filter(({ track }) => track.id === entered()) };
      select(firstSlice(picture, own, view, widthOf()) ?? firstSlice(picture, layout, view, widthOf()));
    },
    stepRow: (by) =>
      inTurn(async () => {
        const view = timeline.view.peek();
        const from = selection.selected.peek();
        const place = from ?? selection.record.peek();
        if (!view || !place) return;
        const rows = rowsOf(timeline.layout.peek());
        const into = entered();
        const first = into === null ? -1 : rows.findIndex(({ track }) => track === into);
        const last = into === null ? -1 : rows.findLastIndex(({ track }) => track === into);
        const at = first < 0 ? rowOf(rows, place.track, from?.item ?? null) : by > 0 ? first - 1 : last + 1;
        if (at < 0 && first < 0) return;
        const start = 'start' in place ? place.start : place.x;
        // Several steps keep to one position, so that the way back leads where it came from.
        const time = way?.to === from && way ? way.time : middleOf(start, from?.end ?? null, view, widthOf());
        for (let next = at + by; next >= 0 && next < rows.length; next += by) {
          const found = await trace.find({ to: 'row', time, ...rows[next]! });
          // A selection made in the meantime takes precedence.
          if (selection.selected.peek() !== from) return;
          if (!found) continue;
          select(pointedOf(found));
          way = { to: selection.selected.peek(), time };
          return;
        }
      }),
    step: (to) =>
      inTurn(async () => {
        const from = selection.selected.peek();
        const record = selection.record.peek();
        if (record) return stepFrom(record, to);
        if (!from?.item) return;
        const found = await trace.find({ to, item: from.item });
        // A selection made in the meantime takes precedence.
        if (found && selection.selected.peek() === from) select(pointedOf(found));
      }),
    canWalk: computed(() => canWalk(trace.info.value)),
    walk: (to, next) => {
      // Loaded with the first step: few traces have any.
      void import('../state/walking.ts').then(({ walkOf }) => walkOf(open).go(to, next));
    },
    toggleLoops: () => {
      void import('../state/folds.ts').then(({ toggleLoops }) => toggleLoops(open));
    },
    keepLoops: () => {
      void import('../state/folds.ts').then(({ keepLoops }) => keepLoops(open));
    },
    measure: () => {
      selection.anchor.value = selection.place();
    },
    addNote: () => {
      const note = noteHere(open, pointer.peek()?.x ?? null);
      if (note) notes.add(note);
    },
    canKeepRange: computed(() => rangeHere(open) !== null),
    keepRange: () => {
      const note = rangeHere(open);
      if (note) notes.add(note);
    },
    canGoBack: visits.canGoBack,
    canGoForward: visits.canGoForward,
    back: visits.back,
    forward: visits.forward,
    selectRange: () => {
      const selected = selection.selected.peek();
      const anchor = selection.anchor.peek();
      const place = selection.place();
      if (anchor && place) {
        statistics.range.value = rangeAround(anchor, place);
        return;
      }
      const view = timeline.view.peek();
      const whole = timeline.whole.peek();
      if (!view || !whole) return;
      statistics.range.value =
        selected && selected.end !== null && selected.end > selected.start
          ? { from: selected.start, to: selected.end }
          : rangeBetween(view, whole, 0, widthOf());
    },
    selectScreen: () => {
      const view = timeline.view.peek();
      const whole = timeline.whole.peek();
      if (view && whole) statistics.range.value = rangeBetween(view, whole, 0, widthOf());
    },
    hasRange: computed(() => statistics.range.value !== null),
    clearRange: () => {
      statistics.range.value = null;
    },
    selectedName: () => {
      const selected = selection.selected.peek();
      const record = selection.record.peek();
      if (selected) return { id: selected.name, text: trace.names.of(selected.name), isCalled: selected.end !== null };
      return record && { id: -1, text: trace.names.inPlaceOf(record.name), isCalled: false };
    },
    positionText: () => {
      const x = selection.selected.peek()?.start ?? selection.record.peek()?.x;
      const info = trace.info.peek();
      const extent = trace.progress.peek().extent;
      return x === undefined || !info || !extent ? '' : formatPosition(x, extent.from, info.clock);
    },
    findTerm,
    findName: ({ text }) => findTerm(termOfName(text)),
    listCalls: (name) => {
      bringToFront(dock, trace.info.peek()?.format, 'calls');
      statistics.highlighted.value = name;
      statistics.listed.value = name;
    },
    selectedStatement: () => {
      if (!trace.info.peek()?.offers.includes('values')) return null;
      const name = selection.selected.peek()?.name ?? -1;
      const own = name < 0 ? (selection.record.peek()?.name ?? '') : trace.names.keyOf(name) || trace.names.of(name);
      return isStatement(own) ? own : null;
    },
    listOccurrences: (statement) => {
      wantedStatement(open).value = statement;
    },
    highlight: (name) => {
      statistics.highlighted.value = name;
    },
    keepCalls: derived.keepFunction,
    lanes: lanesOf(open),
    clearLatest: () => {
      const selected = selection.selected.peek() !== null || selection.record.peek() !== null;
      const ranged = statistics.range.peek() !== null;
      if (selection.anchor.peek()) selection.anchor.value = null;
      else if (ranged && (latest === 'range' || !selected)) statistics.range.value = null;
      else if (selected) selection.clear();
      else statistics.highlighted.value = -1;
    },
    dispose: scope.dispose,
  };
}

/** Calls `then` when a changed layout is on the screen: until then it cannot be scrolled to what is new. */
function afterLayout(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(then));
}
