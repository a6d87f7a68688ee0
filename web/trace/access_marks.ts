import { type ReadonlySignal, signal } from '@preact/signals';
import type { FoundRecords } from '../base/find_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import type { Marks } from './marks.ts';
import type { OnScreen, Range } from './picture.ts';

/** Marks of one kind: an index into the palette's `abouts`, and the cells of each track. Depths do not matter. */
export interface AboutMarks {
  readonly about: number;
  readonly marks: Marks;
}

/** Where registers or memory are read and written, addresses executed, and operands tainted, each kind of its own. */
export interface AccessMarks {
  /** On the screen. null if the search is about something else. */
  readonly rows: ReadonlySignal<readonly AboutMarks[] | null>;
  /** Over the whole trace. */
  readonly whole: ReadonlySignal<readonly AboutMarks[] | null>;
  /** Forgets everything. A new search has alternatives that are about these, by their numbers; 0 is anything else. */
  begin(abouts: Uint8Array | null): void;
  /** Takes further hits. */
  add(found: Pick<FoundRecords, 'x' | 'track' | 'branches'>): void;
  readonly dispose: Dispose;
}

/** Positions in file order, which is ascending for traces of steps. */
interface Column {
  x: Float64Array;
  length: number;
  isSorted: boolean;
}

const NOTHING: Range = { first: 0, end: 0 };

/** No marks yet. They follow the picture and the overview. */
export function createAccessMarks({ picture, overview }: Pick<OnScreen, 'picture' | 'overview'>): AccessMarks {
  const scope = createScope();
  const rows = signal<readonly AboutMarks[] | null>(null);
  const whole = signal<readonly AboutMarks[] | null>(null);
  /** Counts what was added. */
  const version = signal(0);
  let kinds: Uint8Array | null = null;
  /** Positions by kind and track. */
  const columns = new Map<number, Map<number, Column>>();

  const marksIn = (from: bigint, to: bigint, step: bigint): readonly AboutMarks[] =>
    [...columns]
      .sort(([a], [b]) => a - b)
      .map(([about, tracks]) => ({ about, marks: marksOf(tracks, from, to, step) }));
  scope.add(
    watch([picture, version], () => {
      const now = picture.peek();
      // A cell that a hit touches is filled, so cells are finer than shapes.
      rows.value = kinds && now ? marksIn(now.from, now.to, now.step > 1n ? now.step / 2n : 1n) : null;
    }),
  );
  scope.add(
    watch([overview, version], () => {
      const now = overview.peek();
      if (!kinds || !now || now.buckets === 0) {
        whole.value = null;
        return;
      }
      const length = now.to > now.from ? now.to - now.from : 1n;
      whole.value = marksIn(now.from, now.to + 1n, (length + BigInt(now.buckets) - 1n) / BigInt(now.buckets));
    }),
  );
  return {
    rows,
    whole,
    begin: (abouts) => {
      // Of several alternatives all must be of a kind, because the others have marks of hits.
      kinds = abouts && abouts.length > 0 && abouts.every((about) => about > 0) ? abouts : null;
      columns.clear();
      version.value += 1;
    },
    add: ({ x, track, branches }) => {
      if (!kinds) return;
      // A million of big integers would take a while.
      const [positions, bits] = [halvesOf(x), halvesOf(branches)];
      for (let i = 0; i < x.length; i += 1) {
        let holds = 0;
        for (const [branch, about] of kinds.entries()) {
          if ((bits[2 * i + (branch >> 5)]! >>> (branch & 31)) & 1) holds |= 1 << about;
        }
        const at = positions[2 * i]! + positions[2 * i + 1]! * 2 ** 32;
        for (let about = 1; holds >> about > 0; about += 1) {
          if ((holds >> about) & 1) put(columnOf(columns, about, track[i]!), at);
        }
      }
      version.value += 1;
    },
    dispose: scope.dispose,
  };
}

/** The lower and the upper half of each number. */
function halvesOf({ buffer, byteOffset, length }: BigUint64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length);
}

function columnOf(columns: Map<number, Map<number, Column>>, about: number, track: number): Column {
  const tracks = columns.get(about) ?? new Map<number, Column>();
  columns.set(about, tracks);
  const column = tracks.get(track) ?? { x: new Float64Array(64), length: 0, isSorted: true };
  tracks.set(track, column);
  return column;
}

function put(column: Column, x: number): void {
  if (column.length === column.x.length) {
    const longer = new Float64Array(2 * column.length);
    longer.set(column.x);
    column.x = longer;
  }
  column.isSorted &&= column.length === 0 || column.x[column.length - 1]! <= x;
  column.x[column.length] = x;
  column.length += 1;
}

/** The cells between two positions that have one of the positions of the tracks. */
function marksOf(tracks: ReadonlyMap<number, Column>, from: bigint, to: bigint, step: bigint): Marks {
  const cell: number[] = [];
  const count: number[] = [];
  const ranges = new Map<number, Range>();
  const [first, end, wide] = [Number(from), Number(to), Number(step)];
  for (const [track, column] of tracks) {
    if (!column.isSorted) {
      column.x.subarray(0, column.length).sort();
      column.isSorted = true;
    }
    const before = cell.length;
    // From cell to cell: the work depends on cells, not on positions.
    for (let at = indexFrom(column, first, 0); at < column.length && column.x[at]! < end; ) {
      const number = Math.floor((column.x[at]! - first) / wide);
      const next = indexFrom(column, first + (number + 1) * wide, at + 1);
      cell.push(number);
      count.push(next - at);
      at = next;
    }
    ranges.set(track, { first: before, end: cell.length });
  }
  const [cells, counts] = [Uint32Array.from(cell), Uint32Array.from(count)];
  const row = (track: number) => ranges.get(track) ?? NOTHING;
  return { name: -1, from: from as Marks['from'], step, cell: cells, count: counts, row };
}

/** Index of the first position at or after `x`, from the index `low` on. */
function indexFrom({ x: positions, length }: Column, x: number, low: number): number {
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! >= x) high = middle;
    else low = middle + 1;
  }
  return low;
}
