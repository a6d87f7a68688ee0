import type { SqlFile } from '../../../trace/worker/sqlite.ts';

/** What `sqlite3_step` returns for a statement that is done. */
const DONE = 101;
/** The length of a text that is missing. */
const NONE = 2 ** 32 - 1;

/**
 * The tables `records` and `fields`, from rows as the record worker makes them (`TableBytes` in `crate/records/src/tabulate.rs`).
 * They are inserted beside the other tables of a trace, because values have any length. Texts and bytes are bound where they are in the memory of SQLite, so no value
 * becomes an object of JavaScript.
 */
export class DetailTables {
  readonly #file: SqlFile;
  readonly #record: number;
  readonly #field: number;
  /** For integers beyond 32 bits: sql.js can bind them as texts only. */
  readonly #longField: number;
  #id = 0;

  /** Adds empty tables to those of a trace. Throws if there is no room for them. */
  constructor(file: SqlFile) {
    this.#file = file;
    file.beginWriting();
    file.database.run(
      'create table records (id integer primary key, time integer, track integer, name text); ' +
        'create table fields (record integer, key text, value, symbol text)',
    );
    this.#record = this.#prepare('insert into records values (?, cast(? as integer), ?, ?)');
    this.#field = this.#prepare('insert into fields values (?, ?, ?, ?)');
    this.#longField = this.#prepare('insert into fields values (?, ?, cast(? as integer), ?)');
  }

  /** Adds rows. Throws if there is no room for them. */
  add(portion: Uint8Array): void {
    const { sql, memory } = this.#file.library;
    const start = sql._malloc(portion.length);
    if (start === 0) throw new Error('Not enough memory for the records.');
    try {
      new Uint8Array(memory.buffer, start, portion.length).set(portion);
      const view = new DataView(portion.buffer, portion.byteOffset, portion.length);
      let at = 0;
      while (at < portion.length) {
        at = portion[at] === 1 ? this.#addRecord(view, start, at + 1) : this.#addField(view, start, at + 1);
      }
    } finally {
      sql._free(start);
    }
  }

  /** Ends the adding. Nearly every query looks for the fields of a record. */
  finish(): void {
    const { sql } = this.#file.library;
    for (const statement of [this.#record, this.#field, this.#longField]) sql._sqlite3_finalize(statement);
    this.#file.database.run('create index fields_of_records on fields (record)');
    this.#file.endWriting();
  }

  #prepare(text: string): number {
    const { sql, memory } = this.#file.library;
    const chars = sql.stringToNewUTF8(text);
    const place = sql._malloc(4);
    try {
      sql._sqlite3_prepare_v2(this.#file.database.db, chars, -1, place, 0);
      return new DataView(memory.buffer).getUint32(place, true);
    } finally {
      sql._free(chars);
      sql._free(place);
    }
  }

  #addRecord(view: DataView, start: number, from: number): number {
    const { sql } = this.#file.library;
    const statement = this.#record;
    this.#id += 1;
    sql._sqlite3_bind_int(statement, 1, this.#id);
    this.#bindInteger(statement, 2, view.getBigInt64(from, true));
    sql._sqlite3_bind_int(statement, 3, view.getUint32(from + 8, true) + 1);
    const end = this.#bindText(statement, 4, view, start, from + 12);
    this.#insert(statement);
    return end;
  }

  #addField(view: DataView, start: number, from: number): number {
    const { sql } = this.#file.library;
    const key = from;
    const symbol = afterText(view, key);
    const kind = afterText(view, symbol);
    const value = kind + 1;
    const integer = view.getUint8(kind) === 1 ? view.getBigInt64(value, true) : null;
    const isLong = integer !== null && BigInt.asIntN(32, integer) !== integer;
    const statement = isLong ? this.#longField : this.#field;
    sql._sqlite3_bind_int(statement, 1, this.#id);
    this.#bindText(statement, 2, view, start, key);
    this.#bindText(statement, 4, view, start, symbol);
    let end = value;
    switch (view.getUint8(kind)) {
      case 1:
        this.#bindInteger(statement, 3, integer!);
        end = value + 8;
        break;
      case 2:
        sql._sqlite3_bind_double(statement, 3, view.getFloat64(value, true));
        end = value + 8;
        break;
      case 3:
        end = this.#bindText(statement, 3, view, start, value);
        break;
      case 4:
        end = afterText(view, value);
        sql._sqlite3_bind_blob(statement, 3, start + value + 4, end - value - 4, 0);
        break;
    }
    this.#insert(statement);
    return end;
  }

  /** Binds an integer: one beyond 32 bits as the text that the statement casts. */
  #bindInteger(statement: number, place: number, integer: bigint): void {
    const { sql } = this.#file.library;
    if (BigInt.asIntN(32, integer) === integer) {
      sql._sqlite3_bind_int(statement, place, Number(integer));
      return;
    }
    const chars = sql.stringToNewUTF8(String(integer));
    // SQLite copies it.
    sql._sqlite3_bind_text(statement, place, chars, -1, -1);
    sql._free(chars);
  }

  /** Binds a text, null if it is missing. Returns where it ends. */
  #bindText(statement: number, place: number, view: DataView, start: number, at: number): number {
    const length = view.getUint32(at, true);
    if (length === NONE) return at + 4;
    this.#file.library.sql._sqlite3_bind_text(statement, place, start + at + 4, length, 0);
    return at + 4 + length;
  }

  #insert(statement: number): void {
    const { sql } = this.#file.library;
    const result = sql._sqlite3_step(statement);
    sql._sqlite3_reset(statement);
    sql._sqlite3_clear_bindings(statement);
    if (result !== DONE) throw new Error(sql.UTF8ToString(sql._sqlite3_errmsg(this.#file.database.db)));
  }
}

/** Where a text ends. */
function afterText(view: DataView, at: number): number {
  const length = view.getUint32(at, true);
  return at + 4 + (length === NONE ? 0 : length);
}
