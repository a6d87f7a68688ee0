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

/** What of a trace belongs to what of another one; null if nothing does. */
export interface Across {
  frame(number: number): number | null;
  /** `undefined` if that is not known: then draws are paired by number. */
  call(number: number): number | null | undefined;
}

/** By number. */
const SAME: Across = { frame: (number) => number, call: () => undefined };

/**
 * The call of `there` that has drawn as much of its frame as a call of `here`: after the draw or clear that belongs to the last one, or where the
 * frame ends. `name`: what `there` is called in sentences.
 */
export function pairedCall(
  call: number,
  here: Pictured,
  there: Pictured,
  name: string,
  across: Across = SAME,
): PairedCall {
  const frame = frameOf(here.frames, call);
  if (frame < 0) return { call: null, remark: 'This call is outside of frames.' };
  const other = across.frame(frame);
  if (other === null) return { call: null, remark: `${name} has no frame like frame ${formatCount(frame)}.` };
  const [begin, end] = [there.frames.from[other] ?? 0, there.frames.to[other]];
  if (end === undefined) return { call: null, remark: `${name} has no frame ${formatCount(other)}.` };
  if (call === here.frames.to[frame]) return { call: end, remark: '' };
  const drawn = drawsOf(here.coverage, here.frames, frame).filter((each) => each <= call);
  if (drawn.length === 0) return { call: begin, remark: '' };
  const draws = drawsOf(there.coverage, there.frames, other);
  const same = drawn.map((draw) => across.call(draw));
  if (!same.includes(undefined)) {
    const last = same.findLastIndex((draw) => draw != null && draws.includes(draw));
    const isSame = last === drawn.length - 1;
    const remark = isSame ? '' : `Draw ${formatCount(drawn.length)} is not in ${name}, which is shown before it.`;
    return { call: same[last] ?? begin, remark };
  }
  const at = draws[drawn.length - 1];
  if (at !== undefined) return { call: at, remark: '' };
  const remark = `Frame ${formatCount(other)} of ${name} draws and clears only ${formatCount(draws.length)} times.`;
  return { call: draws.at(-1) ?? end, remark };
}
