import type { Archive, ArchiveEntry, TraceError } from '../../base/protocol.ts';
import { isRanged } from '../../base/ranged.ts';
import type { Container, Archive as Entries, Unpacker } from '../../worker/wasm/unspool_unpack.js';
import { readNow } from './source.ts';

/** Bytes of an entry that recognise its format, and of the archive that they are unpacked from. */
const HEAD = 64 * 1024;
const HEAD_PACKED = 256 * 1024;
/** Entries whose format is looked for. */
const MOST = 1000;
/** Entries that the archive lists at most. */
const MOST_LISTED = 100_000;
/** Containers in containers. */
const LAYERS = 8;
/** Names in the sentence about an archive without traces. */
const NAMED = 5;

/** Asks which entry of an archive to open. Resolves with its number. */
export type Choose = (archive: Archive) => Promise<number>;

/** The name of the format of a file with this head, if one claims it. The size is infinite if it is unknown. */
export type FormatOf = (name: string, size: number, head: Uint8Array, tail: Uint8Array) => Promise<string | null>;

/** Where the content of a container is. */
export interface Chosen {
  readonly file: Blob;
  readonly name: string;
  /** null if the content is `file` as it is. */
  readonly unpacker: Unpacker | null;
  /** A checker of `file` if it has a checksum and no unpacker. */
  readonly checker: Unpacker | null;
  readonly fault: TraceError | null;
  /** The file that would be the write-ahead log if the content is a database. */
  readonly log: { readonly file: Blob; readonly unpacker: Unpacker | null } | null;
}

/**
 * The only trace in an archive, or the one that `choose` chooses. Throws a {@link TraceError} if there is none, or if it
 * cannot be unpacked.
 */
export async function chooseEntry(
  container: Container,
  given: Blob,
  choose: Choose,
  formatOf: FormatOf,
): Promise<Chosen> {
  // The module reads the browser's own files: of an archive at an address, all is loaded.
  const file = isRanged(given) ? new Blob([await given.arrayBuffer()]) : given;
  const read = (from: number, to: number) => readNow(file, from, to);
  const archive = container.archive(file);
  const sentence = archive.fault();
  // A list that is cut short is not damage.
  const fault: TraceError | null =
    sentence === undefined || archive.length >= MOST_LISTED
      ? null
      : { kind: 'malformed', sentence, offset: archive.faultAt() ?? null };
  const found: ArchiveEntry[] = [];
  for (let entry = 0; entry < Math.min(archive.length, MOST); entry += 1) {
    const format = await formatOfEntry(archive, entry, read, formatOf);
    if (format !== null) {
      found.push({ entry, name: archive.name(entry), size: archive.size(entry) ?? null, format });
    }
  }
  const [first, ...more] = found;
  if (!first) throw fault ?? without(container.name, archive);
  let { entry } = first;
  if (more.length > 0) {
    const unseen = archive.length > MOST ? `Only the first ${MOST} files were checked.` : '';
    const remark = [sentence, unseen].filter(Boolean).join(' ');
    entry = await choose({ container: container.name, entries: found, others: archive.length - found.length, remark });
  }
  const refusal = archive.refusal(entry);
  if (refusal !== undefined) throw { kind: 'unsupported', sentence: refusal, offset: null } satisfies TraceError;
  const content = (which: number) => {
    const [from, to] = contentOf(archive, which);
    return { file: file.slice(from, to), unpacker: archive.unpacker(which) ?? null };
  };
  const name = archive.name(entry);
  const log = indexOf(archive, `${name}-wal`);
  const hasLog = log !== null && archive.refusal(log) === undefined;
  return { ...content(entry), checker: archive.checker(entry) ?? null, name, fault, log: hasLog ? content(log) : null };
}

/** The number of an entry, or null. */
function indexOf(archive: Entries, name: string): number | null {
  for (let entry = 0; entry < archive.length; entry += 1) if (archive.name(entry) === name) return entry;
  return null;
}

/** The format of an entry, or the container that it is. null if it is neither. */
async function formatOfEntry(
  archive: Entries,
  entry: number,
  read: (from: number, to: number) => Uint8Array,
  formatOf: FormatOf,
): Promise<string | null> {
  const name = archive.name(entry);
  const size = archive.size(entry) ?? Number.POSITIVE_INFINITY;
  const refused = archive.refusal(entry) !== undefined;
  let head: Uint8Array;
  try {
    const [from, to] = contentOf(archive, entry);
    head = read(from, Math.min(to, from + HEAD_PACKED));
  } catch {
    return null;
  }
  // What cannot be unpacked is listed by its name.
  if (refused) return /\.(xray|trace|frames|db|sqlite3?|rvn)$/i.test(name) ? 'cannot be unpacked' : null;
  const unpacker = archive.unpacker(entry);
  if (unpacker) head = headOf(unpacker, head);
  return within(name, size, head, new Uint8Array(), formatOf, (container) => container);
}

/**
 * What `known` says of a file with these ends, or of what is compressed in it, however often. `archive` says what an archive is, by the
 * name of its container. null if it is neither.
 */
export async function within<T>(
  name: string,
  size: number,
  head: Uint8Array,
  tail: Uint8Array,
  known: (...ends: Parameters<FormatOf>) => Promise<T | null>,
  archive: (container: string) => T,
): Promise<T | null> {
  const { Container } = await import('../../worker/wasm/unspool_unpack.js');
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const found = await known(name, size, head.subarray(0, HEAD), tail);
    if (found !== null) return found;
    const container = Container.of(head, name);
    const unpacker = container?.unpacker();
    const kind = container?.name ?? null;
    container?.free();
    if (!unpacker) return kind === null ? null : archive(kind);
    [head, tail] = [headOf(unpacker, head), new Uint8Array()];
    name = name.replace(/\.[^.]*$/, '');
    size = Number.POSITIVE_INFINITY;
  }
  return null;
}

/** The first unpacked bytes. */
function headOf(unpacker: Unpacker, packed: Uint8Array): Uint8Array {
  unpacker.push(packed);
  unpacker.end();
  const head = new Uint8Array(HEAD);
  let filled = 0;
  while (filled < HEAD) {
    const piece = unpacker.unpack();
    if (piece.length === 0) break;
    const part = piece.subarray(0, HEAD - filled);
    head.set(part, filled);
    filled += part.length;
  }
  unpacker.free();
  return head.subarray(0, filled);
}

/** Throws a {@link TraceError} if the archive has no such entry where it should be. */
function contentOf(archive: Entries, entry: number): readonly [from: number, to: number] {
  try {
    const [from = 0, to = 0] = archive.content(entry);
    return [from, to];
  } catch (sentence) {
    throw { kind: 'malformed', sentence: String(sentence), offset: null } satisfies TraceError;
  }
}

function without(container: string, archive: Entries): TraceError {
  const count = archive.length;
  const names = Array.from({ length: Math.min(count, NAMED) }, (_, entry) => archive.name(entry));
  const sentence =
    count === 0
      ? `This ${container} archive is empty.`
      : `This ${container} archive holds no trace, but ${count === 1 ? 'one file' : `${count} files`}: ${names.join(', ')}${count > NAMED ? ', …' : ''}.`;
  return { kind: 'unrecognised', sentence, offset: null };
}
