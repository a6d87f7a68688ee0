/** Many texts as one: each that a worker makes and sends by itself would be decoded and copied by itself. */
export interface Texts {
  /** One after the other. */
  readonly all: string;
  /** Where each ends in `all`. */
  readonly ends: Uint32Array;
}

/** The texts one by one. */
export function textsOf({ all, ends }: Texts): string[] {
  return Array.from(ends, (end, i) => all.slice(ends[i - 1] ?? 0, end));
}
