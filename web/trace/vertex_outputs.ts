import { type Signal, signal } from '@preact/signals';
import { type Opened, perTrace } from './per_trace.ts';

/** Vertices of a draw, and which instance of them. */
export interface VerticesAsked {
  /** The draw. */
  readonly call: number;
  /** The lowest vertex, and how many there are from it on. */
  readonly first: number;
  readonly count: number;
  /** From 0. */
  readonly instance: number;
}

/** What a vertex shader has written to one of its outputs. */
export interface VertexOutput {
  /** As the shader calls it. */
  readonly title: string;
  /** Numbers of a vertex: those of all columns of a matrix, and of all elements of an array. */
  readonly components: number;
  /** The numbers of all vertices, back to back. */
  readonly values: Float32Array | Int32Array | Uint32Array;
}

/** What the vertex shader of a draw has written for an instance of its vertices. */
export interface VertexOutputs {
  /** The first vertex, and how many there are. */
  readonly first: number;
  readonly count: number;
  /** The first one is `gl_Position`, in clip coordinates. */
  readonly outputs: readonly VertexOutput[];
  /** x, y, width and height in pixels, from the lower left. */
  readonly viewport: readonly [number, number, number, number];
  /** Greater y is further down in the picture: `glClipControl`. */
  readonly isUpsideDown: boolean;
  /** Height of what is drawn to, in pixels. */
  readonly height: number;
  /** What is missing, and why: sentences. */
  readonly remarks: readonly string[];
}

/** The outputs of a draw, or why there are none. */
export interface OutputsFound {
  readonly outputs: VertexOutputs | null;
  /** A sentence, or ''. */
  readonly problem: string;
}

/** Finds what the vertex shader of a draw writes. Resolves with null if the trace is closed. */
export type FindsOutputs = (asked: VerticesAsked) => Promise<OutputsFound | null>;

/** What finds the outputs of vertices; null until a feature replays the trace, soon after it is read. */
export const vertexOutputsOf = perTrace((_: Opened): Signal<FindsOutputs | null> => signal(null));
