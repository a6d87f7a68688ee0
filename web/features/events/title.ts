import { capitalised, plural } from '../../base/format.ts';
import type { TraceInfo } from '../../base/protocol.ts';
import { canWalk } from '../../trace/stepping.ts';

/** What the rows of the panel are, as its title: Calls, Steps, Points, Records. */
export function titleOf(info: TraceInfo | null): string {
  return canWalk(info) ? 'Steps' : capitalised(plural(2, info?.recordNoun ?? 'record'));
}
