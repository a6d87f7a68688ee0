import { formatCount } from '../../base/format.ts';
import { beginOf } from './gl/frames.ts';
import type { Coverage, Frames, Refusal } from './protocol.ts';
import type { Replay } from './replay.ts';

/** What a picture lacks of its frame. */
export interface Lacking {
  /** Draws and clears of the frame up to the call of the picture. */
  readonly draws: number;
  /** Those that are not in the picture; at least 1. */
  readonly missing: number;
  /** Why most of them are not. */
  readonly reason: string;
  /** Number of other reasons. */
  readonly others: number;
}

/**
 * What the picture after a call lacks of its frame, as far as that is known: from the calls before it is drawn, and by `refusals` once it is.
 * null if it lacks nothing.
 */
export function lackingOf(
  { calls, why, reasons, drawCalls }: Coverage,
  frames: Frames,
  refusals: readonly Refusal[],
  call: number,
): Lacking | null {
  const from = beginOf(frames, call);
  const isHere = (each: number) => each >= from && each <= call;
  const byReason = new Map<string, Set<number>>();
  const add = (at: number, reason: string) => {
    if (isHere(at)) byReason.set(reason, (byReason.get(reason) ?? new Set()).add(at));
  };
  for (let i = 0; i < calls.length; i += 1) add(calls[i]!, reasons[why[i] ?? 0]?.reason ?? '');
  for (const refusal of refusals) if (refusal.isMissing) add(refusal.call, refusal.what);
  const [first, ...others] = [...byReason].sort((a, b) => b[1].size - a[1].size);
  if (!first) return null;
  const missing = new Set([...byReason.values()].flatMap((all) => [...all])).size;
  let draws = 0;
  for (const each of drawCalls) if (isHere(each)) draws += 1;
  return { draws: Math.max(draws, missing), missing, reason: first[0], others: others.length };
}

/** A sentence without a full stop about what a picture lacks. */
export function wordsOf({ draws, missing, reason, others }: Lacking): string {
  const more = others === 0 ? '' : others === 1 ? ', and another reason' : `, and ${others} other reasons`;
  return `${formatCount(missing)} of ${formatCount(draws)} draws and clears are missing: ${reason}${more}`;
}

/** What the picture after a call lacks. Nothing if it is complete. `name`: whose picture it is, if there are two. */
export function Missing({ replay, call, name = '' }: { replay: Replay; call: number; name?: string }) {
  const [coverage, frames] = [replay.coverage.value, replay.frames.value];
  const lacking = coverage && frames && lackingOf(coverage, frames, replay.refusals.value, call);
  return (
    lacking && <p class="remark picture-missing">{name === '' ? wordsOf(lacking) : `${name}: ${wordsOf(lacking)}`}</p>
  );
}
