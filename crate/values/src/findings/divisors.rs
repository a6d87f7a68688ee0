//! Divisors that reach zero: at a statement, one variable is another one divided by a third, and
//! that is 0 at some point.

use alloc::format;
use alloc::vec::Vec;

use unspool_trace::Finding;
use unspool_trace::finding::{Kind, Sentence};

use super::recount::{Answer, Proposal, Question};
use super::{Names, first_at, points_of};
use crate::columns::{IN_BUFFER, Kind as Sort, Segment};
use crate::invariants::integer;

/// Variables of a statement that are tried: 336 quotients.
const MOST: usize = 8;
/// Quotients of all statements.
const MOST_TRIED: usize = 1 << 16;
/// Points at which a quotient holds, and those at which that says something: the divisor is at
/// least 2, and the quotient is not 0.
const ENOUGH: u64 = 20;
const TELLING: u64 = 10;
/// Points that are listed.
const LISTED: usize = 16;

pub(super) static DIVISOR: Kind = Kind {
    word: "divisor",
    title: "Divisors that reach zero",
    why: "At all other points of the statement, at least 20, one variable is the quotient of two others; here the divisor is 0.",
};

/// z = x / y.
#[derive(Clone, Copy, Debug)]
struct Quotient {
    x: u8,
    y: u8,
    z: u8,
    holds: u64,
    telling: u64,
}

#[derive(Debug, Default)]
struct AtStatement {
    /// Keys of its first integer variables.
    keys: Vec<u32>,
    tried: Vec<Quotient>,
    /// For each of the keys, how often it was 0, and where.
    zeros: Vec<(u64, Vec<u64>)>,
}

#[derive(Debug, Default)]
pub(super) struct Divisors {
    statements: Vec<AtStatement>,
    tried: usize,
}

impl Divisors {
    pub(super) fn add(&mut self, segment: &Segment) {
        let mut values: [Option<i128>; MOST] = [None; MOST];
        for point in 0..segment.len() {
            let number = segment.statement(point) as usize;
            if self.statements.len() <= number {
                self.statements.resize_with(number + 1, AtStatement::default);
            }
            let Some(of) = self.statements.get_mut(number) else { continue };
            values = values.map(|_| None);
            for index in segment.variables(point) {
                let (key, kind) = (segment.key(index) & !IN_BUFFER, segment.kind.get(index).copied());
                let kind = kind.filter(|kind| matches!(kind, Sort::Signed | Sort::Unsigned));
                let bits = segment.value.get(index).copied().unwrap_or(0);
                let Some(value) = kind.and_then(|kind| integer(kind, bits)) else { continue };
                let known = of.keys.iter().position(|it| *it == key);
                let Some(place) = known.or_else(|| of.put(key, &mut self.tried)) else { continue };
                if let Some(slot) = values.get_mut(place) {
                    *slot = Some(value);
                }
                if value == 0
                    && let Some((count, points)) = of.zeros.get_mut(place)
                {
                    *count += 1;
                    if points.len() < LISTED {
                        points.push(segment.first + point as u64);
                    }
                }
            }
            let value = |place: u8| values.get(usize::from(place)).copied().flatten();
            of.tried.retain_mut(|it| {
                let (Some(x), Some(y), Some(z)) = (value(it.x), value(it.y), value(it.z)) else { return true };
                let Some(quotient) = x.checked_div(y) else { return true };
                it.holds += 1;
                it.telling += u64::from(y.unsigned_abs() >= 2 && z != 0);
                quotient == z
            });
        }
    }

    pub(super) fn found(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
        for (number, of) in (0..).zip(&self.statements) {
            for it in of.tried.iter().filter(|it| it.holds >= ENOUGH && it.telling >= TELLING) {
                let name = |place: u8| of.keys.get(usize::from(place)).map(|key| names.variable(*key));
                let Some((count, points)) = of.zeros.get(usize::from(it.y)) else { continue };
                let (Some(x), Some(y), Some(z), Some(first)) = (name(it.x), name(it.y), name(it.z), points.first())
                else {
                    continue;
                };
                let (quotient, place) = (format!("{z} = {x} / {y}"), names.statement_of(number));
                let mut sentence = Sentence::default();
                sentence.say(&y).say(", the divisor in ").say(&quotient).say(" at ");
                sentence.claim(points_of(it.holds, &quotient)).say(" of ").say(&place).say(", is zero at ");
                sentence.claim(points_of(*count, &y)).say(", first at ").claim(first_at(*first, &y));
                // Another quotient of the same divisor says nothing new.
                let is_known = |known: &Proposal| known.finding.kind == &DIVISOR && known.finding.at == Some(*first);
                if !found.iter().any(is_known) {
                    let finding = Finding::new(&DIVISOR, 0.95, sentence).within(*first, *first);
                    let mut finding = finding.about([y, x, z, place]);
                    finding.places.clone_from(points);
                    let key = |place: u8| of.keys.get(usize::from(place)).copied().unwrap_or(u32::MAX);
                    let question = Question::Quotient { statement: number, x: key(it.x), y: key(it.y), z: key(it.z) };
                    let answer = Answer { counts: [it.holds, *count, 0], first: Some(*first), values: [0; 2] };
                    found.push(Proposal { finding, question, answer });
                }
            }
        }
    }
}

impl AtStatement {
    /// Adds a variable, if there is room for it and its quotients.
    fn put(&mut self, key: u32, tried: &mut usize) -> Option<usize> {
        let new = self.keys.len();
        let quotients = 3 * new * new.saturating_sub(1);
        if new >= MOST || *tried + quotients > MOST_TRIED {
            return None;
        }
        *tried += quotients;
        self.keys.push(key);
        self.zeros.push((0, Vec::new()));
        for a in 0..new as u8 {
            for b in (0..new as u8).filter(|b| *b != a) {
                let of = |x, y, z| Quotient { x, y, z, holds: 0, telling: 0 };
                self.tried.extend([of(new as u8, a, b), of(a, new as u8, b), of(a, b, new as u8)]);
            }
        }
        Some(new)
    }
}
