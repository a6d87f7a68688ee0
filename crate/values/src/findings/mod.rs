//! What stands out in the values of a trace: relations that hold but for a few points, pointers out
//! of their buffers, divisors that reach zero, numbers that wrap, loops that get nowhere.
//!
//! `docs/findings.md` defines each kind. One pass over all segments, and one that counts once more
//! what is to be said; memory is bounded by the numbers of statements and variables.

mod divisors;
mod numbers;
mod recount;
mod still;
mod types;

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use divisors::Divisors;
use hashbrown::HashMap;
use numbers::Wraps;
use recount::{Answer, Proposal, Question, Recount, Side};
use still::Still;
use unspool_formats::trace_db::wire::{StatementId, Tables};
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence, arrange};
use unspool_trace::problem::grouped;

use crate::buffers::{Buffers, Suspicion};
use crate::chance::is_telling;
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
    &[&RELATION, &POINTER, &divisors::DIVISOR, &numbers::WRAP, &still::STILL, &types::TYPES, &CONSTANT_KIND, &ONCE];

static RELATION: Kind = Kind {
    word: "relation",
    title: "Relations that nearly always hold",
    why: "Two variables of a statement are in one order at all its points but a few, and reach equality without crossing it; chance would make it so in less than one of a hundred cases.",
};
static POINTER: Kind = Kind {
    word: "pointer",
    title: "Pointers outside of buffers",
    why: "The trace says where buffers are, and a pointer is behind the end of one, before the begin of one that it was in, or in one that was freed.",
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
    /// In the second pass, and whether that is over.
    recount: Option<Recount>,
    is_counted: bool,
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
            recount: None,
            is_counted: false,
        }
    }
}

impl ValueFindings {
    /// Adds the points of a segment. Segments come in order.
    pub fn add(&mut self, segment: &Segment, dictionary: &Dictionary, tables: &Tables) {
        if let Some(recount) = &mut self.recount {
            return recount.add(segment);
        }
        self.statements.add(segment, dictionary);
        self.relations.add(segment, dictionary);
        self.buffers.add(segment, dictionary, tables);
        self.divisors.add(segment);
        self.wraps.add(segment, dictionary, tables);
        self.still.add(segment);
        self.points = segment.first + segment.len() as u64;
    }

    /// All segments were added. Returns whether they must be added once more, from the first one
    /// on, before anything is said.
    pub fn end_pass(&mut self, dictionary: &Dictionary, tables: &Tables) -> bool {
        if self.recount.is_none() {
            let proposed = self.proposed(dictionary, tables, &|_| String::new());
            self.recount = Some(Recount::of(proposed.into_iter().map(|it| it.question)));
            self.is_counted = self.recount.as_ref().is_some_and(Recount::is_empty);
        } else {
            self.is_counted = true;
        }
        !self.is_counted
    }

    /// The findings that hold when they are counted once more, the greatest first, and how many did
    /// not hold. Nothing before the end of the second pass. `name_of` names a statement.
    pub fn found(
        &self,
        dictionary: &Dictionary,
        tables: &Tables,
        name_of: impl Fn(Option<StatementId>) -> String,
    ) -> (Vec<Finding>, u64) {
        let Some(recount) = self.recount.as_ref().filter(|_| self.is_counted) else { return (Vec::new(), 0) };
        let mut proposed = self.proposed(dictionary, tables, &name_of);
        let all = proposed.len();
        proposed.retain(|it| recount.holds(&it.question, &it.answer));
        let refuted = (all - proposed.len()) as u64;
        let mut found: Vec<Finding> = proposed.into_iter().map(|it| it.finding).collect();
        arrange(&mut found);
        (found, refuted)
    }

    /// Everything that the first pass proposes.
    fn proposed(
        &self,
        dictionary: &Dictionary,
        tables: &Tables,
        name_of: &dyn Fn(Option<StatementId>) -> String,
    ) -> Vec<Proposal> {
        let names = Names { dictionary, tables, statement: name_of, points: self.points.max(1) };
        let mut found = Vec::new();
        for (number, of) in (0..).zip(&self.relations.statements) {
            relations(of, number, &names, &mut found);
            types::found(of, number, &names, &mut found);
        }
        self.pointers(&names, &mut found);
        self.constants(&names, &mut found);
        self.once(&names, &mut found);
        self.divisors.found(&names, &mut found);
        self.wraps.found(&names, &mut found);
        self.still.found(&names, &mut found);
        if self.relations.is_cut {
            let findings = found.iter_mut().map(|it: &mut Proposal| &mut it.finding);
            for it in findings.filter(|it| it.kind == &RELATION || it.kind == &CONSTANT_KIND) {
                it.part = Some("a statement has too many variables to compare all".to_owned());
            }
        }
        found
    }

