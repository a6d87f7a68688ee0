/**
 * The messages between the page and the workers that write exports. `web/worker/export.ts` reads {@link ToExport} and
 * `web/worker/cut.ts` {@link ToCut}; both write {@link FromExport}. `web/model/export.ts` does the reverse.
 */

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

/** What was found of each kind, and examples. */
export interface Cleaned {
  /** How many, in the order of {@link CLEAN_CLASSES}. */
  readonly found: readonly number[];
  /** `after` is empty for what is left out. */
  readonly examples: readonly { readonly of: CleanClass; readonly before: string; readonly after: string }[];
}

/** Messages of the page to the worker that cuts traces. */
export type ToCut =
  | {
      readonly t: 'cut';
      /** The file without its containers. */
      readonly file: Blob;
      readonly from: bigint;
      /** Exclusive. */
      readonly to: bigint;
      readonly clean: Clean;
      /** Nothing is written: the reply is `done` once there are examples. */
      readonly preview: boolean;
    }
  /** The bytes have been written: further ones may come. */
  | { readonly t: 'go' };

/** Messages of the page. */
export type ToExport =
  | {
      readonly t: 'begin';
      readonly format: ExportFormat;
      /** The file's name. */
      readonly name: string;
      /** The range, `to` exclusive; null for all. */
      readonly range: { readonly from: bigint; readonly to: bigint } | null;
      /** The tracks to export. */
      readonly wanted: Uint32Array;
      readonly clean: Clean;
      /** Nothing is written: the reply is `done` once the names, and some of the arguments, are read. */
      readonly preview: boolean;
      /** What arguments are read from; null to leave them out. */
      readonly args: ArgumentsFrom | null;
    }
  /** Reply to `want`. */
  | { readonly t: 'rows'; readonly rows: Uint8Array<ArrayBuffer> }
  /** The bytes have been written: further ones may come. */
  | { readonly t: 'go' };

/** What the arguments of slices and instants are read from. */
export interface ArgumentsFrom {
  /** The id of the trace's format. */
  readonly format: string;
  /** The file without its containers. */
  readonly file: Blob;
  /** What the session knows of its records. */
  readonly index: Uint8Array;
}

/** Messages of the worker. */
export type FromExport =
  /** The arguments of this share of the file are read, from 0 to 1. Rows follow. */
  | { readonly t: 'reading'; readonly share: number }
  /** Rows of the trace, as `Session.exportRows` takes it. */
  | { readonly t: 'want'; readonly ask: Uint8Array<ArrayBuffer> }
  /** The next bytes of the file. `done` of `rows` rows are written. */
  | { readonly t: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly done: number; readonly rows: number }
  /** `head` is to be written over the first bytes of the file. `stopped` says why reading did before its end. */
  | {
      readonly t: 'done';
      readonly rows: number;
      readonly cleaned: Cleaned;
      readonly head?: Uint8Array<ArrayBuffer>;
      readonly stopped?: string;
    }
  | { readonly t: 'failed'; readonly sentence: string };
