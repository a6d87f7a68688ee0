import type { Database, SqlJs } from 'sql.js';
import { type Ahead, createAhead } from './ahead.ts';
import { LazyFile, type ReadAt } from './lazy_file.ts';
import { openStream, readNow } from './source.ts';
import { type Log, type Overlaid, overlaid, readLog } from './wal.ts';

/** Result codes of `sqlite3_step`. */
const ROW = 100;
const DONE = 101;
/** Bytes of the largest file that can be copied whole, limited by the size of an `ArrayBuffer`. */
const LARGEST_COPY = 2 ** 31 - 2 ** 21;

/** sql.js and the memory of its SQLite. */
export interface Library {
  readonly sql: SqlJs;
  readonly memory: WebAssembly.Memory;
}

/** Starts sql.js from its wasm. Rejects if the wasm does not load or is not that of sql.js. */
export async function startSqlJs(wasm: Response | BufferSource): Promise<Library> {
  const { default: init } = await import('sql.js');
  let memory: WebAssembly.Memory | null = null;
  const sql = await new Promise<SqlJs>((resolve, reject) => {
    init({
      useOldExtensionFunctions: false,
      instantiateWasm: (imports, done) => {
        const ready = (instance: WebAssembly.Instance, module?: WebAssembly.Module) => {
          // The names of exports are minified; one of them is the memory.
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

/** The result of {@link SqlFile.doubles}. */
export interface Outcome {
  readonly rows: number;
  /** SQLite's message if stepping to a further row failed; null at the end of the rows. */
  readonly error: string | null;
}

/** A database in a file, bound by `crate/wasm/sqlite`. */
export class SqlFile {
  /** For statements with few rows. */
  readonly database: Database;
  readonly #library: Library;
  readonly #file: LazyFile | null;
  readonly #ahead: Ahead | null;
  #values = new Float64Array(0);

  private constructor(library: Library, database: Database, file: LazyFile | null, ahead: Ahead | null) {
    this.#library = library;
    this.database = database;
    this.#file = file;
    this.#ahead = ahead;
  }

  /**
   * Opens a database of `size` bytes lazily: SQLite's reads go to `read`, scans that bypass SQLite to `ahead`. If
   * sql.js does not accept a lazy file, opens the whole file from `copy` instead, which returns null for a file that is
   * too large. Throws if neither works.
   */
  static open(
    library: Library,
    size: number,
    read: ReadAt,
    copy: () => Uint8Array | null,
    ahead: Ahead | null = null,
  ): SqlFile {
    const file = new LazyFile(size, read, ahead?.read);
    try {
      // The types of sql.js require an array; LazyFile has the two methods that it uses.
      const database = new library.sql.Database(file as unknown as Uint8Array);
      const opened = new SqlFile(library, database, file, ahead);
      opened.#settle();
      // By now SQLite has read the first page. If it has not, sql.js keeps the contents in some other way.
      if (file.bytesRead > 0 || file.failure !== null || size === 0) return opened;
      database.close();
    } catch {
      // sql.js differs from the pinned version. The file itself can still be valid.
    }
    const bytes = copy();
    if (!bytes) throw new Error('This database is too large to be read in this page.');
    // Prevents the second copy that sql.js would make.
    bytes.slice = () => bytes as Uint8Array<ArrayBuffer>;
    const opened = new SqlFile(library, new library.sql.Database(bytes), null, null);
    opened.#settle();
    return opened;
  }

  /** The SQLite that it is open in. */
  get library(): Library {
    return this.#library;
  }

  /** Begins a transaction that adds to the database, in memory: its file stays as it is. After a failure it is of no use. */
  beginWriting(): void {
    this.#file?.allowWriting();
    this.database.run('pragma query_only=0; pragma journal_mode=off; pragma synchronous=off; begin');
  }

  /** Ends what {@link beginWriting} began. */
  endWriting(): void {
    this.database.run('commit; pragma query_only=1');
  }

  /**
   * Makes the tables of a database of the same SQLite, which may be this one, readable under a schema's name. Throws if there is no
   * room for it.
   */
  attach(other: SqlFile, schema: string): void {
    // sql.js keeps each database as a file of this name.
    const { filename } = other.database as Database & { readonly filename: string };
    this.database.run(`attach '${filename}' as ${schema}`);
  }

  /** Opens a further database with the same SQLite. Throws if sql.js does not accept a lazy file. */
  beside(size: number, read: ReadAt): SqlFile {
    return SqlFile.open(this.#library, size, read, () => null);
  }

  /** Why reading the file failed, or null. */
  failure(): string | null {
    const failure = this.#file?.failure ?? null;
    return failure === null ? null : String(failure);
  }

  /** Settles when the bytes that a scan will {@link read} next are there. null if they are, or are not on their way. */
  arrival(): Promise<void> | null {
    return this.#ahead?.arrival() ?? null;
  }

  /** Bytes of the file, empty only at its end. Returns undefined if reading fails or the file was copied whole. */
  read(from: number, to: number): Uint8Array | undefined {
    return this.#file?.read(from, to) ?? undefined;
  }

  /**
   * Runs a query of numbers and keeps its rows back-to-back for {@link values}, `columns` doubles a row. Calls from
   * Rust per row and column would be too slow, and an object per row far too slow.
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
      // A step after the end would restart the statement.
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
      // With writable_schema a corrupt table does not make the others unreadable. trusted_schema=0 keeps code in the
      // schema from running.
      this.database.run('pragma writable_schema=1; pragma trusted_schema=0; pragma query_only=1');
      this.database.run('select 1 from sqlite_schema');
    } catch {
      // The first real query reports the error in context.
    }
  }
}

/** The bytes of a database, with those of its write-ahead log. */
export interface DatabaseBytes extends Overlaid {
  /** null without a log, or if it is not one. */
  readonly log: Log | null;
  /** Whether the log can be of this database: both have pages of one size. */
  readonly matches: boolean;
}

/**
 * The bytes of a database in a file of the browser, and in its write-ahead log if there is one. A log of another database is
 * left out. Works in a worker only. Throws a `DOMException` if a file cannot be read.
 */
export function databaseBytes(file: Blob, wal: Blob | null): DatabaseBytes {
  const reading =
    (blob: Blob): ReadAt =>
    (from, to) =>
      readNow(blob, from, to);
  const read = reading(file);
  const open = (at: number) => openStream(file, at);
  const bare = { size: file.size, read, stream: open };
  if (wal?.size === 0) {
    // Before the first transaction, and after a checkpoint.
    const none = { pageSize: 0, pages: 0, places: new Map(), transactions: 0, damagedAt: null };
    return { ...bare, log: none, matches: true };
  }
  const log = wal ? readLog(wal.size, reading(wal)) : null;
  if (!wal || !log) return { ...bare, log: null, matches: false };
  const header = read(0, 18);
  // fileformat2.html#the_database_header: 1 means 65536.
  const pageSize = ((header[16] ?? 0) << 8) | (header[17] ?? 0);
  if ((pageSize === 1 ? 65536 : pageSize) !== log.pageSize) return { ...bare, log, matches: false };
  return { ...overlaid(file.size, read, open, log, reading(wal)), log, matches: true };
}

/**
 * Opens a database. Works in a worker only. Rejects with a `DOMException` if the file cannot be read, and with other
 * errors if sql.js does not load.
 */
export async function openSqlFile({ size, read, stream }: DatabaseBytes): Promise<SqlFile> {
  const library = await loadSqlJs();
  const ahead = createAhead(size, read, stream);
  return SqlFile.open(library, size, read, () => (size > LARGEST_COPY ? null : read(0, size)), ahead);
}

/** Loads and starts sql.js. Rejects if it does not load. */
export async function loadSqlJs(): Promise<Library> {
  const { default: url } = await import('sql.js/dist/sql-wasm-browser.wasm?url');
  return startSqlJs(await fetch(url));
}
