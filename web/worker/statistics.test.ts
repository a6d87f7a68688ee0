import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromWorker } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Session } from './session.ts';
import { createScanner, type Scanner } from './statistics.ts';
import { transferables } from './transfer.ts';

/** The calls of the session, and the messages to the page. */
let log: string[];
let sent: FromWorker[];
/** Milliseconds a step, steps a scan, and whether the file is still being read. */
let pace: { step: number; steps: number; reading: boolean };
let now: number;
let scanner: Scanner;

const question = (id: number) => ({
  t: 'statistics' as const,
  id,
  from: ticks(0n),
  to: ticks(9n),
  tracks: Uint32Array.of(1),
  functions: true,
  flame: null,
});

beforeEach(() => {
  log = [];
  sent = [];
  pace = { step: 5, steps: 4, reading: false };
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let done = 0;
  const step = () => {
    now += pace.step;
    done += 1;
    return done >= pace.steps;
  };
  const session = {
    beginStatistics: (from: bigint, to: bigint, tracks: Uint32Array) => {
      log.push(`begin ${from} ${to} ${tracks}`);
      done = 0;
    },
    stepStatistics: step,
    statistics: () => ({
      slices: 10,
      visited: done,
      exact: done >= pace.steps,
      complete: !pace.reading,
      functions: { length: 1, count: Float64Array.of(1) },
      flame: null,
    }),
    beginPercentiles: () => {
      done = 0;
    },
    stepPercentiles: () => (step() ? { median: 1n, p90: 2n, p99: 3n } : undefined),
  } as unknown as Session;
  scanner = createScanner({
    run: (scan) => scan(session),
    reading: () => pace.reading,
    send: (message) => {
      sent.push(message);
      log.push(`${transferables(message).length} buffers`);
    },
  });
});

/** Waits until the scanner is idle. */
async function rest(): Promise<void> {
  for (let before = -1; before !== now; ) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('scans', () => {
  it('reply once when they are quick, with buffers to transfer', async () => {
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ t: 'statistics', id: 3, exact: true, visited: 4 }]);
    expect(log).toEqual(['begin 0 9 1', '1 buffers']);
  });
  it('send an estimate first when they are slow', async () => {
    pace.steps = 40;
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ exact: false }, { exact: true, visited: 40 }]);
  });
  it('stop at the estimate while the file is being read', async () => {
    pace = { step: 5, steps: 40, reading: true };
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ exact: false }]);
  });
  it('are superseded by a newer question', async () => {
    pace.steps = 400;
    scanner.statistics(question(3));
    pace.steps = 4;
    scanner.statistics(question(4));
    await rest();
    expect(sent).toMatchObject([{ id: 4, exact: true }]);
  });
  it('find exact percentiles', async () => {
    scanner.percentiles({ ...question(5), t: 'percentiles', name: 7 });
    await rest();
    expect(sent).toEqual([{ t: 'percentiles', id: 5, percentiles: { median: 1n, p90: 2n, p99: 3n } }]);
  });
});
