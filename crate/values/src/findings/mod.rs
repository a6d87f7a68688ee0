//! What stands out in the values of a trace: relations that hold but for a few points, pointers out
//! of their buffers, divisors that reach zero, numbers that wrap, loops that get nowhere.
//!
//! `docs/findings.md` defines each kind. One pass over all segments; memory is bounded by the
//! numbers of statements and variables.

mod divisors;
mod numbers;
mod still;

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use divisors::Divisors;
use hashbrown::HashMap;
use numbers::Wraps;
use still::Still;
use unspool_formats::trace_db::wire::{StatementId, Tables};
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Kind, arrange};

use crate::buffers::{Buffers, Suspicion};
use crate::columns::{Dictionary, Kind as Sort, Segment};
use crate::invariants::{number_text, quoted};
use crate::relations::{AtStatement, Column, Relations};
use crate::statements::Statements;

/// Points that a statement needs before its values are compared.
const ENOUGH: u64 = 50;
/// A relation may fail at one point in this number.
const EXCEPTIONS: u64 = 40;
/// Statements that are reached once are listed if at most this number are, all others are reached a
/// few times at least, and half of them this often.
const MOST_ONCE: usize = 2;
const SEVERAL: u64 = 5;
const OFTEN: u64 = 20;
/// Variables that never change are listed if at most one in this number does not.
const CONSTANT: usize = 5;

/// The kinds of what is found here.
pub static FINDING_KINDS: &[&Kind] =
    &[&RELATION, &POINTER, &divisors::DIVISOR, &numbers::WRAP, &still::STILL, &CONSTANT_KIND, &ONCE];

static RELATION: Kind = Kind {
    word: "relation",
    title: "Relations that nearly always hold",
    why: "Two variables of a statement are in one order at all its points but a few, and reach equality without crossing it.",
};
static POINTER: Kind = Kind {
    word: "pointer",
    title: "Pointers outside of buffers",
    why: "The trace says where buffers are, and a pointer that was in one is behind its end, or in one that was freed.",
};
static CONSTANT_KIND: Kind = Kind {
    word: "constant",
    title: "Variables that never change",
    why: "It has one value at all points, at least 50, and four in five variables do change.",
};
static ONCE: Kind = Kind {
    word: "once",
    title: "Statements that are reached once",
    why: "It is reached once in the middle of the trace, all others at least five times, and half of them 20 times.",
};

/// Everything that is looked at.
#[derive(Debug)]
pub struct ValueFindings {
    statements: Statements,
    relations: Relations,
    buffers: Buffers,
    divisors: Divisors,
    wraps: Wraps,
    still: Still,
    points: u64,
}

impl Default for ValueFindings {
    fn default() -> Self {
        Self {
            statements: Statements::new(0..u64::MAX),
            relations: Relations::new(0..u64::MAX),
            buffers: Buffers::default(),
            divisors: Divisors::default(),
            wraps: Wraps::default(),
            still: Still::default(),
            points: 0,
        }
    }
}

impl ValueFindings {
    /// Adds the points of a segment. Segments come in order.
    pub fn add(&mut self, segment: &Segment, dictionary: &Dictionary, tables: &Tables) {
        self.statements.add(segment, dictionary);
        self.relations.add(segment, dictionary);
        self.buffers.add(segment, dictionary, tables);
        self.divisors.add(segment);
        self.wraps.add(segment, dictionary, tables);
        self.still.add(segment);
        self.points = segment.first + segment.len() as u64;
    }

    /// What was found, the greatest first. `name_of` names a statement.
    pub fn found(
        &self,
        dictionary: &Dictionary,
        tables: &Tables,
        name_of: impl Fn(Option<StatementId>) -> String,
    ) -> Vec<Finding> {
        let names = Names { dictionary, tables, statement: &name_of, points: self.points.max(1) };
        let mut found = Vec::new();
        for (number, of) in (0..).zip(&self.relations.statements) {
            relations(of, number, &names, &mut found);
        }
        self.pointers(&names, &mut found);
        self.constants(&names, &mut found);
        self.once(&names, &mut found);
        self.divisors.found(&names, &mut found);
        self.wraps.found(&names, &mut found);
        self.still.found(&names, &mut found);
        if self.relations.is_cut {
            for it in found.iter_mut().filter(|it| it.kind == &RELATION || it.kind == &CONSTANT_KIND) {
                it.part = Some("a statement has too many variables to compare all".to_owned());
            }
        }
        arrange(&mut found);
        found
    }

    /// Pointers that leave their buffers, by pointer and reason.
    fn pointers(&self, names: &Names<'_>, found: &mut Vec<Finding>) {
        let (candidates, is_all) = self.buffers.candidates();
        // Fewer than an element is left in the middle of casts and unions, too.
        let all = candidates.iter().filter(|it| it.why != Suspicion::Short);
        let mut grouped: Vec<(Suspicion, u32, u64, Vec<u64>, &crate::buffers::Candidate)> = Vec::new();
        for it in all {
            match grouped.iter_mut().find(|(why, key, ..)| (*why, *key) == (it.why, it.key)) {
                Some((_, _, count, points, _)) => {
                    *count += it.count;
                    points.extend(&it.points);
                }
                None => grouped.push((it.why, it.key, it.count, it.points.clone(), it)),
            }
        }
        for (why, key, count, mut points, first) in grouped {
            points.sort_unstable();
            let (Some(at), Some(end)) = (points.first().copied(), points.last().copied()) else { continue };
            let name = names.variable(key);
            let (address, size) = first.buffer;
            let where_to = match why {
                Suspicion::Freed => format!("points into the buffer at {address:#x}, which was freed"),
                _ => format!("leaves its buffer of {}: it is behind the end", counted(size, "byte")),
            };
            let sentence = format!(
                "{name} {where_to} at {}, first at point {at} in {}",
                counted(count, "point"),
                names.statement_of(first.first.statement)
            );
            let mut it = Finding::new(&POINTER, 0.9, sentence).within(at, end).about([name]);
            it.part = (!is_all).then(|| "there are more pointers outside of buffers than are kept".to_owned());
            it.places = points;
            found.push(it.figure("points", count as f64, "point"));
        }
    }

