import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import type { TraceError } from '../../base/protocol.ts';
import type { Page } from '../../page/page.ts';
import type { Bench } from '../../page/workbench.ts';
import { click, mount, send } from '../../parts/dom.fixture.ts';
import { FORMATS, SAMPLES } from '../formats.ts';
import { Welcome } from './welcome.tsx';

function welcome(bench: Bench = { at: 'empty' }) {
  const opened: string[] = [];
  const workbench = {
    bench: signal(bench),
    waiting: signal([]),
    warm: () => undefined,
    openUrl: async (path: string) => void opened.push(path),
  };
  const recent = { files: signal([]), load: async () => undefined };
  const page = {
    workbench,
    recent,
    copies: { list: signal([]), load: async () => undefined },
    awaited: signal(null),
  } as unknown as Page;
  const host = mount(<Welcome page={page} choose={() => opened.push('chosen')} />);
  return { host, opened };
}

const refused = (error: Partial<TraceError>): Bench => ({
  at: 'refused',
  name: 'notes.txt',
  error: { kind: 'unrecognised', sentence: '', offset: null, ...error },
});

it('has a row for each format, which says what it is and how to record one, with its samples', () => {
  const { host, opened } = welcome();
  const rows = [...host.querySelectorAll('.formats > li')];
  expect(rows.map((row) => row.querySelector('h3')?.textContent)).toEqual(FORMATS.map(({ name }) => name));
  for (const [i, row] of rows.entries()) {
    expect(row.querySelector('.format-record')?.textContent).not.toBe('');
    const list = row.querySelector('.samples');
    expect(list?.getAttribute('aria-label')).toContain(FORMATS[i]!.name);
    for (const button of row.querySelectorAll('button')) click(button);
  }
  expect(opened).toEqual(SAMPLES.map(({ path }) => path));
});

it('says where names of an XRay log come from, and on request what else can be added', async () => {
  const { host } = welcome();
  expect(host.textContent).toContain('For names, add the program that wrote the log.');
  const more = host.querySelector('details')!;
  expect(more.textContent).toBe('What else can be added');
  send(more, new Event('toggle'));
  await vi.waitFor(() => expect(more.textContent).toContain('apitrace replay --pcpu --pgpu --ppd'));
});

it('lists the formats once after a file that is none of them', () => {
  const { host } = welcome(
    refused({ sentence: 'The file looks like plain text, not like a trace. Supported formats: LLVM XRay log: all.' }),
  );
  expect(host.querySelector('[role="alert"]')?.textContent).toBe(
    'notes.txt could not be openedThe file looks like plain text, not like a trace.',
  );
  expect(host.textContent?.match(/Supported formats/g)).toHaveLength(1);
  expect(host.querySelector('button.primary')?.textContent).toBe('Open another trace');
});

it('says all of any other failure', () => {
  const { host } = welcome(refused({ kind: 'unreadable', sentence: 'Not found. Supported formats: none.' }));
  expect(host.querySelector('[role="alert"] p')?.textContent).toBe('Not found. Supported formats: none.');
});
