//! Exports: from the store as the native command has it, and in portions as the page has it.

use unspool_engine::Session;
use unspool_engine::tables::portions::Answer;
use unspool_export::{Export, FORMATS, Format, Portions, Source, Step, Stored, Trace};
use unspool_trace::TrackKind;

use crate::choices::Choices;
use crate::session;

/// Rows of a trace that is exported at most.
const MOST: u64 = 20_000;
/// Steps of an export whose portions are damaged.
const MOST_STEPS: usize = 5000;

/// What an export has come to.
#[derive(Debug, PartialEq)]
enum Outcome {
    Written(Vec<u8>),
    /// The portions are not those of a trace.
    Damaged,
    /// The call paths have too many bytes to be written.
    TooLarge(u64),
}

/// An export has the same bytes from the store and in portions, in any steps; damaged portions end
/// it.
pub(crate) fn written(file: &[u8]) {
    let Some(session) = session::read(file, || (usize::MAX, usize::MAX), |_| {}) else { return };
    let mut rows = Stored::new(&session, None, None, None);
    if rows.parts().iter().map(|part| part.len).sum::<u64>() > MOST {
        return;
    }
    let mut choices = Choices::of(file);
    let format = FORMATS[choices.index(FORMATS.len())];
    let trace = Trace::of(&session, "trace", None);
    let tracks = tracks_of(&trace, format);
    let from_store = {
        let mut export = Export::new(trace, format.writer(), tracks.clone(), false);
        let mut out = Vec::new();
        loop {
            match export.step(&mut rows, u32::MAX, &mut out) {
                Step::More => {}
                Step::TooLarge(bytes) => break Outcome::TooLarge(bytes),
                Step::Done | Step::Stalled => break Outcome::Written(out),
            }
        }
    };
    let asked_for = in_portions(&session, format, tracks.clone(), &mut choices, false);
    assert!(from_store == asked_for, "{format:?}: {}", difference(&from_store, &asked_for));
    in_portions(&session, format, tracks, &mut choices, true);
}

fn difference(store: &Outcome, portions: &Outcome) -> String {
    let (Outcome::Written(a), Outcome::Written(b)) = (store, portions) else {
        return "the portions cannot be read".into();
    };
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let around = |bytes: &[u8]| {
        let around = at.saturating_sub(40)..bytes.len().min(at + 40);
        String::from_utf8_lossy(bytes.get(around).unwrap_or_default()).into_owned()
    };
    format!("byte {at} of {} and {}: {:?} and {:?}", a.len(), b.len(), around(a), around(b))
}

/// An export that asks for portions as it wants them, some of which are `damaged`.
fn in_portions(session: &Session, format: Format, tracks: Vec<u32>, choices: &mut Choices, damaged: bool) -> Outcome {
    let mut portions = Portions::new(None);
    let fetch = |portions: &mut Portions, choices: &mut Choices| {
        let mut answer = Answer::to(&portions.ask().unwrap_or_default(), session);
        if damaged && choices.below(3) == 0 {
            damage(&mut answer, choices);
        }
        portions.give(&answer).is_ok()
    };
    let trace = loop {
        if let Some(trace) = portions.trace("trace") {
            break trace;
        }
        if !fetch(&mut portions, choices) {
            return Outcome::Damaged;
        }
    };
    let mut export = Export::new(trace, format.writer(), tracks, false);
    let mut out = Vec::new();
    for _ in 0..MOST_STEPS {
        match export.step(&mut portions, 1 + choices.below(2000) as u32, &mut out) {
            Step::Done => return Outcome::Written(out),
            Step::More => {}
            Step::Stalled if fetch(&mut portions, choices) => {}
            Step::Stalled => return Outcome::Damaged,
            Step::TooLarge(bytes) => return Outcome::TooLarge(bytes),
        }
    }
    // Damaged portions may have names without end, or rows.
    assert!(damaged, "{format:?} does not end");
    Outcome::Damaged
}

fn damage(bytes: &mut Vec<u8>, choices: &mut Choices) {
    for _ in 0..1 + choices.below(12) {
        // The beginning says what the rest is, and how long.
        let end = if choices.below(2) == 0 { bytes.len() } else { bytes.len().min(120) };
        let at = choices.index(end);
        if let Some(byte) = bytes.get_mut(at) {
            *byte = choices.number() as u8;
        }
    }
    bytes.truncate(if choices.below(4) == 0 { choices.index(bytes.len() + 1) } else { bytes.len() });
}

/// The tracks that a format is for.
fn tracks_of(trace: &Trace, format: Format) -> Vec<u32> {
    let of_stacks = matches!(format, Format::Speedscope | Format::Folded | Format::Pprof);
    let tracks = (0..).zip(&trace.head.tracks);
    tracks.filter(|(_, track)| !of_stacks || track.kind == TrackKind::Thread).map(|(number, _)| number).collect()
}
