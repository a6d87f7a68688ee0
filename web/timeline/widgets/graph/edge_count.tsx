import { formatCount, formatCounted } from '../../../base/format.ts';
import { type CallGraph, MOST_EDGES } from '../../../trace/call_graph.ts';
import './edge_count.css';

interface Props {
  readonly graph: CallGraph;
  /** How many edges are shown. */
  readonly count: number;
  readonly choose: (count: number) => void;
}

/** The choice of how many edges of a call graph are shown; nothing if there is no choice. */
export function EdgeCount({ graph: { edges }, count, choose }: Props) {
  if (edges.length <= 1) return null;
  return (
    <label class="graph-edges row" title="How many of the heaviest edges are shown">
      Edges
      <input
        type="range"
        min={1}
        max={Math.min(edges.length, MOST_EDGES)}
        value={count}
        aria-valuetext={`${formatCount(count)} of ${formatCounted(edges.length, 'edge')}`}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </label>
  );
}
