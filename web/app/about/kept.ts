import { formatBytes, formatCounted } from '../../base/format.ts';

/** The temporary files of open tabs, as a sentence. `sizes` has the bytes of each; null where they are not known. */
export function temporaryFiles(sizes: readonly (number | null)[]): string {
  if (sizes.length === 0) return 'No temporary file.';
  const figures = sizes.filter((size) => size !== null);
  const bytes = formatBytes(figures.reduce((sum, size) => sum + size, 0));
  const missing = sizes.length - figures.length;
  const files = formatCounted(sizes.length, 'temporary file');
  const amount =
    figures.length === 0 ? 'of unknown size' : missing === 0 ? bytes : `${bytes} and ${missing} of unknown size`;
  return `${files} of open tabs (${amount}): what traces unpack to, and what does not fit into memory. Those that a tab leaves behind are deleted when Unspool next starts here.`;
}

/** The copies that the user has asked for, as a sentence. */
export function copiesKept(copies: readonly { readonly bytes: number }[]): string {
  if (copies.length === 0) return 'No copy of a file.';
  const bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
  const files = copies.length === 1 ? 'A copy of a file' : `Copies of ${formatCounted(copies.length, 'file')}`;
  return `${files} (${formatBytes(bytes)}). The first page lists and deletes ${copies.length === 1 ? 'it' : 'them'}.`;
}
