import { type Signal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatPercent,
  formatShare,
  shortened,
} from '../../../base/format.ts';
import { plainLength, plainTitle } from '../../../base/plain.ts';
import type { Clock, Functions as FunctionColumns, Percentiles } from '../../../base/protocol.ts';
import { exampleTerm } from '../../../model/completion.ts';
import { selectCall } from '../../../model/find_call.ts';
import type { FunctionFilter } from '../../../model/function_filter.ts';
import {
  type FunctionColumn,
  functionRows,
  MOST_ROWS,
  type Sort,
  sortedBy,
  tellingColumns,
  wholeOf,
} from '../../../model/functions.ts';
import { type Exact, type Told, tracksOf } from '../../../model/statistics.ts';
import { countedSlices } from '../../../model/tracks.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { LEVELS, PALETTES } from '../../../render/palette.ts';
import type { PanelProps } from '../../dock/panel.ts';
import { useRowMenu } from '../../menu/row_menu.ts';
import { ExpressionField, Wrong } from '../../parts/expression_field.tsx';
import { Keep } from '../../parts/keep.tsx';
import { SortHead, sortedIf } from '../../parts/sort_head.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { Uncounted } from '../uncounted.tsx';
import { lengthText, unitOf } from '../units.ts';
import { rowsByKey, Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import './functions.css';

/** Characters of a name in its tooltip. */
const LONGEST_TITLE = 1000;
type Column = FunctionColumn | 'share';
const HEADS: Readonly<Record<Column, readonly [title: string, says: string]>> = {
  name: ['Function', 'Name of the function'],
  count: ['Count', 'Number of calls'],
  total: ['Total', 'Time in the function and its callees; recursive calls count once'],
  share: ['Share', 'Total as a share of the time in which any call was open'],
  self: ['Self', 'Time in the function itself'],
  min: ['Min', 'Shortest call'],
  median: ['Median', 'Half of the calls are at most this long, within 1 %'],
  p90: ['p90', '90 % of the calls are at most this long, within 1 %'],
  p99: ['p99', '99 % of the calls are at most this long, within 1 %'],
  max: ['Max', 'Longest call'],
  bytes: ['Data', 'Bytes of images, buffers and shaders that the calls take or return'],
};

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly sort: Signal<Sort>;
  /** What narrows the table. */
  readonly filter: FunctionFilter;
  /** The clock that lengths are shown by. */
  readonly clock: Clock | null;
  /** What the bar begins with. */
  readonly lead: ComponentChildren;
  /** What can be done with the chosen function. */
  readonly actions: ComponentChildren;
  /** How lengths are shown. */
  readonly units: ComponentChildren;
  /** Lists the calls of a function, by its name id. */
  readonly list: (name: number) => void;
}

/** How often and how long each function ran, as a table. */
export function Functions({ open, theme, sort, filter, clock: shownClock, lead, actions, units, list }: Props) {
  const { trace, statistics } = open;
  const rows = useComputed(() => {
    const told = statistics.functions.value;
    return told ? functionRows(told.columns, trace.names, sort.value, filter.holds.value) : new Uint32Array();
  });
  const told = statistics.functions.value;
  const info = trace.info.value;
  if (!info) return null;
  const clock = shownClock ?? info.clock;
  if (!told) {
    return (
      <div class="functions">
        <div class="panel-bar">{lead}</div>
        <Uncounted open={open} />
      </div>
    );
  }
  return (
    <div class="functions">
      <div class="panel-bar">
        {lead}
        <ExpressionField
          open={open}
          id="functions-filter"
          label="Filter functions"
          placeholder={`Filter: name, or a term such as ${exampleTerm(info, 'slices')}`}
          text={filter.text}
          wrong={filter.wrong.value !== null}
          onEscape={() => {
            filter.text.value = '';
          }}
        />
        <span class="muted">
          {filter.searching.value ? 'Searching… ' : ''}
          {amount(told, rows.value.length, filter.text.value, info.sliceNoun, open)}
          {tellingColumns(told.columns).includes('total') ? unitOf(clock) : ''}
        </span>
        <span class="functions-units">{units}</span>
        <Accuracy open={open} told={told} actions={actions} />
        <Take open={open} columns={told.columns} rows={rows.value} clock={clock} />
      </div>
      {filter.wrong.value && <Wrong text={filter.text.value} wrong={filter.wrong.value} />}
      <Table
        open={open}
        told={told}
        rows={rows.value}
        clock={clock}
        theme={theme.theme.value}
        sort={sort}
        list={list}
      />
    </div>
  );
}

function amount(
  { columns, slices, visited, exact }: Told<unknown>,
  rows: number,
  filter: string,
  noun: string,
  { trace, statistics }: OpenTrace,
): string {
  const { length } = columns as FunctionColumns;
  const of = rows < length && filter.trim() !== '' ? `${formatCount(rows)} of ` : '';
  const cut = rows === MOST_ROWS && rows < length ? `, the first ${formatCount(rows)} shown` : '';
  const tracks = tracksOf(trace.tracks.value.values(), statistics.whose.value);
  const counted = countedSlices(slices, tracks, { sliceNoun: noun });
  // Calls have functions. Lifetimes, frames and groups have names.
  const isOfCalls = counted === formatCounted(slices, 'call');
  // Each with a name of its own, as frames are.
  if (exact && !isOfCalls && of === '' && cut === '' && length === slices) return counted;
  const functions = `${of}${formatCounted(length, isOfCalls ? 'function' : 'name')}${cut}`;
  if (exact) return `${functions}, ${counted}`;
  return `${functions}, estimate from ${formatPercent(visited, slices)} of ${counted}`;
}

