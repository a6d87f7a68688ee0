/** Cells of rows with what is marked, such as calls of a function, sorted by track, depth and cell. */
export interface MarksPart {
  readonly length: number;
  /** Width of a cell in ticks, at least that of the question. */
  readonly step: bigint;
  readonly track: Uint32Array;
  /** 0 if depths were merged. */
  readonly depth: Int32Array;
  /** Number of the cell, from the start of the range on. */
  readonly cell: Uint32Array;
  readonly count: Uint32Array;
}
