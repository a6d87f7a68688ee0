import type { Ticks } from './protocol.ts';

/** The largest position: positions have 64 bits. */
export const MAX_TICKS = 0xffff_ffff_ffff_ffffn as Ticks;

/** A whole number as a position on the x axis, clamped to 64 bits. */
export function ticks(value: bigint): Ticks {
  return (value < 0n ? 0n : value > MAX_TICKS ? MAX_TICKS : value) as Ticks;
}

/**
 * `a - b` as a double: exact up to 2^53 ticks apart. Only distances become doubles, never positions.
 */
export function distance(a: bigint, b: bigint): number {
  return Number(a - b);
}

/** The largest multiple of `step` that is at most `value`. `step` is a power of two; `value` is not negative. */
export function floorTo(value: bigint, step: bigint): bigint {
  return value & ~(step - 1n);
}

/** The smallest multiple of `step` that is at least `value`. `step` is a power of two; `value` is not negative. */
export function ceilTo(value: bigint, step: bigint): bigint {
  return floorTo(value + step - 1n, step);
}

/** The largest power of two that is at most `value`, or 1 for values below 1. */
export function powerOfTwoBelow(value: number): bigint {
  return value < 2 ? 1n : 1n << BigInt(Math.floor(Math.log2(value)));
}

/** The smallest power of two that is at least `value`, or 1 for values below 1. */
export function powerOfTwoAbove(value: bigint): bigint {
  if (value <= 1n) return 1n;
  return 1n << BigInt((value - 1n).toString(2).length);
}
