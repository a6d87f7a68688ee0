import type { RecordRow } from '../../base/record_protocol.ts';
import { ticks } from '../../base/ticks.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { type CellContext, cellTexts } from '../../trace/record_cells.ts';
import type { Hunk } from './records.ts';

/** A record as a line: what the list of records has of it, but for its thread and position. Subscribes to names. */
export function textOf({ trace, eventTypes }: OpenTrace, row: RecordRow): string {
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
  const isShown = (_: string, i: number) => !['position', 'thread'].includes(info.columns[i]!.shows);
  return texts.filter(isShown).filter(Boolean).join('  ');
}

/** The name of a thread of both. */
export function threadOf({ a, b }: Pair, [first, second]: Hunk['tracks']): string {
  const [open, track] = first === null ? [b, second] : [a, first];
  return (track === null ? undefined : open.trace.tracks.peek().get(track)?.name) ?? '';
}
