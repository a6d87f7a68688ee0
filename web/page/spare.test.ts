import { describe, expect, it } from 'vitest';
import { recorded } from '../base/remote.fixture.ts';
import type { TraceService } from '../base/trace_protocol.ts';
import { type FakeWorker, workerOf } from '../base/worker.fixture.ts';
import { createSpare } from './spare.ts';

/** Ports, numbered as they are spawned. */
function ports() {
  const spawned: FakeWorker[] = [];
  const spare = createSpare(() => {
    const worker = workerOf(recorded<TraceService>().service);
    spawned.push(worker);
    return worker;
  });
  return { spawned, spare };
}

describe('a spare worker', () => {
  it('is started once and taken once', () => {
    const { spawned, spare } = ports();
    spare.warm();
    spare.warm();
    expect(spawned).toHaveLength(1);
    expect(spare.take()).toBe(spawned[0]);
    expect(spare.take()).toBe(spawned[1]);
  });

  it('is replaced if it does not load', () => {
    const { spawned, spare } = ports();
    spare.warm();
    spawned[0]!.crash();
    expect(spawned[0]!.isEnded()).toBe(true);
    expect(spare.take()).toBe(spawned[1]);
  });

  it('leaves errors to the trace that takes it', () => {
    const { spawned, spare } = ports();
    spare.warm();
    spare.take();
    expect(spawned[0]!.onerror).toBe(null);
  });
});
