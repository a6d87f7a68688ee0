//! What is known of each variable: its extremes, how often it changes, and how many different
//! values it has.

use alloc::vec::Vec;
use core::ops::Range;

use hashbrown::{HashMap, HashSet};
use unspool_formats::trace_db::wire::Number as Raw;

use crate::columns::{Dictionary, Kind, Segment, Value};
use crate::statements::{CELLS, cell_in};

/// Different values of one variable that are told apart, and of all of them together.
const MOST_DIFFERENT: usize = 1 << 16;
const MOST_TOGETHER: usize = 1 << 22;
/// Variables whose values over time are known: one takes a kilobyte.
const MOST_DRAWN: usize = 1 << 13;

/// A value at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The value as 64 bits.
    pub bits: u64,
    /// The number of the point.
    pub point: u64,
    /// Its absolute offset.
    pub at: u64,
    /// The number of its statement in the dictionary.
    pub statement: u32,
}

/// One variable: a name with a type, at whatever statement.
#[derive(Clone, Debug)]
pub struct Variable {
    /// How its bits are to be read.
    pub(crate) kind: Kind,
    /// How often it is recorded.
    pub count: u64,
    /// Its first, last, lowest and highest values, each where it was first seen. Lowest and highest
    /// only of numbers.
    pub first: Moment,
    /// See [`Variable::first`].
    pub last: Moment,
    /// See [`Variable::first`].
    pub lowest: Option<Moment>,
    /// See [`Variable::first`].
    pub highest: Option<Moment>,
    /// How often it differs from the time before.
    pub changes: u64,
    /// How often it is 0, which is null for a pointer.
    pub zeros: u64,
    /// How often it has no value that could be compared: bytes, and what is not a number.
    pub invalid: u64,
    /// How often a pointer points into a buffer.
    pub in_buffer: u64,
    different: HashSet<u64>,
    /// There may be more different values than were told apart.
    is_cut: bool,
    /// The lowest and the highest value in each of [`CELLS`] equal parts of the range. NaN without
    /// any.
    over_time: Vec<(f64, f64)>,
    /// A bit for each of these parts that has a value that is not a number.
    nan_over_time: u64,
}

// One bit a part.
const _: () = assert!(CELLS <= u64::BITS as usize);

impl Variable {
    /// How many different values it has, and whether that is all of them.
    pub fn different(&self) -> (u64, bool) {
        (self.different.len() as u64, !self.is_cut)
    }

    /// The lowest and the highest value in each of [`CELLS`] equal parts of the range, NaN without
    /// any. Empty if too many variables are known.
    pub fn over_time(&self) -> &[(f64, f64)] {
        &self.over_time
    }

    /// The parts of [`Variable::over_time`] that have a value that is not a number: a bit for each,
    /// the lowest for the first one.
    pub fn nan_over_time(&self) -> u64 {
        self.nan_over_time
    }

    /// A value of the variable.
    pub fn value(&self, bits: u64) -> Option<Value<'static>> {
        Some(Value::Number(match self.kind {
            Kind::Unsigned => Raw::Unsigned(bits),
            Kind::Signed => Raw::Signed(bits as i64),
            Kind::Float => Raw::Float(f64::from_bits(bits)),
            Kind::Pointer => Raw::Pointer(bits),
            Kind::Bytes => return None,
        }))
    }

    /// Whether its values are addresses.
    pub fn is_pointer(&self) -> bool {
        self.kind == Kind::Pointer
    }
}

/// All variables of a trace, by their keys in the dictionary.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: Vec<Option<Variable>>,
    /// Numbers of the points that count.
    range: Range<u64>,
    told_apart: usize,
    /// Numbers of the texts of bytes.
    texts: HashMap<Vec<u8>, u64>,
}

impl Variables {
    /// None yet, of the points with these numbers.
    pub(crate) fn new(range: Range<u64>) -> Self {
        Self { range, ..Self::default() }
    }

    /// Numbers of the points that count.
    pub(crate) fn range(&self) -> &Range<u64> {
        &self.range
    }

