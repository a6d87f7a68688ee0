import type { CompanionKind, Look } from '../base/companions.ts';
import { loadBrotli } from './brotli.ts';
import type { LoadDisassembler } from './disassembler.ts';
import { openDatabase, startReader } from './loading.ts';
import type { Session } from './session.ts';
import { type DatabaseBytes, databaseBytes, type SqlFile } from './sqlite.ts';
import { loadSymbols } from './symbols.ts';
import init, { lookAt, needsBrotli, provideBrotli, Session as WasmSession } from './wasm/unspool_browser.js';

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
}

/**
 * A session for a file, ready for its first step. `log` is the write-ahead log of a database. Throws a `TraceError` for a
 * file that no format claims or a module that does not load, and a `DOMException` for a file that cannot be read.
 */
export async function openSession(
  file: Blob,
  name: string,
  log: Blob | null,
  disassembler: LoadDisassembler,
): Promise<OpenSession> {
  // The log of a database can replace its first page.
  const overlaid = log && databaseBytes(file, log);
  const ends = await endsOf(file, name, overlaid);
  if (needsBrotli(...ends)) await loadBrotli(provideBrotli);
  const session: Session = new WasmSession(...ends);
  if (!session.isDatabase()) return { session, database: null, bytes: null };
  // Databases hold blocks of code, so the disassembler loads along with SQLite. Reading works without it, too.
  const disassembling = disassembler().catch(() => undefined);
  const bytes = overlaid ?? databaseBytes(file, null);
  const database = await openDatabase(bytes);
  session.attach(database, await disassembling);
  return { session, database, bytes };
}

/**
 * What a file is: a trace, a companion of one, or something else. Throws as {@link openSession} does, except that no file is
 * refused.
 */
export async function look(file: Blob, name: string): Promise<Look> {
  const ends = await endsOf(file, name, null);
  if (needsBrotli(...ends)) await loadBrotli(provideBrotli);
  const seen = lookAt(...ends) as Omit<Look, 'companion'>;
  if (seen.format !== null) return { ...seen, companion: null };
  const { companionOf } = await loadSymbols();
  const [kind, what] = companionOf(...ends) ?? [];
  return kind === undefined
    ? { ...seen, companion: null }
    : { ...seen, companion: kind as CompanionKind, looks: what! };
}

async function endsOf(file: Blob, name: string, overlaid: DatabaseBytes | null) {
  const { size } = overlaid ?? file;
  const part = async (from: number, to: number) =>
    overlaid ? overlaid.read(from, to) : new Uint8Array(await file.slice(from, to).arrayBuffer());
  const [head, tail] = await Promise.all([part(0, ENDS), part(Math.max(0, size - ENDS), size), loadReader()]);
  return [name, size, head, tail] as const;
}
