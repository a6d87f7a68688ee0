import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SortHead, sortedIf } from '../parts/sort_head.tsx';
import { rowsByKey, Spacer, scrollToRow, useShownRows } from './virtual_rows.tsx';
import './row_table.css';

/** A column of a {@link RowTable}. */
export interface RowColumn<Row> {
  readonly title: string;
  /** What it shows. */
  readonly says?: string;
  /** `words` is to the left, other columns are to the right. */
  readonly class?: string;
  /** CSS width; the columns without one share the rest. */
  readonly width?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The whole text of a cell that may be cut. */
  readonly tooltip?: (row: Row) => string;
  /** What sorts by it; nothing does if left out. */
  readonly key?: string;
}

interface Props<Row> {
  readonly label: string;
  /** The beginning of the ids of rows. */
  readonly id: string;
  readonly count: number;
  /** null while it is on its way. */
  readonly row: (number: number) => Row | null;
  readonly columns: readonly RowColumn<Row>[];
  readonly by?: string;
  readonly descending?: boolean;
  readonly sortBy?: (key: string) => void;
  /** Number of the current row, or -1. */
  readonly current: number;
  /** The user moves to a row by a key. */
  readonly move: (row: number) => void;
  /** The user acts on a row: a click or Enter. */
  readonly act: (row: number) => void;
  /** What a click does, as a tooltip. */
  readonly says?: string;
  /** Requests rows, `end` exclusive. */
  readonly want?: (first: number, end: number) => void;
  /** A sentence in place of rows. */
  readonly empty?: string;
}

/** A table of any number of rows, of which those in sight exist. It is sorted by its heads, and keys move in it. */
export function RowTable<Row>(props: Props<Row>) {
  const { label, id, count, row, columns, by, descending = false, sortBy, current, move, act, says, want } = props;
  const box = useRef<HTMLDivElement>(null);
  const { first, end, page, onScroll } = useShownRows(box, count);
  useEffect(() => want?.(first, end));
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' && current >= 0) {
      act(current);
      event.preventDefault();
      return;
    }
    const step = rowsByKey(event, count, page);
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, current + step));
    scrollToRow(box.current!, next);
    move(next);
  };
  return (
    <div class="table row-table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be chosen.
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-activedescendant={current >= first && current < end ? `${id}-${current}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <colgroup>
          {columns.map(({ title, width }) => (
            <col key={title} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <SortHead
                key={column.title}
                title={column.title}
                says={column.says}
                class={column.class ?? 'number'}
                sorted={sortedIf(column.key !== undefined && column.key === by, descending)}
                sort={column.key !== undefined && sortBy ? () => sortBy(column.key!) : undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={columns.length} />
          {Array.from({ length: Math.max(0, end - first) }, (_, k) => {
            const number = first + k;
            const value = row(number);
            return (
              <tr
                key={number}
                id={`${id}-${number}`}
                aria-rowindex={number + 2}
                aria-selected={number === current}
                title={says}
                onClick={() => act(number)}
              >
                {columns.map((column) => (
                  <td
                    key={column.title}
                    class={column.class ?? 'number'}
                    title={value === null ? undefined : column.tooltip?.(value)}
                  >
                    {value === null ? '' : column.cell(value)}
                  </td>
                ))}
              </tr>
            );
          })}
          <Spacer rows={count - end} columns={columns.length} />
        </tbody>
      </table>
      {count === 0 && props.empty && <p class="panel-note muted">{props.empty}</p>}
    </div>
  );
}
