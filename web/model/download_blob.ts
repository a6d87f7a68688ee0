/** How long the address of a download lives: the browser reads it a moment after the click. */
const READ_MS = 60_000;

/** Saves a blob as a download. */
export function downloadBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
