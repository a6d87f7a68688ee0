/**
 * The messages between the page and the worker that replays an apitrace. `web/worker/replay_worker.ts` reads {@link ToReplay} and
 * writes {@link FromReplay}, `web/model/replay.ts` the reverse. Calls are numbers: a trace has fewer than 2^53.
 */

/** How draws are shown. */
export type PictureView = 'color' | 'wireframe' | 'overdraw' | 'depth' | 'changed';

/** A picture: RGBA from the top left, four bytes each. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  /** Why it is not complete; '' if it is. */
  readonly halted: string;
  /** Pixels that the draw changed, of the view 'changed'. */
  readonly changed: number | null;
}

/** A shader that could not be compiled here. */
export interface ShaderFailure {
  /** The call that compiled it; 0 if it is part of the fixed function. */
  readonly call: number;
  readonly log: string;
  /** As the trace has it, and as WebGL2 got it. */
  readonly source: string;
  readonly shown: string;
}

/** Why some draws cannot be shown. */
export interface Unshown {
  readonly reason: string;
  readonly count: number;
  /** The first call. */
  readonly first: number;
}

/** Which draws of a trace can be shown, as far as its calls tell. */
export interface Coverage {
  /** Draws and clears. */
  readonly draws: number;
  readonly unshown: number;
  readonly reasons: readonly Unshown[];
  /** The calls that cannot be shown, ascending, as far as they are listed, and the index of the reason of each. */
  readonly calls: Float64Array;
  readonly why: Uint32Array;
  readonly shaders: readonly ShaderFailure[];
}

export type ToReplay =
  /** `index` is the one that the session made; `megabytes` the limit for textures and buffers. */
  | { readonly t: 'open'; readonly file: Blob; readonly index: Uint8Array; readonly megabytes: number }
  /** Asks for the picture after a call: of what is drawn to, or of the window if the call swaps its buffers. A later one replaces it. */
  | { readonly t: 'picture'; readonly id: number; readonly call: number; readonly view: PictureView };

export type FromReplay =
  /** All calls were looked at. */
  | { readonly t: 'coverage'; readonly coverage: Coverage }
  /** How far it is: a share. `what` is being done. */
  | { readonly t: 'progress'; readonly what: 'looking' | 'replaying'; readonly share: number }
  | {
      readonly t: 'picture';
      readonly id: number;
      readonly picture: Picture | null;
      readonly failures: readonly ShaderFailure[];
    }
  /** Nothing can be replayed any more. */
  | { readonly t: 'failed'; readonly sentence: string };
