/** The workers that write exports. `web/features/export/export.ts` asks them. */

/** A format to export to, as `crate/export` calls it. */
export type ExportFormat = 'perfetto' | 'chrome' | 'speedscope' | 'folded' | 'pprof' | 'vcd' | 'csv';

/** What becomes of a kind of text or bytes, by its number. */
export const CLEAN_CHOICES = ['keep', 'hash', 'omit'] as const;
export type CleanChoice = (typeof CLEAN_CHOICES)[number];

/** The kinds of text and bytes, by their numbers: `Class` of `crate/formats`. */
export const CLEAN_CLASSES = ['environment', 'paths', 'texts', 'payloads'] as const;
export type CleanClass = (typeof CLEAN_CLASSES)[number];

/** What is hashed and left out. */
export interface Clean {
  /** A number of {@link CLEAN_CHOICES} for each of {@link CLEAN_CLASSES}, then 1 to collect examples. */
  readonly choices: Uint8Array;
  /** 16 random bytes, by which texts are hashed. */
  readonly key: Uint8Array;
}

/** What becomes of each kind of text. */
export type CleanChoices = Readonly<Record<CleanClass, CleanChoice>>;

/** Everything stays. */
export const KEEP_ALL: CleanChoices = { environment: 'keep', paths: 'keep', texts: 'keep', payloads: 'keep' };

/** Choices with the key of hashes. `examples`: whether some are collected. */
export function cleanOf(choices: CleanChoices, key: Uint8Array, examples: boolean): Clean {
  const numbers = CLEAN_CLASSES.map((of) => CLEAN_CHOICES.indexOf(choices[of]));
  return { choices: Uint8Array.from([...numbers, examples ? 1 : 0]), key };
}

/** What was found of each kind, and examples. */
export interface Cleaned {
  /** How many, in the order of {@link CLEAN_CLASSES}. */
  readonly found: readonly number[];
  /** `after` is empty for what is left out. */
  readonly examples: readonly { readonly of: CleanClass; readonly before: string; readonly after: string }[];
}

/** A part of a trace. */
export interface CutJob {
  /** The file without its containers. */
  readonly file: Blob;
  readonly from: bigint;
  /** Exclusive. */
  readonly to: bigint;
  /** Stretches of positions, the begin and the end of each, exclusive, to which it is narrowed; null for all. */
  readonly only: Float64Array | null;
  /** Stretches of positions whose texts stay as they are. */
  readonly texts: Float64Array;
  readonly clean: Clean;
  /** Nothing is written: it ends once there are examples. */
  readonly preview: boolean;
}

/** An export to another format. */
export interface ExportJob {
  readonly format: ExportFormat;
  /** The file's name. */
  readonly name: string;
  /** The range, `to` exclusive; null for all. */
  readonly range: { readonly from: bigint; readonly to: bigint } | null;
  /** The tracks to export. */
  readonly wanted: Uint32Array;
  readonly clean: Clean;
  /** Nothing is written: it ends once the names, and some of the arguments, are read. */
  readonly preview: boolean;
  /** What arguments are read from; null to leave them out. */
  readonly args: ArgumentsFrom | null;
}

/** What the arguments of slices and instants are read from. */
export interface ArgumentsFrom {
  /** The id of the trace's format. */
  readonly format: string;
  /** The file without its containers. */
  readonly file: Blob;
  /** What the session knows of its records. */
  readonly index: Uint8Array;
}

/** The next bytes of the file. `done` of `rows` rows are written. */
export interface WrittenPortion {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly done: number;
  readonly rows: number;
}

/** What has been written. */
export interface WrittenFile {
  readonly rows: number;
  readonly cleaned: Cleaned;
  /** To be written over the first bytes of the file. */
  readonly head?: Uint8Array<ArrayBuffer>;
  /** Why reading stopped before its end. */
  readonly stopped?: string;
}

/** A worker that writes a file: an {@link ExportJob} (`web/features/export/worker/export.ts`), or a {@link CutJob} (`web/features/export/worker/cut.ts`). */
export interface Writer<Job> {
  /**
   * The bytes of the file. The {@link TraceService} at the other end of `trace` is asked for rows. `tell` is called with the share of the
   * arguments that is read, from 0 to 1; rows follow.
   */
  write(job: Job, trace: MessagePort, tell: (share: number) => void): AsyncIterable<WrittenPortion>;
  /** What was written, after its last portion. */
  result(): WrittenFile;
}
