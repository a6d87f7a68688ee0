import { formatCount } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { widthOfText } from '../../parts/columns.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { type CellContext, cellTexts } from '../../trace/record_cells.ts';
import { canWalk } from '../../trace/stepping.ts';
import { isScalar } from '../../trace/values.ts';
import type { Hunk } from './records.ts';

/**
 * A record as a line: what the list of records has of it, but for its position and where it happened, such as thread and processor.
 * `fields`: keys of what is compared. Subscribes to names.
 */
export function textOf({ trace, eventTypes }: OpenTrace, row: RecordRow, fields: readonly string[]): string {
  const info = trace.info.peek();
  if (!info) return '';
  void trace.names.version.value;
  const context: CellContext = {
    columns: info.columns,
    clock: info.clock,
    origin: trace.progress.peek().extent?.from ?? ticks(0n),
    threadOf: () => '',
    nameOf: trace.names.inPlaceOf,
    eventTypes: eventTypes.types.value,
  };
  const texts = cellTexts(row, context);
  const isShown = (_: string, i: number) => {
    const { shows, key } = info.columns[i]!;
    if (shows !== 'field' || fields.includes(key)) return shows !== 'position' && shows !== 'thread';
    const field = row.fields.find(({ name }) => name === key);
    return field === undefined || !isScalar(field.value);
  };
  return texts.filter(isShown).filter(Boolean).join('  ');
}

/** What a record is called: a step, where it is one. */
export function nounOf(info: TraceInfo | null): string {
  if (info?.clock.kind === 'ordinal' && canWalk(info)) return info.clock.unit;
  return info?.recordNoun ?? 'record';
}

/** The name of a thread of both, or both its names if these differ. */
export function threadOf({ a, b }: Pair, [first, second]: Hunk['tracks']): string {
  const nameIn = ({ trace }: OpenTrace, track: number | null) =>
    track === null ? '' : (trace.tracks.peek().get(track)?.name ?? '');
  const [inA, inB] = [nameIn(a, first), nameIn(b, second)];
  return inA === inB || first === null || second === null ? inA || inB : `${inA} (${inB} in B)`;
}

/** Whether records are known by their numbers in the trace. Otherwise they are counted thread by thread. */
export function isNumbered({ a }: Pair): boolean {
  return a.trace.info.peek()?.clock.kind === 'ordinal';
}

/** The width of a column of numbers of records of a trace. Subscribes. */
export function numberWidth({ trace }: OpenTrace): string {
  return `${Math.max(56, widthOfText(formatCount(trace.progress.value.events)))}px`;
}

/** What the number of a record of a side is. */
export function numberSays(pair: Pair, noun: string, side: 'a' | 'b'): string {
  const of = side.toUpperCase();
  return isNumbered(pair) ? `Number of the ${noun} in ${of}` : `Number of the ${noun} in its thread of ${of}, from 0`;
}
