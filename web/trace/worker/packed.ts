import type { TraceError } from '../../base/protocol.ts';
import { type Choose, type Chosen, chooseEntry, type FormatOf } from './archive.ts';
import { loadUnpack } from './decompressors.ts';
import { isTraceError } from './errors.ts';
import type { Session } from './session.ts';
import { createSpool } from './spool.ts';
import { openUnpacked, type Unpacked, type Unpacks, type Watch } from './unpacked.ts';

/** Bytes of an unpacked file that recognise its format. */
const HEAD = 64 * 1024;
/** Containers in containers. */
const MAX_LAYERS = 8;

/** A file's name, its size, which is infinite while it is unknown, and its first and last bytes. */
export type Ends = readonly [name: string, size: number, head: Uint8Array, tail: Uint8Array];

/** What opening a packed file needs from the worker. */
export interface Host extends Watch {
  /** Without a limit of what files unpack to. */
  readonly lifted: boolean;
  /** With the callees of tail calls under their callers. */
  readonly nested: boolean;
  /** Most bytes of the trace, if that is less than usual. */
  readonly room: number | null;
  /** How a program says to read it; empty otherwise. */
  readonly jumps: Uint8Array;
  /** The file goes on being written. */
  readonly follow: boolean;
  readonly choose: Choose;
}

/** What opening a packed file needs from the reader of traces. */
export interface Reader {
  /** A session for the file, or the error if no format claims it. Rejects for any other error. */
  session(ends: Ends): Promise<Session | TraceError>;
  ends(file: Blob, name: string): Promise<Ends>;
  readonly formatOf: FormatOf;
}

/** What is around a trace. One of `file` and `unpacked` is null. */
export interface Packed {
  /** The trace itself, if it has been unpacked. */
  readonly file: Blob | null;
  /** The trace itself, if it is unpacked while the session reads it. */
  readonly unpacked: Unpacked | null;
  /** The write-ahead log of a database, from the archive. */
  readonly log: Blob | null;
  /** The containers, the innermost first. */
  readonly containers: readonly string[];
  /** The path of the trace in an archive, or null. */
  readonly entry: string | null;
  /** What is wrong with a container that has been unpacked. */
  readonly fault: TraceError | null;
  /** Contents that are read as they are, whose checksums are not compared yet. */
  readonly contents: readonly Content[];
}

/** A content of an archive, and a checker of it. */
export interface Content {
  readonly file: Blob;
  readonly checker: Unpacks;
}

/** Bytes that are checked at once. */
const CHECKED = 4 * 1024 * 1024;

/** The fault of a content whose checksum does not match. null also if `isCancelled` holds before the end. */
export async function faultIn({ file, checker }: Content, isCancelled: () => boolean): Promise<TraceError | null> {
  for (let begin = 0; begin < file.size; begin += CHECKED) {
    if (isCancelled()) return null;
    checker.push(new Uint8Array(await file.slice(begin, begin + CHECKED).arrayBuffer()));
    while (checker.unpack().length > 0);
  }
  checker.end();
  checker.unpack();
  const sentence = checker.fault();
  return sentence === undefined ? null : { kind: 'malformed', sentence, offset: checker.faultAt() ?? null };
}

/**
 * A session for a trace in a container, without its database. `refusal` is why the file itself was not recognised. Throws a
 * {@link TraceError} for a file that holds no trace.
 */
export async function openPacked(
  file: Blob,
  ends: Ends,
  refusal: TraceError,
  host: Host,
  reader: Reader,
): Promise<{ session: Session; packed: Packed }> {
  const { Container, innerName } = await loadUnpack();
  const containers: string[] = [];
  let [name, , head] = ends;
  const contents: Content[] = [];
  let entry: string | null = null;
  let fault: TraceError | null = null;
  let refused = refusal;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const container = Container.of(head, name);
    if (!container) break;
    const unpacker = container.unpacker() ?? null;
    const chosen: Chosen = unpacker
      ? { file, name: innerName(name), unpacker, checker: null, fault: null, log: null }
      : await chooseEntry(container, file, host.choose, reader.formatOf);
    if (!unpacker) entry = entry === null ? chosen.name : `${entry}/${chosen.name}`;
    containers.unshift(unpacker ? container.name : `${container.name}: ${chosen.name}`);
    container.free();
    name = chosen.name;
    fault ??= chosen.fault;
    file = chosen.file;
    if (chosen.checker) contents.push({ file, checker: chosen.checker });
    if (chosen.unpacker) {
      if (host.lifted) chosen.unpacker.liftLimit();
      const unpacked = openUnpacked(chosen.file, chosen.unpacker, createSpool());
      const found = await unpacked.head(HEAD);
      // The size of what fits into the head is known, and with it the format for certain.
      if (!unpacked.isOver || unpacked.position > HEAD) {
        const session = await reader.session([name, Number.POSITIVE_INFINITY, found, new Uint8Array()]);
        if (!isTraceError(session) && !session.isDatabase()) {
          return { session, packed: { file: null, unpacked, log: null, containers, entry, fault, contents } };
        }
        if (!isTraceError(session)) session.free();
        else if (!Container.of(found, name)) throw notATrace(containers, session);
      }
      file = await wholeOf(unpacked, host);
      fault ??= unpacked.fault;
      if (file.size === 0 && fault) throw fault;
    }
    const found = await reader.ends(file, name);
    const session = await reader.session(found);
    if (!isTraceError(session)) {
      const log = session.isDatabase() && chosen.log ? await logOf(chosen.log, host) : null;
      return { session, packed: { file, unpacked: null, log, containers, entry, fault, contents } };
    }
    refused = session;
    head = found[2];
  }
  throw containers.length > 0 ? notATrace(containers, refused) : refused;
}

/** The whole content of a container. Throws a {@link TraceError} if there is no room for it or the user stops. */
async function wholeOf(unpacked: Unpacked, host: Host): Promise<Blob> {
  const isDone = await unpacked.rest(host);
  unpacked.close();
  const file = await unpacked.spool.finish();
  if (!isDone) throw { kind: 'unreadable', sentence: 'Unpacking was stopped.', offset: null } satisfies TraceError;
  if (!unpacked.spool.whole) {
    const room = `${Math.floor(file.size / 1e6)} MB`;
    const sentence = `The unpacked file needs more than the ${room} that the browser gives this page for it. Unpack it with another program and open the result.`;
    throw { kind: 'memory', sentence, offset: null } satisfies TraceError;
  }
  return file;
}

/** The log of a database. Damage to its container is damage to the log, which tells of it by itself. */
async function logOf({ file, unpacker }: NonNullable<Chosen['log']>, host: Host): Promise<Blob> {
  return unpacker ? wholeOf(openUnpacked(file, unpacker, createSpool()), host) : file;
}

function notATrace(containers: readonly string[], refused: TraceError): TraceError {
  return { ...refused, sentence: `Content of ${containers.join(' in ')}: ${refused.sentence}` };
}
