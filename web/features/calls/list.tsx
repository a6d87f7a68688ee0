import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CallList, CallOrder } from '../../base/calls_protocol.ts';
import {
  capitalised,
  formatCount,
  formatCounted,
  formatLength,
  formatPercent,
  formatPosition,
  shortened,
} from '../../base/format.ts';
import { plainLength, plainPosition, plainTitle } from '../../base/plain.ts';
import type { Clock, Ticks } from '../../base/protocol.ts';
import { useLongList } from '../../parts/long_list.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { inPortions, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Call } from '../../trace/find_call.ts';
import type { FunctionCalls } from './call_list.ts';
import type { Calls } from './calls.ts';
import { Compare } from './compare.tsx';
import { DurationHistogram } from './histogram.tsx';
import './list.css';
import './percentiles.css';

interface Props {
  readonly open: OpenTrace;
  readonly calls: Calls;
  readonly list: FunctionCalls;
}

/** The calls of one function: a list, and how their durations are distributed. */
export function CallListView({ open, calls, list }: Props) {
  const { trace } = open;
  const info = trace.info.value;
  const known = list.list.value;
  const extent = trace.progress.value.extent;
  const back = useRef<HTMLButtonElement>(null);
  // The focus was on what led here, which is no longer there.
  useLayoutEffect(() => back.current?.focus(), []);
  if (!info || !extent) return null;
  const title = shortened(trace.names.of(list.name));
  const label = shortened(trace.names.shown(list.name));
  const current = list.current.value;
  const differ = known !== null && durationsDiffer(known);
  const comparing = list.compared.value !== null;
  const clock = calls.clock.value ?? info.clock;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <div
      class="call-list panel-body"
      role="group"
      aria-label={`Calls of ${title}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'Backspace') return;
        if (event.target instanceof HTMLInputElement) return;
        event.preventDefault();
        event.stopPropagation();
        calls.back();
      }}
    >
      <div class="panel-bar">
        <button type="button" ref={back} onClick={calls.back}>
          ‹ Back
        </button>
        <b class="call-list-name ellipsis" title={title}>
          {label}
        </b>
        {differ && (
          <button
            type="button"
            aria-pressed={comparing}
            title="A slow call beside a median one, with their callees aligned"
            onClick={() => list.compare(comparing ? null : 'longest')}
          >
            Compare
          </button>
        )}
        <span class="step-buttons rigid">
          <button
            type="button"
            aria-label={`Previous ${info.sliceNoun}`}
            title={`Select the previous ${info.sliceNoun} of the list`}
            disabled={!known || known.listed === 0 || current === 0}
            onClick={() => list.choose(current < 0 ? Math.max(0, (list.wanted.value?.row ?? 0) - 1) : current - 1)}
          >
            ‹
          </button>
          <button
            type="button"
            aria-label={`Next ${info.sliceNoun}`}
            title={`Select the next ${info.sliceNoun} of the list`}
            disabled={!known || known.listed === 0 || current === known.listed - 1}
            onClick={() => list.choose(current < 0 ? (list.wanted.value?.row ?? 0) : current + 1)}
          >
            ›
          </button>
        </span>
        {known && (
          <span class="muted panel-end">
            {list.progress.value ? waiting(open, list) : amount(known, list.order.value, info.sliceNoun)}
          </span>
        )}
        {known && known.listed > 0 && (
          <TakeTable
            name={`calls of ${title}`}
            head={['#', plainTitle('Start', info.clock), plainTitle('Duration', info.clock), 'Track']}
            rows={() =>
              inPortions(list.portion, ({ item, start, end }, number) => [
                String(number + 1),
                plainPosition(start, extent.from, info.clock),
                plainLength(end - start, info.clock),
                trace.tracks.peek().get(item.track)?.name ?? '',
              ])
            }
          />
        )}
      </div>
      {known && differ && <PercentileBar list={list} known={known} clock={clock} />}
      {known && differ && !comparing && <DurationHistogram list={list} known={known} clock={clock} />}
      {comparing && <Compare open={open} list={list} clock={clock} origin={extent.from} />}
      {comparing ? null : known ? (
        <Rows open={open} list={list} known={known} clock={clock} origin={extent.from} />
      ) : (
        <p class="panel-note muted" role="status">
          {waiting(open, list)}
        </p>
      )}
    </div>
  );
}

interface PercentileProps {
  readonly list: FunctionCalls;
  readonly known: CallList;
  readonly clock: Clock;
}

/** Shortest, percentiles and longest, each with a call of that duration behind it. */
function PercentileBar({ list, known: { low, above }, clock }: PercentileProps) {
  const found = list.percentiles.value;
  const figures: readonly (readonly [title: string, duration: bigint | null])[] = [
    ['Min', BigInt(low[0] ?? 0)],
    ['Median', found?.median ?? null],
    ['p90', found?.p90 ?? null],
    ['p99', found?.p99 ?? null],
    ['Max', BigInt((above.at(-1) ?? 1) - 1)],
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <div class="percentiles wrap rigid small" role="group" aria-label="Percentiles">
      {figures.map(([title, duration]) => (
        <span key={title}>
          <span class="muted">{title}</span>{' '}
          {duration === null ? (
            <span class="muted">…</span>
          ) : (
            <button
              type="button"
              class="plain dotted"
              title={`Select the first call of ${formatLength(duration, clock)}`}
              onClick={() => list.chooseDuration(duration)}
            >
              {formatLength(duration, clock)}
            </button>
          )}
        </span>
      ))}
    </div>
  );
}

/** Whether there is anything to choose among durations. */
function durationsDiffer({ low, above }: CallList): boolean {
  return low.length > 1 || (low.length === 1 && above[0]! - low[0]! > 1);
}

function waiting({ trace }: OpenTrace, list: FunctionCalls): string {
  const failure = list.failure.value;
  if (failure) return failure;
  if (trace.status.value.at === 'loading') return 'Calls are listed once the file has been read.';
  const progress = list.progress.value;
  return progress ? `Finding calls… ${formatPercent(progress.done, progress.of)}` : 'Finding calls…';
}

function amount({ all, chosen, listed }: CallList, order: CallOrder, noun: string): string {
  const counted = chosen < all ? `${formatCount(chosen)} of ${formatCounted(all, noun)}` : formatCounted(all, noun);
  if (listed >= chosen) return counted;
  return `${counted}, the ${formatCount(listed)} ${order} are listed`;
}

interface RowsProps {
  readonly open: OpenTrace;
  readonly list: FunctionCalls;
  readonly known: CallList;
  readonly clock: Clock;
  readonly origin: Ticks;
}

function Rows({ open, list, known, clock, origin }: RowsProps) {
  const { trace } = open;
  const place = useLongList(known.listed);
  // Repaint when rows arrive.
  void list.version.value;
  const wanted = list.wanted.value;
  useEffect(() => {
    if (wanted) place.go(Math.min(wanted.row, Math.max(0, known.listed - 1)));
  }, [wanted]);
  const tracks = trace.tracks.value;
  const of = (text: (call: Call) => string) => (number: number) => {
    const call = list.row(number);
    return call ? text(call) : '';
  };
  const columns: readonly Column<number>[] = [
    {
      title: '#',
      class: 'number call-number',
      cell: (number) => formatCount(number + 1),
      look: () => ({ class: 'muted' }),
    },
    { title: 'Start', key: 'start', cell: of(({ start }) => formatPosition(start, origin, clock)) },
    {
      title: 'Duration',
      // Without durations that differ there is nothing to sort by.
      key: durationsDiffer(known) ? 'duration' : undefined,
      cell: of(({ start, end }) => formatLength(end - start, clock)),
    },
    { title: 'Track', class: 'words where', cell: of(({ item }) => tracks.get(item.track)?.name ?? '') },
  ];
  return (
    <Table
      label={`${capitalised(trace.info.value?.sliceNoun ?? 'call')} list`}
      id="call"
      count={known.listed}
      row={(number) => number}
      columns={columns}
      by={list.order.value === 'start' ? 'start' : 'duration'}
      descending={list.order.value === 'longest'}
      narrowedBy={[list.interval.value, open.statistics.range.value, open.statistics.whose.value]}
      sortBy={(by) => {
        list.order.value = by === 'start' ? 'start' : list.order.peek() === 'longest' ? 'shortest' : 'longest';
      }}
      current={list.current.value}
      choose={list.choose}
      // All have the name of the list.
      menu={(number) => ({
        named: { id: list.name, text: trace.names.of(list.name), isCalled: false },
        show: () => list.choose(number),
      })}
      want={list.want}
      list={place}
      empty="No call with this duration in range."
    />
  );
}
