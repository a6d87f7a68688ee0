import { LISTINGS, listingView, NO_PARENT, type TreeRows } from '../../base/calls_protocol.ts';
import type { RangeQuestion } from '../../base/job_protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { CallGraph, GraphEdge, GraphNode } from '../../trace/call_graph.ts';
import type { BothWeight, Compared } from './comparison.ts';
import { openFigureOf } from './figures.ts';
import { statisticsOf } from './profile.ts';

/** Figures of one side. Times are ticks of A. */
export interface Figures {
  readonly count: number;
  readonly total: number;
  readonly self: number;
}

/** Calls of a function from another one in both; the names are rows. Its own figures are the larger ones. */
export interface BothEdge extends GraphEdge {
  /** null where there is no such call. */
  readonly a: Figures | null;
  readonly b: Figures | null;
}

/** Who calls whom in the range of a trace. Rejects with a sentence. Resolves with null if it is aborted. */
export async function edgesOf(
  open: Pick<OpenTrace, 'trace'>,
  asked: RangeQuestion,
  signal: AbortSignal,
): Promise<TreeRows | null> {
  return (await statisticsOf(open, asked, { tree: listingView(LISTINGS.edges) }, signal))?.tree ?? null;
}

/** How much longer the calls of an edge take in B. */
export function changeOf({ a, b }: BothEdge): number {
  return (b?.total ?? 0) - (a?.total ?? 0);
}

/**
 * The edges of both, joined by the names of caller and callee. `scale` is what times of B are multiplied by, so that they are ticks of A.
 */
export function joinedEdges(compared: Compared, a: TreeRows, b: TreeRows, scale: number): readonly BothEdge[] {
  const joined = new Map<string, BothEdge>();
  const take = (side: 'a' | 'b', edges: TreeRows, factor: number) => {
    const { name } = compared[side].functions;
    const rows = new Map<number, number>();
    compared.rows[side].forEach((at, row) => {
      if (at >= 0) rows.set(name[at]!, row);
    });
    for (let i = 0; i < edges.length; i += 1) {
      const caller = edges.parent[i] === NO_PARENT ? -1 : rows.get(edges.parent[i]!);
      const callee = rows.get(edges.name[i]!);
      if (caller === undefined || callee === undefined) continue;
      const figures = { count: edges.count[i]!, total: edges.total[i]! * factor, self: edges.self[i]! * factor };
      const key = `${caller} ${callee}`;
      joined.set(key, { caller, callee, ...figures, a: null, b: null, ...joined.get(key), [side]: figures });
    }
  };
  take('a', a, 1);
  take('b', b, scale);
  const larger = ({ a, b }: BothEdge, of: keyof Figures) => Math.max(a?.[of] ?? 0, b?.[of] ?? 0);
  return [...joined.values()].map((edge) => ({
    ...edge,
    count: larger(edge, 'count'),
    total: larger(edge, 'total'),
    self: larger(edge, 'self'),
  }));
}

/** The graph of these edges, the heaviest first; `scale` as of {@link joinedEdges}. */
export function bothGraph(compared: Compared, edges: readonly BothEdge[], by: BothWeight, scale: number): CallGraph {
  const larger = (row: number, of: keyof Figures) =>
    Math.max(openFigureOf(compared, 'a', of, row) ?? 0, openFigureOf(compared, 'b', of, row, scale) ?? 0);
  const nodes = new Map<number, GraphNode>();
  for (let row = 0; row < compared.rows.length; row += 1) {
    nodes.set(row, {
      name: row,
      count: larger(row, 'count'),
      total: larger(row, 'total'),
      self: larger(row, 'self'),
    });
  }
  const weight = (edge: BothEdge) => (by === 'change' ? Math.abs(changeOf(edge)) : edge[by]);
  const sorted = [...edges].sort(
    (one, two) =>
      weight(two) - weight(one) || two.count - one.count || one.caller - two.caller || one.callee - two.callee,
  );
  const outermost = sorted.filter(({ caller }) => caller < 0);
  return { nodes, edges: sorted, whole: outermost.reduce((sum, { total }) => sum + total, 0) };
}
