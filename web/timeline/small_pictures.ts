import { type Signal, signal } from '@preact/signals';
import { type Opened, perTrace } from '../trace/per_trace.ts';

/** A small picture of a frame: RGBA from the top left. */
export interface FramePicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Small pictures of the frames of a trace, at their ends. */
export interface FramePictures {
  /** The picture of a frame; null if it is not made yet, or there is none. Subscribes. */
  of(frame: number): FramePicture | null;
  /** Wants those of some frames, in place of those before. They are made once a replay has made a picture. */
  want(frames: readonly number[]): void;
}

/** What makes small pictures of a trace; null until its replay begins. */
export const framePicturesOf = perTrace((_: Opened): Signal<FramePictures | null> => signal(null));
