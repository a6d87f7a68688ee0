//! Reads records: of a file with the index of its decoder, or of a database.

mod by_track;
mod list;

use std::ops::Range as Numbers;

use serde::Serialize;
use unspool_filter::Search;
use unspool_formats::open_records;
use unspool_trace::decoder::Range;
use unspool_trace::error::{Cause, Class, Error};
use unspool_trace::records::{Row, RowRecords, Rows};
use unspool_trace::{
    FieldValue, Instructions, Lane, Locator, Record, RecordDetails, Records, RowError, TrackId, Visitor, rows as sql,
};

use crate::collect::Collect;
use crate::details::FieldOut;
use crate::drive::LONGEST;
use crate::error::TraceErrorOut;
use crate::rows::RowSource;
use crate::source::{ByteSource, Reads, Unreadable, Window, fill, run_pass};

pub use by_track::{Beside, ByTrack};
pub use list::List;

/// Bytes that a pass over all records asks for at once: more than for a list, so that the page
/// knows it by them. It gives at most a block of 1 MiB.
pub const AHEAD: usize = 2 << 20;
/// Bytes that are read at once for a list, unless a record needs more.
const STRETCH: usize = 1 << 20;
/// Records of a piece at most if some of the lane may be picked, several times what decoders put
/// into one.
const MOST_IN_PIECE: u64 = 1 << 16;
/// Pieces of a pass that runs in steps.
const STEP: u32 = 16;
/// Transitions of a step over a database.
const ROWS: u64 = 16 * 1024;
/// Values of a record in a list, and bytes of each: more than a line shows.
const VALUES: usize = 64;
const BYTES: usize = 256;

/// A row of a list, for serialisation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct RowOut {
    /// Its position on the x axis: absolute, in ticks or ordinals.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks"))]
    pub x: u64,
    /// The track of its thread.
    #[cfg_attr(feature = "typescript", tsify(type = "number"))]
    pub track: TrackId,
    /// Where it is found again.
    pub locator: u64,
    /// Its name. Empty if it has none.
    pub name: String,
    /// Its fields, by key.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly FieldOut[]"))]
    pub fields: Vec<FieldOut>,
    /// Number of values beyond the limit.
    pub dropped: f64,
}

impl From<Row> for RowOut {
    fn from(row: Row) -> Self {
        let Row { x, track, locator, name, fields, dropped, .. } = row;
        let fields = fields.into_iter().map(FieldOut::from).collect();
        Self { x, track, locator: locator.bits(), name, fields, dropped: dropped as f64 }
    }
}

/// Which records to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Their positions on the x axis, the end exclusive. `None`: all.
    pub range: Option<Numbers<u64>>,
    /// Their tracks. `None`: all.
    pub tracks: Option<Vec<TrackId>>,
}

/// What a pass over all records with all their fields has passed on so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Number of records.
    pub records: u64,
    /// Number of single values.
    pub fields: u64,
    /// The next piece, or the next row of a database.
    next: u64,
}

impl Visitor for Survey {
    fn begin(&mut self, _record: &Record<'_>) -> bool {
        self.records += 1;
        true
    }

    fn field(&mut self, _key: &str, _value: FieldValue<'_>) {
        self.fields += 1;
    }
}

/// Where records are read from.
enum Origin {
    File(Box<dyn Records>, Box<dyn ByteSource>),
    Database(Box<dyn RowRecords>, Box<dyn RowSource>),
}

/// Reads the records of a trace.
pub struct RecordReader {
    origin: Origin,
    lanes: Vec<Lane>,
    window: Window,
}

impl From<Unreadable> for TraceErrorOut {
    fn from(error: Unreadable) -> Self {
        match error {
            Unreadable::Changed | Unreadable::Late => RowError::new(Class::Unreadable, error.to_string()).into(),
            Unreadable::Undecodable(error) => error.into(),
        }
    }
}

/// Reads of a pass that reads `ahead` bytes at once, or of one that needs few: 0.
const fn reads(ahead: usize) -> Reads {
    Reads { least: STRETCH, ahead }
}

