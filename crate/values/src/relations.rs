//! What the values at each statement have to do with one another, counted in one pass: for each
//! pair of variables how often one is less than, equal to, and more than the other, and the line
//! that they are on; for each variable its sign, and its values if there are few.
//!
//! All points of a statement count, and where something was first seen is known. So what always
//! holds in one run can be held against another one that is gone by then: [`Claim`].

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use serde::{Deserialize, Serialize};

use crate::chance::Sample;
use crate::columns::{Dictionary, IN_BUFFER, Kind, Segment, Value};
use crate::invariants::{FEW, LEAST, Line, Relation, float, in_words, integer, number_text, quoted};

/// Variables of a statement that are looked at.
const MOST_COLUMNS: usize = 32;
/// Pairs of variables of all statements together: of 200 bytes each.
const MOST_PAIRS: usize = 1 << 17;

/// How often something was seen, and the number of the first point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Points.
    pub count: u64,
    /// 0 without any.
    pub first: u64,
}

impl Seen {
    fn add(&mut self, point: u64) {
        if self.count == 0 {
            self.first = point;
        }
        self.count += 1;
    }

    /// Both together.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self.count, other.count) {
            (_, 0) => self,
            (0, _) => other,
            (a, b) => Self { count: a + b, first: self.first.min(other.first) },
        }
    }
}

/// Less than, equal to, and more than.
pub type Orders = [Seen; 3];

/// A variable of a statement, or what is left of the buffers that a pointer points into.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    /// Its key in the dictionary, with [`IN_BUFFER`] for the bytes that are left.
    key: u32,
    pub(crate) kind: Kind,
    pub(crate) count: u64,
    /// Below, at and above zero.
    pub(crate) signs: Orders,
    /// The first different values, in the order of the trace: one more than a variable may have
    /// that is said to be one of a few.
    few: Vec<(u64, Seen)>,
    /// Points with further values.
    others: u64,
    /// Values that are not a number.
    invalid: u64,
    /// The lowest and the highest value.
    range: (f64, f64),
    /// Only findings ask for it, which are not saved.
    #[serde(skip)]
    pub(crate) sample: Sample,
}

impl Column {
    fn is_constant(&self) -> bool {
        self.few.len() == 1 && self.others == 0
    }

    pub(crate) fn is_size(&self) -> bool {
        self.key & IN_BUFFER != 0
    }

    /// The key of its variable in the dictionary.
    pub(crate) fn key(&self) -> u32 {
        self.key & !IN_BUFFER
    }

    /// The first point that has it.
    pub(crate) fn first(&self) -> Option<u64> {
        Some(self.few.first()?.1.first)
    }

    /// All its values, if they are few.
    pub(crate) fn few(&self) -> Option<&[(u64, Seen)]> {
        (self.few.len() <= FEW && self.others == 0 && self.invalid == 0).then_some(&self.few)
    }
}

/// Two variables of a statement, x before y.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) orders: Orders,
    fit: Fit,
}

/// Whether all values are on one line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Fit {
    /// The first values, and the first ones with another x.
    first: Option<((i128, i128), u64)>,
    second: Option<((i128, i128), u64)>,
    /// Through these two.
    line: Option<Line>,
    /// Values that are not on it, or before there is one, that have the same x and another y.
    breaks: Seen,
    /// At least three different x are on it.
    is_line: bool,
    count: u64,
}

impl Fit {
    fn add(&mut self, x: i128, y: i128, point: u64) {
        self.count += 1;
        let Some((first, _)) = self.first else {
            self.first = Some(((x, y), point));
            return;
        };
        match (self.second, &self.line) {
            (None, _) if x == first.0 => {
                if y != first.1 {
                    self.breaks.add(point);
                }
            }
            (None, _) => {
                self.second = Some(((x, y), point));
                self.line = Line::through(first, (x, y));
            }
            (Some((second, _)), Some(line)) => {
                if !line.holds(x, y) {
                    self.breaks.add(point);
                } else if x != first.0 && x != second.0 {
                    self.is_line = true;
                }
            }
            (Some(_), None) => {}
        }
    }

