import { CPUS, EVENTS } from '../../model/derived.ts';
import { typeOf } from '../../model/event_types.ts';
import { cpusKey, eventsKey, hasCpus, typeLabel } from '../../model/lanes.ts';
import type { OpenTrace } from '../../model/open_trace.ts';
import type { Lanes } from '../commands/context.ts';

/** What can be kept of CPUs and events of a trace, once it is read. */
export function lanesOf({ trace, derived, selection, timeline: { arrangement } }: OpenTrace): Lanes {
  const isRead = () => trace.status.peek().at === 'ready';
  const hasEvents = () => trace.info.peek()?.offers.includes('eventTypes') ?? false;
  const stateOf = (group: string, isThere: boolean) => {
    const at = derived.keeping.peek().get(group)?.at;
    if (!isRead() || !isThere || at === 'making') return 'unavailable';
    return at === 'kept' ? 'kept' : 'none';
  };
  return {
    cpus: () => stateOf(CPUS, hasCpus(trace.info.peek())),
    keepCpus: derived.keepCpus,
    removeCpus: () => derived.removeGroup(CPUS),
    threadWithCpus: () => {
      const track = trace.tracks.peek().get(arrangement.current.peek());
      const isFree = track?.kind === 'thread' && !derived.keeping.peek().has(cpusKey(track.id));
      return isFree && isRead() && hasCpus(trace.info.peek()) ? track : null;
    },
    keepCpusOf: derived.keepCpusOf,
    events: () =>
      stateOf(EVENTS, hasEvents() && [...trace.tracks.peek().values()].some(({ instants }) => instants > 0)),
    keepEvents: derived.keepEvents,
    removeEvents: () => derived.removeGroup(EVENTS),
    selectedType: () => {
      const known = selection.known.peek();
      return known?.at === 'known' && hasEvents() ? typeOf(known.details.fields) : null;
    },
    canKeepEvents: (type) => isRead() && !derived.keeping.peek().has(eventsKey(type)),
    nameOfType: (type) => trace.names.inPlaceOf(typeLabel(type)),
  };
}
