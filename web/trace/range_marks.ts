import { type ReadonlySignal, signal } from '@preact/signals';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { AboutMarks } from './access_marks.ts';
import type { OnScreen, Range } from './picture.ts';

/** Stretches of the x axis by track: from and to, both inclusive, two numbers a time, ascending and not overlapping. */
export type Stretches = ReadonlyMap<number, Float64Array>;

/** Stretches of one kind: an index into the palette's `abouts`. */
export interface KindOfStretch {
  readonly about: number;
  readonly stretches: Stretches;
}

/** Marks of stretches, on the screen and over the whole trace. Both are null while there are none. */
export interface RangeMarks {
  readonly rows: ReadonlySignal<readonly AboutMarks[] | null>;
  readonly whole: ReadonlySignal<readonly AboutMarks[] | null>;
  /** Shows these in place of those before. */
  set(kinds: readonly KindOfStretch[] | null): void;
  readonly dispose: Dispose;
}

const NOTHING: Range = { first: 0, end: 0 };

/** No marks yet. They follow the picture and the overview. */
export function createRangeMarks({ picture, overview }: Pick<OnScreen, 'picture' | 'overview'>): RangeMarks {
  const scope = createScope();
  const kinds = signal<readonly KindOfStretch[] | null>(null);
  const rows = signal<readonly AboutMarks[] | null>(null);
  const whole = signal<readonly AboutMarks[] | null>(null);
  const marksIn = (from: bigint, to: bigint, step: bigint) =>
    kinds.peek()?.map(({ about, stretches }) => ({ about, marks: marksOf(stretches, from, to, step) })) ?? null;
  scope.add(
    watch([picture, kinds], () => {
      const now = picture.peek();
      // A cell that a stretch touches is filled, so cells are finer than shapes.
      rows.value = now ? marksIn(now.from, now.to, now.step > 1n ? now.step / 2n : 1n) : null;
    }),
  );
  scope.add(
    watch([overview, kinds], () => {
      const now = overview.peek();
      const length = now && now.to > now.from ? now.to - now.from : 1n;
      whole.value =
        now && now.buckets > 0
          ? marksIn(now.from, now.to + 1n, (length + BigInt(now.buckets) - 1n) / BigInt(now.buckets))
          : null;
    }),
  );
  return {
    rows,
    whole,
    set: (next) => {
      kinds.value = next;
    },
    dispose: scope.dispose,
  };
}

/** The cells between two positions that stretches touch. The work depends on cells, not on stretches. */
function marksOf(stretches: Stretches, from: bigint, to: bigint, step: bigint): AboutMarks['marks'] {
  const cell: number[] = [];
  const ranges = new Map<number, Range>();
  const [first, end, wide] = [Number(from), Number(to), Number(step)];
  for (const [track, own] of stretches) {
    const before = cell.length;
    for (let at = indexFrom(own, first, 0); 2 * at < own.length && own[2 * at]! < end; ) {
      const last = Math.floor((Math.min(own[2 * at + 1]!, end - 1) - first) / wide);
      for (let number = Math.floor((Math.max(own[2 * at]!, first) - first) / wide); number <= last; number += 1) {
        if (cell.length === before || cell.at(-1)! < number) cell.push(number);
      }
      at = indexFrom(own, first + (last + 1) * wide, at + 1);
    }
    ranges.set(track, { first: before, end: cell.length });
  }
  return {
    name: -1,
    from: from as AboutMarks['marks']['from'],
    step,
    cell: Uint32Array.from(cell),
    count: new Uint32Array(cell.length).fill(1),
    row: (track) => ranges.get(track) ?? NOTHING,
  };
}

/** Index of the first stretch that ends at or after `x`, from the index `low` on. */
function indexFrom(own: Float64Array, x: number, low: number): number {
  let high = own.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (own[2 * middle + 1]! >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}
