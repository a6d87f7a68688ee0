import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FoundTokens, RecordRow } from '../../base/record_protocol.ts';
import type { Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { pairTracks } from '../../timeline/track_pairs.ts';
import type { Trace } from '../../trace/trace.ts';
import { type Comparing, type HunkKind, KINDS } from './protocol.ts';
import type { Work } from './work.ts';

/** Records of a thread that have no counterpart in the other trace: numbers in the thread, `to` exclusive. */
export interface Hunk {
  /** The tracks of the thread; null where a trace lacks it. */
  readonly tracks: readonly [number | null, number | null];
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
  readonly kind: HunkKind;
  /** Of more turns of a loop: records of a turn. Otherwise 0. */
  readonly turn: number;
}

/** A thread of both traces, or of one. */
export interface Thread {
  /** Its tracks; null where a trace lacks it. */
  readonly tracks: Hunk['tracks'];
  /** Numbers of its records. */
  readonly lengths: readonly [number, number];
  /** The numbers of its differences, `end` exclusive. */
  readonly first: number;
  readonly end: number;
  /** Records of differences that differ in their arguments only, three numbers a time: the first in A, the first in B, how many. */
  readonly alike: Uint32Array;
  /** Where its records are on the x axis; null where a trace lacks it. */
  readonly positions: readonly [Positions | null, Positions | null];
}

/** Positions of every 2^`shift`-th record of a thread, 2^64 - 1 where unknown. */
export interface Positions {
  readonly every: BigUint64Array;
  readonly shift: number;
}

/** Threads in the order of A, and what differs in each in its order. `fields`: keys of the fields that are compared. */
export type RecordsState = Work<{
  readonly hunks: readonly Hunk[];
  readonly threads: readonly Thread[];
  readonly fields: readonly string[];
}>;

/** The order of the list: by position, or the largest difference first. */
export type HunkOrder = 'position' | 'size';

/** The first records of a difference, or the ones after it where a side has none; null where the thread has ended. */
export type Ends = readonly [RecordRow | null, RecordRow | null];

/** What differs between the records of two traces, one by one. */
export interface RecordDifferences {
  readonly state: ReadonlySignal<RecordsState>;
  /** Number of the chosen difference, or -1. */
  readonly chosen: Signal<number>;
  readonly order: Signal<HunkOrder>;
  /** The numbers of the differences in that order. */
  readonly ordered: ReadonlySignal<Uint32Array>;
  /** The number of the difference that follows the chosen one in that order, or comes before it; -1 if there is none. */
  beside(by: 1 | -1): number;
  /** Whether the records are to be compared. It stays, once set. */
  readonly wanted: Signal<boolean>;
  /** The ends of differences that were wanted, by their numbers. */
  readonly ends: ReadonlySignal<ReadonlyMap<number, Ends>>;
  /** Gets the ends of differences from the place `first` of the order on, `end` exclusive. */
  want(first: number, end: number): void;
  /** Gets the ends of one difference. */
  records(hunk: Pick<Hunk, 'tracks' | 'a' | 'b'>): Promise<Ends>;
  readonly dispose: Dispose;
}

/** The traces, as far as their records are compared. */
type Sides = readonly [Pick<Pair['a'], 'trace'>, Pick<Pair['b'], 'trace'>];

/** Most records of a trace: each takes four bytes in two workers. */
const MOST = 1 << 28;

/** Compares the records of B with those of A, once that is wanted. */
export function createRecordDifferences(sides: Sides, comparing: () => Remote<Comparing>): RecordDifferences {
  const scope = createScope();
  const state = signal<RecordsState>({ at: 'waiting' });
  const chosen = signal(-1);
  const order = signal<HunkOrder>('position');
  const wanted = signal(false);
  const ends = signal<ReadonlyMap<number, Ends>>(new Map());
  /** The numbers of those that were asked for. */
  let asked = new Set<number>();
  const stop = new AbortController();
  scope.add(() => stop.abort());

  const compare = async (signal: AbortSignal) => {
    const shares: [number, number] = [0, 0];
    const hear = (side: 0 | 1) => (share: number) => {
      shares[side] = share;
      if (!signal.aborted) state.value = { at: 'working', share: (shares[0] + shares[1]) / 2 };
    };
    const fail = (sentence: string) => {
      if (!signal.aborted) state.value = { at: 'failed', sentence };
    };
    try {
      const [a, b] = await Promise.all([
        tokensOf(sides[0].trace, hear(0), signal),
        tokensOf(sides[1].trace, hear(1), signal),
      ]);
      if (signal.aborted) return;
      if (typeof a === 'string') return fail(a);
      if (typeof b === 'string') return fail(b);
      if (!a || !b) return;
      const service = comparing();
      await Promise.all([
        service.takeTokens(0, a.contents, a.contentEnds),
        service.takeTokens(1, b.contents, b.contentEnds),
      ]);
      const hunks: Hunk[] = [];
      const threads: Thread[] = [];
      for (const tracks of threadsOf(sides, a, b)) {
        const [x, y] = [sequence(a, tracks[0]), sequence(b, tracks[1])];
        const lengths = [x.length, y.length] as const;
        const first = hunks.length;
        const found = await service.align(x, y);
        if (signal.aborted) return;
        for (let n = 0; n < found.kinds.length; n += 1) {
          const [fromA, toA, fromB, toB] = found.hunks.subarray(4 * n);
          const kind = KINDS[found.kinds[n]!]!;
          hunks.push({ tracks, a: [fromA!, toA!], b: [fromB!, toB!], kind, turn: found.turns[n]! });
        }
        const positions = [positionsOf(a, tracks[0]), positionsOf(b, tracks[1])] as const;
        threads.push({ tracks, lengths, first, end: hunks.length, alike: found.alike, positions });
      }
      chosen.value = -1;
      ends.value = new Map();
      asked = new Set();
      state.value = { at: 'done', hunks, threads, fields: a.fields };
    } catch (thrown) {
      fail(String(thrown));
    }
  };
  scope.add(
    effect(() => {
      for (const { trace } of sides) void trace.names.version.value;
      const isRead = sides.every(({ trace }) => trace.status.value.at === 'ready');
      state.value = isRead && wanted.value ? { at: 'working', share: 0 } : { at: 'waiting' };
      if (!isRead || !wanted.value) return undefined;
      const controller = new AbortController();
      void compare(controller.signal);
      return () => controller.abort();
    }),
  );
  const ordered = computed(() => {
    const now = state.value;
    const hunks = now.at === 'done' ? now.hunks : [];
    const all = Uint32Array.from(hunks, (_, number) => number);
    if (order.value === 'position') return all;
    const size = ({ a, b }: Hunk) => a[1] - a[0] + b[1] - b[0];
    return all.sort((one, other) => size(hunks[other]!) - size(hunks[one]!) || one - other);
  });
  const beside = (by: 1 | -1) => {
    const all = ordered.peek();
    const at = all.indexOf(chosen.peek());
    return all[at < 0 && by < 0 ? all.length - 1 : at + by] ?? -1;
  };
  const records = async ({ tracks, a, b }: Pick<Hunk, 'tracks' | 'a' | 'b'>): Promise<Ends> => {
    const row = async (side: 0 | 1, from: number) => {
      const track = tracks[side];
      const rows = track === null ? null : await sides[side].trace.records.numbered(track, from, 1, stop.signal);
      return rows?.[0] ?? null;
    };
    return Promise.all([row(0, a[0]), row(1, b[0])]);
  };
  const want = async (first: number, end: number) => {
    const now = state.peek();
    if (now.at !== 'done') return;
    const numbers = [...ordered.peek().subarray(first, end)];
    const part = numbers.map((number) => ({ hunk: now.hunks[number]!, number }));
    const missing = part.filter(({ number }) => !asked.has(number));
    if (missing.length === 0) return;
    for (const { number } of missing) asked.add(number);
    // Together: each arrival draws the table.
    const found = await Promise.all(missing.map(async ({ hunk, number }) => [number, await records(hunk)] as const));
    if (state.peek() === now) ends.value = new Map([...ends.peek(), ...found]);
  };
  return {
    state,
    chosen,
    order,
    ordered,
    beside,
    wanted,
    ends,
    want: (first, end) => void want(first, end),
    records,
    dispose: scope.dispose,
  };
}

/** A sentence if there can be none, null if that was aborted. */
type Tokens = FoundTokens | string | null;

async function tokensOf(trace: Trace, hear: (share: number) => void, signal: AbortSignal): Promise<Tokens> {
  const { names, records, progress } = trace;
  if (progress.peek().events > MOST) return 'These traces have too many records to be compared one by one.';
  const ids: bigint[] = [];
  const texts: string[] = [];
  for (const [id, text] of names.text.entries()) {
    const key = /^#(-?\d+)$/.exec(names.keyOf(id))?.[1];
    if (key === undefined) continue;
    ids.push(BigInt(key));
    texts.push(text);
  }
  const answer = await records.tokens(BigInt64Array.from(ids), texts, hear, signal);
  return answer?.error?.sentence ?? answer?.value ?? null;
}

/** The threads of both that belong together, and those that only one has. */
function threadsOf(sides: Sides, a: FoundTokens, b: FoundTokens): readonly Hunk['tracks'][] {
  const [first, second] = sides.map(({ trace }) => [...trace.tracks.peek().values()]);
  const pairs = pairTracks(first!, second!);
  const left = new Set(b.tracks);
  const threads: [number | null, number | null][] = [];
  for (const track of a.tracks) {
    const other = pairs.get(track);
    const is = other !== undefined && left.delete(other);
    threads.push([track, is ? other : null]);
  }
  for (const track of left) threads.push([null, track]);
  return threads;
}

/** The tokens of a track. */
function sequence({ tracks, ends, tokens }: FoundTokens, track: number | null): Uint32Array {
  const at = track === null ? -1 : tracks.indexOf(track);
  return at < 0 ? new Uint32Array() : tokens.slice(at > 0 ? ends[at - 1]! : 0, ends[at]);
}

/** The positions of a track's records; null if it has none. */
function positionsOf(found: FoundTokens, track: number | null): Positions | null {
  const at = track === null ? -1 : found.tracks.indexOf(track);
  if (at < 0) return null;
  const from = at > 0 ? found.positionEnds[at - 1]! : 0;
  return { every: found.positions.slice(from, found.positionEnds[at]), shift: found.positionShifts[at]! };
}
