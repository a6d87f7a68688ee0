import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext, Page, Surface } from '../../page/page.ts';
import { SLICE_ROW } from '../../timeline/layout.ts';
import { FEATURES } from '../features.ts';
import { COMMANDS as CORE } from './commands.fixture.ts';
import { addTraceCommands } from './commands.ts';
import { chordOf, commandFor, type Focus } from './keyboard.ts';
import { addMoreCommands, MORE_COMMANDS } from './more_commands.ts';
import { PAGE_COMMANDS } from './page_commands.ts';
import { sheetOf } from './sheet.ts';

const COMMANDS = [...CORE, ...FEATURES.flatMap(({ commands }) => commands ?? [])];
const ON_TIMELINE: Focus = { typing: false, writing: false, onTimeline: true, dialog: false };
const selected = signal<object | null>(null);
let log: string[];
let context: CommandContext;

beforeEach(() => {
  log = [];
  selected.value = null;
  const note = (name: string) => (given: unknown) => log.push(`${name} ${given}`);
  const surface = {
    undo: {
      undoable: signal('hide thread 7'),
      redoable: signal(''),
      undo: () => log.push('undo'),
    },
    open: {
      timeline: { size: signal({ width: 100 }), zoom: (_: number, factor: number) => log.push(`zoom ${factor}`) },
      selection: { selected, record: signal(null) },
      trace: { tracks: signal(new Map([[7, { kind: 'lane' }]])) },
    },
    scrollBy: note('scroll'),
    stepRow: note('stepRow'),
    step: note('step'),
    selectFirst: () => log.push('selectFirst'),
  };
  const page = { commands: COMMANDS, features: FEATURES, chooseFile: () => log.push('chooseFile') };
  context = { page: page as unknown as Page, surface: surface as unknown as Surface, row: null, table: null };
});

const idFor = (chord: string, focus: Partial<Focus> = {}, on = context) =>
  commandFor(chord, { ...ON_TIMELINE, ...focus }, on)?.id ?? null;

describe('the commands', () => {
  it('have ids and keys of their own', () => {
    const ids = COMMANDS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const keys = COMMANDS.flatMap((command) => [...command.keys, ...(command.alsoKeys ?? [])]);
    expect(new Set(keys).size).toBe(keys.length);
  });
  it('come in one order, whether those on a trace are loaded at once or later', () => {
    const later = { commands: [...PAGE_COMMANDS, ...COMMANDS.slice(CORE.length)] };
    addMoreCommands(later);
    expect(later.commands).not.toContain(MORE_COMMANDS[0]);
    for (const add of [addTraceCommands, addMoreCommands, addTraceCommands, addMoreCommands]) add(later);
    expect(later.commands).toEqual(COMMANDS);
  });
  it('run what their keys stand for', () => {
    selected.value = {};
    for (const chord of ['w', '-', 'pageup', 'arrowup', 'arrowdown', ']', 'ctrl o']) {
      commandFor(chord, ON_TIMELINE, context)?.run(context);
    }
    expect(log).toEqual([
      'zoom 0.625',
      'zoom 1.6',
      `scroll ${-10 * SLICE_ROW}`,
      'stepRow -1',
      'stepRow 1',
      'step callee',
      'chooseFile',
    ]);
  });
  it('select something before they step from it', () => {
    for (const chord of ['arrowup', 'arrowdown']) commandFor(chord, ON_TIMELINE, context)?.run(context);
    expect(log).toEqual(['selectFirst', 'selectFirst']);
  });
  it('are disabled without the trace or the selection that they need', () => {
    expect(idFor('w', {}, { ...context, surface: null })).toBeNull();
    expect(idFor('?', {}, { ...context, surface: null })).toBe('show-help');
    expect([idFor('.'), idFor('enter')]).toEqual([null, 'select-first']);
    selected.value = {};
    expect([idFor('.'), idFor('enter')]).toEqual(['select-next', null]);
  });
  it('offer no caller of what is on a lane, such as a frame', () => {
    selected.value = { track: 3 };
    expect(idFor('[')).toBe('select-caller');
    selected.value = { track: 7 };
    expect([idFor('['), idFor(']'), idFor('.')]).toEqual([null, null, 'select-next']);
  });
});

