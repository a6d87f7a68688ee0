import { createScope, type Dispose } from '../../base/scope.ts';
import type { ThemeControl } from '../../parts/theme.ts';
import { differingOf, shownMarks } from '../marked.ts';
import type { OpenTrace } from '../open_trace.ts';
import { createBackends, wantedBackend } from '../render/backend.ts';
import { PALETTES, paletteFor } from '../render/palette.ts';
import { drawMarks, drawShapes, type Scene } from '../render/scene.ts';
import type { NoteFrame } from './frames.ts';
import { markFirstPicture } from './marks.ts';
import { createMarksCanvas, createSurface, type FrameSize } from './surface.ts';
import type { ViewState } from './view_state.ts';

/** What drawing needs of the page. */
interface Drawn {
  readonly theme: ThemeControl;
  readonly noteFrame: NoteFrame;
}

/** What draws the timelines of the page. It lives as long as that. */
export const backends = createBackends(wantedBackend(location.search));

/** The elements that the timeline is drawn on. */
export interface Canvases {
  /** The element whose size the drawing has. */
  readonly area: HTMLElement;
  /** The host of the canvas of shapes, which the back end provides. */
  readonly shapes: HTMLElement;
  readonly marks: HTMLCanvasElement;
}

/** Keeps the timeline drawn until disposed. Sets the timeline's size. */
export function drawTimeline(open: OpenTrace, page: Drawn, state: ViewState, canvases: Canvases): Dispose {
  const { trace, timeline, selection, statistics, marks: highlight, find, marked } = open;
  const { theme } = page.theme;
  const scope = createScope();
  // The canvas of a new back end is empty: it is painted before the browser shows it.
  const renderer = backends.create(canvases.shapes, () => surface.drawNow());
  scope.add(renderer.dispose);
  const marks = createMarksCanvas(canvases.marks);
  let pictured = false;
  let painted = false;

  const sceneNow = ({ width, height }: FrameSize): Scene | null => {
    const view = timeline.view.peek();
    const ruler = state.ruler.peek();
    const extent = trace.progress.peek().extent;
    if (!view || !ruler || !extent || width === 0 || height === 0) return null;
    const highlighted = statistics.highlighted.peek();
    return {
      view,
      width,
      height,
      ruler,
      extent,
      layout: timeline.layout.peek(),
      window: timeline.window.peek(),
      picture: timeline.picture.peek(),
      marks: highlight.rows.peek(),
      ...shownMarks(open, 'rows'),
      names: trace.names,
      palette: paletteFor(theme.peek(), highlighted),
      lifted: highlighted < 0 ? (selection.hovered.peek()?.name ?? -1) : highlighted,
      selected: selection.selected.peek(),
      anchor: selection.anchor.peek(),
      cursor: selection.record.peek()?.x ?? null,
    };
  };
  const draw = (size: FrameSize) => {
    const began = performance.now();
    renderer.resize(size.width, size.height, size.ratio);
    const scene = sceneNow(size);
    if (!scene) {
      // An opaque canvas is black until painted, in either theme.
      renderer.begin({ palette: PALETTES[theme.peek()], colour: trace.names.colour, lifted: -1 });
      renderer.end();
      return;
    }
    marks.begin(size);
    const drawn = drawShapes(renderer, scene);
    drawMarks(marks.context, marks.fitter, scene);
    page.noteFrame(began, { shapes: drawn, exact: timeline.isExact() });
    // Below many counters all slices may be out of sight. Reading must not wait for a picture of them.
    const shown = drawn > 0 || (scene.picture !== null && trace.progress.peek().slices > 0);
    if (shown && !painted) {
      painted = true;
      trace.painted();
    }
    if (drawn > 0 && !pictured) {
      pictured = true;
      markFirstPicture(open);
    }
  };
  const surface = createSurface({
    element: canvases.area,
    signals: [
      timeline.view,
      timeline.layout,
      timeline.window,
      timeline.picture,
      state.ruler,
      theme,
      selection.hovered,
      selection.selected,
      selection.anchor,
      selection.record,
      statistics.highlighted,
      trace.names.version,
      highlight.rows,
      find.marks.rows,
      find.accesses.rows,
      marked.rows,
      differingOf(open).rows,
    ],
    resized: (width, height) => {
      timeline.size.value = { width, height };
    },
    draw,
  });
  scope.add(surface.dispose);
  surface.drawNow();
  return scope.dispose;
}
