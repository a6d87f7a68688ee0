import { describe, expect, it } from 'vitest';
import { ticks } from '../base/ticks.ts';
import {
  between,
  clamped,
  type Extent,
  fitted,
  moved,
  rangeBetween,
  roundedUp,
  toPixel,
  toTick,
  type View,
  zoomed,
} from './view.ts';

const WIDTH = 1000;
const extent = (from: bigint, length: bigint): Extent => ({ from: ticks(from), to: ticks(from + length) });
/** Nanoseconds since 1970, which XRay writes without a cycle counter. Doubles cannot distinguish neighbours. */
const TRACE = extent(1_800_000_000_123_456_789n, 1_870_000_000n);
const MARGIN = 8;
const BOUNDS = { extent: TRACE, width: WIDTH, margin: MARGIN };

describe('a view at positions beyond 2^53', () => {
  it('distinguishes neighbouring ticks', () => {
    const at = TRACE.from + 418_337_122n;
    const view = fitted(extent(at, 10n), WIDTH, 0);
    expect(toPixel(view, at)).toBeCloseTo(0, 9);
    expect(toPixel(view, at + 1n)).toBeCloseTo(100, 9);
    expect(toTick(view, 99.9)).toBe(at);
    expect(toTick(view, 100.1)).toBe(at + 1n);
  });
  it('returns exactly after a hundred zooms in and out', () => {
    const begin = fitted(TRACE, WIDTH, 8);
    const at = toTick(begin, 333);
    let view = begin;
    for (let i = 0; i < 100; i += 1) view = zoomed(view, 333, 0.9, BOUNDS);
    expect(Math.abs(toPixel(view, at) - 333)).toBeLessThan(1 / view.perPixel + 1);
    for (let i = 0; i < 100; i += 1) view = zoomed(view, 333, 1 / 0.9, BOUNDS);
    expect(toPixel(view, at)).toBeCloseTo(toPixel(begin, at), 3);
  });
  it('does not drift in a drag pixel by pixel', () => {
    const begin = fitted(extent(TRACE.from, 1000n), WIDTH, 0);
    let view = begin;
    for (let i = 0; i < 10_000; i += 1) view = moved(view, 0.3);
    expect(Number(view.anchor - begin.anchor) + view.fraction - begin.fraction).toBeCloseTo(3000 * begin.perPixel, 6);
    for (let i = 0; i < 10_000; i += 1) view = moved(view, -0.3);
    expect(toPixel(view, TRACE.from)).toBeCloseTo(0, 6);
  });
  it('spans all 64 bits', () => {
    const whole = extent(0n, 2n ** 64n - 1n);
    const view = fitted(whole, WIDTH, 0);
    expect(toPixel(view, whole.to)).toBeCloseTo(WIDTH, 6);
  });
});

it('keeps the fraction within a tick', () => {
  let view: View = { anchor: 5n, fraction: 0.25, perPixel: 0.01 };
  for (const pixels of [-30, 7, 1e6, -1e6, 0.001]) {
    view = moved(view, pixels);
    expect(view.fraction).toBeGreaterThanOrEqual(0);
    expect(view.fraction).toBeLessThan(1);
  }
});

it('centres a tiny trace', () => {
  const view = fitted(extent(7n, 1n), WIDTH, 8);
  expect(toPixel(view, 7n)).toBeCloseTo(400, 6);
  expect(toPixel(view, 8n)).toBeCloseTo(600, 6);
});

it('rounds a growing extent up to a power of two', () => {
  expect(roundedUp(extent(10n, 5n))).toEqual({ from: 10n, to: 18n });
  expect(roundedUp(extent(10n, 8n))).toEqual({ from: 10n, to: 18n });
});

describe('a clamped view', () => {
  const whole = fitted(TRACE, WIDTH, MARGIN);
  it('stops at the ends of the trace', () => {
    const near = zoomed(whole, 500, 0.5, BOUNDS);
    for (const pixels of [5000, -5000]) {
      const view = clamped(moved(near, pixels), BOUNDS);
      expect(view.perPixel).toBe(near.perPixel);
      if (pixels > 0) expect(toPixel(view, TRACE.to)).toBeCloseTo(WIDTH - MARGIN, 3);
      else expect(toPixel(view, TRACE.from)).toBeCloseTo(MARGIN, 3);
    }
    expect(clamped(moved(near, 30), BOUNDS)).toEqual(moved(near, 30));
  });
  it('shows at most the whole trace, and at least a part of a tick', () => {
    expect(zoomed(whole, 0, 1e9, BOUNDS)).toEqual(whole);
    expect(zoomed(whole, 0, 1e-30, BOUNDS).perPixel).toBe(1 / 200);
  });
  it('comes back to the whole trace from any place', () => {
    for (const x of [0, 400, WIDTH]) {
      const view = zoomed(zoomed(whole, x, 0.1, BOUNDS), WIDTH - x, 20, BOUNDS);
      expect(toPixel(view, TRACE.from)).toBeCloseTo(MARGIN, 2);
      expect(toPixel(view, TRACE.to)).toBeCloseTo(WIDTH - MARGIN, 2);
    }
  });
  it('keeps a tiny trace in the middle', () => {
    const tiny = { extent: extent(7n, 1n), width: WIDTH, margin: MARGIN };
    const view = clamped(moved(fitted(tiny.extent, WIDTH, MARGIN), 300), tiny);
    expect(toPixel(view, 7n)).toBeCloseTo(400, 6);
  });
});

describe('between two views', () => {
  const a = fitted(TRACE, WIDTH, MARGIN);
  const b = zoomed(a, 250, 1e-4, BOUNDS);
  it('starts and ends with them', () => {
    expect(toPixel(between(a, b, 0), TRACE.from)).toBeCloseTo(MARGIN, 6);
    expect(between(a, b, 1)).toBe(b);
  });
  it('keeps the fixed point in place', () => {
    const at = toTick(a, 250);
    for (const t of [0.2, 0.5, 0.8]) expect(toPixel(between(a, b, t), at)).toBeCloseTo(250, 1);
  });
  it('moves evenly at one scale', () => {
    expect(toPixel(between(a, moved(a, 100), 0.5), TRACE.from)).toBeCloseTo(MARGIN - 50, 3);
  });
});

describe('a range between two pixels', () => {
  const whole = extent(1000n, 100n);
  const view: View = { anchor: 1000n, fraction: 0, perPixel: 1 / 10 };
  it('contains all ticks that they touch, in either direction', () => {
    expect(rangeBetween(view, whole, 15, 32)).toEqual(extent(1001n, 3n));
    expect(rangeBetween(view, whole, 32, 15)).toEqual(extent(1001n, 3n));
    expect(rangeBetween(view, whole, 15, 15)).toEqual(extent(1001n, 1n));
  });
  it('stays within the trace', () => {
    expect(rangeBetween(view, whole, -500, 5000)).toEqual(whole);
    expect(rangeBetween(view, whole, -500, -100)).toBeNull();
    expect(rangeBetween(view, whole, 2000, 3000)).toBeNull();
  });
});
