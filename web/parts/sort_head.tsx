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
  /** The rows are a tree, which has no heads: a button says what sorts it. */
  readonly isPlain?: boolean;
}

/** The head of a column, which sorts the table by it. */
export function SortHead({ title, says, class: name, sorted, sort, isPlain = false }: Props) {
  return (
    <th scope={isPlain ? undefined : 'col'} class={name} title={says} aria-sort={sort && !isPlain ? sorted : undefined}>
      {sort ? (
        <button type="button" class="plain" aria-pressed={isPlain ? sorted !== 'none' : undefined} onClick={sort}>
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
