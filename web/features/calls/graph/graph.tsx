import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { LISTINGS } from '../../../base/calls_protocol.ts';
import { formatCount, formatCounted, formatPercent, plural, shortened } from '../../../base/format.ts';
import type { MenuItem } from '../../../parts/menu/request.ts';
import { SaveMenu } from '../../../parts/menu/save_menu.tsx';
import { Segments } from '../../../parts/segments.tsx';
import type { ThemeControl } from '../../../parts/theme.ts';
import { noneOf } from '../../../timeline/none.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../../timeline/render/palette.ts';
import { Drawing, type GraphSource, svgFile } from '../../../timeline/widgets/graph/drawing.tsx';
import { EdgeCount } from '../../../timeline/widgets/graph/edge_count.tsx';
import {
  type CallGraph,
  callGraphOf,
  dotOf,
  firstEdges,
  GRAPH_WEIGHTS,
  type GraphEdge,
  type GraphWeight,
  MOST_EDGES,
  shownGraph,
} from '../../../trace/call_graph.ts';
import { perTrace } from '../../../trace/per_trace.ts';
import { saveBlob } from '../../../trace/save_blob.ts';
import { Uncounted } from '../uncounted.tsx';
import { lengthText } from '../units.ts';
import { EdgeLine } from './edge.tsx';
import { EdgeTable, TakeEdges } from './table.tsx';
import './graph.css';

/** What the user chose for the graph of one trace, and the graph. */
interface State {
  readonly form: Signal<'graph' | 'table'>;
  readonly weight: Signal<GraphWeight>;
  /** How many edges are shown; null until the user says so. */
  readonly edges: Signal<number | null>;
  /** The edge whose figures are shown: names of the caller and the callee. */
  readonly edge: Signal<readonly [caller: number, callee: number] | null>;
  /** null until its edges and functions are known. */
  readonly graph: ReadonlySignal<CallGraph | null>;
}

const stateOf = perTrace(({ statistics }: OpenTrace): State => {
  const weight = signal<GraphWeight>('total');
  const graph = computed((): CallGraph | null => {
    const [rows, functions] = [statistics.tree.value, statistics.functions.value];
    // Both come with one answer.
    if (rows?.wanted.tree?.listing !== LISTINGS.edges || functions?.wanted.key !== rows.wanted.key) return null;
    // Without time, as in logs whose clock stood still, counts decide.
    return callGraphOf(rows.columns, functions.columns, rows.columns.whole > 0 ? weight.value : 'count');
  });
  return { form: signal('graph'), weight, edges: signal<number | null>(null), edge: signal(null), graph };
});

interface Props {
  readonly open: OpenTrace;
  readonly theme: ThemeControl;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  /** Lists the calls of a function, given its name id. */
  readonly list: (name: number) => void;
}

