import { expect, it } from 'vitest';
import { placesOfSecond } from './places.ts';

it('goes back and forward among the places of the second timeline', () => {
  const places = placesOfSecond();
  const shown: number[] = [];
  const end = places.begin((entry) => shown.push(entry));
  for (const entry of [1, 2, 3]) places.push(entry);
  places.go(-1);
  places.go(-1);
  places.go(1);
  places.push(3);
  places.go(-1);
  expect(shown).toEqual([2, 1, 2, 2]);
  end();
  places.go(-1);
  expect(shown.length).toBe(4);
});
