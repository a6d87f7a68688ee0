import { useComputed } from '@preact/signals';
import { formatCount, formatCounted, formatLength, formatPosition, shortened } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock, Ticks } from '../../base/protocol.ts';
import { Segments } from '../../parts/segments.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { pointedOf } from '../../trace/pointed.ts';
import type { FunctionCalls } from './call_list.ts';
import { type Compared, type ComparedRow, SLOW, type Slow, selectedCall } from './comparison.ts';
import type { Call } from './find_call.ts';
import type { Run } from './runs.ts';
import { lengthText } from './units.ts';
import './compare.css';

const TITLES: Readonly<Record<Slow, string>> = {
  longest: 'Longest call',
  p99: 'p99 call',
  p90: 'p90 call',
  selected: 'Selected call',
};

interface Props {
  readonly open: OpenTrace;
  readonly list: FunctionCalls;
  readonly clock: Clock;
  readonly origin: Ticks;
}

/** A slow call beside a median one, with their callees aligned: where the extra time went. */
export function Compare({ open, list, clock, origin }: Props) {
  const { selection } = open;
  const comparison = list.compared.value;
  const canSelect = useComputed(() => {
    void selection.selected.value;
    return selectedCall(list.name, selection) !== null;
  }).value;
  if (!comparison) return null;
  const { which, found, failure } = comparison;
  const offered = SLOW.filter((slow) => slow !== 'selected' || canSelect || which === 'selected');
  return (
    <div class="compare column">
      <div class="panel-bar">
        <Segments
          label="Slow call"
          options={offered.map((slow) => [slow, TITLES[slow]] as const)}
          value={which}
          choose={list.compare}
        />
        <span class="muted">{found ? likenessIn(found) : 'beside a median one'}</span>
        {found && <Take open={open} found={found} clock={clock} which={which} />}
      </div>
      {found ? (
        <Table open={open} name={list.name} found={found} clock={clock} origin={origin} which={which} />
      ) : (
        <p class="panel-note muted" role="status">
          {failure ?? 'Finding the calls…'}
        </p>
      )}
    </div>
  );
}

/** Which median call this is, and why. */
function likenessIn({ likeness }: Compared): string {
  switch (likeness.by) {
    case 'callees':
      return 'beside the call nearest to the median with the same callees';
    case 'argument':
      return `beside the call nearest to the median with the same first argument, ${shortened(likeness.argument)}`;
    case null:
      return likeness.tried === 0
        ? 'beside the median call: there are no callees and no arguments to tell what a call did'
        : `beside the median call: none of the ${formatCounted(likeness.tried, 'call')} nearest to it did the same`;
  }
}

interface TakeProps {
  readonly open: OpenTrace;
  readonly found: Compared;
  readonly clock: Clock;
  readonly which: Slow;
}

function Take({ open: { trace }, found, clock, which }: TakeProps) {
  const head = [
    'Callee',
    `${TITLES[which]}: count`,
    plainTitle(TITLES[which], clock),
    'Median: count',
    plainTitle('Median', clock),
  ];
  const length = (run: Run | null) => (run ? plainLength(BigInt(Math.round(run.total)), clock) : '');
  const texts = ({ name, slow, median }: ComparedRow) => [
    trace.names.of(name),
    String(slow?.count ?? 0),
    length(slow),
    String(median?.count ?? 0),
    length(median),
  ];
  return <TakeTable name="comparison" head={head} rows={() => atOnce(found.rows, texts)} />;
}

interface TableProps extends TakeProps {
  /** Name id of the function. */
  readonly name: number;
  readonly origin: Ticks;
}

