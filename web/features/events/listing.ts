import { useEffect, useMemo } from 'preact/hooks';
import type { RecordRow } from '../../base/record_protocol.ts';
import type { OpenTrace } from '../../timeline/open_trace.ts';
import { machineOf } from '../../trace/machines.ts';
import { canWalk } from '../../trace/stepping.ts';
import { createCallDepths } from './call_depths.ts';
import type { FoldedCall } from './folds.ts';
import { createStepMatches } from './step_matches.ts';
import { walkOf } from './walking.ts';

/** Further attributes of the rows of a listing of instructions. */
export interface Listing {
  /** Those of a row, by its index among those that are shown, and by its distance from the current one. */
  row(index: number, away: number): { readonly class?: string; readonly style?: string };
  /** Those of the cell with the instruction. */
  instruction(index: number): { readonly class?: string; readonly style?: string };
  /** The call that begins with a row, or null. */
  call(index: number): FoldedCall | null;
}

/** Steps of the trail on each side of the current one. */
const TRAIL = 16;
/** Calls of the indentation: deeper ones would leave the column. */
const DEEPEST = 24;
/** More than any depth. */
const DEEPEST_KNOWN = 2 ** 31;

/** What a listing of instructions shows besides the cells: the depth of calls, and the trail. null for other records. */
export function useListing(open: OpenTrace, shown: readonly (RecordRow | null)[]): Listing | null {
  const isListing = canWalk(open.trace.info.value);
  const depths = useMemo(() => createCallDepths(open.trace), [open]);
  const rows = shown.filter((row) => row !== null);
  const filter = isListing ? walkOf(open).filter.value : null;
  const matches = useMemo(() => (filter ? createStepMatches(filter, machineOf(open)) : null), [open, filter]);
  useEffect(() => {
    if (isListing) depths.want(rows);
    matches?.want(rows.map(({ x }) => Number(x)));
  });
  // Repaint when depths and matches arrive.
  void depths.version.value;
  void matches?.version.value;
  const place = open.selection.place();
  if (!isListing) return null;
  const known = rows.map(depths.of).filter((depth) => depth !== null);
  // The outermost call on the screen is at the margin: what is around all of it says nothing. Depth 0 is outside all calls.
  const least = Math.min(...known.filter((depth) => depth > 0), DEEPEST_KNOWN);
  return {
    row: (index, away) => {
      const row = shown[index];
      const isOnTrail =
        !open.events.sort.value && place && row && row.track === place.track && away !== 0 && Math.abs(away) <= TRAIL;
      const has = (key: string) => row?.fields.some(({ name }) => name === key) ?? false;
      const isPassedOver = row !== null && row !== undefined && matches?.of(Number(row.x)) === false;
      const marks = `${has('taint') ? ' tainted' : ''}${has('partial') ? ' partial' : ''}${isPassedOver ? ' passed-over' : ''}`;
      if (!isOnTrail || open.events.current.value < 0) return { class: marks };
      const near = Math.round(100 * (1 - (Math.abs(away) - 1) / TRAIL));
      return { class: `${away < 0 ? 'trail-before' : 'trail-after'}${marks}`, style: `--near: ${near}%` };
    },
    instruction: (index) => {
      const row = shown[index];
      const depth = row ? Math.min(DEEPEST, Math.max(0, (depths.of(row) ?? 0) - least)) : 0;
      return depth > 0 ? { class: 'indented', style: `--depth: ${depth}` } : {};
    },
    call: (index) => {
      const row = shown[index];
      return row ? depths.callFrom(row) : null;
    },
  };
}
