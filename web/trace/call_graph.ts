import { NO_PARENT, type TreeRows } from '../base/calls_protocol.ts';
import type { Functions } from '../base/protocol.ts';

/** What decides how heavy an edge is. */
export const GRAPH_WEIGHTS = ['total', 'count'] as const;
export type GraphWeight = (typeof GRAPH_WEIGHTS)[number];

/** A function of the graph. Times are ticks. */
export interface GraphNode {
  /** Name id. */
  readonly name: number;
  readonly count: number;
  readonly total: number;
  readonly self: number;
}

/** Calls of a function from another one. Times are ticks. */
export interface GraphEdge {
  /** Name ids; the caller is -1 for outermost calls. */
  readonly caller: number;
  readonly callee: number;
  readonly count: number;
  readonly total: number;
  readonly self: number;
}

/** Who calls whom in a range. */
export interface CallGraph {
  /** By name id. */
  readonly nodes: ReadonlyMap<number, GraphNode>;
  /** The heaviest first. */
  readonly edges: readonly GraphEdge[];
  /** Ticks in which any call was open. */
  readonly whole: number;
}

/** Most edges that can be shown: layouts of more take seconds, and no one reads them. */
export const MOST_EDGES = 200;
/** Edges that are shown at first, at most. */
const FIRST_EDGES = 40;

/** The graph from the rows that the worker sends for `edges`, and the table of functions. */
export function callGraphOf(rows: TreeRows, functions: Functions, weight: GraphWeight): CallGraph {
  const nodes = new Map<number, GraphNode>();
  for (let i = 0; i < functions.length; i += 1) {
    const name = functions.name[i]!;
    nodes.set(name, { name, count: functions.count[i]!, total: functions.total[i]!, self: functions.self[i]! });
  }
  const edges: GraphEdge[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    const caller = rows.parent[i] === NO_PARENT ? -1 : rows.parent[i]!;
    const figures = { count: rows.count[i]!, total: rows.total[i]!, self: rows.self[i]! };
    edges.push({ caller, callee: rows.name[i]!, ...figures });
  }
  edges.sort((a, b) => b[weight] - a[weight] || b.count - a.count || a.caller - b.caller || a.callee - b.callee);
  return { nodes, edges, whole: rows.whole };
}

/** How many edges are shown before the user chooses. */
export function firstEdges({ edges }: CallGraph): number {
  return Math.min(edges.length, FIRST_EDGES);
}

/** The part of a graph that is drawn: the heaviest edges, and the functions at their ends. */
export interface ShownGraph {
  readonly nodes: readonly GraphNode[];
  /** Edges between two functions. Outermost calls only say which functions there are. */
  readonly edges: readonly GraphEdge[];
  /** Edges that are left out. */
  readonly hidden: number;
}

/** The part of a graph with its `count` heaviest edges, and with the function `chosen` if it is not -1. */
export function shownGraph(graph: CallGraph, count: number, chosen: number): ShownGraph {
  const shown = graph.edges.slice(0, count);
  const nodes = new Map<number, GraphNode>();
  const add = (name: number) => {
    const node = graph.nodes.get(name);
    if (node) nodes.set(name, node);
  };
  for (const { caller, callee } of shown) {
    add(caller);
    add(callee);
  }
  if (chosen >= 0 && !nodes.has(chosen)) {
    // The heaviest edges of a function that was chosen elsewhere, so that it is not alone.
    const own = graph.edges.slice(count).filter(({ caller, callee }) => caller === chosen || callee === chosen);
    for (const edge of own.slice(0, 4)) {
      shown.push(edge);
      add(edge.caller);
      add(edge.callee);
    }
  }
  const edges = shown.filter(({ caller, callee }) => nodes.has(caller) && nodes.has(callee));
  return { nodes: [...nodes.values()], edges, hidden: graph.edges.length - shown.length };
}

/** Words of a graph in the language of Graphviz. */
export interface DotTexts {
  readonly nameOf: (name: number) => string;
  readonly length: (ticks: number) => string;
}

/** A graph for Graphviz. Nodes are F and a number; outermost calls come from F0. */
export function dotOf({ nodes, edges }: CallGraph, { nameOf, length }: DotTexts): string {
  // These divide the fields of a record.
  const escaped = (text: string) => text.replace(/[\r\n]/g, ' ').replace(/["\\{}|<>]/g, '\\$&');
  const figures = ({ count, total, self }: GraphNode | GraphEdge) =>
    `count=${Math.round(count)} total=${Math.round(total)} self=${Math.round(self)}`;
  const lines = ['digraph calls {', 'node [shape=record];', 'F0 [label="root"];'];
  for (const node of nodes.values()) {
    const label = `{${escaped(nameOf(node.name))}|${escaped(length(node.total))}}`;
    lines.push(`F${node.name + 1} [label="${label}" ${figures(node)}];`);
  }
  for (const edge of edges) {
    const label = `${Math.round(edge.count)}`;
    lines.push(`F${edge.caller + 1} -> F${edge.callee + 1} [label="${label}" ${figures(edge)}];`);
  }
  return `${lines.join('\n')}\n}\n`;
}

/**
 * A name that fits into a box: of a C++ or Rust function that is longer than `most` characters, without what is in angle
 * brackets and parentheses, and without its result.
 */
export function boxName(name: string, most: number): string {
  if (name.length <= most) return name;
  let depth = 0;
  let text = '';
  for (const [i, letter] of [...name].entries()) {
    // Arrows and comparisons are not brackets.
    const isAngle = letter === '<' || letter === '>';
    const isBracket = !(isAngle && (name[i - 1] === '-' || /operator[<>=-]*$/.test(text)));
    if (isBracket && (letter === '<' || letter === '(')) {
      if (depth === 0) text += `${letter}…`;
      depth += 1;
    } else if (isBracket && (letter === '>' || letter === ')') && depth > 0) {
      depth -= 1;
      if (depth === 0) text += letter;
    } else if (depth === 0) text += letter;
  }
  if (depth !== 0) text = name;
  const start = text.slice(0, text.indexOf('(') < 0 ? text.length : text.indexOf('(')).lastIndexOf(' ') + 1;
  const brief = /operator/.test(text) ? text : text.slice(start);
  return brief.length <= most ? brief : `${brief.slice(0, most - 1)}…`;
}

/** A direction in the drawing. */
export type Direction = 'up' | 'down' | 'left' | 'right';

/** The place of a box in the drawing: its middle, and its size. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The index of the box that an arrow key leads to from the box `from`, or -1. */
export function boxTowards(boxes: readonly Box[], from: number, direction: Direction): number {
  const start = boxes[from];
  if (!start) return boxes.length > 0 ? 0 : -1;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, { x, y }] of boxes.entries()) {
    const [dx, dy] = [x - start.x, y - start.y];
    const along = { up: -dy, down: dy, left: -dx, right: dx }[direction];
    const across = Math.abs(direction === 'up' || direction === 'down' ? dx : dy);
    // What lies more to the side than ahead is for another key.
    if (along <= 1 || (direction !== 'up' && direction !== 'down' && across > along)) continue;
    const far = along + 2 * across;
    if (far < least) [best, least] = [i, far];
  }
  return best;
}
