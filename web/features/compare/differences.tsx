import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { formatCount, formatPercent, plural } from '../../base/format.ts';
import type { PanelProps } from '../../page/page.ts';
import { Segments } from '../../parts/segments.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CallsOfBoth } from './calls.tsx';
import type { Comparison, State } from './comparison.ts';
import { DifferenceFlame } from './flame.tsx';
import { DifferenceTable, Take } from './functions.tsx';
import './compare.css';

interface Props extends PanelProps {
  readonly comparison: Comparison;
  readonly a: OpenTrace;
  readonly b: OpenTrace;
}

const VIEWS = [
  ['functions', 'Functions'],
  ['flame', 'Flame graph'],
  ['calls', 'Calls'],
] as const;

/** What differs between two traces: in words, function by function, and as a flame graph. */
export function Differences({ comparison, a, b, theme }: Props) {
  const { filter, holds } = comparison;
  const state = comparison.state.value;
  const view = comparison.view.value;
  const clock = a.trace.info.value?.clock;
  const rows = useMemo(() => {
    if (state.at !== 'done') return [];
    return Array.from({ length: state.compared.rows.length }, (_, row) => row).filter(holds.value);
  }, [state, holds.value]);
  if (state.at !== 'done' || !clock) return <p class="panel-note muted">{wait(state)}</p>;
  const { compared } = state;
  const { length } = compared.rows;
  const noun = clock.kind === 'seconds' ? '' : `, in ${plural(2, clock.kind === 'ticks' ? 'tick' : clock.unit)}`;
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
        {view !== 'calls' && (
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
        <span class="muted" role="status">
          {rows.length < length ? `${formatCount(rows.length)} of ` : ''}
          {formatCount(length)} {plural(length, 'function')}
          {noun}
        </span>
        {view === 'functions' && <Take compared={compared} rows={rows} clock={clock} />}
      </div>
      <Sentence text={compared.rows.sentence} />
      {view === 'functions' && (
        <DifferenceTable comparison={comparison} compared={compared} rows={rows} a={a} b={b} clock={clock} />
      )}
      {view === 'flame' && <DifferenceFlame comparison={comparison} compared={compared} clock={clock} theme={theme} />}
      {view === 'calls' && <CallsOfBoth comparison={comparison} compared={compared} a={a} b={b} clock={clock} />}
    </div>
  );
}

function wait(state: State): string {
  switch (state.at) {
    case 'working':
      return `Comparing… ${formatPercent(state.share, 1)}`;
    case 'failed':
      return state.sentence;
    default:
      return 'The traces are compared once both have been read.';
  }
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
