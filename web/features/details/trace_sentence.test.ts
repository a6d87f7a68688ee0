import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { TraceInfo } from '../../base/protocol.ts';
import type { Trace } from '../../trace/trace.ts';
import { sentenceOf } from './trace_sentence.ts';

const trace = (events: number, extent: unknown, tracks: readonly object[]) =>
  ({
    progress: signal({ events, extent }),
    tracks: signal(new Map(tracks.map((track, id) => [id, { id, groups: 0, ...track }]))),
  }) as unknown as Trace;
const info = (more: object) =>
  ({ title: 'XRay FDR 5', eventNoun: 'record', sliceNoun: 'call', properties: [], ...more }) as unknown as TraceInfo;

it('says how long a trace of time is, with its calls and threads', () => {
  const threads = [
    { kind: 'thread', slices: 1200 },
    { kind: 'thread', slices: 34 },
  ];
  const clock = { kind: 'seconds', frequency: 1_000_000_000n };
  const open = trace(2468, { from: 5n, to: 2_000_000_005n }, threads);
  expect(sentenceOf(open, info({ clock })).replace(/\s/g, ' ')).toBe('XRay FDR 5: 1,234 calls in 2 threads, 2 s long.');
});

it('names the program without its folder, and counts what its axis counts', () => {
  const clock = { kind: 'ordinal', unit: 'step' };
  const open = trace(1, { from: 0n, to: 1n }, [{ kind: 'thread', slices: 3 }]);
  const properties = [
    ['Machine', 'x86-64'],
    ['Program', '/usr/bin/ls'],
  ];
  expect(
    sentenceOf(open, info({ title: 'BAP frames 2', eventNoun: 'frame', clock, properties })).replace(/\s/g, ' '),
  ).toBe('BAP frames 2 of ls: 1 frame and 3 calls in 1 thread.');
  expect(sentenceOf(trace(7, null, []), info({ clock, properties: [['Command line', '']] })).replace(/\s/g, ' ')).toBe(
    'XRay FDR 5: 7 records.',
  );
});
