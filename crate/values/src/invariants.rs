//! What likely always holds at a statement, from the values at its occurrences.
//!
//! The columns of an iteration table are compared with one another. A relation is reported if it
//! holds at nearly all occurrences, with the number of those at which it does not: such an
//! exception is often what one looks for.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::cmp::Ordering;

use serde::{Deserialize, Serialize};
use unspool_formats::trace_db::wire::{Number as Raw, Tables};

use crate::chance::{Sample, is_telling};
use crate::columns::{Dictionary, Kind, Value, put_value};
use crate::rows::{Column, Rows, UNKNOWN};

/// Occurrences that a relation needs. Two points lie on a line in any case.
pub(crate) const LEAST: u64 = 3;
/// One exception in this many occurrences is the most.
const EXCEPTIONS: u64 = 20;
/// Reported at most.
const MOST: usize = 1 << 12;
/// Different values of a variable that is one of a few.
pub(crate) const FEW: usize = 3;
/// The largest denominator of a factor.
const MOST_PARTS: i128 = 64;

/// The sort of a relation, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Two variables are equal.
    Equal,
    /// A variable is what is left of the buffer of a pointer.
    Size,
    /// A variable is another one, times a factor, plus a number.
    Linear,
    /// A variable has one value.
    Constant,
    /// A variable has one of a few values.
    OneOf,
    /// A pointer is never null.
    NotNull,
    /// A variable is at most another one, and their ranges overlap.
    AtMost,
    /// All values of a variable are below all of another one.
    Apart,
}

impl Relation {
    /// A stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Size => "size",
            Self::Linear => "linear",
            Self::Constant => "constant",
            Self::OneOf => "one-of",
            Self::NotNull => "not-null",
            Self::AtMost => "at-most",
            Self::Apart => "apart",
        }
    }
}

/// A relation that likely always holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Its sort.
    pub relation: Relation,
    /// As a query.
    pub query: String,
    /// The query that finds where it does not hold.
    pub exceptions_query: String,
    /// Occurrences at which it holds.
    pub holds: u64,
    /// Occurrences at which it does not.
    pub exceptions: u64,
}

/// A column, and what is known of it.
struct Known {
    /// The key of its variable in the dictionary.
    key: u32,
    /// As queries name it: `i` or `p.size`.
    name: String,
    kind: Kind,
    is_size: bool,
    /// All values are integers: also those of floats.
    is_whole: bool,
    is_constant: bool,
    range: (f64, f64),
    sample: Sample,
}

/// The comparison of the columns of a table, in steps.
pub struct Invariants {
    columns: Vec<Known>,
    found: Vec<Invariant>,
    /// The next pair, as two numbers of columns, the first of which is the smaller one.
    next: (usize, usize),
}

impl Invariants {
    /// Looks at each column alone; [`Invariants::step`] compares them.
    pub(crate) fn new(rows: &Rows, tables: &Tables, dictionary: &Dictionary) -> Self {
        let mut found = Vec::new();
        let columns = rows.keys().zip(rows.columns()).map(|((key, is_size), column)| {
            let own = quoted(&tables.text(dictionary.key(key).0).unwrap_or_default());
            let name = if is_size { format!("{own}.size") } else { own };
            alone(name, (key, is_size), column, rows.len(), &mut found)
        });
        Self { columns: columns.collect(), found, next: (0, 1) }
    }

    /// Compares at least one pair, and more until `budget` rows were looked at. Returns whether all
    /// are compared. `rows` must be those of [`Invariants::new`], with further rows at most.
    pub(crate) fn step(&mut self, rows: &Rows, budget: usize) -> bool {
        let mut looked = 0;
        loop {
            let (a, b) = self.next;
            if self.found.len() >= MOST || a + 1 >= self.columns.len() {
                self.finish();
                return true;
            }
            if b >= self.columns.len() {
                self.next = (a + 1, a + 2);
                continue;
            }
            if looked >= budget {
                return false;
            }
            self.next = (a, b + 1);
            looked += self.pair(rows, a, b);
        }
    }

    fn finish(&mut self) {
        self.next = (self.columns.len(), 0);
        self.found.sort_by_key(|a| (a.relation, a.exceptions > 0));
    }

    /// What was found, the most telling first once all pairs are compared.
    pub fn found(&self) -> &[Invariant] {
        &self.found
    }

