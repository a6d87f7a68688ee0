import type { CallList } from '../base/calls_protocol.ts';
import type { Item, Ticks } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import { pointedOf } from './pointed.ts';
import type { Selection } from './selection.ts';
import type { Statistics } from './statistics.ts';
import type { Trace } from './trace.ts';

/** A call of a function. */
export interface Call {
  readonly item: Extract<Item, { kind: 'slice' }>;
  readonly start: Ticks;
  readonly end: Ticks;
  /** `FLAG_*` bits. */
  readonly flags: number;
}

/** Which call of a function is looked for: see {@link selectCall}. */
export interface CallWish {
  /** Name id. */
  readonly name: number;
  /** Names from an outermost call to the function, for its calls from there only; empty for all. */
  readonly path?: readonly number[];
  readonly order: 'start' | 'shortest' | 'longest';
  /** Only a call of this duration, in ticks. */
  readonly duration?: bigint;
}

/** What looking for a call needs. */
export interface CallSource {
  readonly trace: Pick<Trace, 'begin'>;
  readonly statistics: Pick<Statistics, 'asked'>;
}

/** Finds the first call by a wish in the scope of the statistics; null if there is none. `slot` is that of the job. */
export function findCall(
  wish: CallWish,
  source: CallSource,
  slot: string,
  found: (call: Call | null) => void,
): Dispose {
  const { name, path = [], order, duration } = wish;
  const durations = { shortest: duration ?? 0n, longest: duration ?? MAX_TICKS };
  const about = { name, path: Uint32Array.from(path), ...durations, order, first: 0, rows: 1, of: null };
  return source.trace.begin(
    { kind: 'calls', ...source.statistics.asked(), ...about },
    (reply) => {
      if (reply.t === 'job-failed') found(null);
      if (reply.t === 'job-part') found(reply.part.length > 0 ? callOf(reply.part, 0) : null);
    },
    slot,
  );
}

/** Finds the first call by a wish, and selects it. */
export function selectCall(
  wish: CallWish,
  source: CallSource & { readonly selection: Pick<Selection, 'selected' | 'reveal'> },
): Dispose {
  const { selection } = source;
  const before = selection.selected.peek();
  return findCall(wish, source, 'extreme call', (call) => {
    // A selection made in the meantime takes precedence.
    if (call && selection.selected.peek() === before) selection.reveal(pointedOf({ ...call, name: wish.name }));
  });
}

/** A row of a list of calls. */
export function callOf(part: CallList, i: number): Call {
  const item = { kind: 'slice', track: part.track[i]!, depth: part.depth[i]!, index: part.index[i]! } as const;
  return { item, start: ticks(part.start[i]!), end: ticks(part.end[i]!), flags: part.flags[i]! };
}
