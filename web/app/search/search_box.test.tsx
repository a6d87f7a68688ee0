import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it, vi } from 'vitest';
import type { WrongExpression } from '../../base/find_protocol.ts';
import { countedByTurns, countedReads } from '../../base/portions.fixture.ts';
import { PORTION } from '../../base/portions.ts';
import { createScope } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import { openSearch } from '../../page/commands.ts';
import type { Command, Page, SearchMode, Start } from '../../page/page.ts';
import { mount, press, send, settle } from '../../parts/dom.fixture.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { exampleSearch } from '../../trace/completion.ts';
import type { SearchState } from '../../trace/search.ts';
import { SearchBox } from './search_box.tsx';
// Loaded before the tests: what they wait for is then a turn away.
import './ranking.ts';
import './rows.ts';

const NAMES = ['glDrawArrays', 'glClear', 'frame 5'];
const steps = { kind: 'ordinal', unit: 'step' } as const;
const command = (id: string, title: string, log: string[]): Command => ({
  id,
  title,
  keys: [],
  enabled: () => true,
  run: () => log.push(`run ${id}`),
});

/** A question, of whose words and way to the answer the search knows. */
const slow: Start = {
  id: 'slow',
  place: 1,
  asked: () => ({ words: 'Why is it slow?', figure: '32 ms', way: 'Functions, *Compare*' }),
  answer: ({ find }) => find.ask('answered'),
};

/** The field over a trace of ten thousand steps, and what happens. */
/** `begun`: what was typed before the field was there, and what it was narrowed to. */
function setUp(
  offers: readonly string[] = ['disassembly', 'callStacks'],
  begun: { readonly text: string; readonly mode: SearchMode } = { text: '', mode: 'all' },
) {
  const log: string[] = [];
  const text = signal('');
  const asked = signal('');
  const state = signal<SearchState>({ at: 'idle' });
  const count = signal(0);
  const find = {
    text,
    asked,
    state,
    count,
    current: signal(-1),
    step: async (by: number) => void log.push(`step ${by} ${text.peek()}`),
    clear: () => {
      text.value = '';
      log.push('clear');
    },
    ask: (wanted: string) => {
      text.value = wanted;
      asked.value = wanted;
      log.push(`ask ${wanted}`);
    },
    stop: () => log.push('stop'),
    again: () => log.push('again'),
  };
  const open = {
    id: 1,
    scope: createScope(),
    find,
    trace: {
      status: signal({ at: 'ready' }),
      companions: signal([]),
      info: signal({ clock: steps, offers, recordNoun: 'step', format: 'f' }),
      progress: signal({ extent: { from: ticks(0n), to: ticks(10_000n) } }),
      names: { text: NAMES, of: (id: number) => NAMES[id]!, keyOf: () => '', version: signal(0) },
      tracks: signal(new Map()),
      find: async () => null,
      records: {
        recordAt: async (at: bigint) => void log.push(`at ${at}`),
        aboutValues: async () => ({ variables: ['count'], types: [] }),
      },
    },
    events: { fieldsSeen: () => [] },
    selection: { selected: signal(null), record: signal(null) },
    timeline: { arrangement: { ordered: signal([]) }, show: () => undefined },
  } as unknown as OpenTrace;
  const page = {
    search: { mode: signal(begun.mode), isAsked: signal(begun.text !== ''), early: signal(begun.text) },
    commands: [command('zoom-in', 'Zoom in', log), command('show-keys', 'Show keys', log)],
    features: [{ starts: async () => [slow] }],
    surface: signal(null),
    theme: { choice: signal('system') },
  } as unknown as Page;
  const host = mount(
    <>
      <button type="button" id="before">
        before
      </button>
      <SearchBox open={open} page={page} />
    </>,
  );
  const field = host.querySelector('input')!;
  const type = (typed: string) => {
    field.value = typed;
    send(field, new Event('input', { bubbles: true }));
  };
  const rows = () =>
    [...host.querySelectorAll('[role=option]')].map((row) =>
      [...row.querySelectorAll('span')].slice(0, 2).map(({ textContent }) => textContent),
    );
  const ask = async (mode: SearchMode) => {
    act(() => openSearch(page, mode));
    await settle();
  };
  return { log, open, page, host, field, type, rows, ask, find, note: () => host.querySelector('.expression-note') };
}

