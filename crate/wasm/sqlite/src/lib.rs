//! Rows through sql.js: bindings of its objects, and a [`RowSource`] over them.

use gloo_utils::errors::JsError;
use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array};
use unspool_records::RowSource;
use unspool_records::UNREADABLE;
use unspool_trace::error::Class;
use unspool_trace::rows::{Cell, Shape};
use unspool_trace::{Query, RowError, Rows};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "import type { SqlFile } from '../../trace/worker/sqlite.ts';\n";

#[wasm_bindgen]
extern "C" {
    /// `SqlFile` of `web/trace/worker/sqlite.ts`: a database that sql.js reads from a file.
    #[wasm_bindgen(typescript_type = "SqlFile")]
    pub type SqlFile;

    #[wasm_bindgen(method, getter)]
    fn database(this: &SqlFile) -> Database;

    /// Runs a query of numbers. [`SqlFile::values`] returns them.
    #[wasm_bindgen(method, catch)]
    fn doubles(this: &SqlFile, sql: &str, columns: u32) -> Result<Outcome, JsValue>;

    #[wasm_bindgen(method)]
    fn values(this: &SqlFile) -> Float64Array;

    /// Bytes of the file; empty only at its end. `None` if they cannot be read, or if sql.js has a
    /// copy of the file.
    #[wasm_bindgen(method)]
    fn read(this: &SqlFile, from: f64, to: f64) -> Option<Uint8Array>;

    /// Why the file itself could not be read.
    #[wasm_bindgen(method)]
    fn failure(this: &SqlFile) -> Option<String>;

    /// The outcome of one page of numbers.
    type Outcome;

    #[wasm_bindgen(method, getter)]
    fn rows(this: &Outcome) -> u32;

    /// SQLite's error about the row after the last.
    #[wasm_bindgen(method, getter)]
    fn error(this: &Outcome) -> Option<String>;

    /// `Database` of sql.js.
    type Database;

    #[wasm_bindgen(method, catch)]
    fn prepare(this: &Database, sql: &str) -> Result<Statement, JsValue>;

    /// `Statement` of sql.js.
    type Statement;

    #[wasm_bindgen(method, catch)]
    fn step(this: &Statement) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn get(this: &Statement, parameters: &JsValue, config: &JsValue) -> Result<Array, JsValue>;

    #[wasm_bindgen(method)]
    fn free(this: &Statement) -> bool;
}

/// Rows of a database that sql.js has open.
pub struct SqlRows(
    /// The database.
    pub SqlFile,
);

impl SqlRows {
    /// Fetches whole numbers: directly if doubles hold them, otherwise in halves.
    fn numbers(&self, query: &Query, small: bool, out: &mut Rows) -> Result<(), RowError> {
        let columns = query.select.len();
        let halves = if small { 1 } else { 2 };
        let sql = if small { query.sql() } else { query.split_sql() };
        let width = columns * halves;
        let outcome = self.0.doubles(&sql, width as u32).map_err(row_error)?;
        let values = self.0.values().subarray(0, outcome.rows() * width as u32).to_vec();
        for row in values.chunks_exact(width) {
            for (column, value) in out.ints.iter_mut().zip(row.chunks_exact(halves)) {
                column.push(match value {
                    // The upper half carries the sign.
                    [upper, lower] => (*upper as i64) << 32 | *lower as i64,
                    [value, ..] => *value as i64,
                    [] => 0,
                });
            }
        }
        match outcome.error() {
            Some(words) => Err(damaged(&words)),
            None => Ok(()),
        }
    }

    /// Fetches rows of any values.
    fn cells(&self, query: &Query, out: &mut Rows) -> Result<(), RowError> {
        let statement = self.0.database().prepare(&query.sql()).map_err(row_error)?;
        let config = Object::new();
        let _ = Reflect::set(&config, &"useBigInt".into(), &JsValue::TRUE);
        let end = loop {
            match statement.step() {
                Ok(false) => break Ok(()),
                Ok(true) => match statement.get(&JsValue::NULL, &config) {
                    Ok(row) => out.cells.push(row.iter().map(|value| cell(&value)).collect()),
                    Err(error) => break Err(row_error(error)),
                },
                Err(error) => break Err(row_error(error)),
            }
        };
        statement.free();
        end
    }
}

impl RowSource for SqlRows {
    fn rows(&self, query: &Query, out: &mut Rows) -> Result<(), RowError> {
        let end = match query.shape {
            Shape::Ints { small } => {
                out.clear(query.select.len());
                self.numbers(query, small, out)
            }
            Shape::Cells => {
                out.clear(0);
                self.cells(query, out)
            }
        };
        // SQLite reports bytes that cannot be read as damage.
        if self.0.failure().is_some() {
            return Err(RowError::new(Class::Unreadable, UNREADABLE));
        }
        end
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let bytes = self.0.read(at as f64, at as f64 + buffer.len() as f64)?;
        let len = bytes.length() as usize;
        bytes.copy_to(buffer.get_mut(..len)?);
        Some(len)
    }
}

fn cell(value: &JsValue) -> Cell {
    if let Some(text) = value.as_string() {
        return Cell::Text(text);
    }
    if let Some(number) = value.as_f64() {
        return Cell::Real(number);
    }
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Cell::Blob(bytes.to_vec());
    }
    if value.is_bigint() {
        return i64::try_from(value.clone()).map_or(Cell::Null, Cell::Int);
    }
    Cell::Null
}

/// The error that sql.js throws, with SQLite's message.
fn row_error(error: JsValue) -> RowError {
    match JsError::try_from(error) {
        Ok(error) => damaged(&error.message),
        Err(other) => damaged(&other.to_string()),
    }
}

fn damaged(words: &str) -> RowError {
    let class = if words.contains("not a database") { Class::Unsupported } else { Class::Malformed };
    RowError::new(class, format!("The database cannot be read: {words}."))
}
