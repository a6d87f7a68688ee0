import { beforeEach, describe, expect, it } from 'vitest';
import { NO_TRANSFORMS } from '../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../base/job_protocol.ts';
import type { ToWorker } from '../base/messages.ts';
import { ticks } from '../base/ticks.ts';
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
const part = (id: number, last: boolean): JobReply => ({ t: 'job-part', id, part: null, progress, last });

let sent: ToWorker[];
let told: string[];
let jobs: Jobs;

beforeEach(() => {
  sent = [];
  told = [];
  jobs = createJobs((message) => sent.push(message));
});

const say = (name: string) => (reply: JobReply) => told.push(`${name} ${reply.t}`);

describe('the page side of jobs', () => {
  it('sends a question with a slot, which is its kind by default', () => {
    jobs.begin(statistics, say('a'));
    jobs.begin(percentiles, say('b'), 'other');
    expect(sent).toEqual([
      { t: 'begin-job', id: 1, slot: 'statistics', question: statistics },
      { t: 'begin-job', id: 2, slot: 'other', question: percentiles },
    ]);
  });
  it('passes on all messages of a job until its last part', () => {
    jobs.begin(statistics, say('a'));
    jobs.settle({ t: 'job-progress', id: 1, progress });
    jobs.settle(part(1, false));
    jobs.settle(part(1, true));
    jobs.settle(part(1, true));
    expect(told).toEqual(['a job-progress', 'a job-part', 'a job-part']);
  });
  it('passes on a failure, which ends the job', () => {
    const cancel = jobs.begin(statistics, say('a'));
    jobs.settle({ t: 'job-failed', id: 1, error: { kind: 'limit', sentence: 'Not enough memory.', offset: null } });
    jobs.settle(part(1, true));
    cancel();
    expect(told).toEqual(['a job-failed']);
    expect(sent).toHaveLength(1);
  });
  it('drops messages of a job that a newer one of its slot has replaced', () => {
    jobs.begin(percentiles, say('old'));
    jobs.begin(percentiles, say('elsewhere'), 'other');
    jobs.begin(percentiles, say('new'));
    for (const id of [1, 2, 3]) jobs.settle(part(id, false));
    expect(told).toEqual(['elsewhere job-part', 'new job-part']);
  });
  it('cancels a job once, and drops what it still sends', () => {
    const cancel = jobs.begin(percentiles, say('a'));
    cancel();
    cancel();
    jobs.settle(part(1, true));
    expect(sent.slice(1)).toEqual([{ t: 'cancel-job', id: 1 }]);
    expect(told).toEqual([]);
  });
  it('has nothing to cancel in a job that is done or replaced', () => {
    const first = jobs.begin(percentiles, say('a'));
    const second = jobs.begin(percentiles, say('b'));
    jobs.settle(part(2, true));
    first();
    second();
    expect(sent.map((message) => message.t)).toEqual(['begin-job', 'begin-job']);
  });
  it('begins nothing after its end', () => {
    jobs.begin(statistics, say('a'));
    jobs.end();
    jobs.settle(part(1, true));
    jobs.begin(statistics, say('b'))();
    expect([told, sent.length]).toEqual([[], 1]);
  });
});
