import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { NBSP } from '../base/format.ts';
import { createScope } from '../base/scope.ts';
import { alignmentOf } from '../timeline/alignment.ts';
import type { OpenTrace, Pair } from '../timeline/open_trace.ts';
import { NO_CHOICES } from '../timeline/track_choices.ts';
import { differencesOf } from './differences.ts';
import { dock, HEAD, linkedTrace } from './link.fixture.ts';
import { differs, follow, linkOf, parseLink } from './link.ts';

/** What a link is followed in. */
const followed = {
  trace: { info: signal({ format: 'xray', offers: [] }), names: { text: [] } },
  statistics: { choices: signal([]), range: signal(null) },
  callPaths: { changes: signal([]), mode: signal('heavy'), setTrail: () => undefined },
};

describe('a link', () => {
  it('has both traces that are compared, and how they stand to each other', () => {
    const [a, b] = [linkedTrace(true), linkedTrace(false)];
    const timeline = {
      ...linkedTrace(false).timeline,
      reach: signal(null),
      whole: signal(null),
      goTo: () => undefined,
    };
    const scope = createScope();
    const trace = { ...a.trace, progress: signal({ extent: null }) };
    const pair = { a: { ...a, timeline, trace }, b: { ...b, timeline, trace }, scope } as unknown as Pair;
    const sides = [pair.a, pair.b].map((open) => Object.assign(open, { pair: signal(pair) }));
    const { chosen, isLinked } = alignmentOf(pair);
    const other = (open: OpenTrace) => parseLink(linkOf(open, dock)!)!.other!;
    expect(other(sides[0]!)).toMatchObject({ aligned: null, isLinked: true, isInFront: false });
    chosen.value = { a: 7n, b: 9n };
    isLinked.value = false;
    differencesOf(pair).ignored.value = ['times', 'name:a, b & c'];
    const { link, ...rest } = other(sides[1]!);
    expect(rest).toEqual({
      aligned: { a: 7n, b: 9n },
      isLinked: false,
      ignored: ['times', 'name:a, b & c'],
      isInFront: true,
    });
    expect([link.file.name, link.range, link.other]).toEqual(['a & b.xray', { from: 5n, to: 2n ** 63n }, null]);
    scope.dispose();
  });
  it('has what is shown, and can be read back', () => {
    const link = parseLink(`#${linkOf(linkedTrace(false), dock)}`);
    expect(link).toEqual({
      other: null,
      file: { name: 'a & b.xray', size: 12, head: HEAD.slice(0, 16) },
      view: null,
      top: 120,
      range: { from: 5n, to: 2n ** 63n },
      place: { from: 7n, track: 3, depth: -2 },
      thread: 3,
      tab: 'calls',
      calls: 'flame',
      highlight: 'f5',
      companions: ['shop1.elf'],
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

  it('has the notes of the user only if it is to', () => {
    const notes = (withNotes: boolean) => parseLink(linkOf(linkedTrace(false), dock, withNotes)!)?.notes.length;
    expect([notes(true), notes(false)]).toEqual([1, 0]);
    expect(linkOf(linkedTrace(false), dock, false)).not.toContain('why');
  });

  it('of an earlier version says the same', () => {
    const of = (more: string) => parseLink(`#unspool=1&name=threads.xray&size=5120&head=0123456789abcdef&${more}`);
    const file = { name: 'threads.xray', size: 5120, head: '0123456789abcdef' };
    expect(
      of('view=7140221766841..7140221949296&range=7140221766841..7140221800000&at=7140221766841,4,-1'),
    ).toMatchObject({
      file,
      view: { from: 7140221766841n, to: 7140221949296n },
      range: { from: 7140221766841n, to: 7140221800000n },
      place: { from: 7140221766841n, track: 4, depth: -1 },
    });
    expect(
      of(
        'thread=4&tab=calls&calls=flame&find=name%3A%2316&filter=main&functions=dur%3E1us&events=x&paths=%5B%5B%22only%22%2C%22a%22%5D%5D',
      ),
    ).toMatchObject({
      file,
      thread: 4,
      tab: 'calls',
      calls: 'flame',
      find: 'name:#16',
      filter: 'main',
      functions: 'dur>1us',
      events: 'x',
      values: null,
      callPaths: { changes: [['only', 'a']] },
    });
    const tracks = encodeURIComponent(
      '{"folded":{"all":false,"except":["process 1"]},"compact":{"all":true,"except":[]},"pinned":["thread 4"],"hidden":[],"only":null,"moves":[["thread 4",null]],"looks":{}}',
    );
    const notes = encodeURIComponent('[{"at":"3","text":"why?","colour":"red"}]');
    expect(of(`tracks=${tracks}&notes=${notes}`)).toMatchObject({
      tracks: {
        folded: { all: false, except: ['process 1'] },
        compact: { all: true, except: [] },
        pinned: ['thread 4'],
        moves: [['thread 4', null]],
      },
      notes: [{ from: 3n, to: null, text: 'why?', colour: 'red', place: null }],
    });
    // As queries make them, with nothing but a name.
    expect(parseLink('#unspool=1&name=threads.xray')).toMatchObject({
      file: { name: 'threads.xray', size: null, head: '' },
    });
  });

  it('leaves out what makes addresses too long', () => {
    const link = parseLink(`#${linkOf(linkedTrace(false, true), dock)}`);
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
    const link = parseLink(`#${linkOf(linkedTrace(false), dock)}`)!;
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
