/** Many texts as one, which a worker makes and sends some ten times as fast as one by one. */
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