    /// The line that all are on, if they are.
    fn always(&self) -> Option<Line> {
        self.line.filter(|_| self.breaks.count == 0 && self.is_line)
    }

    /// Where a line does not hold: the first point, and the number of points if that is known.
    fn exceptions(&self, line: &Line) -> Option<(u64, Option<u64>)> {
        let ((x, y), point) = self.first?;
        if !line.holds(x, y) {
            return Some((point, None));
        }
        let breaks = Some(self.breaks).filter(|it| it.count > 0);
        let Some(((x, y), point)) = self.second else { return breaks.map(|it| (it.first, Some(it.count))) };
        if line.holds(x, y) {
            return breaks.map(|it| (it.first, Some(it.count)));
        }
        Some((breaks.map_or(point, |it| it.first.min(point)), None))
    }
}

/// The values at a statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AtStatement {
    pub(crate) columns: Vec<Column>,
    /// The pairs of the second column, those of the third one, and so on.
    pub(crate) pairs: Vec<Pair>,
}

/// All statements, by their numbers in the dictionary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relations {
    pub(crate) statements: Vec<AtStatement>,
    /// Numbers of the points that count.
    range: Range<u64>,
    pairs: usize,
    /// Variables were left out.
    pub(crate) is_cut: bool,
}

/// A value of a point.
struct Present {
    column: usize,
    number: f64,
    integer: Option<i128>,
}

impl Relations {
    /// None yet, of the points with these numbers.
    pub(crate) fn new(range: Range<u64>) -> Self {
        Self { range, ..Self::default() }
    }

    /// Adds the points of a segment.
    pub(crate) fn add(&mut self, segment: &Segment, dictionary: &Dictionary) {
        if self.statements.len() < dictionary.statements().len() {
            self.statements.resize(dictionary.statements().len(), AtStatement::default());
        }
        let mut present = Vec::new();
        for point in 0..segment.len() {
            let x = segment.first + point as u64;
            if !self.range.contains(&x) {
                continue;
            }
            let Some(of) = self.statements.get_mut(segment.statement(point) as usize) else { continue };
            present.clear();
            for index in segment.variables(point) {
                let Value::Number(number) = segment.value(index) else { continue };
                let key = segment.key(index);
                let values = [
                    Some((key, Kind::of(number), number.bits())),
                    segment.buffer_size(index).map(|left| (key | IN_BUFFER, Kind::Unsigned, left)),
                ];
                for (key, kind, bits) in values.into_iter().flatten() {
                    match of.put(key, kind, bits, x, &mut self.pairs) {
                        // Of several variables of one name and type, the first counts.
                        Some(it) if present.iter().all(|other: &Present| other.column != it.column) => present.push(it),
                        Some(_) => {}
                        None => self.is_cut = true,
                    }
                }
            }
            present.sort_unstable_by_key(|it| it.column);
            of.compare(&present, x);
        }
    }
}

