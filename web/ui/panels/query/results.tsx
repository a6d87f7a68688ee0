import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type SqlValue, sqlText } from '../../../base/sql.ts';
import type { Sql } from '../../../model/sql.ts';
import { follow, leads, saysOf } from '../../../model/sql_links.ts';
import { columnsOf, type SqlLink, type SqlSort } from '../../../model/sql_results.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { rowsByKey, Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';

/** Characters of a value in a cell, and in its title. */
const SHOWN = 80;
const TITLE = 2000;

interface Props {
  readonly open: OpenTrace;
  readonly sql: Sql;
  /** null: in the order of the query. */
  readonly sort: Signal<SqlSort | null>;
  /** The rows in that order. */
  readonly order: ArrayLike<number>;
}

/** The rows of a query. */
export function Results({ open, sql, sort, order }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const names = sql.columns.value;
  const count = order.length;
  const { first, end, page, onScroll } = useShownRows(box, count);
  const info = open.trace.info.value;
  if (!info) return null;
  const columns = columnsOf(names, info);
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || !box.current) return;
    const by = rowsByKey(event, count, page);
    if (by === undefined) return;
    event.preventDefault();
    box.current.scrollTop += by * TABLE_ROW;
  };
  return (
    <section
      class="table"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label="Rows"
      onScroll={onScroll}
      onKeyDown={onKey}
    >
      {names.length > 0 && (
        <table aria-rowcount={count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {names.map((name, i) => (
                <Head key={i} name={name} column={i} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer rows={first} columns={names.length} />
            {Array.from({ length: Math.max(0, end - first) }, (_, k) => {
              const row = sql.rows[order[first + k]!];
              return (
                row && (
                  <tr key={first + k} aria-rowindex={first + k + 2}>
                    {row.map((value, i) => {
                      const link = columns.linkOf(row, i);
                      return (
                        <Cell
                          key={i}
                          value={value}
                          isAddress={columns.isAddress(i)}
                          link={link && leads(link, open) ? link : null}
                          go={(to) => void follow(to, open, sql)}
                        />
                      );
                    })}
                  </tr>
                )
              );
            })}
            <Spacer rows={count - end} columns={names.length} />
          </tbody>
        </table>
      )}
    </section>
  );
}

interface HeadProps {
  readonly name: string;
  readonly column: number;
  readonly sort: Signal<SqlSort | null>;
}

/** A head sorts by its column: upwards, then downwards, then not at all. */
function Head({ name, column, sort }: HeadProps) {
  const now = sort.value?.column === column ? sort.value : null;
  const next = now === null ? { column, descending: false } : now.descending ? null : { column, descending: true };
  return (
    <th scope="col" aria-sort={now ? (now.descending ? 'descending' : 'ascending') : 'none'}>
      <button
        type="button"
        class="plain"
        title={next ? `Sort by ${name}` : 'In the order of the query'}
        onClick={() => {
          sort.value = next;
        }}
      >
        {name}
        <span class="sort" aria-hidden="true">
          {now ? (now.descending ? '▾' : '▴') : ''}
        </span>
      </button>
    </th>
  );
}

interface CellProps {
  readonly value: SqlValue;
  /** The value is an address. */
  readonly isAddress: boolean;
  readonly link: SqlLink | null;
  readonly go: (link: SqlLink) => void;
}

function Cell({ value, isAddress, link, go }: CellProps) {
  const number = typeof value === 'bigint' || typeof value === 'number';
  const text = cellText(value, isAddress);
  return (
    <td class={number ? 'number' : 'name'} title={text.length > SHOWN ? text.slice(0, TITLE) : undefined}>
      {link ? (
        <button type="button" class="plain link" title={saysOf(link)} onClick={() => go(link)}>
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

/** A value as a cell shows it. SQLite has signed numbers only, so addresses may come as negative ones. */
function cellText(value: SqlValue, isAddress: boolean): string {
  if (isAddress && typeof value === 'bigint') return `0x${BigInt.asUintN(64, value).toString(16)}`;
  // Converting only the first part keeps long blobs cheap.
  return sqlText(value instanceof Uint8Array ? value.subarray(0, TITLE / 3) : value);
}
