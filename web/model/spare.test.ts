import { describe, expect, it } from 'vitest';
import { createSpare } from './spare.ts';
import type { Port } from './trace.ts';

/** Ports, numbered as they are spawned. */
function ports() {
  const spawned: (Port & { ended: boolean })[] = [];
  const spare = createSpare(() => {
    const port = {
      ended: false,
      postMessage: () => undefined,
      terminate: () => {
        port.ended = true;
      },
      onmessage: null,
      onerror: null as Port['onerror'],
      onmessageerror: null,
    };
    spawned.push(port);
    return port;
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
    spawned[0]!.onerror?.({ preventDefault: () => undefined } as ErrorEvent);
    expect(spawned[0]!.ended).toBe(true);
    expect(spare.take()).toBe(spawned[1]);
  });

  it('leaves errors to the trace that takes it', () => {
    const { spawned, spare } = ports();
    spare.warm();
    spare.take();
    expect(spawned[0]!.onerror).toBe(null);
  });
});
