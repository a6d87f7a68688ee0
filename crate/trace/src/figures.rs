//! Figures as people read them.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::info::Clock;
use crate::problem::grouped;

/// A number that is not negative with three significant digits, or all before the point.
pub fn three_digits(value: f64) -> String {
    match value {
        _ if value == 0.0 => "0".into(),
        // What is no_std has no `f64::round`.
        _ if value >= 99.95 => grouped((value + 0.5) as u64).to_string(),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A time in the unit that suits it: `12.6 ms`.
pub fn seconds(seconds: f64) -> String {
    let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    // What rounds up to 1000 is one of the next unit.
    let (scale, name) = scales.into_iter().find(|(scale, _)| seconds / scale >= 0.9995).unwrap_or((1e-9, "ns"));
    format!("{} {name}", three_digits(seconds / scale))
}

/// A number of things: `1 step`, `1,234 steps`. The plural of `noun` must be made by an s.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A share as a percentage, without digits behind the point from 10 % on.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        value if value >= 9.95 => format!("{value:.0} %"),
        value => format!("{value:.1} %"),
    }
}

impl Clock {
    /// A distance on the x axis: `12.6 ms`, `1,234 steps`.
    pub fn amount(self, ticks: u64) -> String {
        match self {
            Self::Seconds { frequency } if frequency > 0 => seconds(ticks as f64 / frequency as f64),
            Self::Seconds { .. } | Self::Ticks => counted(ticks, "tick"),
            Self::Ordinal { unit } => counted(ticks, unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits() {
        let clock = Clock::Seconds { frequency: 1_000_000_000 };
        let shown = [0, 7, 999_600, 12_640_000, 1_234_000_000_000].map(|ticks| clock.amount(ticks));
        assert_eq!(shown, ["0 ns", "7.00 ns", "1.00 ms", "12.6 ms", "1,234 s"]);
        assert_eq!(Clock::Ticks.amount(1), "1 tick");
        assert_eq!(Clock::Ordinal { unit: "step" }.amount(1234), "1,234 steps");
        assert_eq!((percent(0.4712), percent(0.0123)), ("47 %".into(), "1.2 %".into()));
    }
}