/// Whether the pieces of a lane are consecutive and of plausible sizes. What a list allocates and
/// how long it searches follow from them.
fn is_sound(lane: &Lane) -> bool {
    let most = if lane.sorted && lane.track.is_some() { u32::MAX.into() } else { MOST_IN_PIECE };
    let rows = lane.pieces.iter().map(|piece| piece.row);
    let ends = rows.clone().skip(1).chain([lane.rows]);
    let positions = lane.pieces.iter().map(|piece| piece.x).chain([lane.until]);
    lane.pieces.first().map_or(0, |piece| piece.row) == 0
        && (lane.rows == 0) == lane.pieces.is_empty()
        && rows.zip(ends).all(|(row, end)| row < end && end - row <= most)
        && positions.is_sorted()
        && lane.pieces.iter().all(|piece| piece.number < u32::MAX / 2)
}

impl RecordReader {
    /// A reader of a format's file, with the index that its decoder handed over.
    ///
    /// # Errors
    ///
    /// Returns an error if these bytes are not an index of the format.
    pub fn open(format: &str, index: &[u8], source: Box<dyn ByteSource>) -> Result<Self, TraceErrorOut> {
        let records = open_records(format, index)?;
        let lanes = records.lanes().to_vec();
        if !lanes.iter().all(is_sound) {
            return Err(Error::new(0, Cause::Misuse("this is no index of records")).into());
        }
        Ok(Self { origin: Origin::File(records, source), lanes, window: Window::default() })
    }

    /// A reader of a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read, or is not a trace.
    pub fn of_database(
        mut records: Box<dyn RowRecords>,
        source: Box<dyn RowSource>,
        instructions: Option<Box<dyn Instructions>>,
    ) -> Result<Self, TraceErrorOut> {
        if let Some(instructions) = instructions {
            records.set_instructions(instructions);
        }
        while let Some(query) = records.want() {
            records.push(&mut fetched(&*source, &query)?)?;
        }
        let lanes = vec![records.lane()];
        Ok(Self { origin: Origin::Database(records, source), lanes, window: Window::default() })
    }

    /// The lanes, with their pieces.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// [`Records::needs_decompressor`].
    pub fn needs_decompressor(&self) -> bool {
        matches!(&self.origin, Origin::File(records, _) if records.needs_decompressor())
    }

    /// How far a survey is: pieces of the file, or rows of a database, and how many there are.
    pub fn surveyed(&self, survey: &Survey) -> (u64, u64) {
        self.covered(survey.next)
    }

