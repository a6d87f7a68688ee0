import { formatCount } from '../../base/format.ts';
import type { Pointed } from '../../trace/pointed.ts';
import { momentOf } from '../../trace/selection.ts';
import type { Tracks } from '../../trace/tracks.ts';
import { frameOf } from './gl/frames.ts';
import type { ShownPicture } from './kept.ts';
import type { Coverage, Frames, PictureView, Refusal } from './protocol.ts';

/**
 * The call after which the picture shows a selected place. A call is that itself. Of anything longer it is the last swap within, or else the
 * last call: what the place has at its end. `frames` may be unknown yet.
 */
export function pictureCall(
  place: Pick<Pointed, 'track' | 'start' | 'end'>,
  tracks: Pick<Tracks, 'get'>,
  frames: Frames | null,
): number {
  const [start, last] = [Number(place.start), Number(momentOf(place, tracks))];
  return last === start ? start : (frames?.to.findLast((to) => to >= start && to <= last) ?? last);
}

/** The number of the frame of a call, -1 outside of frames. The calls after the last swap are a frame as well, which has no picture at its end. */
export function frameNumber(frames: Frames, call: number): number {
  const frame = frameOf(frames, call);
  return frame < 0 && call > (frames.to.at(-1) ?? -1) ? frames.to.length : frame;
}

/** Names of a picture. */
export interface PictureNames {
  /** Its own frame and call, if another picture is looked at: that one is still being made. */
  readonly old: string | undefined;
  /** The name of the file that it is saved as. */
  readonly file: string;
}

/** Names of the picture that is shown, while that after `call` is looked at. */
export function pictureNames(
  trace: string,
  frames: Frames | null,
  picture: Pick<ShownPicture, 'call' | 'view'>,
  call: number | null,
  view: PictureView,
): PictureNames {
  const frame = frames ? frameNumber(frames, picture.call) : -1;
  const [ofFrame, inFile] = frame < 0 ? ['', ''] : [`frame ${formatCount(frame)}, `, `-frame${frame}`];
  const isOld = picture.call !== call || picture.view !== view;
  const kind = picture.view === 'color' ? '' : `-${picture.view}`;
  return {
    old: isOld ? `${ofFrame}after call ${formatCount(picture.call)}` : undefined,
    file: `${trace}${inFile}-call${picture.call}${kind}.png`,
  };
}

/** The frame with the most draws. */
export function heaviest({ draws }: Frames): number {
  let best = 0;
  for (let i = 1; i < draws.length; i += 1) if ((draws[i] ?? 0) > (draws[best] ?? 0)) best = i;
  return best;
}

/** The calls that draw within a frame, ascending. */
export function drawsOf({ drawCalls }: Coverage, { from, to }: Frames, frame: number): number[] {
  const [first, last] = [from[frame] ?? 0, to[frame] ?? 0];
  return [...drawCalls.filter((call) => call >= first && call <= last)].sort((a, b) => a - b);
}

/** Why draws cannot be shown as in the trace, by call: those that are left out, refused or cut. */
export function remarksOf(coverage: Coverage, refusals: readonly Refusal[]): ReadonlyMap<number, string> {
  const remarks = new Map<number, string>();
  coverage.calls.forEach((call, i) => {
    const reason = coverage.reasons[coverage.why[i] ?? 0]?.reason ?? '';
    if (!remarks.has(call)) remarks.set(call, `Not in the picture: ${reason}`);
  });
  for (const { call, what } of refusals)
    if (!remarks.has(call)) remarks.set(call, `Not shown as in the trace: ${what}`);
  return remarks;
}

/** Refusals with further ones, each once, by call. */
export function merged(known: readonly Refusal[], more: readonly Refusal[]): readonly Refusal[] {
  const isNew = more.filter(
    (one, i) => ![...known, ...more.slice(0, i)].some(({ call, what }) => call === one.call && what === one.what),
  );
  return isNew.length === 0 ? known : [...known, ...isNew].sort((a, b) => a.call - b.call);
}
