import { type Signal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { formatBytes, formatCount, formatCounted, formatPercent, formatShare, shortened } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock, Functions as FunctionColumns, Percentiles } from '../../base/protocol.ts';
import type { PanelProps } from '../../page/page.ts';
import { type Look, Table, type Column as TableColumn } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { ExpressionField, Wrong } from '../../timeline/widgets/expression_field.tsx';
import { Keep } from '../../timeline/widgets/keep.tsx';
import { exampleTerm } from '../../trace/completion.ts';
import { type Exact, type Told, tracksOf } from '../../trace/statistics.ts';
import { countedSlices } from '../../trace/tracks.ts';
import { selectCall } from './find_call.ts';
import type { FunctionFilter } from './function_filter.ts';
import {
  type FunctionColumn,
  functionRows,
  MOST_ROWS,
  type Sort,
  sortedBy,
  tellingColumns,
  wholeOf,
} from './functions.ts';
import { Uncounted } from './uncounted.tsx';
import { lengthText, unitOf } from './units.ts';
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
      <div class="functions panel-body">
        <div class="panel-bar">{lead}</div>
        <Uncounted open={open} />
      </div>
    );
  }
  return (
    <div class="functions panel-body">
      <div class="panel-bar">
        {lead}
        <ExpressionField
          open={open}
          id="functions-filter"
          label="Filter functions"
          placeholder={`Filter, such as ${exampleTerm(info, 'slices')}`}
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
        <span class="functions-units rigid">{units}</span>
        <Accuracy open={open} told={told} actions={actions} />
        <Take open={open} columns={told.columns} rows={rows.value} clock={clock} />
      </div>
      {filter.wrong.value && <Wrong text={filter.text.value} wrong={filter.wrong.value} />}
      <FunctionTable
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
    <span class="panel-end functions-end row rigid">
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

function FunctionTable({ open, told, rows, clock, theme, sort, list }: TableProps) {
  const { trace, statistics } = open;
  const { columns } = told;
  const chosen = statistics.highlighted.value;
  const shown = tellingColumns(columns);
  const nameOf = (row: number) => columns.name[rows[row]!]!;
  const now = sort.value;
  // A share sorts as the total does.
  const sorted = (by: Column) => (by === 'share' ? 'total' : by);
  const titleOf = (by: Column) => (by === 'name' && trace.info.value?.sliceNoun !== 'call' ? 'Name' : HEADS[by][0]);
  const context: CellContext = {
    open,
    columns,
    clock,
    theme,
    whole: wholeOf(columns),
    exact: statistics.exact.value,
    isEstimate: !told.exact,
  };
  return (
    <Table
      label="Functions"
      id="function"
      rowId={(i) => columns.name[i]!}
      class={shown.length < 7 ? 'few' : undefined}
      count={rows.length}
      row={(number) => rows[number] ?? null}
      columns={shown.map(
        (by): TableColumn<number> => ({
          id: by,
          title: titleOf(by),
          says: HEADS[by][1],
          class: by,
          key: by === 'share' && shown.includes('total') ? 'share' : sorted(by),
          cell: (i) => cellOf(by, i, context),
          look: (i) => lookOf(by, i, context),
        }),
      )}
      by={now.by}
      descending={now.descending}
      sortBy={(key) => {
        sort.value = sortedBy(now, sorted(key as Column));
      }}
      current={rows.findIndex((i) => columns.name[i] === chosen)}
      choose={(row) => {
        statistics.highlighted.value = nameOf(row);
      }}
      // A second click takes the choice back.
      click={(row) => {
        statistics.highlighted.value = nameOf(row) === chosen ? -1 : nameOf(row);
      }}
      act={(row) => list(nameOf(row))}
      double={(row) => list(nameOf(row))}
      menu={(i) => {
        const name = columns.name[i]!;
        return { named: { id: name, text: trace.names.of(name), isCalled: true }, show: null };
      }}
      empty={columns.length === 0 ? 'No calls in this range.' : 'No function matches.'}
    />
  );
}

interface CellContext {
  readonly open: OpenTrace;
  readonly columns: FunctionColumns;
  readonly clock: Clock;
  readonly theme: 'dark' | 'light';
  /** Ticks that shares are of. */
  readonly whole: number;
  readonly exact: Exact | null;
  /** Not all slices have been visited. */
  readonly isEstimate: boolean;
}

/** The bits of {@link FunctionColumns.rounded}. */
const ROUNDED = { median: 1, p90: 2, p99: 4 } as const;
/** What stands for a number that an estimate would be far from: the difference of two estimates. */
const LATER = '…';

/** The content of a cell: of a column and of row `i` of the statistics. */
function cellOf(by: Column, i: number, context: CellContext): ComponentChildren {
  const { open, columns, clock, theme, whole, exact, isEstimate } = context;
  const name = columns.name[i]!;
  const about = (text: string, isRounded = isEstimate) => (isRounded ? `≈${text}` : text);
  const length = (by: Exclude<FunctionColumn, 'name' | 'bytes'>, isRounded = isEstimate) =>
    about(lengthText(BigInt(Math.round(columns[by][i]!)), clock), isRounded);
  switch (by) {
    case 'name': {
      const colour = PALETTES[theme].slices[(open.trace.names.colour[name] ?? 0) * LEVELS + LEVELS - 1];
      return (
        <>
          <span class="swatch" style={{ background: colour }} />
          {shortened(open.trace.names.of(name))}
        </>
      );
    }
    case 'count':
      return about(formatCount(Math.round(columns.count[i]!)));
    case 'self':
      return isEstimate ? LATER : length(by);
    case 'bytes':
      return columns.bytes[i]! > 0 ? formatBytes(columns.bytes[i]!) : '';
    case 'share':
      if (isEstimate) return LATER;
      return (
        <>
          {formatShare(columns.total[i]!, whole)}
          <span class="share-bar bar" aria-hidden="true">
            <span style={{ width: `${whole > 0 ? Math.min(100, (columns.total[i]! / whole) * 100) : 0}%` }} />
          </span>
        </>
      );
    case 'min':
    case 'max':
      return <Extreme open={open} name={name} of={by} text={length(by)} />;
    case 'median':
    case 'p90':
    case 'p99': {
      const found = exactOf(exact, name);
      if (found) return lengthText(found[by], clock);
      return length(by, isEstimate || (columns.rounded[i]! & ROUNDED[by]) !== 0);
    }
    default:
      return length(by);
  }
}

/** What that cell looks like. */
function lookOf(by: Column, i: number, { open, columns, exact }: CellContext): Look {
  const name = columns.name[i]!;
  if (by === 'name') return { title: shortened(open.trace.names.of(name), LONGEST_TITLE) };
  if (by === 'bytes') return { title: `${formatCount(columns.bytes[i]!)} bytes` };
  if (by === 'share') return { class: 'with-bar' };
  return { class: by in ROUNDED && exactOf(exact, name) ? 'exact' : undefined };
}

interface ExtremeProps {
  readonly open: OpenTrace;
  readonly name: number;
  readonly of: 'min' | 'max';
  readonly text: string;
}

/** The shortest or the longest call of a function, which a click selects. */
function Extreme({ open, name, of, text }: ExtremeProps) {
  return (
    <button
      type="button"
      class="plain dotted extreme"
      tabIndex={open.statistics.highlighted.value === name ? 0 : -1}
      title={of === 'min' ? 'Select the shortest call' : 'Select the longest call'}
      onClick={(event) => {
        // The row stays chosen.
        event.stopPropagation();
        open.statistics.highlighted.value = name;
        selectCall({ name, order: of === 'min' ? 'shortest' : 'longest' }, open);
      }}
      onKeyDown={(event) => {
        // The keys of a button are not those of the timeline.
        if (event.key === 'Enter' || event.key === ' ') event.stopPropagation();
      }}
      onDblClick={(event) => event.stopPropagation()}
    >
      {text}
    </button>
  );
}

function exactOf(exact: Exact | null, name: number): Percentiles | null {
  return exact?.name === name ? exact.found : null;
}
