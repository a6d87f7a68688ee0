import { afterEach, expect, it, vi } from 'vitest';
import { methods, type Remote } from '../../base/remote.ts';
import { ticks } from '../../base/ticks.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Tracks } from '../../trace/tracks.ts';
import { beginOf, frameOf } from './gl/frames.ts';
import { heaviest, pictureCall, remarksOf } from './pictured_calls.ts';
import type { Coverage, Frames, Picture, Pictured, ReplayReports, ReplayService } from './protocol.ts';
import { createReplay, LONG_MS, OFFER_MS, PATIENCE_MS, type ReplayWorker, SILENT_MS } from './replay.ts';
import { megabytesOf } from './replay_limits.ts';

const source = {
  recordSource: { file: async () => new Blob(), index: async () => new Uint8Array() },
} as unknown as Pick<Trace, 'recordSource'>;

const picture: Picture = {
  width: 1,
  height: 1,
  pixels: new Uint8ClampedArray(4),
  halted: '',
  limit: '',
  note: '',
  changed: null,
};

/** A question to the worker, and its answer. */
interface Sent {
  readonly t: string;
  readonly args: readonly unknown[];
  answer(answer: Pictured): void;
  fail(failure: unknown): void;
}

function started() {
  const sent: Sent[] = [];
  let ended = false;
  const remote = methods<Remote<ReplayService>>(
    (t, args) => new Promise((answer, fail) => sent.push({ t, args, answer, fail })),
  );
  const worker: ReplayWorker = {
    remote,
    end: () => {
      ended = true;
    },
  };
  const replay = createReplay(source, async () => worker);
  /** What the worker says since it was opened last. */
  const tell = () => sent.findLast(({ t }) => t === 'open')?.args[1] as ReplayReports;
  const answer = (place: number, halted = '') =>
    sent[place]?.answer({ picture: { ...picture, halted }, failures: [], refusals: [] });
  return { replay, worker, sent, tell, answer, isEnded: () => ended };
}

afterEach(() => vi.useRealTimers());

it('starts its worker with the first question, and answers only the latest one', async () => {
  const { replay, sent, answer } = started();
  expect(sent).toEqual([]);
  const first = replay.ask(5, 'color');
  const second = replay.ask(9, 'color');
  await vi.waitFor(() => expect(sent.map(({ t }) => t)).toEqual(['open', 'picture']));
  answer(1);
  expect(await first).toBeNull();
  expect((await second)?.call).toBe(9);
  expect(replay.progress.value).toBeNull();
});

it('keeps what has failed on the way to a picture that is no longer wanted', async () => {
  const { replay, sent, answer } = started();
  const first = replay.ask(5, 'color');
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  const second = replay.ask(9, 'color');
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(await first).toBeNull();
  sent[1]?.answer({ picture, failures: [], refusals: [{ call: 3, what: 'WebGL2 refuses Clear', isMissing: true }] });
  await vi.waitFor(() => expect(replay.refusals.value).toHaveLength(1));
  expect(replay.shown.value).toBeNull();
  expect(replay.progress.value).not.toBeNull();
  answer(2);
  expect((await second)?.call).toBe(9);
});

it('keeps pictures, so that going back takes no replay', async () => {
  const { replay, sent, answer } = started();
  const ask = async (call: number, id: number, halted = '') => {
    const asked = replay.ask(call, 'color');
    await vi.waitFor(() => expect(sent.filter(({ t }) => t === 'picture')).toHaveLength(id));
    answer(id, halted);
    await asked;
  };
  await ask(5, 1);
  await ask(9, 2);
  expect((await replay.ask(5, 'color'))?.call).toBe(5);
  expect(replay.shown.value?.call).toBe(5);
  expect(sent.filter(({ t }) => t === 'picture')).toHaveLength(2);
  // Another view, and one that was not complete, are replayed.
  await ask(7, 3, 'The GPU took more than 4 seconds.');
  await ask(7, 4);
});

