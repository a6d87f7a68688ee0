import type { RecordFile } from '../../../trace/worker/record_file.ts';
import type { Player } from '../../../worker/wasm/unspool_replay.js';
import type { ReplayGpu } from '../gl/gpu.ts';
import type { Watch } from '../gl/views.ts';
import type { Keyframes, Skip } from './replay_keyframes.ts';

/** A question that has no answer yet. */
export interface Ask {
  /** Finds the answer, unless a later question comes. */
  answer(open: Open): Promise<void>;
  /** The answer is no longer wanted. */
  drop(): void;
}

/** What a way to a call is for. */
export type Goal = Pick<Way, 'call' | 'patience' | 'isOver'>;

/** Small pictures that are wanted. */
export interface Film {
  readonly calls: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** A trace that is replayed. */
export interface Open {
  /** Limit for the textures and buffers of the trace, and for copies of what was drawn. */
  readonly bytes: number;
  readonly player: Player;
  /** Looks at all calls, without a GPU. */
  readonly survey: Player;
  /** What the player and the survey read. */
  readonly played: RecordFile;
  readonly surveyed: RecordFile;
  readonly gpu: ReplayGpu;
  readonly keyframes: Keyframes;
}

/** What is to be executed. */
export interface Way {
  readonly call: number;
  readonly skip: Skip;
  readonly patience: number;
  /** Draws are shown as lines. */
  readonly isWireframe: boolean;
  /** What is found out about draws on the way. */
  readonly watch: Watch | null;
  /** Whether something more urgent has come. */
  isOver(): boolean;
}
