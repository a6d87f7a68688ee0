import type { Found, Item, Ticks } from '../base/protocol.ts';

/** The value of a counter at a place. */
export interface Reading {
  /** The last value within the step. */
  readonly value: string;
  /** The lowest and the highest within the step. */
  readonly min: string;
  readonly max: string;
}

/** The slice, instant or value at a place of the timeline. */
export interface Pointed {
  /** null for a rectangle that stands for several slices, and for a counter. */
  readonly item: Item | null;
  readonly track: number;
  /** Of a slice; 0 for an instant. */
  readonly depth: number;
  /** Name id, or -1 for a counter. */
  readonly name: number;
  readonly start: Ticks;
  /** null for an instant, and for the last value of a counter. */
  readonly end: Ticks | null;
  /** `FLAG_*` bits. */
  readonly flags: number;
  /** Number of instants within the step; 1 for a slice. */
  readonly many: number;
  /** null for anything but a counter. */
  readonly reading: Reading | null;
}

/** The result of a search as a selection. */
export function pointedOf({ item, name, start, end, flags }: Found): Pointed {
  const depth = item.kind === 'slice' ? item.depth : 0;
  return { item, track: item.track, depth, name, start, end, flags, many: 1, reading: null };
}

/** Whether two items are the same one. */
export function sameItem(a: Item | null, b: Item | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