impl AtStatement {
    /// Adds a value. `None` if there is no room for another column.
    fn put(&mut self, key: u32, kind: Kind, bits: u64, point: u64, pairs: &mut usize) -> Option<Present> {
        let known = self.columns.iter().position(|it| it.key == key);
        let column = known.unwrap_or(self.columns.len());
        if known.is_none() {
            if column >= MOST_COLUMNS || *pairs + column > MOST_PAIRS {
                return None;
            }
            *pairs += column;
            self.pairs.resize(self.pairs.len() + column, Pair::default());
            let (signs, range) = (Orders::default(), (f64::INFINITY, f64::NEG_INFINITY));
            self.columns.push(Column {
                key,
                kind,
                count: 0,
                signs,
                few: Vec::new(),
                others: 0,
                invalid: 0,
                range,
                sample: Sample::default(),
            });
        }
        let of = self.columns.get_mut(column)?;
        let number = float(kind, bits);
        of.count += 1;
        of.invalid += u64::from(number.is_nan());
        if !number.is_nan() {
            of.sample.add(number);
        }
        of.range = (of.range.0.min(number), of.range.1.max(number));
        if let Some(seen) = number.partial_cmp(&0.0).and_then(|order| of.signs.get_mut(place_of(order))) {
            seen.add(point);
        }
        let has_room = of.few.len() <= FEW;
        match of.few.iter_mut().find(|(known, _)| *known == bits) {
            Some((_, seen)) => seen.add(point),
            None if has_room => of.few.push((bits, Seen { count: 1, first: point })),
            None => of.others += 1,
        }
        Some(Present { column, number, integer: integer(kind, bits) })
    }

    fn compare(&mut self, present: &[Present], point: u64) {
        for (n, y) in present.iter().enumerate() {
            for x in present.get(..n).unwrap_or_default() {
                if !self.is_comparable(x.column, y.column) {
                    continue;
                }
                let order = match (x.integer, y.integer) {
                    (Some(x), Some(y)) => Some(x.cmp(&y)),
                    _ => x.number.partial_cmp(&y.number),
                };
                let Some(pair) = self.pairs.get_mut(pair_of(x.column, y.column)) else { continue };
                if let Some(seen) = order.and_then(|order| pair.orders.get_mut(place_of(order))) {
                    seen.add(point);
                }
                if let (Some(x), Some(y)) = (x.integer, y.integer) {
                    pair.fit.add(x, y, point);
                }
            }
        }
    }

    /// Whether two columns are compared: addresses with addresses, and not a pointer with the end
    /// of its own buffer, which says nothing of the statement.
    pub(crate) fn is_comparable(&self, x: usize, y: usize) -> bool {
        let (Some(x), Some(y)) = (self.columns.get(x), self.columns.get(y)) else { return false };
        (x.kind == Kind::Pointer) == (y.kind == Kind::Pointer) && x.key() != y.key()
    }

    /// What holds at all points, if these are enough.
    fn claims(&self) -> Vec<Claim> {
        let mut found = Vec::new();
        let mut claim = |relation, of, holds| found.push(Claim { relation, of, holds });
        for (at, column) in self.columns.iter().enumerate() {
            let Column { kind, count, few, others, invalid, signs, .. } = column;
            if *count < LEAST || *invalid > 0 {
                continue;
            }
            let values = || few.iter().map(|(bits, _)| *bits).collect();
            // An address is another one in each run, unless it is null.
            let can_be_said = *kind != Kind::Pointer || signs[1].count == *count;
            if column.is_constant() && can_be_said {
                claim(Relation::Constant, Of::Values(at, values()), *count);
            } else if few.len() <= FEW && *others == 0 && *count >= 4 * few.len() as u64 && can_be_said {
                claim(Relation::OneOf, Of::Values(at, values()), *count);
            }
            if *kind == Kind::Pointer && signs[1].count == 0 {
                claim(Relation::NotNull, Of::NotNull(at), *count);
            }
        }
        for y in 0..self.columns.len() {
            for x in 0..y {
                let (Some(of_x), Some(of_y)) = (self.columns.get(x), self.columns.get(y)) else { continue };
                let Some(pair) = self.pairs.get(pair_of(x, y)) else { continue };
                // Constants say enough alone, but for sizes: that a variable is the size of its
                // buffer matters.
                let say_enough = of_x.is_constant() && of_y.is_constant() && of_x.is_size() == of_y.is_size();
                if say_enough || of_x.invalid > 0 || of_y.invalid > 0 {
                    continue;
                }
                let allowed = pair.orders.map(|it| it.count > 0);
                let holds: u64 = pair.orders.iter().map(|it| it.count).sum();
                let is_apart = of_x.range.1 < of_y.range.0 || of_y.range.1 < of_x.range.0;
                let relation = match allowed {
                    [false, true, false] if of_x.is_size() == of_y.is_size() => Some(Relation::Equal),
                    [false, true, false] => Some(Relation::Size),
                    [true, _, false] | [false, _, true] if is_apart => Some(Relation::Apart),
                    [true, _, false] | [false, _, true] => Some(Relation::AtMost),
                    _ => None,
                };
                if holds < LEAST {
                    continue;
                }
                if let Some(relation) = relation {
                    claim(relation, Of::Order(x, y, allowed), holds);
                }
                // Three different x are on it, so neither is constant.
                let line = pair.fit.always().filter(|line| !line.is_identity() && pair.fit.count == holds);
                if let Some(line) = line {
                    claim(Relation::Linear, Of::Line(x, y, line), holds);
                }
            }
        }
        found
    }

