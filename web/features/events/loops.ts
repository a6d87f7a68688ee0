import { hexText } from '../../base/hex.ts';
import { bringToFront, HITS } from '../../page/dock.ts';
import type { Page } from '../../page/page.ts';
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

/** Finds all executions of a loop, by its index in the loops that are folded: those of its first instruction. They are listed in Hits. */
export function findExecutions(open: OpenTrace, { dock }: Page, loop: number): void {
  const address = foldsOf(open).loops.peek()?.address[loop];
  if (address === undefined) return;
  open.find.ask(`addr:${hexText(address)}`);
  bringToFront(dock, open.trace.info.peek()?.format, HITS);
}

/** Shows the loops of a trace as a track. */
export async function keepLoops(open: OpenTrace): Promise<void> {
  const found = await foldsOf(open).findLoops();
  if (found) open.derived.keepLoops(found);
}
