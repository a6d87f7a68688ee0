/*
 * Tracks of records that a pass has collected, made when they are asked for.
 */
import { formatCount, formatCounted } from '../base/format.ts';
import { type Collected, MOST_COLLECTED, NO_TEXT } from '../base/record_protocol.ts';
import { CUSTOM } from './event_types.ts';
import type { KeptField } from './kept_fields.ts';
import { cpusKey, eachKey, eventsKey, type Lane, typeLabel } from './lanes.ts';
import type { Tracks } from './tracks.ts';

/** The name of texts that are not told apart. */
const OTHERS = 'other texts';

/** A lane per CPU with the intervals in which a thread's records say that CPU. `threadOf` names the thread of a track. */
export function cpuLanes(found: Collected, threadOf: (track: number) => string): Lane[] {
  const byCpu = grouped(found, (row) => Number(found.bits[row]!));
  const arrivals = new Set(migrations(found));
  return [...byCpu]
    .sort(([a], [b]) => a - b)
    .map(([cpu, rows]) => {
      const threads = new Set(rows.map((row) => found.track[row]!)).size;
      const arrived = rows.filter((row) => arrivals.has(row)).length;
      const detail = `Threads with records on CPU ${cpu}: ${formatCounted(threads, 'thread')}, ${formatCounted(arrived, 'migration')} to it${cut(found)}`;
      const names = rows.map((row) => threadOf(found.track[row]!));
      return { key: `CPU ${cpu}`, label: `CPU ${cpu}`, detail, noun: 'interval', rows, names };
    });
}

/** A lane with the CPUs on which a thread ran, in intervals; null if none of its records were found. */
export function threadLane(found: Collected, track: number, thread: string): Lane | null {
  const rows = grouped(found, (row) => found.track[row]!).get(track);
  if (!rows) return null;
  const cpus = new Set(rows.map((row) => found.bits[row]!)).size;
  const detail = `CPUs in the records of ${thread}: ${formatCounted(cpus, 'CPU')}, ${formatCounted(rows.length - 1, 'migration')}${cut(found)}`;
  const names = rows.map((row) => `CPU ${found.bits[row]!}`);
  return { key: cpusKey(track), label: `CPUs of ${thread}`, detail, noun: 'interval', rows, names };
}

/** A lane per type of event, or one for the type that is asked for. */
export function eventLanes(found: Collected, wanted: string | null): Lane[] {
  const byType = grouped(found, (row) => Number(BigInt.asIntN(64, found.bits[row]!)));
  return [...byType]
    .sort(([a], [b]) => a - b)
    .map(([number, rows]) => ({ type: number < 0 ? CUSTOM : String(number), rows }))
    .filter(({ type }) => wanted === null || type === wanted)
    .map(({ type, rows }) => {
      const label = typeLabel(type);
      const detail = `All ${type === CUSTOM ? label : `typed events of type ${type}`}${cut(found)}`;
      return { key: eventsKey(type), label, detail, noun: 'event', rows, names: null };
    });
}

/** A lane per track of records with the numbers of a field. */
export function valueLanes(found: Collected, field: KeptField, tracks: Tracks): Lane[] {
  const { label } = field;
  const key = eachKey(field);
  // A track of points may be called like those of others: the file that it belongs to tells it from them.
  const nameOf = (id: number) => {
    const track = tracks.get(id);
    return tracks.get(track?.parent ?? -1)?.name ?? track?.name ?? '';
  };
  return [...grouped(found, (row) => found.track[row]!)]
    .sort(([a], [b]) => a - b)
    .map(([track, rows]) => ({
      key: `${key} ${track}`,
      label: `${label} · ${nameOf(track)}`,
      detail: `${label} in ${nameOf(track)}${cut(found)}`,
      noun: 'value',
      rows,
      names: null,
      isOfValues: true,
    }));
}

/**
 * A lane with the texts of a field, null if none were found: each from where it is recorded to where another one is, or something that
 * is not a text. The last one ends where it is recorded last.
 */
export function textLane(columns: Collected, key: string, label: string, says: string): Lane | null {
  const { time, bits, texts = [] } = columns;
  // Logs of several threads come thread by thread.
  const order = Array.from(time.keys()).sort((a, b) => (time[a]! < time[b]! ? -1 : time[a]! > time[b]! ? 1 : a - b));
  const rows: number[] = [];
  const ends: bigint[] = [];
  let current = NO_TEXT;
  for (const row of order) {
    const text = bits[row]!;
    if (current !== NO_TEXT) ends[ends.length - 1] = time[row]!;
    if (text !== current && text !== NO_TEXT) {
      rows.push(row);
      ends.push(time[row]!);
    }
    current = text;
  }
  if (rows.length === 0) return null;
  const isMore = rows.some((row) => bits[row]! >= BigInt(texts.length));
  const note = isMore ? ` · only the first ${formatCounted(texts.length, 'text')} told apart` : '';
  const names = rows.map((row) => texts[Number(bits[row]!)] ?? OTHERS);
  return { key, label, detail: `${says}${note}${cut(columns)}`, noun: 'interval', rows, names, ends };
}

/** Indices of records by what `keyOf` says. */
function grouped(found: Collected, keyOf: (row: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let row = 0; row < found.time.length; row += 1) {
    const key = keyOf(row);
    const rows = groups.get(key);
    if (rows) rows.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** The intervals that follow another one of their thread. Those of a thread are in order. */
function migrations(found: Collected): number[] {
  const seen = new Set<number>();
  const rows: number[] = [];
  for (const [row, track] of found.track.entries()) {
    if (seen.has(track)) rows.push(row);
    seen.add(track);
  }
  return rows;
}

function cut({ time }: Collected): string {
  return time.length === MOST_COLLECTED ? ` · only the first ${formatCount(time.length)} found` : '';
}
