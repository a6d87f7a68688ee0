import { computed, type ReadonlySignal } from '@preact/signals';
import type { Ticks } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import { watch } from '../../base/watch.ts';
import { SLICE_ROW } from '../../model/layout.ts';
import { rangeAround } from '../../model/measure.ts';
import { noteHere, rangeHere } from '../../model/note_places.ts';
import { firstSlice, type Pointed, pointedOf, type Step } from '../../model/pointing.ts';
import { middleOf, rowOf, rowsOf } from '../../model/rows.ts';
import { rangeBetween, toPixel } from '../../model/view.ts';
import type { Visits } from '../../model/visits.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import type { TraceActions } from '../commands/context.ts';
import { FIND_ID } from '../find/find_bar.tsx';
import { GO_TO_ID } from './go_to.tsx';
import type { PointerPlace } from './view_state.ts';

/** What actions need of the view of a trace. */
interface Surroundings {
  /** The element of the timeline. */
  readonly area: HTMLElement;
  /** Scrolls the tracks by CSS pixels of the layout. */
  readonly scrollBy: (pixels: number) => void;
  readonly pointer: ReadonlySignal<PointerPlace | null>;
  readonly visits: Visits;
}

/** What commands do with a trace. */
export function createTraceActions(
  open: OpenTrace,
  { area, scrollBy, pointer, visits }: Surroundings,
): TraceActions & { readonly dispose: Dispose } {
  const { trace, timeline, selection, statistics, find, notes } = open;
  const scope = createScope();
  const widthOf = () => timeline.size.peek().width;
  const bringIntoView = (pointed: Pointed) => {
    const laid = timeline.layout.peek().tracks.find((candidate) => candidate.track.id === pointed.track);
    if (laid) {
      const { height } = timeline.size.peek();
      const row = pointed.end === null ? 0 : pointed.depth - laid.track.lowest;
      const y = laid.top + laid.slices + row * SLICE_ROW - timeline.scrollTop.peek();
      if (y < 0 || y > height - SLICE_ROW) scrollBy(y - height / 2);
    }
    const view = timeline.view.peek();
    if (!view) return;
    const width = widthOf();
    const left = toPixel(view, pointed.start);
    const right = pointed.end === null ? left : toPixel(view, pointed.end);
    if (right < 0 || left > width) timeline.glideBy((left + Math.min(right, left + width)) / 2 - width / 2);
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
      if (picture && view) select(firstSlice(picture, timeline.layout.peek(), view, widthOf()));
    },
    stepRow: async (by) => {
      const view = timeline.view.peek();
      const from = selection.selected.peek();
      const place = from ?? selection.record.peek();
      if (!view || !place) return;
      const rows = rowsOf(timeline.layout.peek());
      const at = rowOf(rows, place.track, from?.item ?? null);
      if (at < 0) return;
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
    },
    step: async (to) => {
      const from = selection.selected.peek();
      const record = selection.record.peek();
      if (record) return stepFrom(record, to);
      if (!from?.item) return;
      const found = await trace.find({ to, item: from.item });
      // A selection made in the meantime takes precedence.
      if (found && selection.selected.peek() === from) select(pointedOf(found));
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