    /// Compares two columns. Returns how many rows it has looked at.
    fn pair(&mut self, rows: &Rows, a: usize, b: usize) -> usize {
        let (Some(x), Some(y)) = (self.columns.get(a), self.columns.get(b)) else { return 0 };
        let (Some(of_x), Some(of_y)) = (rows.columns().get(a), rows.columns().get(b)) else { return 0 };
        let count = rows.len();
        if x.key == y.key {
            // Where a buffer ends says nothing of the statement.
            return 0;
        }
        let is_address = |it: &Known| it.kind == Kind::Pointer;
        if x.kind == Kind::Bytes || y.kind == Kind::Bytes {
            return self.texts(of_x, of_y, a, b, count);
        }
        // A constant says enough alone, but for sizes: that a variable is the size of its buffer
        // matters.
        let matters = !(x.is_constant && y.is_constant) || x.is_size != y.is_size;
        if !matters {
            return 0;
        }
        let mut looked = 0;
        if is_address(x) == is_address(y) {
            looked += count;
            let (less, equal, more) = compare(of_x, of_y, x, y, count);
            let all = less + equal + more;
            let relation = if x.is_size == y.is_size { Relation::Equal } else { Relation::Size };
            let (names, exceptions) = ((&x.name, &y.name), |n: u64| all - n);
            // Of a constant and few other values, that is all there is to say.
            let has_constant = x.is_constant || y.is_constant;
            if has_constant && !(x.is_size || y.is_size || x.sample.is_varied() || y.sample.is_varied()) {
                return looked;
            }
            if is_likely(equal, all) {
                let it = relation_of(relation, names, ("=", "!="), equal, exceptions(equal));
                self.found.push(it);
                return looked;
            }
            // A constant is a bound if it is reached.
            if !has_constant || equal > 0 && less.min(more) == 0 && !(x.is_size || y.is_size) {
                let is_apart = x.range.1 < y.range.0 || y.range.1 < x.range.0;
                let relation = if is_apart { Relation::Apart } else { Relation::AtMost };
                let swapped = (&y.name, &x.name);
                let it = if is_likely(less, all) && equal == 0 {
                    Some(relation_of(relation, names, ("<", ">="), less, exceptions(less)))
                } else if is_likely(more, all) && equal == 0 {
                    Some(relation_of(relation, swapped, ("<", ">="), more, exceptions(more)))
                } else if is_likely(less + equal, all) {
                    Some(relation_of(relation, names, ("<=", ">"), less + equal, exceptions(less + equal)))
                } else if is_likely(more + equal, all) {
                    Some(relation_of(relation, swapped, ("<=", ">"), more + equal, exceptions(more + equal)))
                } else {
                    None
                };
                let is_x_low = less >= more;
                let (low, high) = if is_x_low { (x, y) } else { (y, x) };
                let is_said = |it: &Invariant| {
                    it.exceptions == 0 || is_telling(&low.sample, &high.sample, it.holds, it.holds + it.exceptions)
                };
                self.found.extend(it.filter(is_said));
            }
        }
        let (Some(x), Some(y)) = (self.columns.get(a), self.columns.get(b)) else { return looked };
        if x.is_whole && y.is_whole && !x.is_constant && !y.is_constant {
            looked += 3 * count;
            let it = linear(of_x, of_y, x, y, count);
            self.found.extend(it);
        }
        looked
    }

    /// Two columns of bytes: equal or not.
    fn texts(&mut self, of_x: &Column, of_y: &Column, a: usize, b: usize, count: usize) -> usize {
        let (Some(x), Some(y)) = (self.columns.get(a), self.columns.get(b)) else { return 0 };
        if x.kind != y.kind || x.is_constant {
            return 0;
        }
        let (mut same, mut all) = (0, 0);
        for row in 0..count {
            if let (Some(x), Some(y)) = (of_x.get(row), of_y.get(row)) {
                // Bytes past the limit may be equal or not.
                if x == UNKNOWN.into() || y == UNKNOWN.into() {
                    return row;
                }
                all += 1;
                same += u64::from(x == y);
            }
        }
        if is_likely(same, all) {
            let it = relation_of(Relation::Equal, (&x.name, &y.name), ("=", "!="), same, all - same);
            self.found.push(it);
        }
        count
    }
}

fn is_likely(holds: u64, all: u64) -> bool {
    all >= LEAST && holds > 0 && (all - holds) * EXCEPTIONS <= all
}

fn relation_of(
    relation: Relation,
    (x, y): (&String, &String),
    (sign, opposite): (&str, &str),
    holds: u64,
    exceptions: u64,
) -> Invariant {
    Invariant {
        relation,
        query: format!("{x} {sign} {y}"),
        exceptions_query: format!("{x} {opposite} {y}"),
        holds,
        exceptions,
    }
}

