import type { JobKind, JobQuestion, JobReply } from '../base/job_protocol.ts';
import type { ToWorker } from '../base/messages.ts';
import type { Dispose } from '../base/scope.ts';

/** The page's side of a worker's jobs. */
export interface Jobs {
  /**
   * Begins a job and calls `take` with each of its messages. A newer job of the same slot ends the older one; the slot
   * is the question's kind if left out. Returns a function that cancels the job. A job that was cancelled or replaced,
   * or whose worker has ended, sends nothing more.
   */
  begin<K extends JobKind>(question: JobQuestion<K>, take: (reply: JobReply<K>) => void, slot?: string): Dispose;
  /** Hands a message to its job. */
  settle(reply: JobReply): void;
  /** Ends all jobs; later ones do not begin. */
  end(): void;
}

/** No jobs yet; `post` sends a message to the worker. */
export function createJobs(post: (message: ToWorker) => void): Jobs {
  const running = new Map<number, { readonly slot: string; readonly take: (reply: JobReply) => void }>();
  let lastId = 0;
  let ended = false;
  return {
    begin: <K extends JobKind>(
      question: JobQuestion<K>,
      take: (reply: JobReply<K>) => void,
      slot: string = question.kind,
    ) => {
      if (ended) return () => undefined;
      for (const [id, job] of running) if (job.slot === slot) running.delete(id);
      lastId += 1;
      const id = lastId;
      // The worker replies with the parts of the question's kind.
      running.set(id, { slot, take: take as (reply: JobReply) => void });
      post({ t: 'begin-job', id, slot, question });
      return () => {
        if (running.delete(id)) post({ t: 'cancel-job', id });
      };
    },
    settle: (reply) => {
      const job = running.get(reply.id);
      if (reply.t === 'job-failed' || (reply.t === 'job-part' && reply.last)) running.delete(reply.id);
      job?.take(reply);
    },
    end: () => {
      ended = true;
      running.clear();
    },
  };
}
