import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, callByName, connect, give, methods, serve } from './remote.ts';

/** What is served here. */
interface Counter {
  add(by: number): number;
  fails(): never;
  never(): Promise<void>;
  halve(bytes: Uint8Array): Uint8Array;
  length(bytes: Uint8Array): Promise<number>;
  count(to: number, progress: (at: number) => void, stop: AbortSignal): Promise<number>;
  numbers(to: number): AsyncIterable<number>;
  report(to: { begun(): void; at(done: number, of: number): void }): Promise<void>;
  through(port: MessagePort): Promise<number>;
}

describe('a remote object', () => {
  let channel: MessageChannel;
  let connection: Connection<Counter>;
  let sum: number;
  let made: number[];
  const service: Counter = {
    add: (by) => {
      sum += by;
      return sum;
    },
    fails: () => {
      throw { kind: 'crashed', sentence: 'No.' };
    },
    never: () => new Promise(() => undefined),
    halve: (bytes) => bytes.slice(0, bytes.length / 2),
    length: async (bytes) => bytes.length,
    count: async (to, progress, stop) => {
      let at = 0;
      while (at < to && !stop.aborted) {
        at += 1;
        progress(at);
        await new Promise((resolve) => setTimeout(resolve));
      }
      return at;
    },
    numbers: async function* (to) {
      try {
        for (let at = 0; at < to; at += 1) {
          made.push(at);
          yield at;
        }
        if (to === 3) throw 'three';
      } finally {
        made.push(-1);
      }
    },
    report: async (to) => {
      to.begun();
      to.at(1, 2);
    },
    through: (port) => {
      const inner = connect<{ one(): number }>(port);
      return inner.remote.one().finally(() => port.close());
    },
  };
  beforeEach(() => {
    sum = 0;
    made = [];
    channel = new MessageChannel();
    serve(service, channel.port2);
    connection = connect<Counter>(channel.port1);
  });
  afterEach(() => channel.port1.close());

  it('answers each call, and rejects with what was thrown', async () => {
    const { remote } = connection;
    expect(await Promise.all([remote.add(1), remote.add(2)])).toEqual([1, 3]);
    await expect(remote.fails()).rejects.toEqual({ kind: 'crashed', sentence: 'No.' });
  });
  it('calls functions among the arguments, and aborts', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const counted = await connection.remote.count(
      1000,
      (at) => {
        seen.push(at);
        if (at === 3) stop.abort();
      },
      stop.signal,
    );
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    expect(counted).toBeLessThan(1000);
  });
  it('calls methods of an object of functions', async () => {
    const seen: unknown[] = [];
    await connection.remote.report({ begun: () => seen.push('begun'), at: (...args) => seen.push(args) });
    expect(seen).toEqual(['begun', [1, 2]]);
  });
  it('aborts at once with a signal that is aborted already', async () => {
    expect(await connection.remote.count(9, () => undefined, AbortSignal.abort())).toBeLessThan(9);
  });
  it('makes the next item of a stream when it is asked for', async () => {
    const items = connection.remote.numbers(2)[Symbol.asyncIterator]();
    expect(made).toEqual([]);
    expect(await items.next()).toEqual({ done: false, value: 0 });
    await connection.remote.add(0);
    expect(made).toEqual([0]);
    expect(await items.next()).toEqual({ done: false, value: 1 });
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });
  it('ends a stream that is not read to its end, or that fails', async () => {
    for await (const at of connection.remote.numbers(9)) if (at === 1) break;
    await connection.remote.add(0);
    expect(made).toEqual([0, 1, -1]);
    const read = async () => {
      for await (const _ of connection.remote.numbers(3));
    };
    await expect(read()).rejects.toBe('three');
  });
  it('copies arrays of arguments unless they are given away, and moves those of answers', async () => {
    const kept = new Uint8Array(8);
    const gone = new Uint8Array(8);
    expect(await connection.remote.length(kept)).toBe(8);
    expect(await connection.remote.halve(give(gone))).toHaveLength(4);
    expect([kept.length, gone.length]).toEqual([8, 0]);
  });
  it('passes ports on, so that one thread asks another', async () => {
    const inner = new MessageChannel();
    serve({ one: () => 1 }, inner.port1);
    expect(await connection.remote.through(inner.port2)).toBe(1);
    inner.port1.close();
  });
  it('rejects what waits and what comes after its end', async () => {
    const waiting = connection.remote.never();
    connection.close('over');
    await expect(waiting).rejects.toBe('over');
    await expect(connection.remote.add(1)).rejects.toBe('over');
  });
});

it('passes methods on by their names, but for its own', () => {
  const sum = {
    by: 2,
    add: (by: number) => by + 1,
    times(by: number): number {
      return by * this.by;
    },
  };
  const passed = methods<typeof sum>((name, args) => callByName(sum, name, args), { add: () => 0 });
  expect([passed.times(4), passed.add(4)]).toEqual([8, 0]);
  // It can be awaited.
  expect((passed as { then?: unknown }).then).toBeUndefined();
  expect(callByName(sum, 'divide', [])).toBeUndefined();
});
