import type { AboutMarks, AccessMarks } from '../trace/access_marks.ts';
import type { Find } from '../trace/find.ts';
import type { Marks } from '../trace/marks.ts';

/** The marks of kinds, of a search and of what is chosen, and those of hits without a kind. */
export function shownMarks(
  { marks, accesses }: Pick<Find, 'marks' | 'accesses'>,
  marked: Pick<AccessMarks, 'rows' | 'whole'>,
  where: 'rows' | 'whole',
): { readonly hits: Marks | null; readonly accesses: readonly AboutMarks[] | null } {
  const found = accesses[where].peek();
  const chosen = marked[where].peek();
  return {
    // The same hits have marks of their kinds.
    hits: found ? null : marks[where].peek(),
    accesses: found && chosen ? [...found, ...chosen] : (found ?? chosen),
  };
}
