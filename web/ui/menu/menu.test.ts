import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { aTrack } from '../../base/track.fixture.ts';
import { createArrangement } from '../../model/arrangement.ts';
import { layOut } from '../../model/layout.ts';
import type { CommandContext, Named, RowTarget, TraceActions } from '../commands/context.ts';
import { MENUS, type Menu } from '../commands/menus.ts';
import { groupsOf } from './host.tsx';

const TRACKS = [1, 2, 3].map((id) => aTrack({ id, rows: 3 }));
const NAMED: Named = { id: 4, text: 'draw', isCalled: true };

/** A context with a selection or without, and what its commands did. */
function context({ selected = null, row = null }: { selected?: Named | null; row?: RowTarget | null } = {}) {
  const log: string[] = [];
  const arrangement = createArrangement(signal(new Map(TRACKS.map((track) => [track.id, track]))), signal([]));
  arrangement.current.value = 2;
  const trace: Partial<TraceActions> = {
    arrangement,
    hasSelection: signal(selected !== null),
    hasRange: signal(false),
    selectedName: () => selected,
    selectedStatement: () => null,
    currentTrack: () => {
      const { ordered, compact, folded, pinned } = arrangement;
      const look = { compact: compact.value, folded: folded.value, pinned: pinned.value };
      return layOut(ordered.value, look).tracks.find(({ track }) => track.id === arrangement.current.value) ?? null;
    },
    goToTrack: (id) => log.push(`go to ${id}`),
    findTerm: (term) => log.push(`find ${term}`),
    canKeepRange: signal(true),
    findName: ({ text }) => log.push(`find ${text}`),
    listCalls: (name) => log.push(`list ${name}`),
  };
  const page = {
    chooseFile: () => undefined,
    tailCalls: () => null,
    putTailCalls: () => undefined,
    canLink: () => true,
    copyLink: () => undefined,
    toggleKeys: () => undefined,
    showPalette: () => undefined,
    copy: (text: string) => log.push(`copy ${text}`),
  };
  const now: CommandContext = { page, trace: trace as TraceActions, row, table: null };
  return { now, log, arrangement };
}

const idsOf = (menu: Menu, now: CommandContext) => groupsOf(menu, now).map((group) => group.map(({ id }) => id));
function run(menu: Menu, id: string, now: CommandContext): void {
  const command = groupsOf(menu, now)
    .flat()
    .find((command) => command.id === id);
  expect(command).toBeDefined();
  command!.run(now);
}

describe('the menu of a track', () => {
  it('offers what has an effect, and acts on the current track', () => {
    const { now, arrangement, log } = context();
    expect(idsOf(MENUS.track, now)).toEqual([
      ['pin-track', 'hide-track', 'show-only-track'],
      ['fold-track', 'compact-track', 'move-track-up', 'move-track-down'],
      ['fold-all-tracks', 'compact-all-tracks', 'filter-tracks'],
      ['copy-track-name'],
    ]);
    run(MENUS.track, 'move-track-up', now);
    expect(arrangement.ordered.value.map(({ id }) => id)).toEqual([2, 1, 3]);
    expect(log).toEqual(['go to 2']);
    run(MENUS.track, 'pin-track', now);
    run(MENUS.track, 'compact-track', now);
    run(MENUS.track, 'fold-track', now);
    const offered = idsOf(MENUS.track, now).flat();
    for (const id of ['unpin-track', 'full-track', 'unfold-track', 'unfold-all-tracks', 'full-all-tracks']) {
      expect(offered).toContain(id);
    }
    for (const id of ['pin-track', 'compact-track', 'fold-track', 'move-track-up']) expect(offered).not.toContain(id);
    run(MENUS.track, 'show-only-track', now);
    expect(arrangement.visibility.value?.hidden).toBe(2);
    run(MENUS.track, 'show-all-tracks', now);
    expect(arrangement.visibility.value).toBeNull();
  });
  it('is empty without a trace', () => {
    const { now } = context();
    expect(groupsOf(MENUS.track, { ...now, trace: null })).toEqual([]);
  });
});

describe('the menu of a slice', () => {
  it('leaves out what is for calls if it is none', () => {
    const call = idsOf(MENUS.item, context({ selected: NAMED }).now).flat();
    expect(call).toEqual(expect.arrayContaining(['fit-selection', 'find-same-name', 'list-calls', 'copy-name']));
    const event = idsOf(MENUS.item, context({ selected: { ...NAMED, isCalled: false } }).now).flat();
    expect(event).toContain('find-same-name');
    expect(event).not.toContain('list-calls');
    expect(idsOf(MENUS.item, context().now)).toEqual([['select-range'], ['add-note']]);
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
      run(MENUS.row, id, now);
    expect(log).toEqual(['find wait', 'find dur:1ms', 'list 9', 'copy 1 ms\twait']);
    expect(shown).toEqual(['row', 'only dur:1ms']);
  });
  it('has no name if the row has none', () => {
    const row: RowTarget = { named: null, cells: ['1'], show: null, term: null, narrow: null };
    expect(idsOf(MENUS.row, context({ selected: NAMED, row }).now)).toEqual([['copy-row']]);
  });
});
