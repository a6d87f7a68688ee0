import { createCanvas2d } from './canvas2d.ts';
import type { Renderer } from './renderer.ts';
import { createWebgl2, webgl2Of } from './webgl2.ts';

/** The two ways to draw shapes. */
export type BackendName = 'webgl2' | 'canvas2d';

/** The back end that `?renderer=` of a page's query string names; null leaves the choice to {@link createBackends}. */
export function wantedBackend(search: string): BackendName | null {
  const wanted = new URLSearchParams(search).get('renderer');
  return wanted === 'webgl2' || wanted === 'canvas2d' ? wanted : null;
}

/** Makes the renderers of a page. */
export interface Backends {
  /** Finds out in advance whether a graphics processor does the work, so that the first {@link create} does not wait for it. */
  probe(): void;
  /**
   * A renderer that draws on a canvas which it puts into `host`; the host's `data-renderer` names the back end. While
   * the graphics processor is lost, a 2D canvas takes over. `redraw` is called at each change, because the new canvas
   * is empty.
   */
  create(host: HTMLElement, redraw: () => void): Renderer;
}

/**
 * Back ends of the `wanted` kind, or with null: WebGL2 if a graphics processor does the work, else a 2D canvas. The
 * check for a graphics processor costs a context, so it is made once.
 */
export function createBackends(wanted: BackendName | null): Backends {
  let fast: boolean | null = null;
  return {
    probe: () => {
      if (wanted !== null || fast !== null) return;
      const gl = webgl2Of(document.createElement('canvas'), true);
      fast = gl !== null;
      // Browsers limit the number of contexts.
      gl?.getExtension('WEBGL_lose_context')?.loseContext();
    },
    create: (host, redraw) => {
      const tried = wanted === null ? fast !== false : wanted === 'webgl2';
      const gpu = tried ? (canvas: HTMLCanvasElement) => webgl2Of(canvas, wanted === null) : null;
      return createBackend(host, gpu, redraw, (works) => {
        if (wanted === null) fast = works;
      });
    },
  };
}

type ContextOf = (canvas: HTMLCanvasElement) => WebGL2RenderingContext | null;

/** `gpu` is null for a 2D canvas. `tried` is called with whether WebGL2 works. */
function createBackend(
  host: HTMLElement,
  gpu: ContextOf | null,
  redraw: () => void,
  tried: (works: boolean) => void,
): Renderer {
  let size: readonly [width: number, height: number, ratio: number] = [1, 1, 1];
  let current: Renderer;

  const use = (canvas: HTMLCanvasElement, renderer: Renderer, name: BackendName) => {
    current = renderer;
    current.resize(...size);
    host.replaceChildren(canvas);
    host.dataset['renderer'] = name;
  };
  const flat = () => {
    const canvas = document.createElement('canvas');
    use(canvas, createCanvas2d(canvas), 'canvas2d');
  };
  const quick = (): (() => void) | null => {
    if (!gpu) return null;
    const canvas = document.createElement('canvas');
    const gl = gpu(canvas);
    const renderer = gl && createWebgl2(canvas, gl);
    tried(renderer !== null);
    if (!gl || !renderer) return null;
    use(canvas, renderer, 'webgl2');
    const lost = (event: Event) => {
      // Without this the browser never restores the context.
      event.preventDefault();
      flat();
      redraw();
    };
    const restored = () => {
      const again = createWebgl2(canvas, gl);
      if (!again) return;
      current.dispose();
      use(canvas, again, 'webgl2');
      redraw();
    };
    canvas.addEventListener('webglcontextlost', lost);
    canvas.addEventListener('webglcontextrestored', restored);
    return () => {
      canvas.removeEventListener('webglcontextlost', lost);
      canvas.removeEventListener('webglcontextrestored', restored);
    };
  };
  const stopListening = quick();
  if (!stopListening) flat();

  return {
    resize: (...next) => {
      size = next;
      current.resize(...next);
    },
    begin: (ink) => current.begin(ink),
    clip: (...band) => current.clip(...band),
    rect: (...shape) => current.rect(...shape),
    slices: (...row) => current.slices(...row),
    graph: (...line) => current.graph(...line),
    mark: (...shape) => current.mark(...shape),
    end: () => current.end(),
    dispose: () => {
      stopListening?.();
      current.dispose();
      host.replaceChildren();
    },
  };
}
