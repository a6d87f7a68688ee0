//! The sink that passes points with their fields to a visitor.
//!
//! Fields: `statement`, `vars` with a field for each variable by its name, and as far as the point has them `aux` and
//! `buffer_sizes`, which has sizes in bytes by address. The name is that of the statement.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::batch::TrackId;
use crate::locator::Locator;
use crate::records::{FieldValue, Record, RecordName, Visitor};

use super::decode::{Sink, VariableHeader};
use super::index::TraceDbRecords;
use super::point::MAX_ENTRIES;
use super::tracks::{ANOTHER_STATEMENT, NO_STATEMENT};
use super::wire::{Number, StatementId};

/// Limit for the bytes of blobs of a point that are passed on or printed.
pub(super) const MAX_BLOBS: usize = 64 << 20;

/// What [`ToVisitor`] keeps from one portion to the next: the current point.
pub(super) struct Held<'a> {
    records: &'a TraceDbRecords,
    /// The number of the current point, and how many points are still to come.
    row: u64,
    pub(super) left: u64,
    at: u64,
    statement: Option<StatementId>,
    variables: Vec<(VariableHeader, Content)>,
    /// The bytes of all blobs, one after the other.
    blobs: Vec<u8>,
    auxiliary: Vec<u64>,
    buffer_sizes: Vec<(u64, u64)>,
    /// The current blob belongs to a variable that was left out.
    left_out: bool,
    /// The latest statements, each at a place that its bits give. The points of a loop are at a few statements.
    recent: Vec<Named>,
    key: String,
}

/// The name and the track of points at a statement, as the timeline has them.
#[derive(Clone, Debug, Default)]
struct Named {
    /// The statement. The outer option is `None` in an empty slot.
    id: Option<Option<StatementId>>,
    name: String,
    track: TrackId,
}

/// Statements whose names are kept.
const RECENT: u64 = 256;

#[derive(Clone, Copy, Debug)]
enum Content {
    Number(Number),
    /// `len` bytes, of which those from `from` to `to` of [`Held::blobs`] were kept.
    Blob {
        len: u32,
        from: usize,
        to: usize,
    },
}

impl<'a> Held<'a> {
    /// Before `left` points, the first of which is point `row`.
    pub(super) fn new(records: &'a TraceDbRecords, row: u64, left: u64) -> Self {
        Self {
            records,
            row,
            left,
            at: 0,
            statement: None,
            variables: Vec::new(),
            blobs: Vec::new(),
            auxiliary: Vec::new(),
            buffer_sizes: Vec::new(),
            left_out: false,
            recent: alloc::vec![Named::default(); RECENT as usize],
            key: String::new(),
        }
    }

    fn has_room(&self) -> bool {
        self.variables.len() + self.auxiliary.len() + self.buffer_sizes.len() < MAX_ENTRIES
    }

    /// The name and the track of the current point. Every statement has a slot.
    fn named(&mut self) -> Option<&mut Named> {
        let Self { records, statement, recent, .. } = self;
        let named = recent.get_mut((statement.map_or(0, StatementId::bits) % RECENT) as usize)?;
        if named.id != Some(*statement) {
            named.id = Some(*statement);
            named.track = records.track_of(*statement);
            named.name.clear();
            match *statement {
                None => named.name.push_str(NO_STATEMENT),
                Some(id) if records.is_named(id) => {
                    // Writing to a String cannot fail.
                    let _ = write!(named.name, "{id}");
                }
                Some(_) => named.name.push_str(ANOTHER_STATEMENT),
            }
        }
        Some(named)
    }
}

/// The sink, for one portion.
pub(super) struct ToVisitor<'a, 'b> {
    pub(super) held: &'a mut Held<'b>,
    pub(super) visitor: &'a mut dyn Visitor,
}

impl ToVisitor<'_, '_> {
    /// Passes on the current point. `incomplete`: the trace ends or breaks within it.
    pub(super) fn point(&mut self, incomplete: bool) {
        let Self { held, visitor } = self;
        let (at, row, statement) = (held.at, held.row, held.statement);
        let Some(named) = held.named() else { return };
        if incomplete {
            named.id = None;
            if let Some(id) = statement {
                named.name.clear();
                let _ = write!(named.name, "{id}");
            }
            named.name.push_str(" (incomplete)");
        }
        let (track, name) = (named.track, RecordName::Text(&named.name));
        let is_wanted = visitor.begin(&Record { locator: Locator::at(at), lane: 0, row, x: row, track, name });
        held.row += 1;
        held.left = held.left.saturating_sub(1);
        if is_wanted {
            put_fields(held, *visitor);
            visitor.end();
        }
    }
}

