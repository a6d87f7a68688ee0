import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatCount, formatNumber, formatPosition, plural } from '../../base/format.ts';
import { type SqlValue, sqlText } from '../../base/sql.ts';
import { Segments } from '../../parts/segments.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Sql } from './sql.ts';
import { barsOf, type ChartChoice, type Line, lineOf, MOST_BARS, numberColumns, unitOf } from './sql_chart.ts';
import { columnsOf } from './sql_results.ts';

/** CSS pixels around a line, for the ends of its axes. */
const LEFT = 92;
const BELOW = 22;
const GAP = 10;

interface Props {
  /** The trace that the rows are of; null if they are of two. */
  readonly rowsOf: OpenTrace | null;
  readonly sql: Sql;
  readonly choice: Signal<ChartChoice | null>;
  readonly order: ArrayLike<number>;
}

/** Two columns of a result as bars or as a line. */
export function Chart({ rowsOf, sql, choice, order }: Props) {
  const shown = choice.value;
  if (!shown) return <p class="panel-note muted">A chart needs a column of numbers.</p>;
  const names = sql.columns.value;
  const set = (part: Partial<ChartChoice>) => {
    choice.value = { ...shown, ...part };
  };
  const numbers = numberColumns(names, sql.rows);
  const clock = rowsOf?.trace.info.value?.clock;
  const unit = unitOf(names[shown.y] ?? '', clock?.kind === 'ordinal' ? plural(2, clock.unit) : clock ? 'ticks' : '');
  const along = shown.kind === 'line' ? numbers : names.map((_, i) => i);
  return (
    <div class="query-chart">
      <div class="panel-bar">
        <Segments
          label="Kind of chart"
          options={[
            ['bars', 'Bars'],
            ['line', 'Line'],
          ]}
          value={shown.kind}
          choose={(kind) => {
            // A line needs numbers along both axes.
            const x = kind === 'bars' || numbers.includes(shown.x) ? shown.x : (numbers[0] ?? shown.x);
            const y = kind === 'line' && x === shown.y ? (numbers.find((column) => column !== x) ?? x) : shown.y;
            set({ kind, x, y });
          }}
        />
        <Column label="Along" names={names} columns={along} value={shown.x} choose={(x) => set({ x })} />
        <Column label="Values" names={names} columns={numbers} value={shown.y} choose={(y) => set({ y })} />
        {shown.kind === 'bars' && order.length > MOST_BARS && (
          <span class="muted">The first {formatCount(MOST_BARS)} rows</span>
        )}
      </div>
      {shown.kind === 'bars' ? (
        <Bars sql={sql} choice={shown} order={order} unit={unit} />
      ) : (
        <LineChart rowsOf={rowsOf} sql={sql} choice={shown} names={names} unit={unit} />
      )}
    </div>
  );
}

interface ColumnProps {
  readonly label: string;
  readonly names: readonly string[];
  readonly columns: readonly number[];
  readonly value: number;
  readonly choose: (column: number) => void;
}

