import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Track, ValueLook } from '../base/protocol.ts';
import { aTrack } from '../base/track.fixture.ts';
import type { Status } from '../trace/trace.ts';
import { applyValueTypes } from './value_types.ts';

it('asks for other types of values when they are wanted, and for the usual one again', () => {
  const status = signal<Status>({ at: 'loading' });
  const of = (look: ValueLook, values: Track['values'] = 'unsigned') => ({
    ...aTrack({ id: 7, kind: 'counter', values, width: 4 }),
    look,
  });
  const ordered = signal<readonly Track[]>([of({ type: 'signed' })]);
  const asked: string[] = [];
  const stop = applyValueTypes({ status, showValues: async (id, type) => void asked.push(`${id} ${type}`) }, ordered);
  expect(asked).toEqual([]);
  status.value = { at: 'ready', how: 'complete', error: null };
  // The track comes again with values of the type.
  ordered.value = [of({ type: 'signed' }, 'signed')];
  ordered.value = [of({ type: 'signed', log: true }, 'signed')];
  expect(asked).toEqual(['7 signed']);
  ordered.value = [of({ type: 'float' }, 'signed')];
  ordered.value = [of({}, 'float')];
  expect(asked).toEqual(['7 signed', '7 float', '7 unsigned']);
  // What has no width stays as it is.
  ordered.value = [{ ...aTrack({ id: 8, kind: 'counter' }), look: { type: 'signed' } }];
  expect(asked.length).toBe(3);
  stop();
});
