/**
 * The messages between the page and the worker that writes an export. `web/worker/export.ts` reads {@link ToExport} and writes
 * {@link FromExport}, `web/model/export.ts` the reverse.
 */

/** A format to export to, as `crate/export` calls it. */
export type ExportFormat = 'perfetto' | 'chrome' | 'speedscope' | 'folded' | 'pprof' | 'vcd' | 'csv';

/** What is exported. The columns have an element for each track, but those of `parts` and `wanted`. */
export interface ExportTrace {
  readonly name: string;
  readonly title: string;
  /** Ticks per second; 0 if positions are not in seconds. */
  readonly frequency: number;
  /** The unit of positions if these are not in seconds. */
  readonly unit: string;
  /** The first position. */
  readonly origin: bigint;
  /** The last position. */
  readonly end: bigint;
  /** The range, `to` exclusive; null for all. */
  readonly range: { readonly from: bigint; readonly to: bigint } | null;
  /** Five numbers for each part, as `Session.tableParts` returns them. */
  readonly parts: Float64Array;
  /** The kind (0 process, 1 thread, 2 lane, 3 counter), plus 4 for overlapping slices, plus 8 for a track with a number, plus 16 for floating point values. */
  readonly kinds: Uint8Array;
  readonly names: readonly string[];
  readonly numbers: BigInt64Array;
  /** Ids of parents, or -1. */
  readonly parents: Int32Array;
  /** The tracks to export. */
  readonly wanted: Uint32Array;
}

/** Messages of the page. */
export type ToExport =
  | { readonly t: 'begin'; readonly format: ExportFormat; readonly trace: ExportTrace }
  /** Reply to `want`. */
  | { readonly t: 'pages'; readonly first: number; readonly pages: Uint8Array<ArrayBuffer> }
  /** The bytes have been written: further ones may come. */
  | { readonly t: 'go' };

/** Messages of the worker. */
export type FromExport =
  /** Pages of the tables for SQL, from number `first` on. */
  | { readonly t: 'want'; readonly first: number; readonly most: number }
  /** The next bytes of the file. `done` of `rows` rows are written. */
  | { readonly t: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer>; readonly done: number; readonly rows: number }
  | { readonly t: 'done'; readonly rows: number }
  | { readonly t: 'failed'; readonly sentence: string };
