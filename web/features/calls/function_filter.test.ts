import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobReply } from '../../base/job_protocol.ts';
import { createNames } from '../../trace/names.ts';
import { createFunctionFilter } from './function_filter.ts';

const names = createNames();
names.add(0, ['read', 'std::vector', 'Write'], ['', '#7', '']);
const within = { from: 1n, to: 9n, tracks: Uint32Array.of(3) };

function setUp() {
  const log: unknown[] = [];
  const trace = {
    names,
    status: signal({ at: 'ready' }),
    bind: async (text: string, range: unknown) => {
      log.push([text, range]);
      return text.includes('wrong')
        ? { sentence: 'No.', at: 0, length: 5 }
        : { slices: new Uint8Array(), records: null };
    },
    begin: (_: unknown, take: (reply: JobReply<'find'>) => void) => {
      const part = { count: 1, names: Uint32Array.of(2) };
      take({ t: 'job-part', id: 4, part, progress: { done: 1, of: 1 }, last: true });
      return () => undefined;
    },
    dropHits: async () => undefined,
    records: { stopSearch: () => undefined },
  };
  const filter = createFunctionFilter(trace as never, { asked: () => within, functionFilter: signal('') } as never);
  const listed = () => [0, 1, 2].filter((name) => filter.holds.value(name));
  return { log, filter, listed, settle: () => vi.advanceTimersByTimeAsync(200) };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('answers a word from the names at once', () => {
  const { filter, listed, log } = setUp();
  const of = (text: string) => {
    filter.text.value = text;
    return listed();
  };
  expect([of(''), of(' R'), of('r'), of('std::v'), of('#7'), of('W')]).toEqual([
    [0, 1, 2],
    [],
    [0, 1, 2],
    [1],
    [1],
    [2],
  ]);
  expect(log).toEqual([]);
});

it('lists functions with calls in the range that an expression finds', async () => {
  const { filter, listed, log, settle } = setUp();
  filter.text.value = 'dur>1ms';
  await settle();
  expect([listed(), log]).toEqual([[2], [['dur>1ms', within]]]);
  filter.text.value = 'dur>1ms wrong';
  await settle();
  expect([filter.wrong.value?.sentence, listed()]).toEqual(['No.', [0, 1, 2]]);
  filter.text.value = 'read';
  expect([filter.wrong.value, listed()]).toEqual([null, [0]]);
});