/// A column by itself: adds whether it is constant, one of a few, or never null.
fn alone(
    name: String,
    (key, is_size): (u32, bool),
    column: &Column,
    count: usize,
    found: &mut Vec<Invariant>,
) -> Known {
    let kind = column.kind;
    let (mut all, mut zeros, mut is_whole) = (0_u64, 0_u64, kind != Kind::Bytes);
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    let mut sample = Sample::default();
    // The first few different values, with how often each occurs, and how often others do.
    let mut few: Vec<(u64, u64)> = Vec::new();
    let mut others = 0_u64;
    for bits in (0..count).filter_map(|row| column.get(row)) {
        all += 1;
        zeros += u64::from(bits == 0);
        let is_room = few.len() <= FEW;
        match few.iter_mut().find(|(known, _)| *known == bits) {
            Some((_, times)) => *times += 1,
            None if is_room => few.push((bits, 1)),
            None => others += 1,
        }
        if kind != Kind::Bytes {
            let number = float(kind, bits);
            range = (range.0.min(number), range.1.max(number));
            if !number.is_nan() {
                sample.add(number);
            }
            is_whole &= integer(kind, bits).is_some();
        }
    }
    few.sort_by_key(|(_, times)| core::cmp::Reverse(*times));
    let first = few.first().copied().unwrap_or((0, 0));
    let is_constant = first.1 == all;
    let mut add = |relation, query, exceptions_query, holds| {
        found.push(Invariant { relation, query, exceptions_query, holds, exceptions: all - holds });
    };
    let can_be_asked = kind != Kind::Bytes && !(kind == Kind::Float && f64::from_bits(first.0).is_nan());
    if all > 0 && can_be_asked {
        let shown = |bits| number_text(kind, bits);
        if is_likely(first.1, all) {
            let value = shown(first.0);
            add(Relation::Constant, format!("{name} = {value}"), format!("{name} != {value}"), first.1);
        } else if few.len() <= FEW && others == 0 && all >= 4 * few.len() as u64 {
            let list = |sign: &str, word: &str| {
                let parts: Vec<String> =
                    few.iter().map(|(bits, _)| format!("{name} {sign} {}", shown(*bits))).collect();
                parts.join(word)
            };
            add(Relation::OneOf, list("=", " or "), list("!=", " and "), all);
        }
        if kind == Kind::Pointer && !is_constant && is_likely(all - zeros, all) {
            add(Relation::NotNull, format!("{name} != 0"), format!("{name} = 0"), all - zeros);
        }
    }
    Known { key, name, kind, is_size, is_whole, is_constant, range, sample }
}

/// Rows at which the first column is less than, equal to, and more than the second.
fn compare(of_x: &Column, of_y: &Column, x: &Known, y: &Known, count: usize) -> (u64, u64, u64) {
    let (mut less, mut equal, mut more) = (0, 0, 0);
    let is_exact = x.is_whole && y.is_whole;
    for row in 0..count {
        let (Some(a), Some(b)) = (of_x.get(row), of_y.get(row)) else { continue };
        let order = if is_exact {
            integer(x.kind, a).cmp(&integer(y.kind, b)).into()
        } else {
            float(x.kind, a).partial_cmp(&float(y.kind, b))
        };
        match order {
            Some(Ordering::Less) => less += 1,
            Some(Ordering::Equal) => equal += 1,
            Some(Ordering::Greater) => more += 1,
            None => {}
        }
    }
    (less, equal, more)
}

/// `y = factor * x + rest` as `y * parts = times * x + rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    parts: i128,
    times: i128,
    rest: i128,
}

impl Line {
    /// The line through two points.
    pub(crate) fn through(p: (i128, i128), q: (i128, i128)) -> Option<Self> {
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        if dx == 0 || dy == 0 {
            return None;
        }
        let divisor = gcd(dx.unsigned_abs(), dy.unsigned_abs()) as i128 * dx.signum();
        let (parts, times) = (dx / divisor, dy / divisor);
        let rest = p.1.checked_mul(parts)?.checked_sub(times.checked_mul(p.0)?)?;
        (parts <= MOST_PARTS || times.abs() <= MOST_PARTS).then_some(Self { parts, times, rest })
    }

    pub(crate) fn holds(&self, x: i128, y: i128) -> bool {
        let right = self.times.checked_mul(x).and_then(|it| it.checked_add(self.rest));
        right.is_some() && right == y.checked_mul(self.parts)
    }

    /// With x and y in place of one another.
    pub(crate) fn swapped(&self) -> Self {
        let sign = self.times.signum();
        Self { parts: self.times * sign, times: self.parts * sign, rest: self.rest.saturating_neg() * sign }
    }

