//! A function that calls itself many levels deep where no other one does.

use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::calls::{Calls, Thread};
use super::exact::Exact;
use super::functions::{Functions, Long};

/// Levels from which on it is listed.
const LEVELS: u32 = 8;

/// A function that calls itself.
pub(super) static RECURSION: Kind = Kind {
    word: "recursion",
    title: "Recursion",
    why: "At least eight calls of it are open at the same time in one thread, and no other function calls itself elsewhere.",
};

/// The outermost call of the function where most of its calls are open.
pub(super) fn proposed(functions: &Functions) -> Option<Long> {
    if functions.is_cut() {
        return None;
    }
    let deep = functions.all().filter(|(_, it)| it.levels >= LEVELS);
    let place = |it: &super::functions::Function| it.deepest.map(|it| (it.track, it.start));
    let (name, function) = deep.max_by_key(|(name, it)| (it.levels, std::cmp::Reverse((place(it), *name))))?;
    let outer = function.deepest?;
    // Functions that call themselves through one another are one recursion.
    let is_within = |it: &Long| it.track == outer.track && it.start < outer.end && it.end > outer.start;
    let mut others = functions.all().filter(|(other, it)| other != name && it.levels > 1);
    others.all(|(_, it)| it.deepest.as_ref().is_some_and(is_within)).then_some(outer)
}

/// The finding, if it holds with exact figures.
pub(super) fn said(outer: Long, exact: &Exact, threads: &[Thread], calls: &impl Calls) -> Option<Finding> {
    let figures = exact.of(outer.name)?;
    if exact.has_recursion_elsewhere()
        || figures.levels < LEVELS
        || figures.deepest? != (outer.track, outer.depth, outer.start)
    {
        return None;
    }
    let name = calls.name(outer.name);
    let thread = threads.iter().find(|it| it.id == outer.track && threads.len() > 1).map(|it| it.name.as_str());
    let text = counted(u64::from(figures.levels), "level");
    let mut sentence = Sentence::default();
    sentence.say(&name).say(" calls itself ");
    sentence.claim(Claim::new("levels", figures.levels.into(), "", text).of(&*name).at(outer.start)).say(" deep");
    if let Some(thread) = thread {
        sentence.say(" in ").say(thread);
    }
    sentence.say(", directly or through others, and no other function calls itself elsewhere");
    let it = Finding::new(&RECURSION, 0.45, sentence).within(outer.start, outer.end).on(outer.track);
    Some(it.about([name]).about(thread))
}
