//! The details of a point: every variable, and what changed since the previous point at the same
//! statement.
//!
//! The first range reaches from the checkpoint before the point, at most 256 KiB away, to a little
//! after its beginning. More is requested if the point is longer, or if the previous one is before
//! that checkpoint.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use unspool_trace::decoder::Range;
use unspool_trace::details::{Field, RecordDetails, Value};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::locator::Locator;
use unspool_trace::{printed, put_quoted, sort};

use super::Located;
use super::checkpoints::PointRef;
use super::decode::{Points, Sink};
use super::index::TraceDbRecords;
use super::point::{Collect, Content, Point, Variable};
use super::wire::{Kind, LONGEST, StatementId, Tables};

/// Bytes of the point in the first range.
const FIRST_RANGE: u64 = 8 * 1024;
/// Limit for the bytes of the point in all ranges together.
const MAX_POINT: u64 = 512 * 1024;
/// Bytes fetched for the previous point.
const PREVIOUS_RANGE: u64 = 64 * 1024;
/// Limit for each list: variables, buffers, auxiliary values.
const MAX_LIST: usize = 2000;

/// What the bytes fetched for a point consist of.
struct Fetched {
    checkpoint: PointRef,
    /// How many of them, from the checkpoint on, were fetched for the point itself.
    own: usize,
    /// The previous point, if it is before the checkpoint. Its bytes come after the first `own`
    /// ones.
    before: Option<PointRef>,
}

/// How much of a point was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// All of it.
    Complete,
    /// The bytes end within it.
    Short,
    /// It is damaged.
    Broken,
}

impl TraceDbRecords {
    pub(super) fn range_of(&self, locator: Locator) -> Option<Range> {
        match locator.into() {
            Located::BufferSize(at) => Some(Range { at, len: LONGEST as u64 }),
            Located::Point(at) => {
                let checkpoint = self.index.checkpoints.before(at)?;
                Some(self.clipped(checkpoint.at, at - checkpoint.at + FIRST_RANGE))
            }
        }
    }

    pub(super) fn next_range_of(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        let Located::Point(at) = locator.into() else { return None };
        let fetched = self.fetched(at, bytes)?;
        let own = bytes.get(..fetched.own)?;
        let from = usize::try_from(at - fetched.checkpoint.at).ok()?;
        let point = own.get(from..)?;
        if fetched.before.is_none() || fetched.own == bytes.len() {
            let end = fetched.checkpoint.at + fetched.own as u64;
            let more = self.clipped(end, (point.len() as u64 * 7).min(MAX_POINT.saturating_sub(point.len() as u64)));
            if more.len > 0 && !self.is_whole(at, point) {
                return Some(more);
            }
        }
        // The point is complete, or has reached its limit.
        let before = fetched.before.filter(|_| fetched.own == bytes.len())?;
        Some(self.clipped(before.at, PREVIOUS_RANGE))
    }

