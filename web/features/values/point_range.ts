import type { PointRange } from '../../base/values_protocol.ts';
import type { Extent } from '../../trace/view.ts';

/** The points of a range of the timeline, whose positions are their numbers; null for all. */
export function pointsIn(range: Extent | null): PointRange | null {
  return range && { from: Number(range.from), to: Number(range.to) };
}
