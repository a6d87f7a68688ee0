import type { CompanionKind, Look } from '../../base/companions.ts';
import type { TraceError } from '../../base/protocol.ts';
import init, {
  lookAt,
  needsDecompressor,
  provideDecompressors,
  type Seen,
  Session as WasmSession,
} from '../../worker/wasm/unspool_browser.js';
import { loadDecompressors, loadUnpack } from './decompressors.ts';
import type { LoadDisassembler } from './disassembler.ts';
import { isTraceError, notLoaded } from './errors.ts';
import { isDatabase } from './kept.ts';
import { loadDatabases, openDatabase, startReader } from './loading.ts';
import type { Ends, Host, Packed } from './packed.ts';
import type { Session } from './session.ts';
import type { DatabaseBytes, SqlFile } from './sqlite.ts';
import { loadSymbols } from './symbols.ts';

/** Bytes of either end of a file that recognise its format. */
const ENDS = 64 * 1024;

const loadReader = startReader(() => init());

/** A session, ready for its first step. */
export interface OpenSession {
  readonly session: Session;
  /** What the session reads the file by if it is a database. */
  readonly database: SqlFile | null;
  /** The bytes of the database and its log. */
  readonly bytes: DatabaseBytes | null;
  /** What is around the trace; null for a bare file. */
  readonly packed: Packed | null;
}

/**
 * A session for a file, ready for its first step. `log` is the write-ahead log of a database. Throws a {@link TraceError}
 * for a file that no format claims or a module that does not load, and a `DOMException` for a file that cannot be read.
 */
export async function openSession(
  file: Blob,
  name: string,
  log: Blob | null,
  disassembler: LoadDisassembler,
  host: Host,
): Promise<OpenSession> {
  // The log of a database can replace its first page.
  const overlaid = log && (await loadDatabases()).databaseBytes(file, log);
  const ends = await endsOf(file, name, overlaid);
  try {
    const session = await recognised(ends, host);
    return { ...(await attached(session, file, overlaid, disassembler)), packed: null };
  } catch (error) {
    // Formats come first: an apitrace has its own containers.
    if (!isUnrecognised(error) || !mayBePacked(ends)) throw error;
    const { openPacked } = await loadPacked();
    const { session, packed } = await openPacked(file, ends, error, host, {
      session: (some) =>
        recognised(some, host).catch((thrown) => {
          if (isUnrecognised(thrown)) return thrown;
          throw thrown;
        }),
      ends: (part, partName) => endsOf(part, partName, null),
      formatOf: async (...some) => (await seen(...some)).name,
    });
    const found = packed.file ?? file;
    const itsLog = log ?? packed.log;
    const itsBytes = itsLog && (await loadDatabases()).databaseBytes(found, itsLog);
    const opened = await attached(session, found, itsBytes, disassembler);
    return { ...opened, packed };
  }
}

/** A session for a file with these ends. Throws a {@link TraceError} if no format claims it. */
async function recognised(
  [name, size, ...ends]: Ends,
  { lifted, nested, room, jumps, follow }: Host,
): Promise<Session> {
  if (needsDecompressor(name, size, ...ends)) await loadDecompressors(provideDecompressors);
  // What a file that grows will be in the end is unknown. A database is read as it is.
  const session = new WasmSession(
    name,
    follow && !isDatabase(ends[0]) ? Number.POSITIVE_INFINITY : size,
    ...ends,
    room ?? undefined,
    lifted,
    nested,
  );
  if (jumps.length > 0) session.ruleOut(jumps);
  return session;
}

/** Attaches the database to a session that reads one. */
async function attached(
  session: Session,
  file: Blob,
  overlaid: DatabaseBytes | null,
  disassembler: LoadDisassembler,
): Promise<Omit<OpenSession, 'packed'>> {
  if (!session.isDatabase()) return { session, database: null, bytes: null };
  // Databases hold blocks of code, so the disassembler loads along with SQLite. Reading works without it, too.
  const disassembling = disassembler().catch(() => undefined);
  const bytes = overlaid ?? (await loadDatabases()).databaseBytes(file, null);
  const database = await openDatabase(bytes);
  session.attach(database, await disassembling);
  return { session, database, bytes };
}

/** Loads what opens containers, which few files need. Throws a {@link TraceError} if it does not load. */
async function loadPacked(): Promise<typeof import('./packed.ts')> {
  try {
    return await import('./packed.ts');
  } catch {
    throw notLoaded('The part of this page that unpacks files') satisfies TraceError;
  }
}

/** Whether it is worth loading what knows containers. */
function mayBePacked([name, , head]: Ends): boolean {
  const [a = 0, b = 0] = head;
  const magic = (a << 8) | b;
  const isCompressed = [0x1f8b, 0x28b5, 0xfd37, 0x504b].includes(magic) || (magic & 0xf0ff) === 0x502a;
  return isCompressed || /\.(br|tar)$/i.test(name) || new TextDecoder().decode(head.subarray(257, 262)) === 'ustar';
}

function isUnrecognised(error: unknown): error is TraceError {
  return isTraceError(error) && error.kind === 'unrecognised';
}

/**
 * What a file is: a trace, a companion of one, or something else. A compressed trace is one of its format; any other file in a container
 * counts as a possible trace. Throws as {@link openSession} does, except that no file is refused.
 */
export async function look(file: Blob, name: string): Promise<Look> {
  const ends = await endsOf(file, name, null);
  const { format, confidence, looks } = await seen(...ends);
  const itself = { format, confidence, companion: null, looks };
  if (format !== null) return itself;
  const { companionOf } = await loadSymbols();
  const [kind, what] = companionOf(...ends) ?? [];
  if (kind !== undefined) return { ...itself, companion: kind as CompanionKind, looks: what! };
  if (!mayBePacked(ends)) return itself;
  const container = (await loadUnpack()).Container.of(ends[2], name);
  if (!container) return itself;
  container.free();
  const { within } = await import('./archive.ts');
  const known = async (...some: Ends) => {
    const inner = await seen(...some);
    return inner.format === null ? null : { format: inner.format, confidence: inner.confidence };
  };
  const packed = { format: 'packed', confidence: 1 };
  return { ...itself, ...((await within(...ends, known, () => packed)) ?? packed) };
}

/** What formats say of a file with these ends. */
async function seen(...ends: Ends): Promise<Seen> {
  if (needsDecompressor(...ends)) await loadDecompressors(provideDecompressors);
  return lookAt(...ends);
}

async function endsOf(file: Blob, name: string, overlaid: DatabaseBytes | null): Promise<Ends> {
  const { size } = overlaid ?? file;
  const part = async (from: number, to: number) =>
    overlaid ? overlaid.read(from, to) : new Uint8Array(await file.slice(from, to).arrayBuffer());
  const [head, tail] = await Promise.all([part(0, ENDS), part(Math.max(0, size - ENDS), size), loadReader()]);
  return [name, size, head, tail] as const;
}
