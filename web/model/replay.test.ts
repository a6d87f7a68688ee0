import { afterEach, expect, it, vi } from 'vitest';
import type { FromReplay, ToReplay } from '../base/replay_protocol.ts';
import { createReplay, frameOf, heaviest, type ReplayPort, SILENT_MS } from './replay.ts';
import type { Trace } from './trace.ts';

const source = {
  recordSource: { file: async () => new Blob(), index: async () => new Uint8Array() },
} as unknown as Pick<Trace, 'recordSource'>;

function started() {
  const sent: ToReplay[] = [];
  let ended = false;
  const port: ReplayPort = {
    postMessage: (message) => sent.push(message),
    terminate: () => {
      ended = true;
    },
    onmessage: null,
    onerror: null,
    onmessageerror: null,
  };
  const replay = createReplay(source, () => port);
  const tell = (data: FromReplay) => port.onmessage?.({ data } as MessageEvent<FromReplay>);
  return { replay, sent, tell, isEnded: () => ended };
}

afterEach(() => vi.useRealTimers());

it('starts its worker with the first question, and answers only the latest one', async () => {
  const { replay, sent, tell } = started();
  expect(sent).toEqual([]);
  const first = replay.ask(5, 'color');
  const second = replay.ask(9, 'color');
  await vi.waitFor(() => expect(sent.map(({ t }) => t)).toEqual(['open', 'picture']));
  const picture = {
    width: 1,
    height: 1,
    pixels: new Uint8ClampedArray(4),
    halted: '',
    limit: '' as const,
    note: '',
    changed: null,
  };
  tell({ t: 'picture', id: 2, picture, failures: [], refusals: [] });
  expect(await first).toBeNull();
  expect((await second)?.call).toBe(9);
  expect(replay.progress.value).toBeNull();
});

it('ends a worker that says nothing, with a sentence', async () => {
  vi.useFakeTimers();
  const { replay, tell, isEnded } = started();
  const asked = replay.ask(5, 'color');
  // It has longer to start.
  await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
  tell({ t: 'progress', what: 'looking', share: 0, call: 0 });
  await vi.advanceTimersByTimeAsync(SILENT_MS - 10);
  tell({ t: 'progress', what: 'replaying', share: 0.5, call: 77 });
  await vi.advanceTimersByTimeAsync(SILENT_MS - 10);
  expect(isEnded()).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(await asked).toBeNull();
  expect(isEnded()).toBe(true);
  expect(replay.error.value).toContain('was stopped after call 77');
});

it('finds the frame of a call and the heaviest one', () => {
  const frames = {
    from: Float64Array.of(0, 10, 20),
    to: Float64Array.of(9, 19, Number.POSITIVE_INFINITY),
    draws: Float64Array.of(1, 7, 2),
  };
  expect([0, 9, 10, 500].map((call) => frameOf(frames, call))).toEqual([0, 0, 1, 2]);
  expect(heaviest(frames)).toBe(1);
});
