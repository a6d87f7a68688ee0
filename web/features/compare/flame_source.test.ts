import { readFileSync } from 'node:fs';
import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import { type Clock, NO_NAME } from '../../base/protocol.ts';
import { flamePath, layOutFlame } from '../../timeline/flame.ts';
import type { FlameShows } from '../../timeline/widgets/flame_graphs.tsx';
import { createPathNames, DIFFERENCE_PALETTES, differenceSource, SCALE, stepOf } from './flame_source.ts';
import type { ComparedFlame } from './protocol.ts';

/** A graph from rows, nodes above, and total times of A and of B, which are self times, too. */
function graph(...nodes: readonly (readonly [row: number, parent: number, a: number, b: number])[]): ComparedFlame {
  const column = (at: 2 | 3) => Float64Array.from(nodes, (node) => node[at]);
  return {
    length: nodes.length,
    focus: 0,
    partial: false,
    name: Uint32Array.from(nodes, ([row]) => row),
    parent: Uint32Array.from(nodes, ([, parent]) => parent),
    total: Float64Array.from(nodes, ([, , a, b]) => Math.max(a, b)),
    both: {
      totalA: column(2),
      totalB: column(3),
      ownA: column(2),
      ownB: column(3),
      countA: new Float64Array(nodes.length),
      countB: new Float64Array(nodes.length),
    },
    factor: 0.5,
  };
}

const FLAME = graph([NO_NAME, 0, 100, 200], [4, 0, 100, 200], [7, 1, 50, 0], [4, 1, 0, 80], [8, 1, 50, 51]);
const COLOURING = { by: 'total', threshold: 0.01, factor: 1 } as const;

it('colours by how much of a node is gone or new', () => {
  const step = (i: number, of: Partial<typeof COLOURING> = {}) => stepOf(FLAME, i, { ...COLOURING, ...of }, 200);
  expect(step(2)).toBe(0);
  expect(step(3)).toBe(SCALE.length - 1);
  // One of 200 is below the threshold.
  expect(step(4)).toBe(7);
  expect(stepOf(FLAME, 4, { ...COLOURING, threshold: 0 }, 200)).toBe(8);
  expect(step(1)).toBe(11);
  // Both are equally long once B is scaled.
  expect(stepOf(FLAME, 1, { ...COLOURING, factor: 0.5 }, 200)).toBe(7);
});

it('names each path by itself, in every graph alike', () => {
  const paths = createPathNames({ of: (row) => `f${row}` });
  const named = paths.named(FLAME, 'flame', COLOURING);
  expect(named.name[0]).toBe(NO_NAME);
  expect(new Set(named.name).size).toBe(FLAME.length);
  expect([...named.name].slice(1).map((id) => paths.names.of(id))).toEqual(['f4', 'f7', 'f4', 'f8']);
  expect(flamePath(named, 3).map(paths.rowOf)).toEqual([4, 4]);
  expect(paths.named(FLAME, 'flame', { ...COLOURING, by: 'self' }).name).toEqual(named.name);
  expect(paths.names.colour[named.name[2]!]).toBe(0);
});

it('keeps callers and callees of a sandwich apart, with the function at the root of its callers', () => {
  const paths = createPathNames({ of: (row) => `f${row}` });
  const callees = paths.named(FLAME, 'flame', COLOURING);
  const callers = paths.named(graph([4, 0, 100, 200], [7, 0, 100, 200]), 'callers', COLOURING);
  expect([...callers.name].map(paths.rowOf)).toEqual([4, 7]);
  expect([...callers.name].some((id) => callees.name.includes(id))).toBe(false);
});

it('says what widths are, of both traces', () => {
  const paths = createPathNames({ of: (row) => `f${row}` });
  const clock: Clock = { kind: 'ordinal', unit: 'step' };
  const laid = layOutFlame(paths.named(FLAME, 'inverted', COLOURING));
  const about = (shows: FlameShows, i: number) =>
    differenceSource(paths, signal(FLAME), signal(new Set()), clock, shows, signal('All calls of both')).about(laid, i);
  expect(about('flame', 0).name).toBe('All calls of both');
  const texts = about('flame', 4).figures.map((figure) => figure.join(' ').replaceAll('\u00a0', ' '));
  expect(texts).toEqual([
    'total 50 steps → 51 steps +1 step, +2.00 % of A',
    'self 50 steps → 51 steps +1 step, +2.00 % of A',
  ]);
  expect(about('inverted', 1).figures.map(([word]) => word)).toEqual(['self']);
  expect(about('inverted', 2).figures.map(([word]) => word)).toEqual([
    'self time of the function below, called from here',
  ]);
});

it('reports have the colours of the page', () => {
  const drawn = readFileSync('crate/compare/src/report/flame.rs', 'utf8');
  const colours = [...drawn.split('];')[0]!.matchAll(/^ {4}\((\d+), (\d+), (\d+)\),$/gm)];
  expect(colours.map(([, red, green, blue]) => `rgb(${red} ${green} ${blue})`)).toEqual(SCALE);
  const dark = /DARK: \[usize; \d\] = \[([\d, ]+)\]/.exec(drawn)![1]!.split(', ').map(Number);
  const white = DIFFERENCE_PALETTES.light.label.flatMap((ink, step) => (ink === 'rgb(255 255 255)' ? [step] : []));
  expect(dark).toEqual(white);
});
