import type { Database, SqlJs } from 'sql.js';
import { createAhead } from './ahead.ts';
import { LazyFile, type ReadAt } from './lazy_file.ts';

/** SQLite's answers to a step. */
const ROW = 100;
const DONE = 101;
/** What a file that is read whole may have: browsers give no larger buffer. */
const LARGEST_COPY = 2 ** 31 - 2 ** 21;

/** sql.js and the memory that its SQLite works in. */
export interface Library {
  readonly sql: SqlJs;
  readonly memory: WebAssembly.Memory;
}

/** Starts sql.js from its compiled code. */
export async function startSqlJs(wasm: Response | BufferSource): Promise<Library> {
  const { default: init } = await import('sql.js');
  let memory: WebAssembly.Memory | null = null;
  const sql = await new Promise<SqlJs>((resolve, reject) => {
    init({
      instantiateWasm: (imports, done) => {
        const ready = (instance: WebAssembly.Instance, module?: WebAssembly.Module) => {
          // Exports have names of one letter; there is one memory among them.
          const found = Object.values(instance.exports).find((thing) => thing instanceof WebAssembly.Memory);
          if (!found) throw new Error('sql.js exports no memory');
          memory = found;
          done(instance, module);
        };
        const started =
          wasm instanceof Response
            ? WebAssembly.instantiateStreaming(wasm, imports)
            : WebAssembly.instantiate(wasm as BufferSource, imports);
        started.then((it) => ready(it.instance, it.module)).catch(reject);
        return {};
      },
    }).then(resolve, reject);
  });
  if (!memory) throw new Error('sql.js has started without its memory');
  return { sql, memory };
}

/** How a page of rows ended. */
export interface Outcome {
  readonly rows: number;
  /** What SQLite says of the row behind the last; null when there is none. */
  readonly error: string | null;
}

/** A database in a file: what `crate/browser/src/sqlite.rs` binds. */
export class SqlFile {
  /** For statements with few rows. */
  readonly database: Database;
  readonly #library: Library;
  readonly #file: LazyFile | null;
  #values = new Float64Array(0);

  private constructor(library: Library, database: Database, file: LazyFile | null) {
    this.#library = library;
    this.database = database;
    this.#file = file;
  }

  /**
   * Opens a database that is read where SQLite looks; should sql.js not read it so, as a whole from `copy`, which answers null when
   * the file is too large for that.
   */
  static open(
    library: Library,
    size: number,
    read: ReadAt,
    copy: () => Uint8Array | null,
    ahead: ReadAt = read,
  ): SqlFile {
    const file = new LazyFile(size, read, ahead);
    try {
      // What it takes for an array is none, which the compiler must not know.
      const database = new library.sql.Database(file as unknown as Uint8Array);
      const opened = new SqlFile(library, database, file);
      opened.#settle();
      // The first page is read by now, unless somebody copied the file's contents by other means.
      if (file.bytesRead > 0 || file.failure !== null || size === 0) return opened;
      database.close();
    } catch {
      // Another sql.js than the one this was made for. The file itself can still be good.
    }
    const bytes = copy();
    if (!bytes) throw new Error('This database is too large for the way in which it can be read here.');
    // One copy will do: sql.js would make a second.
    bytes.slice = () => bytes as Uint8Array<ArrayBuffer>;
    const opened = new SqlFile(library, new library.sql.Database(bytes), null);
    opened.#settle();
    return opened;
  }

  /** Why the file itself could not be read, or null. */
  failure(): string | null {
    const failure = this.#file?.failure ?? null;
    return failure === null ? null : String(failure);
  }

  /** Bytes of the file itself, none only at its end; undefined when they cannot be read, or the file was copied. */
  read(from: number, to: number): Uint8Array | undefined {
    return this.#file?.read(from, to) ?? undefined;
  }

  /**
   * Runs a query of numbers and keeps its rows, one after the other, for {@link values}. Two calls a row and a column would be too
   * many from Rust's side, and an object a row by far.
   */
  doubles(text: string, columns: number): Outcome {
    const { sql, memory } = this.#library;
    const place = sql._malloc(4);
    const chars = sql.stringToNewUTF8(text);
    try {
      const prepared = sql._sqlite3_prepare_v2(this.database.db, chars, -1, place, 0);
      const statement = new DataView(memory.buffer).getUint32(place, true);
      if (prepared !== 0 || statement === 0) return { rows: 0, error: this.#message() };
      try {
        return this.#step(statement, columns);
      } finally {
        sql._sqlite3_finalize(statement);
      }
    } finally {
      sql._free(chars);
      sql._free(place);
    }
  }

  /** The rows of the last {@link doubles}, valid until the next. */
  values(): Float64Array {
    return this.#values;
  }

  #step(statement: number, columns: number): Outcome {
    const { _sqlite3_step: step, _sqlite3_column_double: column } = this.#library.sql;
    let values = this.#values;
    for (let rows = 0, at = 0; ; rows += 1) {
      // After its end a statement would begin again: it is not stepped any further.
      const answer = step(statement);
      if (answer === DONE) return { rows, error: null };
      if (answer !== ROW) return { rows, error: this.#message() };
      if (at + columns > values.length) {
        this.#values = new Float64Array(Math.max(1024, 2 * values.length));
        this.#values.set(values);
        values = this.#values;
      }
      for (let i = 0; i < columns; i += 1, at += 1) values[at] = column(statement, i);
    }
  }

  #message(): string {
    const { sql } = this.#library;
    return sql.UTF8ToString(sql._sqlite3_errmsg(this.database.db));
  }

  #settle(): void {
    try {
      // Tables whose beginnings are cut off would keep all others from being read; nothing in the file is trusted to run.
      this.database.run('pragma writable_schema=1; pragma trusted_schema=0; pragma query_only=1');
      this.database.run('select 1 from sqlite_schema');
    } catch {
      // The first query of what is wanted says it better.
    }
  }
}

/** Opens a database in a file of the browser; only in a worker. */
export async function openSqlFile(file: Blob): Promise<SqlFile> {
  const { default: url } = await import('sql.js/dist/sql-wasm-browser.wasm?url');
  const library = await startSqlJs(await fetch(url));
  const reader = new FileReaderSync();
  const read: ReadAt = (from, to) => new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
  const ahead = createAhead(file.size, read, (from, to) => file.slice(from, to).arrayBuffer());
  return SqlFile.open(library, file.size, read, () => (file.size > LARGEST_COPY ? null : read(0, file.size)), ahead);
}
