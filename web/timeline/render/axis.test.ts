import { expect, it } from 'vitest';
import { aTrack } from '../../base/track.fixture.ts';
import type { LaidTrack } from '../layout.ts';
import { drawAxis } from './axis.ts';
import { PALETTES } from './palette.ts';
import type { Pen } from './pen.ts';

/** The labels of the graph of a track of floats. */
function labels(infinite: readonly [boolean, boolean] | undefined): string[] {
  const found: string[] = [];
  const context = {
    font: '11px sans-serif',
    measureText: () => ({ width: 10 }),
    fillRect: () => undefined,
    fillText: (text: string) => found.push(text),
  };
  const track = aTrack({ id: 1, kind: 'counter', values: 'float', samples: 3, lowestValue: -2, highest: 4 });
  const laid = { track: infinite ? { ...track, infinite } : track, graph: 0, graphHeight: 36 };
  drawAxis(context as unknown as Pen, laid as unknown as LaidTrack, 0, PALETTES.dark);
  return found;
}

it('names the infinities at the ends of the scale', () => {
  expect(labels(undefined)).toEqual(['−2', '4']);
  expect(labels([true, true])).toEqual(['−2, −inf', '4, inf']);
  expect(labels([false, true])).toEqual(['−2', '4, inf']);
});
