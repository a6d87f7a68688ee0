import { formatCount, formatCounted, formatNumeral, NBSP, plural } from '../base/format.ts';
import { DERIVED, type ProblemCount, type TraceInfo, type Track } from '../base/protocol.ts';

/** Singular noun for a slice that groups others, such as a debug group. */
const GROUP = 'group';
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
function sliceNounOf(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string {
  if (track.noun !== undefined) return track.noun;
  if (track.kind !== 'lane') return info.sliceNoun;
  return track.name.replace(/s$/, '');
}

/**
 * Tracks in the order in which they are shown: that of the trace, except that among the threads of a process the main thread
 * comes first, and then the lower id. Buffers of a log come in the order in which they were written, which is another one in
 * each recording.
 */
export function inOrder(tracks: Iterable<Track>): Track[] {
  const all = [...tracks];
  const places = new Map<number, number[]>();
  all.forEach(({ kind, thread, parent }, place) => {
    if (kind !== 'thread' || thread === undefined) return;
    const siblings = places.get(parent);
    if (siblings) siblings.push(place);
    else places.set(parent, [place]);
  });
  const processes = new Map(all.filter(({ kind }) => kind === 'process').map(({ id, thread }) => [id, thread]));
  for (const [parent, siblings] of places) {
    const known = processes.get(parent);
    const main = known === undefined ? null : BigInt(known);
    const threads = siblings.map((place) => ({ track: all[place]!, id: BigInt(all[place]!.thread!) }));
    const rank = (id: bigint) => (id === main ? 0 : 1);
    threads.sort((a, b) => rank(a.id) - rank(b.id) || (a.id < b.id ? -1 : Number(a.id > b.id)));
    for (const [i, place] of siblings.entries()) all[place] = threads[i]!.track;
  }
  return all;
}

/** A number of slices on some tracks with their noun: `331 calls`, `337 calls and groups`, `4 frames`. */
export function countedSlices(slices: number, tracks: readonly Track[], info: Pick<TraceInfo, 'sliceNoun'>): string {
  const nouns = new Set(tracks.map((track) => sliceNounOf(track, info)));
  const [noun = info.sliceNoun] = nouns.size === 1 ? nouns : [];
  if (!tracks.some(({ groups }) => groups)) return formatCounted(slices, noun);
  return `${formatCount(slices)}${NBSP}${plural(2, noun)} and ${plural(2, GROUP)}`;
}

/** Number of slices by noun: first those of threads, then groups of them, then lane by lane. */
export function slicesByNoun(
  tracks: Iterable<Track>,
  info: Pick<TraceInfo, 'sliceNoun'>,
): readonly (readonly [noun: string, count: number])[] {
  const counts = new Map<string, number>([[info.sliceNoun, 0]]);
  // There may be tens of thousands of tracks, and they are counted again whenever there is more in them.
  for (const track of tracks) {
    const { slices, groups = 0, gapSlices = 0 } = track;
    if (slices === 0) continue;
    const noun = sliceNounOf(track, info);
    // Time without records is not a call.
    counts.set(noun, (counts.get(noun) ?? 0) + slices - groups - gapSlices);
    if (groups > 0) counts.set(GROUP, (counts.get(GROUP) ?? 0) + groups);
  }
  return [...counts];
}

/** The lines below the name of a track: its detail and its size. */
export function trackLines(track: Track, info: Pick<TraceInfo, 'sliceNoun'>): string[] {
  if (track.kind === 'counter') return [[track.detail, readings(track)].filter((part) => part !== '').join(' · ')];
  const counts: string[] = [];
  const { slices, groups = 0, gapSlices = 0 } = track;
  const calls = slices - groups - gapSlices;
  if (calls > 0) counts.push(formatCounted(calls, sliceNounOf(track, info)));
  if (groups > 0) counts.push(formatCounted(groups, GROUP));
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
  return graphRange(track).lowest === 0 && !track.infinite?.[0] ? extremes(track)[1] : readings(track);
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

/** The lowest and the highest value of a counter as texts. */
function extremes(track: Track): [string, string] {
  const [low, high] = track.exactRange ?? [track.lowestValue, track.highest];
  const [negative, positive] = track.infinite ?? [false, false];
  return [
    formatReading(negative ? Number.NEGATIVE_INFINITY : low, track),
    formatReading(positive ? Number.POSITIVE_INFINITY : high, track),
  ];
}

/** The range of a counter's values: `highest 22`, `always 3`, `−48 … 48`. */
function readings(track: Track): string {
  if (track.samples === 0) return '';
  const [low, high] = extremes(track);
  if (low === high && track.highest !== 0) return `always ${high}`;
  const startsAtZero = graphRange(track).lowest === 0 && !track.infinite?.[0];
  return startsAtZero ? `highest ${high}` : `${low} … ${high}`;
}

/**
 * A value of a counter as text. Unless the user wants something else, an address is hexadecimal. A number that is not an integer
 * has at most six digits.
 */
export function formatReading(value: number | bigint, { values, look }: Pick<Track, 'values' | 'look'>): string {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    const exact = BigInt(value);
    const format = look?.format ?? (values === 'address' ? 'hex' : 'decimal');
    if (format === 'hex') return exact < 0n ? `−0x${(-exact).toString(16)}` : `0x${exact.toString(16)}`;
    if (format === 'characters') return characterOf(exact);
    return formatCount(exact);
  }
  // As the values of records.
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '−inf' : 'inf';
  const text = Math.abs(value) >= 1e15 ? value.toExponential(5) : Number(value.toPrecision(6)).toString();
  return formatNumeral(text.replace(/\.?0*e\+/, 'e'));
}

/** The character with a number, as C writes it: `'a'`, `'\x0a'`. Other numbers stay as they are. */
function characterOf(value: bigint): string {
  if (value < 0n || value > 0x10ffffn) return formatCount(value);
  const text = String.fromCodePoint(Number(value));
  return /^\p{C}$/u.test(text) ? `'\\x${value.toString(16).padStart(2, '0')}'` : `'${text}'`;
}

/** The value of a counter with these 64 bits, exact. */
export function readingOf(bits: bigint, values: Track['values']): number | bigint {
  switch (values) {
    case 'float':
      return new Float64Array(BigUint64Array.of(bits).buffer)[0]!;
    case 'signed':
      return BigInt.asIntN(64, bits);
    default:
      return bits;
  }
}

/**
 * The number of problems in the file: `1 problem · 2 minor`, `2 minor problems`. Minor ones have lost nothing. `brokenOff` adds
 * a problem.
 */
export function problemsLabel(problems: readonly ProblemCount[], brokenOff: boolean): string {
  const sum = (serious: boolean) =>
    problems.reduce((total, kind) => total + (kind.serious === serious ? kind.count : 0), 0);
  const serious = sum(true) + (brokenOff ? 1 : 0);
  const minor = sum(false);
  if (serious > 0) return `${formatCounted(serious, 'problem')}${minor > 0 ? ` · ${formatCount(minor)} minor` : ''}`;
  return minor > 0 ? formatCounted(minor, 'minor problem') : '';
}
