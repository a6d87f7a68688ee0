//! What stands out in a trace, in whatever module that was found.

use js_sys::Array;
use unspool_trace::Finding;
use unspool_trace::finding::{arrange, keep_foremost};

use crate::structures;

structures! {
    /// Something that stands out, as `Finding` in `crate/trace/src/finding.rs`.
    pub struct StandingFinding {
        /// The stable word of its kind: `slow-call`.
        pub kind: &'static str,
        /// What people call several of its kind: `Slow calls`.
        pub title: &'static str,
        /// Why findings of its kind are listed: a sentence.
        pub why: &'static str,
        /// What happens, to what, and how much, without a full stop.
        pub sentence: String,
        /// What it is about first: the function, or the thread if it is on a track.
        pub name: Option<String>,
        /// Where it leads to: a position on the x axis.
        pub at: Option<u64>,
        /// Where it ends, after `at`. Missing if it is at one position.
        pub end: Option<u64>,
        /// Number of the track where it is, if it is on one.
        pub track: Option<u32>,
        /// The first few positions where it happens, ascending, if there are several.
        pub places: Vec<u64>,
        /// How much it matters, from 0 to 1.
        pub weight: f64,
        /// What part of the trace was looked at for it, if that was not all.
        pub part: Option<String>,
    }
}

impl From<Finding> for StandingFinding {
    fn from(it: Finding) -> Self {
        let Finding { kind, sentence, at, end, track, names, mut places, weight, part, .. } = it;
        let name = names.into_iter().next();
        if places.len() < 2 {
            places.clear();
        }
        Self { kind: kind.word, title: kind.title, why: kind.why, sentence, name, at, end, track, places, weight, part }
    }
}

/// The findings that are listed, the greatest first: `StandingFinding`s.
pub fn standing(mut found: Vec<Finding>) -> Array {
    arrange(&mut found);
    keep_foremost(&mut found);
    found.into_iter().map(|it| StandingFinding::from(it).cross()).map(wasm_bindgen::JsValue::from).collect()
}
