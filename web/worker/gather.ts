import type { Item } from '../base/protocol.ts';
import type { Session } from './session.ts';

/**
 * The bytes of `file` that the details of an item are decoded from, stretch after stretch as the session asks for them;
 * null when there is no such item.
 */
export async function gather(
  session: Pick<Session, 'detailsRange' | 'detailsNext'>,
  file: Blob,
  item: Item,
): Promise<Uint8Array | null> {
  const range = session.detailsRange(item);
  if (!range) return null;
  let bytes = await stretch(file, range);
  for (;;) {
    const next = session.detailsNext(item, bytes);
    if (!next) return bytes;
    const more = await stretch(file, next);
    // The file is shorter than it was: asking again would get the same answer for ever.
    if (more.length === 0) return bytes;
    const all = new Uint8Array(bytes.length + more.length);
    all.set(bytes);
    all.set(more, bytes.length);
    bytes = all;
  }
}

async function stretch(file: Blob, range: { readonly offset: number; readonly length: number }): Promise<Uint8Array> {
  // A read of nothing would still be a turn of the loop, and of a file that is gone a failure.
  if (range.length === 0) return new Uint8Array();
  return new Uint8Array(await file.slice(range.offset, range.offset + range.length).arrayBuffer());
}
