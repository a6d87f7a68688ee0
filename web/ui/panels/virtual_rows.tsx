import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** CSS pixels of a row of a table; the style sheet has the same. */
export const TABLE_ROW = 24;
/** Rows out of sight that are there, too. */
const SPARE = 6;

/** Rows of a long table that exist. */
export interface Shown {
  /** Index of the first, and behind the last. */
  readonly first: number;
  readonly end: number;
  /** Rows that fit. */
  readonly page: number;
  /** For the box that scrolls. */
  readonly onScroll: (event: { readonly currentTarget: HTMLElement }) => void;
}

/** Of `count` rows of {@link TABLE_ROW} those that are in sight in `box`, which scrolls, and a few more. */
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
  // Rows may have become fewer than were scrolled by.
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

/** Keeps the place of rows that are out of sight. */
export function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row takes no focus.
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * TABLE_ROW}px` }} />
    </tr>
  );
}
