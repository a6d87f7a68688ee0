import type { ComponentChildren } from 'preact';

/** How the rows are sorted by a column: not, or with the lowest or the highest value first. */
export type Sorted = 'none' | 'ascending' | 'descending';

interface Props {
  readonly title: ComponentChildren;
  /** What the column shows. */
  readonly says?: string | undefined;
  readonly class?: string | undefined;
  readonly sorted: Sorted;
  /** Sorts by the column; left out for a column that nothing is sorted by. */
  readonly sort?: (() => void) | undefined;
}

/** The head of a column, which sorts the table by it. */
export function SortHead({ title, says, class: name, sorted, sort }: Props) {
  return (
    <th scope="col" class={name} title={says} aria-sort={sort ? sorted : undefined}>
      {sort ? (
        <button type="button" class="plain" onClick={sort}>
          {title}
          <span class="sort" aria-hidden="true">
            {sorted === 'none' ? '' : sorted === 'descending' ? '▾' : '▴'}
          </span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

/** For a column that the rows are sorted by, or not. */
export function sortedIf(isSorted: boolean, descending: boolean): Sorted {
  if (!isSorted) return 'none';
  return descending ? 'descending' : 'ascending';
}
