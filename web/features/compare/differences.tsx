import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, plural } from '../../base/format.ts';
import type { PanelProps } from '../../page/page.ts';
import { Lazy } from '../../parts/lazy.tsx';
import { Segments } from '../../parts/segments.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { CallsOfBoth } from './calls.tsx';
import type { Comparison } from './comparison.ts';
import { DifferenceFlame } from './flame.tsx';
import { DifferenceTable, Take } from './functions.tsx';
import { RecordsOfBoth } from './records_list.tsx';
import type { Runs } from './runs.ts';
import { AddRun, RunList } from './runs_bar.tsx';
import { DifferenceTree } from './tree.tsx';
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
  ['records', 'Records'],
] as const;

/** With what lays a graph out. */
const loadGraph = async () => (await import('./graph.tsx')).DifferenceGraph;

/** What differs between two traces: in words, function by function, as a flame graph, and record by record. */
export function Differences({ comparison, runs, why, pair, theme }: Props) {
  const view = comparison.view.value;
  const lead = (
    <Segments
      label="View"
      options={VIEWS}
      value={view}
      choose={(next) => {
        comparison.view.value = next;
      }}
    />
  );
  return (
    <div class="differences panel-body">
      {view === 'records' ? (
        <>
          <div class="panel-bar">{lead}</div>
          <RecordsOfBoth differences={comparison.records} why={why} pair={pair} />
        </>
      ) : (
        <Figures comparison={comparison} runs={runs} pair={pair} theme={theme} lead={lead} />
      )}
    </div>
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
function Count({ comparison, a }: Pick<Props, 'comparison'> & Pick<Pair, 'a'>) {
  const state = comparison.state.value;
  const clock = a.trace.info.value?.clock;
  const rows = useRows(comparison);
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
      {comparison.view.value === 'functions' && <Take compared={state.compared} rows={rows} clock={clock} />}
    </>
  );
}

/** The rows that match the filter. */
function useRows({ state: of, holds }: Comparison): readonly number[] {
  const state = of.value;
  return useMemo(() => {
    if (state.at !== 'done') return [];
    return Array.from({ length: state.compared.rows.length }, (_, row) => row).filter(holds.value);
  }, [state, holds.value]);
}

/** What is known of functions, in words and in one of several views. */
function Figures({ comparison, runs, pair, theme, lead }: Omit<Props, 'why'> & { readonly lead: ComponentChildren }) {
  const { a, b } = pair;
  const { filter } = comparison;
  const state = comparison.state.value;
  const view = comparison.view.value;
  const clock = a.trace.info.value?.clock;
  const rows = useRows(comparison);
  if (state.at !== 'done' || !clock) {
    return (
      <>
        <div class="panel-bar">{lead}</div>
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
  const { sentence } = compared.rows;
  const top = { lead, sentence: <Sentence text={sentence} isBrief /> };
  if (view === 'flame') return <DifferenceFlame {...common} {...top} theme={theme} choose={choose} />;
  if (view === 'graph') return <Lazy load={loadGraph} props={{ ...common, ...top, choose }} />;
  if (view === 'tree') return <DifferenceTree {...common} {...top} choose={choose} />;
  return (
    <>
      <div class="panel-bar">
        {lead}
        {view === 'functions' && (
          <input
            type="search"
            aria-label="Filter functions"
            placeholder="Filter, such as parse"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
        )}
        {view === 'functions' && <AddRun runs={runs} />}
        {view === 'calls' ? <CallsShow comparison={comparison} /> : <Count comparison={comparison} a={a} />}
      </div>
      <Sentence text={sentence} isBrief={view === 'calls'} />
      {view === 'functions' && <RunList runs={runs} pair={pair} compared={compared} />}
      {view === 'functions' && <DifferenceTable {...common} rows={rows} choose={choose} />}
      {view === 'calls' && <CallsOfBoth {...common} />}
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
