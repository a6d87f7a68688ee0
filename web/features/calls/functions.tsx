import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { computedInPortions } from '../../base/computed_portions.ts';
import {
  formatBytes,
  formatCount,
  formatCounted,
  formatPercent,
  formatShare,
  shortened,
  titled,
} from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock, Functions as FunctionColumns, Percentiles } from '../../base/protocol.ts';
import type { PanelProps } from '../../page/page.ts';
import { widthOfHead, widthOfText } from '../../parts/columns.ts';
import { useLongList } from '../../parts/long_list.ts';
import { type Look, Table, type Column as TableColumn } from '../../parts/table.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import { noneOf } from '../../timeline/none.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { LEVELS, PALETTES } from '../../timeline/render/palette.ts';
import { ExpressionField, Wrong } from '../../timeline/widgets/expression_field.tsx';
import { Keep } from '../../timeline/widgets/keep.tsx';
import { exampleTerm } from '../../trace/completion.ts';
import { selectCall } from '../../trace/find_call.ts';
import { type Exact, type Told, tracksOf } from '../../trace/statistics.ts';
import { countedSlices } from '../../trace/tracks.ts';
import type { FunctionFilter } from './function_filter.ts';
import {
  type FunctionColumn,
  listedOf,
  NOTHING_LISTED,
  partWords,
  type Sort,
  sortedBy,
  tellingColumns,
  wholeOf,
} from './functions.ts';
import { Uncounted } from './uncounted.tsx';
import { lengthText, unitOf } from './units.ts';
import './functions.css';

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
  const listed = useMemo(
    () => computedInPortions(() => listedOf(open, sort, filter), NOTHING_LISTED),
    [open, sort, filter],
  );
  useEffect(() => listed.dispose, [listed]);
  const { told, rows, count } = statistics.functions.value ? listed.result.value : NOTHING_LISTED;
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
        <Amount
          words={[
            filter.searching.value ? 'Searching… ' : listed.isWorking.value ? 'Listing… ' : '',
            amount(told, count, filter.text.value, info.sliceNoun, open),
            tellingColumns(told.columns).includes('total') ? unitOf(clock) : '',
          ].join('')}
          exact={statistics.exact.value}
        />
        {units}
        {actions}
        <Keep open={open} name={statistics.highlighted.value} />
        <Take open={open} columns={told.columns} rows={rows} clock={clock} />
      </div>
      {filter.wrong.value && <Wrong text={filter.text.value} wrong={filter.wrong.value} />}
      <FunctionTable
        open={open}
        told={told}
        rows={rows}
        clock={clock}
        theme={theme.theme.value}
        sort={sort}
        filter={filter.text.value}
        list={list}
      />
    </div>
  );
}

function amount(
  { columns, slices, visited, exact }: Told<unknown>,
  count: number,
  filter: string,
  noun: string,
  { trace, statistics }: OpenTrace,
): string {
  const { length } = columns as FunctionColumns;
  const { of, cut } = partWords(count, length, filter);
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

/** How many functions there are. It takes the room that is left, so that nothing else moves, and says the whole in its title. */
function Amount({ words, exact }: { readonly words: string; readonly exact: Exact | null }) {
  const text = `${words}${exact && !exact.found ? ` · ${exactness(exact)}` : ''}`;
  return (
    <span class="muted functions-amount" role="status" title={text}>
      {text}
    </span>
  );
}

/** How far the exact percentiles are, or why there are none. */
function exactness({ progress, failure }: Exact): string {
  return failure ?? (progress ? `Counting… ${formatPercent(progress.done, progress.of)}` : 'Counting…');
}

interface TableProps {
  readonly open: OpenTrace;
  readonly told: Told<FunctionColumns>;
  readonly rows: Uint32Array;
  readonly clock: Clock;
  readonly theme: 'dark' | 'light';
  readonly sort: Signal<Sort>;
  readonly filter: string;
  readonly list: (name: number) => void;
}

function FunctionTable({ open, told, rows, clock, theme, sort, filter, list }: TableProps) {
  const { trace, statistics } = open;
  const { columns } = told;
  const chosen = statistics.highlighted.value;
  const telling = tellingColumns(columns);
  const place = useLongList(rows.length);
  const widths = useMemo(() => widthsOf(columns, clock), [columns, clock]);
  const nameOf = (row: number) => columns.name[rows[row]!]!;
  const now = sort.value;
  const { shown, hasBars } = fitting(telling, widths, place.width, now.by);
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
    hasBars,
  };
  const hasPercentiles = shown.includes('median');
  const exactItem = (name: number) => ({
    id: 'exact',
    title: 'Find exact percentiles',
    run: () => {
      statistics.highlighted.value = name;
      statistics.askExact(name);
    },
  });
  return (
    <Table
      label="Functions"
      id="function"
      rowId={(i) => columns.name[i]!}
      minWidth={`${needed(shown, widths)}px`}
      list={place}
      count={rows.length}
      row={(number) => rows[number] ?? null}
      columns={shown.map(
        (by): TableColumn<number> => ({
          id: by,
          title: titleOf(by),
          says: HEADS[by][1],
          class: by,
          width: by === 'name' ? undefined : `${widths[by] + (by === 'share' && hasBars ? BAR : 0)}px`,
          key: by === 'share' && shown.includes('total') ? 'share' : sorted(by),
          cell: (i) => cellOf(by, i, context),
          look: (i) => lookOf(by, i, context),
        }),
      )}
      by={now.by}
      descending={now.descending}
      narrowedBy={[filter, statistics.range.value, statistics.whose.value]}
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
        return {
          named: { id: name, text: trace.names.of(name), isCalled: true },
          show: null,
          own: hasPercentiles && !exactOf(context.exact, name) ? [exactItem(name)] : [],
        };
      }}
      empty={columns.length === 0 ? noneOf(open, 'call') : 'No function matches.'}
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
  /** There is room for bars beside shares. */
  readonly hasBars: boolean;
}

