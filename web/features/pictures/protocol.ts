/**
 * What the worker that replays an apitrace does: `web/features/pictures/worker/replay_worker.ts`. `web/features/pictures/replay.ts` is the page's side of it. Calls
 * are numbers: a trace has fewer than 2^53.
 */

import type { OutputsFound, VerticesAsked } from '../../trace/vertex_outputs.ts';
import type { WrittenAsked, WrittenFound } from '../../trace/written.ts';
import type { Coverage, Frames, ShaderFailure } from '../../worker/wasm/unspool_replay.js';

// What `crate/replay` answers with.
export type { Coverage, Frames, ShaderFailure };

/** How draws are shown. */
export type PictureView = 'color' | 'wireframe' | 'overdraw' | 'depth' | 'changed';

/** Which limit a replay ran into that the user may raise: that of bytes, of time, or of the size of traces that are drawn without a GPU. */
export type Limit = '' | 'bytes' | 'time' | 'gpu';

/** A small picture: RGBA from the top left, four bytes each. */
export interface SmallPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** A picture in its own size. */
export interface Picture extends SmallPicture {
  /** Why it is not complete; '' if it is. */
  readonly halted: string;
  readonly limit: Limit;
  /** What the view says beside its picture, or ''. */
  readonly note: string;
  /** Pixels that the draw changed, of the view 'changed'. */
  readonly changed: number | null;
}

/** A draw, clear or copy that touched a pixel: its colour before and after, four channels each. */
export interface Touch {
  readonly call: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A command that WebGL2 has refused, or a shader that was stopped, with the call. */
export interface Refusal {
  readonly call: number;
  readonly what: string;
  /** The draw of the call, or a part of it, is not in the picture. */
  readonly isMissing: boolean;
}

/** What is replayed, and within which limits. */
export interface ReplayOpening {
  readonly file: Blob;
  /** What the session made. */
  readonly index: Uint8Array;
  /** Limit for textures and buffers, in MiB. */
  readonly megabytes: number;
  /** Also without a GPU, whatever the size of the file. */
  readonly isAnyway: boolean;
  /** The user wants pictures. Otherwise none are made without a GPU. */
  readonly isAsked: boolean;
}

/** What the worker says without being asked. */
export interface ReplayReports {
  /** All calls were looked at. */
  coverage(coverage: Coverage, frames: Frames): void;
  /** How far it is with `what`: a share, and the call. */
  progress(what: 'looking' | 'replaying', share: number, call: number): void;
  /** A small picture, or null if there is none. */
  film(call: number, picture: SmallPicture | null): void;
}

/** A picture, and what has failed on the way to it. */
export interface Pictured {
  /** null if there is nothing to see. */
  readonly picture: Picture | null;
  /** Those that were not reported before. */
  readonly failures: readonly ShaderFailure[];
  readonly refusals: readonly Refusal[];
}

/** What touched a pixel. */
export interface Touched {
  readonly touches: readonly Touch[];
  /** Otherwise there are more. */
  readonly isAll: boolean;
}

/** The replay of one trace, in a worker that is never reset. A question replaces the one before, whose answer is null then. */
export interface ReplayService {
  /**
   * Opens a trace, once. `page` hears of it as long as the worker lives. Is rejected with a {@link ReplayFailure} when nothing can be
   * replayed any more, or not before a limit is raised. `blocks` gives what another worker has read of the file: a `FileBlockService`.
   */
  open(opening: ReplayOpening, page: ReplayReports, blocks: MessagePort | null): Promise<never>;
  /** Looks at all calls, for frames and coverage. No picture is made. */
  look(): void;
  /**
   * The picture after a call: of what is drawn to, or of the window if the call swaps its buffers. `patience`: milliseconds that the
   * GPU may take.
   */
  picture(call: number, view: PictureView, patience: number): Promise<Pictured | null>;
  /** Which draws of the frame up to a call touched a pixel, counted from the top left. */
  pixel(call: number, x: number, y: number, patience: number): Promise<Touched | null>;
  /** What the vertex shader of a draw writes. */
  outputs(asked: VerticesAsked, patience: number): Promise<OutputsFound | null>;
  /** What an object holds that draws and copies wrote. */
  written(asked: WrittenAsked, patience: number): Promise<WrittenFound | null>;
  /** Makes small pictures after calls, while there is nothing else to do. A later list replaces it. */
  film(calls: readonly number[], width: number, height: number): void;
  /** Ends the picture that is being made: it is shown as it is then. */
  enough(): void;
  /** Nothing more is wanted. Resolves once the GPU has done what it has begun, and was given up. */
  stop(): Promise<void>;
}

/** Why a replay has ended, or a picture is not complete. */
export interface ReplayFailure {
  readonly sentence: string;
  /** What may be raised for another try; '' for a try without that. */
  readonly limit: Limit;
  /** It is about one picture: others may be made, by another worker. */
  readonly isPassing: boolean;
}

/** What a replay does to jump sooner. Pictures are the same without it, which tests verify. */
export interface Shortcuts {
  /** Draws are left out that later ones cover. */
  readonly skips: boolean;
  /** Milliseconds of work after which what was drawn is copied. */
  readonly copyMs: number;
  /** Calls after which the state is kept, if it is not to be the usual. */
  readonly keepCalls: number | null;
}

/** What is said if a GPU does not finish what it was given. */
export const STUCK = 'The GPU has not answered for 20 seconds, so this picture was given up. Others can still be made.';
/** What is said if a GPU has given up. */
export const LOST = 'The GPU failed during this replay. The trace may demand too much of it.';
