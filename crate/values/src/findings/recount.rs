//! Claims about the points of a trace, counted once more.
//!
//! The search sums up all variables of all statements. This goes through the points with the few
//! questions of what was proposed, and reads each value by itself.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cmp::Ordering;

use hashbrown::HashMap;
use unspool_trace::Finding;

use crate::buffers::Suspicion;
use crate::columns::{Kind, Segment, Value};
use crate::invariants::{float, integer};

/// Bytes around a buffer in which a pointer has left it.
const NEAR: u64 = 64;

/// A variable of a statement, or what is left of the buffer that it points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) key: u32,
    pub(super) is_size: bool,
}

/// A question about the points of a trace. Variables are keys, and statements numbers, of the
/// dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Points where `low <= high`, and where not: the first of these.
    Relation { statement: u32, low: Side, high: Side },
    /// Points where a pointer leaves a buffer: the first, and the address and size there.
    Pointer { key: u32, why: Suspicion },
    /// Points with a variable, and those with another value than the first one.
    Constant { key: u32 },
    /// Points of a statement, and the fewest of another one that is reached more than once.
    Once { statement: u32 },
    /// Points where `z == x / y`, where `y` is 0, and where neither.
    Quotient { statement: u32, x: u32, y: u32, z: u32 },
    /// Points where a number falls: the first, and the values before and there.
    Wrap { statement: u32, key: u32 },
    /// Points of a stretch with the values that their statements had before, and such points
    /// directly before and behind it.
    Still { first: u64, count: u64 },
    /// Points of a statement with a variable of one type, and of another one.
    Types { statement: u32, usual: u32, other: u32 },
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) counts: [u64; 3],
    pub(super) first: Option<u64>,
    pub(super) values: [u64; 2],
}

/// A finding, and what must hold of the points for it.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) finding: Finding,
    pub(super) question: Question,
    pub(super) answer: Answer,
}

/// Counts answers.
#[derive(Debug, Default)]
pub(super) struct Recount {
    questions: Vec<(Question, Answer)>,
    /// By question, the latest value, if it is about a series.
    series: Vec<Option<i64>>,
    /// Points by statement.
    reached: Vec<u64>,
    /// The latest values by statement, if a question is about them.
    latest: HashMap<u32, Vec<(u32, Kind, Vec<u8>)>>,
    live: BTreeMap<u64, u64>,
    freed: BTreeMap<u64, u64>,
    /// Pointers that were in buffers, by the address of the buffer.
    were_in: BTreeSet<(u64, u32)>,
}

impl Recount {
    /// Nothing was counted yet.
    pub(super) fn of(questions: impl Iterator<Item = Question>) -> Self {
        let questions: Vec<_> = questions.map(|it| (it, Answer::default())).collect();
        Self { series: questions.iter().map(|_| None).collect(), questions, ..Self::default() }
    }

    /// Whether an answer is what was counted. All segments were added.
    pub(super) fn holds(&self, question: &Question, expected: &Answer) -> bool {
        let counted = self.questions.iter().find(|(it, _)| it == question).map(|(_, answer)| answer);
        let Question::Once { statement } = question else { return counted == Some(expected) };
        let others = (0..).zip(&self.reached).filter(|(number, count)| number != statement && **count > 1);
        let least = others.map(|(_, count)| *count).min().unwrap_or(0);
        counted.is_some_and(|it| *expected == Answer { counts: [it.counts[0], least, 0], ..it.clone() })
    }

