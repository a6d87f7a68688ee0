import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { inOrder, NUMBERS } from '../base/order.ts';
import { PORTION, type Portions, portionsOf } from '../base/portions.ts';
import { ColumnHead, type ColumnSet, sortedIf } from './column_head.tsx';
import { choicesOf, choose as chooseColumns, shownOf, wholeColumns } from './columns.ts';
import { useInPortions } from './in_portions.ts';
import { type LongList, useLongList, useReading } from './long_list.ts';
import { type RowSubject, useRowMenu } from './menu/row_menu.ts';

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
  /** What the table itself sorts by, in place of {@link Props.sortBy}: see {@link Props.sorts}. Equal rows keep their order. */
  readonly value?: ((row: Row, number: number) => Sortable) | undefined;
}

/** Numbers sort before texts, and what is null comes last. */
type Sortable = number | bigint | string | null;

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
  /** What the columns are of, if that differs from table to table of one {@link Props.id}: each has choices of its own. */
  readonly columnsOf?: string;
  /**
   * The rows as one object, if all of them are there, and the columns have a {@link Column.value}. The table sorts them, and again when this
   * is another object.
   */
  readonly sorts?: unknown;
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
  /**
   * All that narrows the rows: filters, a kind, the range and the thread of the panels. When one of these changes, or the order does,
   * the reader is at the top. Empty if nothing narrows them.
   */
  readonly narrowedBy: readonly unknown[];
  /** Number of the current row, or -1. */
  readonly current?: number;
  /**
   * The subject of the current row, or a new object for each wish to see it: the row is brought into view when this changes. It is not
   * if only its place does, as in another order. Left out, it never is.
   */
  readonly follows?: unknown;
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
 * End move in it, Enter acts on the current row, and the menu key opens its menu. Its heads are another stop: see {@link ColumnHead}.
 */
export function Table<Row>(props: Props<Row>) {
  if (props.sorts !== undefined) return <Sorting {...props} />;
  return props.list ? <Grid {...props} list={props.list} /> : <OwnPlace {...props} />;
}

function OwnPlace<Row>(props: Props<Row>) {
  return <Grid {...props} list={useLongList(props.count)} />;
}

/** A table that sorts its rows itself. For its owner, rows keep their numbers. */
function Sorting<Row>(props: Props<Row>) {
  const { count, row, columns, sorts, current = -1 } = props;
  const sort = useSignal<{ readonly key: string; readonly descending: boolean } | null>(null);
  const { key = '', descending = false } = sort.value ?? {};
  const value = columns.find((column) => (column.id ?? column.title) === key)?.value;
  const order = useInPortions(
    () => (value ? sortedRows(count, row, value, descending) : null),
    [sorts, count],
    [key, descending],
  );
  const own = (at: number) => order?.[at] ?? at;
  const mapped = <Rest extends unknown[], Result>(of: ((number: number, ...rest: Rest) => Result) | undefined) =>
    of && ((at: number, ...rest: Rest) => of(own(at), ...rest));
  const ofRow = <Rest extends unknown[], Result>(
    of: ((row: Row, number: number, ...rest: Rest) => Result) | undefined,
  ) => of && ((it: Row, at: number, ...rest: Rest) => of(it, own(at), ...rest));
  const { rowId, look, whole, menu } = props;
  return (
    <OwnPlace
      {...props}
      row={(at) => row(own(at))}
      rowId={rowId ? ofRow(rowId)! : (_, at) => own(at)}
      columns={columns.map((column) => ({
        ...column,
        key: column.value && (column.id ?? column.title),
        cell: ofRow(column.cell)!,
        look: ofRow(column.look),
      }))}
      by={key}
      descending={descending}
      // Upwards, downwards, and as the rows were.
      sortBy={(next) => {
        const again = next === key;
        sort.value = again && descending ? null : { key: next, descending: again };
      }}
      current={current >= 0 && order ? order.indexOf(current) : current}
      {...given({
        choose: mapped(props.choose),
        click: mapped(props.click),
        act: mapped(props.act),
        double: mapped(props.double),
        look: ofRow(look),
        whole: ofRow(whole),
        menu: ofRow(menu),
      })}
    />
  );
}

/** Without what is undefined. */
function given<Of extends object>(of: Of): { [Key in keyof Of]?: Exclude<Of[Key], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as never;
}

/** The order of texts: `l9` before `l10`. */
const TEXTS = new Intl.Collator(undefined, { numeric: true });

/** Numbers of rows by what a column sorts by. */
function* sortedRows<Row>(
  count: number,
  row: (number: number) => Row | null,
  value: (row: Row, number: number) => Sortable,
  descending: boolean,
): Portions<Uint32Array> {
  const values: Sortable[] = [];
  yield* portionsOf(count, (start, end) => {
    for (let number = start; number < end; number += 1) {
      const of = row(number);
      values.push(of === null ? null : value(of, number));
    }
  });
  const isNone = (it: Sortable) => it === null || Number.isNaN(it);
  const compare = (a: Sortable, b: Sortable): number => {
    if (isNone(a) || isNone(b)) return Number(isNone(a)) - Number(isNone(b));
    const texts = Number(typeof a === 'string') - Number(typeof b === 'string');
    const isText = typeof a === 'string' && typeof b === 'string';
    const order = texts !== 0 ? texts : isText ? TEXTS.compare(a, b) : a! < b! ? -1 : Number(a! > b!);
    return descending ? -order : order;
  };
  const isText = typeof values[0] === 'string';
  return yield* inOrder(
    Uint32Array.from(values.keys()),
    (a, b) => compare(values[a]!, values[b]!) || a - b,
    isText ? PORTION : NUMBERS,
  );
}

