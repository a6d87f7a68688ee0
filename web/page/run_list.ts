/** A text file that says of runs whether they failed. */
export interface RunList {
  /** The name of the file. */
  readonly name: string;
  /** Whether a run failed, by the name of its file. */
  readonly failed: ReadonlyMap<string, boolean>;
}

/** Bytes of a list at most: 64 KiB of names. */
export const LONGEST_LIST = 65_536;

/**
 * Reads a list of runs: on each line `pass` or `fail` and a file, whose folder does not matter. Empty lines and those that begin with # are
 * left out. null for any other text.
 */
export function parseRunList(name: string, text: string): RunList | null {
  const failed = new Map<string, boolean>();
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (words === '' || words.startsWith('#')) continue;
    const [, word, path] = /^(pass|fail)\s+(.+)$/.exec(words) ?? [];
    if (!word || !path) return null;
    failed.set(path.replace(/.*[/\\]/, ''), word === 'fail');
  }
  return failed.size > 0 ? { name, failed } : null;
}

/** Whether the name of a file says that its run failed. */
export function soundsFailed(name: string): boolean {
  return /fail|bad|crash|wrong|broken|buggy|abort/i.test(name);
}
