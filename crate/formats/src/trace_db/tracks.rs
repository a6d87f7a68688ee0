//! Tracks and names: of statements, variables, and buffers.
//!
//! ```text
//! file 7                    the statements of a file; those without a file have top-level "statements"
//!   statements              an instant for each point
//! variables
//!   i : int                 a value track for each variable, identified by name and type
//! buffers                   lifetimes of buffers
//! auxiliary                 an instant and a sample for each auxiliary value
//! ```

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_trace::batch::{
    EventBatch, EventKind, Key as NameKey, Name, SliceKind, Stacking, TrackDef, TrackId, TrackKind, ValueKind,
};
use unspool_trace::error::Result;
use unspool_trace::kept;
use unspool_trace::limits::Limits;
use unspool_trace::locator::Locator;
use unspool_trace::problem::{Problem, ProblemKind};

use crate::names::Texts;

use super::Located;
use super::checkpoints::{Occurrences, PointRef};
use super::decode::VariableHeader;
use super::problems::{BUFFERS_NOT_SHOWN, FILES_NOT_SHOWN, LIVE_BUFFERS_NOT_SHOWN, NOT_SHOWN, STATEMENTS_NOT_SHOWN};
use super::wire::{Number, StatementId, Tables, Type};

/// Limits for value tracks, for files with tracks of their own, and for statements and buffers with
/// names of their own. A page with more of them would be unusable.
const MAX_VALUES: usize = 4096;
const MAX_FILES: usize = 1024;
const MAX_STATEMENTS: usize = 1 << 20;
const MAX_BUFFER_NAMES: usize = 1 << 20;
/// Limit for buffers shown at the same time: each takes a row.
const MAX_ROWS: usize = 1024;
const NONE: u32 = u32::MAX;
/// The names of points without a statement, and of those at statements beyond the limit.
pub(super) const NO_STATEMENT: &str = "no statement";
pub(super) const ANOTHER_STATEMENT: &str = "another statement";
/// Entries of the direct-mapped cache in front of `by_key`.
const RECENT: usize = 1024;

/// A statement that occurred.
struct Statement {
    id: StatementId,
    name: u32,
    file: u32,
    points: Occurrences,
    /// The statement after its last occurrence. In a loop it is usually the next one again.
    next: u32,
}

/// The tracks of one source file, or of all statements without a file.
#[derive(Clone, Copy)]
struct File {
    id: Option<u32>,
    /// The track of its statements; [`NONE`] until it is needed.
    lane: TrackId,
}

/// A variable with a value track.
#[derive(Clone, Copy)]
struct Value {
    track: TrackId,
    last: u64,
}

/// The identity of a variable: name and type, as in the table of variables. A trace does not say
/// which function it belongs to, and a file has several variables of one name, too.
type Key = (u32, u32);

/// The place of a variable in the cache.
#[inline]
fn hash_of((name, of_type): Key) -> usize {
    (name.wrapping_mul(31) ^ of_type.wrapping_mul(7)) as usize % RECENT
}

/// All tracks and names of a trace.
pub(crate) struct Tracks {
    limits: Limits,
    texts: Texts,
    count: u32,
    files: Vec<File>,
    file_of: HashMap<Option<u32>, u32>,
    statements: Vec<Statement>,
    /// Bytes of memory of the places of statements.
    place_bytes: u64,
    by_id: HashMap<StatementId, u32>,
    latest: u32,
    no_statement: u32,
    values: Vec<Value>,
    /// The track above them; [`NONE`] until there is one.
    variables: TrackId,
    by_key: HashMap<Key, u32>,
    recent: Vec<(Key, u32)>,
    buffers: TrackId,
    open: HashMap<u64, u32>,
    buffer_names: usize,
    auxiliary: TrackId,
    auxiliary_name: u32,
    /// Kinds of problems already reported.
    reported: Vec<&'static ProblemKind>,
}