    pub(super) fn details_of(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let at = match locator.into() {
            Located::BufferSize(at) => return self.buffer_details(at, bytes),
            Located::Point(at) => at,
        };
        let misuse = Error::new(at, Cause::Misuse("no point begins at this offset"));
        let fetched = self.fetched(at, bytes).ok_or(misuse)?;
        let from = usize::try_from(at - fetched.checkpoint.at).map_err(|_| misuse)?;
        let own = bytes.get(..fetched.own).and_then(|b| b.get(from..)).ok_or(misuse)?;
        let mut remarks = Vec::new();
        let (point, ended) = self.point(at, own, &mut remarks);
        if ended != Ended::Complete {
            let cut = fetched.checkpoint.at + fetched.own as u64 >= self.index.end || ended == Ended::Broken;
            remarks.push(if cut {
                "The trace ends or breaks within this point, which may be incomplete.".to_string()
            } else {
                format!("The point is too large to be shown in full; its first {} KiB are shown.", MAX_POINT / 1024)
            });
        }
        for (value, what) in [(point.entries_left_out, "Entries"), (point.bytes_left_out, "Bytes of blobs")] {
            if value > 0 {
                remarks.push(format!("{what} not shown: {value}."));
            }
        }
        let tables = &self.index.tables;
        let mut fields = statement_fields(point.statement);
        if let Some((before, earlier)) = self.earlier(&fetched, at, point.statement, bytes) {
            fields.push(Field::new("Previous at this statement", Value::Ticks(before.number)));
            fields.push(Field::new("Changed since", changes(tables, &earlier, &point)));
        }
        let listed = point
            .variables
            .iter()
            .take(MAX_LIST)
            .map(|v| Field { name: name_of(tables, v.name), value: variable(tables, v) });
        fields.push(Field::new("Variables", Value::Tree(listed.collect())));
        if !point.buffer_sizes.is_empty() {
            let listed = point.buffer_sizes.iter().take(MAX_LIST).map(|(address, size)| Field {
                name: Cow::Owned(format!("{address:#x}")),
                value: if *size == 0 { Value::Text("freed".into()) } else { Value::U64(*size) },
            });
            fields.push(Field::new("Buffer sizes", Value::Tree(listed.collect())));
        }
        if !point.auxiliary.is_empty() {
            let listed = point.auxiliary.iter().take(MAX_LIST).map(|v| Value::U64(*v));
            fields.push(Field::new("Auxiliary", Value::List(listed.collect())));
        }
        let most = point.variables.len().max(point.buffer_sizes.len()).max(point.auxiliary.len());
        if most > MAX_LIST {
            remarks.push(format!("Only the first {MAX_LIST} of {most} entries are listed."));
        }
        Ok(RecordDetails { offset: Some(at), fields, remarks })
    }

    fn buffer_details(&self, at: u64, bytes: &[u8]) -> Result<RecordDetails> {
        let mut sink = OneSize::default();
        let window = bytes.get(..bytes.len().min(LONGEST)).unwrap_or_default();
        Points::new(self.index.layout, at).run(&self.index.tables, window, &mut sink)?;
        let (address, size) =
            sink.found.ok_or(Error::new(at, Cause::Misuse("there is no buffer size at this offset")))?;
        let fields = [
            Field::new("Address", Value::Hex(address)),
            Field::new("Size", Value::U64(size)),
            Field::new("End", Value::Hex(address.saturating_add(size))),
        ];
        Ok(RecordDetails { offset: Some(at), fields: fields.into(), remarks: Vec::new() })
    }

    /// Splits `bytes` into the ranges requested for them. Each range depends only on the content of
    /// the earlier ones.
    fn fetched(&self, at: u64, bytes: &[u8]) -> Option<Fetched> {
        let checkpoint = self.index.checkpoints.before(at)?;
        let from = usize::try_from(at - checkpoint.at).ok()?;
        let mut own = from + FIRST_RANGE as usize;
        while own < bytes.len() {
            let point = bytes.get(from..own)?;
            if point.len() as u64 >= MAX_POINT || self.is_whole(at, point) {
                break;
            }
            own += (point.len() * 7).min(MAX_POINT as usize - point.len());
        }
        let in_file = self.clipped(checkpoint.at, own as u64).len;
        let own = own.min(bytes.len()).min(usize::try_from(in_file).unwrap_or(usize::MAX));
        let statement = self.read(at, bytes.get(from..own)?, Collect::new(None, 0)).0.statement;
        let found = statement.and_then(|id| self.within(checkpoint, at, id, bytes));
        let before = match (statement, found) {
            (Some(id), None) => self.points_of(id).and_then(|points| points.before(checkpoint.at)),
            _ => None,
        };
        Some(Fetched { checkpoint, own, before })
    }

    /// The range, cut off at the end of the file.
    fn clipped(&self, at: u64, len: u64) -> Range {
        let size = self.index.size.unwrap_or(u64::MAX);
        Range { at, len: len.min(size.saturating_sub(at)) }
    }

