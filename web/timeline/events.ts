import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { WrongExpression } from '../base/find_protocol.ts';
import { givenNames } from '../base/given_names.ts';
import { latest } from '../base/latest.ts';
import { resultOf } from '../base/portions.ts';
import {
  type Listed,
  MOST_ORDERED,
  type RecordFilter,
  type RecordRow,
  type RecordScope,
  type RecordSort,
} from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { watch } from '../base/watch.ts';
import { pointedOf, sameItem } from '../trace/pointed.ts';
import { createListFilter, type ListFilter } from '../trace/record_filter.ts';
import type { Answer } from '../trace/records.ts';
import { createRowList } from '../trace/row_list.ts';
import type { Selection } from '../trace/selection.ts';
import type { Statistics } from '../trace/statistics.ts';
import type { Trace } from '../trace/trace.ts';
import { toPixel } from '../trace/view.ts';
import type { Timeline } from './timeline.ts';

/** Names of fields that are remembered. */
const MOST_FIELDS = 500;
/** User Timing measure from the wish for rows that are not there until they are. */
const MEASURE = 'unspool:events';
/** What a person reads when the record worker has ended without an answer. */
const STOPPED = 'The reader of this file stopped unexpectedly. The page itself is fine.';

/** The list of a trace's records in the range and the thread of the panels. */
export interface Events {
  /** The list is made and kept up to date while this is true: the panel is in front. */
  readonly shown: Signal<boolean>;
  /** What narrows the list. */
  readonly filter: ListFilter;
  /** Whether values narrow the list instead, in a trace that has some. */
  readonly isByValues: Signal<boolean>;
  /** The query about values, as the user has typed it. */
  readonly valuesText: Signal<string>;
  /** What values narrow it to; null for all records. `createValuesFilter` sets this. */
  readonly byValues: Signal<RecordFilter | null>;
  /** What is wrong with the query about values, and its text. */
  readonly wrongValues: Signal<{ readonly text: string; readonly wrong: WrongExpression } | null>;
  /** What the list is sorted by; null for the order of the trace. */
  readonly sort: Signal<RecordSort | null>;
  /** How far the sorting is, from 0 to 1; null while nothing is sorted. */
  readonly sorting: ReadonlySignal<number | null>;
  /** Whether the list is too long to be sorted by {@link Events.sort}: it is in the order of the trace. */
  readonly isTooLong: ReadonlySignal<boolean>;
  /** What is listed; null while the list waits for the trace. It stays the same while the list grows. */
  readonly question: ReadonlySignal<RecordScope | null>;
  /** How long the list is; null while nothing of it is there. */
  readonly listed: ReadonlySignal<Listed | null>;
  /** Why there is no list, in a sentence; null while nothing is wrong. */
  readonly failure: ReadonlySignal<string | null>;
  /** Remarks on records, by their numbers; null while there are none. Rows with a remark are marked. */
  readonly remarks: Signal<ReadonlyMap<number, string> | null>;
  /** Grows when rows have arrived. */
  readonly version: ReadonlySignal<number>;
  /** Number of the current row, or -1. */
  readonly current: ReadonlySignal<number>;
  /** A row to bring into view; a new object for each wish. */
  readonly wanted: ReadonlySignal<{ readonly row: number } | null>;
  /** A row, or null if it is not there yet. */
  row(number: number): RecordRow | null;
  /** Names of fields in the rows that have been shown, for completion. */
  fieldsSeen(): readonly string[];
  /** Requests the rows of a part of the list that are not there yet, `end` exclusive. */
  want(first: number, end: number): void;
  /** Rows of the list from number `first` on, for a person who takes them along. null if they cannot be read. */
  portion(first: number, count: number): Promise<readonly RecordRow[] | null>;
  /** Selects the record of a row, in the timeline as well. */
  choose(number: number): void;
  /** Makes the list again, after a failure. */
  retry(): void;
  readonly dispose: Dispose;
}

