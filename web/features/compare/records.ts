import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FoundTokens, RecordRow } from '../../base/record_protocol.ts';
import type { Remote } from '../../base/remote.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import type { Pair } from '../../timeline/open_trace.ts';
import { pairTracks } from '../../timeline/track_pairs.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Comparing } from './protocol.ts';
import type { Work } from './work.ts';

/** Records of a thread that have no counterpart in the other trace: numbers in the thread, `to` exclusive. */
export interface Hunk {
  /** The tracks of the thread; null where a trace lacks it. */
  readonly tracks: readonly [number | null, number | null];
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

/** Threads in the order of A, and what differs in each in its order. `fields`: keys of the fields that are compared. */
export type RecordsState = Work<{ readonly hunks: readonly Hunk[]; readonly fields: readonly string[] }>;

/** The first records of a difference, or the ones after it where a side has none; null where the thread has ended. */
export type Ends = readonly [RecordRow | null, RecordRow | null];

/** What differs between the records of two traces, one by one. */
export interface RecordDifferences {
  readonly state: ReadonlySignal<RecordsState>;
  /** Number of the chosen difference, or -1. */
  readonly chosen: Signal<number>;
  /** Whether the records are to be compared. It stays, once set. */
  readonly wanted: Signal<boolean>;
  /** The ends of differences that were wanted, by their numbers. */
  readonly ends: ReadonlySignal<ReadonlyMap<number, Ends>>;
  /** Gets the ends of differences from number `first` on, `end` exclusive. */
  want(first: number, end: number): void;
  /** Gets the ends of one difference. */
  records(hunk: Hunk): Promise<Ends>;
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
      const threads = threadsOf(sides, a, b);
      for (const tracks of threads) {
        const found = await service.align(sequence(a, tracks[0]), sequence(b, tracks[1]));
        if (signal.aborted) return;
        for (let i = 0; i < found.length; i += 4) {
          hunks.push({ tracks, a: [found[i]!, found[i + 1]!], b: [found[i + 2]!, found[i + 3]!] });
        }
      }
      chosen.value = -1;
      ends.value = new Map();
      asked = new Set();
      state.value = { at: 'done', hunks, fields: a.fields };
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
  const records = async ({ tracks, a, b }: Hunk): Promise<Ends> => {
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
    const part = now.hunks.slice(first, end).map((hunk, i) => ({ hunk, number: first + i }));
    const missing = part.filter(({ number }) => !asked.has(number));
    if (missing.length === 0) return;
    for (const { number } of missing) asked.add(number);
    // Together: each arrival draws the table.
    const found = await Promise.all(missing.map(async ({ hunk, number }) => [number, await records(hunk)] as const));
    if (state.peek() === now) ends.value = new Map([...ends.peek(), ...found]);
  };
  return { state, chosen, wanted, ends, want: (first, end) => void want(first, end), records, dispose: scope.dispose };
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
