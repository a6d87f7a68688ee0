import { shortened } from '../../base/format.ts';
import type { Track } from '../../base/protocol.ts';
import { onTrace } from '../../page/commands.ts';
import type { Command, CommandContext, Surface } from '../../page/page.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { CPUS, EVENTS } from '../../trace/derived.ts';
import { typeOf } from '../../trace/event_types.ts';
import { cpusKey, eventsKey, hasCpus, typeLabel } from '../../trace/lanes.ts';

const LANES = 'lanes';

/** Tracks that are made from the records on request: of CPUs, and of events by their type. */
export const LANE_COMMANDS: readonly Command[] = [
  onTrace('keep-cpus-of-track', 'Show the CPUs of the thread', [], keepCpusOfThread, {
    needs: (surface) => threadWithCpus(surface) !== null,
    about: ({ surface }) => shortened((surface && threadWithCpus(surface)?.name) ?? ''),
    part: 'lanes of track',
  }),
  onTrace('keep-cpus', 'Show a track for each CPU', [], ({ open: { derived } }) => derived.keepCpus(), {
    needs: ({ open }) => stateOf(open, CPUS) === 'none',
    part: LANES,
  }),
  onTrace('remove-cpus', 'Remove the tracks of CPUs', [], ({ open: { derived } }) => derived.removeGroup(CPUS), {
    needs: ({ open }) => stateOf(open, CPUS) === 'kept',
    part: LANES,
  }),
  onTrace('keep-events', 'Show a track for each type of event', [], ({ open }) => open.derived.keepEvents(null), {
    needs: ({ open }) => stateOf(open, EVENTS) === 'none',
    part: LANES,
  }),
  onTrace('remove-events', 'Remove the tracks of events', [], ({ open: { derived } }) => derived.removeGroup(EVENTS), {
    needs: ({ open }) => stateOf(open, EVENTS) === 'kept',
    part: LANES,
  }),
  {
    id: 'keep-events-of-type',
    title: 'Keep all events of its type as a track',
    keys: [],
    part: 'event',
    enabled: (context) => typeIn(context) !== null,
    about: (context) => shortened(context.surface?.open.trace.names.inPlaceOf(typeLabel(typeIn(context) ?? '')) ?? ''),
    run: (context) => context.surface?.open.derived.keepEvents(typeIn(context)),
  },
];

/** Whether there are tracks of CPUs or of events; `unavailable` if there can be none now. */
function stateOf(open: OpenTrace, group: typeof CPUS | typeof EVENTS): 'unavailable' | 'none' | 'kept' {
  const { trace, derived } = open;
  const at = derived.keeping.peek().get(group)?.at;
  const isThere =
    group === CPUS
      ? hasCpus(trace.info.peek())
      : hasEventTypes(open) && [...trace.tracks.peek().values()].some(({ instants }) => instants > 0);
  if (!isRead(open) || !isThere || at === 'making') return 'unavailable';
  return at === 'kept' ? 'kept' : 'none';
}

function isRead({ trace }: OpenTrace): boolean {
  return trace.status.peek().at === 'ready';
}

function hasEventTypes({ trace }: OpenTrace): boolean {
  return trace.info.peek()?.offers.includes('eventTypes') ?? false;
}

/** The current track, if it is that of a thread whose CPUs can be shown. */
function threadWithCpus({ open }: Surface): Track | null {
  const { trace, derived, timeline } = open;
  const track = trace.tracks.peek().get(timeline.arrangement.current.peek());
  const isFree = track?.kind === 'thread' && !derived.keeping.peek().has(cpusKey(track.id));
  return isFree && isRead(open) && hasCpus(trace.info.peek()) ? track : null;
}

function keepCpusOfThread(surface: Surface): void {
  const track = threadWithCpus(surface);
  if (track) surface.open.derived.keepCpusOf(track.id);
}

/** The type of the event that a command acts on, unless there is a track of it: that of the row, or else of the selection. */
function typeIn({ row, surface }: CommandContext): string | null {
  if (!surface) return null;
  const type = row ? (row.eventType ?? null) : selectedType(surface.open);
  const isFree = type !== null && !surface.open.derived.keeping.peek().has(eventsKey(type));
  return isFree && isRead(surface.open) ? type : null;
}

function selectedType(open: OpenTrace): string | null {
  const known = open.selection.known.peek();
  return known?.at === 'known' && hasEventTypes(open) ? typeOf(known.details.fields) : null;
}
