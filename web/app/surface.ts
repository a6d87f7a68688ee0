import type { Ticks } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import type { Surface } from '../page/page.ts';
import { bandOf, type LaidTrack } from '../timeline/layout.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { firstSlice, type Step } from '../timeline/pointing.ts';
import { middleOf, rowOf, rowsOf } from '../timeline/rows.ts';
import { type Pointed, pointedOf } from '../trace/pointed.ts';
import { toPixel } from '../trace/view.ts';

/** Steps that wait for one another at most. */
const MOST_STEPS = 4;

/** The timeline of a trace for commands. Until disposed it keeps what is selected in view. */
export function createSurface(
  open: OpenTrace,
  {
    area,
    scrollBy,
    filtering,
    pointer,
    visits,
    undo,
  }: Pick<Surface, 'area' | 'scrollBy' | 'filtering' | 'pointer' | 'visits' | 'undo'>,
): Surface & { readonly dispose: Dispose } {
  const { trace, timeline, selection, statistics } = open;
  const scope = createScope();
  const widthOf = () => timeline.size.peek().width;
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
      const laid = laidOf(track);
      const isDeep = laid !== undefined && selected !== null && isDeeper(laid, selected);
      if (laid && !isDeep) return;
      // What was selected from elsewhere is to be seen.
      if (isDeep) arrangement.toggleOpened(track);
      else arrangement.uncover(track);
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
      const selected = selection.selected.peek();
      if (!selected) return;
      latest = 'selected';
      // The function that stood out is left with the selection of another one.
      if (selected.name >= 0 && selected.name !== statistics.highlighted.peek()) statistics.highlighted.value = -1;
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
    open,
    area,
    pointer,
    visits,
    undo,
    filtering,
    scrollBy,
    bringIntoView,
    currentTrack: () => laidOf(arrangement.current.peek()) ?? null,
    goToTrack,
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

/** Whether an item is in one of the rows that its track hides. */
function isDeeper(laid: LaidTrack, { item, depth }: Pointed): boolean {
  return laid.deeper > 0 && item?.kind === 'slice' && depth - laid.track.lowest >= laid.rows;
}

/** Calls `then` when a changed layout is on the screen: until then it cannot be scrolled to what is new. */
function afterLayout(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(then));
}
