import type { Frames } from '../protocol.ts';

/** The frame that a call belongs to, by its number; -1 if there is none. */
export function frameOf(frames: Frames, call: number): number {
  return frames.to.findIndex((to, i) => to >= call && (frames.from[i] ?? 0) <= call);
}

/** The first call of the frame that a call belongs to. One after the last swap belongs to a frame that does not end. */
export function beginOf(frames: Frames, call: number): number {
  const { from, to } = frames;
  const frame = frameOf(frames, call);
  return frame >= 0 ? (from[frame] ?? 0) : (to.findLast((end) => end < call) ?? -1) + 1;
}