it('goes to the first hit with what was typed before its list was there', async () => {
  const { field, type, log } = setUp();
  act(() => field.focus());
  type('xor esi');
  press('Enter', field);
  press('Enter', field, { shiftKey: true });
  await settle();
  expect(log).toEqual(['step 1 xor esi', 'step -1 xor esi']);
});

it('says what each row is', async () => {
  const { field, type, rows, ask } = setUp();
  await ask('all');
  expect(document.activeElement).toBe(field);
  expect(rows()).toContainEqual(['Term', 'insn:']);
  type('gl');
  expect(rows()).toEqual([
    ['Find', 'Records that match “gl”'],
    ['Function', 'glDrawArrays'],
    ['Function', 'glClear'],
  ]);
  type('step 12');
  expect(rows().slice(0, 2)).toEqual([
    ['Place', expect.stringMatching(/^Go to step\s12$/)],
    ['Find', 'Records that match “step 12”'],
  ]);
  // A number alone is more often something to look for.
  type('12');
  expect(
    rows()
      .map(([kind]) => kind)
      .slice(0, 2),
  ).toEqual(['Find', 'Place']);
  type('frame 5');
  expect(rows()[0]).toEqual(['Place', 'Go to frame 5']);
  type('zoom');
  expect(rows().at(-1)).toEqual(['Command', 'Zoom in']);
  type('0x401000');
  expect(rows()).toContainEqual(['Address', 'Executions of 0x401000']);
});

it('has questions by their words, and by those of the way to the answer', async () => {
  const { field, type, rows, ask, log } = setUp();
  await ask('all');
  await settle();
  type('compare');
  expect(rows()).toContainEqual(['Question', 'Why is it slow?']);
  // What is inside of a word is more often something to look for.
  type('low');
  expect(rows()).not.toContainEqual(['Question', 'Why is it slow?']);
  await ask('commands');
  type('slow');
  press('Enter', field);
  expect(log).toEqual(['ask answered']);
});

it('has variables where there are values, and SQL', async () => {
  const { type, rows, ask, find } = setUp(['values']);
  await ask('all');
  await settle();
  type('cou');
  expect(rows()).toContainEqual(['Variable', 'count']);
  type('select 1');
  expect(rows()).toEqual([['SQL', 'Run “select 1”']]);
  expect(find.text.value).toBe('');
});

it('leaves the focus at no button once it has gone to a place, so that Enter does not press it', async () => {
  const { field, type, ask, log } = setUp();
  const before = document.getElementById('before');
  act(() => before?.focus());
  await ask('all');
  type('step 77');
  await settle();
  press('Enter', field);
  await settle();
  // Its words are no longer searched for.
  expect(log).toEqual(['clear', 'at 77']);
  expect(document.activeElement).toBe(document.body);
});

it('is narrowed to commands and to places, and returns the focus', async () => {
  const { field, type, rows, ask, log, page, find } = setUp();
  find.text.value = 'kept';
  const before = document.getElementById('before')!;
  act(() => before.focus());
  await ask('commands');
  expect(rows().slice(0, 2)).toEqual([
    ['Command', 'Zoom in'],
    ['Command', 'Show keys'],
  ]);
  expect(rows().at(-1)).toEqual(['Question', 'Why is it slow?']);
  type('keys');
  press('Enter', field);
  await settle();
  expect(log).toEqual(['run show-keys']);
  expect(document.activeElement).toBe(before);
  expect([page.search.mode.value, field.value]).toEqual(['all', 'kept']);
  await ask('places');
  type('77');
  press('Enter', field);
  // Before the place is found: the next key is for the timeline.
  expect(document.activeElement).toBe(before);
  await settle();
  expect(log).toEqual(['run show-keys', 'at 77']);
  await ask('places');
  type('78');
  press('Enter', field, { shiftKey: true });
  expect(document.activeElement).toBe(before);
  await settle();
  await ask('places');
  type('20000');
  press('Enter', field, { shiftKey: true });
  await settle();
  expect(field.getAttribute('aria-invalid')).toBe('true');
  press('Escape', field);
  expect(document.activeElement).toBe(before);
  expect(find.text.value).toBe('kept');
});

it('stays narrowed when the search for what was typed before begins', async () => {
  const { type, ask, page, find } = setUp();
  await ask('all');
  type('gl');
  await ask('places');
  act(() => {
    find.asked.value = 'gl';
  });
  expect(page.search.mode.value).toBe('places');
  // One from elsewhere is shown.
  act(() => find.ask('name:main'));
  expect(page.search.mode.value).toBe('all');
});

