import { RangedFile } from '../../base/ranged_file.ts';
import { type Flow, openFlow, readPart } from '../../base/ranges.ts';

/** Reads a file forwards in portions and prefetches the next portion while the caller works on the last one. */
export interface Source {
  /** The file offset of the next portion. */
  readonly position: number;
  /** Starts reading the next portion of at most `most` bytes, unless a read is already pending. */
  prefetch(most: number): void;
  /**
   * The next portion of at most `most` bytes; null at the end. The array is valid until the next prefetch or take.
   * Rejects with a `DOMException` if the file cannot be read.
   */
  take(most: number): Promise<Uint8Array | null>;
  /** Stops reading and ends the use of the source. */
  close(): void;
}

/**
 * The bytes of `file` from the offset `at` on. The source reads a stream into one reused buffer, which is several times
 * faster than separate reads. It falls back to separate reads in browsers without BYOB readers for files.
 */
export function openSource(file: Blob, at: number): Source {
  if (file instanceof RangedFile) return flowing(file, at);
  const reader = byobReader(at === 0 ? file : file.slice(at));
  return reader ? streamed(reader, file.size, at) : sliced(file, at);
}

/** Reads a file forwards. Reads may be requested ahead; they are done in order. */
export interface Stream {
  /** The file offset at which the next read begins. */
  readonly position: number;
  /**
   * The next `length` bytes, fewer only at the end. `into` may take them: a buffer of that length that nothing looks at any more. Rejects
   * with a `DOMException` if the file cannot be read.
   */
  next(length: number, into?: ArrayBuffer): Promise<Uint8Array>;
  /** Ends the pending reads and the use of the stream. */
  close(): void;
}

/** The bytes of `file` from the offset `at` on. Like {@link openSource}, but each read has a buffer of its own. */
export function openStream(file: Blob, at: number): Stream {
  if (file instanceof RangedFile) return flowingStream(file, at);
  const rest = at === 0 ? file : file.slice(at);
  const reader = byobReader(rest);
  if (reader) held.add(reader);
  let position = at;
  let last: Promise<unknown> = Promise.resolve();
  const fill = async (length: number, into?: ArrayBuffer): Promise<Uint8Array> => {
    let buffer = into ?? new ArrayBuffer(length);
    let filled = 0;
    // Browsers that lack `min` return a few bytes a call.
    while (reader && filled < length) {
      const view = new Uint8Array(buffer, filled, length - filled);
      const { value } = await reader.read(view, { min: length - filled }).catch(refuse);
      if (!value || value.byteLength === 0) break;
      buffer = value.buffer;
      filled += value.byteLength;
    }
    return new Uint8Array(buffer, 0, filled);
  };
  return {
    get position() {
      return position;
    },
    next: (length, into) => {
      const from = position - at;
      const wanted = Math.max(0, Math.min(length, rest.size - from));
      position += wanted;
      if (!reader)
        return rest
          .slice(from, from + wanted)
          .arrayBuffer()
          .then((buffer) => new Uint8Array(buffer));
      const read = last.then(() => fill(wanted, into?.byteLength === wanted ? into : undefined));
      last = read;
      return read;
    },
    close: () => {
      if (!reader) return;
      held.delete(reader);
      reader.cancel().catch(() => undefined);
    },
  };
}

/** Bytes of a file, while the caller waits: in a worker. Fewer at its end. Throws a `DOMException` if they cannot be read. */
export function readNow(file: Blob, from: number, to: number): Uint8Array<ArrayBuffer> {
  const part = file.slice(from, to);
  return new Uint8Array(part instanceof RangedFile ? readPart(part) : new FileReaderSync().readAsArrayBuffer(part));
}

/** A file at an address, read on one connection for as long as that lasts. */
function flowingStream(file: RangedFile, at: number): Stream {
  let position = at;
  let flow: Flow | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get position() {
      return position;
    },
    next: (length) => {
      const wanted = Math.max(0, Math.min(length, file.size - position));
      flow ??= openFlow(file, position);
      position += wanted;
      const read = Promise.all([flow, last]).then(([it]) => it.next(wanted));
      last = read.catch(() => undefined);
      return read;
    },
    close: () => flow?.close(),
  };
}

function flowing(file: RangedFile, at: number): Source {
  let position = at;
  let flow: Flow | null = null;
  let pending: Promise<Uint8Array> | null = null;
  const prefetch = (most: number) => {
    if (pending || most <= 0) return;
    flow ??= openFlow(file, at);
    // What has arrived before a host went away is shown.
    pending = flow.next(most, true);
    pending.catch(() => undefined);
  };
  return {
    get position() {
      return position;
    },
    prefetch,
    take: async (most) => {
      prefetch(most);
      const bytes = await pending;
      pending = null;
      position += bytes?.length ?? 0;
      return bytes && bytes.length > 0 ? bytes : null;
    },
    close: () => flow?.close(),
  };
}

function byobReader(file: Blob): ReadableStreamBYOBReader | null {
  try {
    return file.stream().getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/** Throws why a file could not be read. In Chromium that is a `TypeError`, if it has changed since it was looked at. */
function refuse(error: unknown): never {
  throw error instanceof TypeError ? new DOMException(String(error), 'NotReadableError') : error;
}

/**
 * Readers in use, held for the garbage collector alone. Chromium 156 collects a pending read of a file, along with the
 * code that awaits it, when nothing else refers to the reader. The read then never ends.
 */
const held = new Set<ReadableStreamBYOBReader>();

function streamed(reader: ReadableStreamBYOBReader, size: number, at: number): Source {
  held.add(reader);
  let position = at;
  let buffer = new ArrayBuffer(0);
  let pending: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> | null = null;
  const prefetch = (most: number) => {
    const length = Math.min(most, size - position);
    if (pending || length <= 0) return;
    if (buffer.byteLength < length) buffer = new ArrayBuffer(length);
    // Without `min` some browsers return a few bytes a call. Browsers that lack the option ignore it.
    pending = reader.read(new Uint8Array(buffer, 0, length), { min: length }).catch(refuse);
    // `take` reports a failure. Until then the rejection must not count as unhandled.
    pending.catch(() => undefined);
  };
  return {
    get position() {
      return position;
    },
    prefetch,
    take: async (most) => {
      prefetch(most);
      if (!pending) return null;
      const { value } = await pending;
      pending = null;
      // It was asked for what is before the end that the file had when it was opened.
      if (!value || value.byteLength === 0) throw new DOMException('The file was shortened', 'NotReadableError');
      buffer = value.buffer;
      position += value.byteLength;
      return value;
    },
    close: () => {
      held.delete(reader);
      reader.cancel().catch(() => undefined);
    },
  };
}

function sliced(file: Blob, at: number): Source {
  let position = at;
  let pending: Promise<ArrayBuffer> | null = null;
  const prefetch = (most: number) => {
    if (pending || position >= file.size) return;
    pending = file.slice(position, position + most).arrayBuffer();
    pending.catch(() => undefined);
  };
  return {
    get position() {
      return position;
    },
    prefetch,
    take: async (most) => {
      prefetch(most);
      if (!pending) return null;
      const bytes = new Uint8Array(await pending);
      pending = null;
      position += bytes.byteLength;
      return bytes.byteLength > 0 ? bytes : null;
    },
    close: () => {
      pending = null;
    },
  };
}