    /// Adds the points of a segment.
    pub(crate) fn add(&mut self, segment: &Segment, dictionary: &Dictionary) {
        if self.all.len() < dictionary.keys().len() {
            self.all.resize(dictionary.keys().len(), None);
        }
        for point in 0..segment.len() {
            let x = segment.first + point as u64;
            let Some(cell) = cell_in(&self.range, x) else { continue };
            let (at, statement) = (segment.at(point), segment.statement(point));
            for index in segment.variables(point) {
                let (kind, bits) = match segment.value(index) {
                    Value::Number(number) => (Kind::of(number), number.bits()),
                    Value::Bytes(bytes, _) => (Kind::Bytes, self.number_of(bytes)),
                };
                let moment = Moment { bits, point: x, at, statement };
                let has_buffer = kind == Kind::Pointer && segment.buffer_size(index).is_some();
                self.put(segment.key(index) as usize, kind, moment, cell, has_buffer);
            }
        }
    }

    /// A number for bytes, the same for equal ones. Past the limit, new ones share a number.
    fn number_of(&mut self, bytes: &[u8]) -> u64 {
        let next = self.texts.len() as u64;
        match self.texts.get(bytes) {
            Some(known) => *known,
            None if self.texts.len() >= MOST_DIFFERENT => u64::MAX,
            None => *self.texts.entry(bytes.to_vec()).or_insert(next),
        }
    }

    fn put(&mut self, key: usize, kind: Kind, moment: Moment, cell: usize, has_buffer: bool) {
        let is_drawn = kind != Kind::Bytes && key < MOST_DRAWN;
        let Some(slot) = self.all.get_mut(key) else { return };
        let is_new = slot.is_none();
        let variable = slot.get_or_insert_with(|| Variable {
            kind,
            count: 0,
            first: moment,
            last: moment,
            lowest: None,
            highest: None,
            changes: 0,
            zeros: 0,
            invalid: 0,
            in_buffer: 0,
            different: HashSet::new(),
            is_cut: false,
            over_time: if is_drawn { alloc::vec![(f64::NAN, f64::NAN); CELLS] } else { Vec::new() },
            nan_over_time: 0,
        });
        variable.count += 1;
        variable.in_buffer += u64::from(has_buffer);
        let is_change = !is_new && variable.last.bits != moment.bits;
        variable.changes += u64::from(is_change);
        variable.last = moment;
        let bits = moment.bits;
        let number = match kind {
            Kind::Unsigned | Kind::Pointer => bits as f64,
            Kind::Signed => bits as i64 as f64,
            Kind::Float => f64::from_bits(bits),
            Kind::Bytes => f64::NAN,
        };
        variable.invalid += u64::from(number.is_nan());
        variable.zeros += u64::from(number == 0.0);
        if let Some((low, high)) = variable.over_time.get_mut(cell) {
            // NaN is not a number, so it is replaced.
            *low = low.min(number);
            *high = high.max(number);
            variable.nan_over_time |= u64::from(number.is_nan()) << cell;
        }
        if !is_new && !is_change {
            return;
        }
        if variable.different.len() < MOST_DIFFERENT && self.told_apart < MOST_TOGETHER {
            // The two zeros of floats are one value.
            let same = if kind == Kind::Float && number == 0.0 { 0 } else { bits };
            self.told_apart += usize::from(variable.different.insert(same));
        } else {
            variable.is_cut |= !variable.different.contains(&bits);
        }
        if number.is_nan() {
            return;
        }
        if variable.lowest.is_none_or(|lowest| is_less(kind, bits, lowest.bits)) {
            variable.lowest = Some(moment);
        }
        if variable.highest.is_none_or(|highest| is_less(kind, highest.bits, bits)) {
            variable.highest = Some(moment);
        }
    }

    /// The variable with a key.
    pub fn get(&self, key: u32) -> Option<&Variable> {
        self.all.get(key as usize)?.as_ref()
    }

    /// All variables with their keys.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Variable)> {
        (0..).zip(&self.all).filter_map(|(key, variable)| Some((key, variable.as_ref()?)))
    }
}

fn is_less(kind: Kind, a: u64, b: u64) -> bool {
    match kind {
        Kind::Signed => (a as i64) < b as i64,
        Kind::Float => f64::from_bits(a) < f64::from_bits(b),
        Kind::Unsigned | Kind::Pointer | Kind::Bytes => a < b,
    }
}
