import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatPercent, formatPosition, plural } from '../../../base/format.ts';
import type { Field, RecordColumn, TraceInfo } from '../../../base/protocol.ts';
import type { Listed, RecordRow } from '../../../base/record_protocol.ts';
import {
  isShared,
  type ListPlace,
  laidHeight,
  moved,
  scrolledTo,
  scrollOf,
  shownRows,
} from '../../../model/long_list.ts';
import { fieldsLine, type ValueContext, valueLine } from '../../../model/values.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { TABLE_ROW } from '../virtual_rows.tsx';
import './events.css';

/** Rows above and below the visible ones. */
const SPARE = 8;
/** Characters of a cell at most. */
const LONGEST = 400;
/** Widths of columns in characters. */
const NARROWEST = 5;
const WIDEST = 72;
/** Rows that decide the widths, and the share of them that their columns show whole. */
const SEEN = 64;
const MOST = 0.97;
/** CSS pixels of a character of the table, and of the space around a cell's text. */
const CHARACTER = 7.3;
const AROUND = 18;

/** Every record of the range, one row each. */
export function Events({ open }: { open: OpenTrace }) {
  const { trace, events } = open;
  useEffect(() => {
    events.shown.value = true;
    return () => {
      events.shown.value = false;
    };
  }, [events]);
  const info = trace.info.value;
  const extent = trace.progress.value.extent;
  const listed = events.listed.value;
  const failure = events.failure.value;
  if (failure) return <p class="panel-note muted">{failure}</p>;
  if (!info || !extent || !listed) return <Waiting open={open} />;
  return (
    <div class="events">
      <div class="panel-bar">
        <span class="muted">{amount(listed, info)}</span>
      </div>
      <List open={open} listed={listed} info={info} context={{ clock: info.clock, origin: extent.from }} />
    </div>
  );
}

function Waiting({ open: { trace } }: { open: OpenTrace }) {
  const listing = trace.records.listing.value;
  const noun = plural(2, trace.info.value?.recordNoun ?? 'record');
  const words =
    trace.status.value.at === 'loading'
      ? `The ${noun} are listed once the file has been read.`
      : listing
        ? `Searching for the ${noun} of this range… ${formatPercent(listing.done, listing.of)}`
        : 'Listing…';
  return <p class="panel-note muted">{words}</p>;
}

function amount({ rows, inOrder }: Listed, { recordNoun }: TraceInfo): string {
  const counted = formatCounted(rows, recordNoun);
  return inOrder ? counted : `${counted}, listed thread by thread: too many threads to merge`;
}

interface ListProps {
  readonly open: OpenTrace;
  readonly listed: Listed;
  readonly info: TraceInfo;
  readonly context: ValueContext;
}

function List({ open, listed, info, context }: ListProps) {
  const { events } = open;
  const box = useRef<HTMLDivElement>(null);
  const { place, scroll, go, onScroll } = useLongList(box, listed.rows);
  // Arrived rows repaint.
  void events.version.value;
  const { first, end, above } = shownRows(place, scroll, SPARE);
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, k) => events.row(first + k));
  useEffect(() => events.want(first, end));
  const current = events.current.value;
  const wanted = events.wanted.value;
  useEffect(() => {
    if (wanted) go(wanted.row);
  }, [wanted]);
  const columns = info.columns;
  const cells = shown.map((row) => row && columns.map((column) => cellText(open, columns, column, row, context)));
  const { pixels, flexible } = useWidths(columns, listed, () =>
    Array.from({ length: SEEN }, (_, k) => events.row(first + k))
      .filter((row) => row !== null)
      .map((row) => columns.map((column) => cellText(open, columns, column, row, context))),
  );
  const page = Math.max(1, Math.floor(place.height / TABLE_ROW) - 1);
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -listed.rows, End: listed.rows }[
      event.key
    ];
    if (by === undefined || listed.rows === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = current < 0 ? Math.floor(place.top) - (by > 0 ? 1 : 0) : current;
    const next = Math.max(0, Math.min(listed.rows - 1, from + by));
    go(next);
    // A row that is not there yet is chosen when it comes.
    events.choose(next);
  };
  return (
    <div class="table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of which the rows can be chosen.
        role="grid"
        aria-label={plural(2, info.recordNoun)}
        aria-rowcount={listed.rows + 1}
        aria-activedescendant={current >= first && current < end ? `event-${current}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
        style={{ minWidth: `${pixels.reduce((sum, width) => sum + width, 0)}px` }}
      >
        <colgroup>
          {pixels.map((width, i) => (
            <col key={columns[i]!.label} style={i === flexible ? undefined : { width: `${width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={isNumber(column) ? 'number' : ''}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap pixels={above} columns={columns.length} />
          {cells.map((texts, k) => {
            const row = first + k;
            return (
              <tr
                key={row}
                id={`event-${row}`}
                aria-rowindex={row + 2}
                aria-selected={row === current}
                onClick={() => events.choose(row)}
              >
                {columns.map((column, i) => (
                  <td key={column.label} class={isNumber(column) ? 'number' : ''} title={long(texts?.[i], pixels[i]!)}>
                    {texts?.[i] ?? ''}
                  </td>
                ))}
              </tr>
            );
          })}
          <Gap pixels={laidHeight(place) - above - (end - first) * TABLE_ROW} columns={columns.length} />
        </tbody>
      </table>
      {listed.rows === 0 && <p class="panel-note muted">There are no {plural(2, info.recordNoun)} in this range.</p>}
    </div>
  );
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

/** The place in a list of `count` rows in the scrolling element `box`. */
function useLongList(box: RefObject<HTMLDivElement | null>, count: number) {
  const place = useSignal<ListPlace>({ count, row: TABLE_ROW, height: TABLE_ROW * 10, top: 0 });
  const scroll = useSignal(0);
  /** The scroll position that this code has set, whose event says nothing new. */
  const set = useRef(-1);
  const put = (next: ListPlace) => {
    place.value = next;
    const at = Math.round(scrollOf(next));
    const element = box.current;
    if (!element || Math.abs(element.scrollTop - at) < 1) return;
    // The row that fills the height may have to be laid out first.
    set.current = at;
    scroll.value = at;
    requestAnimationFrame(() => {
      element.scrollTop = at;
    });
  };
  useLayoutEffect(() => {
    put(moved({ ...place.peek(), count }, place.peek().top));
  }, [count]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      place.value = moved(
        { ...place.peek(), height: Math.max(TABLE_ROW, element.clientHeight - TABLE_ROW) },
        place.peek().top,
      );
    });
    observer.observe(element);
    // In a list too long to be laid out, the wheel moves by rows.
    const onWheel = (event: WheelEvent) => {
      if (!isShared(place.peek()) || event.ctrlKey || event.deltaY === 0 || event.shiftKey) return;
      event.preventDefault();
      const rows = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY / TABLE_ROW : event.deltaY;
      put(moved(place.peek(), place.peek().top + rows));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [box]);
  return {
    place: place.value,
    scroll: scroll.value,
    /** Brings a row into view: a near one by a little, a far one to the middle. */
    go: (row: number) => {
      const { top, height } = place.peek();
      const rows = height / TABLE_ROW;
      if (row >= top && row + 1 <= top + rows) return;
      const near = row >= top - rows && row <= top + 2 * rows;
      const to = near ? (row < top ? row : row + 1 - rows) : row - Math.floor(rows / 2);
      put(moved(place.peek(), to));
    },
    onScroll: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
      const at = currentTarget.scrollTop;
      if (Math.abs(at - set.current) > 1) place.value = scrolledTo(place.peek(), at);
      set.current = -1;
      scroll.value = at;
    },
  };
}

