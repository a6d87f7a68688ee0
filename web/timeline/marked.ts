import type { AboutMarks } from '../trace/access_marks.ts';
import type { Marks } from '../trace/marks.ts';
import { perTrace } from '../trace/per_trace.ts';
import { createRangeMarks } from '../trace/range_marks.ts';
import type { OpenTrace } from './open_trace.ts';

/** Marks of what differs from the trace that it is compared with. */
export const differingOf = perTrace(({ timeline }: OpenTrace) => createRangeMarks(timeline));

/** The marks of kinds, of a search, of what is chosen and of what differs, and those of hits without a kind. */
export function shownMarks(
  open: OpenTrace,
  where: 'rows' | 'whole',
): { readonly hits: Marks | null; readonly accesses: readonly AboutMarks[] | null } {
  const found = open.find.accesses[where].peek();
  const others = [open.marked, differingOf(open)].flatMap((marks) => marks[where].peek() ?? []);
  return {
    // The same hits have marks of their kinds.
    hits: found ? null : open.find.marks[where].peek(),
    accesses: found || others.length > 0 ? [...(found ?? []), ...others] : null,
  };
}
