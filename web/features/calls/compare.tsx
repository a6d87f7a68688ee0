import { useComputed } from '@preact/signals';
import { formatCounted, formatLength, formatPosition, shortened } from '../../base/format.ts';
import { plainLength, plainTitle } from '../../base/plain.ts';
import type { Clock, Ticks } from '../../base/protocol.ts';
import { Segments } from '../../parts/segments.tsx';
import { atOnce, TakeTable } from '../../parts/take_table.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type CallBeside, CallsBeside } from '../../timeline/widgets/calls_beside.tsx';
import type { Run } from '../../trace/call_runs.ts';
import type { Call } from '../../trace/find_call.ts';
import { pointedOf } from '../../trace/pointed.ts';
import { type Matched, type MatchedRow, SLOW, type Slow, selectedCall } from '../../trace/slow_call.ts';
import type { FunctionCalls } from './call_list.ts';
import { lengthText } from './units.ts';

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
  const nameOf = ({ name }: MatchedRow) => open.trace.names.of(name);
  const beside = (call: Call, title: string): CallBeside => ({
    title,
    where: placeOf(open, call, clock, origin),
    select: () => selection.reveal(pointedOf({ ...call, name: list.name })),
  });
  const offered = SLOW.filter((slow) => slow !== 'selected' || canSelect || which === 'selected');
  return (
    <div class="compare column grow">
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
        <CallsBeside
          label="A slow call beside a median one"
          slow={beside(found.slow, TITLES[which])}
          median={beside(found.median, 'Median call')}
          matched={found}
          rows={found.rows}
          order={
            found.byName
              ? 'Callee, matched by name: there are too many to match in order'
              : 'Callee, in the order of calls'
          }
          length={(ticks) => lengthText(BigInt(Math.round(ticks)), clock)}
          nameOf={nameOf}
          shownName={({ name }) => open.trace.names.shown(name)}
          act={(row) => {
            open.statistics.highlighted.value = row.name;
          }}
          actTitle={(row) => `Highlight ${shortened(nameOf(row))}`}
        />
      ) : (
        <p class="panel-note muted" role="status">
          {failure ?? 'Finding the calls…'}
        </p>
      )}
    </div>
  );
}

/** Which median call this is, and why. */
function likenessIn({ likeness }: Matched): string {
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
  readonly found: Matched;
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
  const texts = ({ name, slow, median }: MatchedRow) => [
    trace.names.of(name),
    String(slow?.count ?? 0),
    length(slow),
    String(median?.count ?? 0),
    length(median),
  ];
  return <TakeTable name="comparison" head={head} rows={() => atOnce(found.rows, texts)} />;
}

/** How long a call took, when and where. */
function placeOf(open: OpenTrace, { item, start, end }: Call, clock: Clock, origin: Ticks): string {
  const track = open.trace.tracks.value.get(item.track)?.name ?? '';
  return `${formatLength(end - start, clock)} at ${formatPosition(start, origin, clock)}${track ? `, ${track}` : ''}`;
}
