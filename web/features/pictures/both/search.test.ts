import { signal } from '@preact/signals';
import { expect, it, vi } from 'vitest';
import type { Coverage, Frames, Picture } from '../protocol.ts';
import type { Replay } from '../replay.ts';
import { createSearching } from './search.ts';

const frames: Frames = { from: Float64Array.of(0), to: Float64Array.of(9), draws: Float64Array.of(3) };
const coverage: Partial<Coverage> = { drawCalls: Uint32Array.of(2, 4, 6) };

/** A side whose pictures are made when the test says so. */
function side(name: string, call: number) {
  const answers: ((pixel: number) => void)[] = [];
  const enough = vi.fn();
  const replay: Partial<Replay> = {
    frames: signal(frames),
    coverage: signal(coverage as Coverage),
    enough,
    ask: (asked, view) =>
      new Promise((resolve) => {
        answers.push((pixel) => {
          const pixels = Uint8ClampedArray.of(pixel, 0, 0, 255);
          const picture: Picture = { width: 1, height: 1, pixels, halted: '', limit: '', note: '', changed: null };
          resolve({ call: asked, view, picture });
        });
      }),
  };
  return { own: { replay: replay as Replay, name, call }, answers, enough };
}

const sides = () => ({ a: side('A', 9), b: side('B', 8) });

it('says that a search has ended because its panel was left, and still does when that is back', async () => {
  const { a, b } = sides();
  const searching = createSearching();
  void searching.start({ a: a.own, b: b.own }, async () => undefined);
  expect(searching.state.value.at).toBe('looking');
  searching.leave();
  const ended = { at: 'done', sentence: 'The search ended when its panel was left.' };
  expect(searching.state.value).toMatchObject(ended);
  expect(a.enough).toHaveBeenCalledTimes(1);
  searching.look([9, 8]);
  expect(searching.state.value).toMatchObject(ended);
  searching.look([9, 7]);
  expect(searching.state.value.at).toBe('idle');
});

it('keeps what it has found while its panel is away', async () => {
  const { a, b } = sides();
  const searching = createSearching();
  const done = searching.start({ a: a.own, b: b.own }, async () => undefined);
  a.answers[0]?.(7);
  await vi.waitFor(() => expect(b.answers).toHaveLength(1));
  b.answers[0]?.(7);
  await done;
  searching.leave();
  searching.look([9, 8]);
  expect(searching.state.value).toMatchObject({ at: 'done', sentence: expect.stringContaining('are equal') });
});

it('says that a search has ended because other pictures were selected', () => {
  const { a, b } = sides();
  const searching = createSearching();
  void searching.start({ a: a.own, b: b.own }, async () => undefined);
  searching.look([4, 4]);
  expect(searching.state.value).toMatchObject({ at: 'done', sentence: expect.stringContaining('other pictures') });
});
