import { expect, it } from 'vitest';
import type { FoundRecords, Searching } from '../../base/record_protocol.ts';
import { connect } from '../../base/remote.ts';
import type { TraceService } from '../../base/trace_protocol.ts';
import { workerOf } from '../../base/worker.fixture.ts';
import { createFinds } from './found.ts';

const nothing = (): FoundRecords => ({
  x: new BigUint64Array(),
  track: new Uint32Array(),
  locator: new BigUint64Array(),
  branches: new BigUint64Array(),
  name: new Uint32Array(),
  matched: new Uint32Array(),
  texts: [],
});

it('adds what a search finds to the hits of its job, and reports it in order', async () => {
  const added: [job: number, records: number][] = [];
  const trace: Pick<TraceService, 'index' | 'modules' | 'addHits'> = {
    index: () => null,
    modules: () => null,
    addHits: (job, { x }) => {
      added.push([job, x.length]);
      return { count: 10 + added.length, names: Uint32Array.of(3) };
    },
  };
  for (const shown of [false, true]) {
    added.length = 0;
    const parts: Searching[] = [];
    const finds = createFinds(connect<typeof trace>(workerOf(trace)).remote, 7, shown, (part) => parts.push(part));
    const columns = { x: BigUint64Array.of(5n, 6n), track: Uint32Array.of(1, 1), branches: BigUint64Array.of(1n, 2n) };
    finds.add({ ...nothing(), ...columns }, 2, 0.5);
    // Names come with the first record that has them, and may come without one.
    finds.add({ ...nothing(), texts: ['f'] }, 2, 0.9);
    await finds.done();
    finds.add(nothing(), 2, 1);
    expect(added).toEqual([
      [7, 2],
      [7, 0],
    ]);
    expect(parts).toEqual([
      {
        count: 2,
        listed: 2,
        share: 0.5,
        hits: { count: 11, names: Uint32Array.of(3) },
        found: shown ? columns : null,
      },
      {
        count: 2,
        listed: 0,
        share: 0.9,
        hits: { count: 12, names: Uint32Array.of(3) },
        found: shown ? { x: new BigUint64Array(), track: new Uint32Array(), branches: new BigUint64Array() } : null,
      },
      { count: 2, listed: 0, share: 1, hits: null, found: null },
    ]);
  }
});