    /// Where a claim about other columns does not hold. `column_of` finds the column here.
    fn exceptions(&self, claim: &Claim, column_of: impl Fn(usize) -> Option<usize>) -> Option<(u64, Option<u64>)> {
        let known = |seen: Seen| (seen.count > 0).then_some((seen.first, Some(seen.count)));
        match &claim.of {
            Of::Values(at, values) => {
                let Column { few, others, .. } = self.columns.get(column_of(*at)?)?;
                let new = few.iter().filter(|(bits, _)| !values.contains(bits));
                let Seen { count, first } = new.fold(Seen::default(), |sum, (_, seen)| sum.or(*seen));
                // Of further values, that of another run may be one.
                let is_known = *others == 0;
                (count > 0).then_some((first, is_known.then_some(count)))
            }
            Of::NotNull(at) => known(self.columns.get(column_of(*at)?)?.signs[1]),
            Of::Order(x, y, allowed) => {
                let orders = self.orders(column_of(*x)?, column_of(*y)?)?;
                let wrong = orders.iter().zip(allowed).filter(|(_, allowed)| !**allowed);
                known(wrong.fold(Seen::default(), |sum, (seen, _)| sum.or(*seen)))
            }
            Of::Line(x, y, line) => {
                let (x, y) = (column_of(*x)?, column_of(*y)?);
                let pair = self.pairs.get(pair_of(x.min(y), x.max(y)))?;
                pair.fit.exceptions(&if x < y { *line } else { line.swapped() })
            }
        }
    }

    /// How often a column is less than, equal to, and more than another one.
    pub(crate) fn orders(&self, x: usize, y: usize) -> Option<Orders> {
        let [less, equal, more] = self.pairs.get(pair_of(x.min(y), x.max(y)))?.orders;
        Some(if x < y { [less, equal, more] } else { [more, equal, less] })
    }
}

/// Where the pair of two columns is, the first of which is the smaller one.
pub(crate) fn pair_of(x: usize, y: usize) -> usize {
    y * y.saturating_sub(1) / 2 + x
}

fn place_of(order: Ordering) -> usize {
    match order {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}

/// What holds at all points of a statement.
struct Claim {
    relation: Relation,
    of: Of,
    /// The points at which it holds.
    holds: u64,
}

/// What a claim is about: columns.
enum Of {
    /// One of these values.
    Values(usize, Vec<u64>),
    NotNull(usize),
    /// Which of less, equal and more there may be.
    Order(usize, usize, [bool; 3]),
    Line(usize, usize, Line),
}

/// A relation that always holds at a statement of one run, and not in another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its sort.
    pub relation: Relation,
    /// As a query.
    pub query: String,
    /// Points at which it holds in the one run.
    pub holds: u64,
    /// The first point at which it does not hold in the other run.
    pub first: u64,
    /// The number of these points, if it is known.
    pub exceptions: Option<u64>,
}

/// A variable as runs have it in common: its name and its type.
pub(crate) type Name<'a> = (&'a str, &'a str);

