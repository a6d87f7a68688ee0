import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createWireframe, type WireframeRenderer } from '../../../timeline/render/wireframe.ts';
import type { Wireframe } from '../mesh.ts';
import type { MeshView } from '../mesh_camera.ts';

/** The zoom of a key. */
const KEY_ZOOM = 1.2;
/** Milliseconds of a frame while the mesh turns: fewer edges are drawn if it takes longer. */
const FRAME_MS = 24;
/** Edges that are drawn at least. */
const LEAST = 20_000;
/** After this many milliseconds without a move, all edges are drawn. */
const REST_MS = 160;

/** The edges of a mesh. Dragging and arrow keys move it as its view says. */
export function MeshCanvas<C extends object>({
  wires,
  view,
  marked,
  isDown,
}: {
  wires: Wireframe;
  view: MeshView<C>;
  marked: Signal<number>;
  /** Greater y is shown below. null where the view decides that. */
  isDown: Signal<boolean> | null;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const screen = useRef<HTMLDivElement>(null);
  const camera = useSignal(view.home);
  const renderer = useRef<WireframeRenderer | null>(null);
  const pace = useRef({ most: Number.POSITIVE_INFINITY, frame: 0, rest: 0, at: 0 });

  const paint = (most: number) => {
    const element = canvas.current;
    if (!element || !renderer.current) return;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [element.clientWidth, element.clientHeight].map((side) =>
      Math.max(1, Math.round(side * ratio)),
    );
    if (element.width !== width || element.height !== height) Object.assign(element, { width, height });
    const style = getComputedStyle(element);
    const matrix = view.matrix(camera.peek(), width! / height!, isDown?.peek() ?? false);
    if (screen.current) place(screen.current, matrix);
    const drawn = renderer.current.draw({
      matrix,
      colour: partsOf(style.color),
      mark: partsOf(style.accentColor),
      marked: marked.peek(),
      most,
    });
    element.dataset['drawn'] = String(drawn);
  };
  /** Paints in the next frame: while the mesh turns as many edges as are smooth, and all of them when it rests. */
  const move = () => {
    const { current } = pace;
    clearTimeout(current.rest);
    current.rest = window.setTimeout(() => {
      current.at = 0;
      paint(Number.POSITIVE_INFINITY);
    }, REST_MS);
    if (current.frame !== 0) return;
    current.frame = requestAnimationFrame((now) => {
      current.frame = 0;
      const all = wires.edges.length;
      if (current.at > 0) {
        const took = now - current.at;
        if (took > 2 * FRAME_MS) current.most = Math.max(LEAST, Math.min(current.most, all) / 2);
        else if (took < FRAME_MS) current.most = Math.min(all, current.most * 1.25);
      }
      current.at = now;
      paint(current.most);
    });
  };
  useEffect(() => {
    const element = canvas.current!;
    renderer.current = createWireframe(element, wires);
    const observer = new ResizeObserver(() => paint(Number.POSITIVE_INFINITY));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const repaint = () => paint(Number.POSITIVE_INFINITY);
    scheme.addEventListener('change', repaint);
    // Not passive: the wheel zooms, and the page stays.
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      camera.value = view.zoomed(camera.peek(), Math.exp(-event.deltaY * 0.0015));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', repaint);
      element.removeEventListener('wheel', wheel);
      cancelAnimationFrame(pace.current.frame);
      clearTimeout(pace.current.rest);
      renderer.current?.dispose();
      renderer.current = null;
    };
  }, [wires]);
  useEffect(() => move(), [camera.value, marked.value, isDown?.value]);

  const reset = () => {
    camera.value = view.home;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = {
      ArrowLeft: () => view.stepped(camera.value, -1, 0),
      ArrowRight: () => view.stepped(camera.value, 1, 0),
      ArrowUp: () => view.stepped(camera.value, 0, -1),
      ArrowDown: () => view.stepped(camera.value, 0, 1),
      '+': () => view.zoomed(camera.value, KEY_ZOOM),
      '=': () => view.zoomed(camera.value, KEY_ZOOM),
      '-': () => view.zoomed(camera.value, 1 / KEY_ZOOM),
      '0': () => view.home,
    }[event.key];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    camera.value = next();
  };
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    const { clientWidth, clientHeight } = canvas.current!;
    camera.value = view.dragged(camera.value, event.movementX, event.movementY, [clientWidth, clientHeight]);
  };
  return (
    <div class="mesh-view">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is turned by keys. */}
      <section class="mesh-box grow" tabIndex={0} aria-label="Wireframe" onKeyDown={onKey}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={view.says(camera.value)}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
          onDblClick={reset}
        />
        {wires.components === 4 && <div class="mesh-screen" ref={screen} />}
      </section>
      <div class="mesh-tools rigid small">
        <span class="muted">Drag or arrow keys {isDown ? 'turn' : 'move'} · wheel, + and − zoom</span>
        <span class="panel-end" />
        {isDown && (
          <button
            type="button"
            class="toggle"
            aria-pressed={isDown.value}
            title="Show greater y below, as pictures of interfaces are"
            onClick={() => {
              isDown.value = !isDown.value;
            }}
          >
            y down
          </button>
        )}
        <button type="button" title="Reset the view (0)" onClick={reset}>
          Reset
        </button>
      </div>
    </div>
  );
}

/** Puts the frame of the picture where a matrix shows it. */
function place(frame: HTMLElement, matrix: Float32Array): void {
  const [sx, sy, x, y] = [matrix[0]!, matrix[5]!, matrix[12]!, matrix[13]!];
  Object.assign(frame.style, {
    left: `${50 * (1 + x - sx)}%`,
    top: `${50 * (1 - y - sy)}%`,
    width: `${100 * sx}%`,
    height: `${100 * sy}%`,
  });
}

/** The parts of a colour as the browser computes it. */
function partsOf(colour: string): [number, number, number] {
  const numbers = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255);
  return [numbers[0] ?? 0.5, numbers[1] ?? 0.5, numbers[2] ?? 0.5];
}
