/** The parts of sql.js that this project uses; see https://sql.js.org/documentation/. */
declare module 'sql.js' {
  /** A prepared statement. */
  export interface Statement {
    /** Whether there is a further row. Throws SQLite's error. */
    step(): boolean;
    /** The values of the row. */
    get(params: null, config: { useBigInt: boolean }): (number | bigint | string | Uint8Array | null)[];
    getColumnNames(): string[];
    free(): boolean;
  }

  /** An open database. */
  export interface Database {
    /** `sqlite3*` */
    readonly db: number;
    prepare(sql: string): Statement;
    run(sql: string): Database;
    /** `func` has as many parameters as the function has arguments. An error that it throws is that of the query. */
    create_function(name: string, func: (...args: never[]) => unknown): Database;
    create_aggregate<T>(
      name: string,
      functions: { init(): T; step(state: T, ...args: never[]): T; finalize(state: T): unknown },
    ): Database;
    /** The bytes of a database in memory. Closes its statements. */
    export(): Uint8Array<ArrayBuffer>;
    close(): void;
  }

  /** The module, including raw exports of SQLite. */
  export interface SqlJs {
    readonly Database: new (bytes: Uint8Array) => Database;
    _malloc(size: number): number;
    _free(pointer: number): void;
    stringToNewUTF8(text: string): number;
    UTF8ToString(pointer: number): string;
    _sqlite3_prepare_v2(db: number, sql: number, length: number, statement: number, tail: number): number;
    _sqlite3_step(statement: number): number;
    _sqlite3_column_double(statement: number, column: number): number;
    _sqlite3_finalize(statement: number): number;
    _sqlite3_reset(statement: number): number;
    _sqlite3_clear_bindings(statement: number): number;
    _sqlite3_bind_int(statement: number, place: number, value: number): number;
    _sqlite3_bind_double(statement: number, place: number, value: number): number;
    /** `destructor`: 0 for text that stays where it is, -1 to have it copied. */
    _sqlite3_bind_text(statement: number, place: number, text: number, length: number, destructor: number): number;
    _sqlite3_bind_blob(statement: number, place: number, bytes: number, length: number, destructor: number): number;
    _sqlite3_errmsg(db: number): number;
  }

  export interface Options {
    /** `false`: functions with the names of SQLite's own are those. */
    useOldExtensionFunctions?: boolean;
    locateFile?(file: string): string;
    /** Instead of fetching and instantiating the wasm: calls `done` with the instance. */
    instantiateWasm?(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module?: WebAssembly.Module) => void,
    ): object;
  }

  // biome-ignore lint/style/noDefaultExport: sql.js's choice.
  export default function initSqlJs(options: Options): Promise<SqlJs>;
}