impl Tracks {
    /// Bytes of memory.
    pub(crate) fn kept_bytes(&self) -> u64 {
        let found = kept::table::<(Option<u32>, u32)>(self.file_of.capacity())
            + kept::table::<(StatementId, u32)>(self.by_id.capacity())
            + kept::table::<(Key, u32)>(self.by_key.capacity())
            + kept::table::<(u64, u32)>(self.open.capacity());
        let lists = kept::list(&self.files) + kept::list(&self.statements) + kept::list(&self.values);
        self.texts.bytes() + lists + found + self.place_bytes
    }

    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            texts: Texts::default(),
            count: 0,
            files: Vec::new(),
            file_of: HashMap::new(),
            statements: Vec::new(),
            place_bytes: 0,
            by_id: HashMap::new(),
            latest: NONE,
            no_statement: NONE,
            values: Vec::new(),
            variables: NONE,
            by_key: HashMap::new(),
            recent: alloc::vec![((NONE, NONE), NONE); RECENT],
            buffers: NONE,
            open: HashMap::new(),
            buffer_names: 0,
            auxiliary: NONE,
            auxiliary_name: NONE,
            reported: Vec::new(),
        }
    }

    /// The points at each statement that has a name.
    pub(super) fn occurrences(&self) -> impl Iterator<Item = (StatementId, &Occurrences)> {
        self.statements.iter().map(|statement| (statement.id, &statement.points))
    }

    /// The track of the statements of each file, and of those without a file.
    pub(super) fn files(&self) -> Vec<(Option<u32>, TrackId)> {
        self.files.iter().filter(|file| file.lane != NONE).map(|file| (file.id, file.lane)).collect()
    }

    /// The slot of a file. If there are too many files, returns that of statements without one.
    fn file_slot(&mut self, id: Option<u32>, at: u64, out: &mut EventBatch) -> u32 {
        if let Some(slot) = self.file_of.get(&id) {
            return *slot;
        }
        if id.is_some() && self.files.len() >= MAX_FILES.min(self.limits.tracks as usize) {
            let named = self.files.len() - usize::from(self.file_of.contains_key(&None));
            self.report(&FILES_NOT_SHOWN, named, at, out);
            return self.file_slot(None, at, out);
        }
        let slot = self.files.len() as u32;
        self.files.push(File { id, lane: NONE });
        self.file_of.insert(id, slot);
        slot
    }

    /// Adds a point, complete or not.
    #[inline]
    pub(crate) fn point(
        &mut self,
        id: Option<StatementId>,
        point: PointRef,
        interval: u32,
        incomplete: bool,
        out: &mut EventBatch,
    ) -> Result<()> {
        let (mut name, file) = match id {
            Some(id) => self.statement(id, point, interval, out)?,
            None => {
                if self.no_statement == NONE {
                    self.no_statement = self.of_statement(NO_STATEMENT, point.at, out)?;
                }
                (self.no_statement, self.file_slot(None, point.at, out))
            }
        };
        if incomplete {
            let text = id.map_or_else(|| "no statement (incomplete)".into(), |id| format!("{id} (incomplete)"));
            name = self.of_statement(&text, point.at, out)?;
        }
        let lane = self.lane(file, out);
        out.push(EventKind::Instant, lane, point.number, name, Locator::at(point.at));
        out.records += 1;
        Ok(())
    }

    /// The name of points at no statement that has one.
    #[cold]
    fn of_statement(&mut self, text: &str, at: u64, out: &mut EventBatch) -> Result<u32> {
        self.texts.number_of(SliceKind::Statement, text, at, self.limits.names, out)
    }

    #[inline]
    fn statement(
        &mut self,
        id: StatementId,
        point: PointRef,
        interval: u32,
        out: &mut EventBatch,
    ) -> Result<(u32, u32)> {
        let before = self.latest;
        let guess = self.statements.get(before as usize).map_or(NONE, |s| s.next);
        if let Some(statement) = self.statements.get_mut(guess as usize).filter(|s| s.id == id) {
            self.place_bytes += statement.points.add(point, interval);
            self.latest = guess;
            return Ok((statement.name, statement.file));
        }
        let found = match self.by_id.get(&id) {
            Some(i) => *i,
            None => return self.new_statement(id, point, interval, out),
        };
        self.follow(before, found);
        let Some(statement) = self.statements.get_mut(found as usize) else { return Ok((0, 0)) };
        self.place_bytes += statement.points.add(point, interval);
        Ok((statement.name, statement.file))
    }

    #[cold]
    fn new_statement(
        &mut self,
        id: StatementId,
        point: PointRef,
        interval: u32,
        out: &mut EventBatch,
    ) -> Result<(u32, u32)> {
        let file = self.file_slot(id.file(), point.at, out);
        if self.statements.len() >= MAX_STATEMENTS {
            self.report(&STATEMENTS_NOT_SHOWN, MAX_STATEMENTS, point.at, out);
            let name = self.of_statement(ANOTHER_STATEMENT, point.at, out)?;
            return Ok((name, file));
        }
        let name = Name { text: id.to_string(), kind: SliceKind::Statement, key: NameKey::Statement(id.bits()) };
        let name = self.texts.once(name, point.at, self.limits.names, out)?;
        let i = self.statements.len() as u32;
        let points = Occurrences::new(point, interval);
        self.statements.push(Statement { id, name, file, points, next: NONE });
        self.by_id.insert(id, i);
        let before = self.latest;
        self.follow(before, i);
        Ok((name, file))
    }

    fn follow(&mut self, before: u32, now: u32) {
        if let Some(before) = self.statements.get_mut(before as usize) {
            before.next = now;
        }
        self.latest = now;
    }

    /// Adds a variable's value at point `time`. Only changes become samples, because a value holds
    /// until the next.
    #[inline]
    pub(crate) fn number(
        &mut self,
        tables: &Tables,
        statement: Option<StatementId>,
        variable: VariableHeader,
        number: Number,
        time: u64,
        out: &mut EventBatch,
    ) {
        let key = (variable.name, variable.of_type);
        let slot = match self.recent.get(hash_of(key)) {
            Some((known, slot)) if *known == key => *slot,
            _ => self.value_slot(tables, statement, key, number, variable.at, out),
        };
        let bits = number.bits();
        let Some(value) = self.values.get_mut(slot as usize) else { return };
        if value.last != bits {
            value.last = bits;
            out.push_sample(value.track, time, bits);
        }
    }

    #[cold]
    fn value_slot(
        &mut self,
        tables: &Tables,
        statement: Option<StatementId>,
        key: Key,
        number: Number,
        at: u64,
        out: &mut EventBatch,
    ) -> u32 {
        let slot = match self.by_key.get(&key) {
            Some(slot) => *slot,
            None if self.values.len() >= MAX_VALUES.min(self.limits.tracks as usize) => {
                self.report(&NOT_SHOWN, self.values.len(), at, out);
                return NONE;
            }
            None => {
                let (name, of_type) = key;
                let group = self.group(statement, at, out);
                let slot = self.values.len() as u32;
                let text = match tables.text(name).unwrap_or_default() {
                    empty if empty.is_empty() => "(no name)".into(),
                    text => text,
                };
                let track = self.define(
                    TrackDef {
                        parent: Some(group),
                        detail: tables.type_name(of_type).into_owned(),
                        values: match number {
                            Number::Unsigned(_) => ValueKind::Unsigned,
                            Number::Pointer(_) => ValueKind::Address,
                            Number::Signed(_) => ValueKind::Signed,
                            Number::Float(_) => ValueKind::Float,
                        },
                        width: tables.types().get(of_type as usize).map_or(0, Type::width),
                        ..TrackDef::new(TrackKind::Counter, text)
                    },
                    out,
                );
                // Differs from the value about to come.
                self.values.push(Value { track, last: !number.bits() });
                self.by_key.insert(key, slot);
                slot
            }
        };
        if let Some(recent) = self.recent.get_mut(hash_of(key)) {
            *recent = (key, slot);
        }
        slot
    }

    /// The buffer at `address` has a new size in bytes; size 0 frees it.
    pub(crate) fn buffer(&mut self, address: u64, size: u64, at: u64, time: u64, out: &mut EventBatch) -> Result<()> {
        if let Some(name) = self.open.remove(&address) {
            out.push(EventKind::End, self.buffers, time, name, Locator::at(at));
        }
        if size == 0 {
            return Ok(());
        }
        if self.open.len() >= MAX_ROWS || self.buffer_names >= MAX_BUFFER_NAMES {
            if self.open.len() >= MAX_ROWS {
                self.report(&LIVE_BUFFERS_NOT_SHOWN, MAX_ROWS, at, out);
            } else {
                self.report(&BUFFERS_NOT_SHOWN, MAX_BUFFER_NAMES, at, out);
            }
            return Ok(());
        }
        if self.buffers == NONE {
            let lane = TrackDef {
                detail: "from one size to the next, or until freed".into(),
                stacking: Stacking::Overlapping,
                ..TrackDef::new(TrackKind::Lane, "buffers")
            };
            self.buffers = self.define(lane, out);
        }
        let s = if size == 1 { "" } else { "s" };
        let before = out.new_names.len();
        let text = format!("{address:#x}, {size} byte{s}");
        let name = self.texts.number_of(SliceKind::Buffer, &text, at, self.limits.names, out)?;
        self.buffer_names += out.new_names.len() - before;
        self.open.insert(address, name);
        out.push(EventKind::Begin, self.buffers, time, name, Located::BufferSize(at).into());
        Ok(())
    }

    /// Adds a number without a variable.
    pub(crate) fn auxiliary(&mut self, value: u64, point: PointRef, out: &mut EventBatch) -> Result<()> {
        if self.auxiliary == NONE {
            self.auxiliary_name =
                self.texts.number_of(SliceKind::Auxiliary, "auxiliary", point.at, self.limits.names, out)?;
            self.auxiliary = self.define(TrackDef::new(TrackKind::Lane, "auxiliary"), out);
            let values = TrackDef { parent: Some(self.auxiliary), ..TrackDef::new(TrackKind::Counter, "values") };
            self.define(values, out);
        }
        out.push(EventKind::Instant, self.auxiliary, point.number, self.auxiliary_name, Locator::at(point.at));
        out.push_sample(self.auxiliary + 1, point.number, value);
        Ok(())
    }

    /// The track of a file's statements.
    #[inline]
    fn lane(&mut self, file: u32, out: &mut EventBatch) -> TrackId {
        match self.files.get(file as usize) {
            Some(f) if f.lane != NONE => f.lane,
            _ => self.define_lane(file, out),
        }
    }

    /// Defines the track of a file's statements, below the track of the file if there is one.
    #[cold]
    fn define_lane(&mut self, file: u32, out: &mut EventBatch) -> TrackId {
        let Some(id) = self.files.get(file as usize).map(|f| f.id) else { return 0 };
        let parent = id.map(|id| self.define(TrackDef::new(TrackKind::Process, format!("file {id}")), out));
        let lane = self.define(TrackDef { parent, ..TrackDef::new(TrackKind::Lane, "statements") }, out);
        if let Some(f) = self.files.get_mut(file as usize) {
            f.lane = lane;
        }
        lane
    }

    /// The track above the variables, defined after that of the statements of the current point.
    fn group(&mut self, statement: Option<StatementId>, at: u64, out: &mut EventBatch) -> TrackId {
        if self.variables == NONE {
            let file = self.file_slot(statement.and_then(StatementId::file), at, out);
            self.lane(file, out);
            self.variables = self.define(TrackDef::new(TrackKind::Process, "variables"), out);
        }
        self.variables
    }

    fn define(&mut self, def: TrackDef, out: &mut EventBatch) -> TrackId {
        out.new_tracks.push(def);
        self.count += 1;
        self.count - 1
    }

    #[cold]
    fn report(&mut self, kind: &'static ProblemKind, most: usize, at: u64, out: &mut EventBatch) {
        if !self.reported.contains(&kind) {
            self.reported.push(kind);
            out.problems.push(Problem { at, kind, value: most as u64 });
        }
    }
}
