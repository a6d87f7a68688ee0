import type { Item } from '../base/protocol.ts';
import type { ByteRange, Session } from './session.ts';

/**
 * The bytes of `file` from which the details of an item are decoded, range by range as the session requests them.
 * Returns null when there is no such item. Rejects with a `DOMException` when the file cannot be read.
 */
export async function gather(
  session: Pick<Session, 'detailsRange' | 'detailsNext'>,
  file: Blob,
  item: Item,
): Promise<Uint8Array | null> {
  const range = session.detailsRange(item);
  if (!range) return null;
  let bytes = await readRange(file, range);
  for (;;) {
    const next = session.detailsNext(item, bytes);
    if (!next) return bytes;
    const more = await readRange(file, next);
    // The file has shrunk: the session would request the same range forever.
    if (more.length === 0) return bytes;
    const all = new Uint8Array(bytes.length + more.length);
    all.set(bytes);
    all.set(more, bytes.length);
    bytes = all;
  }
}

async function readRange(file: Blob, range: ByteRange): Promise<Uint8Array> {
  // An empty read would still cost a turn of the event loop, and would fail if the file is gone.
  if (range.length === 0) return new Uint8Array();
  return new Uint8Array(await file.slice(range.offset, range.offset + range.length).arrayBuffer());
}
