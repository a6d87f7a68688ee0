import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatCount, formatCounted } from '../../../base/format.ts';
import { MEASURES, type Measure, type TimedCalls } from '../../../base/survey_protocol.ts';
import { ticks } from '../../../base/ticks.ts';
import { type Column, Table } from '../../../parts/table.tsx';
import { atOnce, TakeTable } from '../../../parts/take_table.tsx';
import { goToPosition } from '../../../timeline/go_to.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { KeepButton } from '../../../timeline/widgets/keep.tsx';
import { isCredible, MEASURE_TITLES, type MeasureTitle, measuredText } from '../../../trace/call_times.ts';
import type { Survey } from '../../../trace/survey.ts';

/** Calls that are listed, and values of a track. */
const MOST_ROWS = 10_000;
const MOST_VALUES = 1_000_000;

interface Props {
  /** The choice of what is shown. */
  readonly which: ComponentChild;
  readonly open: OpenTrace;
  readonly survey: Survey;
  /** What the table is sorted by. */
  readonly measure: Signal<Measure>;
}

/** The calls that took longest in the replay, by CPU or GPU, or that drew most. A row leads to its call. */
export function SlowestCalls({ which, open, survey, measure }: Props) {
  const calls = useSignal<TimedCalls | null>(null);
  const times = survey.times.value;
  const by = measure.value;
  const range = open.statistics.range.value;
  useEffect(() => {
    let current = true;
    const [first, last] = range ? [Number(range.from), Number(range.to) - 1] : [0, Number.MAX_SAFE_INTEGER];
    void survey.ask.timedCalls(by, first, last, MOST_ROWS).then((found) => {
      if (current) calls.value = found;
    });
    return () => {
      current = false;
    };
  }, [survey, times, by, range]);
  const rows = calls.value;
  const count = rows?.call.length ?? 0;
  const value = (row: number, of: Measure) => rows!.values[MEASURES.length * row + MEASURES.indexOf(of)]!;
  const measured = MEASURE_TITLES.filter((_, i) => (times?.counts[i] ?? 0) > 0);
  const columns: readonly Column<number>[] = [
    { title: 'Call', width: '100px', cell: (row) => formatCount(rows!.call[row]!) },
    { title: 'Function', class: 'words', cell: (row) => rows!.name[row] },
    ...measured.map(({ measure: of, title, name }) => ({
      title,
      says: `${name} in the replay`,
      width: times?.doubt ? '190px' : '130px',
      key: of,
      cell: (row: number) => measuredText(of, value(row, of), times ?? undefined),
    })),
  ];
  const place = open.selection.place();
  const go = (row: number) => {
    const call = rows?.call[row];
    if (call !== undefined) void goToPosition(ticks(BigInt(call)), open);
  };
  const all = rows?.count ?? 0;
  return (
    <div class="frames panel-body">
      <div class="panel-bar">
        {which}
        <span class="muted">
          {all > count
            ? `The first ${formatCount(count)} of ${formatCounted(all, 'call')}`
            : formatCounted(all, 'call')}
        </span>
        <span class="muted">Calls missing from the profile were not measured</span>
        <span class="panel-end">
          <KeepMeasure open={open} survey={survey} of={MEASURE_TITLES.find((it) => it.measure === by)!} />
        </span>
        <TakeTable
          name="calls"
          head={[
            'Call',
            'Function',
            ...measured.map(({ name, measure: of }) => (of === 'pixels' ? name : `${name} (ns)`)),
          ]}
          rows={() =>
            atOnce(
              Array.from({ length: count }, (_, row) => row),
              (row) => [
                String(rows!.call[row]),
                rows!.name[row]!,
                ...measured.map(({ measure: of }) => (Number.isNaN(value(row, of)) ? '' : String(value(row, of)))),
              ],
            )
          }
        />
      </div>
      <Table
        class="row-table"
        label="Slowest calls"
        id="slow"
        count={count}
        row={(row) => row}
        columns={columns}
        by={by}
        descending
        narrowedBy={[range]}
        sortBy={(key) => {
          measure.value = key as Measure;
        }}
        current={place && rows ? rows.call.indexOf(Number(place.start)) : -1}
        choose={go}
        menu={(_, row) => ({ named: null, show: () => go(row) })}
      />
    </div>
  );
}

/** Keeps a measure of all calls as a track above the others, along the numbers of the calls. */
function KeepMeasure({ open, survey, of }: { open: OpenTrace; survey: Survey; of: MeasureTitle }) {
  const { trace, derived } = open;
  const key = `times ${of.measure}`;
  const keep = async () => {
    const found = await survey.ask.timedCalls(null, 0, Number.MAX_SAFE_INTEGER, MOST_VALUES);
    if (!found) return;
    const at = MEASURES.indexOf(of.measure);
    const value = (row: number) => found.values[MEASURES.length * row + at]!;
    const times = survey.times.peek() ?? undefined;
    const rows = [...found.call.keys()].filter(
      (row) => !Number.isNaN(value(row)) && isCredible(of.measure, value(row), times),
    );
    derived.keepNumbers(
      key,
      {
        label: `${of.name} of calls${of.measure === 'pixels' ? '' : ' (ns)'}`,
        detail: `${of.name} in the replay. Calls without a value were not measured${times?.doubt ? `. ${times.doubt}` : ''}`,
      },
      {
        time: BigUint64Array.from(rows, (row) => BigInt(found.call[row]!)),
        bits: BigUint64Array.from(rows, (row) => BigInt(value(row))),
      },
    );
  };
  return (
    <KeepButton
      keeping={derived.keeping.value.get(key)}
      reading={trace.status.value.at === 'loading'}
      title={`Show the ${of.name} of all calls on a track`}
      onClick={() => void keep()}
      stop={() => derived.stop(key)}
    />
  );
}
