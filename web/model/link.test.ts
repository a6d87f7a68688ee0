import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Dock } from './dock.ts';
import { isAbout, linkOf, parseLink } from './link.ts';
import type { OpenTrace } from './workbench.ts';

const HEAD = 'ab'.repeat(32);
const dock = { open: signal(true), front: signal({ xray: 'events' }) } as unknown as Dock;

function openOf(moved: boolean): OpenTrace {
  return {
    memory: { identity: signal({ name: 'a & b.xray', size: 12, head: HEAD }) },
    timeline: {
      view: signal({ start: 100, origin: 100n, from: 100n, offset: 0, scale: 1, pxPerTick: 1, ticksPerPx: 1 }),
      size: signal({ width: 50, height: 10 }),
      isMoved: () => moved,
    },
    statistics: { range: signal({ from: 5n, to: 2n ** 63n }) },
    selection: {
      selected: signal({ item: { kind: 'slice', depth: -2 }, track: 3, start: 7n, name: 0 }),
      record: signal(null),
    },
    trace: { info: signal({ format: 'xray' }), names: { of: () => 'f' } },
    find: { asked: signal('name:f dur>1ms') },
  } as unknown as OpenTrace;
}

describe('a link', () => {
  it('has what is shown, and can be read back', () => {
    const link = parseLink(`#${linkOf(openOf(false), dock)}`);
    expect(link).toEqual({
      file: { name: 'a & b.xray', size: 12, head: HEAD.slice(0, 16) },
      view: null,
      range: { from: 5n, to: 2n ** 63n },
      place: { from: 7n, track: 3, depth: -2 },
      tab: 'events',
      find: 'name:f dur>1ms',
    });
  });

  it('leaves out what is damaged', () => {
    expect(parseLink('')).toBeNull();
    expect(parseLink('#unspool=2&name=a')).toBeNull();
    const link = parseLink('#unspool=1&name=a&size=x&view=9..3&range=1..-2&at=1,2,3,4');
    expect(link).toMatchObject({ view: null, range: null, place: null });
    expect(parseLink('#unspool=1&name=a&view=1..99999999999999999999999')?.view).toBeNull();
  });

  it('is about a file of its content, whatever its name', () => {
    const link = parseLink(`#${linkOf(openOf(false), dock)}`)!;
    expect(isAbout(link, { name: 'other', size: 12, head: HEAD })).toBe(true);
    expect(isAbout(link, { name: 'a & b.xray', size: 12, head: 'cd'.repeat(32) })).toBe(false);
    expect(isAbout(link, { name: 'a & b.xray', size: 13, head: HEAD })).toBe(false);
    // Links that queries make.
    expect(isAbout(parseLink('#unspool=1&name=a')!, { name: 'a', size: 5, head: HEAD })).toBe(true);
    expect(isAbout(parseLink('#unspool=1&name=a')!, { name: 'b', size: 5, head: HEAD })).toBe(false);
    // Outside of secure contexts there are no hashes.
    expect(isAbout(link, { name: 'a & b.xray', size: 12, head: '' })).toBe(true);
  });
});
