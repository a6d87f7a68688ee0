import {
  LISTINGS,
  listingView,
  NO_TRANSFORMS,
  type Transforms,
  type TreeRows,
  type TreeView,
} from '../../base/calls_protocol.ts';
import type { JobKind, JobQuestion, JobReply, RangeQuestion } from '../../base/job_protocol.ts';
import { type Functions, NO_NAME } from '../../base/protocol.ts';
import { joinTexts } from '../../base/texts.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Profile, ProfilePaths } from './protocol.ts';

/** The functions of a trace, and what the comparison needs of them. */
export interface Profiled {
  readonly functions: Functions;
  readonly profile: Profile;
}

/** Call paths, and how many are left out, because there are too many. */
export interface PathsOf {
  readonly paths: ProfilePaths;
  readonly cut: number;
}

/** Of the slots of jobs: those of other panels keep their results. */
const SLOT = 'compare';

/**
 * Finds the figures of a range. `hear` gets the share that is done, from 0 to 1. Rejects with a sentence. Resolves with null if it is
 * aborted.
 */
export async function profileOf(
  { trace }: Pick<OpenTrace, 'trace'>,
  asked: RangeQuestion,
  hear: (share: number) => void,
  signal: AbortSignal,
): Promise<Profiled | null> {
  const question = { ...asked, flame: null, tree: null, weighed: false, functions: true, transforms: NO_TRANSFORMS };
  const begin = jobOf(trace, signal);
  const part = await begin({ kind: 'statistics', ...question }, (share) => hear(share / 2));
  const functions = part?.functions;
  if (!functions) return null;
  const { name, count } = functions;
  const times = await begin({ kind: 'selfTimes', ...asked, names: name, counts: count }, (share) =>
    hear((1 + share) / 2),
  );
  const clock = trace.info.peek()?.clock;
  if (!times || !clock) return null;
  const columns = [count, functions.total, functions.self, functions.min, functions.median];
  columns.push(functions.p90, functions.p99, functions.max, functions.bytes);
  const figures = new Float64Array(columns.length * functions.length);
  for (const [i, column] of columns.entries()) figures.set(column, i * functions.length);
  const nameAt = (i: number) => trace.names.of(name[i]!);
  const names = await joinTexts(name.length, nameAt);
  // A function without a name is shown by its key.
  const keys = await joinTexts(name.length, (i) => trace.names.keyOf(name[i]!) || keyIn(nameAt(i)));
  if (signal.aborted) return null;
  const profile: Profile = {
    names,
    keys,
    figures,
    function: times.function,
    start: times.start,
    own: times.own,
    counted: clock.kind === 'ordinal' ? clock.unit : '',
    frequency: clock.kind === 'seconds' ? Number(clock.frequency) : 0,
    interleaved: asked.tracks.length > 1,
  };
  return { functions, profile };
}

/** All call paths of the same range after changes. Rejects with a sentence. Resolves with null if it is aborted. */
export async function pathsOf(
  { trace }: Pick<OpenTrace, 'trace'>,
  asked: RangeQuestion,
  functions: Functions,
  transforms: Transforms,
  signal: AbortSignal,
): Promise<PathsOf | null> {
  const part = await statisticsOf({ trace }, asked, { tree: listingView(LISTINGS.paths), transforms }, signal);
  return part?.tree ? { paths: pathsOver(functions, part.tree), cut: part.tree.cut } : null;
}

/** Figures of a range: rows of its calls. Rejects with a sentence. Resolves with null if it is aborted. */
export function statisticsOf(
  { trace }: Pick<OpenTrace, 'trace'>,
  asked: RangeQuestion,
  wanted: { readonly tree: TreeView; readonly transforms?: Transforms },
  signal: AbortSignal,
) {
  const question = { ...asked, flame: null, weighed: false, functions: false, transforms: NO_TRANSFORMS, ...wanted };
  return jobOf(trace, signal)({ kind: 'statistics', ...question }, () => undefined);
}

/** Call paths with indices of functions in place of name ids. */
function pathsOver({ name }: Functions, { name: names, parent, total, self, count }: TreeRows): ProfilePaths {
  const index = new Map(Array.from(name, (id, i) => [id, i]));
  const functions = Uint32Array.from(names, (id) => index.get(id) ?? NO_NAME);
  return { functions, parent, total, self, count };
}

/** Runs jobs of a trace to their last part. */
function jobOf(trace: OpenTrace['trace'], signal: AbortSignal) {
  return <K extends JobKind>(question: JobQuestion<K>, hear: (share: number) => void) =>
    new Promise<Extract<JobReply<K>, { t: 'job-part' }>['part'] | null>((resolve, reject) => {
      if (signal.aborted) {
        resolve(null);
        return;
      }
      const cancel = trace.begin(
        question,
        (reply) => {
          if (reply.t === 'job-failed') reject(reply.error.sentence);
          else if (reply.t === 'job-part' && reply.last) resolve(reply.part);
          else hear(reply.progress.of > 0 ? reply.progress.done / reply.progress.of : 0);
        },
        `${SLOT} ${question.kind}`,
      );
      signal.addEventListener('abort', () => {
        cancel();
        resolve(null);
      });
    });
}

/** The id or address at the end of a name that is nothing else. */
function keyIn(name: string): string {
  return /^(?:#\d+|(?:sub_)?(0x[\da-f]+))$/.exec(name)?.[0] ?? '';
}
