//! What part of a trace a command is about: a range, and tracks.

use unspool_engine::statistics::Question;
use unspool_engine::{Session, TrackOut};

use crate::read_whole::threads;
use crate::{Failure, console};

/// The part of a trace that a command is about.
#[derive(clap::Args)]
pub(crate) struct ScopeArgs {
    /// Only slices that overlap this range of the x axis, both ends included: 100..200, 100.. or
    /// ..200.
    #[arg(long, value_parser = range)]
    pub(crate) range: Option<(u64, u64)>,
    /// Only this track, by its name, by its number in `unspool info` and SQL, or by the number of
    /// its thread. Default: all threads, or all tracks with slices if there are no threads.
    #[arg(long)]
    pub(crate) track: Option<String>,
}

impl ScopeArgs {
    /// A range, both ends included, and a track.
    pub(crate) fn new(range: Option<(u64, u64)>, track: Option<String>) -> Self {
        Self { range, track }
    }

    /// The range, the end exclusive; `None` for all.
    pub(crate) fn range(&self) -> Option<(u64, u64)> {
        self.range.map(|(from, to)| (from, to.saturating_add(1)))
    }

    /// The chosen tracks; `None` for all.
    ///
    /// # Errors
    ///
    /// Returns an error if the trace has no such track.
    pub(crate) fn tracks(&self, session: &Session) -> Result<Option<Vec<u32>>, Failure> {
        self.track.as_deref().map(|wanted| chosen(session, Some(wanted))).transpose()
    }

    /// The slices of that part.
    ///
    /// # Errors
    ///
    /// Returns an error if the trace has no such track.
    pub(crate) fn question(&self, session: &Session) -> Result<Question, Failure> {
        let tracks = chosen(session, self.track.as_deref())?;
        let (from, to) = self.range.unwrap_or((0, u64::MAX));
        if let Some((first, end)) = session.store().extent().filter(|(first, end)| to < *first || from > *end) {
            console::say(format_args!("Nothing of the trace is in {from}..{to}: it is from {first} to {end}."));
        }
        Ok(Question { from, to: to.saturating_add(1), tracks })
    }
}

fn chosen(session: &Session, wanted: Option<&str>) -> Result<Vec<u32>, Failure> {
    let report = session.store().track_report();
    let with = |keep: &dyn Fn(&TrackOut) -> bool| report.iter().filter(|t| keep(t)).map(|t| t.id).collect::<Vec<_>>();
    if let Some(wanted) = wanted {
        // Numbers of tracks are small, and those of threads hardly ever.
        let found = [
            with(&|t| t.name == wanted),
            with(&|t| wanted.parse() == Ok(t.id + 1)),
            with(&|t| t.kind == "thread" && t.thread.is_some_and(|thread| wanted.parse() == Ok(thread))),
        ];
        let Some(found) = found.into_iter().find(|found| !found.is_empty()) else {
            let names: Vec<String> = report.iter().take(20).map(|t| format!("{} {}", t.id + 1, t.name)).collect();
            return Err(Failure::new(format!(
                "No track has the name or number {wanted}. The first tracks are: {}.",
                names.join(", ")
            )));
        };
        return Ok(found);
    }
    Ok(threads(session))
}

/// Parses `A..B`, `A..` or `..B`, in decimal or hexadecimal.
pub(crate) fn range(text: &str) -> Result<(u64, u64), String> {
    let number = |text: &str, otherwise: u64| {
        let parsed = match text.strip_prefix("0x") {
            _ if text.is_empty() => return Ok(otherwise),
            Some(hex) => u64::from_str_radix(hex, 16),
            None => text.parse(),
        };
        parsed.map_err(|_| {
            format!("{text:?} is not a position: expected a decimal or hexadecimal number, such as 100 or 0x64")
        })
    };
    let (from, to) = text.split_once("..").ok_or("expected two positions with .. between them, such as 100..200")?;
    let (from, to) = (number(from, 0)?, number(to, u64::MAX)?);
    if from > to {
        return Err(format!("the range is empty: {from} is after {to}"));
    }
    Ok((from, to))
}

/// Parses what [`range`] takes, one position, or `A-B` as apitrace writes it.
pub(crate) fn span(text: &str) -> Result<(u64, u64), String> {
    let one = text.parse().ok().or_else(|| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
    match (one, text.split_once('-')) {
        (Some(one), _) => Ok((one, one)),
        (None, Some((from, to))) if !from.is_empty() && !to.is_empty() => range(&format!("{from}..{to}")),
        _ => range(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        assert_eq!(range("5..0x10"), Ok((5, 16)));
        assert_eq!(range("..7"), Ok((0, 7)));
        assert_eq!(range("7.."), Ok((7, u64::MAX)));
        assert_eq!(
            [span("7"), span("0x10"), span("7-9"), span("7..9"), span("7..")],
            [Ok((7, 7)), Ok((16, 16)), Ok((7, 9)), Ok((7, 9)), Ok((7, u64::MAX))]
        );
        assert!(span("-7").is_err() && span("9-7").is_err() && span("1,2").is_err() && span("").is_err());
        assert!(range("7").is_err() && range("9..8").is_err() && range("a..b").is_err());
    }
}
