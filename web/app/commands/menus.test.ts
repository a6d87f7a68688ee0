import { signal } from '@preact/signals';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { aTrack } from '../../base/track.fixture.ts';
import type { CommandContext, Page, Surface } from '../../page/page.ts';
import type { MenuName, Named, RowTarget } from '../../parts/menu/request.ts';
import { createArrangement } from '../../timeline/arrangement.ts';
import { layOut } from '../../timeline/layout.ts';
import { FEATURES } from '../features.ts';
import { COMMANDS } from './commands.fixture.ts';
import { groupsOf } from './menus.ts';

const TRACKS = [1, 2, 3].map((id) => aTrack({ id, rows: 3 }));
const NAMED: Named = { id: 4, text: 'draw', isCalled: true };

/** A context with a selection or without, and what its commands did. */
function context({
  selected = null,
  row = null,
  track = 2,
}: {
  selected?: Named | null;
  row?: RowTarget | null;
  /** That of the selection; 9 is a lane. */
  track?: number;
} = {}) {
  const log: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => log.push(`copy ${text}`) } });
  const arrangement = createArrangement(signal(new Map(TRACKS.map((track) => [track.id, track]))), signal([]));
  arrangement.current.value = 2;
  const listed = signal(-1);
  listed.subscribe((name) => name >= 0 && log.push(`list ${name}`));
  const info = { format: 'xray', offers: [], columns: [] };
  const trace = {
    info: signal(info),
    status: signal({ at: 'ready' }),
    tracks: signal(new Map([[9, { kind: 'lane' }]])),
    names: { of: () => selected?.text ?? '', inPlaceOf: (text: string) => text },
    hasShortNames: signal(false),
  };
  const open = {
    trace,
    timeline: { arrangement },
    selection: {
      selected: signal(selected && { name: selected.id, track, start: 1n, end: selected.isCalled ? 2n : null }),
      record: signal(null),
      known: signal(null),
    },
    statistics: { range: signal(null), highlighted: signal(-1), listed },
    find: { ask: (term: string) => log.push(`find ${term}`), count: signal(0) },
    derived: { keeping: signal(new Map()) },
  };
  const surface = {
    open,
    undo: { undoable: signal(''), redoable: signal('') },
    currentTrack: () => {
      const { ordered, compact, folded, pinned } = arrangement;
      const look = { compact: compact.value, folded: folded.value, pinned: pinned.value };
      return layOut(ordered.value, look).tracks.find(({ track }) => track.id === arrangement.current.value) ?? null;
    },
    goToTrack: (id: number) => log.push(`go to ${id}`),
  };
  const dock = { open: signal(false), front: signal({}) };
  const page = {
    commands: [...COMMANDS, ...FEATURES.flatMap(({ commands }) => commands ?? [])],
    workbench: { bench: signal({ at: 'open', open }) },
    dock,
  };
  const now: CommandContext = {
    page: page as unknown as Page,
    surface: surface as unknown as Surface,
    row,
    table: null,
  };
  return { now, log, arrangement };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

const idsOf = (menu: MenuName, now: CommandContext) => groupsOf(menu, now).map((group) => group.map(({ id }) => id));
function run(menu: MenuName, id: string, now: CommandContext): void {
  const command = groupsOf(menu, now)
    .flat()
    .find((command) => command.id === id);
  expect(command).toBeDefined();
  command!.run(now);
}

describe('the menu of a track', () => {
  it('offers what has an effect, and acts on the current track', () => {
    const { now, arrangement, log } = context();
    expect(idsOf('track', now)).toEqual([
      ['pin-track', 'hide-track', 'show-only-track'],
      ['fold-track', 'compact-track', 'move-track-up', 'move-track-down'],
      ['fold-all-tracks', 'compact-all-tracks', 'filter-tracks'],
      ['copy-track-name'],
    ]);
    run('track', 'move-track-up', now);
    expect(arrangement.ordered.value.map(({ id }) => id)).toEqual([2, 1, 3]);
    expect(log).toEqual(['go to 2']);
    run('track', 'pin-track', now);
    run('track', 'compact-track', now);
    run('track', 'fold-track', now);
    const offered = idsOf('track', now).flat();
    for (const id of ['unpin-track', 'full-track', 'unfold-track', 'unfold-all-tracks', 'full-all-tracks']) {
      expect(offered).toContain(id);
    }
    for (const id of ['pin-track', 'compact-track', 'fold-track', 'move-track-up']) expect(offered).not.toContain(id);
    run('track', 'show-only-track', now);
    expect(arrangement.visibility.value?.hidden).toBe(2);
    run('track', 'show-all-tracks', now);
    expect(arrangement.visibility.value).toBeNull();
  });
  it('is empty without a trace', () => {
    const { now } = context();
    expect(groupsOf('track', { ...now, surface: null })).toEqual([]);
  });
});

describe('the menu of a slice', () => {
  it('leaves out what is for calls if it is none', () => {
    const call = idsOf('item', context({ selected: NAMED }).now).flat();
    expect(call).toEqual(expect.arrayContaining(['fit-selection', 'find-same-name', 'list-calls', 'copy-name']));
    const event = idsOf('item', context({ selected: { ...NAMED, isCalled: false } }).now).flat();
    expect(event).toContain('find-same-name');
    expect(event).not.toContain('list-calls');
    const frame = idsOf('item', context({ selected: NAMED, track: 9 }).now).flat();
    expect(frame).toContain('fit-selection');
    for (const id of ['list-calls', 'select-caller', 'select-callee']) expect(frame).not.toContain(id);
    expect(call).toEqual(expect.arrayContaining(['select-caller', 'select-callee']));
    expect(idsOf('item', context().now)).toEqual([['select-range'], ['add-note']]);
  });
});

describe('the menu of a row', () => {
  it('acts on the row and not on the selection', () => {
    const shown: string[] = [];
    const row: RowTarget = {
      named: { id: 9, text: 'wait', isCalled: true },
      cells: ['1 ms', 'wait'],
      term: 'dur:1ms',
      narrow: (term) => shown.push(`only ${term}`),
      show: () => shown.push('row'),
    };
    const { now, log } = context({ selected: NAMED, row });
    for (const id of ['show-row', 'find-same-name', 'find-same-value', 'narrow-to-value', 'list-calls', 'copy-row'])
      run('row', id, now);
    expect(log).toEqual(['find name:wait', 'find dur:1ms', 'list 9', 'copy 1 ms\twait']);
    expect(shown).toEqual(['row', 'only dur:1ms']);
  });
  it('has no name if the row has none', () => {
    const row: RowTarget = { named: null, cells: ['1'], show: null, term: null, narrow: null };
    expect(idsOf('row', context({ selected: NAMED, row }).now)).toEqual([['copy-row']]);
  });
});
