import { describe, expect, it } from 'vitest';
import { NO_PARENT, type TreeRows } from '../base/calls_protocol.ts';
import type { Functions } from '../base/protocol.ts';
import { boxName, boxTowards, callGraphOf, dotOf, firstEdges, shownGraph } from './call_graph.ts';

const MAIN = 0;
const WORK = 1;
const LEAF = 2;
/** Caller, callee, total, count. */
const EDGES = [
  [NO_PARENT, MAIN, 100, 1],
  [MAIN, WORK, 60, 3],
  [WORK, LEAF, 20, 50],
  [MAIN, LEAF, 1, 1],
] as const;

const column = (of: readonly (readonly number[])[], i: number) => of.map((row) => row[i]!);
const rows: TreeRows = {
  length: EDGES.length,
  cut: 0,
  whole: 100,
  parent: Uint32Array.from(column(EDGES, 0)),
  name: Uint32Array.from(column(EDGES, 1)),
  total: Float64Array.from(column(EDGES, 2)),
  self: Float64Array.from(column(EDGES, 2)),
  count: Float64Array.from(column(EDGES, 3)),
  state: new Uint8Array(EDGES.length),
};
const figures = Float64Array.of(100, 60, 21);
const functions = {
  length: 3,
  name: Uint32Array.of(MAIN, WORK, LEAF),
  ...Object.fromEntries(['count', 'total', 'self', 'min', 'median', 'p90', 'p99', 'max'].map((by) => [by, figures])),
} as unknown as Functions;

describe('a call graph', () => {
  const graph = callGraphOf(rows, functions, 'total');
  const pairs = (edges: readonly { caller: number; callee: number }[]) =>
    edges.map(({ caller, callee }) => [caller, callee]);

  it('has the heaviest edges first, those of the root with caller -1', () => {
    expect(pairs(graph.edges)).toEqual([
      [-1, MAIN],
      [MAIN, WORK],
      [WORK, LEAF],
      [MAIN, LEAF],
    ]);
    expect(callGraphOf(rows, functions, 'count').edges[0]).toMatchObject({ caller: WORK, callee: LEAF, count: 50 });
    expect(firstEdges(graph)).toBe(4);
  });
  it('folds thin edges, and the functions at their ends', () => {
    const shown = shownGraph(graph, 2, -1);
    expect(pairs(shown.edges)).toEqual([[MAIN, WORK]]);
    expect(shown.nodes.map(({ name }) => name)).toEqual([MAIN, WORK]);
    expect(shown.hidden).toBe(2);
  });
  it('shows a function that was chosen, with its edges', () => {
    const shown = shownGraph(graph, 1, LEAF);
    expect(pairs(shown.edges)).toEqual([
      [WORK, LEAF],
      [MAIN, LEAF],
    ]);
    expect(shown.hidden).toBe(1);
  });
  it('is saved for Graphviz', () => {
    const texts = {
      nameOf: (name: number) => ['main', 'work<int>', 'say "leaf"'][name]!,
      length: (t: number) => `${t} s`,
    };
    const dot = dotOf(graph, texts);
    expect(dot).toContain('F2 [label="{work\\<int\\>|60 s}" count=60 total=60 self=60];');
    expect(dot).toContain('F3 [label="{say \\"leaf\\"|21 s}"');
    expect(dot).toContain('F0 -> F1 [label="1"');
    expect(dot).toContain('F2 -> F3 [label="50" count=50 total=20 self=20];');
    expect(dot.match(/->/g)).toHaveLength(4);
  });
});

describe('the name in a box', () => {
  it('stays as it is if it fits', () =>
    expect(boxName('std::vector<int>::at(int)', 40)).toBe('std::vector<int>::at(int)'));
  it('loses what is in brackets, and the result', () => {
    const name = 'std::thread& std::vector<std::thread, std::allocator<std::thread>>::emplace_back<int&>(int&)';
    expect(boxName(name, 40)).toBe('std::vector<…>::emplace_back<…>(…)');
  });
  it('keeps operators and what does not balance', () => {
    expect(boxName('bool operator<(very::long::type const&, very::long::type const&)', 40)).toBe('bool operator<(…)');
    expect(boxName(`odd<${'x'.repeat(50)}`, 20)).toBe(`odd<${'x'.repeat(15)}…`);
  });
});

describe('an arrow key in the drawing', () => {
  const at = (x: number, y: number) => ({ x, y, width: 10, height: 10 });
  // A caller above two callees.
  const boxes = [at(50, 0), at(20, 100), at(80, 100)];
  it('leads to callees, callers and neighbours', () => {
    expect(boxTowards(boxes, 0, 'down')).toBe(1);
    expect(boxTowards(boxes, 2, 'up')).toBe(0);
    expect(boxTowards(boxes, 1, 'right')).toBe(2);
    expect(boxTowards(boxes, 1, 'left')).toBe(-1);
    expect(boxTowards(boxes, -1, 'down')).toBe(0);
  });
});