/// What always holds at a statement of one run and not at that of another one. `names` are those of
/// the keys of each. `varies` says whether a variable has several values in the one run.
pub(crate) fn broken<'a>(
    [one, other]: [&AtStatement; 2],
    names: [impl Fn(u32) -> Name<'a>; 2],
    varies: impl Fn(u32) -> bool,
) -> impl Iterator<Item = Broken> {
    let says_more = move |claim: &Claim| match &claim.of {
        Of::Values(at, _) => one.columns.get(*at).is_some_and(|column| column.is_size() || varies(column.key())),
        _ => true,
    };
    let claims = one.claims().into_iter().filter(says_more);
    claims.filter_map(move |claim| {
        let column_of = |at: usize| {
            let wanted = one.columns.get(at)?;
            let is_same = |it: &&Column| {
                it.is_size() == wanted.is_size()
                    && names[1](it.key()) == names[0](wanted.key())
                    && it.kind == wanted.kind
            };
            let found = other.columns.iter().find(is_same)?;
            other.columns.iter().position(|it| it.key == found.key)
        };
        let (first, exceptions) = other.exceptions(&claim, column_of)?;
        let query = words_of(&claim.of, one, &names[0]);
        Some(Broken { relation: claim.relation, query, holds: claim.holds, first, exceptions })
    })
}

/// The name of a column as queries have it.
pub(crate) fn column_name<'a>(column: &Column, name_of: impl Fn(u32) -> Name<'a>) -> String {
    let own = quoted(name_of(column.key()).0);
    if column.is_size() { format!("{own}.size") } else { own }
}

