import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCounted, shortened } from '../../../base/format.ts';
import { type RowSubject, useDrawingMenu } from '../../../parts/menu/row_menu.ts';
import {
  boxName,
  boxTowards,
  type Direction,
  type GraphEdge,
  type GraphNode,
  type ShownGraph,
} from '../../../trace/call_graph.ts';
import type { Names } from '../../../trace/names.ts';
import { curve, LONGEST, type PlacedEdge, type PlacedNode, place } from './layout.ts';
import './drawing.css';

/** Zoom of one key or click, and of one notch of the wheel. */
const ZOOM = 1.3;
const WHEEL = 0.0015;
const CLOSEST = 3;
/** The least scale at which figures can be read. */
const LEGIBLE = 0.75;
/** CSS pixels that the pointer moves before a click is a drag. */
const DRAG = 4;
/** Width of the heaviest arrow. */
const WIDEST = 6;
const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** What a call graph is of. */
export interface GraphSource {
  readonly names: Pick<Names, 'of' | 'shown' | 'version'>;
  /** The function that stands out, or -1, and what has another one stand out. */
  readonly chosen: ReadonlySignal<number>;
  choose(name: number): void;
  /** The figures of a function, in its box, and how many calls it has. */
  figures(node: GraphNode): string;
  calls(node: GraphNode): string;
  /** What stands on an edge, and all that is known of it. */
  label(edge: GraphEdge): string;
  about(edge: GraphEdge): string;
  /** How wide an edge is, from 0 to 1. */
  strength(edge: GraphEdge): number;
  /** The colour of a function, and of an edge if it has one. */
  fill(node: GraphNode): string;
  stroke?(edge: GraphEdge): string;
  /** What the menu of a function is about; null without one. */
  menu(name: number): RowSubject | null;
}

interface Props {
  readonly of: GraphSource;
  readonly shown: ShownGraph;
  readonly list: (name: number) => void;
  /** The edge whose figures are shown. */
  readonly edge: GraphEdge | null;
  readonly chooseEdge: (edge: GraphEdge) => void;
  /** What stands in a corner: what it shows, and the choice of that. */
  readonly children: ComponentChildren;
}

