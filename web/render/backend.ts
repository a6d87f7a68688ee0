import { createCanvas2d } from './canvas2d.ts';
import type { Renderer } from './renderer.ts';
import { createWebgl2, webgl2Of } from './webgl2.ts';

/** The two ways to draw shapes. */
export type BackendName = 'webgl2' | 'canvas2d';

/** What `?renderer=` asks for: null leaves the choice to the page. */
export function wantedBackend(search: string): BackendName | null {
  const wanted = new URLSearchParams(search).get('renderer');
  return wanted === 'webgl2' || wanted === 'canvas2d' ? wanted : null;
}

/** Asked once a page: whether the graphics processor draws. A second look would cost another context. */
let fast: boolean | null = null;

/**
 * A renderer that draws on a canvas of its own in `host`, whose `data-renderer` says how: by WebGL2 where a graphics
 * processor does the work (or `wanted` asks for it), else on a 2D canvas. When the graphics processor is lost, a 2D canvas
 * takes over until it is back; `redraw` is called at each change, because the new canvas is empty.
 */
export function createBackend(host: HTMLElement, wanted: BackendName | null, redraw: () => void): Renderer {
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
    if (wanted === 'canvas2d' || (wanted === null && fast === false)) return null;
    const canvas = document.createElement('canvas');
    const gl = webgl2Of(canvas, wanted === null);
    const renderer = gl && createWebgl2(canvas, gl);
    fast = wanted === null ? renderer !== null : fast;
    if (!renderer) return null;
    use(canvas, renderer, 'webgl2');
    const lost = (event: Event) => {
      // Without this it would never be restored.
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
    rect: (...shape) => current.rect(...shape),
    slices: (...row) => current.slices(...row),
    graph: (...line) => current.graph(...line),
    end: () => current.end(),
    dispose: () => {
      stopListening?.();
      current.dispose();
      host.replaceChildren();
    },
  };
}
