import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { type SqlValue, sqlText } from '../../../base/sql.ts';
import { LIMIT_SECONDS, type Sql } from '../../../model/sql.ts';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Spacer, useShownRows } from '../virtual_rows.tsx';
import './query.css';

/** Characters of a value in a cell, and in its title. */
const SHOWN = 80;
const TITLE = 2000;
/** Tables offered by name. */
const MOST_TABLES = 200;

interface Props {
  readonly sql: Sql;
  /** The query as typed, kept while another panel is in front. */
  readonly text: Signal<string>;
}

/** A query over the tables of a database, and its rows. */
export function Query({ sql, text }: Props) {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => sql.begin(), [sql]);
  const run = () => sql.run(box.current!.value);
  const fill = (table: string) => {
    text.value = `select * from ${quoted(table)} limit 1000`;
    box.current!.value = text.peek();
    sql.run(text.peek());
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
        {sql.tables.value.length > 0 && (
          <span class="query-tables">
            {sql.tables.value.slice(0, MOST_TABLES).map((table) => (
              <button
                type="button"
                class="plain link"
                key={table}
                title={`Rows of ${table}`}
                onClick={() => fill(table)}
              >
                {table}
              </button>
            ))}
          </span>
        )}
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
      <Table sql={sql} />
    </div>
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

function Table({ sql }: { sql: Sql }) {
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
                  <Cell key={i} value={value} />
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

function Cell({ value }: { value: SqlValue }) {
  const number = typeof value === 'bigint' || typeof value === 'number';
  // Converting only the first part keeps long blobs cheap.
  const part = value instanceof Uint8Array ? value.subarray(0, TITLE / 3) : value;
  const text = sqlText(part);
  return (
    <td class={number ? undefined : 'name'} title={text.length > SHOWN ? text.slice(0, TITLE) : undefined}>
      {value === null ? <span class="muted">NULL</span> : text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}
    </td>
  );
}

/** A table name as SQL, quoted if necessary. */
function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
