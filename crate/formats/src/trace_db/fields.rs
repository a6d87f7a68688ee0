//! Points as records, for a visitor.
//!
//! Fields: `statement`, `vars` with a field for each variable by its name, and as far as the point
//! has them `aux` and `buffer_sizes`, which has sizes in bytes by address. The name is that of the
//! statement.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use unspool_trace::Digest;
use unspool_trace::batch::TrackId;
use unspool_trace::error::Result;
use unspool_trace::locator::Locator;
use unspool_trace::records::{Extent, FieldValue, Record, RecordName, Visitor};

use super::decode::Points;
use super::index::TraceDbRecords;
use super::point::{Collect, Point};
use super::tracks::{ANOTHER_STATEMENT, NO_STATEMENT};
use super::wire::{StatementId, Tables};

/// Limit for the bytes of blobs of a point that are passed on or printed.
pub(super) const MAX_BLOBS: usize = 64 << 20;

/// What a pass keeps from one portion to the next: the current point.
pub(super) struct Held<'a> {
    records: &'a TraceDbRecords,
    /// The number of the current point, and how many points are still to come.
    row: u64,
    pub(super) left: u64,
    collect: Collect,
    /// The latest statements, each at a place that its bits give. The points of a loop are at a few
    /// statements.
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

impl<'a> Held<'a> {
    /// Before `left` points, the first of which is point `row`.
    pub(super) fn new(records: &'a TraceDbRecords, row: u64, left: u64) -> Self {
        let recent = alloc::vec![Named::default(); RECENT as usize];
        Self { records, row, left, collect: Collect::new(None, MAX_BLOBS), recent, key: String::new() }
    }

    /// Reads points, until there are no more bytes or the visitor is full. Returns how many bytes
    /// it used.
    pub(super) fn run(&mut self, points: &mut Points, bytes: &[u8], visitor: &mut dyn Visitor) -> Result<usize> {
        let tables = &self.records.index.tables;
        self.collect.digests = visitor.extent() == Extent::Digested;
        let mut used = 0;
        while self.left > 0 && !visitor.is_full() {
            used += points.run(tables, bytes.get(used..).unwrap_or_default(), &mut self.collect)?;
            if !core::mem::take(&mut self.collect.done) {
                break;
            }
            self.pass_on(false, visitor);
        }
        Ok(used)
    }

    /// Passes on the current point. `incomplete`: the trace ends or breaks within it.
    pub(super) fn pass_on(&mut self, incomplete: bool, visitor: &mut dyn Visitor) {
        let Self { records, row, left, collect: Collect { point, left_out, .. }, recent, key } = self;
        // Every statement has a slot.
        let slot = (point.statement.map_or(0, StatementId::bits) % RECENT) as usize;
        let Some(named) = recent.get_mut(slot) else { return };
        named.show(records, point.statement);
        if incomplete {
            named.id = None;
            if let Some(id) = point.statement {
                named.name.clear();
                let _ = write!(named.name, "{id}");
            }
            named.name.push_str(" (incomplete)");
        }
        let (locator, track, name) = (Locator::at(point.at), named.track, RecordName::Text(&named.name));
        let is_wanted = visitor.begin(&Record { locator, lane: 0, row: *row, x: *row, track, name });
        *row += 1;
        *left = left.saturating_sub(1);
        if is_wanted {
            put_fields(&records.index.tables, point, left_out.map(Digest::finish), key, visitor);
            visitor.end();
        }
    }
}

impl Named {
    /// Makes it that of a statement.
    fn show(&mut self, records: &TraceDbRecords, statement: Option<StatementId>) {
        if self.id == Some(statement) {
            return;
        }
        self.id = Some(statement);
        self.track = records.track_of(statement);
        self.name.clear();
        match statement {
            None => self.name.push_str(NO_STATEMENT),
            Some(id) if records.is_named(id) => {
                // Writing to a String cannot fail.
                let _ = write!(self.name, "{id}");
            }
            Some(_) => self.name.push_str(ANOTHER_STATEMENT),
        }
    }
}

/// `left_out` is a digest of the entries and bytes that the point does not have.
fn put_fields(
    tables: &Tables,
    point: &Point,
    left_out: Option<[u64; 2]>,
    scratch: &mut String,
    visitor: &mut dyn Visitor,
) {
    put_statement(point.statement, scratch, visitor);
    visitor.open("vars", false);
    for variable in &point.variables {
        let name = tables.text(variable.name).filter(|name| !name.is_empty());
        visitor.field(name.as_deref().unwrap_or("(no name)"), variable.value());
    }
    visitor.close();
    if let Some(digest) = left_out {
        visitor.left_out(digest);
    }
    if !point.auxiliary.is_empty() {
        visitor.open("aux", true);
        point.auxiliary.iter().for_each(|value| visitor.field("", FieldValue::U64(*value)));
        visitor.close();
    }
    if !point.buffer_sizes.is_empty() {
        visitor.open("buffer_sizes", false);
        for (address, size) in &point.buffer_sizes {
            scratch.clear();
            // Writing to a String cannot fail.
            let _ = write!(scratch, "{address:#x}");
            visitor.field(scratch, FieldValue::U64(*size));
        }
        visitor.close();
    }
}

/// A statement of a file is a symbol such as `7:12`: the number has 64 bits, composed of file and
/// place.
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
