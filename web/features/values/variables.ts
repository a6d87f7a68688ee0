import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals';
import { formatCounted } from '../../base/format.ts';
import { createScope, type Dispose } from '../../base/scope.ts';
import { ticks } from '../../base/ticks.ts';
import type {
  BufferOrder,
  BufferRow,
  BufferTable,
  PointerCandidate,
  ValuePlace,
  VariableSummary,
} from '../../base/values_protocol.ts';
import { createRowList } from '../../trace/row_list.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Extent } from '../../trace/view.ts';
import { askOnce } from './ask_once.ts';
import { pointsIn } from './point_range.ts';

/** What variables are sorted by. */
export type VariableOrder = 'name' | 'type' | 'count' | 'different' | 'changes' | 'zeros' | 'invalid';

/** What is known of the variables of a trace, and of its buffers. */
export interface Variables {
  /** null while they are read. */
  readonly all: ReadonlySignal<readonly VariableSummary[] | null>;
  /** They could not be read. */
  readonly failed: ReadonlySignal<boolean>;
  /** Part of the names that are shown. */
  readonly text: Signal<string>;
  readonly sort: Signal<{ readonly by: VariableOrder; readonly descending: boolean }>;
  /** Those that are shown, in their order. */
  readonly shown: ReadonlySignal<readonly VariableSummary[]>;
  retry(): void;
  readonly dispose: Dispose;
}

type Asks = Pick<Trace, 'status'> & { readonly records: Pick<Trace['records'], 'aboutValues'> };
type Range = ReadonlySignal<Extent | null>;

/** The variables of a range, once the trace has been read. */
export function createVariables(trace: Asks, range: Range): Variables {
  const scope = createScope();
  const {
    answer: all,
    failed,
    retry,
    dispose,
  } = askOnce(trace, () => {
    const points = pointsIn(range.value);
    return trace.records.aboutValues((values) => values.variables(points));
  });
  scope.add(dispose);
  const text = signal('');
  const sort = signal<{ by: VariableOrder; descending: boolean }>({ by: 'count', descending: true });
  const shown = signal<readonly VariableSummary[]>([]);
  scope.add(
    effect(() => {
      const word = text.value.trim().toLowerCase();
      const left = (all.value ?? []).filter(
        ({ name, type }) => name.toLowerCase().includes(word) || type.toLowerCase().includes(word),
      );
      shown.value = sortedVariables(left, sort.value);
    }),
  );
  return { all, failed, text, sort, shown, retry, dispose: scope.dispose };
}

/** Variables in an order. Equal ones stay as they were. */
function sortedVariables(
  all: readonly VariableSummary[],
  { by, descending }: { readonly by: VariableOrder; readonly descending: boolean },
): readonly VariableSummary[] {
  const compare = (a: VariableSummary, b: VariableSummary): number => {
    const [x, y] = [a[by], b[by]];
    return typeof x === 'number' ? x - (y as number) : x < y ? -1 : x > y ? 1 : 0;
  };
  return [...all].sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
}

/** What is constant: a variable that always has the same value, which is a number. */
export function isConstant({ different, isAll, invalid }: VariableSummary): boolean {
  return different === 1 && isAll && invalid === 0;
}

/** The buffers of a trace. */
export interface Buffers {
  /** null while they are followed. */
  readonly table: ReadonlySignal<BufferTable | null>;
  /** Number of rows: of the lifetimes that have a point in the range. null while it is not known. */
  readonly count: ReadonlySignal<number | null>;
  /** Pointers that may be wrong in the range, with their points there. */
  readonly candidates: ReadonlySignal<readonly CandidateInRange[]>;
  readonly failed: ReadonlySignal<boolean>;
  readonly sort: Signal<{ readonly by: BufferOrder; readonly descending: boolean }>;
  /** Counts arrivals of rows. */
  readonly version: ReadonlySignal<number>;
  row(number: number): BufferRow | null;
  /** Requests the rows of a part that are not there yet, `end` exclusive. */
  want(first: number, end: number): void;
  /** Some rows, for a person who takes them along. */
  page(first: number, count: number): Promise<readonly BufferRow[] | null>;
  retry(): void;
  readonly dispose: Dispose;
}

