/** Reads a blob synchronously. Exists in workers only, so the DOM types lack it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
