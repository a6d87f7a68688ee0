import { loadBrotli } from './brotli.ts';
import type { LoadDisassembler } from './disassembler.ts';
import { openDatabase, startReader } from './loading.ts';
import type { Session } from './session.ts';
import type { SqlFile } from './sqlite.ts';
import init, { needsBrotli, provideBrotli, Session as WasmSession } from './wasm/unspool_browser.js';

/** Bytes of either end of a file that recognise its format. */
const ENDS = 64 * 1024;

const loadReader = startReader(() => init());

/** A session, ready for its first step. */
export interface OpenSession {
  readonly session: Session;
  /** What the session reads the file by if it is a database. */
  readonly database: SqlFile | null;
}

/**
 * A session for a file, ready for its first step. Throws a `TraceError` for a file that no format claims or a
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
