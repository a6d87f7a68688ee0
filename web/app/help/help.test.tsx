import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { createScope } from '../../base/scope.ts';
import type { Page, Start } from '../../page/page.ts';
import { click, mount, settle } from '../../parts/dom.fixture.ts';
import { FORMATS } from '../formats.ts';
import { Help } from './help.tsx';

async function help(format: string | null, starts: readonly Start[] = []) {
  const trace = {
    info: signal(format && { format, offers: [] }),
    status: signal({ at: 'ready' }),
    progress: signal({ extent: { from: 0n, to: 9n } }),
    companions: signal([]),
    names: { version: signal(0) },
  };
  const bench = signal(format ? { at: 'open', open: { trace, scope: createScope() } } : { at: 'empty' });
  const page = {
    workbench: { bench },
    features: [{ starts: async () => starts }],
    commands: [],
  } as unknown as Page;
  const done: string[] = [];
  const host = mount(<Help page={page} close={() => done.push('closed')} />);
  const isThere = () => host.querySelectorAll('.help-questions dt').length === starts.length;
  await until(() => isThere() && host.querySelector('#help-words h3') !== null);
  const headings = (level: string) => [...host.querySelectorAll(level)].map((it) => it.textContent);
  const button = (words: string) => [...host.querySelectorAll('button')].find((it) => it.textContent === words)!;
  return { host, done, headings, button };
}

/** Waits until something is there that comes with a module, however long that takes to load. */
async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await settle();
}

it('begins with the questions of the trace, and answers them', async () => {
  const answered: string[] = [];
  const { host, done, button, headings } = await help('xray', [
    {
      id: 'slow',
      place: 1,
      asked: () => ({ words: 'Why is it slow?', way: 'Functions, then *Compare*' }),
      answer: () => answered.push('slow'),
    },
  ]);
  expect(headings('section > h2').slice(0, 4)).toEqual(['Questions', 'Keys', 'Words', 'Documentation']);
  expect(host.querySelector('.help-questions dd')?.textContent).toBe('Functions, then Compare');
  click(button('Why is it slow?'));
  expect([answered, done]).toEqual([['slow'], ['closed']]);
});

it('has more questions than are shown where nothing is selected', async () => {
  const starts = [1, 2, 3, 4, 5, 6, 7].map((place): Start => {
    return { id: `q${place}`, place, asked: () => ({ words: `Why ${place}?`, way: '' }), answer: () => undefined };
  });
  const { host } = await help('xray', starts);
  expect(host.querySelectorAll('.help-questions dt')).toHaveLength(7);
});

it('explains the words of the format first, and of all formats without a trace', async () => {
  const { headings } = await help('trace-db');
  expect(headings('#help-words h3')).toEqual(['trace-db traces', 'Everywhere']);
  const all = await help(null);
  expect(all.headings('#help-words h3')).toEqual(['Everywhere', ...FORMATS.map(({ name }) => name)]);
});

it('leads to the documentation, from page to page and back', async () => {
  const { host, headings, button } = await help('xray');
  const shows = (title: string) => until(() => headings('h2').some((text) => text?.includes(title)));
  click(button('an investigation'));
  await shows('An investigation in an XRay log');
  expect(headings('article h2')).toEqual(['An investigation in an XRay log']);
  expect(host.querySelector('article img')?.getAttribute('alt')).toContain('timeline of five threads');
  click(button('names.md'));
  await shows('Names of functions from binaries');
  expect(headings('article h2')[0]).toContain('Names of functions from binaries');
  for (const title of ['An investigation in an XRay log', 'Questions']) {
    click(host.querySelector('.help-head button'));
    await shows(title);
  }
  expect(headings('section > h2')[0]).toBe('Questions');
});
