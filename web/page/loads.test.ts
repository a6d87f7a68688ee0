import { afterEach, expect, it } from 'vitest';
import type { Moved } from '../base/ranged.ts';
import { RangedFile } from '../base/ranged_file.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { accountFor, loads, rangesAt } from './loads.ts';

const ranges = rangesAt('https://host.example/a', 1000, null);
const thread = new BroadcastChannel(ranges.channel);
const moved = (by: string, bytes: number, kept: number, waits = ''): Moved => ({
  url: ranges.url,
  by,
  bytes,
  kept,
  waits,
});
/** Posts what a thread tells, and waits until the page has heard it. */
async function tell(it: Moved): Promise<void> {
  thread.postMessage(it);
  while (loads().kept.peek() !== it.kept) await new Promise((resolve) => setTimeout(resolve));
}

afterEach(() => loads().leave(ranges.url));

it('adds up what threads load, enters what they keep in the ledger, and forgets them with the trace', async () => {
  const held: number[] = [];
  const ledger = { set: (_: string, { bytes }: { bytes: number }) => held.push(bytes) };
  const open = { file: new RangedFile(ranges, 'a', 0), trace: { ledger } } as unknown as OpenTrace;
  const stop = accountFor(open);
  await tell(moved('one', 10, 7));
  await tell(moved('one', 30, 9, 'It does not answer.'));
  expect([loads().bytesOf(ranges.url), loads().bytesOf('other'), loads().waits.value]).toEqual([
    30,
    0,
    'It does not answer.',
  ]);
  expect(held).toEqual([7, 9]);
  stop();
  expect([loads().bytesOf(ranges.url), loads().waits.value, loads().kept.value]).toEqual([0, '', 0]);
});

it('has all threads go on, and forget what they keep', async () => {
  const heard = new Promise<unknown[]>((resolve) => {
    const all: unknown[] = [];
    thread.onmessage = ({ data }: MessageEvent) => {
      all.push(data);
      if (all.length === 2) resolve(all);
    };
  });
  loads().goOn();
  loads().forget();
  expect(await heard).toEqual(['go on', 'forget']);
});
