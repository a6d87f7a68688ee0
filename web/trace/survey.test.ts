import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Surveyed } from '../base/survey_protocol.ts';
import { extentOf } from './survey.ts';

it('knows whether what it has found is final', () => {
  const progress = signal<Surveyed | null>(null);
  const isStopped = signal(false);
  const error = signal('');
  const extent = () => extentOf({ progress, isStopped, error });
  expect(extent()).toBe('going');
  progress.value = { done: 3, of: 9 };
  expect(extent()).toBe('going');
  // What there is stays until the user goes on.
  isStopped.value = true;
  expect(extent()).toBe('part');
  isStopped.value = false;
  error.value = 'The reader of frames and resources stopped unexpectedly.';
  expect(extent()).toBe('part');
  progress.value = { done: 9, of: 9 };
  expect(extent()).toBe('all');
});
