/** Reads a file in portions, forwards, with the next portion on its way while the last one is worked on. */
export interface Source {
  /** The file offset of the next portion. */
  readonly position: number;
  /** Starts reading the next portion, up to `most` bytes, unless one is on its way already. */
  prefetch(most: number): void;
  /** The next portion, up to `most` bytes; null at the end. The array is valid until the next prefetch or take. */
  take(most: number): Promise<Uint8Array | null>;
  /** Stops reading. The source is of no use afterwards. */
  close(): void;
}

/**
 * The bytes of `file` from `at` on: a stream read into one buffer that goes back and forth, which is several times faster
 * than separate reads. Falls back on those where streams cannot fill a buffer of ours.
 */
export function openSource(file: Blob, at: number): Source {
  const reader = byobReader(at === 0 ? file : file.slice(at));
  return reader ? streamed(reader, file.size, at) : sliced(file, at);
}

function byobReader(file: Blob): ReadableStreamBYOBReader | null {
  try {
    return file.stream().getReader({ mode: 'byob' });
  } catch {
    return null;
  }
}

/**
 * Readers with a read under way. Chromium (156) lets a pending read of a file be collected as garbage together with all
 * that waits for it when nothing else holds the reader, and the read then never ends.
 */
const held = new Set<ReadableStreamBYOBReader>();

function streamed(reader: ReadableStreamBYOBReader, size: number, at: number): Source {
  held.add(reader);
  let position = at;
  let buffer = new ArrayBuffer(0);
  let onTheWay: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> | null = null;
  const prefetch = (most: number) => {
    const length = Math.min(most, size - position);
    if (onTheWay || length <= 0) return;
    if (buffer.byteLength < length) buffer = new ArrayBuffer(length);
    // `min` keeps a browser that answers in crumbs from costing a call each; one that does not know it ignores it.
    onTheWay = reader.read(new Uint8Array(buffer, 0, length), { min: length });
    // Whoever takes it hears of a failure; until then it must not count as unhandled.
    onTheWay.catch(() => undefined);
  };
  return {
    get position() {
      return position;
    },
    prefetch,
    take: async (most) => {
      prefetch(most);
      if (!onTheWay) return null;
      const { value } = await onTheWay;
      onTheWay = null;
      if (!value || value.byteLength === 0) return null;
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
  let onTheWay: Promise<ArrayBuffer> | null = null;
  const prefetch = (most: number) => {
    if (onTheWay || position >= file.size) return;
    onTheWay = file.slice(position, position + most).arrayBuffer();
    onTheWay.catch(() => undefined);
  };
  return {
    get position() {
      return position;
    },
    prefetch,
    take: async (most) => {
      prefetch(most);
      if (!onTheWay) return null;
      const bytes = new Uint8Array(await onTheWay);
      onTheWay = null;
      position += bytes.byteLength;
      return bytes.byteLength > 0 ? bytes : null;
    },
    close: () => {
      onTheWay = null;
    },
  };
}