/** CSS pixels of the bar beside a share, and of the narrowest column of names. */
const BAR = 44;
const NAMES = 240;
/** The columns that give way to names, the first one first. */
const GIVING_WAY: readonly Column[] = ['p90', 'min', 'p99'];
/** Rows whose texts decide on the width of a column. */
const MOST_MEASURED = 300;

/** CSS pixels of columns that show all of their titles and numbers. That of names takes what is left. */
function widthsOf(columns: FunctionColumns, clock: Clock): Readonly<Record<Column, number>> {
  const every = Math.max(1, Math.floor(columns.length / MOST_MEASURED));
  const of = (by: Column): number => {
    if (by === 'name') return NAMES;
    if (by === 'share') return Math.max(widthOfHead(HEADS[by][0]), widthOfText('<0.01 %'));
    let widest = widthOfHead(HEADS[by][0]);
    for (let i = 0; i < columns.length; i += every) {
      const value = Math.round(columns[by][i]!);
      const text =
        by === 'bytes' ? formatBytes(value) : by === 'count' ? formatCount(value) : lengthText(BigInt(value), clock);
      // A rounded number has a sign before it.
      widest = Math.max(widest, widthOfText(`≈${text}`));
    }
    return widest;
  };
  return Object.fromEntries((Object.keys(HEADS) as Column[]).map((by) => [by, of(by)])) as Record<Column, number>;
}

function needed(shown: readonly Column[], widths: Readonly<Record<Column, number>>): number {
  return shown.reduce((sum, by) => sum + widths[by], 0);
}

/**
 * The columns that fit `room` CSS pixels. What says least gives way: the bars, and then columns of numbers, unless the rows are sorted
 * by them.
 */
export function fitting(
  telling: readonly Column[],
  widths: Readonly<Record<Column, number>>,
  room: number,
  by: Column,
): { readonly shown: readonly Column[]; readonly hasBars: boolean } {
  let shown = telling;
  for (const column of GIVING_WAY) {
    if (needed(shown, widths) > room && by !== column) shown = shown.filter((it) => it !== column);
  }
  return { shown, hasBars: needed(telling, widths) + BAR <= room };
}

/** The bits of {@link FunctionColumns.rounded}. */
const ROUNDED = { median: 1, p90: 2, p99: 4 } as const;
/** What stands for a number that an estimate would be far from: the difference of two estimates. */
const LATER = '…';

/** The content of a cell: of a column and of row `i` of the statistics. */
function cellOf(by: Column, i: number, context: CellContext): ComponentChildren {
  const { open, columns, clock, theme, whole, exact, isEstimate, hasBars } = context;
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
          {shortened(open.trace.names.shown(name))}
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
          {hasBars && (
            <span class="share-bar bar" aria-hidden="true">
              <span style={{ width: `${whole > 0 ? Math.min(100, (columns.total[i]! / whole) * 100) : 0}%` }} />
            </span>
          )}
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
      const isRounded = isEstimate || (columns.rounded[i]! & ROUNDED[by]) !== 0;
      return isRounded ? <Rounded open={open} name={name} text={length(by, true)} /> : length(by, false);
    }
    default:
      return length(by);
  }
}

/** What that cell looks like. */
function lookOf(by: Column, i: number, { open, columns, exact, hasBars }: CellContext): Look {
  const name = columns.name[i]!;
  if (by === 'name') return { title: titled(open.trace.names.of(name)) };
  if (by === 'bytes') return { title: `${formatCount(columns.bytes[i]!)} bytes` };
  if (by === 'share') return { class: hasBars ? 'with-bar' : undefined };
  return { class: by in ROUNDED && exactOf(exact, name) ? 'exact' : undefined };
}

interface CellButtonProps {
  readonly open: OpenTrace;
  /** Name id of the function. */
  readonly name: number;
  readonly title: string;
  readonly text: string;
  readonly act: () => void;
  /** It looks like a button in the chosen row only. */
  readonly isQuiet?: boolean;
}

/** A figure of a function that a click acts on. */
function CellButton({ open, name, title, text, act, isQuiet = false }: CellButtonProps) {
  const isChosen = open.statistics.highlighted.value === name;
  return (
    <button
      type="button"
      class={isQuiet && !isChosen ? 'plain extreme' : 'plain dotted extreme'}
      tabIndex={isChosen ? 0 : -1}
      title={title}
      onClick={(event) => {
        // The row stays chosen.
        event.stopPropagation();
        open.statistics.highlighted.value = name;
        act();
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

interface ExtremeProps extends Pick<CellButtonProps, 'open' | 'name' | 'text'> {
  readonly of: 'min' | 'max';
}

/** The shortest or the longest call of a function, which a click selects. */
function Extreme({ open, name, of, text }: ExtremeProps) {
  const isMin = of === 'min';
  return (
    <CellButton
      {...{ open, name, text }}
      title={isMin ? 'Select the shortest call' : 'Select the longest call'}
      act={() => selectCall({ name, order: isMin ? 'shortest' : 'longest' }, open)}
    />
  );
}

/** A percentile that is not exact. A click finds the exact ones of the function. */
function Rounded({ open, name, text }: Pick<CellButtonProps, 'open' | 'name' | 'text'>) {
  return (
    <CellButton
      {...{ open, name, text }}
      isQuiet
      title="Find exact percentiles"
      act={() => open.statistics.askExact(name)}
    />
  );
}

function exactOf(exact: Exact | null, name: number): Percentiles | null {
  return exact?.name === name ? exact.found : null;
}
