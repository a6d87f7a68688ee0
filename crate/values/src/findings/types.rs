//! Variables whose type changes: at one statement nearly always one type, and another one at a few
//! points.

use alloc::vec::Vec;

use unspool_trace::Finding;
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::problem::grouped;

use super::recount::{Answer, Proposal, Question};
use super::{Names, first_at, points_of};
use crate::relations::{AtStatement, Column};

/// Points with the usual type, at least.
const ENOUGH: u64 = 20;
/// One point in this number has another type, at most.
const EXCEPTIONS: u64 = 20;

/// A variable that has another type at a few points.
pub(super) static TYPES: Kind = Kind {
    word: "type-change",
    title: "Variables whose type changes",
    why: "At one statement it has one type at nearly all points, at least 20, and another one at one in 20 or fewer.",
};

pub(super) fn found(of: &AtStatement, statement: u32, names: &Names<'_>, found: &mut Vec<Proposal>) {
    let columns: Vec<&Column> = of.columns.iter().filter(|it| !it.is_size()).collect();
    let name = |it: &Column| names.dictionary.key(it.key()).0;
    for usual in columns.iter().filter(|it| it.count >= ENOUGH) {
        for other in columns.iter().filter(|it| name(it) == name(usual) && it.key() != usual.key()) {
            let Some(first) = other.first().filter(|_| other.count * EXCEPTIONS <= usual.count) else { continue };
            let (variable, place) = (names.variable(usual.key()), names.statement_of(statement));
            let [type_of_usual, type_of_other] = [usual, other].map(|it| names.type_of(it.key()));
            let points = |count: u64| Claim { text: grouped(count).to_string(), ..points_of(count, &variable) };
            let mut sentence = Sentence::default();
            sentence
                .say(&variable)
                .say(" is ")
                .say(&type_of_other)
                .say(" at ")
                .claim(points_of(other.count, &variable).at(first));
            sentence.say(", first at ").claim(first_at(first, &variable)).say(", and ").say(&type_of_usual).say(" at ");
            sentence.claim(points(usual.count)).say(" others of ").say(&place);
            let it = Finding::new(&TYPES, 0.8, sentence).within(first, first);
            found.push(Proposal {
                finding: it.about([variable, type_of_other, type_of_usual, place]),
                question: Question::Types { statement, usual: usual.key(), other: other.key() },
                answer: Answer { counts: [usual.count, other.count, 0], first: Some(first), values: [0; 2] },
            });
        }
    }
}
