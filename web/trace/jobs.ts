import type { JobKind, JobQuestion, JobReply } from '../base/job_protocol.ts';
import type { Dispose } from '../base/scope.ts';
import type { TraceService } from '../base/trace_protocol.ts';

/** The page's side of a worker's jobs. */
export interface Jobs {
  /**
   * Begins a job and calls `take` with what it says. A newer job of the same slot ends the older one; the slot is the question's
   * kind if left out. Returns a function that cancels the job. A job that was cancelled or replaced, or whose worker has ended,
   * says nothing more.
   */
  begin<K extends JobKind>(question: JobQuestion<K>, take: (reply: JobReply<K>) => void, slot?: string): Dispose;
  /** Ends all jobs; later ones do not begin. */
  end(): void;
}

/** No jobs yet; `run` has the worker run one. */
export function createJobs(run: (...asked: Parameters<TraceService['job']>) => ReturnType<TraceService['job']>): Jobs {
  /** Ids of the newest jobs by slot. */
  const running = new Map<string, number>();
  let lastId = 0;
  let ended = false;
  return {
    begin: <K extends JobKind>(
      question: JobQuestion<K>,
      take: (reply: JobReply<K>) => void,
      slot: string = question.kind,
    ) => {
      if (ended) return () => undefined;
      lastId += 1;
      const id = lastId;
      running.set(slot, id);
      const stop = new AbortController();
      const say = (reply: JobReply) => {
        // The worker replies with the parts of the question's kind.
        if (running.get(slot) === id) (take as (reply: JobReply) => void)(reply);
      };
      /** Says the last, after which there is nothing to cancel. */
      const finish = (reply: JobReply) => {
        if (running.get(slot) !== id) return;
        running.delete(slot);
        (take as (reply: JobReply) => void)(reply);
      };
      run(
        id,
        slot,
        question,
        (part, progress) => say({ t: 'job-part', id, part, progress, last: false }),
        (progress) => say({ t: 'job-progress', id, progress }),
        stop.signal,
      ).then(
        (result) => result && finish({ t: 'job-part', id, ...result, last: true }),
        (error) => finish({ t: 'job-failed', id, error }),
      );
      return () => {
        if (running.get(slot) !== id) return;
        running.delete(slot);
        stop.abort();
      };
    },
    end: () => {
      ended = true;
      running.clear();
    },
  };
}
