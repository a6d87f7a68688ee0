import { saveBlob } from './save_blob.ts';

/** Where the bytes of an export go. */
export interface Sink {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Writes over the first bytes, of which there are as many at least. */
  overwrite(head: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** What was written is to be thrown away. */
  abort(): Promise<void>;
}

/** The part of the File System Access API that is used. The DOM types lack it, as do some browsers. */
interface Picker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Bytes that are put into one blob, which the browser may keep on disk. */
const PORTION = 8 << 20;

/**
 * Opens a file to write. Where the browser can write one, the user chooses it, and the bytes go straight into it. Else they
 * become blobs, and at the end a download. Resolves with null if the user gave up.
 */
export async function saveFile(name: string): Promise<Sink | null> {
  const picker = globalThis as Picker;
  if (!picker.showSaveFilePicker) return downloadOf(name);
  let handle: FileSystemFileHandle;
  try {
    handle = await picker.showSaveFilePicker({ suggestedName: name });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    // Not allowed in a frame of another origin, for example.
    return downloadOf(name);
  }
  const file = await handle.createWritable();
  return {
    write: (bytes) => file.write(bytes),
    overwrite: (head) => file.write({ type: 'write', position: 0, data: head }),
    close: () => file.close(),
    abort: () => file.abort(),
  };
}

function downloadOf(name: string): Sink {
  return blobSink((blob) => saveBlob(blob, name));
}

/** Keeps what is written as a blob, which `done` gets in the end. */
export function blobSink(done: (blob: Blob) => void): Sink {
  let blobs: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let start: Uint8Array<ArrayBuffer> | null = null;
  const flush = () => {
    if (waiting.length > 0) blobs.push(new Blob(waiting));
    waiting = [];
    bytes = 0;
  };
  return {
    write: async (portion) => {
      waiting.push(portion);
      bytes += portion.length;
      if (bytes >= PORTION) flush();
    },
    overwrite: async (head) => {
      start = head;
    },
    close: async () => {
      flush();
      const all = new Blob(blobs, { type: 'application/octet-stream' });
      done(start ? new Blob([start, all.slice(start.length)], { type: all.type }) : all);
    },
    abort: async () => {
      blobs = [];
      waiting = [];
    },
  };
}
