import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, plural } from '../../base/format.ts';
import type { PanelProps } from '../../page/page.ts';
import { Segments } from '../../parts/segments.tsx';
import type { Pair } from '../../timeline/open_trace.ts';
import { CallsOfBoth } from './calls.tsx';
import type { Comparison } from './comparison.ts';
import { DifferenceFlame } from './flame.tsx';
import { DifferenceTable, Take } from './functions.tsx';
import { RecordsOfBoth } from './records_list.tsx';
import type { Why } from './why.ts';
import { wordsOf } from './work.ts';
import './compare.css';

interface Props extends Pick<PanelProps, 'theme'> {
  readonly comparison: Comparison;
  readonly why: Why;
  readonly pair: Pair;
}

const VIEWS = [
  ['functions', 'Functions'],
  ['flame', 'Flame graph'],
  ['calls', 'Calls'],
  ['records', 'Records'],
] as const;

/** What differs between two traces: in words, function by function, as a flame graph, and record by record. */
export function Differences({ comparison, why, pair, theme }: Props) {
  const { filter } = comparison;
  const view = comparison.view.value;
  return (
    <div class="differences panel-body">
      <div class="panel-bar">
        <Segments
          label="View"
          options={VIEWS}
          value={view}
          choose={(next) => {
            comparison.view.value = next;
          }}
        />
        {(view === 'functions' || view === 'flame') && (
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
        {view !== 'records' && <Count comparison={comparison} a={pair.a} />}
      </div>
      {view === 'records' ? (
        <RecordsOfBoth differences={comparison.records} why={why} pair={pair} />
      ) : (
        <Figures comparison={comparison} pair={pair} theme={theme} />
      )}
    </div>
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
function Figures({ comparison, pair: { a, b }, theme }: Omit<Props, 'why'>) {
  const state = comparison.state.value;
  const view = comparison.view.value;
  const clock = a.trace.info.value?.clock;
  const rows = useRows(comparison);
  if (state.at !== 'done' || !clock) return <p class="panel-note muted">{wordsOf(state)}</p>;
  const { compared } = state;
  return (
    <>
      <Sentence text={compared.rows.sentence} />
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
