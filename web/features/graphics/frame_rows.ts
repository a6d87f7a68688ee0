import type { OpenedFrame } from '../../base/survey_protocol.ts';

/** A row of the table of frames: a frame, or with `item` a row of an opened one. */
export interface FrameRow {
  readonly frame: number;
  /** Position in {@link OpenedFrame}, or -1 for the frame itself. */
  readonly item: number;
}

/** A frame that is open. `calls` is null while its calls are on their way. */
export interface Opened {
  readonly calls: OpenedFrame | null;
  /** Groups that are open, by position. */
  readonly groups: ReadonlySet<number>;
}

/** The frames that are open, by number. */
export type OpenedFrames = ReadonlyMap<number, Opened>;

/** The rows of frames in an `order`, each followed by the groups and calls of it that are in sight. */
export function frameRows(order: Uint32Array, opened: OpenedFrames): readonly FrameRow[] {
  const rows: FrameRow[] = [];
  for (const frame of order) {
    rows.push({ frame, item: -1 });
    const of = opened.get(frame);
    if (!of?.calls) continue;
    const { depth, isGroup } = of.calls;
    let hiddenBelow = Number.POSITIVE_INFINITY;
    for (let item = 0; item < depth.length; item += 1) {
      if (depth[item]! > hiddenBelow) continue;
      hiddenBelow = isGroup[item] === 1 && !of.groups.has(item) ? depth[item]! : Number.POSITIVE_INFINITY;
      rows.push({ frame, item });
    }
  }
  return rows;
}

/** The frames with a group opened, or folded if it was open. */
export function toggled(opened: OpenedFrames, { frame, item }: FrameRow): OpenedFrames {
  const next = new Map(opened);
  const before = opened.get(frame);
  if (item < 0) {
    if (before) next.delete(frame);
    else next.set(frame, { calls: null, groups: new Set() });
  } else if (before) {
    const groups = new Set(before.groups);
    if (!groups.delete(item)) groups.add(item);
    next.set(frame, { ...before, groups });
  }
  return next;
}

/** Whether a row can be opened, and whether it is: null for calls. */
export function isOpen(opened: OpenedFrames, { frame, item }: FrameRow): boolean | null {
  const of = opened.get(frame);
  if (item < 0) return of !== undefined;
  return of?.calls?.isGroup[item] === 1 ? of.groups.has(item) : null;
}