/** What part of the drawing is on the screen: CSS pixels of its origin, and the scale. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The graph as boxes and arrows. A drag moves it, the wheel zooms, arrow keys go from function to function. */
export function Drawing({ of, shown, list, edge, chooseEdge, children }: Props) {
  const { names } = of;
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  /** null until the user moves the drawing. */
  const moved = useSignal<View | null>(null);
  const drag = useRef<{ x: number; y: number; view: View; far: boolean } | null>(null);
  // An estimate that turns out to be right is written in another way.
  const key = [
    names.version.value,
    ...shown.nodes.map((node) => `${node.name}:${of.figures(node)}`),
    ...shown.edges.map((edge) => `${edge.caller}>${edge.callee}:${of.label(edge)}`),
  ].join();
  const drawn = useMemo(() => {
    const text = (node: GraphNode) => ({ title: boxName(names.shown(node.name), LONGEST), figures: of.figures(node) });
    return place(shown, text, of.label);
  }, [key]);
  // Another graph has its heaviest function elsewhere.
  useEffect(() => {
    moved.value = null;
  }, [shown.nodes.length, shown.edges.length]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY * WHEEL), event.clientX - left, event.clientY - top);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [drawn]);

  const fitted = ({ width, height }: { readonly width: number; readonly height: number }): View => {
    const scale = Math.min(1, width / drawn.width, height / drawn.height);
    return { scale, x: (width - drawn.width * scale) / 2, y: Math.max(0, (height - drawn.height * scale) / 2) };
  };
  /** All of the drawing if it is legible; else the part around the heaviest function. */
  const initial = (area: { readonly width: number; readonly height: number }): View => {
    const all = fitted(area);
    const heaviest = drawn.nodes[0];
    if (all.scale >= LEGIBLE || !heaviest) return all;
    const at = (place: number, length: number, room: number) =>
      length <= room ? (room - length) / 2 : Math.max(room - length, Math.min(0, room / 2 - place));
    const x = at(heaviest.x * LEGIBLE, drawn.width * LEGIBLE, area.width);
    return { scale: LEGIBLE, x, y: at(heaviest.y * LEGIBLE, drawn.height * LEGIBLE, area.height) };
  };
  const view = moved.value ?? initial(size.value);
  const zoom = (by: number, x = size.peek().width / 2, y = size.peek().height / 2) => {
    const all = fitted(size.peek());
    const now = moved.peek() ?? initial(size.peek());
    const scale = Math.max(Math.min(all.scale, 0.3), Math.min(CLOSEST, now.scale * by));
    const factor = scale / now.scale;
    moved.value = { scale, x: x - (x - now.x) * factor, y: y - (y - now.y) * factor };
  };
  const chosen = of.chosen.value;
  const current = Math.max(
    0,
    drawn.nodes.findIndex(({ node }) => node.name === chosen),
  );
  const choose = (name: number) => {
    of.choose(name);
  };
  const focus = (index: number) => {
    const target = drawn.nodes[index];
    if (!target) return;
    choose(target.node.name);
    const { x, y, scale } = moved.peek() ?? initial(size.peek());
    const [left, top] = [x + target.x * scale, y + target.y * scale];
    // A box outside comes to the middle.
    const { width, height } = size.peek();
    if (left < 0 || top < 0 || left > width || top > height)
      moved.value = { scale, x: width / 2 - target.x * scale, y: height / 2 - target.y * scale };
    document.getElementById(`graph-node-${target.node.name}`)?.focus();
  };
  const onMenu = useDrawingMenu(({ target }, byKey) => {
    const pointed = target instanceof Element ? target.closest('.graph-node')?.id : undefined;
    const at = byKey ? current : drawn.nodes.findIndex(({ node }) => `graph-node-${node.name}` === pointed);
    const id = drawn.nodes[at]?.node.name;
    return id === undefined ? null : of.menu(id);
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = ARROWS[event.key];
    if (direction) {
      const to = boxTowards(drawn.nodes, current, direction);
      if (to >= 0) focus(to);
    } else if (event.key === '+' || event.key === '=') zoom(ZOOM);
    else if (event.key === '-') zoom(1 / ZOOM);
    else if (event.key === '0') moved.value = fitted(size.peek());
    else if (event.key === 'Enter' && drawn.nodes[current]) list(drawn.nodes[current].node.name);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="graph-area grow">
      <div
        class="graph-drawing"
        ref={box}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          drag.current = { x: event.clientX, y: event.clientY, view, far: false };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from) return;
          const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
          if (!from.far && Math.hypot(dx, dy) < DRAG) return;
          if (!from.far) event.currentTarget.setPointerCapture(event.pointerId);
          from.far = true;
          moved.value = { ...from.view, x: from.view.x + dx, y: from.view.y + dy };
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
        onPointerCancel={() => {
          drag.current = null;
        }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a drawing. */}
        <svg
          class="graph-svg"
          role="group"
          aria-label={`Call graph: ${formatCounted(drawn.nodes.length, 'function')}. Arrow keys go to callers, callees and neighbours; Enter lists calls; + and - zoom, 0 shows all. Table has the same as rows.`}
          width="100%"
          height="100%"
          data-width={drawn.width}
          data-height={drawn.height}
          onKeyDown={onKey}
          onContextMenu={onMenu}
        >
          <defs>
            <marker
              id="graph-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="9"
              markerHeight="9"
              orient="auto"
              markerUnits="userSpaceOnUse"
            >
              <path d="M0 0L8 4L0 8z" class="graph-head" />
            </marker>
          </defs>
          <g class="graph-all" transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            {drawn.edges.map((placed) => (
              <Arrow
                key={`${placed.edge.caller} ${placed.edge.callee}`}
                placed={placed}
                strength={1 + Math.sqrt(of.strength(placed.edge)) * (WIDEST - 1)}
                stroke={of.stroke?.(placed.edge)}
                title={`${names.of(placed.edge.caller)} → ${names.of(placed.edge.callee)}\n${of.about(placed.edge)}`}
                lit={
                  chosen >= 0
                    ? placed.edge.caller === chosen || placed.edge.callee === chosen
                    : edge !== null && placed.edge.caller === edge.caller && placed.edge.callee === edge.callee
                }
                choose={() => chooseEdge(placed.edge)}
              />
            ))}
            {drawn.nodes.map((placed, i) => (
              <FunctionBox
                key={placed.node.name}
                placed={placed}
                title={names.of(placed.node.name)}
                figures={of.figures(placed.node)}
                calls={of.calls(placed.node)}
                fill={of.fill(placed.node)}
                selected={placed.node.name === chosen}
                tabIndex={i === current ? 0 : -1}
                choose={() => choose(placed.node.name === chosen ? -1 : placed.node.name)}
                list={() => list(placed.node.name)}
              />
            ))}
          </g>
        </svg>
      </div>
      <div class="graph-shown row small muted">{children}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div class="graph-zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => zoom(ZOOM)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out (-)" onClick={() => zoom(1 / ZOOM)}>
          −
        </button>
        <button
          type="button"
          title="Show all (0)"
          onClick={() => {
            moved.value = fitted(size.peek());
          }}
        >
          Fit
        </button>
      </div>
    </div>
  );
}

