import type { Signal } from '@preact/signals';
import { type SqlValue, sqlText } from '../../base/sql.ts';
import { type Column, Table } from '../../parts/table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { schemaOfSide } from './both.ts';
import type { Sql } from './sql.ts';
import { follow, leads, saysOf } from './sql_links.ts';
import { columnsOf, type SqlLink, type SqlSort } from './sql_results.ts';

/** Characters of a value in a cell, and in its title. */
const SHOWN = 80;
const TITLE = 2000;

interface Props {
  readonly open: OpenTrace;
  /** The trace that the rows are of; null if they are of two, and lead nowhere. */
  readonly rowsOf: OpenTrace | null;
  readonly sql: Sql;
  /** null: in the order of the query. */
  readonly sort: Signal<SqlSort | null>;
  /** The rows in that order. */
  readonly order: ArrayLike<number>;
}

/** The rows of a query. */
export function Results({ open, rowsOf, sql, sort, order }: Props) {
  const names = sql.columns.value;
  const info = open.trace.info.value;
  if (!info) return null;
  const columns = columnsOf(names, info);
  const linkOf = (row: readonly SqlValue[], column: number) => {
    const link = rowsOf && columns.linkOf(row, column);
    return link && leads(link, rowsOf) ? link : null;
  };
  const go = (link: SqlLink) => {
    // What is not in front is known by its schema, and moves on its own timeline.
    if (rowsOf) void follow(link, rowsOf, sql, rowsOf === open ? '' : `${schemaOfSide(rowsOf)}.`);
  };
  const { column: by, descending } = sort.value ?? { column: -1, descending: false };
  return (
    <section class="query-rows column" aria-label="Rows">
      {names.length > 0 && (
        <Table
          label="Rows of the query"
          id="query-row"
          columnsOf={names.join(' ')}
          count={order.length}
          row={(number) => sql.rows[order[number]!] ?? null}
          columns={names.map(
            (name, i): Column<readonly SqlValue[]> => ({
              id: `${i}`,
              title: name,
              says: by === i && descending ? 'In the order of the query' : `Sort by ${name}`,
              class: 'words',
              key: `${i}`,
              cell: (row) => {
                return (
                  <Cell
                    text={cellText(row[i]!, columns.isAddress(i))}
                    isNull={row[i] === null}
                    link={linkOf(row, i)}
                    go={go}
                  />
                );
              },
              look: (row) => {
                const text = cellText(row[i]!, columns.isAddress(i));
                return {
                  class: typeof row[i] === 'bigint' || typeof row[i] === 'number' ? 'number' : 'name',
                  title: text.length > SHOWN ? text.slice(0, TITLE) : undefined,
                };
              },
            }),
          )}
          menu={(row, _, cell) => {
            const links = names.map((_, i) => linkOf(row, i)).filter((link) => link !== null);
            const link = (cell < 0 ? null : linkOf(row, cell)) ?? links[0];
            return {
              named: null,
              show: null,
              own: link ? [{ id: 'follow', title: saysOf(link), run: () => go(link) }] : [],
            };
          }}
          by={`${by}`}
          descending={descending}
          narrowedBy={[sql.columns.value]}
          // Upwards, then downwards, then not at all.
          sortBy={(key) => {
            const next = { column: Number(key), descending: by === Number(key) };
            sort.value = by === next.column && descending ? null : next;
          }}
        />
      )}
    </section>
  );
}

interface CellProps {
  readonly text: string;
  readonly isNull: boolean;
  readonly link: SqlLink | null;
  readonly go: (link: SqlLink) => void;
}

function Cell({ text, isNull, link, go }: CellProps) {
  if (link) {
    return (
      <button type="button" class="plain link" title={saysOf(link)} onClick={() => go(link)}>
        {text}
      </button>
    );
  }
  if (isNull) return <span class="muted">NULL</span>;
  return <>{text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</>;
}

/** A value as a cell shows it. SQLite has signed numbers only, so addresses may come as negative ones. */
function cellText(value: SqlValue, isAddress: boolean): string {
  if (isAddress && typeof value === 'bigint') return `0x${BigInt.asUintN(64, value).toString(16)}`;
  // Converting only the first part keeps long blobs cheap.
  return sqlText(value instanceof Uint8Array ? value.subarray(0, TITLE / 3) : value);
}
