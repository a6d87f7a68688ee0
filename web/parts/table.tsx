import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type LongList, useLongList } from './long_list.ts';
import { type RowSubject, useRowMenu } from './menu/row_menu.ts';
import { SortHead, sortedIf } from './sort_head.tsx';

/** What a row or a cell looks like. */
export interface Look {
  readonly class?: string | undefined;
  readonly style?: string | Readonly<Record<string, string>> | undefined;
  readonly title?: string | undefined;
}

/** A column of a {@link Table}. */
export interface Column<Row> {
  readonly title: string;
  /** Of the column in its table; its title if left out. */
  readonly id?: string;
  /** What it shows. */
  readonly says?: string | undefined;
  /** Of its head and its cells. `words` is to the left, `number`, which it is if left out, to the right. */
  readonly class?: string | undefined;
  /** CSS width; the columns without one share the rest. */
  readonly width?: string | undefined;
  readonly cell: (row: Row, number: number) => ComponentChildren;
  /** What a cell looks like besides that, and the whole of a text that may be cut. */
  readonly look?: ((row: Row, number: number) => Look) | undefined;
  /** What sorts by it; nothing does if left out. */
  readonly key?: string | undefined;
}

/** Where a row is in a tree. Levels and positions count from 1. */
export interface Level {
  readonly level: number;
  /** Among the rows below the same row. */
  readonly position: number;
  readonly siblings: number;
  /** Whether the rows below it are shown; null without any. */
  readonly isOpen: boolean | null;
}

interface Props<Row> {
  readonly label: string;
  /** The beginning of the ids of rows, and how they go on: the number of the row if left out. */
  readonly id: string;
  readonly rowId?: (row: Row, number: number) => number | string;
  /** Of the box that scrolls. */
  readonly class?: string | undefined;
  /** CSS width that the columns need at least. */
  readonly minWidth?: string | undefined;
  readonly count: number;
  /** A row by its number. null while it is on its way. */
  readonly row: (number: number) => Row | null;
  readonly columns: readonly Column<Row>[];
  /** The {@link Column.key} that the rows are sorted by, and what sorts them. */
  readonly by?: string;
  readonly descending?: boolean;
  readonly sortBy?: (key: string) => void;
  /** Number of the current row, or -1. */
  readonly current?: number;
  /** The current row is brought into view whenever another one is. */
  readonly follows?: boolean;
  /** Makes a row the current one. Without this, rows cannot be chosen. */
  readonly choose?: (number: number) => void;
  /** A click on a row, if that is more than to choose it. */
  readonly click?: (number: number, event: MouseEvent) => void;
  /** Acts on the current row: by Enter. Left out, it is chosen again. */
  readonly act?: (number: number) => void;
  /** A double click. */
  readonly double?: (number: number, event: MouseEvent) => void;
  /** Further keys of the table. Returns true for one of them. */
  readonly onKey?: (event: KeyboardEvent) => boolean;
  /** What the menu of a row is about. `cell`: the number of the clicked one, or -1. Left out, the row can be copied. */
  readonly menu?: (row: Row, number: number, cell: number) => RowSubject | null;
  /** What a row looks like. */
  readonly look?: (row: Row, number: number) => Look;
  /** The content of a row that has one cell for all columns; null for other rows. */
  readonly whole?: (
    row: Row,
    number: number,
  ) => { readonly content: ComponentChildren; readonly title?: string } | null;
  /** Where a row is in a tree, if the table is one. */
  readonly level?: (row: Row) => Level;
  /** Requests rows, `end` exclusive. */
  readonly want?: (first: number, end: number) => void;
  /** Where the table is, if its owner moves it. */
  readonly list?: LongList;
  /** A sentence in place of rows. */
  readonly empty?: string | undefined;
  /** What comes after the rows, and scrolls with them. */
  readonly children?: ComponentChildren;
}

/**
 * A table of any number of rows, of which those in sight exist. It is one stop of the tab key; arrows, Page Up, Page Down, Home and
 * End move in it, Enter acts on the current row, and the menu key opens its menu.
 */
export function Table<Row>(props: Props<Row>) {
  return props.list ? <Grid {...props} list={props.list} /> : <OwnPlace {...props} />;
}

function OwnPlace<Row>(props: Props<Row>) {
  return <Grid {...props} list={useLongList(props.count)} />;
}