fn put_fields(held: &mut Held<'_>, visitor: &mut dyn Visitor) {
    let Held { records, statement, variables, blobs, auxiliary, buffer_sizes, key, .. } = held;
    put_statement(*statement, key, visitor);
    let tables = &records.index.tables;
    visitor.open("vars", false);
    for (variable, content) in variables {
        let value = match *content {
            Content::Number(Number::Unsigned(n)) => FieldValue::U64(n),
            Content::Number(Number::Signed(n)) => FieldValue::I64(n),
            Content::Number(Number::Float(n)) => FieldValue::F64(n),
            Content::Number(Number::Pointer(n)) => FieldValue::Hex(n),
            Content::Blob { len, from, to } => {
                FieldValue::Bytes { bytes: blobs.get(from..to).unwrap_or_default(), len: len.into() }
            }
        };
        let name = tables.text(variable.name).filter(|name| !name.is_empty());
        visitor.field(name.as_deref().unwrap_or("(no name)"), value);
    }
    visitor.close();
    if !auxiliary.is_empty() {
        visitor.open("aux", true);
        auxiliary.iter().for_each(|value| visitor.field("", FieldValue::U64(*value)));
        visitor.close();
    }
    if !buffer_sizes.is_empty() {
        visitor.open("buffer_sizes", false);
        for (address, size) in buffer_sizes {
            key.clear();
            // Writing to a String cannot fail.
            let _ = write!(key, "{address:#x}");
            visitor.field(key, FieldValue::U64(*size));
        }
        visitor.close();
    }
}

/// A statement of a file is a symbol such as `7:12`: the number has 64 bits, composed of file and place.
fn put_statement(statement: Option<StatementId>, scratch: &mut String, visitor: &mut dyn Visitor) {
    let value = match statement.map(|id| (id, id.file())) {
        None => FieldValue::Null,
        Some((id, None)) => FieldValue::Id(id.bits() as i64),
        Some((id, Some(file))) => {
            scratch.clear();
            let _ = write!(scratch, "{file}:{}", id.place());
            let value = FieldValue::Hex(id.bits());
            return visitor.field("statement", FieldValue::Symbol { name: scratch, value: &value });
        }
    };
    visitor.field("statement", value);
}

impl Sink for ToVisitor<'_, '_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.held.left == 0 || self.visitor.is_full()
    }

    fn begin(&mut self, at: u64) {
        let held = &mut *self.held;
        held.at = at;
        held.statement = None;
        held.variables.clear();
        held.blobs.clear();
        held.auxiliary.clear();
        held.buffer_sizes.clear();
    }

    fn statement(&mut self, id: StatementId) {
        self.held.statement = Some(id);
    }

    fn number(&mut self, variable: VariableHeader, value: Number, _size: u8) {
        if self.held.has_room() {
            self.held.variables.push((variable, Content::Number(value)));
        }
    }

    fn blob(&mut self, variable: VariableHeader, len: u32) {
        let from = self.held.blobs.len();
        self.held.left_out = !self.held.has_room();
        if !self.held.left_out {
            self.held.variables.push((variable, Content::Blob { len, from, to: from }));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let held = &mut *self.held;
        if held.left_out {
            return;
        }
        let room = MAX_BLOBS.saturating_sub(held.blobs.len());
        held.blobs.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if let Some((_, Content::Blob { to, .. })) = held.variables.last_mut() {
            *to = held.blobs.len();
        }
    }

    fn buffer_size(&mut self, _at: u64, address: u64, size: u64) {
        if self.held.has_room() {
            self.held.buffer_sizes.push((address, size));
        }
    }

    fn auxiliary(&mut self, value: u64) {
        if self.held.has_room() {
            self.held.auxiliary.push(value);
        }
    }

    fn end(&mut self, _next: u64) {
        self.point(false);
    }
}
