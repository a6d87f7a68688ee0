import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { type SqlValue, sqlText } from '../../../base/sql.ts';
import { ticks } from '../../../base/ticks.ts';
import { goToPosition } from '../../../model/go_to.ts';
import { EVERY_TRACE, LIMIT_SECONDS, type Sql } from '../../../model/sql.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Spacer, useShownRows } from '../virtual_rows.tsx';
import './query.css';

/** Characters of a value in a cell, and in its title. */
const SHOWN = 80;
const TITLE = 2000;
/** Tables offered by name. */
const MOST_TABLES = 200;

interface Props {
  readonly open: OpenTrace;
  readonly sql: Sql;
  /** The query as typed, kept while another panel is in front. */
  readonly text: Signal<string>;
}

/** A query over the tables of a database, and its rows. */
export function Query({ open, sql, text }: Props) {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => sql.begin(), [sql]);
  const run = () => sql.run(box.current!.value);
  const fill = (query: string) => {
    text.value = query;
    box.current!.value = query;
    sql.run(query);
  };
  const running = sql.asked.value.at === 'running';
  return (
    <div class="query">
      <div class="query-ask">
        <textarea
          ref={box}
          aria-label="SQL query"
          placeholder="select … from …"
          rows={2}
          spellcheck={false}
          autocapitalize="off"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              run();
            }
          }}
        >
          {text.peek()}
        </textarea>
        {running ? (
          <button type="button" onClick={() => sql.stop()}>
            Stop
          </button>
        ) : (
          <button type="button" title="Ctrl Enter" onClick={run}>
            Run
          </button>
        )}
      </div>
      <div class="panel-bar">
        <Suggestions tables={sql.tables.value.slice(0, MOST_TABLES)} onChoose={fill} />
        <span class="panel-end" role="status">
          <Answer sql={sql} />
        </span>
        {sql.count.value > 0 && (
          <TakeTable
            name="rows"
            head={sql.columns.value}
            rows={() => atOnce(sql.rows, (row) => row.map((value) => (value === null ? '' : sqlText(value))))}
          />
        )}
      </div>
      <Table sql={sql} open={open} />
    </div>
  );
}

/** Queries that mean something in any trace: `docs/sql.md` has more. */
const EXAMPLES = {
  'Functions by time':
    'select name, count(*) as calls, sum(dur) as total from named_slices group by name order by total desc limit 100',
  'Longest slices': 'select start, name, dur, track_name, depth from named_slices order by dur desc limit 100',
  'Slices of each track':
    'select tracks.name, tracks.kind, count(slices.id) as slices from tracks left join slices on slices.track = tracks.id group by tracks.id',
};

interface SuggestionsProps {
  /** Tables of the trace's own. */
  readonly tables: readonly string[];
  /** Gets a query. */
  readonly onChoose: (query: string) => void;
}

/** Tables and examples, which run at once when they are chosen. */
function Suggestions({ tables, onChoose }: SuggestionsProps) {
  const rowsOf = (table: string) => `select * from ${quoted(table)} limit 1000`;
  return (
    <select
      class="query-suggestions"
      aria-label="Tables and examples"
      value=""
      onChange={(event) => {
        const query = event.currentTarget.value;
        event.currentTarget.value = '';
        if (query !== '') onChoose(query);
      }}
    >
      <option value="">Tables and examples</option>
      <optgroup label="Examples">
        {Object.entries(EXAMPLES).map(([title, query]) => (
          <option key={title} value={query}>
            {title}
          </option>
        ))}
      </optgroup>
      <optgroup label="Tables of every trace">
        {EVERY_TRACE.map((table) => (
          <option key={table} value={rowsOf(table)}>
            {table}
          </option>
        ))}
      </optgroup>
      {tables.length > 0 && (
        <optgroup label="Tables of this database">
          {tables.map((table) => (
            <option key={table} value={rowsOf(table)}>
              {table}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}

function Answer({ sql }: { sql: Sql }) {
  const asked = sql.asked.value;
  const rows = formatCounted(sql.count.value, 'row');
  const shown = sql.columns.value.length;
  switch (asked.at) {
    case 'nothing':
      return <span class="muted">SQL, read only. Ctrl Enter runs it, for at most {LIMIT_SECONDS} s.</span>;
    case 'running':
      if (asked.share !== null) return <span class="muted">Making the tables… {Math.round(asked.share * 100)} %</span>;
      return <span class="muted">Running… {sql.count.value > 0 && rows}</span>;
    case 'answered':
      return (
        <span class="muted">
          {asked.more ? `The first ${rows}` : rows}
          {shown < sql.width.value && `, the first ${formatCount(shown)} of ${formatCount(sql.width.value)} columns`} in{' '}
          {asked.seconds.toFixed(2)} s
        </span>
      );
    case 'stopped':
      return <span class="warning-text">{asked.sentence}</span>;
  }
}

function Table({ sql, open }: { sql: Sql; open: OpenTrace }) {
  const box = useRef<HTMLDivElement>(null);
  const columns = sql.columns.value;
  const count = sql.count.value;
  const { first, end, onScroll } = useShownRows(box, count);
  return (
    <section
      class="table"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label="Rows"
      onScroll={onScroll}
    >
      {columns.length > 0 && (
        <table aria-rowcount={count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((name, i) => (
                <th key={i} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} columns={columns.length} />
            {sql.rows.slice(first, end).map((row, k) => (
              <tr key={first + k} aria-rowindex={first + k + 2}>
                {row.map((value, i) => (
                  <Cell
                    key={i}
                    value={value}
                    isAddress={ADDRESSES.test(columns[i]!)}
                    go={goFrom(open, columns[i]!, value)}
                  />
                ))}
              </tr>
            ))}
            <Spacer rows={count - end} columns={columns.length} />
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Columns that hold positions. */
const POSITIONS = /^(start|time|transition_id)$/;
/** Columns that hold addresses. SQLite has signed numbers only. */
const ADDRESSES = /^(pc|address)$/;

/** What leads to the position in a cell; null if it has none. */
function goFrom({ trace, timeline, selection }: OpenTrace, column: string, value: SqlValue): (() => void) | null {
  const extent = trace.progress.peek().extent;
  if (typeof value !== 'bigint' || !POSITIONS.test(column) || !extent) return null;
  if (value < extent.from || value > extent.to) return null;
  return () => void goToPosition(ticks(value), { trace, timeline, selection });
}

interface CellProps {
  readonly value: SqlValue;
  /** The value is an address. */
  readonly isAddress: boolean;
  readonly go: (() => void) | null;
}

function Cell({ value, isAddress, go }: CellProps) {
  const number = typeof value === 'bigint' || typeof value === 'number';
  // Converting only the first part keeps long blobs cheap.
  const part = value instanceof Uint8Array ? value.subarray(0, TITLE / 3) : value;
  const text = isAddress && typeof part === 'bigint' ? `0x${BigInt.asUintN(64, part).toString(16)}` : sqlText(part);
  return (
    <td class={number ? undefined : 'name'} title={text.length > SHOWN ? text.slice(0, TITLE) : undefined}>
      {go ? (
        <button type="button" class="plain link" title="Go there" onClick={go}>
          {text}
        </button>
      ) : value === null ? (
        <span class="muted">NULL</span>
      ) : text.length > SHOWN ? (
        `${text.slice(0, SHOWN)}…`
      ) : (
        text
      )}
    </td>
  );
}

/** A table name as SQL, quoted if necessary. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