    /// The previous point at the same statement, in full.
    fn earlier(&self, fetched: &Fetched, at: u64, id: Option<StatementId>, bytes: &[u8]) -> Option<(PointRef, Point)> {
        let (before, bytes) = match fetched.before {
            Some(before) => (before, bytes.get(fetched.own..)?),
            None => {
                let before = self.within(fetched.checkpoint, at, id?, bytes)?;
                (before, bytes.get(usize::try_from(before.at - fetched.checkpoint.at).ok()?..fetched.own)?)
            }
        };
        let (point, ended) = self.point(before.at, bytes, &mut Vec::new());
        (ended == Ended::Complete).then_some((before, point))
    }

    /// The last point at a statement between a checkpoint and the point at `at`.
    fn within(&self, checkpoint: PointRef, at: u64, id: StatementId, bytes: &[u8]) -> Option<PointRef> {
        let len = usize::try_from(at - checkpoint.at).ok()?;
        let mut sink = Last { id, number: checkpoint.number, point: checkpoint, statement: None, found: None };
        // Bytes before the point have been decoded without an error.
        let _ = Points::new(self.index.layout, checkpoint.at).run(&self.index.tables, bytes.get(..len)?, &mut sink);
        sink.found
    }

    /// The point at `at` in full, as far as `bytes` have it.
    fn point(&self, at: u64, bytes: &[u8], remarks: &mut Vec<String>) -> (Point, Ended) {
        let map = self.index.history.before(at).unwrap_or_else(|| {
            remarks.push("Buffer sizes are unknown here: this trace changes buffers too often.".to_string());
            Default::default()
        });
        self.read(at, bytes, Collect::new(Some(map), usize::try_from(self.index.payload).unwrap_or(usize::MAX)))
    }

    fn read(&self, at: u64, bytes: &[u8], mut collect: Collect) -> (Point, Ended) {
        let result = Points::new(self.index.layout, at).run(&self.index.tables, bytes, &mut collect);
        let ended = match result {
            Ok(_) if collect.done => Ended::Complete,
            Ok(_) => Ended::Short,
            Err(_) => Ended::Broken,
        };
        (collect.point, ended)
    }

    /// Whether `bytes` hold the point to its end, or to an error.
    fn is_whole(&self, at: u64, bytes: &[u8]) -> bool {
        self.read(at, bytes, Collect::new(None, 0)).1 != Ended::Short
    }
}

/// The statement, and the file and the index that it is composed of.
fn statement_fields(statement: Option<StatementId>) -> Vec<Field> {
    let Some(id) = statement else { return [Field::new("Statement", Value::Null)].into() };
    match id.file() {
        None => [Field::new("Statement", Value::Id(id.bits() as i64))].into(),
        Some(file) => [
            Field::new("Statement", Value::Hex(id.bits())),
            Field::new("File", Value::Id(file.into())),
            Field::new("Place in the syntax tree", Value::Id(id.place() as i64)),
        ]
        .into(),
    }
}

fn name_of(tables: &Tables, name: u32) -> Cow<'static, str> {
    let text = tables.text(name).unwrap_or_default();
    Cow::Owned(if text.is_empty() { "(no name)".into() } else { text.into_owned() })
}

fn variable(tables: &Tables, v: &Variable) -> Value {
    let mut fields: Vec<Field> = [
        Field::new("Value", content(tables, v)),
        Field::new("Type", Value::Text(tables.type_name(v.of_type).into_owned())),
        Field::new("Size", Value::U64(v.size.into())),
    ]
    .into();
    if let Some(bytes) = v.buffer_size {
        fields.push(Field::new("Buffer size", Value::U64(bytes)));
    }
    Value::Tree(fields)
}

fn content(tables: &Tables, v: &Variable) -> Value {
    let value = Value::from(v.value());
    let Content::Bytes(bytes) = &v.content else { return value };
    // In practice, blobs are strings.
    match printed(bytes, v.size.into()).filter(|text| !text.is_empty() && is_blob(tables, v)) {
        Some(text) => {
            let mut name = String::new();
            put_quoted(&mut name, text, text.len());
            Value::Symbol { name, value: Box::new(value) }
        }
        None => value,
    }
}

