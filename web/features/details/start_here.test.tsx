import { type Signal, signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { expect, it } from 'vitest';
import type { TraceInfo } from '../../base/protocol.ts';
import { createScope } from '../../base/scope.ts';
import type { Feature, Page, Start } from '../../page/page.ts';
import { click, mount, settle } from '../../parts/dom.fixture.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { startHereOf } from './start_here.tsx';

const INFO = {
  title: 'XRay FDR 5',
  container: null,
  clock: { kind: 'ticks' },
  eventNoun: 'record',
  sliceNoun: 'call',
  offers: [],
  companions: [],
  properties: [],
} as unknown as TraceInfo;

/** The pane of a trace with these questions, which is read when `status` says so. */
async function pane(...starts: readonly Start[]) {
  const status: Signal<{ at: string; how?: string }> = signal({ at: 'loading' });
  const names = signal(0);
  const feature: Feature = { starts: async () => starts };
  const page = { features: [{}, feature] } as unknown as Page;
  const open = {
    scope: createScope(),
    memory: { parts: signal({}), put: () => undefined },
    trace: {
      info: signal(INFO),
      recordSource: {},
      names: { version: names },
      name: 'a.xray',
      size: 10,
      status,
      content: signal(null),
      progress: signal({ events: 4, slices: 2, extent: { from: 0n, to: 9n }, bytesRead: 10 }),
      tracks: signal(new Map()),
      companions: signal([]),
    },
  } as unknown as OpenTrace;
  const View = await startHereOf(page);
  const host = mount(<View open={open} page={page} info={INFO} />);
  return { host, status, names, page, open, questions: () => [...host.querySelectorAll('.start-question')] };
}

const start = (id: string, place: number, more: Partial<Start> = {}): Start => ({
  id,
  place,
  asked: () => ({ words: `Why ${id}?`, way: 'Look at *Functions*, or type `dur>1ms`' }),
  answer: () => undefined,
  ...more,
});

it('shows the first five of the questions that the trace has an answer to, in their order, and what the trace is', async () => {
  const others = [1, 2, 3, 4, 5, 6].map((place) => start(`q${place}`, place + 10));
  const { host, questions } = await pane(start('last', 90), ...others, start('no', 0, { asked: () => null }));
  expect(questions().map((it) => it.textContent)).toEqual(['Why q1?', 'Why q2?', 'Why q3?', 'Why q4?', 'Why q5?']);
  expect(host.querySelector('.start-way')?.innerHTML).toBe('Look at <b>Functions</b>, or type <code>dur&gt;1ms</code>');
  expect(host.textContent).toContain('Or select a call for details.');
  expect(host.textContent).toContain('XRay FDR 5');
});

it('answers at a click, once the trace is read, and follows what is known', async () => {
  const figure = signal('');
  const answered: unknown[] = [];
  const { host, status, names, page, open } = await pane(
    start('slow', 1, {
      asked: () => ({ words: 'Why?', way: '', ...(figure.value === '' ? {} : { figure: figure.value }) }),
      answer: (...given) => answered.push(given),
    }),
  );
  const button = () => host.querySelector<HTMLButtonElement>('.start-here button')!;
  expect(button().disabled).toBe(true);
  status.value = { at: 'ready', how: 'complete' };
  figure.value = '32 ms';
  await settle();
  expect(button().textContent).toBe('Why?32 ms');
  // The way to the answer describes the button, and is not its name.
  expect(button().getAttribute('aria-label')).toBe('Why? 32 ms');
  expect(document.getElementById(button().getAttribute('aria-describedby')!)).not.toBeNull();
  click(button());
  expect(answered).toEqual([[open, page]]);
  // The panel that knew it is no longer in front.
  figure.value = '';
  await settle();
  expect(button().textContent).toBe('Why?32 ms');
  act(() => {
    names.value += 1;
  });
  expect(button().textContent).toBe('Why?');
});

it('says what the trace is if no question can be loaded', async () => {
  const page = { features: [{ starts: () => Promise.reject(new Error('offline')) }] } as unknown as Page;
  const { open } = await pane();
  const View = await startHereOf(page);
  const host = mount(<View open={open} page={page} info={INFO} />);
  expect(host.querySelector('.start-here')).toBeNull();
  expect(host.textContent).toContain('a.xray');
});
