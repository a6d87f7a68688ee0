import { signal } from '@preact/signals';
import { act } from 'preact/test-utils';
import { beforeEach, expect, it, vi } from 'vitest';
import { createNotices } from '../page/notices.ts';
import type { Workbench } from '../page/workbench.ts';
import { mount, send } from '../parts/dom.fixture.ts';
import { Notices } from './notices.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  return () => {
    vi.useRealTimers();
  };
});

/** The notices of a page without a trace. */
function shown() {
  const { latest, tell, warn, dismiss } = createNotices();
  const workbench = {
    notice: latest,
    dismissNotice: dismiss,
    changed: signal(null),
    bench: signal({ at: 'empty' }),
    offered: signal(null),
    looking: signal(null),
  } as unknown as Workbench;
  const host = mount(<Notices workbench={workbench} choose={() => undefined} news={signal([])} />);
  const pass = (ms: number) =>
    act(() => {
      vi.advanceTimersByTime(ms);
    });
  const text = () => host.querySelector('.notice p')?.firstChild?.textContent ?? '';
  return { host, pass, text, tell: (it: string) => act(() => tell(it)), warn: (it: string) => act(() => warn(it)) };
}

it('a notice that informs leaves by itself, and one about a failure stays', () => {
  const { tell, warn, pass, text } = shown();
  tell('Copied a link to this view.');
  pass(5900);
  expect(text()).toBe('Copied a link to this view.');
  pass(200);
  expect(text()).toBe('');
  warn('The menu could not be loaded.');
  pass(600_000);
  expect(text()).toBe('The menu could not be loaded.');
  tell('');
  expect(text()).toBe('');
});

it('a notice stays while the pointer or the focus is on it', () => {
  const { host, tell, pass, text } = shown();
  tell('Copied.');
  const paragraph = host.querySelector('.notice p');
  for (const [begins, ends] of [
    ['pointerenter', 'pointerleave'],
    ['focusin', 'focusout'],
  ] as const) {
    send(paragraph, new Event(begins));
    pass(60_000);
    expect(text()).toBe('Copied.');
    send(paragraph, new Event(ends));
    pass(5000);
    expect(text()).toBe('Copied.');
  }
  pass(1100);
  expect(text()).toBe('');
});

it('the same sentence again stays as long as the first', () => {
  const { tell, pass, text } = shown();
  tell('Copied.');
  pass(5000);
  tell('Copied.');
  pass(5000);
  expect(text()).toBe('Copied.');
  pass(1100);
  expect(text()).toBe('');
});

it('a reader hears each notice once: the region is not atomic', () => {
  const { host, tell } = shown();
  tell('Copied.');
  const region = host.querySelector('[role=status]')!;
  expect([region.getAttribute('aria-atomic'), host.querySelectorAll('[aria-live], [role=status]').length]).toEqual([
    'false',
    1,
  ]);
});
