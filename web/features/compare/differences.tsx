import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, plural } from '../../base/format.ts';
import type { PanelProps } from '../../page/page.ts';
import { Segments } from '../../parts/segments.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { CallsOfBoth } from './calls.tsx';
import type { Comparison, View } from './comparison.ts';
import { DrawnTable } from './drawn_table.tsx';
import { DifferenceFlame } from './flame.tsx';
import { DifferenceTable, Take } from './functions.tsx';
import { RecordsOfBoth } from './records_list.tsx';
import { haveValues } from './values.ts';
import { ValuesOfBoth } from './values_tables.tsx';
import { wordsOf } from './work.ts';
import './compare.css';

interface Props extends Pick<PanelProps, 'theme'> {
  readonly comparison: Comparison;
  readonly pair: Pair;
}

const VIEWS = [
  ['functions', 'Functions'],
  ['flame', 'Flame graph'],
  ['calls', 'Calls'],
  ['drawn', 'Frames'],
  ['records', 'Records'],
] as const;

/** Traces that have values have no functions. */
const VIEWS_OF_VALUES = [
  ['statements', 'Statements'],
  ['variables', 'Variables'],
  ['relations', 'Relations'],
  ['records', 'Records'],
] as const;

/** What differs between two traces: in words, function by function, as a flame graph, by values, and record by record. */
export function Differences({ comparison, pair, theme }: Props) {
  const hasValues = haveValues(pair.a);
  const isDrawn = pair.a.trace.info.value?.offers.includes('graphics') ?? false;
  const views = hasValues ? VIEWS_OF_VALUES : VIEWS.filter(([id]) => id !== 'drawn' || isDrawn);
  // Before it is known what the traces are, the first of the others is chosen.
  const view = views.some(([id]) => id === comparison.view.value) ? comparison.view.value : views[0]![0];
  const ofValues = view === 'statements' || view === 'variables' || view === 'relations' ? view : null;
  const choice = (
    <>
      <Segments<View>
        label="View"
        options={views}
        value={view}
        choose={(next) => {
          comparison.view.value = next;
        }}
      />
      {(view === 'functions' || view === 'flame') && <Filter what="functions" example="parse" of={comparison.filter} />}
      {ofValues && <Filter what={ofValues} example="n" of={comparison.values.filter} />}
    </>
  );
  return (
    <div class="differences panel-body">
      {ofValues ? (
        <ValuesOfBoth differences={comparison.values} pair={pair} view={ofValues} choice={choice} />
      ) : (
        <>
          <div class="panel-bar">
            {choice}
            {view !== 'records' && view !== 'drawn' && <Count comparison={comparison} a={pair.a} />}
          </div>
          {view === 'records' ? (
            <RecordsOfBoth differences={comparison.records} pair={pair} />
          ) : (
            <Figures comparison={comparison} pair={pair} theme={theme} />
          )}
        </>
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

/** What is known of functions, in words and in one of three views. */
function Figures({ comparison, pair: { a, b }, theme }: Props) {
  const state = comparison.state.value;
  const view = comparison.view.value;
  const clock = a.trace.info.value?.clock;
  const rows = useRows(comparison);
  if (state.at !== 'done' || !clock) return <p class="panel-note muted">{wordsOf(state)}</p>;
  const { compared } = state;
  return (
    <>
      <Sentence text={[compared.rows.sentence, comparison.drawn.sentence.value].join(' ').trim()} />
      {view === 'drawn' && <DrawnTable drawn={comparison.drawn} />}
      {view === 'functions' && (
        <DifferenceTable comparison={comparison} compared={compared} rows={rows} a={a} b={b} clock={clock} />
      )}
      {view === 'flame' && <DifferenceFlame comparison={comparison} compared={compared} clock={clock} theme={theme} />}
      {view === 'calls' && <CallsOfBoth comparison={comparison} compared={compared} a={a} b={b} clock={clock} />}
    </>
  );
}

/** What changed, in words. It is announced when it is another one. */
function Sentence({ text }: { text: string }) {
  const said = useSignal('');
  useEffect(() => {
    said.value = text;
  }, [text]);
  return (
    <p class="difference-sentence" role="status">
      {said.value}
    </p>
  );
}