interface BoxProps {
  readonly placed: PlacedNode;
  readonly title: string;
  readonly figures: string;
  readonly calls: string;
  readonly fill: string;
  readonly selected: boolean;
  readonly tabIndex: number;
  readonly choose: () => void;
  readonly list: () => void;
}

function FunctionBox({ placed, title, figures, calls, fill, selected, tabIndex, choose, list }: BoxProps) {
  const { x, y, width, height, node, text } = placed;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot be drawn in SVG.
    <g
      id={`graph-node-${node.name}`}
      class={selected ? 'graph-node selected' : 'graph-node'}
      role="button"
      aria-pressed={selected}
      aria-label={`${shortened(title)}, ${calls}, total ${figures}`}
      // In SVG, names of attributes are as they are written.
      tabindex={tabIndex}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      onClick={choose}
      onDblClick={list}
      onKeyDown={(event) => {
        if (event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        choose();
      }}
    >
      <title>{`${title}\n${calls}`}</title>
      <rect class="graph-box" width={width} height={height} rx="5" />
      <rect class="graph-colour" width="5" height={height} rx="2" fill={fill} />
      <text class="graph-name" x="13" y="17">
        {text}
      </text>
      <text class="graph-figures" x="13" y="33">
        {figures}
      </text>
    </g>
  );
}

interface ArrowProps {
  readonly placed: PlacedEdge;
  readonly strength: number;
  readonly stroke: string | undefined;
  readonly title: string;
  readonly lit: boolean;
  readonly choose: () => void;
}

/** An arrow for the pointer; by keyboard, the table has the same. */
function Arrow({ placed, strength, stroke, title, lit, choose }: ArrowProps) {
  const { points, label, text, width } = placed;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an arrow takes no focus.
    <g class={lit ? 'graph-edge lit' : 'graph-edge'} aria-hidden="true" onClick={choose}>
      <path class="graph-grip" d={curve(points)} />
      <path
        d={curve(points)}
        stroke-width={strength}
        style={stroke && !lit ? { stroke } : undefined}
        marker-end="url(#graph-arrow)"
      />
      <rect x={label.x - width / 2} y={label.y - 8} width={width} height={16} rx="3" />
      <text x={label.x} y={label.y + 4}>
        {text}
      </text>
      <title>{title}</title>
    </g>
  );
}

/** Properties of style that a file needs of its own. */
const STYLED = ['fill', 'stroke', 'stroke-width', 'font-family', 'font-size', 'text-anchor', 'paint-order'] as const;

/** The drawing on the screen as a file that stands by itself, or null if there is none. */
export function svgFile(): string | null {
  const drawn = document.querySelector<SVGSVGElement>('.graph-svg');
  if (!drawn) return null;
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  for (const grip of copy.querySelectorAll('.graph-grip')) grip.remove();
  const originals = [...drawn.querySelectorAll<SVGElement>('path:not(.graph-grip), rect, text')];
  for (const [i, element] of [...copy.querySelectorAll<SVGElement>('path, rect, text')].entries()) {
    const style = getComputedStyle(originals[i]!);
    for (const property of STYLED) element.setAttribute(property, style.getPropertyValue(property));
    element.removeAttribute('class');
  }
  for (const group of copy.querySelectorAll('g')) {
    for (const name of ['class', 'id', 'role', 'tabindex', 'aria-pressed', 'aria-label', 'aria-hidden'])
      group.removeAttribute(name);
  }
  copy.querySelector(':scope > g')?.removeAttribute('transform');
  const [width, height] = [copy.dataset['width'] ?? '0', copy.dataset['height'] ?? '0'];
  for (const name of ['class', 'role', 'data-width', 'data-height', 'aria-label']) copy.removeAttribute(name);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.setAttribute('style', `background: ${getComputedStyle(document.body).backgroundColor}`);
  return new XMLSerializer().serializeToString(copy);
}
