import { useMemo } from 'preact/hooks';
import { capitalised, formatBytes, formatCount, formatCounted, formatLength, plural } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import { Copyable } from '../../parts/copyable.tsx';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { slicesByNoun } from '../../trace/tracks.ts';
import { extentLength } from '../../trace/view.ts';
import { CompanionFacts } from './companion_facts.tsx';
import { FactList, LongTitle } from './fact_list.tsx';

/** What the trace is: its format, its size, and what its head says. */
export function TraceFacts({ open, info }: { open: OpenTrace; info: TraceInfo }) {
  const { trace } = open;
  const status = trace.status.value;
  // A packed trace has its own size once it is unpacked.
  const size = trace.content.value?.size ?? trace.size;
  const { events, extent, bytesRead } = trace.progress.value;
  const tracks = trace.tracks.value;
  // Progress comes more often than tracks, of which there may be thousands.
  const { instants, byNoun, threads } = useMemo(() => {
    const all = [...tracks.values()];
    return {
      instants: all.reduce((sum, track) => sum + track.instants, 0),
      byNoun: slicesByNoun(all, info),
      threads: all.filter(({ kind }) => kind === 'thread').length,
    };
  }, [tracks, info]);
  const { clock } = info;
  const rows: (readonly [string, string, (string | undefined)?])[] = [
    ['Format', info.title],
    ['Size', formatBytes(size), size < 1000 ? undefined : `${formatCount(size)} bytes`],
  ];
  if (info.container !== null) rows.push(['Container', info.container]);
  if (trace.nested) rows.push(['Tail calls', 'shown under their callers']);
  if (status.at === 'ready' && status.how !== 'complete') rows.push(['Read', `${formatCount(bytesRead)} bytes`]);
  rows.push(
    [capitalised(plural(events, info.eventNoun)), formatCount(events)],
    ...byNoun
      .filter(([noun]) => noun !== info.eventNoun)
      .map(([noun, count]) => [capitalised(plural(count, noun)), formatCount(count)] as const),
    ...(instants > 0 ? [['Events', formatCount(instants)] as const] : []),
  );
  if (threads > 0) rows.push(['Threads', formatCount(threads)]);
  if (extent && clock.kind === 'ordinal') {
    rows.push([`First ${clock.unit}`, formatCount(extent.from)]);
  } else if (extent) {
    const length = extentLength(extent);
    rows.push([
      'Length',
      formatLength(length, clock),
      clock.kind === 'seconds' ? formatCounted(length, 'tick') : undefined,
    ]);
    rows.push(['First tick', formatCount(extent.from)]);
  }
  return (
    <>
      <div class="details-head">
        <LongTitle name={trace.name} />
      </div>
      {trace.companions.value.length > 0 && <CompanionFacts trace={trace} />}
      <FactList>
        {[...rows, ...info.properties].map(([name, value, more]) => (
          <Row key={name} name={name} value={value} more={more} />
        ))}
      </FactList>
    </>
  );
}

function Row({ name, value, more }: { name: string; value: string; more?: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Copyable text={value}>{value}</Copyable>
        {more !== undefined && <span class="muted"> {more}</span>}
      </dd>
    </>
  );
}