function Column({ label, names, columns, value, choose }: ColumnProps) {
  return (
    <label class="query-column row">
      {label}{' '}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {columns.map((column) => (
          <option key={column} value={column}>
            {names[column]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BarsProps extends Pick<Props, 'sql' | 'order'> {
  readonly choice: ChartChoice;
  /** The unit of the values, with a space before it, or ''. */
  readonly unit: string;
}

function Bars({ sql, choice, order, unit }: BarsProps) {
  const bars = useMemo(() => barsOf(sql.rows, order, choice), [sql.rows, sql.count.value, order, choice]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <ul class="query-bars small thin-scroll" aria-label={`${sql.columns.value[choice.y]} as bars`} tabIndex={0}>
      {bars.map(({ row, label, value, from, length }) => (
        <li key={row}>
          <span class="query-bar-label ellipsis mono" title={label}>
            {label}
          </span>
          <span class="query-bar" aria-hidden="true">
            <span style={{ left: `${100 * from}%`, width: `${100 * length}%` }} />
          </span>
          <span class="query-bar-value">
            {numberText(value === null ? '' : sqlText(value))}
            {value !== null && unit}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface LineProps extends Pick<Props, 'rowsOf' | 'sql'>, Pick<BarsProps, 'choice' | 'unit'> {
  readonly names: readonly string[];
}

function LineChart({ rowsOf, sql, choice, names, unit }: LineProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 0, height: 0 });
  const near = useSignal(-1);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [size]);
  const { width, height } = size.value;
  const [inner, tall] = [Math.max(1, width - LEFT - GAP), Math.max(1, height - BELOW - GAP)];
  const line = useMemo(
    () => lineOf(sql.rows, choice, Math.ceil(inner / 2)),
    [sql.rows, sql.count.value, choice, inner],
  );
  const at = ({ x, y }: { x: number; y: number }): readonly [number, number] => [
    LEFT + x * inner,
    GAP + (1 - y) * tall,
  ];
  const follow = (event: PointerEvent) => {
    if (!line) return;
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const x = (event.clientX - left - LEFT) / inner;
    near.value = nearest(line, x);
  };
  const point = line?.points[near.value];
  const row = point && sql.rows[point.row];
  const info = rowsOf?.trace.info.value;
  const extent = rowsOf?.trace.progress.value.extent;
  const [first] = sql.rows;
  const isPosition = info && extent && first && columnsOf(names, info).linkOf(first, choice.x)?.to === 'position';
  /** A value along x: a position as the timeline shows it. */
  const along = (value: number | bigint) =>
    isPosition ? formatPosition(BigInt(value), extent.from, info.clock) : shortNumber(Number(value));
  const xOf = (value: SqlValue | undefined) =>
    isPosition && typeof value === 'bigint' ? along(value) : numberText(sqlText(value ?? null));
  return (
    <div class="query-line" ref={box}>
      {line && width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`${names[choice.y]} along ${names[choice.x]}: from ${shortNumber(line.y[0])} to ${shortNumber(line.y[1])}`}
          onPointerMove={follow}
          onPointerLeave={() => {
            near.value = -1;
          }}
        >
          <path class="axis" d={`M${LEFT} ${GAP}V${GAP + tall}H${width - GAP}`} />
          <text x={LEFT - 6} y={GAP + 8} text-anchor="end">
            {shortNumber(line.y[1])}
            {unit}
          </text>
          <text x={LEFT - 6} y={GAP + tall} text-anchor="end">
            {shortNumber(line.y[0])}
            {unit}
          </text>
          <text x={LEFT} y={GAP + tall + 16}>
            {along(line.x[0])}
          </text>
          <text x={width - GAP} y={GAP + tall + 16} text-anchor="end">
            {along(line.x[1])}
          </text>
          <path
            class="line"
            d={`M${line.points
              .map((each) =>
                at(each)
                  .map((n) => n.toFixed(1))
                  .join(' '),
              )
              .join('L')}`}
          />
          {(point || line.points.length === 1) && (
            <circle cx={at(point ?? line.points[0]!)[0]} cy={at(point ?? line.points[0]!)[1]} r="3.5" />
          )}
          {point && (
            <text x={LEFT + inner / 2} y={GAP + tall + 16} text-anchor="middle">
              {names[choice.x]} {xOf(row?.[choice.x])} · {names[choice.y]}{' '}
              {numberText(sqlText(row?.[choice.y] ?? null))}
              {unit}
            </text>
          )}
        </svg>
      )}
      {!line && <p class="panel-note muted">No row has a number in both columns.</p>}
    </div>
  );
}

/** The number of the point nearest to a share of the width. */
function nearest({ points }: Line, x: number): number {
  let best = -1;
  for (let i = 0; i < points.length; i += 1) {
    if (best < 0 || Math.abs(points[i]!.x - x) < Math.abs(points[best]!.x - x)) best = i;
  }
  return best;
}

/** A number of SQLite for people: integers with separators. */
function numberText(text: string): string {
  return /^-?\d+$/.test(text) ? formatCount(BigInt(text)) : text;
}

/** The end of an axis. */
function shortNumber(value: number): string {
  if (Number.isSafeInteger(value)) return formatCount(value);
  return formatNumber(value);
}
