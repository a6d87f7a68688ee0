//! The part of a trace that is dumped.

use unspool_filter::pattern::{Linked, Pattern};
use unspool_trace::Part;

use crate::Failure;
use crate::scope::span;

/// The part of the records that is printed. Conditions that are given together must all hold.
#[derive(clap::Args)]
pub(super) struct PartArgs {
    /// Only records at these positions, both ends included: 100..200, 100.., ..200 or 100. They are
    /// numbers of calls, instructions or points, ticks of the clock, or transitions.
    #[arg(long, value_parser = span, value_name = "A..B", conflicts_with = "calls")]
    range: Option<(u64, u64)>,
    /// Only calls with these numbers (apitrace): 100..200, or 100-200 as in apitrace.
    #[arg(long, value_parser = span, value_name = "A..B")]
    calls: Option<(u64, u64)>,
    /// Only calls of these frames, from 0 (apitrace): one, or both ends included, 12..14.
    #[arg(long, value_parser = span, value_name = "A..B")]
    frames: Option<(u64, u64)>,
    /// Only records with this name: of the function, or of the statement. * stands for any
    /// characters, ? for one. Needs --binary or --names, except for apitrace.
    #[arg(long, value_name = "GLOB")]
    name: Option<String>,
    /// Only records of this thread.
    #[arg(long, value_name = "ID")]
    thread: Option<u64>,
}

/// The properties of a format's records by which a part can be chosen.
#[derive(Clone, Copy)]
pub(super) struct Offers {
    /// Calls with numbers, in frames.
    pub(super) calls: bool,
    /// Threads.
    pub(super) threads: bool,
    /// Names, and without them, why there are none.
    pub(super) names: Result<(), &'static str>,
}

impl PartArgs {
    /// The part.
    ///
    /// # Errors
    ///
    /// Returns an error if records of such a trace have nothing to choose them by.
    pub(super) fn part(&self, offers: Offers) -> Result<Part, Failure> {
        if !offers.calls && self.calls.is_some() {
            return Err(Failure::usage("--calls is about apitrace traces. For other traces, use --range."));
        }
        if !offers.calls && self.frames.is_some() {
            return Err(Failure::usage("--frames is about apitrace traces. For other traces, use --range."));
        }
        if !offers.threads && self.thread.is_some() {
            return Err(Failure::usage("--thread has no meaning here: the records of this trace have no threads."));
        }
        if let (Some(_), Err(why)) = (&self.name, offers.names) {
            return Err(Failure::usage(why));
        }
        let name = self.name.clone().map(|name| Pattern::Glob(name).compile(&Linked)).transpose();
        let matcher = name.map_err(Failure::usage)?;
        Ok(Part {
            positions: self.calls.or(self.range),
            frames: self.frames,
            name: matcher.map(|matcher| Box::new(move |name: &str| matcher.matches(name)) as _),
            thread: self.thread,
            ..Part::default()
        })
    }

    /// The sentence for a part without records; `None` if all records are wanted.
    pub(super) fn nothing(&self) -> Option<String> {
        let span = |(from, to): (u64, u64)| match (from, to) {
            (from, u64::MAX) => format!("{from}.."),
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from}..{to}"),
        };
        let given = [
            ("--range", self.range.map(span)),
            ("--calls", self.calls.map(span)),
            ("--frames", self.frames.map(span)),
            ("--name", self.name.clone()),
            ("--thread", self.thread.map(|thread| thread.to_string())),
        ];
        let given: Vec<String> =
            given.into_iter().filter_map(|(option, value)| Some(format!("{option} {}", value?))).collect();
        (!given.is_empty()).then(|| format!("With {} there are no records.", given.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: PartArgs = PartArgs { range: None, calls: None, frames: None, name: None, thread: None };

    #[test]
    fn the_sentence_names_what_was_asked_for() {
        assert_eq!(NONE.nothing(), None);
        let args = PartArgs { calls: Some((5, u64::MAX)), thread: Some(2), ..NONE };
        assert_eq!(args.nothing().unwrap(), "With --calls 5.. --thread 2 there are no records.");
    }

    #[test]
    fn options_without_a_meaning_are_refused() {
        let offers = Offers { calls: false, threads: false, names: Err("no names") };
        for args in [
            PartArgs { calls: Some((0, 1)), ..NONE },
            PartArgs { frames: Some((0, 1)), ..NONE },
            PartArgs { thread: Some(1), ..NONE },
            PartArgs { name: Some("f".into()), ..NONE },
        ] {
            assert!(args.part(offers).is_err());
        }
        assert!(PartArgs { range: Some((0, 1)), ..NONE }.part(offers).is_ok());
    }
}
