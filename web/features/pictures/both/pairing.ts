import { formatCount } from '../../../base/format.ts';
import { frameOf } from '../gl/frames.ts';
import { drawsOf } from '../pictured_calls.ts';
import type { Coverage, Frames } from '../protocol.ts';

/** What pictures of a trace can be made of. */
export interface Pictured {
  readonly frames: Frames;
  readonly coverage: Coverage;
}

/** A call whose picture belongs to that of a call elsewhere. */
export interface PairedCall {
  /** null if there is none. */
  readonly call: number | null;
  /** What is not as it is there, in a sentence; '' if nothing is. */
  readonly remark: string;
}

/**
 * The call of `there` that has drawn as much of its frame as a call of `here`: after the draw or clear of the same number, or where the
 * frame ends. `frameThere`: the frame that is paired with a frame, null if none is. `name`: what `there` is called in sentences.
 */
export function pairedCall(
  call: number,
  here: Pictured,
  there: Pictured,
  name: string,
  frameThere: (frame: number) => number | null = (frame) => frame,
): PairedCall {
  const frame = frameOf(here.frames, call);
  if (frame < 0) return { call: null, remark: 'This call is outside of frames.' };
  const other = frameThere(frame);
  if (other === null) return { call: null, remark: `No frame of ${name} is paired with frame ${formatCount(frame)}.` };
  const end = there.frames.to[other];
  if (end === undefined) return { call: null, remark: `${name} has no frame ${formatCount(other)}.` };
  if (call === here.frames.to[frame]) return { call: end, remark: '' };
  const drawn = drawsOf(here.coverage, here.frames, frame).filter((each) => each <= call).length;
  if (drawn === 0) return { call: there.frames.from[other] ?? 0, remark: '' };
  const draws = drawsOf(there.coverage, there.frames, other);
  const at = draws[drawn - 1];
  if (at !== undefined) return { call: at, remark: '' };
  const remark = `Frame ${formatCount(other)} of ${name} draws and clears only ${formatCount(draws.length)} times.`;
  return { call: draws.at(-1) ?? end, remark };
}
