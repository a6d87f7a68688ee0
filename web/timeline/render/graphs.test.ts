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

it('draws what is not a number as dashes at the bottom, which cost little', () => {
  const graphs = createGraphs();
  const column = Float64Array.of(3, Number.NaN, 1);
  const time = Float64Array.of(0, 10, 4000);
  const box = { y: 0, right: 5000, height: 20, lowest: 0, highest: 3, log: false, dots: false };
  const columns = { time, min: column, max: column, last: column };
  graphs.add(columns, 0, 3, box, { offset: 0, scale: 1 }, 1, 1000);
  const layers: number[][] = [];
  graphs.take((layer, data, used) => {
    layers[layer] = data.slice(0, used);
  });
  const [, band = [], line = []] = layers;
  const dashes = Array.from({ length: band.length / 4 }, (_, i) => band.slice(4 * i, 4 * i + 4));
  expect(dashes.length).toBeLessThanOrEqual(1000 / 6 + 1);
  expect(dashes[0]).toEqual([10, 19, 3, 1]);
  expect(dashes.every(([x]) => x! >= 10 && x! < 1000)).toBe(true);
  // The number before them ends where they begin.
  expect(line).toEqual([0, 0, 10, 1]);
});
