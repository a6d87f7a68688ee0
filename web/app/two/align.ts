import { formatCounted } from '../../base/format.ts';
import type { JobReply } from '../../base/job_protocol.ts';
import type { Item } from '../../base/protocol.ts';
import { MAX_TICKS, ticks } from '../../base/ticks.ts';
import { alignmentOf } from '../../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../../timeline/open_trace.ts';
import { type Call, callOf } from '../../trace/find_call.ts';
import { pointedOf } from '../../trace/pointed.ts';
import { tracksOf } from '../../trace/statistics.ts';

/** A call and its place among all calls of its function, in the order of their starts. */
interface Counted {
  /** null if there are fewer calls. */
  readonly call: Call | null;
  /** Number of the call of the question, from 0; -1 without one. */
  readonly at: number;
  /** How many calls there are. */
  readonly listed: number;
}

/** A call of a function by its name id: number `n`, from 0, or the number of one that is known. null if that cannot be found out. */
function countCall(open: OpenTrace, name: number, n: number, of: Item | null): Promise<Counted | null> {
  const tracks = Uint32Array.from(tracksOf(open.trace.tracks.peek().values(), 'all'), ({ id }) => id);
  const durations = { shortest: 0n, longest: MAX_TICKS };
  const known = of?.kind === 'slice' ? of : null;
  const about = { name, path: new Uint32Array(), ...durations, order: 'start', first: n, rows: 1, of: known } as const;
  return new Promise((resolve) => {
    const take = (reply: JobReply<'calls'>) => {
      if (reply.t === 'job-failed') resolve(null);
      if (reply.t !== 'job-part') return;
      const { part } = reply;
      const call = part.length > 0 ? callOf(part, 0) : null;
      resolve({ call, at: part.found ? part.at : -1, listed: part.listed });
    };
    const range = { from: ticks(0n), to: MAX_TICKS };
    open.scope.add(open.trace.begin({ kind: 'calls', ...range, tracks, ...about }, take, 'call to align'));
    open.scope.add(() => resolve(null));
  });
}

/** The name id of a text; -1 if nothing has that name. */
function nameIn({ trace }: OpenTrace, text: string): number {
  return trace.names.text.indexOf(text);
}

/**
 * Aligns the timelines at a call of a function: number `n` of each trace, from 0. Selects both. Resolves with why that cannot be done, in a
 * sentence, or with ''.
 */
export async function alignAtCall(pair: Pair, text: string, n: number): Promise<string> {
  const found: Call[] = [];
  const sides = [pair.a, pair.b] as const;
  for (const [i, open] of sides.entries()) {
    const side = 'AB'[i];
    const name = nameIn(open, text);
    if (name < 0) return `${side} has no call of ${text}.`;
    const counted = await countCall(open, name, n, null);
    if (!counted?.call) return `${side} has only ${formatCounted(counted?.listed ?? 0, 'call')} of ${text}.`;
    found.push(counted.call);
  }
  const [a, b] = found as [Call, Call];
  if (pair.a.pair.peek() !== pair) return '';
  alignmentOf(pair).align({ a: a.start, b: b.start });
  // The second timeline follows the first one, but not to the row.
  pair.a.selection.reveal(pointedOf({ ...a, name: nameIn(pair.a, text) }));
  pair.b.selection.selected.value = pointedOf({ ...b, name: nameIn(pair.b, text) });
  pair.b.selection.revealRow();
  return '';
}

/** The selected call as one of many: its function, and its number, from 0. null without one. */
export async function selectedCall(open: OpenTrace): Promise<{ readonly text: string; readonly n: number } | null> {
  const selected = open.selection.selected.peek();
  if (selected?.item?.kind !== 'slice' || selected.name < 0) return null;
  const counted = await countCall(open, selected.name, 0, selected.item);
  return counted && counted.at >= 0 ? { text: open.trace.names.of(selected.name), n: counted.at } : null;
}

/** Aligns the timelines at what is selected in both. Does nothing unless something is. */
export function alignAtSelections(pair: Pair): void {
  const [a, b] = [pair.a.selection.place(), pair.b.selection.place()];
  if (a && b) alignmentOf(pair).align({ a: a.start, b: b.start });
}
