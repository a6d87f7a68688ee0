import { computed, type ReadonlySignal, useComputed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { CallList } from '../../base/calls_protocol.ts';
import { formatLength, formatPosition, shortened } from '../../base/format.ts';
import type { Clock, Percentiles } from '../../base/protocol.ts';
import { Segments } from '../../parts/segments.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { type CallBeside, CallsBeside } from '../../timeline/widgets/calls_beside.tsx';
import type { Call } from '../../trace/find_call.ts';
import { pointedOf } from '../../trace/pointed.ts';
import { createSlowCall, type MatchedRow, SLOW, type Slow, selectedCall } from '../../trace/slow_call.ts';
import { createCommonNames } from './common_names.ts';
import { lengthOf, scaleOf } from './figures.ts';

/** What is known of the calls of one side. */
export interface Known {
  readonly list: CallList | null;
  readonly percentiles: Percentiles | null;
}

const TITLES: Readonly<Record<Slow, string>> = {
  longest: 'Longest call',
  p99: 'p99 call',
  p90: 'p90 call',
  selected: 'Selected call',
};

interface Props {
  readonly a: OpenTrace;
  readonly b: OpenTrace;
  /** Name ids of the function in A and in B. */
  readonly names: readonly [number, number];
  readonly known: readonly [ReadonlySignal<Known>, ReadonlySignal<Known>];
  readonly clock: Clock;
}

/** A slow call of a function in B beside a median one in A: what each of their callees contributes to the difference. */
export function SlowCallOfBoth({ a, b, names: [nameA, nameB], known: [ofA, ofB], clock }: Props) {
  const { slow, names } = useMemo(() => {
    const names = createCommonNames(a.trace.names, b.trace.names);
    const base = {
      trace: a.trace,
      statistics: a.statistics,
      name: nameA,
      median: computed(() => ofA.value.percentiles?.median ?? null),
      slowName: names.ofB,
      medianName: names.ofA,
      scale: scaleOf(a, b),
    };
    const { trace, statistics, selection } = b;
    const percentiles = computed(() => ofB.value.percentiles);
    const slow = createSlowCall(nameB, { trace, statistics, selection, base }, percentiles);
    slow.compare('longest');
    return { slow, names };
  }, [a, b, nameA, nameB]);
  useEffect(() => slow.dispose, [slow]);
  const canSelect = useComputed(() => {
    void b.selection.selected.value;
    return selectedCall(nameB, b.selection) !== null;
  }).value;
  const now = slow.compared.value;
  if (!now) return null;
  const { which, found, failure } = now;
  const beside = (open: OpenTrace, call: Call, name: number, title: string): CallBeside => ({
    title,
    where: placeOf(open, call),
    select: () => open.selection.reveal(pointedOf({ ...call, name })),
  });
  /** The longest calls of a callee, in the traces that have it. */
  const select = (row: MatchedRow) => {
    for (const [open, run, name] of [
      [a, row.median, names.idInA(row.name)],
      [b, row.slow, names.idInB(row.name)],
    ] as const) {
      if (run?.longest && name >= 0) open.selection.reveal(pointedOf({ ...run.longest, name }));
    }
  };
  const contribution = ({ slow, median }: MatchedRow) => Math.abs((slow?.total ?? 0) - (median?.total ?? 0));
  return (
    <div class="difference-slow column grow">
      <div class="panel-bar">
        <Segments
          label="Slow call of B"
          options={SLOW.filter((it) => it !== 'selected' || canSelect || which === 'selected').map(
            (it) => [it, TITLES[it]] as const,
          )}
          value={which}
          choose={slow.compare}
        />
        <span class="muted ellipsis">
          {`of B, ${found ? likenessIn(found.likeness.by) : 'beside a median one of A'}: ${shortened(b.trace.names.of(nameB))}`}
        </span>
      </div>
      {found ? (
        <CallsBeside
          label="A slow call of B beside a median one of A"
          slow={beside(b, found.slow, nameB, `B: ${TITLES[which].toLowerCase()}`)}
          median={beside(a, found.median, nameA, 'A: median call')}
          matched={found}
          rows={[...found.rows].sort((one, two) => contribution(two) - contribution(one))}
          order="Callee, the largest difference first"
          length={(ticks) => lengthOf(ticks, clock)}
          nameOf={({ name }) => names.of(name)}
          act={select}
          actTitle={(row) => `Select the longest of these calls${row.slow && row.median ? ' in both traces' : ''}`}
          hasSelf
        />
      ) : (
        <p class="panel-note muted" role="status">
          {failure ?? 'Finding the calls…'}
        </p>
      )}
    </div>
  );
}

/** Which median call this is. */
function likenessIn(by: 'callees' | 'argument' | null): string {
  switch (by) {
    case 'callees':
      return 'beside the call of A nearest to the median with the same callees';
    case 'argument':
      return 'beside the call of A nearest to the median with the same first argument';
    case null:
      return 'beside the median call of A';
  }
}

/** How long a call took, when and where. */
function placeOf({ trace }: OpenTrace, { item, start, end }: Call): string {
  const info = trace.info.peek();
  const { extent } = trace.progress.peek();
  if (!info || !extent) return '';
  const track = trace.tracks.peek().get(item.track)?.name ?? '';
  const at = formatPosition(start, extent.from, info.clock);
  return `${formatLength(end - start, info.clock)} at ${at}${track ? `, ${track}` : ''}`;
}