function Grid<Row>(props: Props<Row> & { readonly list: LongList }) {
  const { label, id, rowId, count, row, by, descending = false, sortBy, list } = props;
  const { all, columns, set, style } = useColumns(props);
  const { current = -1, follows, choose, click, act, double, level, want } = props;
  const { first, end, go } = list;
  useEffect(() => want?.(first, end));
  useReading(list, { rows: [by, descending, ...props.narrowedBy], subject: follows, current });
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
    const clicked = columns[cell];
    return props.menu ? props.menu(value, number, clicked ? all.indexOf(clicked) : -1) : { named: null, show: null };
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
      <table {...ofTable} style={style.table}>
        <colgroup>
          {columns.map((column, i) => (
            <col key={idOfColumn(column)} style={style.columns[i]} />
          ))}
          {style.isFixed && <col key="" />}
        </colgroup>
        <thead>
          <tr aria-rowindex={level ? undefined : 1}>
            {columns.map((column) => {
              const { title, says, class: name = 'number', key } = column;
              return (
                <ColumnHead
                  key={idOfColumn(column)}
                  id={idOfColumn(column)}
                  title={title}
                  says={says}
                  class={name}
                  sorted={sortedIf(key !== undefined && key === by, descending)}
                  sort={key !== undefined && sortBy ? () => sortBy(key) : undefined}
                  isPlain={level !== undefined}
                  set={set}
                />
              );
            })}
            {style.isFixed && <Rest />}
          </tr>
        </thead>
        <tbody {...ofRows}>
          <Gap pixels={list.above} columns={columns.length + Number(style.isFixed)} />
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
                  <td colSpan={columns.length + Number(style.isFixed)} title={whole.title}>
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
                {!whole && style.isFixed && <Rest />}
              </tr>
            );
          })}
          <Gap pixels={list.below} columns={columns.length + Number(style.isFixed)} />
        </tbody>
      </table>
      {count === 0 && props.empty && <p class="panel-note muted">{props.empty}</p>}
      {props.children}
    </div>
  );
}

/** What is to the right of columns that have widths. */
function Rest() {
  return <td class="rest" role="presentation" />;
}

function idOfColumn<Row>({ id, title }: Column<Row>): string {
  return id ?? title;
}

/** The columns that are shown, and how the table is laid out with them. */
function useColumns<Row>({
  id,
  columnsOf = '',
  columns: all,
  minWidth,
  list,
}: Props<Row> & { readonly list: LongList }) {
  const table = columnsOf === '' ? id : `${id} ${columnsOf}`;
  const choices = choicesOf(table);
  const reached = useSignal('');
  const drag = useSignal<{ readonly id: string; readonly to: string } | null>(null);
  const ids = all.map(idOfColumn);
  const shown = shownOf(ids, choices.value);
  const columns = shown.map((one) => all[ids.indexOf(one)]!);
  const set: ColumnSet = {
    all: all.map((column) => ({ id: idOfColumn(column), title: column.title })),
    shown,
    choices: choices.value,
    set: (next, isFinal) => {
      if (isFinal) chooseColumns(table, next);
      else choices.value = next;
    },
    reached,
    drag,
  };
  const { widths } = choices.value;
  const isFixed = Object.keys(widths).length > 0;
  const own = columns.map(({ width }) => (width?.endsWith('px') ? Number.parseFloat(width) : null));
  const pixels = isFixed
    ? columns.map((column, i) => widths[idOfColumn(column)] ?? own[i] ?? NEW)
    : wholeOwn(own, list);
  const sum = pixels?.reduce((total, width) => total + width, 0);
  const share = columns.length / Math.max(1, all.length);
  const least = sum === undefined ? minWidth && (share < 1 ? `calc(${minWidth} * ${share})` : minWidth) : `${sum}px`;
  return {
    all,
    columns,
    set,
    style: {
      /** All columns have widths, and what is left of the table is to the right of them. */
      isFixed,
      table: least === undefined ? undefined : { minWidth: least },
      columns: columns.map(({ width }, i) => {
        const now = pixels ? `${pixels[i]}px` : width;
        return now === undefined ? undefined : { width: now };
      }),
    },
  };
}

/** CSS pixels of a column that came after the user gave the others widths. */
const NEW = 100;

/** Widths of columns that all have pixels and do not fit; null for others. */
function wholeOwn(own: readonly (number | null)[], { width }: LongList): readonly number[] | null {
  const pixels = own.filter((one) => one !== null);
  if (pixels.length < own.length || !Number.isFinite(width)) return null;
  return pixels.reduce((sum, one) => sum + one, 0) > width ? wholeColumns(pixels, width) : null;
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
