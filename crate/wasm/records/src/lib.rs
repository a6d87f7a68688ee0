//! The reader of records, for JavaScript.

pub mod protocol;

use std::collections::{BTreeMap, HashMap};

use tsify::Ts;
use unspool_compare::Ignore;
use unspool_compare::sequence::Part;
use unspool_compare::tokens::{Contents, Tokens};
use unspool_filter::pattern::{Regex, Regexes};
use unspool_filter::{Beginnings, RecordQuery, Search};
use unspool_formats::open_row_records;
use unspool_formats::table::same;
use unspool_js::columns::{BigUint64Array, Float64Array, Uint8Array, Uint32Array};
use unspool_js::{JsDisassembler, JsFile, thrown, to_js, typed};
use unspool_records::{
    Beside, ByTrack, Collect, List, RecordOut, RecordReader as Engine, RowOut, Scope, Survey, TableBytes, Tabulate,
    TraceErrorOut, Wanted,
};
use unspool_sqlite::{SqlFile, SqlRows};
use unspool_trace::records::Same;
use unspool_trace::{Instructions, Locator};
use wasm_bindgen::prelude::*;

use crate::protocol::{
    CollectTurn, Collected, FoundTokens, Listed, SearchTurn, SurveyTurn, Surveyed, TabulatedPart, TokensPart,
    TokensTurn,
};

pub use unspool_decompressors::provide_decompressors;

// What the structures of libraries are to the page.
#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "
import type { ErrorKind, Ticks } from '../../base/protocol.ts';
import type { RecordFilter } from '../../base/record_protocol.ts';
";

#[wasm_bindgen]
extern "C" {
    /// `Expressions` of `web/trace/worker/record_worker.ts`: compiles regular expressions by the
    /// module of the filter language.
    pub type JsExpressions;

    #[wasm_bindgen(method)]
    fn compile(this: &JsExpressions, source: &str, ignore_case: bool) -> Option<JsExpression>;

    /// `Expression` of that module.
    pub type JsExpression;

    #[wasm_bindgen(method)]
    fn place(this: &JsExpression, text: &str) -> Option<Vec<u32>>;
}

#[wasm_bindgen]
extern "C" {
    /// `RecordFilter` of `web/base/record_protocol.ts`.
    #[wasm_bindgen(typescript_type = "RecordFilter")]
    pub type JsRecordFilter;

    #[wasm_bindgen(method, getter)]
    fn query(this: &JsRecordFilter) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    fn begins(this: &JsRecordFilter) -> Vec<JsBeginnings>;

    /// `Beginnings` of `web/base/record_protocol.ts`.
    pub type JsBeginnings;

    #[wasm_bindgen(method, getter)]
    fn locator(this: &JsBeginnings) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn time(this: &JsBeginnings) -> Vec<u64>;
}

impl Regexes for JsExpressions {
    fn compile(&self, source: &str, ignore_case: bool) -> Result<Box<dyn Regex>, String> {
        let compiled = self.compile(source, ignore_case).ok_or_else(String::new)?;
        Ok(Box::new(compiled))
    }
}

impl Regex for JsExpression {
    fn place(&self, text: &str) -> Option<(usize, usize)> {
        let found = self.place(text)?;
        Some((*found.first()? as usize, *found.get(1)? as usize))
    }
}

/// Reads the records of one trace: a list of them, and any one in full.
#[wasm_bindgen]
pub struct RecordReader {
    engine: Engine,
    list: List,
    survey: Survey,
    collect: Option<Collect>,
    /// By slot.
    searches: [Option<Search>; 2],
    same: Option<Same>,
    tokens: Option<Box<Making>>,
    /// Where the records of each track are.
    by_track: ByTrack,
}

/// Tokens that are being made, and the next piece of the file.
struct Making {
    tokens: Tokens<Contents, String>,
    /// How many were taken away, by track.
    taken: BTreeMap<u32, u32>,
    next: u64,
    /// Pieces from the beginning on that are wanted.
    pieces: u64,
    /// Counts the records of each track as well, if all are read.
    by_track: Option<ByTrack>,
}

/// Records of a trace at most, each of which takes up to four bytes in the worker that compares
/// them.
const MOST_RECORDS: u64 = 1 << 28;

/// Tokens that are taken away together: half a megabyte.
const AT_ONCE: usize = 1 << 17;