/** Which function calls which: boxes and arrows, or a table of the edges. */
export function CallGraphView({ open, theme, lead, list: listCalls }: Props) {
  const { trace, statistics } = open;
  const state = stateOf(open);
  const graph = state.graph.value;
  const info = trace.info.value;
  const told = statistics.tree.value;
  if (!info) return null;
  if (!graph || !told) {
    return (
      <div class="panel-body">
        <div class="panel-bar">{lead}</div>
        <Uncounted open={open} />
      </div>
    );
  }
  const list = (name: number) => {
    if (trace.status.peek().at === 'loading') return;
    statistics.highlighted.value = name;
    listCalls(name);
  };
  const { clock } = info;
  const measure = clock.kind === 'ordinal' ? plural(2, clock.unit) : 'time';
  const about = (text: string) => (told.exact ? text : `≈${text}`);
  const exact = (ticks: number) => lengthText(BigInt(Math.round(ticks)), clock);
  const length = (ticks: number) => about(exact(ticks));
  const nameOf = (name: number) => trace.names.of(name);
  const weight = graph.whole > 0 ? state.weight.value : 'count';
  const most = Math.min(graph.edges.length, MOST_EDGES);
  const count = Math.min(most, state.edges.value ?? firstEdges(graph));
  const chosen = statistics.highlighted.value;
  const shown = shownGraph(graph, count, chosen);
  const { hidden } = shown;
  const save = (text: string, kind: string, ending: string) => {
    saveBlob(new Blob([text], { type: kind }), `${trace.name}.${ending}`);
  };
  const heaviest = graph.edges[0]?.[weight] ?? 0;
  const isGraph = state.form.value === 'graph';
  const [from, to] = state.edge.value ?? [];
  const edge = graph.edges.find(({ caller, callee }) => caller === from && callee === to);
  const chooseEdge = ({ caller, callee }: GraphEdge) => {
    state.edge.value = [caller, callee];
  };
  const amounts = [
    ...(isGraph ? [formatCounted(graph.nodes.size, 'function')] : []),
    formatCounted(graph.edges.length, 'edge'),
    ...(isGraph && hidden > 0 ? [`${formatCount(hidden)} thin ones folded`] : []),
    ...(told.exact ? [] : [`estimate from ${formatPercent(told.visited, told.slices)}`]),
  ].join(', ');
  return (
    <div class="panel-body">
      <div class="panel-bar">
        {lead}
        <Segments
          label="Form"
          options={[
            ['graph', 'Drawing'],
            ['table', 'Table'],
          ]}
          value={state.form.value}
          choose={(form) => {
            state.form.value = form;
          }}
        />
        {graph.whole > 0 && (
          <Segments
            label="Heaviest by"
            options={GRAPH_WEIGHTS.map((by) => [by, by === 'total' ? `By ${measure}` : 'By count'] as const)}
            value={weight}
            choose={(by) => {
              state.weight.value = by;
            }}
          />
        )}
        {!isGraph && <span class="muted graph-about">{amounts}</span>}
        <span class="panel-end graph-end">
          <button
            type="button"
            class="plain link"
            disabled={chosen < 0 || trace.status.value.at === 'loading'}
            title={
              chosen < 0 ? 'List the calls of the chosen function' : `List the calls of ${shortened(nameOf(chosen))}`
            }
            onClick={() => list(chosen)}
          >
            List calls
          </button>
          <SaveGraph
            saveDot={() => save(dotOf(graph, { nameOf, length: exact }), 'text/vnd.graphviz', 'dot')}
            saveSvg={() => {
              const drawing = svgFile();
              if (drawing) save(drawing, 'image/svg+xml', 'svg');
            }}
            isGraph={isGraph}
          />
        </span>
        {graph.edges.length > 0 && !isGraph && <TakeEdges open={open} graph={graph} clock={clock} />}
      </div>
      {graph.edges.length === 0 && <p class="panel-note muted">{noneOf(open, 'call')}</p>}
      {graph.edges.length > 0 && isGraph && (
        <Drawing
          of={sourceOf(open, theme.theme.value, length, (edge) => (heaviest > 0 ? edge[weight] / heaviest : 0))}
          shown={shown}
          list={list}
          edge={edge ?? null}
          chooseEdge={chooseEdge}
        >
          <EdgeCount graph={graph} count={count} choose={(edges) => (state.edges.value = edges)} />
          <span>{amounts}</span>
        </Drawing>
      )}
      {graph.edges.length > 0 && !isGraph && (
        <EdgeTable open={open} graph={graph} clock={clock} about={about} chooseEdge={chooseEdge} />
      )}
      {edge && (
        <EdgeLine
          open={open}
          edge={edge}
          length={exact}
          about={about}
          close={() => {
            state.edge.value = null;
          }}
        />
      )}
    </div>
  );
}

/** The graph of one trace. */
function sourceOf(
  { trace, statistics }: OpenTrace,
  theme: 'dark' | 'light',
  length: (ticks: number) => string,
  strength: (edge: GraphEdge) => number,
): GraphSource {
  const colours = PALETTES[theme];
  return {
    names: trace.names,
    chosen: statistics.highlighted,
    choose: (name) => {
      statistics.highlighted.value = name;
    },
    figures: ({ total, self }) => `${length(total)} · self ${length(self)}`,
    calls: ({ count }) => formatCounted(Math.round(count), 'call'),
    label: ({ count, total }) => {
      const calls = formatCount(Math.round(count));
      return total > 0 ? `${calls} · ${length(total)}` : calls;
    },
    about: ({ count, total, self }) => {
      const calls = formatCounted(Math.round(count), 'call');
      return `${calls}, total ${length(total)}, self ${length(self)}\nClick for percentiles`;
    },
    strength,
    fill: ({ name }) => colours.slices[(trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1] ?? '',
    menu: (id) => ({ named: { id, text: trace.names.of(id), isCalled: true }, show: null }),
  };
}

interface SaveProps {
  readonly saveDot: () => void;
  readonly saveSvg: () => void;
  /** Whether there is a drawing. */
  readonly isGraph: boolean;
}

/** The menu of files that the graph can be saved as: two buttons would not fit beside all that chooses what is shown. */
function SaveGraph({ saveDot, saveSvg, isGraph }: SaveProps) {
  const items: readonly MenuItem[] = [
    ...(isGraph ? [{ id: 'svg', title: 'Save the drawing (SVG)', run: saveSvg }] : []),
    { id: 'dot', title: 'Save the whole graph for Graphviz (DOT)', run: saveDot },
  ];
  return <SaveMenu title="Save the graph as a file" items={items} />;
}
