import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import type { Details } from '../base/protocol.ts';
import type { Dispose } from '../base/scope.ts';
import { MAX_TICKS, ticks } from '../base/ticks.ts';
import type { Run } from './call_runs.ts';
import { type Call, callOf } from './find_call.ts';
import type { Statistics } from './statistics.ts';
import type { Trace } from './trace.ts';
import { firstArgument, valueLine } from './values.ts';

/**
 * What a call has in common with another one; null for nothing. `tried` is the number of calls that were compared, 0 if there is nothing to compare by.
 * The argument is as text, with its name.
 */
export type Likeness =
  | { readonly by: 'callees' }
  | { readonly by: 'argument'; readonly argument: string }
  | { readonly by: null; readonly tried: number };

/** A call, its callees, and what it has in common with the one it is compared with. */
export interface Like {
  readonly call: Call;
  readonly runs: readonly Run[];
  readonly likeness: Likeness;
}

/** Calls on each side of the median that are tried. */
const NEAR = 24;
/** Characters of an argument that are compared. */
const LONGEST = 400;
/** Arguments are compared as texts, which have no clock and no origin. */
const PLAIN = { clock: { kind: 'ticks' }, origin: ticks(0n) } as const;

/** What finding such a call needs. */
export interface LikeSource {
  readonly trace: Pick<Trace, 'begin' | 'details'>;
  readonly statistics: Pick<Statistics, 'asked'>;
  /** The trace of the slow call, if that is another one. */
  readonly other?: Pick<Trace, 'details'> | undefined;
  /** The direct callees of a call of this trace; null if they cannot be found. */
  readonly calleesOf: (call: Call, slot: string) => Promise<readonly Run[] | null>;
}

/**
 * The call of a function closest to the `median` duration that did the same as a `slow` one: with callees of the same names, or else
 * with the same first argument. If none of those near the median did, the closest. null if there is no other call.
 */
export async function findLike(
  name: number,
  slow: { readonly call: Call; readonly runs: readonly Run[] },
  median: bigint,
  source: LikeSource,
): Promise<Like | null> {
  const found = await callsNear(name, median, source);
  const near = found.filter(({ item }) => source.other || !isSame(item, slow.call.item));
  const [closest] = near;
  if (!closest) return null;
  const wanted = namesOf(slow.runs);
  const runsOf = new Map<Call, readonly Run[]>();
  // A call without callees has them in common with every other one of its kind, which says nothing.
  if (wanted !== '') {
    for (const call of near) {
      const runs = await source.calleesOf(call, 'callees of the median call');
      if (!runs) return null;
      runsOf.set(call, runs);
      if (namesOf(runs) === wanted) return { call, runs, likeness: { by: 'callees' } };
    }
  }
  const argument = await argumentOf(slow.call, source.other ?? source.trace);
  let like: Call = closest;
  let likeness: Likeness = { by: null, tried: wanted === '' && argument === null ? 0 : near.length };
  if (argument !== null) {
    for (const call of near) {
      if ((await argumentOf(call, source.trace)) !== argument) continue;
      [like, likeness] = [call, { by: 'argument', argument }];
      break;
    }
  }
  const runs = runsOf.get(like) ?? (await source.calleesOf(like, 'callees of the median call'));
  return runs && { call: like, runs, likeness };
}

/** The calls whose durations are nearest to the median, the nearest first. */
async function callsNear(name: number, median: bigint, { trace, statistics }: LikeSource): Promise<readonly Call[]> {
  const about = { name, path: new Uint32Array(), first: 0, rows: NEAR, of: null };
  const ask = (question: Pick<JobQuestion<'calls'>, 'shortest' | 'longest' | 'order'>, slot: string) =>
    answerOf<'calls'>((take) =>
      trace.begin({ kind: 'calls', ...statistics.asked(), ...about, ...question }, take, slot),
    );
  const [above, below] = await Promise.all([
    ask({ shortest: median, longest: MAX_TICKS, order: 'shortest' }, 'calls from the median on'),
    median > 0n ? ask({ shortest: 0n, longest: median - 1n, order: 'longest' }, 'calls below the median') : null,
  ]);
  const calls = [above, below].flatMap((part) =>
    part ? Array.from({ length: part.length }, (_, i) => callOf(part, i)) : [],
  );
  const off = ({ start, end }: Call) => Math.abs(Number(end - start - median));
  return calls.sort((a, b) => off(a) - off(b));
}

/** The answer to a job; null if it fails. */
export function answerOf<Kind extends 'calls' | 'timeOrder'>(
  begin: (take: (reply: JobReply<Kind>) => void) => Dispose,
): Promise<Extract<JobReply<Kind>, { t: 'job-part' }>['part'] | null> {
  return new Promise((resolve) => {
    begin((reply) => {
      if (reply.t === 'job-failed') resolve(null);
      if (reply.t === 'job-part') resolve(reply.part as never);
    });
  });
}

/** The first argument of a call with its name; null if its record has none. */
async function argumentOf(call: Call, trace: Pick<Trace, 'details'>): Promise<string | null> {
  const details: Details | null = (await trace.details(call.item))?.details ?? null;
  const first = details && firstArgument(details);
  if (!first) return null;
  const text = valueLine(first.value, PLAIN, LONGEST);
  return first.name === '' ? text : `${first.name} = ${text}`;
}

/** The names of callees, whatever their order and number: a loop may have run more often. */
function namesOf(runs: readonly Run[]): string {
  return [...new Set(runs.map(({ name }) => name))].sort((a, b) => a - b).join();
}

function isSame(a: Call['item'], b: Call['item']): boolean {
  return a.track === b.track && a.depth === b.depth && a.index === b.index;
}
