import { describe, expect, it } from 'vitest';
import { FILM, filmPlaces } from './film.ts';

/** Frames of ten calls each. */
const frames = (count: number) => ({
  from: Float64Array.from({ length: count }, (_, i) => 10 * i),
  to: Float64Array.from({ length: count }, (_, i) => 10 * i + 9),
});
const view = (perCall: number, left = 0) => ({ width: 1000, xOf: (call: number) => (call - left) * perCall });

describe('the filmstrip', () => {
  it('has a picture for each frame where there is room', () => {
    expect(filmPlaces(frames(8), view(20)).map(({ frame, x }) => [frame, x])).toEqual([
      [0, 0],
      [1, 200],
      [2, 400],
      [3, 600],
      [4, 800],
    ]);
  });

  it('keeps the same frames while the view moves', () => {
    const shown = (left: number) => filmPlaces(frames(1000), view(1, left)).map(({ frame }) => frame);
    const [before, after] = [shown(1000), shown(1130)];
    expect(before.length).toBeGreaterThan(5);
    expect(before.every((frame) => frame % 16 === 0)).toBe(true);
    expect(after.filter((frame) => before.includes(frame)).length).toBeGreaterThanOrEqual(before.length - 2);
  });

  it('lets no two overlap, and has none outside', () => {
    const places = filmPlaces(frames(100_000), view(0.001));
    for (let i = 1; i < places.length; i += 1)
      expect(places[i]!.x - places[i - 1]!.x).toBeGreaterThanOrEqual(FILM.width);
    expect(filmPlaces(frames(4), view(1, 5000))).toEqual([]);
    expect(filmPlaces(frames(0), view(1))).toEqual([]);
  });
});