/// The module's memory in bytes. It never shrinks.
fn memory() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size(0) as f64 * 65536.0;
    #[cfg(not(target_arch = "wasm32"))]
    return 0.0;
}

/// A number as JavaScript writes it.
fn float_text(number: f64) -> String {
    js_sys::Number::from(number).to_string_with_radix(10).map_or(String::new(), String::from)
}

/// A search for the records that a filter leaves.
fn search_of(
    filter: &JsRecordFilter,
    disassembler: Option<JsDisassembler>,
    expressions: &JsExpressions,
) -> Result<Search, JsValue> {
    let begins: Vec<Beginnings> = filter
        .begins()
        .iter()
        .map(|set| {
            let mut set: Beginnings = set.locator().into_iter().zip(set.time()).collect();
            set.sort_unstable();
            set
        })
        .collect();
    let disassembler = disassembler.map(|it| Box::new(it) as Box<dyn Instructions>);
    RecordQuery::from_bytes(&filter.query())
        .and_then(|query| Search::new(&query, &begins, disassembler, expressions, float_text))
        .ok_or_else(|| thrown("these bytes are no query"))
}

#[wasm_bindgen]
impl RecordReader {
    /// A reader of a file, with the index that the session of its `format` made.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if these bytes are not an index.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, index: &[u8], file: JsFile) -> Result<RecordReader, JsValue> {
        let engine = Engine::open(format, index, Box::new(file)).map_err(|error| to_js(&error))?;
        Ok(Self {
            by_track: ByTrack::new(engine.lanes()),
            engine,
            list: List::default(),
            survey: Survey::default(),
            collect: None,
            searches: Default::default(),
            same: same(format),
            tokens: None,
        })
    }

    /// A reader of a database.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the database cannot be read, or is not a trace.
    #[wasm_bindgen(js_name = ofDatabase)]
    pub fn of_database(
        format: &str,
        file: SqlFile,
        disassembler: Option<JsDisassembler>,
    ) -> Result<RecordReader, JsValue> {
        let instructions = disassembler.map(|it| Box::new(it) as Box<dyn Instructions>);
        let records = open_row_records(format).map_err(|error| to_js(&TraceErrorOut::from(error)))?;
        let engine = Engine::of_database(records, Box::new(SqlRows(file)), instructions);
        let engine = engine.map_err(|error| to_js(&error))?;
        Ok(Self {
            by_track: ByTrack::new(engine.lanes()),
            engine,
            list: List::default(),
            survey: Survey::default(),
            collect: None,
            searches: Default::default(),
            same: same(format),
            tokens: None,
        })
    }

    /// Whether [`provide_decompressors`] must come before any list.
    #[wasm_bindgen(js_name = needsDecompressor)]
    pub fn needs_decompressor(&self) -> bool {
        self.engine.needs_decompressor()
    }

    /// Begins a list of the records between two positions, `to` exclusive, of some tracks. A
    /// missing value means all. A filter has what [`RecordReader::begin_search`] takes.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read, and a text for bytes that are not a query.
    pub fn list(
        &mut self,
        from: Option<u64>,
        to: Option<u64>,
        tracks: Option<Vec<u32>>,
        filter: Option<JsRecordFilter>,
        disassembler: Option<JsDisassembler>,
        expressions: &JsExpressions,
    ) -> Result<(), JsValue> {
        let scope = Scope { range: from.zip(to).map(|(from, to)| from..to), tracks };
        let filter = filter.map(|filter| search_of(&filter, disassembler, expressions)).transpose()?;
        self.list = self.engine.list(&scope, filter).map_err(|error| to_js(&error))?;
        Ok(())
    }

    /// Looks at further records, if the list needs it: several milliseconds of work. Returns
    /// whether the list is complete.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn advance(&mut self) -> Result<bool, JsValue> {
        self.engine.advance(&mut self.list).map_err(|error| to_js(&error))
    }

    /// How long the list is so far.
    pub fn listed(&mut self) -> Ts<Listed> {
        self.list.count();
        let (done, of) = self.list.progress();
        let (rows, in_order) = (self.list.len() as f64, self.list.is_in_order());
        Listed { rows, in_order, done: done as f64, of: of as f64 }.cross()
    }

    /// How far into the file [`RecordReader::advance`] has looked: a fraction of its pieces. 0 for
    /// a database.
    pub fn reached(&self) -> f64 {
        let (at, of) = self.engine.reached(&self.list);
        at as f64 / of.max(1) as f64
    }

    /// At most `count` rows of the list from number `first` on.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn rows(&mut self, first: f64, count: u32) -> Result<Vec<Ts<RowOut>>, JsValue> {
        let rows = self.engine.rows_of(&mut self.list, first as u64, count).map_err(|error| to_js(&error))?;
        Ok(rows.into_iter().map(|row| typed(&RowOut::from(row))).collect())
    }

    /// The number in the list of the record with this locator, position and track, or of the first
    /// record at or after the position. `undefined` if the list ends before.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    #[wasm_bindgen(js_name = rowAt)]
    pub fn row_at(&mut self, x: u64, track: Option<u32>, locator: Option<u64>) -> Result<Option<f64>, JsValue> {
        let row = self.engine.row_at(&mut self.list, x, track, locator.map(Locator::from_bits));
        row.map(|row| row.map(|row| row as f64)).map_err(|error| to_js(&error))
    }

    /// The record at a position, preferably of this track. `undefined` if there is none.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn at(&mut self, x: u64, track: Option<u32>) -> Result<Option<Ts<RowOut>>, JsValue> {
        let row = self.engine.at(x, track).map_err(|error| to_js(&error))?;
        Ok(row.map(|row| typed(&RowOut::from(row))))
    }

    /// Visits further records with all their fields: those of `budget` pieces of the file. The call
    /// after the last starts over.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn survey(&mut self, budget: u32) -> Result<Ts<SurveyTurn>, JsValue> {
        let done = self.engine.survey(&mut self.survey, budget).map_err(|error| to_js(&error))?;
        let Survey { records, fields, .. } = self.survey;
        let (at, of) = self.engine.surveyed(&self.survey);
        if done {
            self.survey = Survey::default();
        }
        let counted = Surveyed { records: records as f64, fields: fields as f64, memory: memory() };
        Ok(SurveyTurn { at: at as f64, of: of as f64, counted }.cross())
    }

    /// Begins to collect records: those that execute an address, or those with a number in the
    /// field to which `path` leads, and with one of the names unless there is none.
    #[wasm_bindgen(js_name = beginCollect)]
    pub fn begin_collect(&mut self, address: Option<u64>, names: Vec<String>, path: Vec<String>) {
        let wanted = address.map_or(Wanted::Field { names, path }, Wanted::Address);
        self.collect = Some(Collect::new(wanted));
    }

    /// Begins to collect records that have the field to which `path` leads, and one of the names
    /// unless there is none, for the texts in it.
    #[wasm_bindgen(js_name = beginTexts)]
    pub fn begin_texts(&mut self, names: Vec<String>, path: Vec<String>) {
        self.collect = Some(Collect::new(Wanted::Texts { names, path }));
    }

    /// Begins to collect records that read or write memory: `len` bytes from `address` on, at
    /// most 8.
    #[wasm_bindgen(js_name = beginMemory)]
    pub fn begin_memory(&mut self, address: u64, len: u8) {
        self.collect = Some(Collect::new(Wanted::Memory { address, len }));
    }

    /// Begins to collect intervals of threads with the same number in the field `key`, or without a
    /// key events with a payload.
    #[wasm_bindgen(js_name = beginRuns)]
    pub fn begin_runs(&mut self, key: Option<String>) {
        self.collect = Some(Collect::new(key.map_or(Wanted::Events, Wanted::Runs)));
    }

    /// Collects from `budget` further pieces of the file. `undefined` if nothing is being
    /// collected.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn collect(&mut self, budget: u32) -> Result<Option<Ts<CollectTurn>>, JsValue> {
        let Some(collect) = &mut self.collect else { return Ok(None) };
        let is_done = self.engine.collect(collect, budget).map_err(|error| to_js(&error))?;
        let (at, of) = self.engine.collected(collect);
        let found = self.collect.take_if(|_| is_done).map(|collect| {
            let (columns, texts) = collect.into_found();
            Collected { texts, ..columns.into() }
        });
        Ok(Some(CollectTurn { at: at as f64, of: of as f64, found }.cross()))
    }

    /// Records between two positions, `to` exclusive, with their fields, as rows for SQL: those of
    /// `budget` pieces of the file from `next` on, 0 at first. At most about `most_rows` rows and
    /// `most_bytes` bytes.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn tabulate(
        &mut self,
        from: Option<u64>,
        to: Option<u64>,
        next: f64,
        budget: u32,
        most_rows: f64,
        most_bytes: f64,
    ) -> Result<Ts<TabulatedPart>, JsValue> {
        let range = from.zip(to).map(|(from, to)| from..to);
        let whole = range.clone().unwrap_or(0..u64::MAX);
        let pieces = self.engine.covering(&whole);
        let next = (next as u64).max(pieces.start);
        let mut table = TableBytes { most: (most_rows as u64, most_bytes as u64), ..TableBytes::default() };
        let next = if next < pieces.end {
            let mut rows = Tabulate::new(&mut table, range);
            self.engine.visit_all(next, budget, &mut rows).map_err(|error| to_js(&error))?
        } else {
            next
        };
        let (bytes, rows) = (Uint8Array(table.bytes), table.rows as f64);
        Ok(TabulatedPart { bytes, rows, next: next as f64, of: pieces.end as f64 }.cross())
    }

    /// Begins a search in a slot, 0 or 1, by what the binder made of an expression. `disassembler`
    /// is needed for instructions.
    ///
    /// # Errors
    ///
    /// Throws a text for bytes that are not a query.
    #[wasm_bindgen(js_name = beginSearch)]
    pub fn begin_search(
        &mut self,
        slot: usize,
        filter: &JsRecordFilter,
        disassembler: Option<JsDisassembler>,
        expressions: &JsExpressions,
    ) -> Result<(), JsValue> {
        let search = search_of(filter, disassembler, expressions)?;
        if let Some(place) = self.searches.get_mut(slot) {
            *place = Some(search);
        }
        Ok(())
    }

    /// Searches `budget` further pieces of the file. `undefined` if the slot has no search.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn search(&mut self, slot: usize, budget: u32) -> Result<Option<Ts<SearchTurn>>, JsValue> {
        let Some(Some(search)) = self.searches.get_mut(slot) else { return Ok(None) };
        self.engine.search(search, budget).map_err(|error| to_js(&error))?;
        let (at, of) = self.engine.searched(search);
        let [at, of, count] = [at, of, search.count()].map(|n| n as f64);
        Ok(Some(SearchTurn { at, of, count, found: search.take().into() }.cross()))
    }

    /// Begins to make tokens of all records, or of those in some pieces of the file from its
    /// beginning on, but for what rules say. `names` are those of `ids`. `modules` are as
    /// `Session.modules` has them.
    ///
    /// # Errors
    ///
    /// Throws a sentence about a rule that cannot be read.
    #[wasm_bindgen(js_name = beginTokens)]
    pub fn begin_tokens(
        &mut self,
        ids: Vec<i64>,
        names: Vec<String>,
        rules: Vec<String>,
        modules: Vec<String>,
        pieces: Option<u32>,
    ) -> Result<(), JsValue> {
        let Some(same) = self.same else { return Ok(()) };
        let ignore = Ignore::parse(rules.iter().map(String::as_str)).map_err(thrown)?;
        let named: HashMap<i64, String> = ids.into_iter().zip(names).collect();
        let tokens = Tokens::new(same.in_full(), true, self.engine.lanes(), Contents::default(), named).in_parts();
        if tokens.expected() > MOST_RECORDS {
            return Err(thrown("These traces have too many records to be compared one by one."));
        }
        let modules = modules.iter().filter_map(|module| {
            let (base, path) = module.split_once(' ')?;
            Some((u64::from_str_radix(base, 16).ok()?, path))
        });
        let by_track = (pieces.is_none() && !self.by_track.is_finished()).then(|| ByTrack::new(self.engine.lanes()));
        self.tokens = Some(Box::new(Making {
            tokens: tokens.ignoring(ignore, modules),
            taken: BTreeMap::new(),
            next: 0,
            pieces: pieces.map_or(u64::MAX, u64::from),
            by_track,
        }));
        Ok(())
    }

    /// Makes tokens of `budget` further pieces of the file. `undefined` if none are being made.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn tokens(&mut self, budget: u32) -> Result<Option<Ts<TokensTurn>>, JsValue> {
        let Some(making) = &mut self.tokens else { return Ok(None) };
        let Making { tokens, by_track, next, .. } = &mut **making;
        let mut visitor = Beside { by_track: by_track.as_mut(), of: tokens };
        *next = self.engine.visit_all(*next, budget, &mut visitor).map_err(|error| to_js(&error))?;
        let (at, all) = self.engine.covered(making.next);
        let of = all.min(making.pieces);
        let fields = self.same.map_or(&[][..], |same| same.full);
        let is_end = at >= of;
        let parts = making.tokens.take_parts(if is_end { 1 } else { AT_ONCE });
        for Part { track, tokens, .. } in parts.iter().flatten() {
            *making.taken.entry(*track).or_default() += tokens.len() as u32;
        }
        let part = parts.map(tokens_part);
        let mut made = self.tokens.take_if(|_| is_end);
        if let Some(mut by_track) = made.as_mut().and_then(|making| making.by_track.take()) {
            by_track.finish();
            self.by_track = by_track;
        }
        let found = made.map(|making| found_tokens(*making, fields));
        Ok(Some(TokensTurn { at: at as f64, of: of as f64, part, found }.cross()))
    }

    /// Looks for where the records of each track are, for [`RecordReader::numbered`]. Returns how
    /// much of that is done, from 0 to 1; `undefined` once it is known.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    #[wasm_bindgen(js_name = countTracks)]
    pub fn count_tracks(&mut self) -> Result<Option<f64>, JsValue> {
        self.engine.count_tracks(&mut self.by_track).map_err(|error| to_js(&error))
    }

    /// At most `count` records of the track from number `first` on. They are known once
    /// [`RecordReader::count_tracks`] returns `undefined`, or [`RecordReader::tokens`] has read
    /// all.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the file cannot be read.
    pub fn numbered(&mut self, track: u32, first: f64, count: u32) -> Result<Vec<Ts<RowOut>>, JsValue> {
        let rows = self.engine.rows_of_track(&self.by_track, track, first as u64, count);
        Ok(rows.map_err(|error| to_js(&error))?.into_iter().map(|row| typed(&RowOut::from(row))).collect())
    }

    /// One record in full.
    ///
    /// # Errors
    ///
    /// Throws a `TraceError` if the record cannot be decoded.
    pub fn details(&mut self, locator: u64) -> Result<Ts<RecordOut>, JsValue> {
        let record = self.engine.details(Locator::from_bits(locator)).map_err(|error| to_js(&error))?;
        Ok(typed(&RecordOut::from(record)))
    }
}