    /// Pointers that leave their buffers, by pointer and reason.
    fn pointers(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
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
            let mut sentence = Sentence::default();
            sentence.say(&name);
            match why {
                Suspicion::Freed => sentence
                    .say(" points into the buffer at ")
                    .claim(Claim::new("buffer", address as f64, "", format!("{address:#x}")).of(&name).at(at))
                    .say(", which was freed"),
                _ => sentence
                    .say(" leaves its buffer of ")
                    .claim(Claim::new("buffer-size", size as f64, "byte", counted(size, "byte")).of(&name).at(at))
                    .say(if why == Suspicion::Before { ": it is before the begin" } else { ": it is behind the end" }),
            };
            sentence.say(" at ").claim(points_of(count, &name)).say(", first at point ").claim(first_at(at, &name));
            sentence.say(" in ").say(names.statement_of(first.first.statement));
            let mut it = Finding::new(&POINTER, 0.9, sentence).within(at, end).about([name]);
            it.part = (!is_all).then(|| "there are more pointers outside of buffers than are kept".to_owned());
            it.places = points;
            found.push(Proposal {
                finding: it.about([names.statement_of(first.first.statement)]),
                question: Question::Pointer { key, why },
                answer: Answer { counts: [count, 0, 0], first: Some(at), values: first.buffer.into() },
            });
        }
    }

    /// Variables with one value, if these are few.
    fn constants(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
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
            let mut sentence = Sentence::default();
            let text = number_text(kind, value);
            sentence.say(&name).say(" never changes: it is always ");
            sentence.claim(Claim::new("value", text.parse().unwrap_or(f64::NAN), "", text).of(&name)).say(" at ");
            sentence.claim(points_of(count, &name)).say(", in ").say(names.statement_of(statement));
            let span = self.statements.summaries().get(statement as usize).map_or((0, 0), |it| (it.first, it.last));
            let it = Finding::new(&CONSTANT_KIND, 0.3, sentence).within(span.0, span.1).about([name]);
            found.push(Proposal {
                finding: it.about([names.statement_of(statement)]),
                question: Question::Constant { key },
                answer: Answer { counts: [count, 0, 0], first: None, values: [value, 0] },
            });
        }
    }

    /// Statements that are reached once in the middle of the trace.
    fn once(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
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
            let mut sentence = Sentence::default();
            sentence.say(&name).say(" is reached once, at point ").claim(first_at(it.first, &name));
            let text = grouped(least).to_string();
            sentence.say(", and others at least ").claim(Claim::new("least-of-others", least as f64, "point", text));
            sentence.say(" times");
            found.push(Proposal {
                finding: Finding::new(&ONCE, 0.4, sentence).within(it.first, it.first).about([name]),
                question: Question::Once { statement: *number },
                answer: Answer { counts: [1, least, 0], first: Some(it.first), values: [0; 2] },
            });
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

    fn type_of(&self, key: u32) -> String {
        self.tables.type_name(self.dictionary.key(key).1).into_owned()
    }

    fn statement_of(&self, number: u32) -> String {
        (self.statement)(self.dictionary.statement(number))
    }
}

/// Pairs of variables that are in one order but for a few points.
fn relations(of: &AtStatement, statement: u32, names: &Names<'_>, found: &mut Vec<Proposal>) {
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
            // Of few values, one exception in many is often chance, too.
            let is_varied = low.sample.is_varied() && high.sample.is_varied();
            if !is_varied || !is_telling(&low.sample, &high.sample, holds.count + equal.count, all) {
                continue;
            }
            let side = |it: &Column| Side { key: it.key(), is_size: it.is_size() };
            let question = Question::Relation { statement, low: side(low), high: side(high) };
            let (low, high) = (name(low), name(high));
            let (relation, place) = (format!("{low} <= {high}"), names.statement_of(statement));
            let mut sentence = Sentence::default();
            let (those, fewer) = (holds.count + equal.count, fails.count);
            sentence.say(&relation).say(" holds at ");
            sentence.claim(Claim::new("holds", those as f64, "point", grouped(those).to_string()).of(&relation));
            sentence.say(" of ").claim(points_of(all, &relation)).say(" of ").say(&place).say("; ");
            sentence.claim(Claim::new("fails", fewer as f64, "point", grouped(fewer).to_string()).of(&relation));
            sentence.say(if fewer == 1 { " does not, at " } else { " do not, the first is " });
            sentence.claim(first_at(fails.first, &relation));
            let share = fails.count as f64 / all as f64;
            let it = Finding::new(&RELATION, 0.8 - 10.0 * share, sentence).within(fails.first, fails.first);
            let answer = Answer { counts: [those, fewer, 0], first: Some(fails.first), values: [0; 2] };
            found.push(Proposal { finding: it.about([low, high, place]), question, answer });
        }
    }
}

/// A number of points of something, as a claim.
fn points_of(count: u64, of: &str) -> Claim {
    Claim::new("points", count as f64, "point", counted(count, "point")).of(of)
}

/// The first point of something, as a claim. Numbers of points are not grouped, as everywhere.
fn first_at(point: u64, of: &str) -> Claim {
    Claim::new("position", point as f64, "point", format!("{point}")).of(of).at(point)
}

/// A number of points as a share of all.
fn share_of(points: u64, names: &Names<'_>) -> f64 {
    points as f64 / names.points as f64
}

#[cfg(test)]
mod tests;