fn is_blob(tables: &Tables, v: &Variable) -> bool {
    tables.types().get(v.of_type as usize).is_some_and(|t| Kind::from_format(t.format) == Some(Kind::Blob))
}

/// The differences between two points. A variable is identified by name and type and, if there are
/// several of these, by their order.
fn changes(tables: &Tables, before: &Point, now: &Point) -> Value {
    let key = |v: &Variable| (v.name, v.of_type);
    let sorted = |p: &Point| {
        let packed = |v: &Variable| u64::from(v.name) << 32 | u64::from(v.of_type);
        let mut all: Vec<(u64, u32)> = p.variables.iter().take(MAX_LIST).map(packed).zip(0..).collect();
        sort::pairs(&mut all);
        all.into_iter().map(|(_, i)| i as usize).collect::<Vec<usize>>()
    };
    let (old, new) = (sorted(before), sorted(now));
    // Sorted by the position in the point, then by the order found.
    let mut found: BTreeMap<(usize, usize), Field> = BTreeMap::new();
    let (mut i, mut k) = (0, 0);
    let get = |list: &[usize], at: usize, p: &'_ Point| list.get(at).and_then(|n| p.variables.get(*n)).cloned();
    loop {
        let (a, b) = (get(&old, i, before), get(&new, k, now));
        let position = new.get(k).or(old.get(i)).copied().unwrap_or(0);
        let (was, is) = match (a, b) {
            (None, None) => break,
            (Some(a), Some(b)) if key(&a) == key(&b) => {
                (i, k) = (i + 1, k + 1);
                (Some(a), Some(b))
            }
            (Some(a), b) if b.as_ref().is_none_or(|b| key(&a) < key(b)) => {
                i += 1;
                (Some(a), None)
            }
            (_, b) => {
                k += 1;
                (None, b)
            }
        };
        let same = was
            .as_ref()
            .zip(is.as_ref())
            .is_some_and(|(a, b)| a.content == b.content && a.size == b.size && a.buffer_size == b.buffer_size);
        let Some(name) = was.as_ref().or(is.as_ref()).map(|v| v.name) else { break };
        if !same {
            let side = |v: Option<&Variable>| v.map_or(Value::Null, |v| side_of(tables, v));
            let value =
                Value::Tree([Field::new("before", side(was.as_ref())), Field::new("now", side(is.as_ref()))].into());
            found.insert((position, found.len()), Field { name: name_of(tables, name), value });
        }
    }
    if found.is_empty() {
        return Value::Text("nothing".into());
    }
    Value::Tree(found.into_values().collect())
}

/// A value before or after a change, with the size of its buffer if it points to one.
fn side_of(tables: &Tables, v: &Variable) -> Value {
    match v.buffer_size {
        None => content(tables, v),
        Some(bytes) => {
            Value::Tree([Field::new("Value", content(tables, v)), Field::new("Buffer size", Value::U64(bytes))].into())
        }
    }
}

/// Finds the last point at a statement.
struct Last {
    id: StatementId,
    number: u64,
    point: PointRef,
    statement: Option<StatementId>,
    found: Option<PointRef>,
}

impl Sink for Last {
    fn begin(&mut self, at: u64) {
        self.point = PointRef { at, number: self.number };
        self.statement = None;
    }
    fn statement(&mut self, id: StatementId) {
        self.statement = Some(id);
    }
    fn end(&mut self, _next: u64) {
        self.number += 1;
        if self.statement == Some(self.id) {
            self.found = Some(self.point);
        }
    }
}

/// Keeps the first buffer size.
#[derive(Default)]
struct OneSize {
    found: Option<(u64, u64)>,
}

impl Sink for OneSize {
    fn is_full(&self) -> bool {
        self.found.is_some()
    }
    fn buffer_size(&mut self, _at: u64, address: u64, size: u64) {
        self.found = Some((address, size));
    }
}
