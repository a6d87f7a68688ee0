/** Reads a blob at once. Workers have it; the DOM's types, which are the page's, do not. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
