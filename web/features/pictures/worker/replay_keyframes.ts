/*
 * Copies of everything that was drawn, made now and then while a replay goes on. A jump begins at the latest one before its goal: draws before
 * that are left out.
 */

import type { Drawn } from '../../../worker/wasm/unspool_replay.js';
import type { Copies } from '../gl/copies.ts';

/** Copies at most. */
const MOST = 64;

/** The calls before which draws were left out: those to windows, and those to framebuffers of the trace. */
export type Skip = readonly [number, number];

/** A copy, made after a call. */
export interface Keyframe {
  /** The call. */
  readonly call: number;
  /** What was left out when it was made. */
  readonly skip: Skip;
  /** What it takes. */
  readonly bytes: number;
}

/** The copies of a replay, and when the next one is due. */
export interface Keyframes {
  /** Work was done that took this long. Returns whether a copy is due: after `spacing` milliseconds, or longer if room is short. */
  worked(ms: number, spacing: number): boolean;
  /** Copies what was drawn, unless there is a copy of that call. Others are dropped if all together would exceed `bytes`. */
  make(drawn: Drawn | null, skip: Skip, bytes: number): void;
  /** The latest copy that a picture after a call can begin with, if draws before `skip` are not needed for it. null without one. */
  before(call: number, skip: Skip): Keyframe | null;
}

/** Keeps track of `copies`; there are none yet. */
export function createKeyframes(copies: Pick<Copies, 'make' | 'drop'>): Keyframes {
  /** Ascending by call. */
  let all: Keyframe[] = [];
  let worked = 0;
  /** How much rarer copies have become. */
  let rarer = 1;
  /** WebGL2 has refused to copy something. */
  let isRefused = false;

  return {
    worked: (ms, spacing) => {
      worked += ms;
      return worked >= rarer * spacing && !isRefused;
    },
    make: (drawn, skip, bytes) => {
      worked = 0;
      if (!drawn || all.some(({ call }) => call === drawn.call)) return;
      const { call, surfaces } = drawn;
      let needed = 0;
      for (let i = 0; i < surfaces.length; i += 5) needed += 8 * (surfaces[i + 3] ?? 0) * (surfaces[i + 4] ?? 0);
      const held = () => all.reduce((sum, keyframe) => sum + keyframe.bytes, 0);
      while (all.length > 0 && (held() + needed > bytes || all.length >= MOST)) {
        // Every other one goes, and from now on there are half as many.
        copies.drop(all.filter((_, i) => i % 2 === 0).map((keyframe) => keyframe.call));
        all = all.filter((_, i) => i % 2 === 1);
        rarer *= 2;
      }
      if (needed > bytes) return;
      if (copies.make(call, surfaces)) all = [...all, { call, skip, bytes: needed }].sort((a, b) => a.call - b.call);
      else isRefused = true;
    },
    before: (call, skip) =>
      all.findLast((it) => it.call <= call && it.skip[0] <= skip[0] && it.skip[1] <= skip[1]) ?? null,
  };
}
