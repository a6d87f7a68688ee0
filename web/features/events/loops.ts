import type { OpenTrace } from '../../timeline/open_trace.ts';
import { machineOf } from '../../trace/machines.ts';
import { perTrace } from '../../trace/per_trace.ts';
import { createListingFolds } from './listing_folds.ts';

/** What the listing of a trace hides. */
export const foldsOf = perTrace((open: OpenTrace) =>
  createListingFolds(open.trace, open.events, () => machineOf(open)),
);

/** Folds the loops of a trace in its listing, or unfolds them. */
export function toggleLoops(open: OpenTrace): void {
  const { isFolding, foldLoops, unfoldLoops } = foldsOf(open);
  if (isFolding.peek()) unfoldLoops();
  else foldLoops();
}

/** Shows the loops of a trace as a track. */
export async function keepLoops(open: OpenTrace): Promise<void> {
  const found = await foldsOf(open).findLoops();
  if (found) open.derived.keepLoops(found);
}
