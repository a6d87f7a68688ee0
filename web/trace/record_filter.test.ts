import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BoundFilter, WrongExpression } from '../base/find_protocol.ts';
import type { JobReply } from '../base/job_protocol.ts';
import { createListFilter } from './record_filter.ts';
import type { Status } from './trace.ts';

const query = Uint8Array.of(1);
const ready: Status = { at: 'ready', how: 'complete', error: null };

function setUp(begins: Uint8Array[] = [], count = 2) {
  const asked: string[] = [];
  const status = signal<Status>(ready);
  const version = signal(0);
  const trace = {
    status,
    names: { version },
    bindRecords: async (text: string): Promise<BoundFilter | WrongExpression> => {
      asked.push(text);
      return text === 'wrong' ? { sentence: 'No.', at: 0, length: 5 } : { query, begins };
    },
    begin: (_: unknown, take: (reply: JobReply<'find'>) => void, slot: string) => {
      asked.push(slot);
      const part = { count, names: new Uint32Array() };
      take({ t: 'job-part', id: 4, part, progress: { done: 1, of: 1 }, last: true });
      return () => undefined;
    },
    columnsOfHits: async (job: number) => {
      asked.push(`columns ${job}`);
      return { time: BigUint64Array.of(5n), locator: BigUint64Array.of(9n), track: Uint32Array.of(1) };
    },
    dropHits: async (job: number) => void asked.push(`drop ${job}`),
  };
  return {
    asked,
    status,
    version,
    filter: createListFilter(trace),
    settle: () => vi.advanceTimersByTimeAsync(200),
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('follows the text when the person pauses', async () => {
  const { filter, asked, settle } = setUp();
  filter.text.value = 'a';
  filter.text.value = 'ab ';
  expect(filter.filter.value).toBeNull();
  await settle();
  expect([asked, filter.filter.value]).toEqual([['ab'], { query, begins: [] }]);
  filter.text.value = '';
  expect(filter.filter.value).toBeNull();
});

it('keeps what the list is narrowed by while an expression is wrong', async () => {
  const { filter, asked, settle } = setUp();
  filter.text.value = 'a';
  await settle();
  const before = filter.filter.value;
  filter.text.value = 'wrong';
  await settle();
  expect([filter.wrong.value?.sentence, filter.filter.value]).toEqual(['No.', before]);
  filter.text.value = 'a';
  await settle();
  expect([filter.wrong.value, filter.filter.value, asked]).toEqual([null, before, ['a', 'wrong']]);
});

it('finds the slices that records must begin', async () => {
  const { filter, asked, settle } = setUp([Uint8Array.of(2)]);
  filter.text.value = 'dur>1';
  await settle();
  const begins = [{ time: BigUint64Array.of(5n), locator: BigUint64Array.of(9n) }];
  expect(filter.filter.value).toEqual({ query, begins });
  expect(asked).toEqual(['dur>1', 'filter-0', 'columns 4', 'drop 4']);
});

it('says that too many slices are like this', async () => {
  const { filter, asked, settle } = setUp([Uint8Array.of(2)], 2 ** 20 + 1);
  filter.text.value = 'dur>1';
  await settle();
  expect(filter.wrong.value?.sentence).toContain('1,048,577 slices');
  expect([filter.filter.value, asked.at(-1)]).toEqual([null, 'drop 4']);
});

it('waits for the file, and begins anew when names have other texts', async () => {
  const { filter, asked, status, version, settle } = setUp();
  status.value = { at: 'loading' };
  filter.text.value = 'a';
  await settle();
  expect(asked).toEqual([]);
  status.value = ready;
  await settle();
  version.value += 1;
  await settle();
  expect(asked).toEqual(['a', 'a']);
});
