import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FrameColumns } from '../../../base/survey_protocol.ts';
import type { LongList } from '../../../parts/long_list.ts';
import { frameOf, framesIn, goToFrame } from '../../../timeline/frames.ts';
import type { OpenTrace } from '../../../timeline/open_trace.ts';
import { extentOf, type Survey } from '../../../trace/survey.ts';
import { type FrameCalls, type FrameRow, JUST_OPENED, type OpenedFrames, revealed } from '../frame_rows.ts';
import { wantedFrame } from './wanted.ts';

/** What the tree of frames shows, as its view keeps it while another panel is in front. */
export interface FrameTree {
  /** The frames that are open. */
  readonly opened: Signal<OpenedFrames>;
  /** Which of their calls have rows. */
  readonly which: Signal<FrameCalls>;
  /** The current row. */
  readonly cursor: Signal<FrameRow | null>;
}

interface Following {
  readonly open: OpenTrace;
  readonly survey: Survey;
  readonly tree: FrameTree;
  readonly frames: FrameColumns;
  readonly rows: readonly FrameRow[];
  readonly current: number;
  readonly list: LongList;
}

/** Opens a frame, and asks for its calls unless they are known. */
export async function openFrame(
  frame: number,
  survey: Survey,
  { opened }: FrameTree,
  isFollowing: boolean,
): Promise<void> {
  const before = opened.peek().get(frame);
  if (!before) opened.value = new Map(opened.peek()).set(frame, { ...JUST_OPENED, isFollowing });
  if (before?.calls) return;
  const calls = await survey.ask.openFrame(frame);
  const now = opened.peek().get(frame);
  if (calls && now && !now.calls) opened.value = new Map(opened.peek()).set(frame, { ...now, calls });
}

/** The tree of frames follows the selection: it opens the frame of a selected call, and scrolls to that. */
export function useFollowing({ open, survey, tree, frames, rows, current, list }: Following): void {
  const { opened, which, cursor } = tree;
  const place = open.selection.place();
  const isCall = place !== null && open.trace.tracks.value.get(place.track)?.kind === 'thread';
  const start = place === null ? -1 : Number(place.start);
  /** The row to scroll to once it exists. */
  const goal = useRef<FrameRow | null>(null);
  const show = (row: FrameRow) => {
    cursor.value = row;
    goal.current = row;
  };
  const follow = async (frame: number) => {
    for (const [other, of] of opened.peek())
      if (of.isFollowing && other !== frame) {
        const left = new Map(opened.peek());
        left.delete(other);
        opened.value = left;
      }
    if (!isCall) return show({ frame, item: -1, folded: 0 });
    await openFrame(frame, survey, tree, true);
    const of = opened.peek().get(frame);
    const now = open.selection.place();
    if (!of || now === null || Number(now.start) !== start) return;
    const found = revealed(of, start, which.peek());
    if (found.of !== of) opened.value = new Map(opened.peek()).set(frame, found.of);
    show({ frame, item: found.item, folded: 0 });
  };
  /** While the frames come, the last one may still grow. */
  const isKnown = (call: number) =>
    frames.count > 0 && (extentOf(survey) !== 'going' || call <= frames.last[frames.count - 1]!);
  const isFound = start >= 0 && isKnown(start);
  useEffect(() => {
    if (!isFound) cursor.value = null;
    else void follow(frameOf(frames, start));
  }, [start, isCall, place?.track, isFound]);
  useEffect(() => {
    if (!goal.current || rows[current] === undefined) return;
    const { frame, item } = goal.current;
    if (rows[current].frame !== frame || rows[current].item !== item) return;
    goal.current = null;
    list.go(current);
  });
  // Another choice of rows keeps the current one in sight.
  useEffect(() => {
    if (current >= 0) list.go(current);
  }, [which.value]);
  const wanted = wantedFrame(open).value;
  useEffect(() => {
    if (!wanted || !isKnown(wanted.call)) return;
    wantedFrame(open).value = null;
    const frame = frameOf(frames, wanted.call);
    // It is in the list, whatever that was narrowed to.
    const { from, to } = framesIn(frames, open.statistics.range.peek());
    if (frame < from || frame >= to) open.statistics.range.value = null;
    if (wanted.redundant) {
      which.value = 'redundant';
      void openFrame(frame, survey, tree, false);
    }
    if (!wanted.isReturn) void goToFrame(frames, frame, open);
    show({ frame, item: -1, folded: 0 });
  }, [wanted, frames]);
}
