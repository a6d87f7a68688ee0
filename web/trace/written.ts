import { type Signal, signal } from '@preact/signals';
import { type Opened, perTrace } from './per_trace.ts';

/** An object of OpenGL at a call, and which part of it. */
export interface WrittenAsked {
  readonly kind: 'texture' | 'renderbuffer' | 'buffer';
  /** The first of the contexts that share it, by position. */
  readonly group: number;
  readonly name: number;
  /** Of a texture. */
  readonly level: number;
  /** The slice, layer or face. */
  readonly slice: number;
  /** After which it is asked for. */
  readonly call: number;
}

/** What draws and copies have left of a slice. The first row is the lowest one. */
export interface WrittenImage {
  readonly width: number;
  readonly height: number;
  /** Slices, layers or faces that there are. */
  readonly depth: number;
  /** Names of the channels, and which number of a pixel each is. */
  readonly channels: readonly (readonly [name: string, at: number])[];
  readonly isInteger: boolean;
  /** As many numbers a pixel as {@link WrittenImage.perPixel} says. Normalised ones go from 0 to 1. */
  readonly values: Float32Array | Int32Array | Uint32Array;
  readonly perPixel: number;
}

/** What an object holds, or why that is not known. */
export interface WrittenFound {
  /** The latest call that wrote it. null if none is known. */
  readonly call: number | null;
  /** Why nothing is shown: a sentence, or ''. */
  readonly problem: string;
  readonly image: WrittenImage | null;
  /** Of a buffer. */
  readonly bytes: Uint8Array | null;
}

/** Finds what an object holds that the graphics processor wrote. Resolves with null if the trace is closed. */
export type FindsWritten = (asked: WrittenAsked) => Promise<WrittenFound | null>;

/** What finds it; null until a feature replays the trace, soon after it is read. */
export const writtenOf = perTrace((_: Opened): Signal<FindsWritten | null> => signal(null));
