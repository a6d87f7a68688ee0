import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { givenNames } from '../../base/given_names.ts';
import { resultOf } from '../../base/portions.ts';
import type { FoundTokens, RecordRow, TokensPart } from '../../base/record_protocol.ts';
import { give, type Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { PairDifferences } from '../../page/differences.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import type { Trace } from '../../trace/trace.ts';
import { type LeftOut, rulesAmong } from './ignore.ts';
import { type Comparing, type FoundHunks, type HunkKind, KINDS, type TraceTokens } from './protocol.ts';
import type { Work } from './work.ts';

/** Records of a thread that have no counterpart in the other trace: numbers in the thread, `to` exclusive. */
export interface Hunk {
  /** The tracks of the thread; null where a trace lacks it. */
  readonly tracks: readonly [number | null, number | null];
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
  /** How many of these records count on each side: without those that are ignored. */
  readonly counts: readonly [number, number];
  readonly kind: HunkKind;
  readonly loop: Loop | null;
  readonly around: Around | null;
}

/** A loop with another number of iterations. */
export interface Loop {
  /** Records of an iteration. */
  readonly records: number;
  /** Iterations in A and in B. */
  readonly counts: readonly [number, number];
  /** Whether the first ones are the same, and the last ones. */
  readonly same: readonly [boolean, boolean];
}

/** A call that only one side has around others. */
export interface Around {
  readonly side: 'A' | 'B';
  /** The name of the call, and that of the first one in it. */
  readonly outer: string;
  readonly inner: string;
}

/** A thread of both traces, or of one. */
export interface Thread {
  /** Its tracks; null where a trace lacks it. */
  readonly tracks: Hunk['tracks'];
  /** How many records it has, with those that are ignored. */
  readonly lengths: readonly [number, number];
  /** Numbers of records that are ignored. */
  readonly leftOut: readonly [Uint32Array, Uint32Array];
  /** The numbers of its differences, `end` exclusive. */
  readonly first: number;
  readonly end: number;
  /** Records of differences that differ in their arguments only, three numbers a time: the first in A, the first in B, how many. */
  readonly alike: Uint32Array;
  /** Of executions, records whose instructions the other trace has nowhere, two numbers a time: from and to. */
  readonly alone: readonly [Uint32Array, Uint32Array];
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
  readonly leftOut: LeftOut;
  /** Of executions, how many instructions only A has executed, and how many only B; null of others. */
  readonly alone: readonly [number, number] | null;
}>;

/** Where two traces differ first, as far as their beginnings say. */
export type FirstDifference = Pick<Thread, 'tracks' | 'positions'> & {
  /** The numbers of the records in the thread. */
  readonly numbers: readonly [a: number, b: number];
};

/** The order of the list: by position, or the largest difference first. */
export type HunkOrder = 'position' | 'size';

/** The first records of a difference, or the ones after it where a side has none; null where the thread has ended. */
export type Ends = readonly [RecordRow | null, RecordRow | null];

/** What differs between the records of two traces, one by one. */
export interface RecordDifferences {
  readonly state: ReadonlySignal<RecordsState>;
  /** Where they differ first, if that is known before all of them are compared. */
  readonly first: ReadonlySignal<FirstDifference | null>;
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

/** Most records of a trace: each takes up to four bytes in the worker that compares. */
const MOST = 1 << 28;

/** Events of traces whose first difference is looked for before all is compared. Others are compared as soon. */
const MANY = 500_000;

/** Pieces at the beginning of a file in which it is looked for, a thousand records each and more. The last are about 50 MB. */
const BEGINNINGS = [8, 64, 512];

/** Key and noun of the ledger for the numbers of records that the worker compares. */
const HELD = 'numbers of records';

/** Notes for the benchmark how long something took, as a User Timing measure in place of the last one. */
function note(what: 'first' | 'aligned' | 'compared', start: number): void {
  const name = `unspool:records-${what}`;
  performance.clearMeasures(name);
  performance.measure(name, { start });
}

/** No track. */
const NONE = 2 ** 32 - 1;

/** Compares the records of B with those of A, once that is wanted, but for what rules say. */
export function createRecordDifferences(
  sides: Sides,
  comparing: () => Remote<Comparing>,
  { ignored, wanted }: Pick<PairDifferences, 'ignored' | 'wanted'>,
): RecordDifferences {
  const scope = createScope();
  const state = signal<RecordsState>({ at: 'waiting' });
  const first = signal<FirstDifference | null>(null);
  const chosen = signal(-1);
  const order = signal<HunkOrder>('position');
  const ends = signal<ReadonlyMap<number, Ends>>(new Map());
  /** The numbers of those that were asked for. */
  let asked = new Set<number>();
  const stop = new AbortController();
  scope.add(() => stop.abort());
  /** The worker has them until it ends. */
  const hold = (side: 0 | 1, bytes: number) => {
    sides[side].trace.ledger.set(HELD, { noun: HELD, bytes, free: null });
  };
  scope.add(() => {
    hold(0, 0);
    hold(1, 0);
  });

  const compare = async (rules: readonly string[], signal: AbortSignal) => {
    const began = performance.now();
    const shares: [number, number] = [0, 0];
    const hear = (side: 0 | 1) => (share: number) => {
      shares[side] = share;
      if (!signal.aborted) state.value = { at: 'working', share: (shares[0] + shares[1]) / 2 };
    };
    const fail = (sentence: string) => {
      if (!signal.aborted) state.value = { at: 'failed', sentence };
    };
    const format = sides[0].trace.info.peek()?.format ?? '';
    const service = comparing();
    const both = async (pieces: number | null) => {
      const of = (side: 0 | 1) => {
        let bytes = 0;
        const take = (part: TokensPart) => {
          if (signal.aborted) return;
          // As much as they may take: half of it, if most fit into two bytes.
          bytes += part.tokens.byteLength;
          hold(side, bytes);
          // If the worker has died, what comes next says so.
          service.takeRecords(side, give(part)).then(sides[side].trace.records.reuse, () => undefined);
        };
        return tokensOf(sides[side].trace, rules, pieces, take, pieces ? () => undefined : hear(side), signal);
      };
      const [, a, b] = await Promise.all([service.beginRecords(format, rules), of(0), of(1)]);
      return [a, b] as const;
    };
    try {
      const isLong = sides.every(({ trace }) => trace.progress.peek().events >= MANY);
      for (const pieces of isLong ? BEGINNINGS : []) {
        const [a, b] = await both(pieces);
        // The whole has the same error.
        if (signal.aborted || !a || !b || typeof a === 'string' || typeof b === 'string') break;
        const given = [ofTrace(sides[0].trace, a), ofTrace(sides[1].trace, b)] as const;
        const found = firstOf([a, b], await service.first(...given));
        if (signal.aborted) return;
        first.value = found;
        if (found) note('first', began);
        if (found) break;
      }
      const [a, b] = await both(null);
      if (signal.aborted) return;
      if (typeof a === 'string') return fail(a);
      if (typeof b === 'string') return fail(b);
      if (!a || !b) return;
      const given = [ofTrace(sides[0].trace, a), ofTrace(sides[1].trace, b)] as const;
      const { pairs, alone } = await service.pairThreads(...given);
      const hunks: Hunk[] = [];
      const threads: Thread[] = [];
      const paired = performance.now();
      for (let pair = 0; 2 * pair < pairs.length && !signal.aborted; pair += 1) {
        const found = await service.align(pair, signal);
        const [x, y] = [partOf(a, pairs[2 * pair]!), partOf(b, pairs[2 * pair + 1]!)];
        const first = hunks.length;
        const tracks = [x.track, y.track] as const;
        const leftOut = [x.leftOut, y.leftOut] as const;
        addHunks(hunks, found, tracks, leftOut);
        threads.push({
          tracks,
          lengths: [x.length, y.length],
          leftOut,
          first,
          end: hunks.length,
          alike: found.alike,
          alone: [found.aloneA, found.aloneB],
          positions: [x.positions, y.positions],
        });
      }
      if (signal.aborted) return;
      chosen.value = -1;
      ends.value = new Map();
      asked = new Set();
      note('aligned', paired);
      note('compared', began);
      const leftOut = leftOutOf([a, b], threads);
      state.value = {
        at: 'done',
        hunks,
        threads,
        fields: a.fields,
        leftOut,
        alone: alone && [alone[0]!, alone[1]!],
      };
    } catch (thrown) {
      fail(String(thrown));
    }
  };
  scope.add(
    effect(() => {
      for (const { trace } of sides) void trace.names.version.value;
      const rules = rulesAmong(ignored.value);
      const isRead = sides.every(({ trace }) => trace.status.value.at === 'ready');
      first.value = null;
      state.value = isRead && wanted.value ? { at: 'working', share: 0 } : { at: 'waiting' };
      if (!isRead || !wanted.value) return undefined;
      const controller = new AbortController();
      void compare(rules, controller.signal);
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
    first,
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

async function tokensOf(
  trace: Trace,
  rules: readonly string[],
  pieces: number | null,
  take: (part: TokensPart) => void,
  hear: (share: number) => void,
  signal: AbortSignal,
): Promise<Tokens> {
  const { names, records, progress } = trace;
  if (progress.peek().events > MOST) return 'These traces have too many records to be compared one by one.';
  const given = await resultOf(givenNames(names));
  const answer = await records.tokens(given, rules, pieces, take, hear, signal);
  return answer?.error?.sentence ?? answer?.value ?? null;
}

/** What the tokens of a trace stand for, which is moved to the worker, and what its threads are paired by. */
function ofTrace({ tracks }: Trace, found: FoundTokens): TraceTokens {
  const of = (track: number, at: number) => {
    const { name = '', thread } = tracks.peek().get(track) ?? {};
    return {
      track,
      name,
      thread: thread === undefined ? null : BigInt(thread),
      begin: found.begins[at]!,
    };
  };
  const { contents, contentEnds } = found;
  return { contents: give(contents), contentEnds, tracks: Array.from(found.tracks, of) };
}

/** The earliest in A of what `first` of the worker has found. */
function firstOf([a, b]: readonly [FoundTokens, FoundTokens], found: Uint32Array): FirstDifference | null {
  let first: FirstDifference | null = null;
  for (let n = 0; n < found.length; n += 4) {
    const [trackA, trackB, inA, inB] = found.subarray(n, n + 4);
    const [x, y] = [partOf(a, trackA!), partOf(b, trackB!)];
    const next = {
      tracks: [x.track, y.track],
      positions: [x.positions, y.positions],
      numbers: [inA!, inB!],
    } as const;
    if (!first || placeOf(next) < placeOf(first)) first = next;
  }
  return first;
}

/** Where it is on the x axis of A. */
function placeOf({ positions: [positions], numbers }: FirstDifference): bigint {
  return positions?.every[numbers[0] >> positions.shift] ?? 0n;
}

/** Where what belongs to a track begins. */
function from(ends: Uint32Array, at: number): number {
  return at > 0 ? ends[at - 1]! : 0;
}

/** What is kept of a track. */
interface Part {
  readonly track: number | null;
  readonly length: number;
  readonly leftOut: Uint32Array;
  readonly positions: Positions | null;
}

function partOf(found: FoundTokens, track: number): Part {
  const at = track === NONE ? -1 : found.tracks.indexOf(track);
  if (at < 0) return { track: null, length: 0, leftOut: new Uint32Array(), positions: null };
  const leftOut = found.leftOut.slice(from(found.leftOutEnds, at), found.leftOutEnds[at]);
  const every = found.positions.slice(from(found.positionEnds, at), found.positionEnds[at]);
  const length = found.counts[at]! + leftOut.length;
  return { track, length, leftOut, positions: { every, shift: found.positionShifts[at]! } };
}

/** Adds the differences of a thread. */
function addHunks(to: Hunk[], found: FoundHunks, tracks: Hunk['tracks'], leftOut: Thread['leftOut']): void {
  const { hunks, kinds, loops, names } = found;
  let [loop, around] = [0, 0];
  for (let n = 0; n < kinds.length; n += 1) {
    const a = [hunks[4 * n]!, hunks[4 * n + 1]!] as const;
    const b = [hunks[4 * n + 2]!, hunks[4 * n + 3]!] as const;
    const counts = [countOf(a, leftOut[0]), countOf(b, leftOut[1])] as const;
    let [ofLoop, ofAround]: [Loop | null, Around | null] = [null, null];
    if (loops[loop] === n) {
      const [, records, inA, inB, same] = loops.subarray(loop, loop + 5);
      ofLoop = { records: records!, counts: [inA!, inB!], same: [(same! & 1) > 0, (same! & 2) > 0] };
      loop += 5;
    }
    if (found.around[around] === n) {
      const [, side, outer, inner] = found.around.subarray(around, around + 4);
      ofAround = { side: side === 0 ? 'A' : 'B', outer: names[outer!]!, inner: names[inner!]! };
      around += 4;
    }
    to.push({ tracks, a, b, counts, kind: KINDS[kinds[n]!]!, loop: ofLoop, around: ofAround });
  }
}

/** How many records of a range are not left out. */
function countOf([first, end]: Hunk['a'], leftOut: Uint32Array): number {
  return end - first - (before(leftOut, end) - before(leftOut, first));
}

/** How many of ascending numbers are less than one. */
export function before(numbers: Uint32Array, number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function leftOutOf(sides: readonly [FoundTokens, FoundTokens], threads: readonly Thread[]): LeftOut {
  const of = (side: 0 | 1) => {
    const { tracks, counts, leftOutEnds, valuesLeftOut } = sides[side];
    const kept = new Set(threads.map((thread) => thread.tracks[side]));
    let [records, values, ofThreads] = [leftOutEnds.at(-1) ?? 0, 0, 0];
    for (const [at, track] of tracks.entries()) {
      if (kept.has(track)) values += valuesLeftOut[at]!;
      else {
        ofThreads += 1;
        records += counts[at]!;
      }
    }
    return { threads: ofThreads, records, values };
  };
  const [a, b] = [of(0), of(1)];
  return { threads: [a.threads, b.threads], records: [a.records, b.records], values: [a.values, b.values] };
}
