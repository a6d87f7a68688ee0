import { beforeEach, describe, expect, it } from 'vitest';
import { NO_TRANSFORMS } from '../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import { nextTask } from '../base/next_task.fixture.ts';
import { type Recorded, recorded } from '../base/remote.fixture.ts';
import { ticks } from '../base/ticks.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { createJobs, type Jobs } from './jobs.ts';

const range = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1) };
const statistics: JobQuestion<'statistics'> = {
  kind: 'statistics',
  ...range,
  functions: true,
  flame: null,
  tree: null,
  weighed: false,
  transforms: NO_TRANSFORMS,
};
const percentiles: JobQuestion<'percentiles'> = { kind: 'percentiles', ...range, name: 4 };
const progress = { done: 1, of: 9 };
const result = { part: null, progress };

let asked: Recorded<Pick<TraceService, 'job'>>;
let told: string[];
let jobs: Jobs;
/** The call of the worker for a job, by its id. */
const job = (id: number) => asked.calls.find(({ args }) => args[0] === id)!;
const isStopped = (id: number) => job(id).args[5].aborted;
/** The worker has the result of a job. */
const done = async (id: number) => {
  job(id).answer(result);
  await nextTask();
};

beforeEach(() => {
  asked = recorded();
  told = [];
  jobs = createJobs(asked.service.job);
});

const say = (name: string) => (reply: JobReply) =>
  told.push(`${name} ${reply.t}${reply.t === 'job-part' && reply.last ? ' last' : ''}`);

describe('the page side of jobs', () => {
  it('sends a question with a slot, which is its kind by default', () => {
    jobs.begin(statistics, say('a'));
    jobs.begin(percentiles, say('b'), 'other');
    expect(asked.calls.map(({ args }) => args.slice(0, 3))).toEqual([
      [1, 'statistics', statistics],
      [2, 'other', percentiles],
    ]);
  });
  it('passes on all that is said of a job until its last part', async () => {
    jobs.begin(statistics, say('a'));
    job(1).args[4](progress);
    job(1).args[3](null, progress);
    await done(1);
    job(1).args[3](null, progress);
    expect(told).toEqual(['a job-progress', 'a job-part', 'a job-part last']);
  });
  it('passes on a failure, which ends the job', async () => {
    const cancel = jobs.begin(statistics, say('a'));
    job(1).fail({ kind: 'limit', sentence: 'Not enough memory.', offset: null });
    await nextTask();
    job(1).args[3](null, progress);
    cancel();
    expect([told, isStopped(1)]).toEqual([['a job-failed'], false]);
  });
  it('drops what is said of a job that a newer one of its slot has replaced', () => {
    jobs.begin(percentiles, say('old'));
    jobs.begin(percentiles, say('elsewhere'), 'other');
    jobs.begin(percentiles, say('new'));
    for (const id of [1, 2, 3]) job(id).args[3](null, progress);
    expect(told).toEqual(['elsewhere job-part', 'new job-part']);
  });
  it('cancels a job once, and drops what it still says', async () => {
    const cancel = jobs.begin(percentiles, say('a'));
    cancel();
    cancel();
    await done(1);
    expect([isStopped(1), told]).toEqual([true, []]);
  });
  it('has nothing to cancel in a job that is done or replaced', async () => {
    const first = jobs.begin(percentiles, say('a'));
    const second = jobs.begin(percentiles, say('b'));
    await done(2);
    first();
    second();
    expect([isStopped(1), isStopped(2)]).toEqual([false, false]);
  });
  it('begins nothing after its end', async () => {
    jobs.begin(statistics, say('a'));
    jobs.end();
    await done(1);
    jobs.begin(statistics, say('b'))();
    expect([told, asked.calls.length]).toEqual([[], 1]);
  });
});