interface TakeProps {
  readonly open: OpenTrace;
  readonly columns: FunctionColumns;
  readonly rows: Uint32Array;
  readonly clock: Clock;
}

/** Copies the table, or saves it: lengths as numbers. */
function Take({ open: { trace }, columns, rows, clock }: TakeProps) {
  const shown = tellingColumns(columns).filter((by): by is FunctionColumn => by !== 'share');
  const isLength = (by: FunctionColumn) => by !== 'name' && by !== 'count' && by !== 'bytes';
  const head = shown.map((by) => {
    if (by === 'bytes') return 'Data (bytes)';
    return isLength(by) ? plainTitle(HEADS[by][0], clock) : HEADS[by][0];
  });
  const texts = (i: number) =>
    shown.map((by) => {
      if (by === 'name') return trace.names.of(columns.name[i]!);
      const value = Math.round(columns[by][i]!);
      return isLength(by) ? plainLength(BigInt(value), clock) : String(value);
    });
  return <TakeTable name="functions" head={head} rows={() => atOnce([...rows], texts)} />;
}

interface AccuracyProps {
  readonly open: OpenTrace;
  readonly told: Told<FunctionColumns>;
  readonly actions: ComponentChildren;
}

function Accuracy({ open, told, actions }: AccuracyProps) {
  const { trace, statistics } = open;
  const name = statistics.highlighted.value;
  const exact = statistics.exact.value;
  const percentiles = tellingColumns(told.columns).includes('median');
  if (name < 0) return null;
  return (
    <span class="panel-end functions-end">
      {exact?.name === name && <span class="muted">{exactness(exact)}</span>}
      {percentiles && exact?.name !== name && (
        <button
          type="button"
          title={`Exact percentiles of ${shortened(trace.names.of(name))}`}
          onClick={() => statistics.askExact(name)}
        >
          Find exact percentiles
        </button>
      )}
      {actions}
      <Keep open={open} name={name} />
    </span>
  );
}

function exactness({ found, progress, failure }: Exact): string {
  if (found) return 'Percentiles are exact.';
  return failure ?? (progress ? `Counting… ${formatPercent(progress.done, progress.of)}` : 'Counting…');
}

interface TableProps {
  readonly open: OpenTrace;
  readonly told: Told<FunctionColumns>;
  readonly rows: Uint32Array;
  readonly clock: Clock;
  readonly theme: 'dark' | 'light';
  readonly sort: Signal<Sort>;
  readonly list: (name: number) => void;
}

