import { type ReadonlySignal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../../base/scope.ts';
import { watch } from '../../base/watch.ts';
import { LABEL_FONT } from '../render/scene.ts';
import { createTextFitter, type TextFitter } from '../render/text.ts';

/** The size of what is drawn. */
export interface FrameSize {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels a CSS pixel. */
  readonly ratio: number;
}

/** A drawing as large as an element, redrawn when it is out of date. */
export interface Surface {
  /** Draws at once instead of in the next animation frame. */
  drawNow(): void;
  readonly dispose: Dispose;
}

/** What a surface shows and what it depends on. */
export interface SurfaceOptions {
  /** The element whose inner size the drawing has. It has no padding. */
  readonly element: HTMLElement;
  /** A change of one of these makes the drawing out of date, as does a change of size or pixel ratio. */
  readonly signals: readonly ReadonlySignal<unknown>[];
  /** Called with the size in CSS pixels, first before the surface draws. */
  readonly resized?: (width: number, height: number) => void;
  readonly draw: (size: FrameSize) => void;
}

/** A surface that draws in the next animation frame after a change, at once after one of its size, and never otherwise. */
export function createSurface({ element, signals, resized, draw }: SurfaceOptions): Surface {
  const scope = createScope();
  const size = signal({ width: 0, height: 0 });
  const ratio = signal(devicePixelRatio);
  let frame = 0;
  const drawNow = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    draw({ ...size.peek(), ratio: ratio.peek() });
  };
  // The observer reports the size at once, after the browser's own layout. Reading it here would force another one.
  const observer = new ResizeObserver((entries) => {
    const box = entries.at(-1)?.contentRect;
    if (!box) return;
    const [width, height] = [Math.round(box.width), Math.round(box.height)];
    size.value = { width, height };
    resized?.(width, height);
    // The browser is about to show what was drawn for the size before, stretched.
    drawNow();
  });
  observer.observe(element);
  scope.add(() => observer.disconnect());
  // A zoom of the page or a move to another screen changes the ratio, and along with it the size of the window.
  scope.listen(window, 'resize', () => (ratio.value = devicePixelRatio));

  scope.add(
    watch([size, ratio, ...signals], () => {
      if (frame === 0) frame = requestAnimationFrame(drawNow);
    }),
  );
  scope.add(() => cancelAnimationFrame(frame));
  return { drawNow, dispose: scope.dispose };
}

/** The canvas of labels and outlines above the shapes. */
export interface MarksCanvas {
  readonly context: CanvasRenderingContext2D;
  readonly fitter: TextFitter;
  /** Prepares a frame: afterwards the context draws in CSS pixels, with the font of labels, on an empty canvas. */
  begin(size: FrameSize): void;
}

/** Takes over a canvas for labels and outlines. */
export function createMarksCanvas(canvas: HTMLCanvasElement): MarksCanvas {
  const context = canvas.getContext('2d')!;
  return {
    context,
    fitter: createTextFitter(context),
    begin: ({ width, height, ratio }) => {
      const wide = Math.max(1, Math.round(width * ratio));
      const tall = Math.max(1, Math.round(height * ratio));
      // Setting a size reallocates the canvas even when it stays the same.
      if (canvas.width !== wide || canvas.height !== tall) {
        canvas.width = wide;
        canvas.height = tall;
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      context.font = LABEL_FONT;
      context.fontKerning = 'none';
    },
  };
}
