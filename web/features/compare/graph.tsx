import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatCounted, plural, shortened, titled } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock } from '../../base/protocol.ts';
import { Segments } from '../../parts/segments.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Drawing, type GraphSource, svgFile } from '../../timeline/widgets/graph/drawing.tsx';
import { EdgeCount } from '../../timeline/widgets/graph/edge_count.tsx';
import { firstEdges, type GraphEdge, type GraphNode, MOST_EDGES, shownGraph } from '../../trace/call_graph.ts';
import { saveBlob } from '../../trace/save_blob.ts';
import { BOTH_WEIGHTS, type BothWeight, type Compared, type Comparison } from './comparison.ts';
import { changeText, lengthOf, openFigureOf, scaleOf } from './figures.ts';
import { SCALE, stepOfPair } from './flame_source.ts';
import { type BothEdge, bothGraph, changeOf, edgesOf, joinedEdges } from './graph_edges.ts';

interface Props {
  readonly comparison: Comparison;
  readonly compared: Compared;
  readonly a: OpenTrace;
  readonly b: OpenTrace;
  readonly clock: Clock;
  /** Chooses a row of the comparison, in both traces. */
  readonly choose: (row: number) => void;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  /** What changed, in words, below the bar. */
  readonly sentence: ComponentChildren;
}

/** The place of the root among callers. */
const ROOT = '(outermost call)';

/** Which function calls which, in both: boxes and arrows coloured by what changed, or a table of the edges. */
export function DifferenceGraph({ comparison, compared, a, b, clock, choose, lead, sentence }: Props) {
  const found = useEdges(compared, a, b);
  const edges = typeof found === 'string' ? null : found;
  const { form, weight, count: wanted } = comparison.graph;
  const graph = useMemo(
    () => edges && bothGraph(compared, edges, weight.value, scaleOf(a, b)),
    [compared, edges, weight.value],
  );
  const list = (row: number) => {
    choose(row);
    comparison.view.value = 'calls';
  };
  const source = useMemo(
    () => edges && sourceOf(comparison, compared, edges, clock, scaleOf(a, b), choose),
    [comparison, compared, edges, clock],
  );
  const isGraph = form.value === 'graph';
  const count = graph ? Math.min(graph.edges.length, MOST_EDGES, wanted.value ?? firstEdges(graph)) : 0;
  const shown = graph && shownGraph(graph, count, comparison.chosen.value);
  const measure = clock.kind === 'ordinal' ? plural(2, clock.unit) : 'time';
  const titles: Readonly<Record<BothWeight, string>> = {
    change: 'By difference',
    total: `By ${measure}`,
    count: 'By count',
  };
  return (
    <>
      <div class="panel-bar difference-bar">
        {lead}
        <Segments
          label="Form"
          options={[
            ['graph', 'Drawing'],
            ['table', 'Table'],
          ]}
          value={form.value}
          choose={(next) => {
            form.value = next;
          }}
        />
        <Segments
          label="Heaviest by"
          options={BOTH_WEIGHTS.map((by) => [by, titles[by]] as const)}
          value={weight.value}
          choose={(by) => {
            weight.value = by;
          }}
        />
        {isGraph && (
          <button
            type="button"
            class="plain link"
            title="Save the drawing as a picture"
            onClick={() => {
              const drawing = svgFile();
              if (drawing) saveBlob(new Blob([drawing], { type: 'image/svg+xml' }), 'differences-graph.svg');
            }}
          >
            Save SVG
          </button>
        )}
        {!isGraph && edges && <Take compared={compared} edges={edges} clock={clock} />}
      </div>
      {sentence}
      {typeof found === 'string' ? (
        <p class="panel-note muted">{found}</p>
      ) : !graph || !shown || !source ? (
        <div class="grow" aria-busy="true" />
      ) : graph.edges.length === 0 ? (
        <p class="panel-note muted">Neither trace has calls here.</p>
      ) : isGraph ? (
        <Drawing of={source} shown={shown} list={list} edge={null} chooseEdge={({ callee }) => choose(callee)}>
          <EdgeCount graph={graph} count={count} choose={(edges) => (wanted.value = edges)} />
          <span>
            {formatCounted(graph.edges.length, 'edge')}
            {shown.hidden > 0 && `, ${formatCount(shown.hidden)} folded`}
          </span>
        </Drawing>
      ) : (
        <Edges
          compared={compared}
          edges={graph.edges as readonly BothEdge[]}
          clock={clock}
          choose={choose}
          list={list}
        />
      )}
    </>
  );
}

/** The edges of both, or why there are none, in a sentence; null until they are known. */
type Found = readonly BothEdge[] | string | null;

/** Finds the edges of both. */
function useEdges(compared: Compared, a: OpenTrace, b: OpenTrace): Found {
  const edges = useSignal<Found>(null);
  useEffect(() => {
    edges.value = null;
    const controller = new AbortController();
    const find = ({ trace, statistics }: OpenTrace) => edgesOf({ trace }, statistics.asked(), controller.signal);
    Promise.all([find(a), find(b)]).then(
      ([of, to]) => {
        if (of && to) edges.value = joinedEdges(compared, of, to, scaleOf(a, b));
      },
      (thrown) => {
        edges.value = String(thrown);
      },
    );
    return () => controller.abort();
  }, [compared, a, b]);
  return edges.value;
}

