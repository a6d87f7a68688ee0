import { type ReadonlySignal, signal } from '@preact/signals';
import type { RecordRow } from '../base/record_protocol.ts';
import type { Trace } from './trace.ts';

/** How many calls are open at each of some steps. */
export interface CallDepths {
  /** Grows when depths have arrived. */
  readonly version: ReadonlySignal<number>;
  /** How many calls are around a record, from the outermost of the trace on; null until it is known. */
  of(row: RecordRow): number | null;
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
  const known = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const keyOf = ({ x, track }: RecordRow) => `${x} ${track}`;
  const ask = async (rows: readonly RecordRow[]) => {
    const found = await Promise.all(rows.map(({ x, track }) => trace.find({ to: 'at', time: x, track })));
    if (known.size > MOST) known.clear();
    for (const [i, row] of rows.entries()) {
      const item = found[i]?.item;
      const lowest = trace.tracks.peek().get(row.track)?.lowest ?? 0;
      known.set(keyOf(row), item?.kind === 'slice' ? item.depth - lowest + 1 : 0);
    }
    version.value += 1;
  };
  return {
    version,
    of: (row) => known.get(keyOf(row)) ?? null,
    want: (rows) => {
      const missing = rows.filter((row) => !known.has(keyOf(row)));
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (missing.length > 0) timer = setTimeout(() => void ask(missing), REST_MS);
    },
  };
}
