import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import {
  isShared,
  type ListPlace,
  laidHeight,
  moved,
  rowByKey,
  scrolledTo,
  scrollOf,
  shownRows,
} from './proportional.ts';

/** CSS pixels of a row of a table and of its head, as in the style sheet. */
const ROW = 24;
/** Rows kept above and below the visible ones. */
const SPARE = 8;

/** The place in a list of any number of rows, of which those in sight exist. Positions are rows, sizes CSS pixels. */
export interface LongList {
  /** The element that scrolls. Its head stays in sight. */
  readonly box: RefObject<HTMLDivElement | null>;
  /** The rows that exist, `end` exclusive, and the height of those above and below them. */
  readonly first: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
  /** The row at the upper edge, with a fraction. */
  readonly top: number;
  /** Of the box; infinite until it is laid out. */
  readonly width: number;
  /** Brings a row into view: a near one by a little, a far one to the middle. */
  go(row: number): void;
  /** Brings a row to the top. */
  goTop(row: number): void;
  /** The row that a key leads to from the `current` one, -1 for none; null for another key. */
  toward(key: string, current: number): number | null;
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/** The place in a list of `count` rows. No number of rows is too large: `parts/proportional.ts` says how. */
export function useLongList(count: number): LongList {
  const box = useRef<HTMLDivElement>(null);
  const place = useSignal<ListPlace>({ count, row: ROW, height: ROW * 20, top: 0 });
  const scroll = useSignal(0);
  const width = useSignal(Number.POSITIVE_INFINITY);
  /** The scroll position that this code sets in the next frame, and the one that it has set, whose event says nothing new. */
  const due = useRef<number | null>(null);
  const set = useRef<number | null>(null);
  const put = (next: ListPlace) => {
    place.value = next;
    const at = Math.round(scrollOf(next));
    const element = box.current;
    const isDue = due.current !== null;
    if (!element) return;
    scroll.value = at;
    if (!isDue && Math.abs(element.scrollTop - at) < 1) return;
    due.current = at;
    if (isDue) return;
    // The row that fills the height may have to be laid out first.
    requestAnimationFrame(() => {
      const scrollTop = due.current ?? at;
      due.current = null;
      const previous = element.scrollTop;
      element.scrollTop = scrollTop;
      // A box that is lower than the list was takes less. Without a change there is no event.
      const position = element.scrollTop;
      set.current = Math.abs(position - previous) < 1 ? null : position;
      if (Math.abs(position - scrollTop) <= 1) return;
      place.value = scrolledTo(place.peek(), position);
      scroll.value = position;
    });
  };
  useLayoutEffect(() => {
    if (place.peek().count !== count) put(moved({ ...place.peek(), count }, place.peek().top));
  }, [count]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth;
      const height = Math.max(ROW, element.clientHeight - ROW);
      place.value = moved({ ...place.peek(), height }, place.peek().top);
    });
    observer.observe(element);
    // In a list too long to be laid out, the wheel moves by rows.
    const onWheel = (event: WheelEvent) => {
      if (!isShared(place.peek()) || event.ctrlKey || event.deltaY === 0 || event.shiftKey) return;
      event.preventDefault();
      const rows = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY / ROW : event.deltaY;
      put(moved(place.peek(), place.peek().top + rows));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [box]);
  // Rows that are gone must not be shown until the place has followed.
  const now = place.value.count === count ? place.value : moved({ ...place.value, count }, place.value.top);
  const { first, end, above } = shownRows(now, scroll.value, SPARE);
  return {
    box,
    first,
    end: Math.max(first, end),
    above,
    below: laidHeight(now) - above - (end - first) * ROW,
    top: now.top,
    width: width.value,
    go: (row) => {
      const { top, height } = place.peek();
      const rows = height / ROW;
      if (row >= top && row + 1 <= top + rows) return;
      const near = row >= top - rows && row <= top + 2 * rows;
      const to = near ? (row < top ? row : row + 1 - rows) : row - Math.floor(rows / 2);
      put(moved(place.peek(), to));
    },
    goTop: (row) => put(moved(place.peek(), row)),
    toward: (key, current) => rowByKey(place.peek(), key, current),
    onScroll: ({ currentTarget }) => {
      // It tells of the position before the one that is due: End and Home can be pressed within two frames.
      if (due.current !== null) return;
      const at = currentTarget.scrollTop;
      if (set.current === null || Math.abs(at - set.current) > 1) place.value = scrolledTo(place.peek(), at);
      set.current = null;
      scroll.value = at;
    },
  };
}

/** Decides where the reader of a list is put. */
interface Reading {
  /** The order of the rows, and all that narrows them. */
  readonly rows: readonly unknown[];
  /** The subject of the current row. */
  readonly subject: unknown;
  /** Number of the current row, or -1. */
  readonly current: number;
}

/**
 * Puts the reader at the top whenever the rows are others: a position in the previous list says nothing about this one. A current row
 * with another subject is brought into view, once it has a place. One that only has another place is not.
 */
export function useReading(list: LongList, { rows, subject, current }: Reading): void {
  const isFirst = useRef(true);
  /** The subject that was brought into view last, and the latest one; `undefined` without one. */
  const visible = useRef<unknown>(undefined);
  const latest = useRef<unknown>(undefined);
  useLayoutEffect(() => {
    if (!isFirst.current) {
      list.goTop(0);
      visible.current = latest.current;
    }
    isFirst.current = false;
  }, rows);
  useEffect(() => {
    latest.current = subject;
    if (Object.is(subject, visible.current)) return;
    visible.current = current < 0 ? undefined : subject;
    if (current >= 0) list.go(current);
  }, [subject, current]);
}