function Grid<Row>(props: Props<Row> & { readonly list: LongList }) {
  const { label, id, rowId, count, row, columns, by, descending = false, sortBy, list } = props;
  const { current = -1, follows, choose, click, act, double, level, want } = props;
  const { first, end, go } = list;
  useEffect(() => want?.(first, end));
  useEffect(() => {
    if (follows && current >= 0) go(current);
  }, [current]);
  const onKey = (event: KeyboardEvent) => {
    const { target, currentTarget, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // What is a stop of the tab key has keys of its own, and so has a button that was clicked.
    if (target !== currentTarget && ((target as HTMLElement).tabIndex >= 0 || key === 'Enter' || key === ' ')) return;
    if (!props.onKey?.(event)) {
      const to = list.toward(key, choose ? current : Math.floor(list.top));
      if (key === 'Enter' && choose && current >= 0) (act ?? choose)(current);
      else if (to === null) return;
      else if (!choose) list.goTop(to);
      else {
        go(to);
        choose(to);
      }
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const onMenu = useRowMenu((number, cell) => {
    const value = row(number);
    if (value === null) return null;
    return props.menu ? props.menu(value, number, cell) : { named: null, show: null };
  });
  const idOf = (number: number) => {
    const value = rowId && number >= 0 && number < count ? row(number) : null;
    return `${id}-${rowId && value !== null ? rowId(value, number) : number}`;
  };
  /** What has the focus: the table, or the rows of a tree. */
  const focused = {
    'aria-label': label,
    'aria-activedescendant': current >= first && current < end ? idOf(current) : undefined,
    tabIndex: 0,
    onKeyDown: onKey,
    onContextMenu: onMenu,
  };
  const [ofTable, ofRows] = level
    ? [{ role: 'presentation' as const }, { role: 'tree' as const, ...focused }]
    : [{ role: choose ? ('grid' as const) : undefined, 'aria-rowcount': count + 1, ...focused }, {}];
  return (
    <div
      class={props.class ? `table thin-scroll grow ${props.class}` : 'table thin-scroll grow'}
      ref={list.box}
      onScroll={list.onScroll}
    >
      <table {...ofTable} style={props.minWidth === undefined ? undefined : { minWidth: props.minWidth }}>
        <colgroup>
          {columns.map(({ title, id = title, width }) => (
            <col key={id} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={level ? undefined : 1}>
            {columns.map(({ title, id = title, says, class: name = 'number', key }) => (
              <SortHead
                key={id}
                title={title}
                says={says}
                class={name}
                sorted={sortedIf(key !== undefined && key === by, descending)}
                sort={key !== undefined && sortBy ? () => sortBy(key) : undefined}
                isPlain={level !== undefined}
              />
            ))}
          </tr>
        </thead>
        <tbody {...ofRows}>
          <Gap pixels={list.above} columns={columns.length} />
          {Array.from({ length: end - first }, (_, k) => {
            const number = first + k;
            const value = row(number);
            const at = value !== null && level ? level(value) : null;
            const whole = value === null ? null : (props.whole?.(value, number) ?? null);
            return (
              <tr
                key={idOf(number)}
                id={idOf(number)}
                data-row={number}
                {...(at ? treeItem(at) : { 'aria-rowindex': number + 2 })}
                aria-selected={choose ? number === current : undefined}
                {...(value === null ? {} : props.look?.(value, number))}
                onClick={choose && ((event) => (click ?? choose)(number, event))}
                onDblClick={double && ((event) => double(number, event))}
              >
                {whole ? (
                  <td colSpan={columns.length} title={whole.title}>
                    {whole.content}
                  </td>
                ) : (
                  columns.map((column) => {
                    const look = value === null ? undefined : column.look?.(value, number);
                    const name = column.class ?? 'number';
                    return (
                      <td
                        key={column.id ?? column.title}
                        role={at ? 'presentation' : undefined}
                        {...look}
                        class={look?.class ? `${name} ${look.class}` : name}
                      >
                        {value === null ? '' : column.cell(value, number)}
                      </td>
                    );
                  })
                )}
              </tr>
            );
          })}
          <Gap pixels={list.below} columns={columns.length} />
        </tbody>
      </table>
      {count === 0 && props.empty && <p class="panel-note muted">{props.empty}</p>}
      {props.children}
    </div>
  );
}

/** The attributes of a row of a tree. */
function treeItem({ level, position, siblings, isOpen }: Level) {
  return {
    role: 'treeitem' as const,
    'aria-level': level,
    'aria-posinset': position,
    'aria-setsize': siblings,
    'aria-expanded': isOpen ?? undefined,
  };
}

/** An empty row in place of those that do not exist. */
function Gap({ pixels, columns }: { pixels: number; columns: number }) {
  if (pixels <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${pixels}px` }} />
    </tr>
  );
}
