/** See wrap.mjs. */
export function wrapText(lines: readonly string[], width: number, needsLong?: boolean): string[];
/** See wrap.mjs. */
export function wrapRust(source: string, width?: number): string;
