import { Graph, layout } from '@dagrejs/dagre';
import type { Box, GraphEdge, GraphNode, ShownGraph } from '../../../trace/call_graph.ts';

/** A function with its place. */
export interface PlacedNode extends Box {
  readonly node: GraphNode;
  readonly text: string;
}

/** Calls with their way: points of a curve, and the middle of their label. */
export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label: { readonly x: number; readonly y: number };
  readonly text: string;
  /** Of the label. */
  readonly width: number;
}

/** A drawing in pixels of its own. */
export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Pixels of a letter of a name, and of the figures below it. */
const LETTER = 7;
const SMALL_LETTER = 6;
/** Most letters of a name in a box; the tooltip has all of it. */
export const LONGEST = 38;
const HEIGHT = 42;
const MARGIN = 14;

/** Lays out a graph from callers at the top to callees. */
export function place(
  { nodes, edges }: ShownGraph,
  textOf: (node: GraphNode) => { readonly title: string; readonly figures: string },
  labelOf: (edge: GraphEdge) => string,
): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 44, edgesep: 12, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  const texts = nodes.map(textOf);
  for (const [i, { name }] of nodes.entries()) {
    const { title, figures } = texts[i]!;
    const width = Math.max(90, 20 + Math.max(title.length * LETTER, figures.length * SMALL_LETTER));
    graph.setNode(String(name), { width, height: HEIGHT });
  }
  for (const edge of edges) {
    graph.setEdge(String(edge.caller), String(edge.callee), {
      width: labelWidth(labelOf(edge)),
      height: 14,
      labelpos: 'c',
    });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((node, i) => {
      const { x, y, width, height } = graph.node(String(node.name)) as Box;
      return { node, text: texts[i]!.title, x, y, width, height };
    }),
    edges: edges.map((edge) => {
      const { points, x, y } = graph.edge(String(edge.caller), String(edge.callee)) as unknown as {
        points: { x: number; y: number }[];
        x: number;
        y: number;
      };
      const text = labelOf(edge);
      return { edge, points, label: { x, y }, text, width: labelWidth(text) };
    }),
  };
}

function labelWidth(text: string): number {
  return text.length * SMALL_LETTER + 6;
}

/** A smooth way through points, as the `d` of a path. */
export function curve(points: PlacedEdge['points']): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const at = ({ x, y }: { x: number; y: number }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  let d = `M${at(first)}`;
  // Through the middles of the sides, with the points as handles.
  for (let i = 0; i < rest.length - 1; i += 1) {
    const [handle, next] = [rest[i]!, rest[i + 1]!];
    const end = i === rest.length - 2 ? next : { x: (handle.x + next.x) / 2, y: (handle.y + next.y) / 2 };
    d += `Q${at(handle)} ${at(end)}`;
  }
  return rest.length === 1 ? `${d}L${at(rest[0]!)}` : d;
}
