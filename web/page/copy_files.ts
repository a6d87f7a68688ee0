import type { Copy } from '../base/copies_protocol.ts';
import type { Locks } from '../base/held.ts';

/** The parts of `FileSystemDirectoryHandle` that are used of the folder of a copy. */
export interface CopyFolder {
  getFileHandle(name: string): Promise<{ getFile(): Promise<File> }>;
}

/** The parts of `FileSystemDirectoryHandle` that are used of the folder of all copies. */
export interface AllCopies {
  keys(): AsyncIterable<string>;
  getDirectoryHandle(id: string): Promise<CopyFolder>;
  removeEntry(id: string, options: { readonly recursive: true }): Promise<void>;
}

/** The parts of the browser that copies need. Tests substitute their own. */
export interface Places {
  readonly folder: () => Promise<AllCopies>;
  readonly locks: () => Locks;
}

/** Whether something thrown says that there is no such file or folder. */
export function isNotFound(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}

/** The files of a copy with numbers as names. Rejects if one is missing. */
export async function filesOf(root: AllCopies, copy: Copy): Promise<readonly File[]> {
  const directory = await root.getDirectoryHandle(copy.id);
  return Promise.all(copy.files.map(async (_, i) => (await directory.getFileHandle(`${i}`)).getFile()));
}

/** Whether a value describes a copy. */
export function isCopy(value: unknown): value is Copy {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, size, bytes, format, files } = value as Record<string, unknown>;
  const hasTexts = [id, name, format].every((text) => typeof text === 'string');
  const hasFiles = Array.isArray(files) && files.length > 0 && files.every((file) => typeof file === 'string');
  return hasTexts && hasFiles && typeof size === 'number' && typeof bytes === 'number';
}
