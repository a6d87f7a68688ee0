import { formatCounted, formatLength } from '../../base/format.ts';
import type { TraceInfo, Track } from '../../base/protocol.ts';
import type { Trace } from '../../trace/trace.ts';
import { slicesByNoun } from '../../trace/tracks.ts';
import { extentLength } from '../../trace/view.ts';

/** Properties that say which program was recorded, the more precise ones first. */
const OF_PROGRAM = ['Program', 'Command line'];

/** What a trace is, in a sentence: the program, how much of what it has, and how long it is. Subscribes. */
export function sentenceOf({ progress, tracks }: Pick<Trace, 'progress' | 'tracks'>, info: TraceInfo): string {
  const { events, extent } = progress.value;
  const all: readonly Track[] = [...tracks.value.values()];
  const program = programOf(info);
  const slices = slicesByNoun(all, info).filter(([noun, count]) => count > 0 && noun !== info.eventNoun);
  const ofEvents = formatCounted(events, info.eventNoun);
  const ofSlices = slices.map(([noun, count]) => formatCounted(count, noun));
  // On an axis of time, records are but the ends of slices.
  const counts = info.clock.kind === 'ordinal' ? [ofEvents, ...ofSlices] : ofSlices.length > 0 ? ofSlices : [ofEvents];
  const threads = all.filter(({ kind }) => kind === 'thread').length;
  const inThreads = threads > 0 ? ` in ${formatCounted(threads, 'thread')}` : '';
  const length =
    extent && info.clock.kind !== 'ordinal' ? `, ${formatLength(extentLength(extent), info.clock)} long` : '';
  return `${program === '' ? info.title : `${info.title} of ${program}`}: ${listed(counts)}${inThreads}${length}.`;
}

/** The name of the program, without its folder; '' if the trace does not say it. */
function programOf({ properties }: Pick<TraceInfo, 'properties'>): string {
  const values = new Map(properties);
  const said = OF_PROGRAM.map((name) => values.get(name)).find((value) => value !== undefined && value !== '') ?? '';
  return (said.split(/\s/)[0] ?? '').split(/[/\\]/).at(-1) ?? '';
}

/** Words as a list: `a, b and c`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