    /// Visits further records with all their fields: those of `budget` pieces; in a database, a
    /// piece is 256 rows. Returns whether these were the last. Where one step ends and the next
    /// begins, a container is decompressed twice.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn survey(&mut self, survey: &mut Survey, budget: u32) -> Result<bool, TraceErrorOut> {
        let next = survey.next;
        survey.next = self.visit_all(next, budget, survey)?;
        let (done, of) = self.surveyed(survey);
        Ok(done >= of)
    }

    /// How far the records of a derived track are collected, as [`RecordReader::surveyed`].
    pub fn collected(&self, collect: &Collect) -> (u64, u64) {
        self.covered(collect.next)
    }

    /// Collects further records, as [`RecordReader::survey`] visits them.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn collect(&mut self, collect: &mut Collect, budget: u32) -> Result<bool, TraceErrorOut> {
        let next = collect.next;
        collect.next = self.visit_all(next, budget, collect)?;
        let (done, of) = self.collected(collect);
        Ok(done >= of)
    }

    /// How far a search is, as [`RecordReader::surveyed`].
    pub fn searched(&self, search: &Search) -> (u64, u64) {
        self.covered(search.next)
    }

    /// Searches further records, as [`RecordReader::survey`] visits them.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn search(&mut self, search: &mut Search, budget: u32) -> Result<bool, TraceErrorOut> {
        let next = search.next;
        search.next = self.visit_all(next, budget, search)?;
        let (done, of) = self.searched(search);
        Ok(done >= of)
    }

    /// How far a visit of all records is that goes on at `next`, as [`RecordReader::surveyed`].
    pub fn covered(&self, next: u64) -> (u64, u64) {
        let of = match &self.origin {
            Origin::Database(..) => self.lanes.first().map_or(0, |lane| lane.rows),
            Origin::File(..) => self.pieces(),
        };
        (next.min(of), of)
    }

    /// Number of pieces of the file.
    fn pieces(&self) -> u64 {
        let pieces = self.lanes.iter().flat_map(|lane| &lane.pieces).map(|piece| piece.number + 1).max();
        pieces.unwrap_or(0).into()
    }

    /// Passes the records of `budget` pieces from `next` on, 0 for the first, to a visitor. Returns
    /// the piece after them. Of a database, a piece is 256 rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read.
    pub fn visit_all(&mut self, next: u64, budget: u32, visitor: &mut dyn Visitor) -> Result<u64, TraceErrorOut> {
        match &self.origin {
            Origin::Database(..) => {
                let (_, of) = self.covered(next);
                let next = self.row_beyond(next)?.min(of);
                let end = (next + 256 * u64::from(budget.max(1))).min(of);
                self.visit(0, next..end, visitor)?;
                Ok(end)
            }
            Origin::File(records, source) => {
                let from = u32::try_from(next).unwrap_or(u32::MAX);
                let end = from.saturating_add(budget.max(1));
                let mut pass = records.pass(from..end);
                run_pass(&mut *pass, &**source, &mut self.window, reads(AHEAD), visitor)?;
                Ok(end.into())
            }
        }
    }

    /// [`RowRecords::row_beyond`]. The same row if the trace is not a database.
    fn row_beyond(&self, row: u64) -> Result<u64, TraceErrorOut> {
        let Origin::Database(records, source) = &self.origin else { return Ok(row) };
        let found = all_fetched(&**source, &records.queries_beyond(row))?;
        Ok(records.row_beyond(row, &found))
    }

    /// What [`RecordReader::visit_all`] must visit to see all records with positions in a range,
    /// and perhaps others: the first piece, or row of a database, and the end.
    pub fn covering(&self, range: &Numbers<u64>) -> Numbers<u64> {
        let (mut from, mut end) = (u64::MAX, 0);
        for lane in &self.lanes {
            if matches!(self.origin, Origin::Database(..)) {
                // A row is a position.
                return range.start.min(lane.rows)..range.end.min(lane.rows);
            }
            if !lane.sorted {
                return 0..self.pieces();
            }
            // The last piece that begins before the range may reach into it.
            let first = lane.pieces.partition_point(|piece| piece.x < range.start).saturating_sub(1);
            let last = lane.pieces.partition_point(|piece| piece.x < range.end);
            for piece in lane.pieces.get(first..last).unwrap_or_default() {
                from = from.min(piece.number.into());
                end = end.max(u64::from(piece.number) + 1);
            }
        }
        from.min(end)..end
    }

    /// The details of a record.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such record, or it cannot be read.
    pub fn details(&mut self, locator: Locator) -> Result<RecordDetails, TraceErrorOut> {
        match &self.origin {
            Origin::Database(records, source) => {
                let found = all_fetched(&**source, &records.details_queries(locator))?;
                Ok(records.details(locator, &found))
            }
            Origin::File(records, source) => {
                let mut bytes = Vec::new();
                let mut range = records.details_range(locator);
                while let Some(Range { at, len }) = range {
                    let before = bytes.len();
                    // Formats keep their ranges to little more than 1 MiB.
                    let wanted = usize::try_from(len).unwrap_or(usize::MAX).min(LONGEST);
                    bytes.resize(before + wanted, 0);
                    let filled = fill(&**source, at, bytes.get_mut(before..).unwrap_or_default(), wanted)?;
                    bytes.truncate(before + filled);
                    // A file that has shrunk would be asked for the same range forever.
                    range = records.details_next(locator, &bytes).filter(|_| filled > 0 || len == 0);
                }
                Ok(records.details(locator, &bytes)?)
            }
        }
    }

    /// Passes the records of some rows of a lane to a visitor, and perhaps others of the same
    /// pieces.
    fn visit(&mut self, lane: u32, rows: Numbers<u64>, visitor: &mut dyn Visitor) -> Result<(), TraceErrorOut> {
        self.visit_ahead(lane, rows, 0, visitor)
    }

    /// [`RecordReader::visit`], in reads of `ahead` bytes.
    fn visit_ahead(
        &mut self,
        lane: u32,
        rows: Numbers<u64>,
        ahead: usize,
        visitor: &mut dyn Visitor,
    ) -> Result<(), TraceErrorOut> {
        let Some(of_lane) = self.lanes.get(lane as usize) else { return Ok(()) };
        match &self.origin {
            Origin::Database(records, source) => {
                let found = all_fetched(&**source, &records.queries(rows.clone()))?;
                records.visit(rows, &found, visitor);
            }
            Origin::File(records, source) => {
                let first = of_lane.pieces.partition_point(|piece| piece.row <= rows.start).saturating_sub(1);
                let end = of_lane.pieces.partition_point(|piece| piece.row < rows.end).max(first + 1);
                // Pieces of a lane that follow one another in the file are one pass.
                let mut pieces = of_lane.pieces.get(first..end).unwrap_or_default();
                while let [piece, rest @ ..] = pieces {
                    let run_of = (piece.number + 1..).zip(rest).take_while(|(n, next)| *n == next.number).count();
                    let end = piece.number + 1 + run_of as u32;
                    let mut pass = records.pass(piece.number..end);
                    run_pass(&mut *pass, &**source, &mut self.window, reads(ahead), visitor)?;
                    if visitor.is_full() {
                        break;
                    }
                    pieces = rest.get(run_of..).unwrap_or_default();
                }
            }
        }
        Ok(())
    }

    /// Rows of a lane with their fields, ascending.
    fn rows_of_lane(&mut self, lane: u32, rows: Numbers<u64>) -> Result<Vec<Row>, TraceErrorOut> {
        let mut collected = Rows::new(lane, rows.clone(), VALUES, BYTES);
        self.visit(lane, rows, &mut collected)?;
        Ok(collected.into_rows())
    }

    /// The first row of a lane at or after `x` on the x axis. In a lane that is not sorted, later
    /// rows may be before `x`.
    fn rank(&mut self, lane: u32, x: u64) -> Result<u64, TraceErrorOut> {
        let Some(of_lane) = self.lanes.get(lane as usize) else { return Ok(0) };
        if x > of_lane.until {
            return Ok(of_lane.rows);
        }
        if matches!(self.origin, Origin::Database(..)) {
            // A row is a position.
            return Ok(x.min(of_lane.rows));
        }
        // The first records of pieces bound all that come before them, so it is in the last piece
        // that begins before `x`, or is the first one of the next.
        let Some(i) = of_lane.pieces.partition_point(|piece| piece.x < x).checked_sub(1) else { return Ok(0) };
        let Some(piece) = of_lane.pieces.get(i) else { return Ok(0) };
        let rows = piece.row..of_lane.pieces.get(i + 1).map_or(of_lane.rows, |next| next.row);
        let mut first = First { lane, x, seen: 0, row: rows.end, rows: rows.clone() };
        self.visit(lane, rows.clone(), &mut first)?;
        if first.seen < rows.end - rows.start {
            return Err(Unreadable::Changed.into());
        }
        Ok(first.row)
    }

    /// The first row of a lane after all at `x` and before.
    fn after(&mut self, lane: u32, x: u64) -> Result<u64, TraceErrorOut> {
        match x.checked_add(1) {
            Some(next) => self.rank(lane, next),
            None => Ok(self.lanes.get(lane as usize).map_or(0, |lane| lane.rows)),
        }
    }

    /// The rows of a sorted lane with positions in `range`.
    fn rows_between(&mut self, lane: u32, range: &Numbers<u64>) -> Result<Numbers<u64>, TraceErrorOut> {
        let start = self.rank(lane, range.start)?;
        let end = if range.end == u64::MAX {
            self.lanes.get(lane as usize).map_or(0, |lane| lane.rows)
        } else {
            self.rank(lane, range.end)?
        };
        Ok(start..end.max(start))
    }
}

fn fetched(source: &dyn RowSource, query: &sql::Query) -> Result<sql::Rows, RowError> {
    let mut rows = sql::Rows::default();
    source.rows(query, &mut rows).map(|()| rows)
}

fn all_fetched(source: &dyn RowSource, queries: &[sql::Query]) -> Result<Vec<sql::Rows>, RowError> {
    queries.iter().map(|query| fetched(source, query)).collect()
}

/// Finds the first one of some rows of a lane at or after a position. Records may come in any
/// order.
struct First {
    lane: u32,
    x: u64,
    rows: Numbers<u64>,
    seen: u64,
    row: u64,
}

impl Visitor for First {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane && self.rows.contains(&record.row) {
            self.seen += 1;
            if record.x >= self.x {
                self.row = self.row.min(record.row);
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.seen >= self.rows.end - self.rows.start
    }
}
