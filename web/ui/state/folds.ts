import { createListingFolds, type ListingFolds } from '../../model/listing_folds.ts';
import type { OpenTrace } from '../../model/workbench.ts';
import { machineOf } from './machines.ts';

/** What the listings of open traces hide. */
const folds = new WeakMap<OpenTrace, ListingFolds>();

/** What the listing of a trace hides. */
export function foldsOf(open: OpenTrace): ListingFolds {
  const known = folds.get(open);
  if (known) return known;
  const created = createListingFolds(open.trace, open.events, () => machineOf(open));
  folds.set(open, created);
  return created;
}

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
