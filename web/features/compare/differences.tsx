import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted, plural } from '../../base/format.ts';
import type { PanelProps } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import { Segments } from '../../parts/segments.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { CallsOfBoth } from './calls.tsx';
import type { Compared, Comparison, View } from './comparison.ts';
import { DrawnTable } from './drawn_table.tsx';
import { DifferenceFlame } from './flame.tsx';
import { DifferenceTable } from './functions.tsx';
import { RecordsOfBoth } from './records_list.tsx';
import type { Runs } from './runs.ts';
import { AddRun, RunList } from './runs_bar.tsx';
import { Save } from './save.tsx';
import { SuspectsOfBoth } from './suspects_tables.tsx';
import { ThingsOfBoth } from './things_table.tsx';
import { DifferenceTree } from './tree.tsx';
import { haveValues } from './values.ts';
import { ValuesOfBoth } from './values_tables.tsx';
import type { Why } from './why.ts';
import { wordsOf } from './work.ts';
import './compare.css';

interface Props extends Pick<PanelProps, 'theme'> {
  readonly comparison: Comparison;
  readonly why: Why;
  readonly runs: Runs;
  readonly pair: Pair;
}

const VIEWS = [
  ['functions', 'Functions'],
  ['tree', 'Tree'],
  ['flame', 'Flame graph'],
  ['graph', 'Graph'],
  ['calls', 'Calls'],
  ['drawn', 'Frames'],
  ['things', 'Resources'],
  ['records', 'Records'],
] as const;

/** Traces that have values have no functions. */
const VIEWS_OF_VALUES = [
  ['statements', 'Statements'],
  ['variables', 'Variables'],
  ['relations', 'Relations'],
  ['suspects', 'Suspects'],
  ['records', 'Records'],
] as const;

/** With what lays a graph out. */
const loadGraph = async () => (await import('./graph.tsx')).DifferenceGraph;

/** What differs between two traces: in words, function by function, as a flame graph, by values, and record by record. */
export function Differences({ comparison, runs, why, pair, theme }: Props) {
  const isDrawn = pair.a.trace.info.value?.offers.includes('graphics') ?? false;
  const views = haveValues(pair.a)
    ? VIEWS_OF_VALUES
    : VIEWS.filter(([id]) => (id !== 'drawn' && id !== 'things') || isDrawn);
  // What is chosen at first is a view of functions.
  const view = views.some(([id]) => id === comparison.view.value) ? comparison.view.value : views[0]![0];
  const ofValues = view === 'statements' || view === 'variables' || view === 'relations' ? view : null;
  const lead = (
    <Segments<View>
      label="View"
      options={views}
      value={view}
      choose={(next) => {
        comparison.view.value = next;
      }}
    />
  );
  return (
    <div class="differences panel-body">
      {ofValues ? (
        <ValuesOfBoth
          differences={comparison.values}
          records={comparison.records}
          pair={pair}
          view={ofValues}
          choice={
            <>
              {lead}
              <Filter what={ofValues} example="n" of={comparison.values.filter} />
            </>
          }
        />
      ) : view === 'suspects' ? (
        <SuspectsOfBoth
          suspects={comparison.suspects}
          runs={runs}
          pair={pair}
          lead={lead}
          filter={<Filter what="suspects" example="n" of={comparison.suspects.filter} />}
        />
      ) : view === 'records' ? (
        <>
          <div class="panel-bar">{lead}</div>
          <RecordsOfBoth differences={comparison.records} why={why} pair={pair} />
        </>
      ) : view === 'things' ? (
        <ThingsOfBoth pair={pair} lead={lead} thingsApart={comparison.thingsApart} />
      ) : (
        <Figures comparison={comparison} runs={runs} pair={pair} theme={theme} lead={lead} />
      )}
    </div>
  );
}

/** A field that narrows a list by a part of names. */
function Filter({ what, example, of }: { what: string; example: string; of: Signal<string> }) {
  return (
    <input
      type="search"
      aria-label={`Filter ${what}`}
      placeholder={`Filter, such as ${example}`}
      value={of.value}
      onInput={(event) => {
        of.value = event.currentTarget.value;
      }}
    />
  );
}

/** The choice of what is shown of the calls of a function. */
function CallsShow({ comparison: { callsShow } }: Pick<Props, 'comparison'>) {
  return (
    <Segments
      label="Shown of the calls"
      options={[
        ['durations', 'Durations'],
        ['slow', 'A slow call'],
      ]}
      value={callsShow.value}
      choose={(next) => {
        callsShow.value = next;
      }}
    />
  );
}