    /// Whether it says that both are equal.
    pub(crate) fn is_identity(&self) -> bool {
        *self == (Self { parts: 1, times: 1, rest: 0 })
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn linear(of_x: &Column, of_y: &Column, x: &Known, y: &Known, count: usize) -> Option<Invariant> {
    let get = |row: usize| Some((integer(x.kind, of_x.get(row)?)?, integer(y.kind, of_y.get(row)?)?));
    // An exception may be at one of the points through which the line is drawn, so it is drawn in
    // three places.
    let from = |first: usize| {
        let mut points = (first..count).filter_map(get);
        let p = points.next()?;
        let q = points.take(1000).find(|q| q.0 != p.0)?;
        Line::through(p, q)
    };
    let mut lines: Vec<Line> = [0, count / 3, count / 3 * 2].into_iter().filter_map(from).collect();
    lines.dedup();
    for line in lines {
        let (mut holds, mut all) = (0, 0);
        let mut seen: Vec<i128> = Vec::new();
        for (a, b) in (0..count).filter_map(get) {
            all += 1;
            if line.holds(a, b) {
                holds += 1;
                if seen.len() < 4 && !seen.contains(&a) {
                    seen.push(a);
                }
            }
            // Too many exceptions already.
            if (all - holds) * EXCEPTIONS > count as u64 {
                break;
            }
        }
        if !is_likely(holds, all) || seen.len() < 3 || line.is_identity() {
            continue;
        }
        let (left, right) = in_words(&line, &x.name, &y.name);
        return Some(Invariant {
            relation: Relation::Linear,
            query: format!("{left} = {right}"),
            exceptions_query: format!("{left} != {right}"),
            holds,
            exceptions: all - holds,
        });
    }
    None
}

/// The two sides of an equation: that variable is alone whose factor is a whole number, if there is
/// one.
pub(crate) fn in_words(line: &Line, x: &str, y: &str) -> (String, String) {
    let Line { parts, times, rest } = *line;
    let (left, factor, right, divisor, rest) = if parts != 1 && times.abs() == 1 {
        // y * parts = ±x + rest, so x = ±parts * y ∓ rest.
        (x, times * parts, y, 1, -rest * times)
    } else {
        (y, times, x, parts, rest)
    };
    let left = if divisor == 1 { left.to_string() } else { format!("{divisor} * {left}") };
    let times_of = |factor: i128| if factor == 1 { right.to_string() } else { format!("{factor} * {right}") };
    // The distance from one address to another one is small, and an address is not.
    let number = |n: i128| if n > i128::from(u32::MAX) { format!("{n:#x}") } else { n.to_string() };
    let right = match (factor < 0, rest.signum()) {
        (true, 1) => format!("{} - {}", number(rest), times_of(-factor)),
        (_, 1) => format!("{} + {}", times_of(factor), number(rest)),
        (_, -1) => format!("{} - {}", times_of(factor), number(-rest)),
        _ => times_of(factor),
    };
    (left, right)
}

pub(crate) fn float(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::Signed => bits as i64 as f64,
        Kind::Float => f64::from_bits(bits),
        Kind::Unsigned | Kind::Pointer | Kind::Bytes => bits as f64,
    }
}

/// The value as an integer, if it is one. Larger floats have no digits after the point either, but
/// neither do they have all before it.
pub(crate) fn integer(kind: Kind, bits: u64) -> Option<i128> {
    match kind {
        Kind::Unsigned | Kind::Pointer => Some(bits.into()),
        Kind::Signed => Some((bits as i64).into()),
        Kind::Float => {
            let number = f64::from_bits(bits);
            (number.trunc() == number && number.abs() <= (1_u64 << 53) as f64).then_some(number as i128)
        }
        Kind::Bytes => None,
    }
}

pub(crate) fn number_text(kind: Kind, bits: u64) -> String {
    let mut text = String::new();
    put_value(
        &mut text,
        Value::Number(match kind {
            Kind::Signed => Raw::Signed(bits as i64),
            Kind::Float => Raw::Float(f64::from_bits(bits)),
            Kind::Pointer => Raw::Pointer(bits),
            Kind::Unsigned | Kind::Bytes => Raw::Unsigned(bits),
        }),
    );
    text
}

/// A name as queries have it: between backticks if it is not a plain word.
pub(crate) fn quoted(name: &str) -> String {
    const WORDS: [&str; 12] =
        ["and", "or", "not", "where", "prefer", "at", "in", "pick", "once", "distinct", "true", "false"];
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| !c.is_ascii_digit())
        && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word));
    if is_plain { name.to_string() } else { format!("`{}`", name.replace('`', "``")) }
}
