import type { TraceService } from '../../base/trace_protocol.ts';
import { isTraceError } from './errors.ts';
import { rankOf, type Scheduler } from './scheduler.ts';
import type { Session } from './session.ts';

/** What jobs need from the worker. */
export interface JobHost {
  /** Runs something on the session, if there is one. */
  run(turn: (session: Session) => void): void;
  /** Whether the file is still being read. */
  reading(): boolean;
  /** Reports names and tracks, before what uses them. */
  flush(session: Session): void;
}

/** The jobs of a trace that run, at most one a slot. */
export interface Jobs {
  readonly run: TraceService['job'];
  /** Whether one of them runs. */
  isBusy(): boolean;
}

type Run = Parameters<TraceService['job']>;

interface Job {
  readonly id: number;
  readonly slot: string;
  readonly hear: { readonly part: Run[3]; readonly progress: Run[4] };
  readonly began: number;
  /** It has sent an estimate. */
  told: boolean;
  reportedAt: number;
  /** Ends its turns. */
  stop: () => void;
  resolve(result: Awaited<ReturnType<TraceService['job']>>): void;
  reject(error: unknown): void;
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
      job.reject(error);
    }
  };
  /** What a job has found. null if that is nothing yet. */
  const found = (session: Session, { id }: Job) => {
    const progress = session.jobProgress(id);
    const part = session.jobPart(id);
    if (part === undefined) return null;
    host.flush(session);
    return { part, progress };
  };
  const step = (session: Session, job: Job) => {
    const until = performance.now() + TURN_MS;
    let done = false;
    while (!done && performance.now() < until) done = session.stepJob(job.id, STEP_SLICES);
    if (done) {
      end(job);
      job.resolve(found(session, job));
      return;
    }
    const now = performance.now();
    if (!job.told && now - job.began > ESTIMATE_AFTER_MS) {
      const estimate = found(session, job);
      job.told = estimate !== null;
      if (estimate && host.reading()) {
        end(job);
        session.cancelJob(job.id);
        job.resolve(estimate);
        return;
      }
      if (estimate) job.hear.part(estimate.part, estimate.progress);
    }
    if (now - job.reportedAt < REPORT_MS) return;
    job.reportedAt = now;
    const progress = session.jobProgress(job.id);
    host.flush(session);
    job.hear.progress(progress);
  };

  return {
    isBusy: () => running.size > 0,
    run: (id, slot, question, part, progress, signal) =>
      new Promise((resolve, reject) => {
        host.run((session) => {
          const older = running.get(slot);
          older?.stop();
          older?.resolve(null);
          const now = performance.now();
          const hear = { part, progress };
          const stop = () => undefined;
          const job: Job = { id, slot, hear, began: now, told: false, reportedAt: now, stop, resolve, reject };
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
          signal.addEventListener('abort', () => {
            if (running.get(slot) !== job) return;
            end(job);
            host.run((open) => open.cancelJob(id));
            resolve(null);
          });
        });
      }),
  };
}
