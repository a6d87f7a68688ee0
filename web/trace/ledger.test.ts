import { expect, it } from 'vitest';
import type { JobReply } from '../base/job_protocol.ts';
import type { Jobs } from './jobs.ts';
import { createAccount, createLedger, LEAST, LIMIT, withRoom } from './ledger.ts';

const ROOM = LIMIT - LIMIT / 8;

function create(storeBytes = 0) {
  const posted: number[] = [];
  const gone: string[] = [];
  const ledger = createLedger(
    () => storeBytes,
    (bytes) => posted.push(bytes),
  );
  const set = (key: string, bytes: number, inUse = false) =>
    ledger.set(key, { noun: `${key} of the trace`, bytes, free: inUse ? null : () => gone.push(key) });
  return { ledger, set, posted, gone };
}

it('removes what was not used for the longest time, and says so', () => {
  const { ledger, set, posted, gone } = create();
  set('values', ROOM / 2);
  set('tables', ROOM / 2);
  expect([gone, posted]).toEqual([[], [ROOM / 2, ROOM]]);
  // A use of the oldest.
  set('values', ROOM / 2);
  set('lists', 1);
  expect([gone, ledger.told.value]).toEqual([
    ['tables'],
    'The tables of the trace were removed to make room in memory.',
  ]);
  expect(posted.at(-1)).toBe(ROOM / 2 + 1);
});

it('keeps what is in use, and what has come last', () => {
  const { ledger, set, gone } = create();
  set('values', ROOM, true);
  expect([ledger.room('tables'), ledger.room('values')]).toEqual([0, ROOM]);
  set('tables', 5);
  expect(gone).toEqual([]);
  set('values', ROOM);
  expect(gone).toEqual(['tables']);
});

it('is one account for all traces, and gives back what a closed one took', () => {
  const account = createAccount();
  const gone: string[] = [];
  const posted: Record<string, number> = {};
  const opened = (name: string, store: number) => {
    const post = (bytes: number) => {
      posted[name] = bytes;
    };
    const ledger = createLedger(() => store, post, account);
    const set = (bytes: number) =>
      ledger.set('tables', { noun: `tables of ${name}`, bytes, free: () => gone.push(name) });
    return { ledger, set };
  };
  const [a, b] = [opened('a', ROOM / 4), opened('b', ROOM / 4)];
  a.ledger.recount();
  expect(posted).toEqual({ a: ROOM / 4, b: ROOM / 4 });
  a.set(ROOM / 4);
  expect([a.ledger.room('tables'), b.ledger.room('tables')]).toEqual([ROOM / 2, ROOM / 2]);
  b.set(ROOM / 2);
  expect([gone, a.ledger.told.value, b.ledger.told.value]).toEqual([
    ['a'],
    'The tables of a were removed to make room in memory.',
    '',
  ]);
  expect(posted).toEqual({ a: (ROOM * 3) / 4, b: (ROOM * 3) / 4 });
  b.ledger.dispose();
  expect([posted['a'], a.ledger.room('tables')]).toEqual([0, (ROOM * 3) / 4]);
});

it('takes nothing more for a closed trace, whose worker ends after it', () => {
  const account = createAccount();
  const ledger = createLedger(
    () => 0,
    () => undefined,
    account,
  );
  const held = { noun: 'tables', bytes: 5, free: () => ledger.set('tables', { ...held, bytes: 0 }) };
  ledger.set('tables', held);
  ledger.dispose();
  held.free();
  expect([account.members.size, account.entries.size]).toEqual([0, 0]);
});

it('leaves some room beside the largest trace', () => {
  const { ledger, set, gone } = create(3 * LIMIT);
  expect(ledger.room('tables')).toBe(LEAST);
  set('values', LEAST);
  set('tables', 1);
  expect(gone).toEqual(['values']);
});

it('begins a job anew once there is room for it', () => {
  const { ledger, set, gone } = create();
  const begun: ((reply: JobReply) => void)[] = [];
  const cancelled: number[] = [];
  const begin = ((_: unknown, take: (reply: JobReply) => void) => {
    begun.push(take);
    const mine = begun.length;
    return () => cancelled.push(mine);
  }) as unknown as Jobs['begin'];
  const heard: string[] = [];
  set('values', 10);
  const cancel = withRoom(begin, ledger)({ kind: 'keep', name: 1 } as never, (reply) => heard.push(reply.t));
  const full = { t: 'job-failed', id: 1, error: { kind: 'limit', sentence: 'Full.', offset: null } } as const;
  begun[0]!(full);
  expect([begun.length, gone, heard]).toEqual([2, ['values'], []]);
  // Nothing more can go.
  begun[1]!(full);
  expect([begun.length, heard]).toEqual([2, ['job-failed']]);
  cancel();
  expect(cancelled).toEqual([2]);
});
