import { createScope, type Dispose } from '../../base/scope.ts';
import type { ThemeControl } from '../../parts/theme.ts';
import { createMarksCanvas, createSurface, type FrameSize } from '../canvas/surface.ts';
import { createCanvas2d } from '../render/canvas2d.ts';
import { drawFlame, drawFlameMarks } from '../render/flame.ts';
import type { FlameSource, FlameState } from './flame_state.ts';

/** The elements that the flame graph is drawn on. */
export interface FlameCanvases {
  /** The element whose size the drawing has. */
  readonly area: HTMLElement;
  readonly shapes: HTMLCanvasElement;
  readonly marks: HTMLCanvasElement;
}

/** Keeps the flame graph drawn until disposed. Sets the size of the state. */
export function drawFlameGraph(
  { names, highlighted: standing, hits, palette, length }: FlameSource,
  { theme }: ThemeControl,
  state: FlameState,
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
    const highlighted = standing.peek();
    const hovered = state.hovered.peek();
    const scene = {
      laid,
      width,
      height,
      upwards: state.upwards,
      names,
      palette: palette(theme.peek(), highlighted),
      scrollTop: state.scrollTop.peek(),
      lifted: highlighted < 0 ? (laid.flame.name[hovered] ?? -1) : highlighted,
      hits: hits.peek(),
      current: state.currentIndex.peek(),
      rootName: state.rootName.peek(),
      length,
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
      standing,
      names.version,
      hits,
    ],
    resized: (width, height) => {
      state.size.value = { width, height };
    },
    draw,
  });
  scope.add(surface.dispose);
  return scope.dispose;
}
