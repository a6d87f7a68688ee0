import type { Ticks, Track } from '../base/protocol.ts';
import { ticks } from '../base/ticks.ts';
import { type Extent, toTick, type View } from '../trace/view.ts';
import type { LaidTrack } from './layout.ts';

/** An interval in which records of a thread are missing for certain. */
export interface Gap {
  readonly from: Ticks;
  readonly to: Ticks;
  /** It precedes the first record of the thread. */
  readonly isFirst: boolean;
}

/** The gaps of a track within the trace. */
export function gapsOf({ gaps = [] }: Track, extent: Extent): readonly Gap[] {
  const found: Gap[] = [];
  for (let i = 0; i + 1 < gaps.length; i += 2) {
    // The first gap begins with the trace, whose first record the track does not know.
    const isFirst = BigInt(gaps[i]!) < extent.from;
    const from = isFirst ? extent.from : ticks(BigInt(gaps[i]!));
    const to = ticks(BigInt(gaps[i + 1]!));
    if (from < to) found.push({ from, to, isFirst });
  }
  return found;
}

/** Ticks in the gaps of a track. */
export function missingTime(track: Track, extent: Extent): bigint {
  return gapsOf(track, extent).reduce((sum, { from, to }) => sum + (to - from), 0n);
}

/** The gap of a track at a CSS pixel, or null. */
export function gapAt({ track }: LaidTrack, view: View, extent: Extent, x: number): Gap | null {
  const at = toTick(view, x);
  return gapsOf(track, extent).find(({ from, to }) => from <= at && at < to) ?? null;
}