/** The widths of columns in CSS pixels, and the column that takes what is left. */
interface Widths {
  readonly pixels: readonly number[];
  readonly flexible: number;
}

/**
 * Columns as wide as most texts of the first rows need: one long text does not squeeze the other columns. `sample` has the
 * texts of rows, once they are there; the widths then stay while the list is the same.
 */
function useWidths(
  columns: readonly RecordColumn[],
  listed: Listed,
  sample: () => readonly (readonly string[])[],
): Widths {
  const known = useRef<{ listed: Listed; widths: Widths } | null>(null);
  if (known.current?.listed === listed) return known.current.widths;
  const rows = sample();
  const characters = columns.map(({ label }, i) => {
    const lengths = rows.map((texts) => texts[i]!.length).sort((a, b) => a - b);
    const most = lengths[Math.floor(lengths.length * MOST)] ?? 0;
    return Math.min(WIDEST, Math.max(NARROWEST, label.length, most));
  });
  const widths = {
    pixels: characters.map((count) => Math.ceil(count * CHARACTER + AROUND)),
    flexible: characters.lastIndexOf(Math.max(...characters)),
  };
  if (rows.length > 0) known.current = { listed, widths };
  return widths;
}

function cellText(
  { trace }: OpenTrace,
  columns: readonly RecordColumn[],
  { shows, key }: RecordColumn,
  row: RecordRow,
  context: ValueContext,
): string {
  switch (shows) {
    case 'position':
      // The head of the column names the unit.
      return context.clock.kind === 'ordinal'
        ? formatCount(row.x)
        : formatPosition(row.x, context.origin, context.clock);
    case 'thread':
      return trace.tracks.value.get(row.track)?.name ?? '';
    case 'name':
      return row.name;
    case 'field': {
      const field = row.fields.find(({ name }) => name === key);
      return field && field.value.t !== 'null' ? valueLine(field.value, context, LONGEST) : '';
    }
    case 'rest': {
      const rest = row.fields.filter(({ name }) => !isShown(columns, name));
      const name = nameOf(columns, row, context);
      const more = row.dropped > 0 ? `, …${formatCount(row.dropped)} more` : '';
      return [name, `${restLine(rest, context)}${more}`].filter(Boolean).join(': ');
    }
  }
}

/** The name of a record of an unusual kind, where no column says it. */
function nameOf(columns: readonly RecordColumn[], row: RecordRow, context: ValueContext): string {
  const isSaid = columns.some(({ shows, key }) => {
    const field = shows === 'field' && row.fields.find(({ name }) => name === key);
    return shows === 'name' || (field && row.name.endsWith(valueLine(field.value, context, LONGEST)));
  });
  return isSaid ? '' : row.name;
}

/** Fields that no column shows. Arguments or a payload need no name when they are all there is. */
function restLine(rest: readonly Field[], context: ValueContext): string {
  const [only] = rest;
  const isClear = rest.length === 1 && (only?.value.t === 'list' || only?.value.t === 'bytes');
  return isClear ? valueLine(only.value, context, LONGEST) : fieldsLine(rest, context, LONGEST);
}

/** Whether a column shows the field with this key. */
function isShown(columns: readonly RecordColumn[], name: string): boolean {
  return columns.some(({ shows, key }) => key === name || (shows === 'thread' && name === 'thread'));
}

function isNumber({ shows }: RecordColumn): boolean {
  return shows === 'position';
}

/** A text that its column does not show whole, for the tooltip. */
function long(text: string | undefined, width: number): string | undefined {
  return text !== undefined && text.length * CHARACTER + AROUND > width ? text : undefined;
}
