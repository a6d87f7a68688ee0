/* Copies of files in the private files of the origin, which the user has asked for: a folder each. */

const FOLDER = 'copies';

/** The folder of all copies. Rejects if the browser has no private files, or does not give them to this page. */
export async function copiesFolder(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** Why a copy was not written. */
export type CopyFailure = 'full' | 'failed';

/** Writes copies. */
export interface CopyService {
  /** Writes files into a folder, with their numbers as names. `tell` gets the bytes written so far. null if all are written. */
  write(id: string, files: readonly Blob[], tell: (bytes: number) => void): Promise<CopyFailure | null>;
}
