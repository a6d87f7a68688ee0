import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, plural } from '../../base/format.ts';
import { sqlText } from '../../base/sql.ts';
import { Segments } from '../../parts/segments.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { Results as Hits } from '../../timeline/widgets/hits.tsx';
import { KeepButton } from '../../timeline/widgets/keep.tsx';
import { rowsKey } from '../../trace/derived.ts';
import { type RowsShape, rowsAsTrack, trackColumns } from '../../trace/sql_track.ts';
import { valuesCompletions } from '../../trace/values_completion.ts';
import { otherOf, tracesOf } from './both.ts';
import { Chart } from './chart.tsx';
import { createEditor, type Editor, type Language, type Place } from './editor.ts';
import { Limit } from './limit.tsx';
import { Results } from './results.tsx';
import { LIMIT_SECONDS, type Sql } from './sql.ts';
import { sqlCompletions } from './sql_completion.ts';
import type { Example } from './sql_examples.ts';
import { schemaOf } from './sql_tables.ts';
import type { Mode, QueryState } from './state.ts';
import { Stored } from './stored.tsx';
import './query.css';

interface Props {
  readonly open: OpenTrace;
  readonly sql: Sql;
  readonly state: QueryState;
  /** By heading. */
  readonly examples: ReadonlyMap<string, readonly Example[]>;
}

/** A query over the tables of a trace, or about values, and what it has found. */
export function Query({ open, sql, state, examples }: Props) {
  const { mode, values } = state;
  useEffect(() => sql.begin(), [sql]);
  // Also when the panel comes to the front again.
  const other = otherOf(open);
  useEffect(() => sql.follow(), [sql, open.statistics.range.value, other?.statistics.range.value]);
  const isSql = mode.value === 'sql';
  // Rows of both lead nowhere: a position is one of either.
  const traces = tracesOf(sql.about.value, open);
  const rowsOf = traces.length === 1 ? traces[0]! : null;
  const text = isSql || !values ? state.text : values.text;
  const run = () => {
    const query = text.peek();
    state.history[mode.peek()].add(query);
    if (mode.peek() === 'values') values?.ask();
    else sql.run(query);
  };
  const stop = isSql ? sql.stop : open.find.stop;
  const running = isSql
    ? sql.asked.value.at === 'running'
    : (values?.isAsked.value ?? false) && open.find.state.value.at === 'searching';
  const wrong = isSql ? placeOf(sql) : (values?.wrong.value?.place ?? null);
  return (
    <div class="query">
      <div class="query-ask">
        <Text open={open} sql={sql} state={state} wrong={wrong} run={run} stop={() => running && stop()} />
        {running ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" title="Run (Ctrl+Enter)" onClick={run}>
            Run
          </button>
        )}
      </div>
      <div class="panel-bar">
        {values && (
          <Segments
            label="Language"
            options={[
              ['sql', 'SQL'],
              ['values', 'Values'],
            ]}
            value={mode.value}
            choose={(next: Mode) => {
              mode.value = next;
            }}
          />
        )}
        <Stored
          history={state.history[mode.value]}
          text={text}
          examples={isSql ? examples : NO_EXAMPLES}
          tables={isSql ? Object.keys(sql.own.value) : null}
          isCompared={other !== null}
          onChoose={(query) => {
            text.value = query;
            run();
          }}
        />
        <div class="query-end row">
          <span class="panel-end" role="status">
            {isSql ? <Answer sql={sql} open={open} /> : <ValuesAnswer open={open} state={state} />}
          </span>
          {isSql && sql.count.value > 0 && (
            <>
              <Segments
                label="Show as"
                options={[
                  ['table', 'Table'],
                  ['chart', 'Chart'],
                ]}
                value={state.isChart.value ? 'chart' : 'table'}
                choose={(shown) => {
                  state.isChart.value = shown === 'chart';
                }}
              />
              {rowsOf && <KeepRows open={rowsOf} sql={sql} />}
              <TakeTable
                name="rows"
                head={sql.columns.value}
                rows={() =>
                  atOnce([...state.order.peek()], (row) =>
                    sql.rows[row]!.map((value) => (value === null ? '' : sqlText(value))),
                  )
                }
              />
            </>
          )}
        </div>
      </div>
      {!isSql ? (
        values?.isAsked.value && !values.wrong.value ? (
          <Hits open={open} />
        ) : (
          <div />
        )
      ) : state.isChart.value && sql.count.value > 0 ? (
        <Chart rowsOf={rowsOf} sql={sql} choice={state.chart} order={state.order.value} />
      ) : (
        <Results open={open} rowsOf={rowsOf} sql={sql} sort={state.sort} order={state.order.value} />
      )}
    </div>
  );
}

const NO_EXAMPLES: ReadonlyMap<string, readonly Example[]> = new Map();

function placeOf(sql: Sql): Place | null {
  const asked = sql.asked.value;
  return asked.at === 'stopped' ? asked.place : null;
}

interface TextProps extends Pick<Props, 'open' | 'sql' | 'state'> {
  readonly wrong: Place | null;
  readonly run: () => void;
  readonly stop: () => void;
}

