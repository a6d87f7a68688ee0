import { formatLength, formatPercent, formatPosition } from '../base/format.ts';
import { parsePosition } from '../base/position.ts';
import type { Clock, Problem, TraceError } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Trace } from '../trace/trace.ts';
import type { Extent } from '../trace/view.ts';

/** The last position of any trace. */
const LAST = (1n << 64n) - 1n;

/** How much of a file was read, if that is not all of it. */
export interface PartRead {
  /** `57 % of the file, up to 3.2 s`. */
  readonly label: string;
  /** Why reading ended: a limit, the user, or a file that cannot be read any more. */
  readonly why: string;
  /** Where it ended at a limit, if that is known. */
  readonly at: Pick<Problem, 'offset'> | Pick<TraceError, 'offset'> | null;
}

/** How much of a trace was read, if something other than damage ended the reading; null if it goes on or nothing ended it early. */
export function partRead({ status, progress, info }: Pick<Trace, 'status' | 'progress' | 'info'>): PartRead | null {
  const now = status.value;
  if (now.at !== 'ready') return null;
  const { bytes, bytesRead, extent, problems } = progress.value;
  const clock = info.value?.clock;
  // What is unpacked last may be a small part of a packed file.
  const share = bytesRead < bytes ? `${formatPercent(bytesRead, bytes)} of the file` : 'part of the file';
  const label = extent && clock ? `${share}, up to ${endOf(extent, clock)}` : share;
  const limit = problems.find(({ isLimit }) => isLimit);
  if (limit) return { label, why: limit.summary, at: limit.first };
  if (now.error?.kind === 'limit' || now.error?.kind === 'unreadable')
    return { label, why: now.error.sentence, at: now.error };
  return now.how === 'cancelled' ? { label, why: 'reading was stopped', at: null } : null;
}

function endOf({ from, to }: Extent, clock: Clock): string {
  return clock.kind === 'ordinal' ? formatPosition(to, from, clock) : formatLength(to - from, clock);
}

/**
 * The range of a trace that a person typed: positions as on the ruler, where nothing is the end of what was read, and the end of the
 * file. Returns a sentence if that is not a range.
 */
export function partWanted(from: string, to: string, extent: Extent, clock: Clock): Extent | string {
  const isShown = from.trim() === '' || from.trim() === formatPosition(extent.to, extent.from, clock);
  const first = isShown ? extent.to : parsePosition(from, extent.from, clock);
  const last = to.trim() === '' ? LAST : parsePosition(to, extent.from, clock);
  const example = formatPosition(extent.to, extent.from, clock);
  if (first === null || last === null) return `Positions look like ${example}.`;
  return first < last ? { from: ticks(first), to: ticks(last) } : 'The part ends before it begins.';
}
