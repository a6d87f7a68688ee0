import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Progress } from '../base/protocol.ts';
import { createScope } from '../base/scope.ts';
import { type Pointed, pointAt } from '../model/pointing.ts';
import { type Ruler, ruler } from '../model/ruler.ts';
import type { ThemeControl } from '../model/theme.ts';
import { type Extent, rangeBetween } from '../model/view.ts';
import type { OpenTrace } from '../model/workbench.ts';
import { createBackend, wantedBackend } from '../render/backend.ts';
import { DIMMED, PALETTES } from '../render/palette.ts';
import { drawMarks, drawShapes, LABEL_FONT, type Scene } from '../render/scene.ts';
import { createTextFitter } from '../render/text.ts';
import { Announcer } from './announcer.tsx';
import { Details } from './details.tsx';
import { Divider } from './divider.tsx';
import { Dock } from './dock.tsx';
import { noteFrame } from './frames.ts';
import { type GestureTarget, listenForGestures } from './gestures.ts';
import { OverviewStrip } from './overview.tsx';
import { dock, PANELS } from './panels.ts';
import { RangeBand } from './range.tsx';
import { RulerStrip } from './ruler.tsx';
import { listenForKeys } from './shortcuts.ts';
import { Tooltip } from './tooltip.tsx';
import { TrackList } from './tracks.tsx';

/** A scroller higher than this is beyond what browsers lay out exactly; its scale is then coarser than the content. */
const TALLEST = 8_000_000;

/** Where the pointer is over the timeline, in CSS pixels. */
export interface PointerPlace {
  readonly x: number;
  readonly y: number;
}

