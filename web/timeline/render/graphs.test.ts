import { expect, it } from 'vitest';
import { createGraphs } from './graphs.ts';

/** Tops of the lines of some values of a graph of 20 pixels between two finite values. */
function tops(values: readonly number[], lowest: number, highest: number): number[] {
  const graphs = createGraphs();
  const column = Float64Array.from(values);
  const time = Float64Array.from(values, (_, i) => 10 * i);
  const box = { x: 0, y: 0, right: 10 * values.length, height: 20, lowest, highest, log: false, dots: true };
  const columns = { time, min: column, max: column, last: column };
  const transform = { offset: 0, scale: 1 };
  graphs.add(columns as never, 0, values.length, box as never, transform as never, 1, 1000);
  const found: number[] = [];
  graphs.take((layer, data, used) => {
    if (layer === 2) for (let i = 0; i < used; i += 4) found.push(data[i + 1]!);
  });
  return found;
}

it('draws infinities at the ends of the scale of the finite values', () => {
  const { POSITIVE_INFINITY: inf } = Number;
  const [low, high] = tops([-1, 3], -1, 3);
  expect(tops([-inf, inf, 1], -1, 3)).toEqual([low, high, Math.floor((low! + high!) / 2)]);
  // One finite value has no scale, and none at all neither.
  expect(tops([inf, -inf, 5], 5, 5)).toEqual([high, low, expect.any(Number)]);
  expect(tops([inf, -inf], 0, 0)).toEqual([high, low]);
});
