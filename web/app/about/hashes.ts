/** The hashes of all files of the page, in the form of `sha256sum`. Written by the build (building.ts). */
export const HASHES = 'hashes.txt';
/** The licences of all that is in the page. Written by the build. */
export const LICENCES = 'licenses.txt';

/** A file of the page, by its path, with its SHA-256 in hexadecimal. */
export interface Hashed {
  readonly path: string;
  readonly hash: string;
}

/** The lines of a list of hashes. What is not such a line is left out. */
export function parseHashes(text: string): readonly Hashed[] {
  const lines = text.split('\n').map((line) => /^([\da-f]{64}) {2}(.+)$/.exec(line));
  return lines.flatMap((line) => (line ? [{ hash: line[1]!, path: line[2]! }] : []));
}

/** The SHA-256 of bytes, in hexadecimal. */
export async function hashOf(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Files that are fetched at a time: a browser has that many connections to a host. */
const AT_A_TIME = 6;

/** Fetches the files of a list, and returns the paths of those that differ from it, in its order. `done` counts them. */
export async function differing(
  list: readonly Hashed[],
  fetched: (path: string) => Promise<ArrayBuffer | null>,
  done: (count: number) => void,
): Promise<readonly string[]> {
  const wrong = new Set<Hashed>();
  const left = list.values();
  let count = 0;
  const take = async () => {
    for (const file of left) {
      const bytes = await fetched(file.path);
      if (bytes === null || (await hashOf(bytes)) !== file.hash) wrong.add(file);
      count += 1;
      done(count);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, take));
  return list.filter((file) => wrong.has(file)).map(({ path }) => path);
}
