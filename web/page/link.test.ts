import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { NBSP } from '../base/format.ts';
import type { OpenTrace } from '../timeline/open_trace.ts';
import { NO_CHOICES } from '../timeline/track_choices.ts';
import type { Dock } from './dock.ts';
import { differs, follow, linkOf, parseLink } from './link.ts';

const HEAD = 'ab'.repeat(32);
const dock = {
  open: signal(true),
  front: signal({ xray: 'calls' }),
  calls: signal({ xray: 'flame' }),
} as unknown as Dock;

function openOf(moved: boolean, long = false): OpenTrace {
  return {
    memory: { identity: signal({ name: 'a & b.xray', size: 12, head: HEAD }) },
    timeline: {
      view: signal({ start: 100, origin: 100n, from: 100n, offset: 0, scale: 1, pxPerTick: 1, ticksPerPx: 1 }),
      size: signal({ width: 50, height: 10 }),
      isMoved: () => moved,
      arrangement: { choices: signal({ ...NO_CHOICES, pinned: ['t1'] }), filter: signal('main') },
    },
    notes: { list: signal([{ id: 1, from: 3n, to: null, text: 'why?', colour: 'red', place: null }]) },
    statistics: {
      range: signal({ from: 5n, to: 2n ** 63n }),
      whose: signal(3),
      functionFilter: signal('f dur>1us'),
    },
    callPaths: {
      mode: signal('inverted'),
      changes: signal([{ kind: 'only', text: 'a b' }, { kind: 'hide', name: 4 }, { kind: 'collapse' }]),
      path: signal([1, 2]),
    },
    events: {
      filter: { text: signal('x'.repeat(long ? 6001 : 1)) },
      isByValues: signal(true),
      valuesText: signal('i > 3'),
    },
    selection: {
      selected: signal({ item: { kind: 'slice', depth: -2 }, track: 3, start: 7n, name: 0 }),
      record: signal(null),
    },
    trace: {
      info: signal({ format: 'xray' }),
      names: { of: (id: number) => `f${id}`, keyOf: (id: number) => (id === 2 ? '#2' : '') },
    },
    find: { asked: signal('values: i > 3') },
  } as unknown as OpenTrace;
}

/** What a link is followed in. */
const followed = {
  trace: { info: signal({ format: 'xray', offers: [] }), names: { text: [] } },
  statistics: { choices: signal([]), range: signal(null) },
  callPaths: { changes: signal([]), mode: signal('heavy'), setTrail: () => undefined },
};

describe('a link', () => {
  it('has what is shown, and can be read back', () => {
    const link = parseLink(`#${linkOf(openOf(false), dock)}`);
    expect(link).toEqual({
      file: { name: 'a & b.xray', size: 12, head: HEAD.slice(0, 16) },
      view: null,
      range: { from: 5n, to: 2n ** 63n },
      place: { from: 7n, track: 3, depth: -2 },
      thread: 3,
      tab: 'calls',
      calls: 'flame',
      find: 'values: i > 3',
      tracks: { ...NO_CHOICES, pinned: ['t1'] },
      filter: 'main',
      functions: 'f dur>1us',
      events: 'x',
      values: 'i > 3',
      callPaths: {
        changes: [['only', 'a b'], ['hide', 'f4'], ['collapse']],
        flame: { mode: 'inverted', path: ['f1', '#2'] },
      },
      notes: [{ from: 3n, to: null, text: 'why?', colour: 'red', place: null }],
    });
  });

  it('leaves out what makes addresses too long', () => {
    const link = parseLink(`#${linkOf(openOf(false, true), dock)}`);
    expect(link).toMatchObject({ functions: 'f dur>1us', events: '' });
  });

  it('leaves out what is damaged', () => {
    expect(parseLink('')).toBeNull();
    expect(parseLink('#unspool=2&name=a')).toBeNull();
    const link = parseLink(
      '#unspool=1&name=a&size=x&view=9..3&range=1..-2&at=1,2,3,4&thread=-1&tracks={&notes=7&paths=[["no"],["hide"]]&flame=[7]',
    );
    expect(link).toMatchObject({ view: null, range: null, place: null, thread: null, tracks: NO_CHOICES, notes: [] });
    expect(link).toMatchObject({ values: null, callPaths: { changes: [], flame: null } });
    expect(parseLink('#unspool=1&name=a&view=1..99999999999999999999999')?.view).toBeNull();
    expect(parseLink('#unspool=1&name=a&view=1..18446744073709551616')?.view).toBeNull();
    expect(parseLink('#unspool=1&name=a&at=18446744073709551616,1')?.place).toBeNull();
    for (const size of ['NaN', '-1', '1e3', '', 'Infinity']) {
      expect(parseLink(`#unspool=1&name=a&size=${size}`)?.file.size, size).toBeNull();
    }
  });

  it('is about a file of its content, whatever its name', () => {
    const link = parseLink(`#${linkOf(openOf(false), dock)}`)!;
    expect(differs(link, { name: 'other', size: 12, head: HEAD })).toBe('');
    expect(differs(link, { name: 'a & b.xray', size: 12, head: 'cd'.repeat(32) })).toBe('its first bytes differ');
    expect(differs(link, { name: 'a & b.xray', size: 13, head: HEAD })).toBe(`it has 12${NBSP}bytes, and this one 13`);
    // Links that queries make.
    expect(differs(parseLink('#unspool=1&name=a')!, { name: 'a', size: 5, head: HEAD })).toBe('');
    expect(differs(parseLink('#unspool=1&name=a')!, { name: 'b', size: 5, head: HEAD })).toBe('this one is b');
    // Outside of secure contexts there are no hashes.
    expect(differs(link, { name: 'a & b.xray', size: 12, head: '' })).toBe('');
  });

  it('of an earlier version shows the call graph, which was a panel of its own', async () => {
    await follow(parseLink('#unspool=1&name=a&tab=graph')!, followed as unknown as OpenTrace, dock);
    expect([dock.front.value, dock.calls.value]).toEqual([{ xray: 'calls' }, { xray: 'graph' }]);
  });

  it('ends a search that takes long, unless the person has asked for another one', async () => {
    vi.useFakeTimers();
    const stopped: string[] = [];
    const asked = signal('');
    const find = {
      text: signal(''),
      asked,
      ask: (text: string) => {
        asked.value = text;
      },
      stop: () => stopped.push(asked.value),
    };
    const open = { ...followed, find } as unknown as OpenTrace;
    const link = parseLink('#unspool=1&name=a&find=x')!;
    await follow(link, open, dock);
    expect(asked.value).toBe('x');
    vi.advanceTimersByTime(9000);
    expect(stopped).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(stopped).toEqual(['x']);
    await follow(link, open, dock);
    asked.value = 'y';
    vi.advanceTimersByTime(20_000);
    expect(stopped).toEqual(['x']);
    vi.useRealTimers();
  });
});