function Table({ open, told, rows, clock, theme, sort, list }: TableProps) {
  const { trace, statistics } = open;
  const { columns } = told;
  const box = useRef<HTMLDivElement>(null);
  const { first, end, page, onScroll } = useShownRows(box, rows.length);
  const chosen = statistics.highlighted.value;
  const current = rows.findIndex((i) => columns.name[i] === chosen);
  const whole = wholeOf(columns);
  const shown = tellingColumns(columns);
  const choose = (row: number, toggle: boolean) => {
    const name = columns.name[rows[row]!]!;
    statistics.highlighted.value = toggle && name === chosen ? -1 : name;
  };
  const onMenu = useRowMenu((name) => ({
    named: { id: name, text: trace.names.of(name), isCalled: true },
    show: null,
  }));
  const onKey = (event: KeyboardEvent) => {
    const by = rowsByKey(event, rows.length, page);
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && chosen >= 0) {
      event.preventDefault();
      event.stopPropagation();
      list(chosen);
    }
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, current < 0 ? 0 : current + by));
    choose(next, false);
    bringIntoView(box.current!, next);
  };
  return (
    <div class="table" ref={box} onScroll={onScroll}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of which the rows can be chosen.
        role="grid"
        aria-label="Functions"
        class={shown.length < 7 ? 'few' : undefined}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={current >= first && current < end ? `function-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
        onContextMenu={onMenu}
      >
        <thead>
          <tr aria-rowindex={1}>
            {shown.map((by) => (
              <Head
                key={by}
                by={by}
                sort={sort}
                total={shown.includes('total')}
                isOfFunctions={trace.info.value?.sliceNoun === 'call'}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={shown.length} />
          {Array.from({ length: Math.max(0, end - first) }, (_, k) => {
            const row = first + k;
            const i = rows[row]!;
            const name = columns.name[i]!;
            return (
              <tr
                key={name}
                id={`function-${name}`}
                aria-rowindex={row + 2}
                aria-selected={name === chosen}
                onClick={() => choose(row, true)}
                onDblClick={() => list(name)}
              >
                <td class="name" title={shortened(trace.names.of(name), LONGEST_TITLE)}>
                  <span
                    class="swatch"
                    style={{
                      background: PALETTES[theme].slices[(trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1],
                    }}
                  />
                  {shortened(trace.names.of(name))}
                </td>
                <Cells
                  open={open}
                  columns={columns}
                  shown={shown}
                  i={i}
                  clock={clock}
                  whole={whole}
                  exact={exactOf(statistics.exact.value, name)}
                  isEstimate={!told.exact}
                />
              </tr>
            );
          })}
          <Spacer rows={rows.length - end} columns={shown.length} />
        </tbody>
      </table>
      {rows.length === 0 && (
        <p class="panel-note muted">{columns.length === 0 ? 'No calls in this range.' : 'No function matches.'}</p>
      )}
    </div>
  );
}

interface HeadProps {
  readonly by: Column;
  readonly sort: Signal<Sort>;
  /** The table has a column for the total. */
  readonly total: boolean;
  /** The names are those of functions. */
  readonly isOfFunctions: boolean;
}

function Head({ by, sort, total, isOfFunctions }: HeadProps) {
  const now = sort.value;
  const own = now.by === (by === 'share' && !total ? 'total' : by);
  const [title, says] = HEADS[by];
  return (
    <SortHead
      title={by === 'name' && !isOfFunctions ? 'Name' : title}
      says={says}
      class={by}
      sorted={sortedIf(own, now.descending)}
      sort={() => {
        // A share sorts as the total does.
        sort.value = sortedBy(now, by === 'share' ? 'total' : by);
      }}
    />
  );
}

interface CellsProps {
  readonly open: OpenTrace;
  readonly columns: FunctionColumns;
  readonly shown: readonly Column[];
  readonly i: number;
  readonly clock: Clock;
  /** Ticks that shares are of. */
  readonly whole: number;
  readonly exact: Percentiles | null;
  /** Not all slices have been visited. */
  readonly isEstimate: boolean;
}

/** The bits of {@link FunctionColumns.rounded}. */
const ROUNDED = { median: 1, p90: 2, p99: 4 } as const;
/** What stands for a number that an estimate would be far from: the difference of two estimates. */
const LATER = '…';

function Cells({ open, columns, shown, i, clock, whole, exact, isEstimate }: CellsProps) {
  const name = columns.name[i]!;
  const chosen = open.statistics.highlighted.value === name;
  const about = (text: string, isRounded = isEstimate) => (isRounded ? `≈${text}` : text);
  const length = (by: Exclude<FunctionColumn, 'name' | 'bytes'>, isRounded = isEstimate) =>
    about(lengthText(BigInt(Math.round(columns[by][i]!)), clock), isRounded);
  const cell = (by: Column) => {
    switch (by) {
      case 'name':
        return null;
      case 'count':
        return <td key={by}>{about(formatCount(Math.round(columns.count[i]!)))}</td>;
      case 'self':
        return <td key={by}>{isEstimate ? LATER : length(by)}</td>;
      case 'bytes': {
        const bytes = columns.bytes[i]!;
        return (
          <td key={by} title={`${formatCount(bytes)} bytes`}>
            {bytes > 0 ? formatBytes(bytes) : ''}
          </td>
        );
      }
      case 'share':
        return (
          <td key={by} class="with-bar">
            {isEstimate ? LATER : formatShare(columns.total[i]!, whole)}
            {!isEstimate && (
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${whole > 0 ? Math.min(100, (columns.total[i]! / whole) * 100) : 0}%` }} />
              </span>
            )}
          </td>
        );
      case 'min':
      case 'max':
        return (
          <td key={by}>
            <button
              type="button"
              class="plain extreme"
              tabIndex={chosen ? 0 : -1}
              title={by === 'min' ? 'Select the shortest call' : 'Select the longest call'}
              onClick={(event) => {
                // The row stays chosen.
                event.stopPropagation();
                open.statistics.highlighted.value = name;
                selectCall({ name, order: by === 'min' ? 'shortest' : 'longest' }, open);
              }}
              onKeyDown={(event) => {
                // The keys of a button are not those of the timeline.
                if (event.key === 'Enter' || event.key === ' ') event.stopPropagation();
              }}
              onDblClick={(event) => event.stopPropagation()}
            >
              {length(by)}
            </button>
          </td>
        );
      case 'median':
      case 'p90':
      case 'p99':
        return (
          <td key={by} class={exact ? `${by} exact` : by}>
            {exact ? lengthText(exact[by], clock) : length(by, isEstimate || (columns.rounded[i]! & ROUNDED[by]) !== 0)}
          </td>
        );
      default:
        return <td key={by}>{length(by)}</td>;
    }
  };
  return <>{shown.map(cell)}</>;
}

function exactOf(exact: Exact | null, name: number): Percentiles | null {
  return exact?.name === name ? exact.found : null;
}

function bringIntoView(box: HTMLElement, row: number): void {
  // The sticky head covers a row.
  const top = row * TABLE_ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + 2 * TABLE_ROW > box.scrollTop + box.clientHeight)
    box.scrollTop = top + 2 * TABLE_ROW - box.clientHeight;
}