/** The records of a trace. The list follows the scope of the `statistics`; rows and the `selection` follow each other. */
export function createEvents(
  trace: Pick<
    Trace,
    'records' | 'status' | 'info' | 'find' | 'bindRecords' | 'begin' | 'columnsOfHits' | 'dropHits' | 'names'
  >,
  timeline: Pick<Timeline, 'view' | 'size' | 'glideBy'>,
  statistics: Pick<Statistics, 'range' | 'whose'>,
  selection: Pick<Selection, 'selected' | 'record' | 'known' | 'selectRecord'>,
): Events {
  const { records } = trace;
  const scope = createScope();
  const filter = createListFilter(trace);
  scope.add(filter.dispose);
  const isByValues = signal(false);
  const valuesText = signal('');
  const byValues = signal<RecordFilter | null>(null);
  const wrongValues: Events['wrongValues'] = signal(null);
  const shown = signal(false);
  const listed = signal<Listed | null>(null);
  const failure = signal<string | null>(null);
  const remarks = signal<ReadonlyMap<number, string> | null>(null);
  const wanted = signal<{ readonly row: number } | null>(null);
  const sort = signal<RecordSort | null>(null);
  const sorting = signal<number | null>(null);
  const isTooLong = computed(() => {
    const by = sort.value;
    const isByPlace = by?.column.shows === 'position' && listed.value?.inOrder;
    return by !== null && !isByPlace && (listed.value?.rows ?? 0) > MOST_ORDERED;
  });
  /** Number of times that a failed list was to be made again. */
  const retries = signal(0);
  const fields = new Set<string>();
  /** What the user chose in the list: its row is in view. */
  let mine: object | null = null;
  /** The row that the user has chosen, until it is selected. */
  let choosing: RecordRow | null = null;
  /** The row of the selection is wanted: not because the list is in another order, or narrowed. */
  let isSought = true;

  /** What to list; null while the list waits for the trace. */
  const question = computed((): RecordScope | null => {
    void retries.value;
    if (!shown.value || trace.status.value.at === 'loading') return null;
    const range = statistics.range.value;
    const whose = statistics.whose.value;
    return {
      range,
      tracks: whose === 'all' ? null : Uint32Array.of(whose),
      filter: (isByValues.value ? byValues : filter.filter).value,
    };
  });

  const rows = createRowList<RecordRow>({
    ask: (first, count, take) => {
      const since = performance.now();
      void records.rows(first, count).then((answer) => {
        // A newer request, or another list, takes precedence.
        if (!take(answer?.value ?? null)) return;
        if (!answer?.value) return failWith(answer);
        for (const row of answer.value) noteFields(row);
        performance.clearMeasures(MEASURE);
        performance.measure(MEASURE, { start: since, detail: { first, rows: answer.value.length } });
      });
    },
    count: () => listed.peek()?.rows ?? 0,
    select: (row) => select(row),
  });
  const { current } = rows;

  const failWith = (answer: Answer<unknown> | null) => {
    failure.value = answer?.error?.sentence ?? STOPPED;
  };

  scope.add(
    effect(() => {
      const asked = question.value;
      if (!asked) {
        isSought = true;
        return;
      }
      let isNewest = true;
      wanted.value = null;
      listed.value = null;
      sorting.value = null;
      failure.value = null;
      rows.current.value = -1;
      rows.renew();
      void records.list(asked).then((answer) => {
        if (!isNewest) return;
        if (!answer?.value) return failWith(answer);
        grow(answer.value);
        if (sort.peek()) void order();
        else void follow();
      });
      return () => {
        isNewest = false;
      };
    }),
  );

  /** Sorts the list that is there. */
  const order = latest(async (stop) => {
    const by = isTooLong.peek() ? null : sort.peek();
    const of = listed.peek();
    if (!of) return;
    const { names } = trace;
    sorting.value = by ? 0 : null;
    const given = by?.column.shows === 'name' ? await resultOf(givenNames(names, names.shown)) : [];
    if (stop.aborted || listed.peek() !== of) return;
    const isSorted = await records.order(by, given, (share) => {
      sorting.value = share;
    });
    // A newer order, or another list, takes precedence.
    if (isSorted === null || stop.aborted || listed.peek() !== of) return;
    sorting.value = null;
    rows.current.value = -1;
    rows.renew();
    void follow();
  });
  scope.add(watch([sort], () => void order()));
  scope.add(
    watch([trace.names.isShort], () => {
      if (sort.peek()?.column.shows === 'name') void order();
    }),
  );

  const grow = (to: Listed) => {
    rows.grow();
    listed.value = to;
  };
  scope.add(
    watch([records.listing], () => {
      const part = records.listing.peek();
      if (part && question.peek() && part.rows > 0) grow(part);
    }),
  );

  /** Makes the row of the selection the current one, and wishes to see it. */
  const follow = async () => {
    if (!shown.peek() || !listed.peek()) return;
    const known = selection.known.peek();
    const selected = selection.selected.peek() ?? selection.record.peek();
    if (!selected) current.value = -1;
    if (!selected || selected === mine || choosing || known?.at !== 'known') return;
    // The details of the previous selection stay until those of this one arrive.
    if ('item' in selected && !sameItem(known.details.item, selected.item)) return;
    const { start, track, locator } = known.details;
    const row = await records.rowAt(start, track, locator);
    if (row === null || choosing || selection.known.peek() !== known) return;
    current.value = row;
    if (isSought) wanted.value = { row };
    isSought = false;
  };
  scope.add(
    watch([selection.known, selection.selected, selection.record], () => {
      isSought = true;
      void follow();
    }),
  );

  const noteFields = ({ fields: of }: RecordRow) => {
    for (const { name, value } of of) {
      if (fields.size >= MOST_FIELDS) return;
      // Arguments of a call are named without the group that holds them.
      if (name === 'args' && value.t === 'tree') for (const part of value.v) fields.add(part.name);
      else fields.add(name);
    }
  };
  /** Moves the timeline to a position unless it is in view. */
  const reveal = (x: bigint) => {
    const view = timeline.view.peek();
    const { width } = timeline.size.peek();
    const at = view && toPixel(view, x);
    if (at !== null && (at < 0 || at > width)) timeline.glideBy(at - width / 2);
  };

  const select = (row: RecordRow) => {
    mine = row;
    choosing = row;
    reveal(row.x);
    void trace.find({ to: 'record', time: row.x, track: row.track, locator: row.locator }).then((found) => {
      // A newer choice takes precedence.
      if (mine !== row) return;
      choosing = null;
      // A step of an instruction may be the last of a call, but it is not the call.
      const isStep = trace.info.peek()?.clock.kind === 'ordinal';
      const isOf = found && (!isStep || found.start === row.x);
      if (!isOf) return selection.selectRecord(row);
      const pointed = pointedOf(found);
      mine = pointed;
      selection.selected.value = pointed;
    });
  };

  return {
    shown,
    filter,
    isByValues,
    valuesText,
    byValues,
    wrongValues,
    sort,
    sorting,
    isTooLong,
    question,
    listed,
    failure,
    version: rows.version,
    remarks,
    current,
    wanted,
    fieldsSeen: () => [...fields],
    row: rows.row,
    want: rows.want,
    portion: records.portion,
    choose: rows.choose,
    retry: () => {
      retries.value += 1;
    },
    dispose: scope.dispose,
  };
}
