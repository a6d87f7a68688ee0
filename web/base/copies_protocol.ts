/*
 * Copies of files in the private files of the origin, which the user has asked for: a folder each. The folder says what it is to hold before
 * it holds anything, so what is there is listed, whatever ends the tab, and two tabs have no list that one could overwrite.
 */

const FOLDER = 'copies';

/** The file of a copy's folder that says what the copy is. The others have numbers as names. */
export const ABOUT = 'about.json';

/** The folder of all copies. Rejects if the browser has no private files, or does not give them to this page. */
export async function copiesFolder(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** The lock that the writer of a copy holds. */
export function copyLock(id: string): string {
  return `unspool:${FOLDER}/${id}`;
}

/** A copy of a file, with its companions. */
export interface Copy {
  /** The name of its folder. */
  readonly id: string;
  /** The name of the trace's file. */
  readonly name: string;
  /** Bytes of the trace's file. */
  readonly size: number;
  /** Bytes of all files. */
  readonly bytes: number;
  /** Name and version of the format. */
  readonly format: string;
  /** The names of the files, the trace's first. In the folder they have numbers. */
  readonly files: readonly string[];
}

/** Why a copy was not written. */
export type CopyFailure = 'full' | 'failed';

/** Writes copies. */
export interface CopyService {
  /** Writes what a copy is, and then its files. `tell` gets the bytes written so far. null if all are written. */
  write(copy: Copy, files: readonly Blob[], tell: (bytes: number) => void): Promise<CopyFailure | null>;
}
