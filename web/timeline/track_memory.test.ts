import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Parts } from '../trace/file_memory.ts';
import { NO_CHOICES, type TrackChoices } from './track_choices.ts';
import { rememberTracks } from './track_memory.ts';

const PINNED: TrackChoices = { ...NO_CHOICES, pinned: ['a'] };
const HIDDEN: TrackChoices = { ...NO_CHOICES, hidden: ['b'] };

function setUp() {
  const parts = signal<Parts | null>(null);
  const choices = signal(NO_CHOICES);
  const put: unknown[] = [];
  const memory = {
    parts,
    put: (_: string, value: unknown) => {
      put.push(value);
      parts.value = { ...parts.peek(), tracks: value };
    },
  };
  rememberTracks(memory, choices);
  return { parts, choices, put };
}

it('chooses what is stored, and stores what is chosen', () => {
  const { parts, choices, put } = setUp();
  parts.value = { tracks: PINNED };
  expect([choices.value, put]).toEqual([PINNED, []]);
  choices.value = HIDDEN;
  choices.value = NO_CHOICES;
  expect(put).toEqual([HIDDEN, undefined]);
  // Another tab has changed it.
  parts.value = { tracks: PINNED };
  expect([choices.value, put.length]).toEqual([PINNED, 2]);
});

it('keeps what was chosen before it is known what is stored', () => {
  const { parts, choices, put } = setUp();
  choices.value = HIDDEN;
  expect(put).toEqual([]);
  parts.value = { tracks: PINNED };
  expect([choices.value, put]).toEqual([HIDDEN, [HIDDEN]]);
});

it('leaves the screen as it is when what is stored is deleted', () => {
  const { parts, choices, put } = setUp();
  parts.value = {};
  choices.value = PINNED;
  parts.value = {};
  expect(choices.value).toEqual(PINNED);
  choices.value = HIDDEN;
  expect(put).toEqual([PINNED, HIDDEN]);
});
