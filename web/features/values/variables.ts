import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
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
import { watch } from '../../base/watch.ts';
import { createRowList } from '../../trace/row_list.ts';
import type { Selection } from '../../trace/selection.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Tracks } from '../../trace/tracks.ts';
import { askOnce } from './ask_once.ts';

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

/** The variables, once the trace has been read. */
export function createVariables(trace: Asks): Variables {
  const scope = createScope();
  const {
    answer: all,
    failed,
    retry,
    dispose,
  } = askOnce(trace, () => trace.records.aboutValues((values) => values.variables()));
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

/** The buffers, once the trace has been read. */
export function createBuffers(trace: Asks): Buffers {
  const scope = createScope();
  const {
    answer: table,
    failed,
    retry,
    dispose,
  } = askOnce(trace, () => trace.records.aboutValues((values) => values.buffers()));
  scope.add(dispose);
  const sort = signal<{ by: BufferOrder; descending: boolean }>({ by: 'from', descending: false });
  const page = (first: number, count: number) => {
    const { by, descending } = sort.peek();
    return trace.records.aboutValues((values) => values.bufferRows(first, count, by, descending));
  };
  const rows = createRowList<BufferRow>({
    ask: (first, count, take) => void page(first, count).then(take),
    count: () => table.peek()?.rows ?? 0,
  });
  scope.add(watch([table, sort], rows.renew));
  return {
    table,
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

/** What may be wrong with a pointer, in words. */
export function whyOf({ why, left, size, type }: PointerCandidate): string {
  const bytes = (count: number) => formatCounted(count, 'byte');
  switch (why) {
    case 'past':
      return `${bytes(-left)} past the end`;
    case 'short':
      return `only ${bytes(left)} left for ${type.replace(/^(\*|\[\d*\])\s*/, '')}`;
    case 'freed':
      return `into ${bytes(size)} that were freed`;
  }
}

/** Selects a point. `track` is where it is to be seen: that of its statement if left out. */
export function revealPlace(selection: Pick<Selection, 'revealRecord'>, place: ValuePlace, track = place.track): void {
  const x = ticks(BigInt(place.point));
  selection.revealRecord({ x, track, locator: place.locator, name: '', fields: [], dropped: 0 });
}

/** Id of the value track of a variable: it has one, whatever files its points are in. undefined if there is none. */
export function valueTrackOf(
  tracks: Pick<Tracks, 'values'>,
  { name, type }: Pick<VariableSummary, 'name' | 'type'>,
): number | undefined {
  return [...tracks.values()].find(
    (track) => track.kind === 'counter' && track.name === (name || '(no name)') && track.detail === type,
  )?.id;
}
