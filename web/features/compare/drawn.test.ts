import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import type { Remote } from '../../base/remote.ts';
import type { Survey } from '../../trace/survey.ts';
import { createDrawnOfBoth } from './drawn.ts';
import type { Comparing } from './protocol.ts';

/** A survey of two frames with these draws, of which so much is read. */
function survey(draws: readonly [number, number], done = 4) {
  const figures = {
    calls: Float64Array.of(10, 20),
    draws: Float64Array.from(draws),
    uploaded: Float64Array.of(0, 100),
  };
  return {
    frames: signal({ count: 2, figures }),
    progress: signal({ done, of: 4 }),
    isStopped: signal(false),
    error: signal(''),
  } as unknown as Survey & { progress: { value: { done: number; of: number } }; error: { value: string } };
}

it('adds up the frames of both once all calls are read, and says what differs', async () => {
  const [a, b] = [survey([1, 2]), survey([1, 5], 2)];
  const drawnSentence = vi.fn(async () => 'Draws: 3 in A and 6 in B.');
  const both = createDrawnOfBoth(
    () => [a, b],
    () => ({ drawnSentence }) as unknown as Remote<Comparing>,
  );
  expect(both.found.value).toBeNull();
  b.progress.value = { done: 4, of: 4 };
  expect(both.found.value).toEqual([
    { frames: 2, calls: 30, draws: 3, uploaded: 100 },
    { frames: 2, calls: 30, draws: 6, uploaded: 100 },
  ]);
  await vi.waitFor(() => expect(both.sentence.value).toBe('Draws: 3 in A and 6 in B.'));
  expect(drawnSentence.mock.calls).toEqual([[Float64Array.of(2, 30, 3, 100), Float64Array.of(2, 30, 6, 100)]]);
  b.error.value = 'The file has changed.';
  expect(both.failed.value).toBe('The file has changed.');
  both.dispose();
});
