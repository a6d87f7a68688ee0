//! Loops that get nowhere: a stretch of points at which nothing changes any more.

use alloc::vec::Vec;
use core::hash::{BuildHasher as _, Hash as _, Hasher as _};

use hashbrown::DefaultHashBuilder;
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::recount::{Answer, Proposal, Question};
use super::{Names, first_at, share_of};
use crate::columns::{Kind as Sort, Segment};

/// Points of a stretch.
const ENOUGH: u64 = 50;
/// Statements that repeat in it.
const MOST: usize = 8;

pub(super) static STILL: Kind = Kind {
    word: "no-progress",
    title: "Loops that get nowhere",
    why: "At least 50 points in a row have exactly the values that their statements had before, and these changed until then.",
};

#[derive(Clone, Debug, Default)]
struct AtStatement {
    /// The latest values, as a hash, and how often they changed.
    values: Option<u64>,
    changes: u64,
    /// Variables of the latest point.
    keys: Vec<u32>,
}

/// Points in a row that repeat what was before.
#[derive(Clone, Debug, Default)]
struct Stretch {
    first: u64,
    count: u64,
    statements: Vec<u32>,
    has_changed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Still {
    statements: Vec<AtStatement>,
    open: Stretch,
    longest: Stretch,
    hasher: DefaultHashBuilder,
}

impl Still {
    pub(super) fn add(&mut self, segment: &Segment) {
        for point in 0..segment.len() {
            let number = segment.statement(point);
            if self.statements.len() <= number as usize {
                self.statements.resize_with(number as usize + 1, AtStatement::default);
            }
            let mut hasher = self.hasher.build_hasher();
            let variables = segment.variables(point);
            for index in variables.clone() {
                segment.key(index).hash(&mut hasher);
                let value = segment.value.get(index).copied().unwrap_or(0);
                match segment.kind.get(index) {
                    Some(Sort::Bytes) => segment.bytes_of(value).hash(&mut hasher),
                    _ => value.hash(&mut hasher),
                }
            }
            let values = hasher.finish();
            let Some(of) = self.statements.get_mut(number as usize) else { continue };
            let is_same = of.values.replace(values) == Some(values);
            if !is_same {
                of.changes += 1;
                of.keys = variables.map(|index| segment.key(index)).collect();
                self.end();
                continue;
            }
            if self.open.count == 0 {
                self.open.first = segment.first + point as u64;
            }
            self.open.count += 1;
            // The first values are a change.
            self.open.has_changed |= of.changes > 4 && !of.keys.is_empty();
            if self.open.statements.len() < MOST && !self.open.statements.contains(&number) {
                self.open.statements.push(number);
            }
        }
    }

    /// The open stretch ends.
    fn end(&mut self) {
        let open = core::mem::take(&mut self.open);
        if open.has_changed && open.count > self.longest.count {
            self.longest = open;
        }
    }

    pub(super) fn found(&self, names: &Names<'_>, found: &mut Vec<Proposal>) {
        let is_longer = self.open.has_changed && self.open.count > self.longest.count;
        let longest = if is_longer { &self.open } else { &self.longest };
        if longest.count < ENOUGH {
            return;
        }
        let statements: Vec<_> = longest.statements.iter().map(|number| names.statement_of(*number)).collect();
        let keys = longest.statements.iter().filter_map(|number| self.statements.get(*number as usize));
        let variables: Vec<_> = keys.flat_map(|of| of.keys.iter().map(|key| names.variable(*key))).take(8).collect();
        let end = longest.first + longest.count - 1;
        let mut sentence = Sentence::default();
        sentence.say("Nothing changes any more from point ").claim(first_at(longest.first, ""));
        sentence.say(" to ").claim(first_at(end, "")).say(": ").say(statements.join(", "));
        sentence.say(" goes on with the same values of ").say(variables.join(", ")).say(" ");
        let text = counted(longest.count, "time");
        sentence.claim(Claim::new("points", longest.count as f64, "point", text).at(longest.first));
        let weight = 0.5 + 0.5 * share_of(longest.count, names);
        let finding = Finding::new(&STILL, weight, sentence).within(longest.first, end);
        found.push(Proposal {
            finding: finding.about(variables).about(statements),
            question: Question::Still { first: longest.first, count: longest.count },
            answer: Answer { counts: [longest.count, 0, 0], ..Answer::default() },
        });
    }
}
