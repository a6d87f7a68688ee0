import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** CSS pixels of a row of a table, as in the style sheet. */
export const TABLE_ROW = 24;
/** Rows kept above and below the visible ones. */
const SPARE = 6;

/** The rows of a long table that exist. */
export interface Shown {
  /** Indices of the first row and of the end, exclusive. */
  readonly first: number;
  readonly end: number;
  /** Number of rows in a page. */
  readonly page: number;
  /** Scroll handler of the box. */
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/** The visible rows of `count` rows of height {@link TABLE_ROW} in the scrolling element `box`, and a few more. */
export function useShownRows(box: RefObject<HTMLElement | null>, count: number): Shown {
  const top = useSignal(0);
  const height = useSignal(TABLE_ROW * 20);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, height]);
  // The scroll position may exceed the height after rows were removed.
  const from = Math.min(top.value, Math.max(0, count * TABLE_ROW - height.value));
  return {
    first: Math.max(0, Math.floor(from / TABLE_ROW) - SPARE),
    end: Math.min(count, Math.ceil((from + height.value) / TABLE_ROW) + SPARE),
    page: Math.max(1, Math.floor(height.value / TABLE_ROW) - 2),
    onScroll: (event) => {
      top.value = event.currentTarget.scrollTop;
    },
  };
}

/** By how many rows a key moves in a table of `count` rows, of which `page` are in a page; undefined for other keys. */
export function rowsByKey(event: KeyboardEvent, count: number, page: number): number | undefined {
  if (count === 0 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[event.key];
}

/** Scrolls a box so far that a row is in sight. The head of the table covers a row. */
export function scrollToRow(box: HTMLElement, row: number): void {
  const top = row * TABLE_ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + 2 * TABLE_ROW > box.scrollTop + box.clientHeight)
    box.scrollTop = top + 2 * TABLE_ROW - box.clientHeight;
}

/** An empty row in place of `rows` rows that do not exist. */
export function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * TABLE_ROW}px` }} />
    </tr>
  );
}
