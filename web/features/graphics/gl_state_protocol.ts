/**
 * The OpenGL state at any call of a trace: `web/features/graphics/worker/gl_state.ts` knows it, `web/features/graphics/gl_state.ts` asks. Calls are numbers
 * below 2^53.
 */

import type { OpensCalls, ResourceKind } from '../../base/survey_protocol.ts';
import type { Turns } from '../../base/turns.ts';

/** A line of a section. */
export interface GlRow {
  readonly name: string;
  /** For people. A matrix has a line for each row. */
  readonly text: string;
  /** The call that set it. null for initial values. */
  readonly call: number | null;
  /** It was set since the previous draw. */
  readonly isChanged: boolean;
  /** The object that the value is, or takes its contents from; null for plain values. */
  readonly object: GlObject | null;
}

/** An object of OpenGL. */
export interface GlObject {
  readonly kind: ResourceKind;
  readonly name: number;
}

/** Rows that belong together. */
export interface GlSection {
  readonly title: string;
  /** A draw at this call uses it. */
  readonly isUsed: boolean;
  readonly rows: readonly GlRow[];
}

/** A buffer by its name. */
export interface GlBuffer {
  readonly name: number;
  /** The call that gave it its size: names are used again, and each share group has its own. */
  readonly sized: number | null;
}

/** An array that vertices come from. Constants are numbers of OpenGL. */
export interface GlInput {
  /** Its number and what the program calls it, or the name of a client array. */
  readonly title: string;
  /** Components, or `GL_BGRA`. */
  readonly size: number;
  readonly type: number;
  readonly isNormalized: boolean;
  /** In bytes; 0 if elements lie back to back. */
  readonly stride: number;
  /** In the buffer, in bytes. */
  readonly offset: number;
  /** Instances with one element; 0 if each vertex has its own. */
  readonly divisor: number;
  /** null for memory of the program. */
  readonly buffer: GlBuffer | null;
  /** The call that set the pointer. It has the bytes of memory of the program. */
  readonly call: number | null;
}

/** What a draw of arrays or elements takes its vertices from. */
export interface GlDraw {
  /** `GL_TRIANGLES`. */
  readonly mode: string;
  /** The first vertex, or the offset of the indices in bytes; their number; what is added to each index. */
  readonly ranges: readonly (readonly [from: number, count: number, base: number])[];
  readonly instances: number;
  /** Added to the element of inputs that differ by instance. */
  readonly baseInstance: number;
  /** The type of the indices, or 0. */
  readonly indexed: number;
  /** The call itself has the indices. */
  readonly isOwn: boolean;
  readonly indices: GlBuffer | null;
  /** The primitive restart index. */
  readonly restart: number | null;
  /** Ranges are in a buffer. */
  readonly indirect: {
    readonly buffer: GlBuffer | null;
    readonly count: number;
    readonly offset: number;
    readonly stride: number;
  } | null;
  readonly inputs: readonly GlInput[];
}

/** What the context of a call's thread holds, as `Report::json` of `crate/graphics` writes it. */
export interface GlState {
  readonly call: number;
  /** The function of the call. */
  readonly name: string;
  /** It draws, clears or copies pixels. */
  readonly isDraw: boolean;
  readonly isBefore: boolean;
  /** The context was not created within the trace: initial values are left out. */
  readonly isPartial: boolean;
  /** The draw since which changes are marked. */
  readonly since: number | null;
  /** Of a draw of arrays or elements. */
  readonly draw: GlDraw | null;
  /** null if no context is current. */
  readonly context: GlRow | null;
  readonly sections: readonly GlSection[];
  /** Sources of the program in use, by the name of their stage, in the order of the pipeline. */
  readonly shaders: Readonly<Record<string, string>>;
  /** When the shaders were linked into the program. */
  readonly linked: Readonly<Record<string, { readonly call: number; readonly isChanged: boolean }>>;
}

/** How far the history of state is. */
export interface GlBuilt {
  /** State is known at calls before this one. */
  readonly built: number;
  readonly count: number;
  readonly done: boolean;
  /** There is no memory for more. */
  readonly full: boolean;
}

/** What knows the state of OpenGL at calls (`web/features/graphics/worker/gl_state.ts`). */
export interface StateAtCalls extends Turns<OpensCalls, GlBuilt> {
  /** The state after a call, or before it. Resolves with null if the call is not reached yet. */
  at(call: number, before: boolean): Promise<GlState | null>;
}
