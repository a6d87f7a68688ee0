import { computed, type Signal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Overview } from '../../base/protocol.ts';
import { createScope } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import { useMenu } from '../../parts/menu/request.ts';
import type { ThemeControl } from '../../parts/theme.ts';
import { type Extent, extentLength, fitted, toPixel, toTick, type View } from '../../trace/view.ts';
import { differingOf, shownMarks } from '../marked.ts';
import type { OpenTrace } from '../open_trace.ts';
import { partRead } from '../part.ts';
import { drawOverview } from '../render/overview.ts';
import { PALETTES } from '../render/palette.ts';
import type { Timeline } from '../timeline.ts';
import { wholeMenu } from './menus.ts';
import { createSurface, type FrameSize } from './surface.ts';
import { TrackCorner } from './track_filter.tsx';

/** Cells of a row. */
const MOST_BUCKETS = 2048;
/** CSS pixels on either side of an edge of the brush within which a drag moves the edge. */
const HANDLE = 5;
/** CSS pixels of movement below which a press is a click. */
const LEAST_DRAG = 4;

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  /** Whether the field that filters tracks is open. */
  readonly filtering: Signal<boolean>;
  /** What else is drawn over it. */
  readonly children: ComponentChildren;
}

/** The whole trace at a glance, with a brush over the part that the timeline shows. */
export function OverviewStrip({ open, theme, filtering, children }: Props) {
  const { timeline, trace, marks, find, marked } = open;
  const showMenu = useMenu();
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const element = strip.current;
    const target = canvas.current;
    // A trace that was replaced at once has no elements any more when its effects run.
    if (!element || !target) return undefined;
    const scope = createScope();
    const surface = createSurface({
      element,
      signals: [
        timeline.overview,
        timeline.whole,
        timeline.margin,
        timeline.layout,
        timeline.buckets,
        theme.theme,
        trace.names.version,
        marks.whole,
        find.marks.whole,
        find.accesses.whole,
        marked.whole,
        differingOf(open).whole,
      ],
      resized: (width) => {
        timeline.buckets.value = Math.min(MOST_BUCKETS, width);
      },
      draw: (size) => {
        const overview = timeline.overview.peek();
        const whole = timeline.whole.peek();
        if (overview && whole && size.width > 0) {
          paint(target, overview, whole, open, theme.theme.peek(), size);
        }
      },
    });
    scope.add(surface.dispose);
    scope.add(brushOn(element, open));
    scope.listen(element, 'contextmenu', wholeMenu(showMenu));
    return scope.dispose;
  }, [open, theme, timeline, trace, showMenu]);

  return (
    <div class="overview">
      <TrackCorner open={open} filtering={filtering} />
      <div class="overview-strip" ref={strip}>
        <canvas ref={canvas} role="img" aria-label="Overview of the whole trace: when each track was busy" />
        <Brush open={open} />
        {children}
        <End open={open} />
      </div>
    </div>
  );
}

/** Says where the trace ends that was read in part. */
function End({ open }: { open: OpenTrace }) {
  const part = partRead(open.trace);
  return part && <span class="overview-end small">{part.label}</span>;
}

/** The rows of the overview in the order of the tracks below it, without those that the user has hidden. */
function rowsInOrder(overview: Overview, { layout, arrangement }: Timeline): readonly number[] {
  const places = new Map(layout.peek().tracks.map(({ track }, place) => [track.id, place]));
  const placeOf = (row: number) => places.get(overview.rows[row]!) ?? Number.POSITIVE_INFINITY;
  const visibility = arrangement.visibility.peek();
  const all = Array.from(overview.rows, (_, row) => row);
  const rows = visibility ? all.filter((row) => !visibility.isHidden(overview.rows[row]!)) : all;
  // A row of a track that is folded away comes last.
  return rows.sort((a, b) => (placeOf(a) === placeOf(b) ? a - b : placeOf(a) - placeOf(b)));
}

function Brush({ open }: { open: OpenTrace }) {
  const { timeline } = open;
  const edges = useComputed(() => brushEdges(open, timeline.buckets.value));
  const now = edges.value;
  if (!now) return null;
  const width = Math.max(2, now.right - now.left);
  return (
    <>
      <div class="brush-rest" style={{ left: 0, width: `${now.left}px` }} />
      <div class="brush-rest" style={{ left: `${now.left + width}px`, right: 0 }} />
      <div class="brush" style={{ left: `${now.left}px`, width: `${width}px` }} />
    </>
  );
}

/** The strip's view, `width` CSS pixels wide: that of the timeline when it shows the whole trace. */
function stripView(whole: Extent, width: number, margin: number): View {
  return fitted(whole, width, margin);
}

