/** Reads a blob synchronously. Exists in workers only, so the DOM types lack it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Prioritised tasks; see https://wicg.github.io/scheduling-apis. Not in every browser, and not in the DOM types. */
interface Scheduler {
  postTask(task: () => void, options: { readonly priority: 'background' }): Promise<void>;
}
