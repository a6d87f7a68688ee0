import { signal } from '@preact/signals';
import type { Transforms } from '../../base/calls_protocol.ts';
import type { Portions } from '../../base/portions.ts';
import { type Texts, textAt } from '../../base/texts.ts';
import { applyCallPaths } from '../../trace/apply_paths.ts';
import { type CallPaths, callPathTexts, createCallPaths } from '../../trace/call_paths.ts';
import type { ListedNames, Names } from '../../trace/names.ts';
import { createPathActions, type PathActions } from '../../trace/path_actions.ts';
import { transformsOf } from '../../trace/path_changes.ts';
import type { Whose } from '../../trace/statistics.ts';
import type { Change } from '../../trace/transforms.ts';

/** The rows of a comparison in place of the names of a trace: ids are rows. */
type RowNames = ListedNames & Pick<Names, 'shown' | 'version'>;

/** What a person has chosen about the call paths of both. Names are rows. */
export interface BothPaths extends PathActions {
  readonly names: RowNames;
  readonly chosen: CallPaths;
}

/**
 * The choices for a comparison whose rows have these names: those of `earlier`, which was another comparison of the same traces, as far as
 * its names are still there.
 */
export function* createBothPaths(texts: Texts, earlier: BothPaths | null): Portions<BothPaths> {
  const chosen = createCallPaths({ whose: signal<Whose>('all') });
  const textOf = (row: number) => textAt(texts, row);
  // Names are short within one trace, so those of two could be alike.
  const names: RowNames = {
    text: texts.ends,
    of: textOf,
    shown: textOf,
    keyOf: () => '',
    version: signal(0),
  };
  if (earlier) yield* applyCallPaths(chosen, callPathTexts(earlier.chosen, earlier.names), names);
  return { ...createPathActions(chosen), names, chosen };
}

/** Changes for the trace of one side. `ids` has the name id of each row there, -1 if the side lacks it. */
export function* changesFor(
  changes: readonly Change[],
  names: RowNames,
  ids: (row: number) => number,
): Portions<Transforms> {
  const { kinds, ends, names: rows } = yield* transformsOf(changes, names);
  const listed: number[] = [];
  const own = new Uint32Array(ends.length);
  let from = 0;
  for (const [i, end] of ends.entries()) {
    // A change of a function that the side lacks stays: without it, nothing is left of paths that begin there.
    for (const row of rows.subarray(from, end)) if (ids(row) >= 0) listed.push(ids(row));
    own[i] = listed.length;
    from = end;
  }
  return { kinds, ends: own, names: Uint32Array.from(listed) };
}