function brushEdges({ timeline }: OpenTrace, width: number): { left: number; right: number } | null {
  const view = timeline.view.value;
  const whole = timeline.whole.value;
  if (!view || !whole || width === 0) return null;
  const strip = stripView(whole, width, timeline.margin.value);
  const left = toPixel(strip, view.anchor) + view.fraction / strip.perPixel;
  const right = left + (timeline.size.value.width * view.perPixel) / strip.perPixel;
  return { left: Math.max(0, Math.min(width - 2, left)), right: Math.max(2, Math.min(width, right)) };
}

type Grip = 'new' | 'move' | 'left' | 'right';

function brushOn(element: HTMLElement, open: OpenTrace): () => void {
  const { timeline } = open;
  const scope = createScope();
  const current = computed(() => brushEdges(open, element.clientWidth));
  let drag: { grip: Grip; from: number; left: number; right: number; moved: boolean } | null = null;
  const place = (event: PointerEvent | MouseEvent) => event.clientX - element.getBoundingClientRect().left;
  const gripAt = (x: number): Grip => {
    const edges = current.value;
    if (!edges) return 'new';
    // A brush over the whole strip has no room to move, so a drag draws a new one.
    const everything = edges.left <= HANDLE && edges.right >= element.clientWidth - HANDLE;
    if (Math.abs(x - edges.left) <= HANDLE && !everything) return 'left';
    if (Math.abs(x - edges.right) <= HANDLE && !everything) return 'right';
    return x > edges.left && x < edges.right && !everything ? 'move' : 'new';
  };
  const show = (a: number, b: number) => {
    const whole = timeline.whole.peek();
    if (!whole) return;
    const width = element.clientWidth;
    const strip = stripView(whole, width, timeline.margin.peek());
    const clip = (x: number) => Math.max(0, Math.min(width, x));
    const from = ticks(toTick(strip, clip(Math.min(a, b))));
    const to = ticks(toTick(strip, clip(Math.max(a, b))));
    timeline.show({ from, to: to > from ? to : ticks(from + 1n) }, 'at once', 0);
  };
  scope.listen<PointerEvent>(element, 'pointerdown', (event) => {
    const edges = current.value;
    if (event.button !== 0 || !edges) return;
    element.setPointerCapture(event.pointerId);
    const from = place(event);
    drag = { grip: gripAt(from), from, ...edges, moved: false };
  });
  scope.listen<PointerEvent>(element, 'pointermove', (event) => {
    const x = place(event);
    if (!drag) {
      element.dataset['grip'] = gripAt(x);
      return;
    }
    const by = x - drag.from;
    drag.moved ||= Math.abs(by) >= LEAST_DRAG;
    if (!drag.moved) return;
    if (drag.grip === 'new') show(drag.from, x);
    else if (drag.grip === 'left') show(drag.left + by, drag.right);
    else if (drag.grip === 'right') show(drag.left, drag.right + by);
    else {
      const room = Math.max(-drag.left, Math.min(element.clientWidth - drag.right, by));
      show(drag.left + room, drag.right + room);
    }
  });
  const release = (event: PointerEvent) => {
    // A click outside the brush centres it there.
    if (drag && !drag.moved && drag.grip === 'new' && event.type === 'pointerup') {
      const half = (drag.right - drag.left) / 2;
      if (drag.right - drag.left < element.clientWidth - 2 * HANDLE) show(drag.from - half, drag.from + half);
    }
    drag = null;
  };
  scope.listen<PointerEvent>(element, 'pointerup', release);
  scope.listen<PointerEvent>(element, 'pointercancel', release);
  scope.listen<MouseEvent>(element, 'dblclick', () => timeline.showWhole());
  scope.listen<WheelEvent>(
    element,
    'wheel',
    (event) => {
      event.preventDefault();
      const whole = timeline.whole.peek();
      const view = timeline.view.peek();
      if (!whole || !view) return;
      // The position under the pointer stays in place in the timeline.
      const at = toTick(stripView(whole, element.clientWidth, timeline.margin.peek()), place(event));
      timeline.zoom(toPixel(view, at), Math.exp(Math.max(-160, Math.min(160, event.deltaY)) * 0.0025));
    },
    { passive: false },
  );
  return scope.dispose;
}

function paint(
  canvas: HTMLCanvasElement,
  overview: Overview,
  whole: Extent,
  open: OpenTrace,
  theme: 'dark' | 'light',
  size: FrameSize,
): void {
  const { trace, marks, timeline } = open;
  const strip = stripView(whole, size.width, timeline.margin.peek());
  const from = toPixel(strip, overview.from);
  const to = toPixel(strip, overview.to > overview.from ? overview.to : ticks(overview.from + 1n));
  const length = Math.max(1, Number(extentLength(overview)));
  const order = rowsInOrder(overview, timeline);
  const frame = {
    overview,
    order,
    from,
    to,
    length,
    ...size,
    marks: marks.whole.peek(),
    ...shownMarks(open, 'whole'),
  };
  drawOverview(canvas, frame, trace.names, PALETTES[theme]);
}
