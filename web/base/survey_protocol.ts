/**
 * The messages between the page and the worker that surveys the calls of an apitrace: what happens in each frame, and which
 * resources there are. `web/worker/survey_worker.ts` reads {@link ToSurvey} and writes {@link FromSurvey},
 * `web/model/survey.ts` the reverse. Numbers of calls and frames are below 2^53.
 */

/** The numbers of a frame, as `FIGURES` in `crate/graphics/src/frames.rs`. */
export const FIGURES = [
  'calls',
  'draws',
  'clears',
  'vertices',
  'uncounted',
  'stateChanges',
  'redundant',
  'programSwitches',
  'errors',
  'uploaded',
  'textureBytes',
  'bufferBytes',
  'clientBytes',
  'shaderBytes',
  'pixelBytes',
] as const;
export type Figure = (typeof FIGURES)[number];

/** Frames as columns, by number. */
export interface FrameColumns {
  readonly count: number;
  /** Lowest and highest number of the calls of each frame. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Whether a call ends the last frame. Otherwise it holds what comes after the last swap. */
  readonly ended: boolean;
  readonly figures: Readonly<Record<Figure, Float64Array>>;
}

/** How far the survey is, in pieces of the file. */
export interface Surveyed {
  readonly done: number;
  readonly of: number;
}

export type ToSurvey =
  /** Begins to survey a file. `records` is the index that the session made. */
  | { readonly t: 'open'; readonly file: Blob; readonly records: Uint8Array }
  /** Stops the survey, or goes on with it. */
  | { readonly t: 'stop' }
  | { readonly t: 'go-on' };

export type FromSurvey =
  /** Progress, with what is known so far. `frames` are null if they are those of the previous report. */
  | { readonly t: 'surveyed'; readonly progress: Surveyed; readonly frames: FrameColumns | null }
  /** The survey ended with an error. */
  | { readonly t: 'failed'; readonly sentence: string };