it('raises limits with a new worker, or for the next picture', async () => {
  const { replay, sent, isEnded } = started();
  void replay.ask(5, 'color');
  await vi.waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[0]?.args[0]).toMatchObject({ megabytes: 512, isAnyway: false });
  const failure = { sentence: 'This computer draws without a GPU.', limit: 'gpu', isPassing: false } as const;
  sent[0]?.fail(failure);
  await vi.waitFor(() => expect([isEnded(), replay.failure.value]).toEqual([true, failure]));
  replay.again('gpu');
  expect(replay.failure.value).toBeNull();
  void replay.ask(5, 'color');
  await vi.waitFor(() => expect(sent).toHaveLength(4));
  expect(sent[2]?.args[0]).toMatchObject({ megabytes: 512, isAnyway: true });
  replay.again('bytes');
  replay.again('time');
  void replay.ask(5, 'color');
  await vi.waitFor(() => expect(sent).toHaveLength(6));
  expect(sent[4]?.args[0]).toMatchObject({ megabytes: 1024 });
  expect(sent[5]?.args).toEqual([5, 'color', 8 * PATIENCE_MS]);
});

it('says that it looks at all calls as soon as somebody asks', async () => {
  const { replay, sent, tell } = started();
  replay.look();
  expect(replay.progress.value).toEqual({ what: 'looking', share: 0, isLong: false });
  await vi.waitFor(() => expect(sent.map(({ t }) => t)).toEqual(['open', 'look']));
  const frames = { from: [], to: [], draws: [] } as unknown as Frames;
  tell().coverage({ shaders: [] } as unknown as Coverage, frames);
  expect(replay.progress.value).toBeNull();
});

it('says so if its worker does not start', async () => {
  const replay = createReplay(source, async () => {
    throw new Error('no workers');
  });
  expect(await replay.ask(5, 'color')).toBeNull();
  expect(replay.failure.value?.sentence).toContain('ended unexpectedly');
  expect(replay.progress.value).toBeNull();
});

it('takes less memory where the machine has less', () => {
  expect([0.25, 2, 4, 8, 32, undefined].map(megabytesOf)).toEqual([64, 128, 256, 512, 512, 512]);
});

it('starts its next worker once the one before has ended', async () => {
  const begun: ((worker: ReplayWorker) => void)[] = [];
  const replay = createReplay(source, () => new Promise((resolve) => begun.push(resolve)));
  const [first, second] = [started(), started()];
  void replay.ask(5, 'color');
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  // Another limit, before the first worker could start.
  replay.again('bytes');
  void replay.ask(5, 'color');
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  begun[0]?.(first.worker);
  begun[1]?.(second.worker);
  await vi.waitFor(() => expect(second.sent.map(({ t }) => t)).toEqual(['open', 'picture']));
  expect([first.sent, first.isEnded(), second.isEnded()]).toEqual([[], true, false]);
});

it('says for each call why it is not shown as in the trace', () => {
  const reasons = [{ reason: 'geometry shaders are not in WebGL2', count: 2, first: 3 }];
  const coverage = { calls: Float64Array.of(3, 8), why: Uint32Array.of(0, 0), reasons } as unknown as Coverage;
  const remarks = remarksOf(coverage, [{ call: 9, what: 'WebGL2 refuses Clear', isMissing: true }]);
  expect([...remarks.keys()]).toEqual([3, 8, 9]);
  expect(remarks.get(8)).toBe('Not in the picture: geometry shaders are not in WebGL2');
  expect(remarks.get(9)).toBe('Not shown as in the trace: WebGL2 refuses Clear');
});

it('ends a worker that says nothing, with a sentence', async () => {
  vi.useFakeTimers();
  const { replay, tell, isEnded } = started();
  const asked = replay.ask(5, 'color');
  // It has longer to start.
  await vi.advanceTimersByTimeAsync(1.5 * SILENT_MS);
  tell().progress('looking', 0, 0);
  await vi.advanceTimersByTimeAsync(SILENT_MS - 10);
  tell().progress('replaying', 0.5, 77);
  await vi.advanceTimersByTimeAsync(SILENT_MS - 10);
  expect(isEnded()).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(await asked).toBeNull();
  expect(isEnded()).toBe(true);
  expect(replay.failure.value?.sentence).toContain('was stopped after call 77');
});