    /// Variables with one value, if these are few.
    fn constants(&self, names: &Names<'_>, found: &mut Vec<Finding>) {
        // By key: points, the statements, and the value if it is one.
        let mut all: HashMap<u32, (u64, u32, Option<u64>, Sort)> = HashMap::new();
        for (number, of) in (0..).zip(&self.relations.statements) {
            for column in of.columns.iter().filter(|it| !it.is_size() && it.kind != Sort::Pointer) {
                let value = column.few().and_then(|few| <[_; 1]>::try_from(few).ok()).map(|[(bits, _)]| bits);
                let known = all.entry(column.key()).or_insert((0, number, value, column.kind));
                known.0 += column.count;
                if known.2 != value {
                    known.2 = None;
                }
            }
        }
        all.retain(|_, (count, ..)| *count >= ENOUGH);
        let mut constant: Vec<_> = all.iter().filter_map(|(key, it)| Some((*key, *it, it.2?))).collect();
        if constant.is_empty() || constant.len() * CONSTANT > all.len() {
            return;
        }
        constant.sort_unstable_by_key(|(key, ..)| *key);
        for (key, (count, statement, _, kind), value) in constant {
            let name = names.variable(key);
            let sentence = format!(
                "{name} never changes: it is always {} at {}, in {}",
                number_text(kind, value),
                counted(count, "point"),
                names.statement_of(statement)
            );
            let span = self.statements.summaries().get(statement as usize).map_or((0, 0), |it| (it.first, it.last));
            let it = Finding::new(&CONSTANT_KIND, 0.3, sentence).within(span.0, span.1).about([name]);
            found.push(it.figure("points", count as f64, "point"));
        }
    }

    /// Statements that are reached once in the middle of the trace.
    fn once(&self, names: &Names<'_>, found: &mut Vec<Finding>) {
        let all = self.statements.summaries();
        let once: Vec<_> = (0..).zip(all).filter(|(_, it)| it.count == 1).collect();
        let mut others: Vec<u64> = all.iter().map(|it| it.count).filter(|count| *count > 1).collect();
        others.sort_unstable();
        let (Some(least), Some(usual)) = (others.first().copied(), others.get(others.len() / 2).copied()) else {
            return;
        };
        // What starts and ends a program is reached once, too.
        let margin = self.points / 50;
        if once.is_empty() || once.len() > MOST_ONCE || others.len() < 3 || least < SEVERAL || usual < OFTEN {
            return;
        }
        for (number, it) in once.iter().filter(|(_, it)| it.first > margin && it.first + margin < self.points) {
            let name = names.statement_of(*number);
            let sentence = format!("{name} is reached once, at point {}, and others at least {least} times", it.first);
            found.push(Finding::new(&ONCE, 0.4, sentence).within(it.first, it.first).about([name]));
        }
    }
}

/// What variables and statements are called.
struct Names<'n> {
    dictionary: &'n Dictionary,
    tables: &'n Tables,
    statement: &'n dyn Fn(Option<StatementId>) -> String,
    /// Number of points of the trace.
    points: u64,
}

impl Names<'_> {
    fn variable(&self, key: u32) -> String {
        quoted(&self.tables.text(self.dictionary.key(key).0).unwrap_or_default())
    }

    fn statement_of(&self, number: u32) -> String {
        (self.statement)(self.dictionary.statement(number))
    }
}

/// Pairs of variables that are in one order but for a few points.
fn relations(of: &AtStatement, statement: u32, names: &Names<'_>, found: &mut Vec<Finding>) {
    let name = |column: &Column| {
        let own = names.variable(column.key());
        if column.is_size() { format!("{own}.size") } else { own }
    };
    for y in 0..of.columns.len() {
        for x in 0..y {
            let (Some(a), Some(b), Some([less, equal, more])) = (of.columns.get(x), of.columns.get(y), of.orders(x, y))
            else {
                continue;
            };
            let all = less.count + equal.count + more.count;
            if !of.is_comparable(x, y) || all < ENOUGH {
                continue;
            }
            // Equality shows that the order is a limit, and not two numbers that are far apart.
            let (holds, fails, low, high) =
                if less.count >= more.count { (less, more, a, b) } else { (more, less, b, a) };
            if fails.count == 0 || fails.count * EXCEPTIONS > all || equal.count == 0 {
                continue;
            }
            let (low, high) = (name(low), name(high));
            let sentence = format!(
                "{low} <= {high} holds at {} of {} of {}; {} do not, the first is {}",
                holds.count + equal.count,
                counted(all, "point"),
                names.statement_of(statement),
                fails.count,
                fails.first
            );
            let share = fails.count as f64 / all as f64;
            let it = Finding::new(&RELATION, 0.8 - 10.0 * share, sentence).within(fails.first, fails.first);
            found.push(it.about([low, high]).figure("exceptions", fails.count as f64, "point"));
        }
    }
}

/// A number of points as a share of all.
fn share_of(points: u64, names: &Names<'_>) -> f64 {
    points as f64 / names.points as f64
}

#[cfg(test)]
mod tests;
