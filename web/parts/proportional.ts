/**
 * The scroll position of a list that may be higher than a browser can lay out (33,554,428 px in Chromium).
 *
 * A list up to {@link MOST_PIXELS} scrolls as any other. In a longer one the scroll position chooses a share of the list, and
 * wheel and keys move by rows.
 */

/** CSS pixels of the highest list that scrolls as any other. */
export const MOST_PIXELS = 8_000_000;

/** Where a list is. All sizes are CSS pixels, all positions rows. */
export interface ListPlace {
  readonly count: number;
  /** Of a row. */
  readonly row: number;
  /** Of the visible part, without the head. */
  readonly height: number;
  /** The row at the upper edge, with a fraction. */
  readonly top: number;
}

/** The height of all rows as laid out. */
export function laidHeight({ count, row }: ListPlace): number {
  return Math.min(count * row, MOST_PIXELS);
}

/** Whether the list is too long to be laid out as it is. */
export function isShared({ count, row }: ListPlace): boolean {
  return count * row > MOST_PIXELS;
}

/** The last row that can be at the upper edge, with a fraction. */
export function lastTop({ count, row, height }: ListPlace): number {
  return Math.max(0, count - height / row);
}

/** The place with another row at the upper edge, as far as the list goes. */
export function moved(place: ListPlace, top: number): ListPlace {
  return { ...place, top: Math.max(0, Math.min(lastTop(place), top)) };
}

/** The scroll position for a place. */
export function scrollOf(place: ListPlace): number {
  if (!isShared(place)) return place.top * place.row;
  return (place.top / lastTop(place)) * (laidHeight(place) - place.height);
}

/** The place after the user has scrolled to `scroll`. */
export function scrolledTo(place: ListPlace, scroll: number): ListPlace {
  if (!isShared(place)) return moved(place, scroll / place.row);
  const by = scroll - scrollOf(place);
  // A small step, as of a finger, moves by rows. A longer one, as of the scroll bar, chooses a share.
  if (Math.abs(by) < place.height / 2) return moved(place, place.top + by / place.row);
  return moved(place, (scroll / (laidHeight(place) - place.height)) * lastTop(place));
}

/** The rows to show, `end` exclusive, with `spare` more on either side, and the height above them at a scroll position. */
export function shownRows(
  place: ListPlace,
  scroll: number,
  spare: number,
): { readonly first: number; readonly end: number; readonly above: number } {
  const first = Math.max(0, Math.floor(place.top) - spare);
  const end = Math.min(place.count, Math.ceil(place.top + place.height / place.row) + spare);
  return {
    first,
    end,
    above: isShared(place) ? Math.max(0, scroll - (place.top - first) * place.row) : first * place.row,
  };
}

/**
 * The row that a key leads to from the `current` one, -1 for none: then from what is in sight. null for a key that does not move, and
 * in an empty list.
 */
export function rowByKey(place: ListPlace, key: string, current: number): number | null {
  const { count, row, height, top } = place;
  const page = Math.max(1, Math.floor(height / row) - 1);
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[key];
  if (by === undefined || count === 0) return null;
  const from = current < 0 ? Math.floor(top) - (by > 0 ? 1 : 0) : current;
  return Math.max(0, Math.min(count - 1, from + by));
}
