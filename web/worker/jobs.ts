import type { FromWorker, ToWorker } from '../base/messages.ts';
import { isTraceError } from './errors.ts';
import { rankOf, type Scheduler } from './scheduler.ts';
import type { Session } from './session.ts';

type BeginJob = Extract<ToWorker, { t: 'begin-job' }>;

/** What jobs need from the worker. */
export interface JobHost {
  /** Runs something on the session, if there is one. */
  run(turn: (session: Session) => void): void;
  /** Whether the file is still being read. */
  reading(): boolean;
  send(message: FromWorker): void;
}

/** The jobs of a trace that run, at most one a slot. */
export interface Jobs {
  /** Begins a job in place of the slot's older one, which sends nothing more. */
  begin(message: BeginJob): void;
  /** Ends a job, which sends nothing more. */
  cancel(id: number): void;
}

interface Job {
  readonly id: number;
  readonly slot: string;
  readonly began: number;
  /** It has sent an estimate. */
  told: boolean;
  reportedAt: number;
  /** Ends its turns. */
  stop: () => void;
}

/** Length of a turn; afterwards the worker handles waiting messages. */
const TURN_MS = 8;
/** Slices a step. */
const STEP_SLICES = 200_000;
/**
 * A job that takes longer than this sends an estimate, if it has one. While the file is being read the estimate is also
 * its last message: exact numbers would be out of date at once.
 */
const ESTIMATE_AFTER_MS = 40;
/** Minimum time between two reports of progress. */
const REPORT_MS = 100;

/** No jobs yet. */
export function createJobs(host: JobHost, scheduler: Scheduler): Jobs {
  const running = new Map<string, Job>();

  const end = (job: Job) => {
    job.stop();
    running.delete(job.slot);
  };
  /** Runs a part of a job. It may run out of memory, which ends the job but not the trace. */
  const attempt = (job: Job, run: () => void) => {
    try {
      run();
    } catch (error) {
      if (!isTraceError(error)) throw error;
      end(job);
      host.send({ t: 'job-failed', id: job.id, error });
    }
  };
  /** Sends what a job has found. Returns false if that is nothing yet. */
  const tell = (session: Session, { id }: Job, last: boolean): boolean => {
    const progress = session.jobProgress(id);
    const part = session.jobPart(id);
    if (part === undefined) return false;
    host.send({ t: 'job-part', id, part, progress, last });
    return true;
  };
  const step = (session: Session, job: Job) => {
    const until = performance.now() + TURN_MS;
    let done = false;
    while (!done && performance.now() < until) done = session.stepJob(job.id, STEP_SLICES);
    if (done) {
      end(job);
      tell(session, job, true);
      return;
    }
    const now = performance.now();
    if (!job.told && now - job.began > ESTIMATE_AFTER_MS) {
      const last = host.reading();
      job.told = tell(session, job, last);
      if (job.told && last) {
        end(job);
        session.cancelJob(job.id);
        return;
      }
    }
    if (now - job.reportedAt < REPORT_MS) return;
    job.reportedAt = now;
    host.send({ t: 'job-progress', id: job.id, progress: session.jobProgress(job.id) });
  };

  return {
    begin: ({ id, slot, question }) =>
      host.run((session) => {
        running.get(slot)?.stop();
        const now = performance.now();
        const job: Job = { id, slot, began: now, told: false, reportedAt: now, stop: () => undefined };
        running.set(slot, job);
        attempt(job, () => {
          session.beginJob(id, slot, question);
          job.stop = scheduler.add(rankOf(question.kind), () => {
            let ran = false;
            host.run((open) => {
              attempt(job, () => step(open, job));
              ran = true;
            });
            // A trace that has failed runs nothing any more.
            return ran && running.get(slot) === job;
          });
        });
      }),
    cancel: (id) => {
      const job = [...running.values()].find((one) => one.id === id);
      if (!job) return;
      end(job);
      host.run((session) => session.cancelJob(id));
    },
  };
}
