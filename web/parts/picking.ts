/** Something to pick from a long list. */
export interface Choice {
  /** Unique in the list. */
  readonly id: number | string;
  readonly name: string;
}

/** The choices that match a filter: each of its words is in the name, in any case. All for an empty filter. */
export function matching<T extends Choice>(choices: readonly T[], filter: string): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices;
  return choices.filter(({ name }) => {
    const text = name.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * The index that a key moves to from index `from` in a list of `count` rows, of which a page shows `page`. null for a key that
 * does not move, or in an empty list. `from` is -1 while no row is marked.
 */
export function movedBy(key: string, from: number, count: number, page: number): number | null {
  if (count === 0) return null;
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from < 0 ? count - 1 : from - 1,
    PageDown: from + page,
    PageUp: from - page,
  }[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}
