import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import type { Status } from '../trace/trace.ts';
import { createNews } from './news.ts';

const growing = (): Status => ({ at: 'ready', how: 'growing', error: null });

function followed(events: number) {
  const status = signal<Status>(growing());
  const progress = signal({ events });
  const askAgain = vi.fn(() => {
    status.value = growing();
  });
  const comes = (count: number) => {
    progress.value = { events: count };
  };
  return { status, askAgain, comes, ...createNews({ status, progress, askAgain }) };
}

it('counts what has come since panels asked, until they ask again', () => {
  const { count, comes, askAgain } = followed(100);
  comes(150);
  expect(count.value).toBe(50);
  comes(400);
  expect(count.value).toBe(300);
  expect(askAgain).not.toHaveBeenCalled();
  askAgain();
  expect(count.value).toBe(0);
});

it('has panels ask again at the first event of a trace that had none', () => {
  const { count, comes, askAgain } = followed(0);
  comes(7);
  expect([askAgain.mock.calls.length, count.value]).toEqual([1, 0]);
  comes(9);
  expect([askAgain.mock.calls.length, count.value]).toEqual([1, 2]);
});
