import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import type { Status, Trace } from '../trace/trace.ts';
import { partRead, partWanted } from './part.ts';

const clock = { kind: 'seconds', frequency: 1_000_000n } as const;
const extent = { from: ticks(5_000_000n), to: ticks(8_000_000n) };

/** A trace of which 57 of 100 bytes were read. */
function trace(status: Status, isLimit = false): Pick<Trace, 'status' | 'progress' | 'info'> {
  const first = { offset: 57n, kind: '', sentence: '' };
  const kind = { kind: 'out-of-room', count: 1, serious: true, canGoOn: false, isLimit, summary: 'no room', first };
  const progress = { bytes: 100, bytesRead: 57, extent, problems: [kind] };
  return { status: signal(status), progress: signal(progress), info: signal({ clock }) } as unknown as Trace;
}

it('is what a limit or the person left', () => {
  const complete: Status = { at: 'ready', how: 'complete', error: null };
  expect(partRead(trace({ at: 'loading' }, true))).toBeNull();
  expect(partRead(trace(complete))).toBeNull();
  const limited = partRead(trace(complete, true))!;
  expect([limited.label.replaceAll('\u00a0', ' '), limited.why, limited.at?.offset]).toEqual([
    '57 % of the file, up to 3 s',
    'no room',
    57n,
  ]);
  const error = { kind: 'limit', sentence: 'Too much.', offset: null } as const;
  expect(partRead(trace({ at: 'ready', how: 'broken', error }))?.why).toBe('Too much.');
  expect(partRead(trace({ at: 'ready', how: 'broken', error: { ...error, kind: 'malformed' } }))).toBeNull();
  expect(partRead(trace({ at: 'ready', how: 'cancelled', error: null }))?.why).toBe('reading was stopped');
});

it('begins where reading ended, to the tick, unless the person says otherwise', () => {
  const wanted = (from: string, to: string) => partWanted(from, to, extent, clock);
  expect(wanted('', '')).toEqual({ from: 8_000_000n, to: (1n << 64n) - 1n });
  expect(wanted('1 s', '2.5')).toEqual({ from: 6_000_000n, to: 7_500_000n });
  expect(wanted('2 s', '1 s')).toBe('The part ends before it begins.');
  expect(wanted('soon', '')).toContain('Positions look like');
});
