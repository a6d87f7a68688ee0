import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_TRANSFORMS } from '../../base/calls_protocol.ts';
import type { JobQuestion, JobReply } from '../../base/job_protocol.ts';
import { nextTask } from '../../base/next_task.fixture.ts';
import type { TraceError } from '../../base/protocol.ts';
import { ticks } from '../../base/ticks.ts';
import { transferables } from '../../base/transfer.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import type { Session } from './session.ts';

/** Slices a step, as in the module. */
const STEP = 200_000;
const FULL: TraceError = { kind: 'limit', sentence: 'Not enough memory for the statistics.', offset: null };

/** What the worker does, in order: the calls that change jobs, and each turn's job with its number of steps. */
let log: string[];
/** What the page gets. */
let sent: JobReply[];
/** What cancels each job. */
let stops: Map<number, AbortController>;
/** Milliseconds a step, steps a job, and whether the file is still being read. */
let pace: { step: number; steps: number; reading: boolean };
let now: number;
/** Steps done, by job; `kind` of each. */
let done: Map<number, { kind: string; steps: number; of: number }>;
/** What the session throws at its next call. */
let thrown: unknown;
let over: boolean;
let onSend: (message: JobReply) => void;
let jobs: Jobs;
let scheduler: Scheduler;

const range = { from: ticks(0n), to: ticks(9n), tracks: Uint32Array.of(1) };
const statistics: JobQuestion = {
  kind: 'statistics',
  ...range,
  functions: true,
  flame: null,
  tree: null,
  weighed: false,
  transforms: NO_TRANSFORMS,
};
const percentiles: JobQuestion = { kind: 'percentiles', ...range, name: 7 };
const begin = (id: number, question: JobQuestion, slot: string = question.kind) => {
  const say = (reply: JobReply) => {
    sent.push(reply);
    onSend(reply);
  };
  const stop = new AbortController();
  stops.set(id, stop);
  void jobs
    .run(
      id,
      slot,
      question,
      (part, progress) => say({ t: 'job-part', id, part, progress, last: false }),
      (progress) => say({ t: 'job-progress', id, progress }),
      stop.signal,
    )
    .then(
      (result) => result && say({ t: 'job-part', id, ...result, last: true }),
      (error) => say({ t: 'job-failed', id, error }),
    );
};
const cancel = (id: number) => stops.get(id)!.abort();

const raise = () => {
  const error = thrown;
  thrown = null;
  if (error) throw error;
};
const session = {
  beginJob: (id: number, slot: string, { kind }: JobQuestion) => {
    raise();
    log.push(`begin ${id} in ${slot}`);
    done.set(id, { kind, steps: 0, of: pace.steps });
  },
  stepJob: (id: number, slices: number) => {
    raise();
    expect(slices).toBe(STEP);
    log.push(`step ${id}`);
    now += pace.step;
    const job = done.get(id)!;
    job.steps += 1;
    return job.steps >= job.of;
  },
  jobProgress: (id: number) => {
    const { steps, of } = done.get(id)!;
    return { done: steps * STEP, of: of * STEP };
  },
  jobPart: (id: number) => {
    const { kind, steps, of } = done.get(id)!;
    if (kind === 'statistics') return { exact: steps >= of, functions: { length: 1, count: Float64Array.of(1) } };
    return steps < of ? undefined : { median: 1n, p90: 2n, p99: 3n };
  },
  cancelJob: (id: number) => log.push(`cancel ${id}`),
} as unknown as Session;

beforeEach(() => {
  log = [];
  sent = [];
  stops = new Map();
  pace = { step: 5, steps: 4, reading: false };
  now = 0;
  done = new Map();
  thrown = null;
  over = false;
  onSend = () => undefined;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  scheduler = createScheduler();
  jobs = createJobs(
    {
      run: (turn) => {
        if (over) return;
        try {
          turn(session);
        } catch {
          over = true;
        }
      },
      reading: () => pace.reading,
      flush: () => undefined,
    },
    scheduler,
  );
});

/** Waits until the worker is idle: a task of the lowest rank comes last, as often as jobs go on. */
async function rest(): Promise<void> {
  for (let before = -1; before !== now; ) {
    before = now;
    await new Promise<void>((resolve) => {
      scheduler.add('rest', () => {
        resolve();
        return false;
      });
    });
    // What a turn has resolved is sent in microtasks.
    await nextTask();
  }
}

/** How many steps in a row each job took: `1×2` for two of job 1. */
const steps = () => {
  const runs: [string, number][] = [];
  for (const line of log) {
    if (!line.startsWith('step ')) continue;
    const last = runs.at(-1);
    if (last?.[0] === line.slice(5)) last[1] += 1;
    else runs.push([line.slice(5), 1]);
  }
  return runs.map(([id, count]) => `${id}×${count}`).join(' ');
};

