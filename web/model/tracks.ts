import { formatCount, formatCounted } from '../base/format.ts';
import { DERIVED, type ProblemCount, type TraceInfo, type Track } from '../base/protocol.ts';

/** The tracks of a trace by id. Those that it was read from stay the same object until a track is new or has changed. */
export interface Tracks {
  readonly size: number;
  get(id: number): Track | undefined;
  values(): IterableIterator<Track>;
}

/** No tracks. */
export const NO_TRACKS: Tracks = new Map<number, Track>();

/**
 * A list of tracks that grows. Each call of the result adds tracks, or replaces those of the same id, and returns all as a new
 * object. No call copies what is there: a trace may have thousands of tracks, and they come in many messages.
 */
export function createTracks(): (changed: readonly Track[]) => Tracks {
  const tracks = new Map<number, Track>();
  return (changed) => {
    for (const track of changed) tracks.set(track.id, track);
    return {
      get size() {
        return tracks.size;
      },
      get: (id) => tracks.get(id),
      values: () => tracks.values(),
    };
  };
}

/** Singular noun for the slices of a track. A lane without a noun lends its name: `frames` holds frames. */
export function sliceNounOf(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string {
  if (track.noun !== undefined) return track.noun;
  if (track.kind !== 'lane') return info.sliceNoun;
  return track.name.replace(/s$/, '');
}

/** Number of slices by noun: first those of threads, then lane by lane. */
export function slicesByNoun(
  tracks: Iterable<Track>,
  info: Pick<TraceInfo, 'sliceNoun'>,
): readonly (readonly [noun: string, count: number])[] {
  const counts = new Map<string, number>([[info.sliceNoun, 0]]);
  for (const track of tracks) {
    if (track.slices === 0) continue;
    const noun = sliceNounOf(track, info);
    counts.set(noun, (counts.get(noun) ?? 0) + track.slices);
  }
  return [...counts];
}

/** The lines below the name of a track: its detail and its size. */
export function trackLines(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string[] {
  if (track.kind === 'counter') return [[track.detail, readings(track)].filter((part) => part !== '').join(' · ')];
  const counts: string[] = [];
  if (track.slices > 0) counts.push(formatCounted(track.slices, sliceNounOf(track, info)));
  const noun = track.id >= DERIVED ? (track.noun ?? 'event') : 'event';
  if (track.instants > 0) counts.push(formatCounted(track.instants, noun));
  const size = counts.join(' · ');
  // A lane has room for one line, and its size matters more than its detail.
  const lines = track.kind === 'lane' ? [size, track.detail] : [track.detail, size];
  return lines.filter((line) => line !== '');
}

/** The text next to the name of a track without room below it; null for the first of {@link trackLines}. */
export function shortLine(track: Track): string | null {
  if (track.kind !== 'counter' || track.samples === 0) return null;
  return graphRange(track).lowest === 0 ? formatReading(track.highest) : readings(track);
}

/**
 * The values at the bottom and the top of a counter's graph. The graph starts at 0, unless the values are close
 * together and far from 0, as addresses are: then the differences matter.
 */
export function graphRange(track: Pick<Track, 'lowestValue' | 'highest'>): { lowest: number; highest: number } {
  const { lowestValue, highest } = track;
  if (lowestValue >= 0)
    return { lowest: highest - lowestValue < highest / 10 && highest > lowestValue ? lowestValue : 0, highest };
  return { lowest: lowestValue, highest: Math.max(0, highest) };
}

/** The range of a counter's values: `highest 22`, `always 3`, `−48 … 48`. */
function readings(track: Track): string {
  if (track.samples === 0) return '';
  const { lowestValue, highest } = track;
  if (lowestValue === highest && track.samples > 0 && highest !== 0) return `always ${formatReading(highest)}`;
  if (graphRange(track).lowest === 0) return `highest ${formatReading(highest)}`;
  return `${formatReading(lowestValue)} … ${formatReading(highest)}`;
}

/** A value of a counter as text, with at most six digits unless it is an integer. */
export function formatReading(value: number): string {
  if (Number.isSafeInteger(value)) return value < 0 ? `−${formatCount(-value)}` : formatCount(value);
  return Number(value.toPrecision(6)).toString();
}

/** The number of problems and remarks: `1 problem · 2 remarks`. `brokenOff` adds a problem. */
export function problemsLabel(problems: readonly ProblemCount[], brokenOff: boolean): string {
  const sum = (serious: boolean) =>
    problems.reduce((total, kind) => total + (kind.serious === serious ? kind.count : 0), 0);
  const serious = sum(true) + (brokenOff ? 1 : 0);
  const remarks = sum(false);
  const parts: string[] = [];
  if (serious > 0) parts.push(formatCounted(serious, 'problem'));
  if (remarks > 0) parts.push(formatCounted(remarks, 'remark'));
  return parts.join(' · ');
}
