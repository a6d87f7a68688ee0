import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isShared, type ListPlace, moved, scrolledTo, scrollOf } from '../../model/long_list.ts';
import { rowsByKey, TABLE_ROW } from './virtual_rows.tsx';

/** An empty row in place of those that do not exist. */
export function Gap({ pixels, columns }: { pixels: number; columns: number }) {
  if (pixels <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${pixels}px` }} />
    </tr>
  );
}

/** The place in a list of `count` rows in the scrolling element `box`. */
export function useLongList(box: RefObject<HTMLDivElement | null>, count: number) {
  const place = useSignal<ListPlace>({ count, row: TABLE_ROW, height: TABLE_ROW * 10, top: 0 });
  const scroll = useSignal(0);
  const width = useSignal(Number.POSITIVE_INFINITY);
  /** The scroll position that this code has set, whose event says nothing new. */
  const set = useRef(-1);
  const put = (next: ListPlace) => {
    place.value = next;
    const at = Math.round(scrollOf(next));
    const element = box.current;
    if (!element || Math.abs(element.scrollTop - at) < 1) return;
    // The row that fills the height may have to be laid out first.
    set.current = at;
    scroll.value = at;
    requestAnimationFrame(() => {
      element.scrollTop = at;
    });
  };
  useLayoutEffect(() => {
    put(moved({ ...place.peek(), count }, place.peek().top));
  }, [count]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth;
      place.value = moved(
        { ...place.peek(), height: Math.max(TABLE_ROW, element.clientHeight - TABLE_ROW) },
        place.peek().top,
      );
    });
    observer.observe(element);
    // In a list too long to be laid out, the wheel moves by rows.
    const onWheel = (event: WheelEvent) => {
      if (!isShared(place.peek()) || event.ctrlKey || event.deltaY === 0 || event.shiftKey) return;
      event.preventDefault();
      const rows = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY / TABLE_ROW : event.deltaY;
      put(moved(place.peek(), place.peek().top + rows));
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [box]);
  /** Brings a row into view: a near one by a little, a far one to the middle. */
  const go = (row: number) => {
    const { top, height } = place.peek();
    const rows = height / TABLE_ROW;
    if (row >= top && row + 1 <= top + rows) return;
    const near = row >= top - rows && row <= top + 2 * rows;
    const to = near ? (row < top ? row : row + 1 - rows) : row - Math.floor(rows / 2);
    put(moved(place.peek(), to));
  };
  return {
    place: place.value,
    scroll: scroll.value,
    /** CSS pixels of the box; infinite until it is laid out. */
    width: width.value,
    go,
    /** Brings a row to the top. */
    goTop: (row: number) => put(moved(place.peek(), row)),
    /** Follows a key from the `current` row, -1 for none: brings the row there into view and calls `choose` with it. */
    follow: (event: KeyboardEvent, current: number, choose: (row: number) => void) => {
      const { top, height } = place.peek();
      const by = rowsByKey(event, count, Math.max(1, Math.floor(height / TABLE_ROW) - 1));
      if (by === undefined) return;
      event.preventDefault();
      const from = current < 0 ? Math.floor(top) - (by > 0 ? 1 : 0) : current;
      const next = Math.max(0, Math.min(count - 1, from + by));
      go(next);
      choose(next);
    },
    onScroll: ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
      const at = currentTarget.scrollTop;
      if (Math.abs(at - set.current) > 1) place.value = scrolledTo(place.peek(), at);
      set.current = -1;
      scroll.value = at;
    },
  };
}
