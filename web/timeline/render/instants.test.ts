import { describe, expect, it } from 'vitest';
import { drawInstants } from './instants.ts';
import type { Pen } from './pen.ts';

/** What is drawn of instants at these places, a CSS pixel a tick, as filled paths of shapes. */
function drawn(times: readonly number[], many: readonly number[] = times.map(() => 1), width = 1000): string[][] {
  const paths: string[][] = [];
  let path: string[] = [];
  const context = {
    beginPath: () => {
      path = [];
    },
    moveTo: (x: number) => path.push(`triangles from ${x}`),
    lineTo: () => undefined,
    rect: (x: number, _y: number, wide: number, tall: number) => path.push(`${x}+${wide} ${tall}`),
    fill: () => paths.push(path),
  };
  const instants = {
    count: times.length,
    track: new Uint32Array(times.length),
    time: Float64Array.from(times),
    name: new Uint32Array(times.length),
    index: Uint32Array.from(times.keys()),
    many: Uint32Array.from(many),
  };
  const range = { first: 0, end: times.length };
  drawInstants(context as unknown as Pen, instants, range, { offset: 0, scale: 1 }, width, 0, 'brown');
  return paths;
}

const until = (end: number) => Array.from({ length: end }, (_, i) => i);

describe('instants', () => {
  it('are triangles while they can be told apart, or are few', () => {
    expect(drawn([10, 30, 50])).toEqual([['triangles from 10', 'triangles from 30', 'triangles from 50']]);
    expect(drawn([10, 11, 12, 50])).toEqual([['triangles from 10', 'triangles from 50']]);
  });
  it('of a long run show how many there are, not a bar', () => {
    const times = until(60);
    const [triangles, area, edge] = drawn(
      times,
      times.map((x) => (x < 30 ? 1 : x < 45 ? 100 : 25)),
    );
    expect(triangles).toEqual([]);
    expect(area).toEqual(['0+30 2', '30+15 12', '45+15 6']);
    expect(edge).toEqual(['0+30 1', '30+15 1', '45+15 1']);
  });
  it('need few shapes, however many there are', () => {
    expect(drawn(until(1000)).flat().length).toBeLessThan(8);
    const uneven = drawn(
      until(1000),
      until(1000).map((x) => 1 + ((x * 7919) % 1000)),
    );
    // A cell is three pixels, and has an area and an edge.
    expect(uneven.flat().length).toBeLessThanOrEqual((2 * 1000) / 3 + 2);
  });
});
