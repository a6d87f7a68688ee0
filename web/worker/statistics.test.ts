import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FromWorker } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import type { Session } from './session.ts';
import { createScanner, type Scanner } from './statistics.ts';

/** What the session is asked, and what of it is told. */
let log: string[];
let sent: FromWorker[];
/** Milliseconds that each step takes, and how many steps a scan has. */
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
    send: (message, transfer) => {
      sent.push(message);
      log.push(`${transfer.length} buffers`);
    },
  });
});

/** Until nothing is told any more. */
async function rest(): Promise<void> {
  for (let before = -1; before !== now; ) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('scans', () => {
  it('answer once when they are quick, with what is to be transferred', async () => {
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ t: 'statistics', id: 3, exact: true, visited: 4 }]);
    expect(log).toEqual(['begin 0 9 1', '1 buffers']);
  });
  it('estimate first when they are slow', async () => {
    pace.steps = 40;
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ exact: false }, { exact: true, visited: 40 }]);
  });
  it('leave it at that while the file is read', async () => {
    pace = { step: 5, steps: 40, reading: true };
    scanner.statistics(question(3));
    await rest();
    expect(sent).toMatchObject([{ exact: false }]);
  });
  it('are given up for a newer question', async () => {
    pace.steps = 400;
    scanner.statistics(question(3));
    pace.steps = 4;
    scanner.statistics(question(4));
    await rest();
    expect(sent).toMatchObject([{ id: 4, exact: true }]);
  });
  it('look for percentiles afterwards', async () => {
    scanner.percentiles({ ...question(5), t: 'percentiles', name: 7 });
    await rest();
    expect(sent).toEqual([{ t: 'percentiles', id: 5, percentiles: { median: 1n, p90: 2n, p99: 3n } }]);
  });
});
