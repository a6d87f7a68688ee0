import type { TraceInfo } from '../base/protocol.ts';
import type { Collected } from '../base/record_protocol.ts';
import { CUSTOM } from './event_types.ts';
import type { KeptField } from './kept_fields.ts';

/** A track to be made of some of the records that a pass has collected. */
export interface Lane {
  /** What it is made from; no other track has it. */
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly noun: string;
  /** Indices of its records. */
  readonly rows: readonly number[];
  /** Names of its slices, one for each record; null for points and values. */
  readonly names: readonly string[] | null;
  /** The ends of its slices, one for each record, if the records do not say them. */
  readonly ends?: readonly bigint[];
  /** It is of the numbers of its records. */
  readonly isOfValues?: true;
}

/** The field of records that says on which CPU they were written. */
export const CPU = 'cpu';
/** Most lanes that are made at once. */
export const MOST_LANES = 256;

/** Whether the records of a trace say on which CPU they were written. */
export function hasCpus(info: Pick<TraceInfo, 'columns'> | null): boolean {
  return info?.columns.some(({ key }) => key === CPU) ?? false;
}

/** Identifies the lane with the CPUs of a thread. */
export function cpusKey(track: number): string {
  return `CPUs ${track}`;
}

/** Identifies the lanes of a field, one for each track that the records are on. */
export function eachKey({ path }: KeptField): string {
  return ['each', ...path].join(' ');
}

/** Identifies the lane of events of a type. */
export function eventsKey(type: string): string {
  return `events ${type}`;
}

/** What the events of a type are called, before the user names them. */
export function typeLabel(type: string): string {
  return type === CUSTOM ? 'custom events' : `typed event ${type}`;
}

/** The columns of some of the records. `ends` says where they end, if they do not say it. */
export function rowsOf(found: Collected, rows: readonly number[], ends?: readonly bigint[]): Collected {
  const longs = (of: BigUint64Array) =>
    of.length === 0 ? new BigUint64Array() : BigUint64Array.from(rows, (row) => of[row]!);
  return {
    time: longs(found.time),
    track: Uint32Array.from(rows, (row) => found.track[row]!),
    locator: longs(found.locator),
    bits: longs(found.bits),
    numbers: Uint8Array.from(rows, (row) => found.numbers[row]!),
    until: ends ? BigUint64Array.from(ends) : longs(found.until),
  };
}