function Table({ open, name, found, clock, origin, which }: TableProps) {
  const { trace, statistics } = open;
  const { slow, median, rows, self, byName } = found;
  const differences = rows.map((row) => (row.slow?.total ?? 0) - (row.median?.total ?? 0));
  const most = Math.max(1, Math.abs(self.slow - self.median), ...differences.map(Math.abs));
  const length = (ticks: number) => lengthText(BigInt(Math.round(ticks)), clock);
  const side = (run: Run | null) => [
    <td key="count" class="count">
      {run && (run.count > 1 || run.merged) ? `${run.merged ? '> ' : ''}${formatCount(run.count)} ×` : ''}
    </td>,
    <td key="total">{run ? `${run.merged ? '≈' : ''}${length(run.total)}` : '–'}</td>,
  ];
  const total = (call: Call) => Number(call.end - call.start);
  return (
    <div class="table thin-scroll grow">
      <table aria-label="A slow call beside a median one">
        <colgroup>
          <col />
          <col class="count" />
          <col class="length" />
          <col class="count" />
          <col class="length" />
          <col class="length" />
          <col class="length" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" class="callee">
              {byName
                ? 'Callee, matched by name: there are too many to match in order'
                : 'Callee, in the order of calls'}
            </th>
            <th scope="colgroup" colSpan={2}>
              <CallHead open={open} name={name} call={slow} title={TITLES[which]} clock={clock} origin={origin} />
            </th>
            <th scope="colgroup" colSpan={2}>
              <CallHead open={open} name={name} call={median} title="Median call" clock={clock} origin={origin} />
            </th>
            <th scope="col" colSpan={2}>
              Difference
            </th>
          </tr>
        </thead>
        <tbody>
          <tr class="sum">
            <th scope="row">Duration</th>
            <td class="count" />
            <td>{length(total(slow))}</td>
            <td class="count" />
            <td>{length(total(median))}</td>
            <td>{signed(total(slow) - total(median), length)}</td>
            <td />
          </tr>
          <tr class="sum">
            <th scope="row">Self</th>
            <td class="count" />
            <td>{length(self.slow)}</td>
            <td class="count" />
            <td>{length(self.median)}</td>
            <td>{signed(self.slow - self.median, length)}</td>
            <Bar difference={self.slow - self.median} most={most} />
          </tr>
          {rows.map((row, i) => (
            <tr key={`${i} ${row.name}`}>
              <th scope="row" class="name" title={shortened(trace.names.of(row.name), 1000)}>
                <button
                  type="button"
                  class="plain"
                  title={`Highlight ${shortened(trace.names.of(row.name))}`}
                  onClick={() => {
                    statistics.highlighted.value = row.name;
                  }}
                >
                  {shortened(trace.names.of(row.name))}
                </button>
              </th>
              {side(row.slow)}
              {side(row.median)}
              <td>{signed(differences[i]!, length)}</td>
              <Bar difference={differences[i]!} most={most} />
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="panel-note muted">Neither call has callees.</p>}
    </div>
  );
}

function signed(ticks: number, length: (ticks: number) => string): string {
  if (Math.round(ticks) === 0) return '0';
  return `${ticks < 0 ? '−' : '+'}${length(Math.abs(ticks))}`;
}

/** The difference as a bar: to the right what the slow call took longer. */
function Bar({ difference, most }: { difference: number; most: number }) {
  const share = (Math.abs(difference) / most) * 50;
  return (
    <td class="difference" aria-hidden="true">
      <span
        class={difference < 0 ? 'less' : 'more'}
        style={{ left: `${difference < 0 ? 50 - share : 50}%`, width: `${share}%` }}
      />
    </td>
  );
}

interface HeadProps {
  readonly open: OpenTrace;
  readonly name: number;
  readonly call: Call;
  readonly title: string;
  readonly clock: Clock;
  readonly origin: Ticks;
}

function CallHead({ open, name, call, title, clock, origin }: HeadProps) {
  const { item, start, end } = call;
  const track = open.trace.tracks.value.get(item.track)?.name ?? '';
  const where = `${formatLength(end - start, clock)} at ${formatPosition(start, origin, clock)}${track ? `, ${track}` : ''}`;
  return (
    <button
      type="button"
      class="plain link"
      title={`Select this call: ${where}`}
      onClick={() => open.selection.reveal(pointedOf({ ...call, name }))}
    >
      {title}
    </button>
  );
}