    /// Whether there is nothing to count.
    pub(super) fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Adds the points of a segment. Segments come in order.
    pub(super) fn add(&mut self, segment: &Segment) {
        let is_any = |is: fn(&Question) -> bool| self.questions.iter().any(|(question, _)| is(question));
        let has_pointers = is_any(|it| matches!(it, Question::Pointer { .. }));
        let has_still = is_any(|it| matches!(it, Question::Still { .. }));
        let mut sizes = segment.buffers().iter().peekable();
        for point in 0..segment.len() {
            let statement = segment.statement(point);
            if self.reached.len() <= statement as usize {
                self.reached.resize(statement as usize + 1, 0);
            }
            self.reached.get_mut(statement as usize).into_iter().for_each(|count| *count += 1);
            while let Some((_, address, size)) = sizes.next_if(|(of, ..)| *of as usize == point) {
                self.set(*address, *size);
            }
            let is_same = has_still && self.is_same(segment, point);
            for ((question, answer), latest) in self.questions.iter_mut().zip(&mut self.series) {
                answer.add(question, latest, segment, point, is_same);
            }
            if has_pointers {
                self.pointers(segment, point);
            }
        }
    }

    /// Whether a point has the values that its statement had before.
    fn is_same(&mut self, segment: &Segment, point: usize) -> bool {
        let value = |index: usize| match segment.value(index) {
            Value::Number(number) => number.bits().to_le_bytes().to_vec(),
            Value::Bytes(bytes, _) => bytes.to_vec(),
        };
        let kind = |index: usize| segment.kind.get(index).copied().unwrap_or(Kind::Unsigned);
        let values: Vec<_> =
            segment.variables(point).map(|index| (segment.key(index), kind(index), value(index))).collect();
        match self.latest.get_mut(&segment.statement(point)) {
            Some(before) if *before == values => true,
            Some(before) => {
                *before = values;
                false
            }
            None => {
                self.latest.insert(segment.statement(point), values);
                false
            }
        }
    }

    /// A buffer has a size from here on; 0 if it is freed.
    fn set(&mut self, address: u64, size: u64) {
        if size == 0 {
            self.live.remove(&address).into_iter().for_each(|size| _ = self.freed.insert(address, size));
            return;
        }
        if self.live.insert(address, size) != Some(size) {
            self.were_in.retain(|(of, _)| *of != address);
        }
        let end = address.saturating_add(size);
        self.freed.retain(|from, size| from.saturating_add(*size) <= address || *from >= end);
    }

    fn pointers(&mut self, segment: &Segment, point: usize) {
        for index in segment.variables(point).filter(|index| segment.kind.get(*index) == Some(&Kind::Pointer)) {
            let (key, pointer) = (segment.key(index), segment.value.get(index).copied().unwrap_or(0));
            let Some((buffer, why)) = self.stray(key, pointer, segment.buffer_size(index)) else { continue };
            let question = Question::Pointer { key, why };
            let of = self.questions.iter_mut().filter(|(it, _)| *it == question);
            of.for_each(|(_, answer)| {
                if answer.first.is_none() {
                    (answer.first, answer.values) = (Some(segment.first + point as u64), buffer.into());
                }
                answer.counts[0] += 1;
            });
        }
    }

    /// The buffer that a pointer has left, and how. Nothing is left of the buffers that a pointer
    /// outside points into.
    fn stray(&mut self, key: u32, pointer: u64, left: Option<u64>) -> Option<((u64, u64), Suspicion)> {
        let last = |of: &BTreeMap<u64, u64>| of.range(..=pointer).next_back().map(|(at, size)| (*at, *size));
        let below = last(&self.live);
        if left.is_some() {
            below.into_iter().for_each(|(at, _)| _ = self.were_in.insert((at, key)));
            return None;
        }
        if let Some(it) = last(&self.freed).filter(|(at, size)| pointer - at < *size) {
            return Some((it, Suspicion::Freed));
        }
        let above = self.live.range(pointer..).next().map(|(at, size)| (*at, *size));
        if let Some(it) = above.filter(|(at, _)| at - pointer <= NEAR && self.were_in.contains(&(*at, key))) {
            return Some((it, Suspicion::Before));
        }
        let is_behind = |(at, size): &(u64, u64)| (1..=NEAR).contains(&(pointer - at).saturating_sub(*size));
        below.filter(is_behind).map(|it| (it, Suspicion::Past))
    }
}

