import type { ReadonlySignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import { shortened } from '../base/format.ts';
import { createScope } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { NoteFlags } from '../features/notes/flags.tsx';
import { NoteLines, NoteMarks } from '../features/notes/lines.tsx';
import type { Page } from '../page/page.ts';
import { viewsOf } from '../page/places.ts';
import { useMenu } from '../parts/menu/request.ts';
import { drawTimeline } from '../timeline/canvas/drawing.ts';
import { listenForGestures } from '../timeline/canvas/gestures.ts';
import { markCompletion } from '../timeline/canvas/marks.ts';
import { listenForMenus } from '../timeline/canvas/menus.ts';
import { overlayOf } from '../timeline/canvas/overlay.ts';
import { OverviewStrip } from '../timeline/canvas/overview.tsx';
import { gesturesOn } from '../timeline/canvas/pointer.ts';
import { RangeBand } from '../timeline/canvas/range.tsx';
import { RulerStrip } from '../timeline/canvas/ruler.tsx';
import { Tooltip } from '../timeline/canvas/tooltip.tsx';
import { TrackList } from '../timeline/canvas/tracks.tsx';
import { createViewState, type PointerPlace, TALLEST } from '../timeline/canvas/view_state.ts';
import { scrolledAt, scrolledHeight, trackAt } from '../timeline/layout.ts';
import { type OpenTrace, sideOf } from '../timeline/open_trace.ts';
import { undoOf } from '../timeline/undo.ts';
import { createVisits, type PageHistory } from '../timeline/visits.ts';
import { divideRoom } from './dock/sizes.ts';
import { createSurface } from './surface.ts';
import '../timeline/canvas/timeline.css';

interface Props {
  readonly open: OpenTrace;
  readonly page: Page;
  /** Where the places that are looked at are entries. */
  readonly history: PageHistory;
}

/** Overview, ruler, tracks and timeline of a trace. While it is in front, commands act on the trace. */
export function TimelineView({ open, page, history }: Props) {
  const { trace, timeline } = open;
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLDivElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const showMenu = useMenu();
  const side = sideOf(open);
  const state = useMemo(() => createViewState(open), [open]);

  const scrollBy = useCallback(
    (pixels: number) => {
      if (scroller.current) scroller.current.scrollTop += pixels / state.stretch.peek();
    },
    [state],
  );

  useEffect(() => {
    const element = area.current;
    // A trace that was replaced at once has no elements any more when its effects run.
    if (!element || !shapes.current || !marks.current) return undefined;
    const scope = createScope();
    const scrollAt = (pixels: number, y: number) => {
      const scrolled = scrolledAt(timeline.layout.peek(), timeline.size.peek().height, y);
      if (scrolled) (scrolled === 'pinned' ? timeline.scrollPinned : scrollBy)(pixels);
      return scrolled !== null;
    };
    // A track that the user scrolled to stays in place when one appears above it.
    let before = timeline.layout.peek();
    scope.add(
      watch([timeline.layout], () => {
        const top = timeline.scrollTop.peek();
        const from = before.pinnedHeight;
        const first = trackAt(before, from + top);
        before = timeline.layout.peek();
        const now = first && before.tracks.find(({ track }) => track.id === first.track.id);
        // A track that is pinned now has left its place.
        const stays = now && now.top >= before.pinnedHeight;
        if (stays && top > 0) scrollBy(now.top - before.pinnedHeight - (first.top - from));
      }),
    );
    scope.add(watch([state.atEdge], () => element.classList.toggle('at-edge', state.atEdge.peek())));
    scope.add(listenForGestures(element, gesturesOn(open, state, scrollAt)));
    const scrollTo = (top: number) => scrollBy(top - timeline.scrollTop.peek());
    // It may have been on the screen before, in another place.
    if (scroller.current) scroller.current.scrollTop = timeline.scrollTop.peek() / state.stretch.peek();
    const visits = createVisits(open, history, scrollTo, viewsOf(open, page));
    scope.add(visits.dispose);
    const { filtering, pointer } = state;
    const surface = createSurface(open, { area: element, scrollBy, filtering, pointer, visits, undo: undoOf(open) });
    scope.add(surface.dispose);
    const isInFront = () => {
      const bench = page.workbench.bench.peek();
      return bench.at === 'open' && bench.open === open;
    };
    scope.add(
      watch([page.workbench.bench], () => {
        if (isInFront()) page.surface.value = surface;
      }),
    );
    scope.add(() => {
      if (page.surface.peek() === surface) page.surface.value = null;
    });
    scope.add(listenForMenus(element, open, state, showMenu));
    scope.add(drawTimeline(open, page, state, { area: element, shapes: shapes.current, marks: marks.current }));
    scope.add(markCompletion(open));
    for (const { start } of page.features) if (start) scope.add(start(open, page));
    // What was opened is what the keys act on now.
    if (isInFront()) element.focus({ preventScroll: true });
    scope.add(state.dispose);
    return scope.dispose;
  }, [open, page, state, history, scrollBy, showMenu]);
  useEffect(() => {
    const section = area.current?.closest('.work')?.querySelector<HTMLElement>('.dock');
    if (!scroller.current || !section) return undefined;
    return divideRoom(open, page.dock, { scroller: scroller.current, section, isShared: side !== null });
  }, [open, page, side !== null]);

  const { layout } = timeline;
  const empty = trace.status.value.at === 'ready' && !trace.progress.value.extent;
  const bench = page.workbench.bench.value;
  const isInFront = bench.at === 'open' && bench.open === open;
  const comeToFront = () => {
    if (!isInFront) open.pair.peek()?.show(open);
  };
  return (
    <div
      class="side"
      data-front={side && isInFront ? '' : undefined}
      onPointerDownCapture={comeToFront}
      onFocusInCapture={comeToFront}
    >
      <OverviewStrip open={open} theme={page.theme} filtering={state.filtering}>
        <NoteMarks open={open} />
      </OverviewStrip>
      <RulerStrip open={open} state={state} />
      <NoteFlags open={open} />
      <div
        ref={scroller}
        class="scroller"
        onScroll={(event) => {
          timeline.scrollTop.value = event.currentTarget.scrollTop * state.stretch.peek();
        }}
      >
        <div
          class="sizer"
          style={{ height: `${Math.min(TALLEST, scrolledHeight(layout.value, timeline.size.value.height))}px` }}
        />
        <div class="pane">
          <TrackList open={open} scrollBy={scrollBy} />
          <div
            ref={area}
            class="area"
            role="application"
            aria-roledescription="timeline"
            aria-label={`Timeline of ${side ? `${side.toUpperCase()}, ` : ''}${shortened(trace.name)}`}
            aria-description="Enter selects, up and down go from row to row, period and comma along a row, brackets up and down the calls."
            // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys.
            tabIndex={0}
          >
            <div ref={shapes} role="img" aria-label="Slices" />
            <canvas ref={marks} role="img" aria-label="Labels, events and the selection" />
            <NoteLines open={open} />
            <Overlay open={open} />
            <RangeBand open={open} drawn={state.drawn} snapped={state.snapped} />
            <Crosshair pointer={state.pointer} />
            {empty && (
              <p class="nothing">
                <span>{trace.info.value?.whenEmpty}</span>
              </p>
            )}
            <Tooltip open={open} pointer={state.pointer} />
          </div>
        </div>
      </div>
    </div>
  );
}

/** What else is drawn over the timeline. */
function Overlay({ open }: { open: OpenTrace }) {
  const Drawn = overlayOf(open).value;
  return Drawn ? <Drawn /> : null;
}

function Crosshair({ pointer }: { pointer: ReadonlySignal<PointerPlace | null> }) {
  const at = pointer.value;
  return at ? <div class="crosshair" style={{ transform: `translateX(${Math.round(at.x)}px)` }} /> : null;
}
