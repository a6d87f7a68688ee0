/** See words.mjs. */
export function faults(name: string, source: string): { line: number; text: string; instead: string }[];