/** How many functions there are, and a button that takes them along. */
function Count({ comparison, pair }: Pick<Props, 'comparison' | 'pair'>) {
  const state = comparison.state.value;
  const clock = pair.a.trace.info.value?.clock;
  const rows = comparison.matching.value;
  if (state.at !== 'done' || !clock) return null;
  const { length } = state.compared.rows;
  const noun = clock.kind === 'seconds' ? '' : `, in ${plural(2, clock.kind === 'ticks' ? 'tick' : clock.unit)}`;
  return (
    <>
      <span class="muted" role="status">
        {rows.length < length ? `${formatCount(rows.length)} of ` : ''}
        {formatCount(length)} {plural(length, 'function')}
        {noun}
      </span>
      <Save comparison={comparison} compared={state.compared} rows={rows} pair={pair} clock={clock} />
    </>
  );
}

/** What is known of functions, in words and in one of several views. */
function Figures({ comparison, runs, pair, theme, lead }: Omit<Props, 'why'> & { readonly lead: ComponentChildren }) {
  const { a, b } = pair;
  const { filter } = comparison;
  const state = comparison.state.value;
  const view = comparison.view.value;
  const clock = a.trace.info.value?.clock;
  const rows = comparison.matching.value;
  // The list of runs stays while they are compared again: the focus is in it when one is removed.
  const runsOf = (compared: Compared | null) =>
    view === 'functions' && <RunList key="runs" runs={runs} pair={pair} compared={compared} />;
  if (state.at !== 'done' || !clock) {
    return (
      <>
        <div class="panel-bar" key="bar">
          {lead}
        </div>
        {runsOf(null)}
        <p class="panel-note muted">{wordsOf(state)}</p>
      </>
    );
  }
  const { compared } = state;
  const common = { comparison, compared, a, b, clock };
  // The function stands out in both timelines.
  const choose = (row: number) => {
    comparison.chosen.value = row;
    for (const [open, side] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      const { functions } = compared[side];
      open.statistics.highlighted.value = functions.name[compared.rows[side][row] ?? -1] ?? -1;
    }
  };
  const ofCalls = comparison.drawn.sentence.value;
  const sentence =
    view === 'drawn'
      ? ofCalls || 'Frames, calls, draws and uploads do not differ in number.'
      : [compared.rows.sentence, ofCalls].join(' ').trim();
  const cut = comparison.cut.value;
  const ofPaths = (
    <>
      <Sentence text={sentence} isBrief />
      {cut > 0 && <p class="panel-note muted">{formatCounted(cut, 'call path')}, those that take least, left out.</p>}
    </>
  );
  const top = { lead, sentence: view === 'graph' ? <Sentence text={sentence} isBrief /> : ofPaths };
  if (view === 'flame') return <DifferenceFlame {...common} {...top} theme={theme} choose={choose} />;
  if (view === 'graph') return <Lazy load={loadGraph} props={{ ...common, ...top, choose }} />;
  if (view === 'tree') return <DifferenceTree {...common} {...top} choose={choose} />;
  return (
    <>
      <div class="panel-bar" key="bar">
        {lead}
        {view === 'functions' && <Filter what="functions" example="parse" of={filter} />}
        {view === 'functions' && <AddRun runs={runs} />}
        {view === 'calls' && <CallsShow comparison={comparison} />}
        {view === 'functions' && <Count comparison={comparison} pair={pair} />}
      </div>
      <Sentence text={sentence} isBrief={view === 'calls'} />
      {runsOf(compared)}
      {view === 'functions' && <DifferenceTable {...common} rows={rows} choose={choose} />}
      {view === 'calls' && <CallsOfBoth {...common} />}
      {view === 'drawn' && <DrawnTable drawn={comparison.drawn} />}
    </>
  );
}

/** What changed, in words. It is announced when it is another one. `isBrief`: of one line, where a drawing needs the room. */
function Sentence({ text, isBrief = false }: { readonly text: string; readonly isBrief?: boolean }) {
  const said = useSignal('');
  useEffect(() => {
    said.value = text;
  }, [text]);
  return (
    <p
      class={isBrief ? 'difference-sentence ellipsis' : 'difference-sentence'}
      title={isBrief ? text : undefined}
      role="status"
    >
      {said.value}
    </p>
  );
}
