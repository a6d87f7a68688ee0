import { type Signal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { formatCount, formatCounted, formatLength, formatPercent, plural, shortened } from '../../../base/format.ts';
import type { Clock, Functions as FunctionColumns, Percentiles } from '../../../base/protocol.ts';
import {
  type FunctionColumn,
  functionRows,
  idleColumns,
  MOST_ROWS,
  type Sort,
  sortedBy,
} from '../../../model/functions.ts';
import { type Exact, type Told, tracksOf } from '../../../model/statistics.ts';
import { countedSlices } from '../../../model/tracks.ts';
import type { OpenTrace } from '../../../model/workbench.ts';
import { LEVELS, PALETTES } from '../../../render/palette.ts';
import type { PanelProps } from '../../dock/panel.ts';
import { Keep } from '../../parts/keep.tsx';
import { Uncounted } from '../uncounted.tsx';
import { Spacer, TABLE_ROW, useShownRows } from '../virtual_rows.tsx';
import './functions.css';

const COLUMNS: readonly (readonly [by: FunctionColumn, title: string, says: string])[] = [
  ['name', 'Function', 'Name of the function'],
  ['count', 'Count', 'Number of calls'],
  ['total', 'Total', 'Time in the function and its callees; recursive calls count once'],
  ['self', 'Self', 'Time in the function itself'],
  ['min', 'Min', 'Shortest call'],
  ['median', 'Median', 'Half of the calls are at most this long, within 1 %'],
  ['p90', 'p90', '90 % of the calls are at most this long, within 1 %'],
  ['p99', 'p99', '99 % of the calls are at most this long, within 1 %'],
  ['max', 'Max', 'Longest call'],
];
/** Characters of a name in its tooltip. */
const LONGEST_TITLE = 1000;
const EXACT: readonly (keyof Percentiles & FunctionColumn)[] = ['median', 'p90', 'p99'];

interface Props extends PanelProps {
  readonly open: OpenTrace;
  readonly sort: Signal<Sort>;
  /** Text that the names of the listed functions contain. */
  readonly filter: Signal<string>;
}

/** How often and how long each function ran, as a table. */
export function Functions({ open, theme, sort, filter }: Props) {
  const { trace, statistics } = open;
  const rows = useComputed(() => {
    const told = statistics.functions.value;
    return told ? functionRows(told.columns, trace.names, sort.value, filter.value) : new Uint32Array();
  });
  const told = statistics.functions.value;
  const info = trace.info.value;
  if (!info) return null;
  if (!told) return <Uncounted open={open} />;
  return (
    <div class="functions">
      <div class="panel-bar">
        <input
          type="search"
          placeholder="Filter functions"
          aria-label="Filter functions"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
        <span class="muted">
          {amount(told, rows.value.length, filter.value, info.sliceNoun, open)}
          {unitOf(info.clock)}
        </span>
        <Accuracy open={open} hasPercentiles={!idleColumns(told.columns).has('p99')} />
      </div>
      <Table open={open} told={told} rows={rows.value} clock={info.clock} theme={theme.theme.value} sort={sort} />
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

function Accuracy({ open, hasPercentiles }: { open: OpenTrace; hasPercentiles: boolean }) {
  const { trace, statistics } = open;
  const name = statistics.highlighted.value;
  const exact = statistics.exact.value;
  if (!hasPercentiles) return <span class="panel-end">{name >= 0 && <Keep open={open} name={name} />}</span>;
  if (name < 0) return <span class="muted panel-end">Median, p90 and p99 are within 1 %.</span>;
  if (exact?.name === name) {
    return (
      <span class="panel-end">
        <span class="muted">{exactness(exact)}</span> <Keep open={open} name={name} />
      </span>
    );
  }
  return (
    <span class="panel-end">
      <span class="muted">Median, p90 and p99 are within 1 %.</span>{' '}
      <button
        type="button"
        title={`Exact percentiles of ${shortened(trace.names.of(name))}`}
        onClick={() => statistics.askExact(name)}
      >
        Find exact percentiles
      </button>{' '}
      <Keep open={open} name={name} />
    </span>
  );
}

function exactness({ found, progress, failure }: Exact): string {
  if (found) return 'Percentiles of the selected function are exact.';
  return failure ?? (progress ? `Counting… ${formatPercent(progress.done, progress.of)}` : 'Counting…');
}

interface TableProps {
  readonly open: OpenTrace;
  readonly told: Told<FunctionColumns>;
  readonly rows: Uint32Array;
  readonly clock: Clock;
  readonly theme: 'dark' | 'light';
  readonly sort: Signal<Sort>;
}

function Table({ open, told, rows, clock, theme, sort }: TableProps) {
  const { trace, statistics } = open;
  const { columns } = told;
  const box = useRef<HTMLDivElement>(null);
  const { first, end, page, onScroll } = useShownRows(box, rows.length);
  const idle = idleColumns(columns);
  const shown = COLUMNS.filter(([by]) => !idle.has(by));
  const chosen = statistics.highlighted.value;
  const current = rows.findIndex((i) => columns.name[i] === chosen);
  const most = columns.total.reduce((a, b) => Math.max(a, b), 0);
  const choose = (row: number, toggle: boolean) => {
    const name = columns.name[rows[row]!]!;
    statistics.highlighted.value = toggle && name === chosen ? -1 : name;
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length }[
      event.key
    ];
    if (by === undefined || rows.length === 0 || event.target !== event.currentTarget) return;
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
        aria-rowcount={rows.length + 1}
        aria-activedescendant={current >= first && current < end ? `function-${chosen}` : undefined}
        tabIndex={0}
        onKeyDown={onKey}
      >
        <thead>
          <tr aria-rowindex={1}>
            {shown.map(([by, title, says]) => (
              <Head key={by} by={by} title={title} says={says} sort={sort} />
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
                  columns={columns}
                  i={i}
                  clock={clock}
                  most={most}
                  idle={idle}
                  exact={exactOf(statistics.exact.value, name)}
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
  readonly by: FunctionColumn;
  readonly title: string;
  readonly says: string;
  readonly sort: Signal<Sort>;
}

function Head({ by, title, says, sort }: HeadProps) {
  const now = sort.value;
  const own = now.by === by;
  return (
    <th
      scope="col"
      class={by === 'name' ? 'name' : undefined}
      aria-sort={own ? (now.descending ? 'descending' : 'ascending') : 'none'}
      title={says}
    >
      <button
        type="button"
        class="plain"
        onClick={() => {
          sort.value = sortedBy(now, by);
        }}
      >
        {title}
        <span class="sort" aria-hidden="true">
          {own ? (now.descending ? '▾' : '▴') : ''}
        </span>
      </button>
    </th>
  );
}

interface CellsProps {
  readonly columns: FunctionColumns;
  readonly i: number;
  readonly clock: Clock;
  readonly most: number;
  /** The columns that are left out. */
  readonly idle: ReadonlySet<FunctionColumn>;
  readonly exact: Percentiles | null;
}

function Cells({ columns, i, clock, most, idle, exact }: CellsProps) {
  const total = columns.total[i]!;
  const length = (by: Exclude<FunctionColumn, 'name'>): ComponentChildren => {
    const precise = exact && EXACT.find((key) => key === by);
    return lengthText(precise ? exact[precise] : BigInt(Math.round(columns[by][i]!)), clock);
  };
  return (
    <>
      {!idle.has('count') && <td>{formatCount(Math.round(columns.count[i]!))}</td>}
      <td class="with-bar">
        {length('total')}
        <span class="bar" aria-hidden="true">
          <span style={{ width: `${most > 0 ? (total / most) * 100 : 0}%` }} />
        </span>
      </td>
      {!idle.has('self') && <td>{length('self')}</td>}
      {!idle.has('min') && <td>{length('min')}</td>}
      {EXACT.filter((by) => !idle.has(by)).map((by) => (
        <td key={by} class={exact ? 'exact' : undefined}>
          {length(by)}
        </td>
      ))}
      {!idle.has('max') && <td>{length('max')}</td>}
    </>
  );
}

/** The unit of all lengths, or '' if each length has its own. */
function unitOf(clock: Clock): string {
  return clock.kind === 'seconds' ? '' : `, lengths in ${plural(2, clock.kind === 'ticks' ? 'tick' : clock.unit)}`;
}

function lengthText(ticks: bigint, clock: Clock): string {
  return clock.kind === 'seconds' ? formatLength(ticks, clock) : formatCount(ticks);
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