function sourceOf(
  { chosen }: Comparison,
  compared: Compared,
  edges: readonly BothEdge[],
  clock: Clock,
  scale: number,
  choose: (row: number) => void,
): GraphSource {
  const known = new Map(edges.map((edge) => [`${edge.caller} ${edge.callee}`, edge]));
  const both = ({ caller, callee }: GraphEdge) => known.get(`${caller} ${callee}`) ?? null;
  const longest = edges.reduce((most, { caller, total }) => (caller < 0 ? most : Math.max(most, total)), 0);
  const pair = (one: string, two: string) => `${one} → ${two}`;
  const counts = (a: number | null | undefined, b: number | null | undefined) =>
    pair(formatCount(a ?? 0), formatCount(b ?? 0));
  const totals = ({ name }: GraphNode) =>
    [openFigureOf(compared, 'a', 'total', name), openFigureOf(compared, 'b', 'total', name, scale)] as const;
  return {
    names: compared.paths.names,
    chosen,
    choose,
    figures: (node) => {
      const [a, b] = totals(node);
      if (a === null) return `new · ${lengthOf(b ?? 0, clock)}`;
      if (b === null) return `gone · ${lengthOf(a, clock)}`;
      return `${lengthOf(b, clock)} · ${changeText(b - a, clock)}`;
    },
    calls: ({ name }) =>
      `${counts(openFigureOf(compared, 'a', 'count', name), openFigureOf(compared, 'b', 'count', name))} calls`,
    label: (edge) => {
      const it = both(edge);
      if (!it) return '';
      const change = Math.round(changeOf(it));
      const calls = it.a?.count === it.b?.count ? formatCount(it.count) : counts(it.a?.count, it.b?.count);
      return change === 0 ? calls : `${calls} · ${changeText(change, clock)}`;
    },
    about: (edge) => {
      const it = both(edge);
      if (!it) return '';
      const of = (title: string, figure: 'total' | 'self') =>
        `${title} ${pair(lengthOf(it.a?.[figure] ?? 0, clock), lengthOf(it.b?.[figure] ?? 0, clock))}`;
      return `${counts(it.a?.count, it.b?.count)} calls, ${of('total', 'total')}, ${of('self', 'self')}`;
    },
    strength: ({ total }) => (longest > 0 ? total / longest : 0),
    fill: (node) => {
      const [a, b] = totals(node);
      return SCALE[stepOfPair(a ?? 0, b ?? 0)] ?? '';
    },
    stroke: (edge) => {
      const it = both(edge);
      return SCALE[stepOfPair(it?.a?.total ?? 0, it?.b?.total ?? 0)] ?? '';
    },
    menu: () => null,
  };
}

interface EdgesProps extends Pick<Props, 'compared' | 'clock' | 'choose'> {
  readonly edges: readonly BothEdge[];
  readonly list: (row: number) => void;
}

/** All edges of both as rows. */
function Edges({ compared, edges, clock, choose, list }: EdgesProps) {
  const { names } = compared.paths;
  const current = useSignal(-1);
  const nameOf = (row: number) => (row < 0 ? ROOT : names.of(row));
  const end = (title: string, of: 'caller' | 'callee'): Column<BothEdge> => ({
    title,
    class: 'name',
    cell: (edge) => shortened(nameOf(edge[of])),
    look: (edge) => ({ title: titled(nameOf(edge[of])), class: edge[of] < 0 ? 'muted' : undefined }),
    value: (edge) => nameOf(edge[of]),
  });
  const figure = (title: string, of: 'count' | 'total' | 'self', side: 'a' | 'b'): Column<BothEdge> => ({
    id: `${of}-${side}`,
    title: `${title} ${side.toUpperCase()}`,
    width: '100px',
    cell: (edge) => {
      const value = edge[side]?.[of];
      if (value === undefined) return '';
      return of === 'count' ? formatCount(Math.round(value)) : lengthOf(value, clock);
    },
    value: (edge) => edge[side]?.[of] ?? null,
  });
  const columns: readonly Column<BothEdge>[] = [
    end('Caller', 'caller'),
    end('Callee', 'callee'),
    {
      id: 'change',
      title: 'Difference',
      says: 'Total time of these calls in B minus that in A',
      width: '110px',
      cell: (edge) => changeText(Math.round(changeOf(edge)), clock),
      value: (edge) => Math.abs(changeOf(edge)),
    },
    ...(['total', 'self', 'count'] as const).flatMap((of) => {
      const title = { total: 'Total', self: 'Self', count: 'Calls' }[of];
      return [figure(title, of, 'a'), figure(title, of, 'b')];
    }),
  ];
  return (
    <Table
      label="Edges of the call graph of both"
      id="difference-edge"
      minWidth="1000px"
      count={edges.length}
      row={(number) => edges[number] ?? null}
      columns={columns}
      sorts={edges}
      narrowedBy={[edges]}
      current={current.value}
      choose={(row) => {
        current.value = row;
        const edge = edges[row];
        if (edge) choose(edge.callee);
      }}
      act={(row) => {
        const edge = edges[row];
        if (edge) list(edge.callee);
      }}
    />
  );
}

/** Copies the edges, or saves them: times as numbers. */
function Take({ compared, edges, clock }: Pick<EdgesProps, 'compared' | 'edges' | 'clock'>) {
  const { names } = compared.paths;
  const head = ['Caller', 'Callee', plainTitle('Total A', clock), plainTitle('Total B', clock)];
  head.push(plainTitle('Self A', clock), plainTitle('Self B', clock), 'Calls A', 'Calls B');
  const texts = ({ caller, callee, a, b }: BothEdge) => {
    const times = [a?.total, b?.total, a?.self, b?.self];
    return [
      caller < 0 ? ROOT : names.of(caller),
      names.of(callee),
      ...times.map((ticks) => (ticks === undefined ? '' : plainLength(BigInt(Math.round(ticks)), clock))),
      ...[a, b].map((side) => String(Math.round(side?.count ?? 0))),
    ];
  };
  return <TakeTable name="differences graph" head={head} rows={() => atOnce(edges, texts)} />;
}
