import { useEffect, useState } from 'preact/hooks';
import { formatCounted, shortened, titled } from '../../../base/format.ts';
import type { JobReply } from '../../../base/job_protocol.ts';
import { MAX_TICKS } from '../../../base/ticks.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import type { GraphEdge } from '../../../trace/call_graph.ts';
import { selectCall } from '../../../trace/find_call.ts';
import { type EdgeFigures, edgeFigures, type Percentile, pathOfEdge } from '../edge_calls.ts';

/** The place of the root among callers. */
export const ROOT = '(outermost call)';

interface Props {
  readonly open: OpenTrace;
  readonly edge: GraphEdge;
  readonly length: (ticks: number) => string;
  /** Marks a figure of the edge if it is an estimate. */
  readonly about: (text: string) => string;
  readonly close: () => void;
}

/** The calls of one function from another one: how long they took. */
export function EdgeLine({ open, edge, length, about, close }: Props) {
  const { trace, statistics } = open;
  const { caller, callee } = edge;
  const [figures, setFigures] = useState<EdgeFigures | null>(null);
  const asked = statistics.asked();
  const scope = `${asked.from} ${asked.to} ${asked.tracks.join()} ${trace.status.value.at}`;
  useEffect(() => {
    setFigures(null);
    if (trace.status.peek().at === 'loading') return undefined;
    const path = Uint32Array.from(pathOfEdge({ caller, callee }));
    const rows = { shortest: 0n, longest: MAX_TICKS, order: 'start', first: 0, rows: 0, of: null } as const;
    const take = (reply: JobReply<'calls'>) => {
      if (reply.t === 'job-part') setFigures(edgeFigures(reply.part));
    };
    return trace.begin({ kind: 'calls', ...asked, name: callee, path, ...rows }, take, 'calls of an edge');
  }, [trace, caller, callee, scope]);
  const nameOf = (name: number) => (name < 0 ? ROOT : shortened(trace.names.shown(name), 60));
  const fullName = (name: number) => (name < 0 ? undefined : titled(trace.names.of(name)));
  const rounded = ({ ticks, isExact }: Percentile) => `${isExact ? '' : '≈'}${length(ticks)}`;
  const parts: readonly (readonly [string, string])[] = figures
    ? [
        ['min', length(figures.min)],
        ['median', rounded(figures.median)],
        ['p90', rounded(figures.p90)],
        ['p99', rounded(figures.p99)],
        ['max', length(figures.max)],
      ]
    : [];
  return (
    <div class="graph-line row wrap rigid" role="status">
      <span class="ellipsis">
        <b title={fullName(caller)}>{nameOf(caller)}</b> → <b title={fullName(callee)}>{nameOf(callee)}</b>
      </span>
      <span>{about(formatCounted(Math.round(edge.count), 'call'))}</span>
      <span>
        <span class="muted">total</span> {about(length(edge.total))}
      </span>
      {parts.map(([label, text]) => (
        <span key={label}>
          <span class="muted">{label}</span> {text}
        </span>
      ))}
      <span class="panel-end">
        <button
          type="button"
          class="plain link"
          disabled={!figures}
          title="Select the longest of these calls in the timeline"
          onClick={() => selectCall({ name: callee, path: pathOfEdge(edge), order: 'longest' }, open)}
        >
          Longest call
        </button>
        <button
          type="button"
          class="plain icon"
          aria-label="Close the figures of the edge"
          title="Close"
          onClick={close}
        >
          ×
        </button>
      </span>
    </div>
  );
}
