import { formatCount, formatCounted } from '../base/format.ts';
import type { ProblemCount, TraceInfo, Track } from '../base/protocol.ts';

/** What the slices of a track are called, in the singular: a lane's go by its name, `frames` holds frames. */
export function sliceNounOf(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string {
  if (track.kind !== 'lane') return info.sliceNoun;
  return track.name.replace(/s$/, '');
}

/** How many slices of each kind there are: those of threads first, then lane by lane. */
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

/** What there is to say of a track below its name, line by line; the last is its size. */
export function trackLines(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string[] {
  if (track.kind === 'counter') return [track.samples > 0 ? `highest ${formatReading(track.highest)}` : ''];
  const counts: string[] = [];
  if (track.slices > 0) counts.push(formatCounted(track.slices, sliceNounOf(track, info)));
  if (track.instants > 0) counts.push(formatCounted(track.instants, 'event'));
  const size = counts.join(' · ');
  // A lane is low: its size says more than how it came about, which is told with the whole name.
  const lines = track.kind === 'lane' ? [size, track.detail] : [track.detail, size];
  return lines.filter((line) => line !== '');
}

/** What is said beside the name where there is no room below it, when that is not the first line. */
export function shortLine(track: Track): string | null {
  return track.kind === 'counter' && track.samples > 0 ? formatReading(track.highest) : null;
}

/** A value of a counter. */
export function formatReading(value: number): string {
  if (Number.isSafeInteger(value)) return value < 0 ? `−${formatCount(-value)}` : formatCount(value);
  return Number(value.toPrecision(6)).toString();
}

/** `1 problem · 2 remarks`: what is wrong, and what is merely to be said. */
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
