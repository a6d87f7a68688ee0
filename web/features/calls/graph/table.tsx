import { useSignal } from '@preact/signals';
import { formatCount, formatShare, shortened, titled } from '../../../base/format.ts';
import { plainLength, plainTitle } from '../../../base/plain.ts';
import type { Clock } from '../../../base/protocol.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { CallGraph, GraphEdge } from '../../../trace/call_graph.ts';
import type { Trace } from '../../../trace/trace.ts';
import { lengthText } from '../units.ts';
import { ROOT } from './edge.tsx';

interface Props {
  readonly open: OpenTrace;
  readonly graph: CallGraph;
  readonly clock: Clock;
  /** Marks a figure if it is an estimate. */
  readonly about: (text: string) => string;
  /** Shows the figures of an edge. */
  readonly chooseEdge: (edge: GraphEdge) => void;
}

/** Copies the edges, or saves them: times as numbers. */
export function TakeEdges({ open: { trace }, graph, clock }: Omit<Props, 'about' | 'chooseEdge'>) {
  const texts = ({ caller, callee, count, total, self }: GraphEdge) => [
    nameOf(trace, caller),
    nameOf(trace, callee),
    String(Math.round(count)),
    plainLength(BigInt(Math.round(total)), clock),
    plainLength(BigInt(Math.round(self)), clock),
  ];
  const head = ['Caller', 'Callee', 'Count', plainTitle('Total', clock), plainTitle('Self', clock)];
  return <TakeTable name="call graph" head={head} rows={() => atOnce(graph.edges, texts)} />;
}

/** All edges of the graph as rows, the heaviest first. */
export function EdgeTable({ open, graph, clock, about, chooseEdge }: Props) {
  const { trace, statistics } = open;
  const { edges, whole } = graph;
  const current = useSignal(-1);
  const choose = (row: number) => {
    const edge = edges[row];
    if (!edge) return;
    current.value = row;
    statistics.highlighted.value = edge.callee;
    chooseEdge(edge);
  };
  const length = (ticks: number) => about(lengthText(BigInt(Math.round(ticks)), clock));
  const end = (title: string, of: 'caller' | 'callee'): Column<GraphEdge> => ({
    title,
    class: 'name',
    cell: (edge) => shortened(shownName(trace, edge[of])),
    look: (edge) => ({
      title: titled(nameOf(trace, edge[of])),
      class: edge[of] < 0 ? 'muted' : undefined,
    }),
    value: (edge) => shownName(trace, edge[of]),
  });
  const columns: readonly Column<GraphEdge>[] = [
    end('Caller', 'caller'),
    end('Callee', 'callee'),
    { title: 'Count', cell: ({ count }) => about(formatCount(Math.round(count))), value: ({ count }) => count },
    {
      title: 'Total',
      says: 'Time in these calls and their callees',
      cell: ({ total }) => length(total),
      value: ({ total }) => total,
    },
    {
      title: 'Self',
      says: 'Time in these calls themselves',
      cell: ({ self }) => length(self),
      value: ({ self }) => self,
    },
    {
      title: 'Share',
      says: 'Total as a share of the time in which any call was open',
      cell: ({ total }) => about(formatShare(total, whole)),
      value: ({ total }) => total,
    },
  ];
  return (
    <Table
      class="graph-table"
      label="Edges of the call graph"
      id="edge"
      count={edges.length}
      row={(number) => edges[number] ?? null}
      columns={columns}
      sorts={edges}
      narrowedBy={[statistics.range.value, statistics.whose.value]}
      current={current.value}
      choose={choose}
      menu={({ callee }) => ({ named: { id: callee, text: nameOf(trace, callee), isCalled: true }, show: null })}
    />
  );
}

/** The name of an end of an edge. */
function nameOf({ names }: Trace, name: number): string {
  return name < 0 ? ROOT : names.of(name);
}

function shownName({ names }: Trace, name: number): string {
  return name < 0 ? ROOT : names.shown(name);
}
