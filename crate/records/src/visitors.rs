//! What looks at records for a list: which of them are listed, and in which order.

use std::ops::Range as Numbers;

use unspool_filter::Search;
use unspool_trace::records::{Extent, RecordName, Rows};
use unspool_trace::{FieldValue, Locator, Operand, Record, Visitor};

use crate::picked::Picked;
use crate::reader::Scope;

/// Rows of a lane.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) lane: u32,
    pub(super) rows: Numbers<u64>,
    /// Which of them, if not all.
    pub(super) picked: Option<Picked>,
}

impl Part {
    pub(super) fn len(&self) -> u64 {
        self.before(self.rows.end)
    }

    /// Number of rows of the part before a row of the lane.
    pub(super) fn before(&self, row: u64) -> u64 {
        match &self.picked {
            Some(picked) => picked.rank(row),
            None => row.clamp(self.rows.start, self.rows.end) - self.rows.start,
        }
    }
}

/// What decides whether a record is in a list.
pub(super) struct Picking {
    pub(super) scope: Scope,
    pub(super) filter: Option<Search>,
    /// Runs of pieces that are still to be looked at, or of rows of a database, the last one first.
    pub(super) ahead: Vec<Numbers<u64>>,
    /// Number of each lane's part.
    pub(super) part_of: Vec<Option<usize>>,
}

/// Picks the records of a list.
pub(super) struct Pick<'a> {
    pub(super) parts: &'a mut [Part],
    pub(super) picking: &'a mut Picking,
    /// The part and the row of a record whose fields the filter looks at.
    pub(super) row: Option<(usize, u64)>,
}

impl Pick<'_> {
    fn pick(&mut self, part: usize, row: u64) {
        if let Some(picked) = self.parts.get_mut(part).and_then(|part| part.picked.as_mut()) {
            picked.pick(row);
        }
    }
}

impl Visitor for Pick<'_> {
    fn may_want(&mut self, name: RecordName<'_>, keys: &mut dyn Iterator<Item = &str>) -> bool {
        self.picking.filter.as_mut().is_none_or(|filter| filter.may_want(name, keys))
    }

    fn begin(&mut self, record: &Record<'_>) -> bool {
        let Picking { scope: Scope { range, tracks }, filter, part_of, .. } = &mut *self.picking;
        let part = part_of.get(record.lane as usize).copied().flatten();
        let rows = part.and_then(|part| self.parts.get(part)).map(|part| &part.rows);
        let is_in_scope = rows.is_some_and(|rows| rows.contains(&record.row))
            && range.as_ref().is_none_or(|range| range.contains(&record.x))
            && tracks.as_ref().is_none_or(|tracks| tracks.contains(&record.track));
        let Some(part) = part.filter(|_| is_in_scope) else { return false };
        let Some(filter) = filter else {
            self.pick(part, record.row);
            return false;
        };
        let before = filter.count();
        if filter.begin(record) {
            self.row = Some((part, record.row));
            return true;
        }
        if filter.count() > before {
            self.pick(part, record.row);
        }
        false
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if let Some(filter) = &mut self.picking.filter {
            filter.field(key, value);
        }
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        if let Some(filter) = &mut self.picking.filter {
            filter.operand(operand);
        }
    }

    fn open(&mut self, key: &str, is_list: bool) {
        if let Some(filter) = &mut self.picking.filter {
            filter.open(key, is_list);
        }
    }

    fn close(&mut self) {
        if let Some(filter) = &mut self.picking.filter {
            filter.close();
        }
    }

    fn extent(&self) -> Extent {
        self.picking.filter.as_ref().map_or(Extent::Shown, Visitor::extent)
    }

    fn end(&mut self) {
        let (Some(filter), Some((part, row))) = (&mut self.picking.filter, self.row.take()) else { return };
        let before = filter.count();
        filter.end();
        if filter.count() > before {
            self.pick(part, row);
        }
    }
}

/// Passes on some of the rows of a lane.
pub(super) struct Chosen<'a> {
    /// Ascending.
    pub(super) chosen: &'a [u64],
    pub(super) rows: Rows,
}

impl Visitor for Chosen<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.chosen.binary_search(&record.row).is_ok() && self.rows.begin(record)
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.rows.field(key, value);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.rows.open(key, is_list);
    }

    fn close(&mut self) {
        self.rows.close();
    }

    fn end(&mut self) {
        self.rows.end();
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= self.chosen.len()
    }
}

/// Finds a record by its locator.
pub(super) struct Sought {
    pub(super) lane: u32,
    pub(super) locator: Locator,
    /// The position beyond which it cannot be.
    pub(super) until: Option<u64>,
    pub(super) found: Option<u64>,
    pub(super) passed: bool,
}

impl Visitor for Sought {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane {
            if self.locator == record.locator {
                self.found = Some(record.row);
            }
            self.passed |= self.until.is_some_and(|until| record.x > until);
        }
        false
    }

    fn is_full(&self) -> bool {
        self.found.is_some()
    }
}

/// Collects the positions of the records of some rows of a lane.
pub(super) struct Keys<'a> {
    pub(super) lane: u32,
    pub(super) index: u32,
    /// Which of them, if not all.
    pub(super) picked: Option<&'a Picked>,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) rows: Numbers<u64>,
    /// Number of them before `from`.
    pub(super) before: u64,
    pub(super) seen: u64,
    pub(super) keys: Vec<(u64, u32, u64)>,
}

impl Visitor for Keys<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        if record.lane == self.lane && self.rows.contains(&record.row) {
            self.seen += 1;
            if self.picked.is_some_and(|picked| !picked.has(record.row)) {
                return false;
            }
            if record.x < self.from {
                self.before += 1;
            } else if record.x <= self.to {
                self.keys.push((record.x, self.index, record.row));
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.seen >= self.rows.end - self.rows.start
    }
}
