import { afterEach, expect, test, vi } from 'vitest';
import { type CallsReading, createCallsReading } from './calls_reading.ts';

afterEach(() => vi.unstubAllGlobals());

/** Megabytes. A part may be two ahead of another. */
const OF = 40;

/** A reading of a file of which each turn takes a megabyte. */
function setUp(mostBytes = 16 << 20) {
  vi.stubGlobal('FileReaderSync', class {});
  const file = new Blob();
  Object.defineProperty(file, 'size', { value: OF << 20 });
  const reading = createCallsReading();
  reading.open({ file, records: new Uint8Array(), mostBytes });
  return reading;
}

function partOf(reading: CallsReading, breaksAt = Number.POSITIVE_INFINITY) {
  const state = { done: 0, failed: '', isFree: false };
  const on = { turn: (_done: number): void => undefined };
  const part = reading.read<{ needsDecompressor(): boolean; free(): void }, number>({
    load: async () => () => undefined,
    make: () => ({
      needsDecompressor: () => false,
      free: () => {
        state.isFree = true;
      },
    }),
    turn: () => {
      if (state.done === breaksAt) throw 'It cannot be read.';
      state.done += 1;
      on.turn(state.done);
      return state.done === OF;
    },
    share: () => state.done / OF,
    news: () => state.done,
    reportMs: Number.POSITIVE_INFINITY,
  });
  const begin = () =>
    void part.turns.open(
      true,
      () => undefined,
      (sentence) => {
        state.failed = sentence;
      },
    );
  return { state, on, part, begin };
}

test('a part that begins later catches up, then they go together', async () => {
  const reading = setUp();
  const [first, second] = [partOf(reading), partOf(reading)];
  const leads: number[] = [];
  first.on.turn = (done) => {
    if (done === 10) second.begin();
    if (second.state.done > 0) leads.push(done - second.state.done);
  };
  first.begin();
  await vi.waitFor(() => expect([first.state.done, second.state.done]).toEqual([OF, OF]));
  // What the first one had begun before the second one was known, then two and the turn.
  expect(leads.length).toBeGreaterThan(10);
  expect(Math.max(...leads.slice(1))).toBeLessThanOrEqual(3);
});

test('no part waits for one that begins later if all of the file is kept', async () => {
  const reading = setUp(OF << 20);
  const [first, second] = [partOf(reading), partOf(reading)];
  first.on.turn = (done) => {
    if (done === 10) second.begin();
    if (done === OF) expect(second.state.done).toBeLessThan(OF - 5);
  };
  first.begin();
  await vi.waitFor(() => expect([first.state.done, second.state.done]).toEqual([OF, OF]));
  expect(first.state.failed).toBe('');
});

test('no part waits for one that is stopped, has failed or has ended', async () => {
  const reading = setUp();
  const [stopped, broken, ended, last] = [partOf(reading), partOf(reading, 2), partOf(reading), partOf(reading)];
  stopped.on.turn = (done) => {
    if (done === 2) stopped.part.turns.stop();
  };
  ended.on.turn = (done) => {
    if (done === 2) queueMicrotask(ended.part.end);
  };
  for (const { begin } of [stopped, broken, ended, last]) begin();
  await vi.waitFor(() => expect(last.state.done).toBe(OF));
  expect([stopped.state.done, ended.state.done]).toEqual([2, 2]);
  expect([broken.state.failed, ended.state.isFree]).toEqual(['It cannot be read.', true]);
  stopped.part.turns.goOn();
  await vi.waitFor(() => expect(stopped.state.done).toBe(OF));
});