/** Overview, tracks, timeline and details of a trace. */
export function TraceView({ open, theme }: { open: OpenTrace; theme: ThemeControl }) {
  const { trace, timeline } = open;
  const scroller = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLDivElement>(null);
  const marks = useRef<HTMLCanvasElement>(null);
  const state = useMemo(() => createViewState(open), [open]);

  useEffect(() => {
    const scope = createScope();
    const scrollBy = (pixels: number) => {
      if (scroller.current) scroller.current.scrollTop += pixels / state.stretch.peek();
    };
    scope.add(watchSize(area.current!, (width, height) => (timeline.size.value = { width, height })));
    scope.add(listenForGestures(area.current!, gesturesOn(open, state, scrollBy)));
    scope.add(listenForKeys(open, { scrollBy, area: area.current! }));
    scope.add(drawWhenNeeded(open, theme, state, shapes.current!, marks.current!));
    scope.add(markCompletion(open));
    scope.add(state.dispose);
    return scope.dispose;
  }, [open, theme, timeline, state]);

  const { layout } = timeline;
  const nothing = trace.status.value.at === 'ready' && !trace.progress.value.extent;
  return (
    <div class="work">
      <OverviewStrip open={open} theme={theme} />
      <RulerStrip open={open} ruler={state.ruler} pointer={state.pointer} drawn={state.drawn} />
      <div
        ref={scroller}
        class="scroller"
        onScroll={(event) => {
          timeline.scrollTop.value = event.currentTarget.scrollTop * state.stretch.peek();
        }}
      >
        <div class="sizer" style={{ height: `${Math.min(TALLEST, layout.value.height)}px` }} />
        <div class="pane">
          <TrackList open={open} />
          <div
            ref={area}
            class="area"
            role="application"
            aria-roledescription="timeline"
            aria-label={`Timeline of ${trace.name}. Enter selects, period and comma go along a row, brackets up and down the calls.`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys.
            tabIndex={0}
          >
            <div ref={shapes} />
            <canvas ref={marks} />
            <RangeBand open={open} drawn={state.drawn} />
            <Crosshair pointer={state.pointer} />
            {nothing && (
              <p class="nothing">
                <span>{trace.info.value?.whenEmpty}</span>
              </p>
            )}
            <Tooltip open={open} pointer={state.pointer} />
          </div>
        </div>
      </div>
      <Divider />
      <Dock open={open} theme={theme} dock={dock} panels={PANELS} />
      <Details open={open} theme={theme} />
      <Announcer open={open} />
    </div>
  );
}

interface ViewState {
  /** The range that is being drawn with Shift. */
  readonly drawn: Signal<Extent | null>;
  readonly pointer: Signal<PointerPlace | null>;
  readonly ruler: ReadonlySignal<Ruler | null>;
  /** Layout pixels a pixel of the scroller. */
  readonly stretch: ReadonlySignal<number>;
  dispose(): void;
}

function createViewState({ trace, timeline, selection }: OpenTrace): ViewState {
  const pointer = signal<PointerPlace | null>(null);
  const drawn = signal<Extent | null>(null);
  const marks = computed(() => {
    const view = timeline.view.value;
    const info = trace.info.value;
    const extent = trace.progress.value.extent;
    return view && info && extent ? ruler(view, timeline.size.value.width, extent.from, info.clock) : null;
  });
  const stretch = computed(() => {
    const scrolled = timeline.layout.value.height - timeline.size.value.height;
    const room = Math.min(TALLEST, timeline.layout.value.height) - timeline.size.value.height;
    return room > 0 ? Math.max(1, scrolled / room) : 1;
  });
  // What is hovered follows from where the pointer is and from what lies there now.
  const dispose = effect(() => {
    const at = pointer.value;
    const view = timeline.view.value;
    const picture = timeline.picture.value;
    const next =
      at && view && picture
        ? pointAt(picture, timeline.layout.value, view, at.x, at.y + timeline.scrollTop.value)
        : null;
    if (!samePointed(selection.hovered.peek(), next)) selection.hovered.value = next;
  });
  return { pointer, drawn, ruler: marks, stretch, dispose };
}

function samePointed(a: Pointed | null, b: Pointed | null): boolean {
  if (a === null || b === null) return a === b;
  return a.track === b.track && a.depth === b.depth && a.start === b.start && a.end === b.end && a.name === b.name;
}

function gesturesOn(
  { timeline, selection, statistics }: OpenTrace,
  state: ViewState,
  scrollBy: (pixels: number) => void,
): GestureTarget {
  const find = (x: number, y: number): Pointed | null => {
    const view = timeline.view.peek();
    const picture = timeline.picture.peek();
    if (!view || !picture) return null;
    return pointAt(picture, timeline.layout.peek(), view, x, y + timeline.scrollTop.peek());
  };
  return {
    drag: (dx, dy) => {
      timeline.pan(-dx);
      scrollBy(-dy);
    },
    range: (from, to, done) => {
      const view = timeline.view.peek();
      const whole = timeline.whole.peek();
      if (!view || !whole) return;
      const range = rangeBetween(view, whole, from, to);
      state.drawn.value = done ? null : range;
      if (done) statistics.range.value = range;
    },
    zoom: timeline.zoom,
    sideways: timeline.pan,
    scroll: scrollBy,
    hover: (at) => {
      state.pointer.value = at;
    },
    click: (x, y) => {
      const found = find(x, y);
      // A place where many slices lie is no choice of one of them, and no reason to lose the one chosen.
      if (found && !found.item) return;
      selection.selected.value = found;
    },
    doubleClick: (x, y) => {
      const found = find(x, y);
      if (found?.end != null) timeline.show({ from: found.start, to: found.end });
      else if (!found) timeline.showWhole();
    },
  };
}

/** Draws in the next animation frame after anything on the screen has changed, and never otherwise. */
function drawWhenNeeded(
  open: OpenTrace,
  theme: ThemeControl,
  state: ViewState,
  shapes: HTMLElement,
  marks: HTMLCanvasElement,
): () => void {
  const { trace, timeline, selection, statistics } = open;
  const scope = createScope();
  // The canvas that takes over is empty: it is painted before the browser shows it.
  const renderer = createBackend(shapes, wantedBackend(location.search), () => draw());
  scope.add(renderer.dispose);
  const context = marks.getContext('2d')!;
  const fitter = createTextFitter(context);
  const ratio = signal(devicePixelRatio);
  // A zoom of the page or a move to another screen changes the ratio, and always the window's size along with it.
  scope.listen(window, 'resize', () => (ratio.value = devicePixelRatio));
  let frame = 0;
  let pictured = false;
  let painted = false;

  const sceneNow = (): Scene | null => {
    const view = timeline.view.peek();
    const marksNow = state.ruler.peek();
    const extent = trace.progress.peek().extent;
    const { width, height } = timeline.size.peek();
    if (!view || !marksNow || !extent || width === 0 || height === 0) return null;
    const highlighted = statistics.highlighted.peek();
    return {
      view,
      width,
      height,
      ruler: marksNow,
      extent,
      layout: timeline.layout.peek(),
      scrollTop: timeline.scrollTop.peek(),
      picture: timeline.picture.peek(),
      names: trace.names,
      palette: (highlighted < 0 ? PALETTES : DIMMED)[theme.theme.peek()],
      lifted: highlighted < 0 ? (selection.hovered.peek()?.name ?? -1) : highlighted,
      selected: selection.selected.peek(),
    };
  };
  const draw = () => {
    const began = performance.now();
    cancelAnimationFrame(frame);
    frame = 0;
    const scale = ratio.peek();
    const { width, height } = timeline.size.peek();
    renderer.resize(width, height, scale);
    const scene = sceneNow();
    if (!scene) {
      // Nothing to show yet, or ever: an opaque canvas that was never painted is black in any theme.
      renderer.begin({ palette: PALETTES[theme.theme.peek()], colour: trace.names.colour, lifted: -1 });
      renderer.end();
      return;
    }
    const wide = Math.max(1, Math.round(scene.width * scale));
    const tall = Math.max(1, Math.round(scene.height * scale));
    if (marks.width !== wide || marks.height !== tall) {
      marks.width = wide;
      marks.height = tall;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = LABEL_FONT;
    context.fontKerning = 'none';
    const drawn = drawShapes(renderer, scene);
    drawMarks(context, fitter, scene);
    noteFrame(began, { shapes: drawn, exact: timeline.isExact() });
    // Slices may all lie out of sight, below many counters: reading then has no picture to wait for.
    const shown = drawn > 0 || (scene.picture !== null && trace.progress.peek().slices > 0);
    if (shown && !painted) {
      painted = true;
      requestAnimationFrame(trace.painted);
    }
    if (drawn > 0 && !pictured) {
      pictured = true;
      markFirstPicture(open);
    }
  };
  scope.add(
    effect(() => {
      void [
        timeline.view.value,
        state.ruler.value,
        timeline.size.value,
        timeline.layout.value,
        timeline.scrollTop.value,
      ];
      void [
        timeline.picture.value,
        theme.theme.value,
        selection.hovered.value?.name,
        selection.selected.value,
        statistics.highlighted.value,
        ratio.value,
      ];
      if (frame === 0) frame = requestAnimationFrame(draw);
    }),
  );
  draw();
  scope.add(() => cancelAnimationFrame(frame));
  return scope.dispose;
}

/** The frame after the first draw is when the person sees it. */
function markFirstPicture({ trace }: OpenTrace): void {
  requestAnimationFrame(() => {
    performance.mark('unspool:first-picture', { detail: amountsOf(trace.progress.peek()) });
  });
}

function markCompletion({ trace }: OpenTrace): () => void {
  return effect(() => {
    const status = trace.status.value;
    if (status.at !== 'ready' || status.how === 'cancelled') return;
    performance.mark('unspool:complete', { detail: amountsOf(trace.progress.peek()) });
  });
}

function amountsOf({ bytesRead, bytes, events, slices, storeBytes }: Progress) {
  return { bytesRead, bytes, events, slices, storeBytes };
}

function watchSize(element: HTMLElement, tell: (width: number, height: number) => void): () => void {
  const observer = new ResizeObserver(() => tell(element.clientWidth, element.clientHeight));
  observer.observe(element);
  tell(element.clientWidth, element.clientHeight);
  return () => observer.disconnect();
}

function Crosshair({ pointer }: { pointer: ReadonlySignal<PointerPlace | null> }) {
  const at = pointer.value;
  return at ? <div class="crosshair" style={{ transform: `translateX(${Math.round(at.x)}px)` }} /> : null;
}
