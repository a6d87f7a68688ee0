/**
 * The survey of the calls of an apitrace: what happens in each frame, and which resources there are. `web/features/graphics/worker/survey.ts`
 * makes it, `web/trace/survey.ts` asks. Numbers of calls and frames are below 2^53.
 */

import type { StandingFinding } from './summary_protocol.ts';
import type { Turns } from './turns.ts';

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

/** What a replay measures of calls, as `MEASURES` in `crate/graphics/src/times.rs`: nanoseconds of CPU and GPU, and pixels. */
export const MEASURES = ['cpuTime', 'gpuTime', 'pixels'] as const;
export type Measure = (typeof MEASURES)[number];

/** What became of a file of times. */
export interface TimesRead {
  /** Number of calls that it lists. */
  readonly calls: number;
  /** By measure: number of calls of which it was measured. */
  readonly counts: Float64Array;
  /** Which lines were skipped and why, without a full stop, or ''. */
  readonly skipped: string;
  /** Nanoseconds that the replay took; null if the file does not say. No call can have taken longer. */
  readonly replay: number | null;
  /** Which times cannot be true, and are in no sum and no rank, without a full stop, or ''. */
  readonly doubt: string;
  /** Why it is not used, without a full stop, or ''. */
  readonly wrong: string;
}

/** Calls with what was measured of them. */
export interface TimedCalls {
  /** How many there are; the columns may have fewer. */
  readonly count: number;
  readonly call: Float64Array;
  readonly name: readonly string[];
  /** A number for each measure of each call; NaN if it was not measured. */
  readonly values: Float64Array;
}

/** What calls weigh in statistics, by number. */
export interface CallWeights {
  readonly at: BigUint64Array;
  readonly weights: BigUint64Array;
}

/** The contexts, in the order in which they were created, and when each was current on a thread. */
export interface Contexts {
  /** What the program knows each by. */
  readonly handle: readonly string[];
  /** -1 for one that was there before the trace began. */
  readonly created: Float64Array;
  /** Position of the first context with which each shares objects: its own if it is the first. */
  readonly group: Float64Array;
  /** Calls that made another context current, in the order in which they returned, with their threads. */
  readonly call: Float64Array;
  readonly thread: Float64Array;
  /** The position of that context, or -1 for none. */
  readonly context: Float64Array;
  /** There were more than are kept. */
  readonly isFull: boolean;
}

/** Frames as columns, by number. */
export interface FrameColumns {
  readonly count: number;
  /** Lowest and highest number of the calls of each frame. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Whether a call ends the last frame. Otherwise it holds what comes after the last swap. */
  readonly ended: boolean;
  /** Measures are sums over the calls that were measured, and NaN for frames without any. They are empty without times. */
  readonly figures: Readonly<Record<Figure | Measure, Float64Array>>;
}

/** Kinds of resources, as `Kind::word` in `crate/graphics/src/resources/kinds.rs`. */
export type ResourceKind =
  | 'texture'
  | 'buffer'
  | 'shader'
  | 'program'
  | 'framebuffer'
  | 'renderbuffer'
  | 'query'
  | 'sampler'
  | 'vertexArray'
  | 'interface';

/** Resources as columns, by creation. */
export interface ResourceColumns {
  readonly count: number;
  readonly kind: readonly ResourceKind[];
  /** Of an interface its address. */
  readonly name: Float64Array;
  /** The first of the contexts that share it, by position. -1 without a context. */
  readonly group: Float64Array;
  /** What the program calls it, or ''. */
  readonly label: readonly string[];
  /** What is known besides, for people. */
  readonly facts: readonly string[];
  readonly created: Float64Array;
  /** -1 while it lives. */
  readonly deleted: Float64Array;
  /** 1 if the program has generated it, and not deleted. */
  readonly leaked: Float64Array;
  readonly uploads: Float64Array;
  readonly binds: Float64Array;
  readonly draws: Float64Array;
  readonly writes: Float64Array;
  /** In bytes. */
  readonly size: Float64Array;
  /** Of a texture. */
  readonly levels: Float64Array;
  /** Positions of what a program or framebuffer consists of. */
  readonly parts: readonly Uint32Array[];
}

/** What happened to a resource, in order. */
export interface ResourceEvents {
  readonly calls: Float64Array;
  /** The thread of each call. */
  readonly threads: Float64Array;
  readonly what: readonly (
    | 'created'
    | 'uploaded'
    | 'bound'
    | 'drawn'
    | 'drawnUntil'
    | 'used'
    | 'written'
    | 'deleted'
  )[];
}