/** The buffers of a range, once the trace has been read. */
export function createBuffers(trace: Asks, range: Range): Buffers {
  const scope = createScope();
  const {
    answer: table,
    failed,
    retry,
    dispose,
  } = askOnce(trace, () => trace.records.aboutValues((values) => values.buffers()));
  scope.add(dispose);
  const sort = signal<{ by: BufferOrder; descending: boolean }>({ by: 'from', descending: false });
  const count = signal<number | null>(null);
  const ask = (first: number, most: number) => {
    const { by, descending } = sort.peek();
    const points = pointsIn(range.peek());
    return trace.records.aboutValues((values) => values.bufferRows(first, most, by, descending, points));
  };
  const page = async (first: number, most: number) => (await ask(first, most))?.rows ?? null;
  const rows = createRowList<BufferRow>({
    ask: (first, most, take) => void page(first, most).then(take),
    count: () => count.peek() ?? 0,
  });
  scope.add(
    effect(() => {
      const all = table.value;
      void sort.value;
      void range.value;
      untracked(rows.renew);
      if (!all) return;
      const at = rows.era();
      void ask(0, 1).then((found) => {
        if (found && rows.era() === at) count.value = found.count;
      });
    }),
  );
  const candidates = computed(() => (table.value?.candidates ?? []).flatMap((it) => candidateIn(it, range.value)));
  return {
    table,
    count,
    candidates,
    failed,
    sort,
    version: rows.version,
    row: rows.row,
    want: rows.want,
    page: async (first, count) => {
      const at = rows.era();
      const found = await page(first, count);
      return rows.era() === at ? found : null;
    },
    retry,
    dispose: () => {
      rows.renew();
      scope.dispose();
    },
  };
}

/** A candidate with its points in a range. */
export interface CandidateInRange extends Omit<PointerCandidate, 'first'> {
  /** The first point there; null if only points that are not listed may be there. */
  readonly first: number | null;
  /** Id of the track of its statement. */
  readonly track: number;
  /** Whether there may be more than {@link PointerCandidate.count}: the trace lists the first points of a candidate. */
  readonly isMore: boolean;
}

/** A candidate with what it has in a range; none if it has nothing there. */
export function candidateIn(it: PointerCandidate, range: Extent | null): readonly CandidateInRange[] {
  const { track } = it.first;
  if (!range) return [{ ...it, first: it.first.point, track, isMore: false }];
  const points = it.points.filter((point) => BigInt(point) >= range.from && BigInt(point) < range.to);
  const isMore = it.points.length < it.count && BigInt(it.points.at(-1) ?? 0) + 1n < range.to;
  if (points.length === 0 && !isMore) return [];
  return [{ ...it, points, count: points.length, first: points[0] ?? null, track, isMore }];
}

/** What may be wrong with a pointer, in words. */
export function whyOf({ why, left, size, type }: Pick<PointerCandidate, 'why' | 'left' | 'size' | 'type'>): string {
  const bytes = (count: number) => formatCounted(count, 'byte');
  switch (why) {
    case 'past':
      return `${bytes(-left)} past the end`;
    case 'before':
      return `${bytes(left)} before the begin`;
    case 'short':
      return `only ${bytes(left)} left for ${type.replace(/^(\*|\[\d*\])\s*/, '')}`;
    case 'freed':
      return `into ${bytes(size)} that were freed`;
  }
}

/** Selects a point. `track` is where it is to be seen: that of its statement if left out. */
export function revealPlace(
  selection: Pick<Selection, 'revealRecord'>,
  place: Pick<ValuePlace, 'point' | 'locator' | 'track'>,
  track = place.track,
): void {
  const x = ticks(BigInt(place.point));
  selection.revealRecord({ x, track, locator: place.locator, name: '', fields: [], dropped: 0 });
}