fn tokens_part(parts: Vec<Part>) -> TokensPart {
    let mut places = Vec::new();
    let mut tokens = Vec::with_capacity(parts.iter().map(|part| part.tokens.len()).sum());
    for Part { track, first, tokens: its, expected } in parts {
        places.extend([track, first, its.len() as u32, expected]);
        tokens.extend(its.as_slice().iter());
    }
    TokensPart { places: Uint32Array(places), tokens: Uint32Array(tokens) }
}

fn found_tokens(Making { tokens, taken, .. }: Making, fields: &[&str]) -> FoundTokens {
    let (sequences, contents) = tokens.finish();
    let mut found = FoundTokens {
        tracks: sequences.keys().copied().collect(),
        counts: Uint32Array::default(),
        contents: Uint8Array::default(),
        content_ends: Uint32Array::default(),
        positions: BigUint64Array::default(),
        begins: BigUint64Array::default(),
        left_out: Uint32Array::default(),
        left_out_ends: Uint32Array::default(),
        values_left_out: Float64Array::default(),
        position_ends: Uint32Array::default(),
        position_shifts: Uint8Array::default(),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    };
    for (track, sequence) in sequences {
        let taken = taken.get(&track).copied().unwrap_or_default();
        found.counts.0.push(taken.saturating_sub(sequence.left_out.len() as u32));
        found.begins.0.push(sequence.begin);
        found.left_out.0.extend_from_slice(&sequence.left_out);
        found.left_out_ends.0.push(found.left_out.0.len() as u32);
        found.values_left_out.0.push(sequence.values_left_out as f64);
        found.positions.0.extend_from_slice(sequence.positions.every());
        found.position_ends.0.push(found.positions.0.len() as u32);
        found.position_shifts.0.push(sequence.positions.shift() as u8);
    }
    for content in contents.iter() {
        found.contents.0.extend_from_slice(content);
        found.content_ends.0.push(found.contents.0.len() as u32);
    }
    found
}
