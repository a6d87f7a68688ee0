import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { fitted, type View } from '../trace/view.ts';
import { besides, isCovered, labelWidth, ruler } from './ruler.ts';

const WIDTH = 1000;
const ORIGIN = 1_800_000_000_123_456_789n;
const GHZ: Clock = { kind: 'seconds', frequency: 1_000_000_000n };
const window = (from: bigint, length: bigint): View =>
  fitted({ from: ticks(from), to: ticks(from + length) }, WIDTH, 0);
const labels = (view: View, origin: bigint, clock: Clock) =>
  ruler(view, WIDTH, origin, clock).marks.map((mark) => mark.label.replace(/\u00a0/g, ' '));

describe('a ruler of time', () => {
  it('counts from the origin in a unit that suits the step', () => {
    expect(labels(window(ORIGIN, 1_000_000_000n), ORIGIN, GHZ).slice(0, 3)).toEqual(['0 ms', '200 ms', '400 ms']);
    expect(labels(window(ORIGIN, 100n), ORIGIN, GHZ).slice(0, 3)).toEqual(['0 ns', '20 ns', '40 ns']);
    expect(labels(window(ORIGIN, 20_000_000_000n), ORIGIN, GHZ).slice(0, 2)).toEqual(['0 s', '5 s']);
  });
  it('places marks at their exact times', () => {
    const { marks } = ruler(window(ORIGIN, 1_000_000_000n), WIDTH, ORIGIN, GHZ);
    expect(marks.map((mark) => Math.round(mark.x))).toEqual([0, 200, 400, 600, 800, 1000]);
  });
  it('splits long labels into a base and a rest', () => {
    const { base, marks } = ruler(window(ORIGIN + 1_870_000_123n, 100n), WIDTH, ORIGIN, GHZ);
    expect(base.replace('\u00a0', ' ')).toBe('1,870,000 µs');
    expect(marks[1]!.label.replace('\u00a0', ' ')).toBe('+140 ns');
    expect(marks[1]!.x).toBeCloseTo(170, 6);
  });
  it('places marks between ticks if the frequency does not divide a second', () => {
    const clock: Clock = { kind: 'seconds', frequency: 3_000_000_000n };
    const { marks } = ruler(window(ORIGIN, 6n), WIDTH, ORIGIN, clock);
    expect(marks.map((mark) => mark.label.replace('\u00a0', ' ')).slice(0, 3)).toEqual(['0 ns', '0.5 ns', '1 ns']);
    expect(marks[1]!.x).toBeCloseTo(250, 6);
  });
  it('is negative before the origin', () => {
    expect(labels(window(ORIGIN - 500n, 1000n), ORIGIN, GHZ)[0]).toBe('−600 ns');
  });
  it('keeps its labels apart and their number bounded', () => {
    for (let power = 0n; power < 64n; power += 1n) {
      const { marks } = ruler(window(0n, 2n ** power), WIDTH, 0n, GHZ);
      expect(marks.length).toBeGreaterThan(0);
      expect(marks.length).toBeLessThan(13);
    }
  });
});

describe('the labels of a ruler', () => {
  const shownOf = (view: View, clock: Clock, width = WIDTH) =>
    ruler(view, width, 0n, clock).marks.filter(({ fits }) => fits);
  it('are whole or not there', () => {
    const view: View = { anchor: 2n, fraction: 0, perPixel: 0.1 };
    const { marks } = ruler(view, WIDTH, 0n, { kind: 'ordinal', unit: 'point' });
    expect(marks[0]).toMatchObject({ label: '0', fits: false });
    const last = marks.at(-1)!;
    expect([last.x > WIDTH - labelWidth(last.label), last.fits]).toEqual([true, false]);
  });
  it('do not touch each other, however long they are', () => {
    for (let power = 1n; power < 64n; power += 1n) {
      for (const clock of [GHZ, { kind: 'ordinal', unit: 'call' }, { kind: 'ticks' }] satisfies Clock[]) {
        const shown = shownOf(window(2n ** 63n, 2n ** power), clock);
        for (const [i, mark] of shown.slice(1).entries()) {
          expect(mark.x - shown[i]!.x).toBeGreaterThanOrEqual(labelWidth(shown[i]!.label) - 0.001);
        }
      }
    }
  });
});

describe('the label of the pointer', () => {
  it('is to the right of it, or to the left at the right edge', () => {
    expect(besides(100, 80, WIDTH, null)).toBe(100);
    expect(besides(950, 80, WIDTH, null)).toBe(870);
    expect(besides(20, 80, 60, null)).toBe(0);
  });
  it('does not cover the length of the range', () => {
    expect(besides(100, 80, WIDTH, { from: 150, to: 220 })).toBe(20);
    expect(besides(160, 80, WIDTH, { from: 150, to: 220 })).toBe(220);
    expect(besides(990, 80, WIDTH, { from: 920, to: 1000 })).toBe(840);
  });
});

describe('a label of the ruler', () => {
  it('is covered as soon as a part of it is', () => {
    const end = 100 + labelWidth('10 ms');
    const covered = (from: number, to: number) => isCovered(100, '10 ms', { from, to });
    expect([covered(0, 100), covered(0, 101), covered(110, 120), covered(end - 1, 900), covered(end, 900)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
    expect(isCovered(100, '10 ms', null)).toBe(false);
  });
});

describe('a ruler without time', () => {
  it('counts ticks from the origin', () => {
    const made = ruler(window(ORIGIN, 10_000n), WIDTH, ORIGIN, { kind: 'ticks' });
    expect(made.unit).toBe('ticks');
    expect(made.marks.map((mark) => mark.label).slice(0, 2)).toEqual(['0', '2,000']);
  });
  it('labels absolute, whole ordinals', () => {
    const made = ruler(window(1_200n, 5n), WIDTH, 0n, { kind: 'ordinal', unit: 'call' });
    expect(made.unit).toBe('call');
    expect(made.marks.map((mark) => mark.label)).toEqual(['1,200', '1,201', '1,202', '1,203', '1,204', '1,205']);
  });
  it('has no ordinals below the first', () => {
    const view = { anchor: -30n, fraction: 0, perPixel: 0.1 };
    const made = ruler(view, WIDTH, 0n, { kind: 'ordinal', unit: 'call' });
    expect(made.marks[0]!.label).toBe('0');
  });
});