it('take back what was done, in words, but not in a field with a text', () => {
  const [undo, redo] = ['undo', 'redo'].map((id) => COMMANDS.find((command) => command.id === id)!);
  expect([undo!.about!(context), idFor('ctrl z'), idFor('ctrl y'), idFor('ctrl shift z')]).toEqual([
    'hide thread 7',
    'undo',
    null,
    null,
  ]);
  expect(redo!.about!(context)).toBe('');
  expect([idFor('ctrl z', { typing: true }), idFor('ctrl z', { typing: true, writing: true })]).toEqual(['undo', null]);
  undo!.run(context);
  expect(log).toEqual(['undo']);
  const event = { key: 'Z', ctrlKey: true, metaKey: false, altKey: false, shiftKey: true };
  expect([chordOf(event), chordOf({ ...event, shiftKey: false })]).toEqual(['ctrl shift z', 'ctrl z']);
});

describe('a key', () => {
  it('is typed into a field, except with Ctrl', () => {
    expect([idFor('w', { typing: true }), idFor('?', { typing: true })]).toEqual([null, null]);
    expect(idFor('ctrl o', { typing: true })).toBe('open-file');
  });
  it('belongs to the focused control if the control uses it', () => {
    expect(idFor('arrowleft', { onTimeline: false })).toBeNull();
    expect(idFor('a', { onTimeline: false })).toBe('pan-left');
  });
  it('reaches only the commands of the page while a dialog is open', () => {
    expect([idFor('escape', { dialog: true }), idFor('?', { dialog: true })]).toEqual([null, 'show-help']);
  });
  it('counts with Ctrl or Command, and not with Alt', () => {
    const event = { key: 'O', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
    expect(chordOf(event)).toBe('o');
    expect(chordOf({ ...event, metaKey: true, shiftKey: false })).toBe('ctrl o');
    expect(chordOf({ ...event, altKey: true, shiftKey: false })).toBeNull();
    expect(chordOf({ ...event, key: 'ArrowLeft', altKey: true })).toBe('alt arrowleft');
    expect(chordOf({ ...event, key: 'l', altKey: true })).toBe('alt l');
  });
  it('counts with Shift if it is another command with it', () => {
    const event = { key: 'M', ctrlKey: false, metaKey: false, altKey: false, shiftKey: true };
    expect(chordOf(event)).toBe('shift m');
    expect(chordOf({ ...event, key: 'W' })).toBe('w');
    expect(chordOf({ ...event, key: 'N' })).toBe('shift n');
    expect(chordOf({ ...event, key: 'P', ctrlKey: true })).toBe('ctrl shift p');
    expect(chordOf({ ...event, key: 'F', ctrlKey: true })).toBe('ctrl f');
    // The capital letter of a locked key.
    expect(chordOf({ ...event, shiftKey: false })).toBe('m');
  });
});

it('lists the keys of the commands on the sheet', () => {
  const rows = sheetOf({ features: FEATURES, commands: COMMANDS }).flatMap(({ rows }) => rows);
  expect(rows.find(({ does }) => does === 'Pan left, pan right')?.keys).toEqual([
    [['A'], ['D']],
    [['←'], ['→']],
  ]);
  expect(rows.find(({ does }) => does === 'Open a trace')?.keys).toEqual([[['Ctrl', 'O']]]);
  const listed = rows.flatMap(({ keys }) => keys.flat(2));
  for (const { keys } of COMMANDS.filter((command) => command.keys.length > 0))
    expect(listed.map((key) => key.toLowerCase())).toContain(
      keys[0]
        ?.split(' ')
        .at(-1)
        ?.replace('arrowleft', '←')
        .replace('arrowright', '→')
        .replace('arrowup', '↑')
        .replace('arrowdown', '↓')
        .replace('page', 'page '),
    );
});
