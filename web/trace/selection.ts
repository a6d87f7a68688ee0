import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Details, Ticks, TraceError } from '../base/protocol.ts';
import type { RecordRow } from '../base/record_protocol.ts';
import { createScope, type Dispose } from '../base/scope.ts';
import { ticks } from '../base/ticks.ts';
import { watch } from '../base/watch.ts';
import type { Pointed } from './pointed.ts';
import type { Trace } from './trace.ts';
import type { Tracks } from './tracks.ts';

/** The details of the selected item. */
export type Known =
  | { readonly at: 'asking' }
  | { readonly at: 'known'; readonly details: Details }
  | { readonly at: 'unknown'; readonly error: TraceError | null };

/** The hovered and the selected item. */
export interface Selection {
  readonly hovered: Signal<Pointed | null>;
  /** Setting it takes back a selected record. */
  readonly selected: Signal<Pointed | null>;
  /** What lengths are measured from, up to the selection; null while none are. Cleared along with the selection. */
  readonly anchor: Signal<Pointed | null>;
  /** A selected record of the list that is neither a slice nor an instant, such as one step of many in a call. */
  readonly record: ReadonlySignal<RecordRow | null>;
  /** null without a selection. The previous details stay until the new ones arrive. */
  readonly known: ReadonlySignal<Known | null>;
  /** The place that {@link Selection.reveal} or {@link Selection.revealRecord} led to last. The timeline brings it into view. */
  readonly revealed: ReadonlySignal<Pointed | null>;
  /** The place of which only the row is to be seen: the view is on its way to the position. */
  readonly revealedRow: ReadonlySignal<Pointed | null>;
  /** Selects an item, and wishes to see it. */
  reveal(pointed: Pointed): void;
  /** Selects a record in place of an item. */
  selectRecord(row: RecordRow): void;
  /** Selects a record in place of an item, and wishes to see it. */
  revealRecord(row: RecordRow): void;
  /** What is selected as a place: the item, or a record as one without length. Subscribes. */
  place(): Pointed | null;
  /** Wishes to see the row of what is selected. */
  revealRow(): void;
  /** Selects nothing. */
  clear(): void;
  dispose: Dispose;
}

/** An empty selection in a trace. */
export function createSelection(trace: Pick<Trace, 'details' | 'recordDetails' | 'names'>): Selection {
  const hovered = signal<Pointed | null>(null);
  const selected = signal<Pointed | null>(null);
  const revealed = signal<Pointed | null>(null);
  const revealedRow = signal<Pointed | null>(null);
  const record = signal<RecordRow | null>(null);
  const anchor = signal<Pointed | null>(null);
  const known = signal<Known | null>(null);
  const scope = createScope();
  scope.add(
    watch([selected], () => {
      if (selected.peek()) record.value = null;
    }),
  );
  scope.add(
    effect(() => {
      const item = selected.value?.item ?? null;
      const row = record.value;
      // Details have names in them.
      trace.names.version.value;
      if (!item && !row) {
        known.value = null;
        return;
      }
      if (known.peek()?.at !== 'known') known.value = { at: 'asking' };
      let current = true;
      const reply = item ? trace.details(item) : row && trace.recordDetails(row);
      void reply?.then((told) => {
        if (!current) return;
        known.value = told?.details
          ? { at: 'known', details: told.details }
          : { at: 'unknown', error: told?.error ?? null };
      });
      return () => {
        current = false;
      };
    }),
  );
  const selectRecord = (row: RecordRow) => {
    selected.value = null;
    record.value = row;
  };
  return {
    hovered,
    selected,
    record,
    anchor,
    known,
    revealed,
    revealedRow,
    revealRow: () => {
      const row = record.peek();
      revealedRow.value = selected.peek() ?? (row && placeOf(row));
    },
    reveal: (pointed) => {
      selected.value = pointed;
      revealed.value = pointed;
    },
    selectRecord,
    revealRecord: (row) => {
      selectRecord(row);
      revealed.value = placeOf(row);
    },
    place: () => selected.value ?? (record.value && placeOf(record.value)),
    clear: () => {
      selected.value = null;
      record.value = null;
      anchor.value = null;
    },
    dispose: scope.dispose,
  };
}

/**
 * The position that a selected place stands for where only one can be shown, on an axis that counts: a call itself, with those made
 * within it, or the last position of anything longer, such as a frame, which is there as a whole at its end.
 */
export function momentOf(place: Pick<Pointed, 'track' | 'start' | 'end'>, tracks: Pick<Tracks, 'get'>): Ticks {
  const { start, end } = place;
  if (end === null || end <= start || tracks.get(place.track)?.kind === 'thread') return start;
  return ticks(end - 1n);
}

function placeOf({ track, x }: RecordRow): Pointed {
  return { item: null, track, depth: 0, name: -1, start: x, end: null, flags: 0, many: 1, reading: null };
}
