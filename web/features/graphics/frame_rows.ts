import type { OpenedFrame } from '../../base/survey_protocol.ts';

/** Which calls of an opened frame have rows of their own: draws and clears, all, or those that set state to its current value. */
export type FrameCalls = 'draws' | 'all' | 'redundant';

/** A row of the table of frames: a frame, or with `item` a row of an opened one. */
export interface FrameRow {
  readonly frame: number;
  /** Position in {@link OpenedFrame}, or -1 for the frame itself. */
  readonly item: number;
  /** Number of calls between two draws that the row stands for, from `item` on; 0 for any other row. */
  readonly folded: number;
}

/** A frame that is open. `calls` is null while its calls are on their way. */
export interface Opened {
  readonly calls: OpenedFrame | null;
  /** Groups that are open, by position. */
  readonly groups: ReadonlySet<number>;
  /** Calls between draws that are shown, by the position of the first. */
  readonly folds: ReadonlySet<number>;
  /** It was opened for the selection, and is folded when that leaves it. */
  readonly isFollowing: boolean;
}

/** The frames that are open, by number. */
export type OpenedFrames = ReadonlyMap<number, Opened>;

/** A frame that was just opened. */
export const JUST_OPENED: Opened = { calls: null, groups: new Set(), folds: new Set(), isFollowing: false };

/** The rows of frames in an `order`, each followed by the groups and calls of it that are in sight. */
export function frameRows(order: Uint32Array, opened: OpenedFrames, which: FrameCalls): readonly FrameRow[] {
  const rows: FrameRow[] = [];
  for (const frame of order) {
    rows.push({ frame, item: -1, folded: 0 });
    const of = opened.get(frame);
    if (of?.calls) addRows(rows, frame, of, of.calls, which);
  }
  return rows;
}

function addRows(rows: FrameRow[], frame: number, of: Opened, calls: OpenedFrame, which: FrameCalls): void {
  const { depth, isGroup, isRedundant } = calls;
  if (which === 'redundant') {
    for (let item = 0; item < depth.length; item += 1)
      if (isRedundant[item] === 1) rows.push({ frame, item, folded: 0 });
    return;
  }
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (let item = 0; item < depth.length; item += 1) {
    if (depth[item]! > hiddenBelow) continue;
    hiddenBelow = isGroup[item] === 1 && !of.groups.has(item) ? depth[item]! : Number.POSITIVE_INFINITY;
    const end = which === 'draws' ? foldEnd(calls, item) : item;
    if (end > item + 1) {
      rows.push({ frame, item, folded: end - item });
      if (of.folds.has(item)) for (let k = item; k < end; k += 1) rows.push({ frame, item: k, folded: 0 });
      item = end - 1;
    } else rows.push({ frame, item, folded: 0 });
  }
}

/** Whether a row is a call that neither draws nor clears. */
function isQuiet({ isGroup, figures }: OpenedFrame, item: number): boolean {
  return isGroup[item] === 0 && figures[4 * item + 1] === 0 && figures[4 * item + 2] === 0;
}

/** The end of the calls from `item` on that neither draw nor clear, next to one another. */
function foldEnd(calls: OpenedFrame, item: number): number {
  const { depth } = calls;
  let end = item;
  while (end < depth.length && depth[end] === depth[item] && isQuiet(calls, end)) end += 1;
  return end;
}

/** The frames with a frame, a group or calls between draws opened, or folded if that was open. */
export function toggled(opened: OpenedFrames, { frame, item, folded }: FrameRow): OpenedFrames {
  const next = new Map(opened);
  const before = opened.get(frame);
  if (item < 0) {
    if (before) next.delete(frame);
    else next.set(frame, JUST_OPENED);
  } else if (before) {
    const of = folded > 0 ? 'folds' : 'groups';
    const open = new Set(before[of]);
    if (!open.delete(item)) open.add(item);
    next.set(frame, { ...before, [of]: open });
  }
  return next;
}

/** Whether a row can be opened, and whether it is: null for calls. */
export function isOpen(opened: OpenedFrames, { frame, item, folded }: FrameRow): boolean | null {
  const of = opened.get(frame);
  if (item < 0) return of !== undefined;
  if (folded > 0) return of?.folds.has(item) ?? false;
  return of?.calls?.isGroup[item] === 1 ? of.groups.has(item) : null;
}

/** The position of a call in its opened frame, -1 if it has no row; and the frame with all opened that hides it. */
export function revealed(of: Opened, call: number, which: FrameCalls): { readonly item: number; readonly of: Opened } {
  const { calls } = of;
  const item = calls ? calls.call.findIndex((it, i) => it === call && calls.isGroup[i] === 0) : -1;
  if (!calls || item < 0) return { item: -1, of };
  const groups = new Set(of.groups);
  const folds = new Set(of.folds);
  let depth = calls.depth[item]!;
  for (let at = item - 1; at >= 0 && depth > 0; at -= 1) {
    if (calls.isGroup[at] !== 1 || calls.depth[at]! >= depth) continue;
    groups.add(at);
    depth = calls.depth[at]!;
  }
  let first = item;
  while (first > 0 && isQuiet(calls, first - 1) && calls.depth[first - 1] === calls.depth[item]) first -= 1;
  if (which === 'draws' && foldEnd(calls, first) > Math.max(item, first + 1)) folds.add(first);
  const isSame = groups.size === of.groups.size && folds.size === of.folds.size;
  return { item, of: isSame ? of : { ...of, groups, folds } };
}
