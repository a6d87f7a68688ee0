import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import type { Status } from '../../trace/trace.ts';
import { whenGrown } from './when_grown.ts';

it('reads a growing trace again when panels ask again, and once it is whole', () => {
  const status = signal<Status>({ at: 'loading' });
  const read = vi.fn();
  const end = whenGrown({ status }, read);
  const becomes = (how: 'growing' | 'complete') => {
    status.value = { at: 'ready', how, error: null };
    return read.mock.calls.length;
  };
  expect([becomes('growing'), becomes('growing'), becomes('complete'), becomes('complete')]).toEqual([0, 1, 2, 2]);
  end();
});
