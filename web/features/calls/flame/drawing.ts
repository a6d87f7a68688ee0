import { formatLength } from '../../../base/format.ts';
import type { Clock } from '../../../base/protocol.ts';
import { createScope, type Dispose } from '../../../base/scope.ts';
import type { ThemeControl } from '../../../parts/theme.ts';
import { createMarksCanvas, createSurface, type FrameSize } from '../../../timeline/canvas/surface.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { createCanvas2d } from '../../../timeline/render/canvas2d.ts';
import { drawFlame, drawFlameMarks } from '../../../timeline/render/flame.ts';
import { paletteFor } from '../../../timeline/render/palette.ts';
import type { FlameState } from './state.ts';

/** The elements that the flame graph is drawn on. */
export interface FlameCanvases {
  /** The element whose size the drawing has. */
  readonly area: HTMLElement;
  readonly shapes: HTMLCanvasElement;
  readonly marks: HTMLCanvasElement;
}

/** Keeps the flame graph drawn until disposed. Sets the size of the state. */
export function drawFlameGraph(
  { trace, statistics, find }: OpenTrace,
  { theme }: ThemeControl,
  state: FlameState,
  clock: Clock,
  canvases: FlameCanvases,
): Dispose {
  const scope = createScope();
  const renderer = createCanvas2d(canvases.shapes);
  scope.add(renderer.dispose);
  const marks = createMarksCanvas(canvases.marks);
  const draw = (size: FrameSize) => {
    const laid = state.laid.peek();
    const { width, height, ratio } = size;
    if (!laid || width === 0 || height === 0) return;
    renderer.resize(width, height, ratio);
    marks.begin(size);
    const highlighted = statistics.highlighted.peek();
    const hovered = state.hovered.peek();
    const scene = {
      laid,
      width,
      height,
      upwards: state.upwards,
      names: trace.names,
      palette: paletteFor(theme.peek(), highlighted),
      scrollTop: state.scrollTop.peek(),
      lifted: highlighted < 0 ? (laid.flame.name[hovered] ?? -1) : highlighted,
      hits: find.names.peek(),
      current: state.currentIndex.peek(),
      rootName: state.rootName.peek(),
      length: (total: number) => formatLength(BigInt(Math.round(total)), clock),
    };
    drawFlame(renderer, scene);
    drawFlameMarks(marks.context, marks.fitter, scene);
  };
  const surface = createSurface({
    element: canvases.area,
    signals: [
      state.laid,
      state.scrollTop,
      state.hovered,
      state.currentIndex,
      state.rootName,
      theme,
      statistics.highlighted,
      trace.names.version,
      find.names,
    ],
    resized: (width, height) => {
      state.size.value = { width, height };
    },
    draw,
  });
  scope.add(surface.dispose);
  return scope.dispose;
}
