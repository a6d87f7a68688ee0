/** See lib.mjs. */
export function filesOf(folder: string): readonly string[];
