//! Signed numbers that only grow, and wrap around to a negative one.

use alloc::format;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_formats::trace_db::wire::Tables;
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::recount::{Answer, Proposal, Question};
use super::{Names, first_at, share_of};
use crate::columns::{Dictionary, Kind as Sort, Segment};

/// Values that must ascend before one is said to wrap.
const ENOUGH: u64 = 16;
/// Variables that are followed.
const MOST: usize = 1 << 16;

pub(super) static WRAP: Kind = Kind {
    word: "wrap",
    title: "Numbers that wrap around",
    why: "A signed number only ever grows, at 16 points or more, and the next one is negative: it differs by a small step if both are taken as unsigned.",
};

#[derive(Debug, Default)]
struct Followed {
    latest: Option<i64>,
    ascending: u64,
    /// It fell otherwise than by wrapping around.
    is_other: bool,
    /// Where it wraps: the point, the value before and the one there.
    wraps: Vec<(u64, i64, i64)>,
    count: u64,
}

#[derive(Debug, Default)]
pub(super) struct Wraps {
    /// By statement and variable.
    all: HashMap<(u32, u32), Followed>,
}

impl Wraps {
    pub(super) fn add(&mut self, segment: &Segment, dictionary: &Dictionary, tables: &Tables) {
        for point in 0..segment.len() {
            let statement = segment.statement(point);
            for index in segment.variables(point) {
                if segment.kind.get(index) != Some(&Sort::Signed) {
                    continue;
                }
                let key = segment.key(index);
                let value = segment.value.get(index).copied().unwrap_or(0) as i64;
                let room = self.all.len() < MOST;
                let of = match self.all.get_mut(&(statement, key)) {
                    Some(of) => of,
                    None if room => self.all.entry((statement, key)).or_default(),
                    None => continue,
                };
                of.count += 1;
                if of.is_other {
                    continue;
                }
                let Some(before) = of.latest.replace(value) else { continue };
                if value > before {
                    of.ascending += 1;
                } else if value < before {
                    let size = tables.types().get(dictionary.key(key).1 as usize).map_or(0, |it| it.size);
                    let bits = size.saturating_mul(8).min(64);
                    let high = if bits < 8 { i64::MAX } else { i64::MAX >> (64 - bits) };
                    let step = (value.wrapping_sub(before) as u64) & (high as u64).wrapping_mul(2).wrapping_add(1);
                    if before > high / 2 && value < -(high / 2) && step <= high as u64 / 2 {
                        of.wraps.push((segment.first + point as u64, before, value));
                    } else {
                        of.is_other = true;
                    }
                }
            }
        }
    }

    pub(super) fn found(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
        let mut all: Vec<_> = self.all.iter().collect();
        all.sort_unstable_by_key(|(key, _)| **key);
        for ((statement, key), of) in all {
            let Some((point, before, after)) = of.wraps.first().filter(|_| !of.is_other && of.ascending >= ENOUGH)
            else {
                continue;
            };
            let name = names.variable(*key);
            let mut sentence = Sentence::default();
            let value = |it: i64| Claim::new("value", it as f64, "", format!("{it}")).of(&name);
            sentence.say(&name).say(" wraps around from ").claim(value(*before)).say(" to ");
            sentence.claim(value(*after).at(*point)).say(" at point ").claim(first_at(*point, &name));
            if let many @ 2.. = of.wraps.len() as u64 {
                sentence.say(", ").claim(Claim::new("wraps", many as f64, "point", counted(many, "time")).of(&name));
                sentence.say(" in all");
            }
            let place = names.statement_of(*statement);
            sentence.say(": at all other points of ").say(&place).say(" it only grows");
            let it = Finding::new(&WRAP, 0.85 + 0.1 * share_of(of.count, names), sentence).within(*point, *point);
            let mut finding = it.about([name, place]);
            finding.places = of.wraps.iter().map(|it| it.0).take(16).collect();
            let counts = [of.wraps.len() as u64, 0, 0];
            let answer = Answer { counts, first: Some(*point), values: [*before as u64, *after as u64] };
            found.push(Proposal { finding, question: Question::Wrap { statement: *statement, key: *key }, answer });
        }
    }
}