it('is for commands after >', async () => {
  const { type, rows, ask } = setUp();
  await ask('all');
  type('>zo');
  await settle();
  expect(rows()).toEqual([['Command', 'Zoom in']]);
});

it('proposes what would have worked if nothing was found', async () => {
  const { field, type, rows, ask, find, note } = setUp();
  await ask('all');
  const done = (text: string, next: SearchState) =>
    act(() => {
      find.asked.value = text;
      find.state.value = next;
    });
  type('name:glDraw');
  done('name:glDraw', { at: 'done', beyond: 0, stopped: false, failure: null });
  expect(rows().slice(0, 2)).toEqual([
    ['Find', 'Records that match “name:glDraw”'],
    ['Term', 'glDrawArrays'],
  ]);
  expect(rows()[2]).toEqual(['Try', 'name:*glDraw*']);
  press('ArrowDown', field);
  press('ArrowDown', field);
  press('Enter', field);
  expect(find.text.value).toBe('name:*glDraw* ');
  type('4691');
  done('4691', { at: 'done', beyond: 0, stopped: false, failure: null });
  expect(rows()[1]![0]).toBe('Place');
  const wrong: WrongExpression = { sentence: 'Unknown key foo.', at: 0, length: 3 };
  type('foo:bar');
  done('foo:bar', { at: 'wrong', wrong });
  expect(note()?.textContent).toContain('Unknown key foo.');
  expect(rows()).toContainEqual(['Try', '"foo:bar"']);
});

it('goes through a portion of the names in a turn for places and for what would have worked', async () => {
  const { count, most } = countedByTurns();
  const { open, type, rows, ask, find } = setUp();
  const texts = Array.from({ length: 3 * PORTION }, (_, i) => `f${i}`);
  texts.push('glDrawBuffer');
  const { list, reads } = countedReads(texts, count);
  Object.assign(open.trace.names, { text: list, of: (id: number) => texts[id] });
  await ask('all');
  type('glDrawBufer');
  await vi.waitFor(() => expect(reads()).toBe(texts.length));
  await settle();
  act(() => {
    find.asked.value = 'glDrawBufer';
    find.state.value = { at: 'done', beyond: 0, stopped: false, failure: null };
  });
  expect(rows().filter(([kind]) => kind === 'Try')).toEqual([]);
  await vi.waitFor(() => expect(rows()).toContainEqual(['Try', 'glDrawBuffer']));
  // One pass may end, and the next begin, in the same turn.
  expect(most()).toBeLessThan(2 * PORTION);
});

it('closes its list, then clears the search, with Escape', async () => {
  const { field, type, log, ask, host } = setUp();
  const before = document.getElementById('before')!;
  act(() => before.focus());
  await ask('all');
  type('gl');
  press('Escape', field);
  expect(host.querySelector('[role=listbox]')).toBeNull();
  expect([field.value, log]).toEqual(['gl', []]);
  press('Escape', field);
  expect([field.value, log]).toEqual(['', ['clear']]);
  expect(document.activeElement).toBe(before);
});

it('has an example that fits the format', () => {
  const { field } = setUp();
  expect(field.placeholder).toContain('xor esi');
  const example = (offers: readonly string[], clock: object) =>
    exampleSearch({ offers, clock, recordNoun: 'record' } as never);
  expect(example(['graphics'], { kind: 'ordinal', unit: 'call' })).toBe('GL_BLEND, frame 5, call 12');
  expect(example(['values'], { kind: 'ordinal', unit: 'point' })).toContain('x > 5');
  expect(example([], { kind: 'seconds', frequency: 1n })).toContain('dur>1ms');
});

it('goes on with what was typed before it was there', async () => {
  const commands = setUp([], { text: 'zo', mode: 'commands' });
  await settle();
  expect([commands.field.value, document.activeElement]).toEqual(['zo', commands.field]);
  expect([commands.page.search.early.value, commands.page.search.isAsked.value]).toEqual(['', false]);
  expect(commands.rows()).toEqual([['Command', 'Zoom in']]);
  const words = setUp([], { text: 'xor esi', mode: 'all' });
  await settle();
  expect([words.field.value, words.find.text.value]).toEqual(['xor esi', 'xor esi']);
});