/** The editor: an object of its own, which is notified of changes. */
function Text({ open, sql, state, wrong, run, stop }: TextProps) {
  const { trace } = open;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  /** What it calls must be that of the latest render. */
  const now = useRef({ run, stop });
  now.current = { run, stop };
  const { mode, values } = state;
  const isSql = mode.value === 'sql' || !values;
  const text = isSql ? state.text : values.text;
  const info = trace.info.value;
  const schema = useComputed(() =>
    schemaOf(trace.info.value?.clock.kind === 'seconds', sql.own.value, open.pair.value !== null),
  );
  const names = useComputed(() => {
    const other = otherOf(open);
    const all = other ? [trace.names, other.trace.names] : [trace.names];
    for (const { version } of all) void version.value;
    return all.map(({ text }) => text);
  });
  const language: Language = isSql
    ? {
        label: 'SQL query',
        placeholder: 'select … from …',
        isSql: true,
        complete: (typed, caret) => sqlCompletions(typed, caret, { schema: schema.peek(), names: names.value }),
      }
    : {
        label: 'Query about values',
        placeholder: `A condition on variables, such as ${(values.known.value?.variables ?? [])[0] ?? 'i'} > 100`,
        isSql: false,
        complete: (typed, caret) => valuesCompletions(typed, caret, values.known.peek()),
      };
  const typing = useRef(text);
  typing.current = text;
  useEffect(() => {
    const made = createEditor(host.current!, text.peek(), language, {
      changed: (typed) => {
        typing.current.value = typed;
      },
      run: () => now.current.run(),
      escape: () => {
        now.current.stop();
        // The next Escape is the page's.
        (document.activeElement as HTMLElement | null)?.blur();
      },
    });
    editor.current = made;
    return made.dispose;
  }, []);
  useEffect(() => editor.current?.setLanguage(language), [isSql, info, values?.known.value]);
  useEffect(() => editor.current?.setText(text.value), [text, text.value]);
  useEffect(() => editor.current?.mark(wrong), [wrong]);
  return <div class={wrong ? 'query-editor grow wrong' : 'query-editor grow'} ref={host} />;
}

/** Keeps the rows as a track, if they have positions. */
function KeepRows({ open: { trace, derived }, sql }: Pick<Props, 'open' | 'sql'>) {
  const names = sql.columns.value;
  const columns = trackColumns(names);
  const asked = sql.asked.value;
  const query = sql.text.value;
  if (!columns || asked.at !== 'answered') return null;
  const key = rowsKey(query);
  const keep = () => {
    const { extent } = trace.progress.peek();
    if (!extent) return;
    derived.keepRows(query, rowsAsTrack(columns, names, sql.rows, extent), asked.more);
  };
  return (
    <KeepButton
      keeping={derived.keeping.value.get(key)}
      reading={false}
      title={KEEPS[columns.shape]}
      onClick={keep}
      stop={() => derived.stop(key)}
    />
  );
}

const KEEPS: Readonly<Record<RowsShape, string>> = {
  slices: 'Show the rows as slices on one track',
  values: 'Show the values over time on one track',
  points: 'Show the positions as points on one track',
};

function Answer({ sql, open }: Pick<Props, 'sql' | 'open'>) {
  const asked = sql.asked.value;
  const rows = formatCounted(sql.count.value, 'row');
  const shown = sql.columns.value.length;
  switch (asked.at) {
    case 'nothing':
      return <span class="muted">Read only. Ctrl+Enter runs the query, for at most {LIMIT_SECONDS} s.</span>;
    case 'running':
      if (asked.share !== null) {
        const what = asked.of === 'records' ? 'Reading the records' : 'Making the tables';
        return (
          <span class="muted">
            {what}… {Math.round(asked.share * 100)} %
          </span>
        );
      }
      return <span class="muted">Running… {sql.count.value > 0 && rows}</span>;
    case 'answered':
      return (
        <span class="muted">
          {asked.more ? `The first ${rows}` : rows}
          {shown < sql.width.value && `, the first ${formatCount(shown)} of ${formatCount(sql.width.value)} columns`} in{' '}
          {asked.seconds.toFixed(2)} s
          {asked.cut > 0 && (
            <span class="warning-text"> · of the first {formatCount(asked.cut)} rows of records and fields</span>
          )}
          <Limit sql={sql} ranges={tracesOf(sql.about.value, open).map(({ statistics }) => statistics.range)} />
        </span>
      );
    case 'stopped':
      return <span class="warning-text">{asked.sentence}</span>;
  }
}

/** How many points match, and how far the search is. */
function ValuesAnswer({ open: { find }, state: { values } }: { open: OpenTrace; state: QueryState }) {
  const wrong = values?.wrong.value;
  if (wrong) return <span class="warning-text">{wrong.sentence}</span>;
  const now = find.state.value;
  const count = find.count.value;
  const points = `${formatCount(count)} ${plural(count, 'point')}`;
  if (!values?.isAsked.value)
    return <span class="muted">Finds points by the values of their variables. Ctrl+Enter runs the query.</span>;
  switch (now.at) {
    case 'waiting':
      return <span class="muted">Waiting for the file…</span>;
    case 'searching':
      return (
        <span class="muted">
          {points} · {now.share === null ? 'searching…' : formatPercent(now.share, 1)}
        </span>
      );
    case 'done':
      if (now.failure !== null) return <span class="warning-text">{now.failure}</span>;
      return (
        <span class="muted">
          {points} found{now.beyond > 0 && ` + ${formatCount(now.beyond)} not listed`}
          {now.stopped && ' · stopped'}
        </span>
      );
    default:
      return null;
  }
}
