import type { TraceError } from '../base/protocol.ts';
import { loadBrotli } from './brotli.ts';
import type { LoadDisassembler } from './disassembler.ts';
import { notLoaded } from './errors.ts';
import type { Session } from './session.ts';
import { openSqlFile, type SqlFile } from './sqlite.ts';
import init, { needsBrotli, provideBrotli, Session as WasmSession } from './wasm/unspool_browser.js';

/** Bytes of either end of a file that recognise its format. */
const ENDS = 64 * 1024;

/** A session, ready for its first step. */
export interface OpenSession {
  readonly session: Session;
  /** What the session reads the file by if it is a database. */
  readonly database: SqlFile | null;
}

/**
 * A session for a file, ready for its first step. Throws a {@link TraceError} for a file that no format claims or a
 * module that does not load, and a `DOMException` for a file that cannot be read.
 */
export async function openSession(file: Blob, name: string, disassembler: LoadDisassembler): Promise<OpenSession> {
  const [head, tail] = await Promise.all([
    file.slice(0, ENDS).arrayBuffer(),
    file.slice(Math.max(0, file.size - ENDS)).arrayBuffer(),
    loadReader(),
  ]);
  const ends = [name, file.size, new Uint8Array(head), new Uint8Array(tail)] as const;
  if (needsBrotli(...ends)) await loadBrotli(provideBrotli);
  const session: Session = new WasmSession(...ends);
  if (!session.isDatabase()) return { session, database: null };
  // Databases hold blocks of code, so the disassembler loads along with SQLite. Reading works without it, too.
  const disassembling = disassembler().catch(() => undefined);
  const database = await openDatabase(file);
  session.attach(database, await disassembling);
  return { session, database };
}

/** At once, because a worker may be started before there is a file for it. */
const started = init();
// The file that needs it tries again.
started.catch(() => undefined);

async function loadReader(): Promise<void> {
  try {
    await started.catch(() => init());
  } catch {
    throw notLoaded('The part of this page that reads traces') satisfies TraceError;
  }
}

/** Loads SQLite, which only databases need. */
async function openDatabase(file: Blob): Promise<SqlFile> {
  try {
    return await openSqlFile(file);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotReadableError') throw error;
    throw notLoaded('The part of this page that reads databases') satisfies TraceError;
  }
}