describe('jobs', () => {
  it('reply once when they are quick, with buffers to transfer', async () => {
    begin(3, statistics);
    await rest();
    expect(sent).toMatchObject([
      { t: 'job-part', id: 3, part: { exact: true }, progress: { done: 4 * STEP, of: 4 * STEP }, last: true },
    ]);
    expect(transferables(sent[0]!)).toHaveLength(1);
    expect(log).toEqual(['begin 3 in statistics', 'step 3', 'step 3', 'step 3', 'step 3']);
  });
  it('send an estimate first when they are slow', async () => {
    pace.steps = 20;
    begin(3, statistics);
    await rest();
    expect(sent).toMatchObject([
      // Two steps of 5 ms a turn: the turn that ends after 50 ms is the first after 40.
      { t: 'job-part', part: { exact: false }, progress: { done: 10 * STEP, of: 20 * STEP }, last: false },
      { t: 'job-part', part: { exact: true }, progress: { done: 20 * STEP, of: 20 * STEP }, last: true },
    ]);
  });
  it('end with the estimate while the file is being read', async () => {
    pace = { step: 5, steps: 40, reading: true };
    begin(3, statistics);
    await rest();
    expect(sent).toMatchObject([{ t: 'job-part', part: { exact: false }, last: true }]);
    expect(log.at(-1)).toBe('cancel 3');
    expect(steps()).toBe('3×10');
  });
  it('go on to their result while the file is being read if they have no estimate', async () => {
    pace = { step: 5, steps: 12, reading: true };
    begin(5, percentiles);
    await rest();
    expect(sent).toEqual([
      {
        t: 'job-part',
        id: 5,
        part: { median: 1n, p90: 2n, p99: 3n },
        progress: { done: 12 * STEP, of: 12 * STEP },
        last: true,
      },
    ]);
  });
  it('report their progress in counted work, every 100 ms', async () => {
    pace.steps = 60;
    begin(5, percentiles);
    await rest();
    expect(sent).toMatchObject([
      { t: 'job-progress', id: 5, progress: { done: 20 * STEP, of: 60 * STEP } },
      { t: 'job-progress', id: 5, progress: { done: 40 * STEP, of: 60 * STEP } },
      { t: 'job-part', last: true },
    ]);
  });
  it('are replaced by a newer job of their slot', async () => {
    pace.steps = 400;
    begin(3, statistics);
    pace.steps = 4;
    begin(4, statistics);
    await rest();
    expect(sent).toMatchObject([{ id: 4, last: true }]);
    expect(steps()).toBe('4×4');
  });
  it('run next to each other in different slots, statistics first and the others in turns', async () => {
    begin(1, percentiles, 'a');
    begin(2, percentiles, 'b');
    begin(3, statistics);
    await rest();
    expect(steps()).toBe('3×4 1×2 2×2 1×2 2×2');
    expect(sent.map((message) => 'id' in message && message.id)).toEqual([3, 1, 2]);
  });
  it('tell nothing more once cancelled', async () => {
    pace.steps = 60;
    begin(1, percentiles, 'a');
    begin(2, percentiles, 'b');
    begin(3, percentiles, 'c');
    cancel(3);
    onSend = (message) => {
      if (message.t === 'job-progress' && message.id === 1) cancel(1);
    };
    await rest();
    const told = (id: number) => sent.filter((message) => 'id' in message && message.id === id);
    expect(told(1)).toMatchObject([{ t: 'job-progress' }]);
    expect(told(2).at(-1)).toMatchObject({ t: 'job-part', last: true });
    expect(told(3)).toEqual([]);
    expect(log.slice(log.indexOf('cancel 1'))).not.toContain('step 1');
    expect(log).not.toContain('step 3');
    // There is nothing left to cancel.
    cancel(1);
    cancel(2);
    expect(log.filter((line) => line.startsWith('cancel'))).toEqual(['cancel 3', 'cancel 1']);
  });
  it('fail with a sentence when memory is used up, and others go on', async () => {
    thrown = FULL;
    begin(1, statistics);
    begin(2, statistics);
    begin(3, percentiles);
    thrown = FULL;
    await rest();
    expect(sent).toMatchObject([
      { t: 'job-failed', id: 1, error: FULL },
      { t: 'job-failed', id: 2, error: FULL },
      { t: 'job-part', id: 3, last: true },
    ]);
    expect(steps()).toBe('3×4');
  });
  it('end with the trace when the session traps', async () => {
    begin(1, statistics);
    begin(2, percentiles);
    thrown = new WebAssembly.RuntimeError('unreachable');
    const posted = vi.spyOn(MessagePort.prototype, 'postMessage');
    await rest();
    expect([sent, log.length]).toEqual([[], 2]);
    posted.mockClear();
    await rest();
    // That of `rest` itself, and not those of the runner of tests.
    expect(posted.mock.calls.filter(([message]) => message === null)).toHaveLength(1);
    posted.mockRestore();
  });
});
