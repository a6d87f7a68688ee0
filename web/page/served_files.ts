import type { Ranged } from '../base/ranged.ts';
import { RangedFile } from '../base/ranged_file.ts';
import { rangesAt } from './loads.ts';

/** What `unspool open` says of its files (`crate/cli/src/open/site.rs`). */
export interface Served {
  readonly compare: boolean;
  /** The files are being written. */
  readonly follow?: boolean;
  readonly files: readonly {
    readonly name: string;
    readonly size: number;
    /** Empty if there is no such file any more. */
    readonly tag: string;
    readonly modified: number;
  }[];
}

/** The files that the list at the address `folder` has. What is older is the base of a comparison. */
export function filesOf({ files, compare, follow = false }: Served, folder: string): readonly RangedFile[] {
  return files.map(({ name, size, tag, modified }, i) => {
    return new RangedFile(rangesAt(`${folder}${i}`, size, tag, follow), name, compare ? i : modified);
  });
}

/** A file of `unspool open` as it is now; null if the server does not say. Rejects with a `DOMException` if it is gone. */
export async function servedNow({ ranges: { url } }: Ranged): Promise<File | null> {
  const folder = new URL('.', url).href;
  const response = await fetch(folder, { cache: 'no-store' }).catch(() => null);
  if (!response?.ok) return null;
  const file = filesOf(await response.json(), folder).find((it) => it.ranges.url === url);
  if (!file || file.ranges.tag === '') throw new DOMException('The file is gone.', 'NotFoundError');
  return file;
}