it('makes other pictures by another worker once one was given up', async () => {
  vi.useFakeTimers();
  const { replay, sent, tell, answer } = started();
  void replay.ask(5, 'color');
  await vi.advanceTimersByTimeAsync(0);
  tell().progress('replaying', 0.5, 3);
  tell().coverage(coverage, frames);
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  expect([replay.failure.value?.isPassing, replay.frames.value]).toEqual([true, frames]);
  // The same one is not tried again by itself.
  await replay.ask(5, 'color');
  expect([replay.failure.value === null, sent.length]).toEqual([false, 2]);
  void replay.ask(9, 'color');
  await vi.advanceTimersByTimeAsync(0);
  expect([replay.failure.value, sent.map(({ t }) => t)]).toEqual([null, ['open', 'picture', 'open', 'picture']]);
  answer(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(replay.shown.value?.call).toBe(9);
});

it('lets the user end a picture that takes long', async () => {
  vi.useFakeTimers();
  const { replay, sent, tell } = started();
  void replay.ask(5, 'color');
  await vi.advanceTimersByTimeAsync(0);
  tell().progress('replaying', 0.1, 3);
  expect(replay.progress.value?.isLong).toBe(false);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  tell().progress('replaying', 0.2, 4);
  expect(replay.progress.value).toEqual({ what: 'replaying', share: 0.2, isLong: true });
  replay.enough();
  expect(sent.at(-1)?.t).toBe('enough');
});

it('lets the share of a picture not go back, and begins that of the next one at 0', async () => {
  vi.useFakeTimers();
  const { replay, tell } = started();
  void replay.ask(5, 'color');
  await vi.advanceTimersByTimeAsync(0);
  const shares = [0.3, 0.98, 0.33, 0.99].map((share) => {
    tell().progress('replaying', share, 3);
    return replay.progress.value?.share;
  });
  expect(shares).toEqual([0.3, 0.98, 0.98, 0.99]);
  void replay.ask(9, 'color');
  expect(replay.progress.value?.share).toBe(0);
});

const frames: Frames = { from: Float64Array.of(0), to: Float64Array.of(9), draws: Float64Array.of(1) };
const coverage = { reasons: [], shaders: [] } as unknown as Coverage;

it('ends a worker that says nothing while it looks at all calls, and none that has nothing to do', async () => {
  vi.useFakeTimers();
  const { replay, tell, isEnded } = started();
  replay.look();
  await vi.advanceTimersByTimeAsync(0);
  tell().progress('looking', 0, 0);
  tell().coverage(coverage, frames);
  await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
  // Small pictures that were requested, and then no longer: one of them was on its way.
  replay.want([3, 6, 9], 80, 45);
  replay.want([], 80, 45);
  tell().film(3, null);
  await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
  expect([isEnded(), replay.failure.value]).toEqual([false, null]);
  replay.want([6, 9], 80, 45);
  tell().film(6, null);
  await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
  expect(isEnded()).toBe(true);

  const other = started();
  other.replay.look();
  await vi.advanceTimersByTimeAsync(0);
  other.tell().progress('looking', 0, 0);
  await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
  expect(other.replay.failure.value?.sentence).toContain('was stopped');
});

/** A replay that the user has not asked for, whose calls were looked at. */
async function offered() {
  const own = started();
  const done = own.replay.offer();
  await vi.advanceTimersByTimeAsync(0);
  own.tell().progress('looking', 0, 0);
  return { ...own, done };
}

it('makes the picture of the heaviest frame, before the user asks, within a second of its worker', async () => {
  vi.useFakeTimers();
  const quick = await offered();
  expect(quick.sent[0]?.args[0]).toMatchObject({ isAsked: false });
  quick.tell().coverage(coverage, frames);
  await vi.advanceTimersByTimeAsync(OFFER_MS - 10);
  expect(quick.sent.map(({ t, args }) => (t === 'picture' ? args[0] : t))).toEqual(['open', 'look', 9]);
  quick.answer(2);
  await quick.done;
  await vi.advanceTimersByTimeAsync(OFFER_MS);
  expect([quick.replay.shown.value?.call, quick.replay.held.value, quick.isEnded()]).toEqual([9, '', false]);

  const slow = await offered();
  await vi.advanceTimersByTimeAsync(OFFER_MS);
  await slow.done;
  expect([slow.replay.held.value, slow.replay.failure.value, slow.isEnded()]).toEqual([
    'Pictures take longer than a moment on this computer.',
    null,
    true,
  ]);
  // The user wants them anyway.
  slow.replay.insist();
  void slow.replay.offer();
  await vi.advanceTimersByTimeAsync(0);
  expect([slow.replay.held.value, slow.sent.at(-2)?.args[0]]).toEqual(['', expect.objectContaining({ isAsked: true })]);
  slow.tell().coverage(coverage, frames);
  await vi.advanceTimersByTimeAsync(OFFER_MS);
  slow.answer(slow.sent.length - 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(slow.replay.shown.value?.call).toBe(9);
});

it('makes no picture without a GPU until the user wants one', async () => {
  vi.useFakeTimers();
  const { replay, sent } = await offered();
  sent[0]?.fail({ sentence: 'This computer draws without a GPU.', limit: 'gpu' });
  await vi.advanceTimersByTimeAsync(0);
  expect([replay.held.value, replay.failure.value]).toEqual(['This computer draws without a GPU.', null]);
  void replay.ask(3, 'color');
  await vi.advanceTimersByTimeAsync(0);
  expect([replay.held.value, sent.at(-1)?.t, sent.at(-1)?.args[0]]).toEqual(['', 'picture', 3]);
});

it('asks again what the user wanted while pictures were refused', async () => {
  vi.useFakeTimers();
  const { replay, sent, answer } = await offered();
  const asked = replay.ask(3, 'color');
  await vi.advanceTimersByTimeAsync(0);
  sent[0]?.fail({ sentence: 'This computer draws without a GPU.', limit: 'gpu' });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.slice(-2).map(({ args }) => args[0])).toEqual([expect.objectContaining({ isAsked: true }), 3]);
  answer(sent.length - 1);
  expect((await asked)?.call).toBe(3);
});

it('finds the frame of a call and the heaviest one', () => {
  const three = {
    from: Float64Array.of(0, 10, 20),
    to: Float64Array.of(9, 19, Number.POSITIVE_INFINITY),
    draws: Float64Array.of(1, 7, 2),
  };
  expect([0, 9, 10, 500].map((call) => frameOf(three, call))).toEqual([0, 0, 1, 2]);
  expect(heaviest(three)).toBe(1);
  expect([5, 10, 500].map((call) => beginOf(three, call))).toEqual([0, 10, 20]);
  // After the last swap there is the beginning of a frame that does not end.
  const two = { from: Float64Array.of(0, 10), to: Float64Array.of(9, 19), draws: Float64Array.of(1, 7) };
  expect([19, 20, 99].map((call) => beginOf(two, call))).toEqual([10, 20, 20]);
});

it('shows what is selected at its own end', () => {
  const two = { from: Float64Array.of(0, 10), to: Float64Array.of(9, 19), draws: Float64Array.of(1, 7) };
  const kinds = new Map([
    [0, { kind: 'lane' }],
    [1, { kind: 'thread' }],
  ]) as unknown as Tracks;
  const place = (start: number, end: number | null, track = 0) => ({
    track,
    start: ticks(BigInt(start)),
    end: end === null ? null : ticks(BigInt(end)),
  });
  // The end of a slice is the first call after it, which belongs to the next frame.
  expect(pictureCall(place(0, 10), kinds, two)).toBe(9);
  expect(pictureCall(place(10, 20), kinds, two)).toBe(19);
  expect(pictureCall(place(10, 20), kinds, null)).toBe(19);
  // Calls of other threads have begun when the swap returned.
  expect(pictureCall(place(0, 12), kinds, two)).toBe(9);
  expect(pictureCall(place(20, 24), kinds, two)).toBe(23);
  // A call is itself, with those that are made within it.
  expect(pictureCall(place(4, 6, 1), kinds, two)).toBe(4);
  expect(pictureCall(place(4, 5), kinds, two)).toBe(4);
  expect([pictureCall(place(4, null), kinds, two), pictureCall(place(4, 4), kinds, two)]).toEqual([4, 4]);
});