fn words_of<'a>(of: &Of, one: &AtStatement, name_of: impl Fn(u32) -> Name<'a>) -> String {
    let name = |at: usize| one.columns.get(at).map_or_else(String::new, |column| column_name(column, &name_of));
    match of {
        Of::Values(at, values) => {
            let kind = one.columns.get(*at).map_or(Kind::Unsigned, |column| column.kind);
            let parts: Vec<String> =
                values.iter().map(|bits| format!("{} = {}", name(*at), number_text(kind, *bits))).collect();
            parts.join(" or ")
        }
        Of::NotNull(at) => format!("{} != 0", name(*at)),
        Of::Order(x, y, allowed) => {
            let sign = match allowed {
                [true, false, false] | [false, false, true] => "<",
                [false, true, false] => "=",
                _ => "<=",
            };
            let (x, y) = if allowed[2] { (y, x) } else { (x, y) };
            [name(*x).as_str(), sign, name(*y).as_str()].join(" ")
        }
        Of::Line(x, y, line) => {
            let (left, right) = in_words(line, &name(*x), &name(*y));
            [left, right].join(" = ")
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use alloc::vec;

    use unspool_formats::trace_db::encode::Writer;
    use unspool_formats::trace_db::wire::{Layout, Number as Raw, StatementId, Tables, Type};
    use unspool_trace::Limits;

    use super::*;
    use crate::{Loader, Profile, Profiling};

    const INT: u32 = 0;
    const POINTER: u32 = 1;
    const DOUBLE: u32 = 2;

    /// What is known of a run in which each point, at one statement, has these variables: `x`, `y`,
    /// and so on.
    fn profile(points: &[Vec<(u32, Raw)>]) -> Profile {
        let of = |name, format, size| Type { name, format, size };
        let types = [of(0, 1, 4), of(1, 3, 8), of(2, 2, 8)];
        let names: [&[u8]; 6] = [b"int", b"pointer", b"double", b"x", b"y", b"z"];
        let mut writer = Writer::new(Layout::Wide, Tables::new(names, types));
        for point in points {
            writer.statement(StatementId::in_file(7, 3));
            for (name, (of_type, number)) in (3..).zip(point) {
                writer.number(name, *of_type, *number);
            }
            writer.end();
        }
        let bytes = writer.finish();
        let mut loader = Loader::new(Layout::Wide, Limits::LIFTED);
        let mut profiling = Profiling::new(0..u64::MAX);
        let mut full = Vec::new();
        loader.push(&bytes, |segment| full.push(segment)).unwrap();
        full.push(loader.end().0);
        full.iter().for_each(|segment| profiling.add(segment, loader.dictionary()));
        let found = profiling.profile(loader.dictionary(), loader.tables().unwrap(), |_| 5);
        Profile::from_bytes(&found.to_bytes()).unwrap()
    }

    fn ints(rows: &[[i64; 2]]) -> Profile {
        let points: Vec<_> = rows.iter().map(|row| row.iter().map(|n| (INT, Raw::Signed(*n))).collect()).collect();
        profile(&points)
    }

    /// What A always has and B does not: as a query, with the first exception and their number.
    fn broken_in(a: &Profile, b: &Profile) -> Vec<(String, u64, Option<u64>)> {
        a.broken_by(b).map(|(_, _, it)| (it.query, it.first, it.exceptions)).collect()
    }

    #[test]
    fn an_order_of_one_run_is_broken_by_another_where_that_is_first_so() {
        let a = ints(&[[1, 5], [2, 4], [4, 9], [3, 30]]);
        let b = ints(&[[1, 5], [6, 6], [9, 2], [3, 8]]);
        assert_eq!(broken_in(&a, &b), [("x < y".into(), 1, Some(2))]);
        assert_eq!(broken_in(&a, &a), []);
        // Two points say nothing.
        assert_eq!(broken_in(&ints(&[[1, 5], [2, 4]]), &b), []);
        let swapped = ints(&[[5, 1], [4, 2], [9, 4], [9, 9]]);
        assert_eq!(broken_in(&swapped, &a), [("y <= x".into(), 0, Some(4))]);
    }

    #[test]
    fn a_line_is_broken_at_the_first_point_beside_it() {
        let a = ints(&[[1, 7], [2, 9], [3, 11], [4, 13]]);
        let said = |b: &[[i64; 2]]| {
            let found = broken_in(&a, &ints(b)).into_iter().find(|it| it.0.contains(" * "));
            found.map(|it| (it.0, it.1, it.2))
        };
        let line = || String::from("y = 2 * x + 5");
        assert_eq!(said(&[[1, 7], [5, 15], [6, 18], [7, 19]]), Some((line(), 2, Some(1))));
        assert_eq!(said(&[[1, 7], [5, 16], [6, 17]]), Some((line(), 1, None)));
        assert_eq!(said(&[[1, 7], [1, 8], [5, 16]]), Some((line(), 1, None)));
        assert_eq!(said(&[[1, 8], [2, 9], [3, 11]]), Some((line(), 0, None)));
        assert_eq!(said(&[[8, 21], [8, 21], [9, 23]]), None);
    }

    #[test]
    fn few_values_are_left_where_another_one_is_first_seen() {
        let rows = |values: &[i64]| ints(&values.iter().map(|n| [*n, 1_000 + n * n]).collect::<Vec<_>>());
        let a = rows(&[1, 2, 1, 2, 1, 2, 1, 2]);
        let said = |b: &[i64]| broken_in(&a, &rows(b)).into_iter().find(|it| it.0 == "x = 1 or x = 2");
        assert_eq!(said(&[2, 1, 1, 2, 1]), None);
        assert_eq!(said(&[2, 3, 1, 3]).map(|it| (it.1, it.2)), Some((1, Some(2))));
        // Of many, which of them are further ones is not known.
        assert_eq!(said(&[2, 1, 7, 8, 9, 1, 10]).map(|it| (it.1, it.2)), Some((2, None)));
        // What is the same in the whole run is its range.
        assert_eq!(broken_in(&rows(&[1, 1, 1, 1]), &rows(&[2, 2, 2, 2])), []);
    }

    #[test]
    fn addresses_differ_in_each_run_but_nulls_do_not() {
        let of = |pointers: &[u64]| {
            profile(&pointers.iter().map(|at| vec![(POINTER, Raw::Pointer(*at))]).collect::<Vec<_>>())
        };
        let a = of(&[0x1000, 0x2000, 0x1000, 0x2000, 0x1000, 0x2000, 0x1000, 0x2000]);
        assert_eq!(broken_in(&a, &of(&[0x5000, 0x6000, 0x7000])), []);
        assert_eq!(broken_in(&a, &of(&[0x5000, 0, 0x7000])), [("x != 0".into(), 1, Some(1))]);
    }

    #[test]
    fn facts_say_what_was_seen_of_values_and_of_their_order() {
        use crate::Fact;
        let of = profile(&[
            vec![(INT, Raw::Signed(-1)), (INT, Raw::Signed(4)), (POINTER, Raw::Pointer(0))],
            vec![(INT, Raw::Signed(4)), (INT, Raw::Signed(4)), (POINTER, Raw::Pointer(0x1000))],
        ]);
        let said: Vec<String> = of
            .facts(0)
            .map(|fact| match fact {
                Fact::Values { of, signs, few } => {
                    let values = few.unwrap_or_default().iter().map(|(bits, _)| of.value_text(*bits));
                    let values: Vec<String> = values.collect();
                    let signs = signs.map(|it| it.count);
                    format!("{} {signs:?} {} {}", of.text(), values.join(","), of.is_pointer())
                }
                Fact::Order { x, y, orders } => {
                    format!("{} {} {:?}", x.text(), y.text(), orders.map(|it| (it.count, it.first)))
                }
            })
            .collect();
        let expected = [
            "x [1, 0, 1] -1,4 false",
            "y [0, 0, 2] 4 false",
            "z [0, 1, 1] 0x0,0x1000 true",
            "x y [(1, 0), (1, 1), (0, 0)]",
        ];
        assert_eq!(said, expected);
        assert_eq!(of.facts(1).count(), 0);
    }

    #[test]
    fn what_is_not_a_number_is_in_no_relation() {
        let of = |rows: &[[f64; 2]]| {
            let point = |row: &[f64; 2]| row.iter().map(|n| (DOUBLE, Raw::Float(*n))).collect();
            profile(&rows.iter().map(point).collect::<Vec<_>>())
        };
        let with = of(&[[1.0, f64::NAN], [2.0, 3.5], [3.0, 5.0], [4.0, 6.5]]);
        let without = of(&[[1.0, 2.5], [2.0, 3.5], [3.0, 5.0], [4.0, 6.5]]);
        let other = of(&[[5.0, 2.5], [2.0, 3.5], [3.0, 5.0]]);
        assert_eq!(broken_in(&with, &other), []);
        assert_eq!(broken_in(&without, &other), [("x < y".into(), 0, Some(1))]);
    }

    #[test]
    fn too_many_variables_are_left_out_and_that_is_said() {
        let types = [Type { name: 0, format: 1, size: 4 }];
        let names: Vec<Vec<u8>> = (0..80).map(|n| format!("v{n}").into_bytes()).collect();
        let mut writer = Writer::new(Layout::Wide, Tables::new(names.iter().map(Vec::as_slice), types));
        writer.statement(StatementId::in_file(1, 1));
        (1..80).for_each(|name| writer.number(name, 0, Raw::Signed(1)));
        writer.end();
        let bytes = writer.finish();
        let mut loader = Loader::new(Layout::Wide, Limits::LIFTED);
        let mut relations = Relations::new(0..u64::MAX);
        loader.push(&bytes, |_| {}).unwrap();
        relations.add(&loader.end().0, loader.dictionary());
        assert!(relations.is_cut);
        assert_eq!(relations.statements[0].columns.len(), MOST_COLUMNS);
        assert_eq!(relations.statements[0].pairs.len(), MOST_COLUMNS * (MOST_COLUMNS - 1) / 2);
    }
}
