import type { TraceError } from '../../base/protocol.ts';
import { notLoaded } from './errors.ts';
import type { DatabaseBytes, SqlFile } from './sqlite.ts';

/**
 * Begins to load the wasm module that reads traces: a worker may be started before there is a file for it. The result
 * waits for the module, tries once more if that failed, and throws a {@link TraceError} if the module does not load.
 */
export function startReader(init: () => Promise<unknown>): () => Promise<void> {
  const started = init();
  started.catch(() => undefined);
  return async () => {
    try {
      await started.catch(() => init());
    } catch {
      throw notLoaded('The part of this page that reads traces') satisfies TraceError;
    }
  };
}

/** What reads databases. Throws a {@link TraceError} if it does not load. */
export async function loadDatabases(): Promise<typeof import('./sqlite.ts')> {
  try {
    return await import('./sqlite.ts');
  } catch {
    throw notDatabases();
  }
}

/**
 * Loads SQLite, which only databases need, and opens a database with it. Throws a {@link TraceError} if it does not load, and a
 * `DOMException` if the file cannot be read.
 */
export async function openDatabase(bytes: DatabaseBytes): Promise<SqlFile> {
  const { openSqlFile } = await loadDatabases();
  try {
    return await openSqlFile(bytes);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotReadableError') throw error;
    throw notDatabases();
  }
}

function notDatabases(): TraceError {
  return notLoaded('The part of this page that reads databases');
}