impl Answer {
    /// Counts a point of whatever statement.
    fn add(&mut self, question: &Question, latest: &mut Option<i64>, segment: &Segment, point: usize, is_same: bool) {
        let (at, of) = (segment.first + point as u64, segment.statement(point));
        match *question {
            Question::Relation { statement, low, high } if of == statement => {
                let order = side(segment, point, low).zip(side(segment, point, high));
                match order.and_then(|(low, high)| compare(low, high)) {
                    Some(Ordering::Greater) => self.see(1, at),
                    Some(_) => self.counts[0] += 1,
                    None => {}
                }
            }
            Question::Constant { key } => {
                for index in segment.variables(point).filter(|index| segment.key(*index) == key) {
                    let bits = segment.value.get(index).copied().unwrap_or(0);
                    if self.counts[0] == 0 {
                        self.values[0] = bits;
                    }
                    self.counts[0] += 1;
                    self.counts[1] += u64::from(bits != self.values[0]);
                }
            }
            Question::Once { statement } if of == statement => self.see(0, at),
            Question::Quotient { statement, x, y, z } if of == statement => {
                let [x, y, z] = [x, y, z].map(|key| whole(segment, point, key));
                if y == Some(0) {
                    self.see(1, at);
                }
                if let (Some(x), Some(y), Some(z)) = (x, y, z)
                    && let Some(quotient) = x.checked_div(y)
                {
                    let [holds, _, fails] = &mut self.counts;
                    *(if quotient == z { holds } else { fails }) += 1;
                }
            }
            Question::Wrap { statement, key } if of == statement => {
                for index in segment.variables(point).filter(|index| segment.key(*index) == key) {
                    let value = segment.value.get(index).copied().unwrap_or(0) as i64;
                    let Some(before) = latest.replace(value).filter(|before| *before > value) else { continue };
                    if self.first.is_none() {
                        self.values = [before as u64, value as u64];
                    }
                    self.see(0, at);
                }
            }
            Question::Still { first, count } => {
                let end = first.saturating_add(count);
                self.counts[0] += u64::from(is_same && (first..end).contains(&at));
                self.counts[1] += u64::from(is_same && (at.saturating_add(1) == first || at == end));
            }
            Question::Types { statement, usual, other } if of == statement => {
                for index in segment.variables(point) {
                    if segment.key(index) == usual {
                        self.counts[0] += 1;
                    } else if segment.key(index) == other {
                        self.see(1, at);
                    }
                }
            }
            _ => {}
        }
    }

    fn see(&mut self, of: usize, at: u64) {
        self.counts.get_mut(of).into_iter().for_each(|count| *count += 1);
        self.first.get_or_insert(at);
    }
}

/// The value of a side at a point. Of several variables of one name and type, the first counts.
fn side(segment: &Segment, point: usize, side: Side) -> Option<(Kind, u64)> {
    let index = segment.variables(point).find(|index| segment.key(*index) == side.key)?;
    match segment.value(index) {
        _ if side.is_size => Some((Kind::Unsigned, segment.buffer_size(index)?)),
        Value::Number(number) => Some((Kind::of(number), number.bits())),
        Value::Bytes(..) => None,
    }
}

/// The integer that a variable has at a point. Of several, the last counts.
fn whole(segment: &Segment, point: usize, key: u32) -> Option<i128> {
    let index = segment.variables(point).rev().find(|index| segment.key(*index) == key)?;
    let Value::Number(number) = segment.value(index) else { return None };
    integer(Kind::of(number), number.bits())
}

/// The order of two values. `None` if one is not a number.
fn compare((low_kind, low): (Kind, u64), (high_kind, high): (Kind, u64)) -> Option<Ordering> {
    match (integer(low_kind, low), integer(high_kind, high)) {
        (Some(low), Some(high)) => Some(low.cmp(&high)),
        _ => float(low_kind, low).partial_cmp(&float(high_kind, high)),
    }
}
