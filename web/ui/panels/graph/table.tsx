import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { formatCount, formatShare, shortened } from '../../../base/format.ts';
import { plainLength, plainTitle } from '../../../base/plain.ts';
import type { Clock } from '../../../base/protocol.ts';
import type { CallGraph, GraphEdge } from '../../../model/call_graph.ts';
import type { Trace } from '../../../model/trace.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { useRowMenu } from '../../menu/row_menu.ts';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { lengthText } from '../units.ts';
import { rowsByKey, Spacer, scrollToRow, useShownRows } from '../virtual_rows.tsx';
import { ROOT } from './edge.tsx';

interface Props {
  readonly open: OpenTrace;
  readonly graph: CallGraph;
  readonly clock: Clock;
  /** Shows the figures of an edge. */
  readonly chooseEdge: (edge: GraphEdge) => void;
}

/** Copies the edges, or saves them: times as numbers. */
export function TakeEdges({ open: { trace }, graph, clock }: Omit<Props, 'chooseEdge'>) {
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
export function EdgeTable({ open, graph, clock, chooseEdge }: Props) {
  const { trace, statistics } = open;
  const { edges, whole } = graph;
  const box = useRef<HTMLDivElement>(null);
  const current = useSignal(-1);
  const { first, end, page, onScroll } = useShownRows(box, edges.length);
  const choose = (row: number) => {
    const edge = edges[row];
    if (!edge) return;
    current.value = row;
    statistics.highlighted.value = edge.callee;
    chooseEdge(edge);
  };
  const onKey = (event: KeyboardEvent) => {
    const by = rowsByKey(event, edges.length, page);
    if (event.target !== event.currentTarget || by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(edges.length - 1, current.peek() < 0 ? 0 : current.peek() + by));
    choose(next);
    scrollToRow(box.current!, next);
  };
  const onMenu = useRowMenu((row) => {
    const edge = edges[row];
    return edge ? { named: { id: edge.callee, text: nameOf(trace, edge.callee), isCalled: true }, show: null } : null;
  });
  const length = (ticks: number) => lengthText(BigInt(Math.round(ticks)), clock);
  return (
    <div class="table graph-table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of which the rows can be chosen.
        role="grid"
        aria-label="Edges of the call graph"
        aria-rowcount={edges.length + 1}
        aria-activedescendant={current.value >= first && current.value < end ? `edge-${current.value}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
        onContextMenu={onMenu}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="function">
              Caller
            </th>
            <th scope="col" class="function">
              Callee
            </th>
            <th scope="col">Count</th>
            <th scope="col" title="Time in these calls and their callees">
              Total
            </th>
            <th scope="col" title="Time in these calls themselves">
              Self
            </th>
            <th scope="col" title="Total as a share of the time in which any call was open">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={6} />
          {edges.slice(first, end).map((edge, k) => (
            <tr
              key={`${edge.caller} ${edge.callee}`}
              id={`edge-${first + k}`}
              aria-rowindex={first + k + 2}
              aria-selected={first + k === current.value}
              onClick={() => choose(first + k)}
            >
              <td class={edge.caller < 0 ? 'name muted' : 'name'} title={shortened(nameOf(trace, edge.caller), 1000)}>
                {shortened(nameOf(trace, edge.caller))}
              </td>
              <td class="name" title={shortened(nameOf(trace, edge.callee), 1000)}>
                {shortened(nameOf(trace, edge.callee))}
              </td>
              <td>{formatCount(Math.round(edge.count))}</td>
              <td>{length(edge.total)}</td>
              <td>{length(edge.self)}</td>
              <td>{formatShare(edge.total, whole)}</td>
            </tr>
          ))}
          <Spacer rows={edges.length - end} columns={6} />
        </tbody>
      </table>
    </div>
  );
}

/** The name of an end of an edge. */
function nameOf({ names }: Trace, name: number): string {
  return name < 0 ? ROOT : names.of(name);
}