/** A level of a texture at a call. Sizes are 0 if it has none. */
export interface TextureLevel {
  readonly width: number;
  readonly height: number;
  /** Slices, layers or faces. */
  readonly depth: number;
  readonly format: string;
  /** Names of the channels, and which of the four numbers of a texel each is. */
  readonly channels: readonly (readonly [name: string, at: number])[];
  readonly isInteger: boolean;
  readonly isSrgb: boolean;
  /** Why there is no image, or ''. */
  readonly wrong: string;
  /** The call after which the contents are unknown, because the graphics processor wrote them. */
  readonly written: number | null;
  readonly uploaded: number | null;
  /** An upload was longer than what is kept of one. */
  readonly isCut: boolean;
}

/** A slice of a texture as pixels of four bytes. */
export interface TexturePixels {
  readonly pixels: Uint8Array;
  /** The numbers that are shown as black and white. */
  readonly low: number;
  readonly high: number;
  /** The least and the greatest number of the slice. */
  readonly least: number;
  readonly most: number;
  /** All of it was uploaded. */
  readonly isKnown: boolean;
}

/** A texture made smaller: RGBA from the top left, as it is uploaded. */
export interface Thumbnail {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The calls of a frame in groups, as rows: a group comes before what belongs to it, which is deeper. */
export interface OpenedFrame {
  /** What the groups are: markers of the program, or the framebuffers or programs that are bound; '' without groups. */
  readonly by: 'groups' | 'passes' | 'programs' | '';
  /** Calls without a row: there are too many. */
  readonly leftOut: number;
  readonly depth: Float64Array;
  /** 1 for a group, 0 for a call. */
  readonly isGroup: Float64Array;
  /** The call, or the first call of a group. */
  readonly call: Float64Array;
  /** Calls, draws, clears and uploaded bytes of each row. */
  readonly figures: Float64Array;
  /** 1 for a call that sets state to its current value. */
  readonly isRedundant: Float64Array;
  /** The call with its arguments, or what the group is called. */
  readonly text: readonly string[];
}

/** What the survey can be asked. */
export interface SurveyQuestions {
  /** The positions of the resources that these calls use. */
  used(first: number, last: number): Uint32Array;
  /** The calls of a frame. */
  openFrame(frame: number): OpenedFrame;
  /** Reads a file of times, in place of earlier ones; null for none. A report with the frames comes before the answer. */
  times(file: Blob | null): Promise<TimesRead>;
  /** The measures of a call, NaN for those that were not measured; empty if it is not listed. */
  timesOf(call: number): Float64Array;
  contexts(): Contexts;
  /** For each parameter of a function the kind of resources that it names, '' for other parameters. Empty for functions of other APIs. */
  objects(name: string): readonly (ResourceKind | '')[];
  /** Calls from number `first` to `last` with the highest values of a measure first, or all by number with null. */
  timedCalls(measure: Measure | null, first: number, last: number, most: number): Promise<TimedCalls>;
  /** All calls of which a measure is known. */
  weights(measure: Measure): Promise<CallWeights>;
  events(resource: number): ResourceEvents;
  texture(resource: number, level: number, call: number): TextureLevel;
  /** Of the texture that was asked for last. `mask` has a bit for each of its channels. */
  pixels(slice: number, mask: number, low: number | null, high: number | null): TexturePixels | null;
  texel(x: number, y: number, slice: number): Float64Array;
  /** A texture with at most `side` pixels in each direction, or null if its contents are not known. */
  thumbnail(resource: number, call: number, side: number): Thumbnail | null;
  buffer(resource: number, call: number): HeldBytes;
  /** The bytes of a buffer by its name and the call that gave it its size (`GlBuffer`). */
  namedBuffer(name: number, sized: number | null, call: number): HeldBytes;
  /** The bytes that a call had as an argument. */
  blob(call: number): Uint8Array;
  /** Calls and texts, the latest last. */
  sources(resource: number, call: number): readonly (readonly [call: number, text: string])[];
  /** What resources hold at last, for a comparison with another trace. */
  held(): HeldColumns;
}

/** Bytes of a buffer. Those that are not known are 0. */
export interface HeldBytes {
  readonly bytes: Uint8Array;
  /** The begin and the end of each range of known bytes, in order. */
  readonly known: Uint32Array;
  /** Number of the bytes that are not known. */
  readonly unknown: number;
  /** The buffer, or one that bytes were copied from, was bound where shaders can write to it. */
  readonly isExposed: boolean;
}

/** What resources hold, by position. */
export interface HeldColumns {
  /** Equal where contents are equal; '' if they are not known. */
  readonly key: readonly string[];
  /** The last call that uploaded something, if the contents are known; -1 otherwise. */
  readonly uploaded: Float64Array;
}

/** Something that the calls of a program waste or do wrong, as `Finding` in `crate/graphics/src/findings/mod.rs`. */
export interface GlFinding {
  /** As `Kind::word`. */
  readonly kind: string;
  readonly sentence: string;
  readonly count: number;
  readonly amount: number;
  readonly unit: string;
  /** Numbers of calls, ascending; those of the first ones if there are very many. */
  readonly calls: Float64Array;
}

/** How far the survey is, in pieces of the file. */
export interface Surveyed {
  readonly done: number;
  readonly of: number;
}

/** The file of an apitrace. `records` is the index that the session made. */
export interface CallsFile {
  readonly file: Blob;
  readonly records: Uint8Array;
  /** Bytes of the file that may be kept in memory. */
  readonly mostBytes: number;
}

/** What a part of {@link Graphics} opens: the file that the worker has. */
export type OpensCalls = true;

/** How far the survey is, with what is known so far. */
export interface SurveyNews {
  readonly progress: Surveyed;
  readonly frames: FrameColumns;
  /** They come at the end, or when the survey is stopped; null until then. */
  readonly resources: ResourceColumns | null;
}

/** What surveys all calls (`web/features/graphics/worker/survey.ts`). */
export interface Surveying extends Turns<OpensCalls, SurveyNews>, SurveyQuestions {}

/** How far the search for findings is. */
export interface FindingsNews {
  readonly progress: Surveyed;
  readonly isDone: boolean;
  /** What was found comes at the end. */
  readonly findings: readonly GlFinding[];
  /** What stands out in it, the greatest first. */
  readonly standing: readonly StandingFinding[];
}

/** What looks for findings (`web/features/graphics/worker/findings.ts`). */
export type FindsInCalls = Turns<OpensCalls, FindingsNews>;

/** Calls that are kept for one reason. */
export interface KeptCalls {
  /** The reason, such as `texture 5: contents`. */
  readonly what: string;
  readonly calls: number;
  /** How many of them draw or clear. */
  readonly draws: number;
  /** Bytes that they upload. */
  readonly uploaded: number;
  /** The first of them. */
  readonly first: number;
}

/** What frames need to replay by themselves, as `Kept` in `crate/graphics/src/alone/mod.rs`. */
export interface FrameNeeds {
  readonly refused: '';
  /** The calls, as stretches of numbers: the begin and the end of each, exclusive. */
  readonly calls: Float64Array;
  /** Those whose texts a replay needs, in the same way. */
  readonly texts: Float64Array;
  /** The number after the last call of the frames. */
  readonly end: number;
  readonly ofFrames: number;
  /** Calls from before the frames that are kept, and all there were. */
  readonly before: number;
  readonly allBefore: number;
  /** Draws and clears among both. */
  readonly draws: number;
  readonly allDraws: number;
  /** The frames draw over what was left in the window, which is undefined after a swap. */
  readonly isWindowLeftOut: boolean;
  /** Why calls are kept, the reason with most calls first. */
  readonly rows: readonly KeptCalls[];
}

/** How far the search is for what frames need. */
export interface FrameCutNews {
  readonly progress: Surveyed;
  /** Bytes of memory that the search takes. */
  readonly bytes: number;
  /** What they need, or why they cannot be cut, which begins with `refused`. It comes at the end. */
  readonly needs: FrameNeeds | { readonly refused: string } | null;
}

/** What finds the calls that frames need (`web/features/graphics/worker/frame_cut.ts`). */
export interface FindsFrameNeeds extends Turns<OpensCalls, FrameCutNews> {
  /** The frames, from 0, the last one included. Nothing is read before. */
  frames(first: number, last: number): void;
}

/**
 * What the calls of an apitrace are read for. Each is an object of its own: {@link Surveying}, `StateAtCalls`, {@link FindsInCalls},
 * {@link FindsFrameNeeds}.
 */
export type CallsPart = 'survey' | 'state' | 'findings' | 'frame';

/** The worker that reads the calls of an apitrace, once for all parts that read at the same time (`web/features/graphics/worker/graphics.ts`). */
export interface Graphics {
  /** Takes the file. It comes first. */
  open(file: CallsFile): void;
  /** Serves a part on a port. */
  serve(part: CallsPart, port: MessagePort): Promise<void>;
  /** Gives what was read of the file to another worker: serves a `FileBlockService`. */
  share(port: MessagePort): void;
  /** Keeps less of the file in memory from now on. */
  letGo(): void;
  /** Ends a part, whose port is closed, and frees its memory. */
  end(part: CallsPart): void;
}
