import { type ReadonlySignal, signal } from '@preact/signals';
import { FLAG_NEVER_ENDED, type Found } from '../../base/protocol.ts';
import type { RecordRow } from '../../base/record_protocol.ts';
import type { Trace } from '../../trace/trace.ts';
import type { FoldedCall } from './folds.ts';

/** How many calls are open at each of some steps, and which call begins there. */
export interface CallDepths {
  /** Grows when depths have arrived. */
  readonly version: ReadonlySignal<number>;
  /** How many calls are around a record, from the outermost of the trace on; null until it is known. */
  of(row: RecordRow): number | null;
  /** The innermost call that begins with a record; null if none does, or it is not known. */
  callFrom(row: RecordRow): FoldedCall | null;
  /** Requests the depths of rows that are not known yet, once the list has rested. */
  want(rows: readonly RecordRow[]): void;
}

/** Time without a new wish before depths are requested: a list that is scrolled needs none. */
const REST_MS = 40;
/** Depths that are remembered. */
const MOST = 4096;

/** The depths of a trace's records, from the calls of its timeline. `lowest` has the lowest signed depth of a track. */
export function createCallDepths(trace: Pick<Trace, 'find' | 'tracks'>): CallDepths {
  const version = signal(0);
  const known = new Map<string, { readonly depth: number; readonly call: FoldedCall | null }>();
  const callOf = (found: Found, { x }: RecordRow): FoldedCall | null => {
    if (found.start !== x || found.end === null) return null;
    const to = (found.flags & FLAG_NEVER_ENDED) === 0 ? Number(found.end) : Number.POSITIVE_INFINITY;
    return { from: Number(x), to, name: found.name };
  };
  let timer: ReturnType<typeof setTimeout> | null = null;
  const keyOf = ({ x, track }: RecordRow) => `${x} ${track}`;
  const ask = async (rows: readonly RecordRow[]) => {
    const found = await Promise.all(rows.map(({ x, track }) => trace.find({ to: 'at', time: x, track })));
    if (known.size > MOST) known.clear();
    for (const [i, row] of rows.entries()) {
      const at = found[i];
      const item = at?.item;
      const lowest = trace.tracks.peek().get(row.track)?.lowest ?? 0;
      const isCall = item?.kind === 'slice';
      known.set(keyOf(row), {
        depth: isCall ? item.depth - lowest + 1 : 0,
        call: at && isCall ? callOf(at, row) : null,
      });
    }
    version.value += 1;
  };
  return {
    version,
    of: (row) => known.get(keyOf(row))?.depth ?? null,
    callFrom: (row) => known.get(keyOf(row))?.call ?? null,
    want: (rows) => {
      const missing = rows.filter((row) => !known.has(keyOf(row)));
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (missing.length > 0) timer = setTimeout(() => void ask(missing), REST_MS);
    },
  };
}
