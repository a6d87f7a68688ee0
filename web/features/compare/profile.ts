import { LISTINGS, listingView, NO_TRANSFORMS } from '../../base/calls_protocol.ts';
import type { JobKind, JobQuestion, JobReply, RangeQuestion } from '../../base/job_protocol.ts';
import { type Functions, NO_NAME } from '../../base/protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import type { Profile } from './protocol.ts';

/** The functions of a trace, and what the comparison needs of them. */
export interface Profiled {
  readonly functions: Functions;
  readonly profile: Profile;
}

/** Of the slots of jobs: those of other panels keep their results. */
const SLOT = 'compare';

/**
 * Finds the figures of a range. `hear` gets the share that is done, from 0 to 1. Rejects with a sentence. Resolves with null if it is
 * aborted.
 */
export async function profileOf(
  open: Pick<OpenTrace, 'trace'>,
  asked: RangeQuestion,
  hear: (share: number) => void,
  signal: AbortSignal,
): Promise<Profiled | null> {
  const { trace } = open;
  const paths = listingView(LISTINGS.paths);
  const question = { ...asked, functions: true, flame: null, tree: paths, weighed: false, transforms: NO_TRANSFORMS };
  const begin = jobOf(trace, signal);
  const part = await begin({ kind: 'statistics', ...question }, (share) => hear(share / 2));
  const functions = part?.functions;
  const tree = part?.tree;
  if (!functions || !tree) return null;
  const { name, count } = functions;
  const times = await begin({ kind: 'selfTimes', ...asked, names: name, counts: count }, (share) =>
    hear((1 + share) / 2),
  );
  const clock = trace.info.peek()?.clock;
  if (!times || !clock) return null;
  const index = new Map(Array.from(name, (id, i) => [id, i]));
  const columns = [count, functions.total, functions.self, functions.min, functions.median];
  columns.push(functions.p90, functions.p99, functions.max, functions.bytes);
  const figures = new Float64Array(columns.length * functions.length);
  for (const [i, column] of columns.entries()) figures.set(column, i * functions.length);
  const names = Array.from(name, (id) => trace.names.of(id));
  const profile: Profile = {
    names,
    // A function without a name is shown by its key.
    keys: Array.from(name, (id, i) => trace.names.keyOf(id) || keyIn(names[i]!)),
    figures,
    function: times.function,
    start: times.start,
    own: times.own,
    counted: clock.kind === 'ordinal' ? clock.unit : '',
    frequency: clock.kind === 'seconds' ? Number(clock.frequency) : 0,
    interleaved: asked.tracks.length > 1,
    paths: {
      functions: Uint32Array.from(tree.name, (id) => index.get(id) ?? NO_NAME),
      parent: tree.parent,
      total: tree.total,
      self: tree.self,
      count: tree.count,
    },
  };
  return { functions, profile };
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
