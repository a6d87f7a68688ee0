//! What a file's head says of the whole trace.

use alloc::string::String;
use alloc::vec::Vec;

/// What one step of the x axis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// `frequency` ticks are one second; never 0.
    Seconds {
        /// Ticks a second.
        frequency: u64,
    },
    /// Ticks of a clock whose frequency is not known.
    Ticks,
    /// No time: the number of a call, step, transition or point.
    Ordinal {
        /// Name of one, in the singular.
        unit: &'static str,
    },
}

/// What a file's head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The format's id.
    pub format: &'static str,
    /// Format and version for people: `XRay FDR 5`.
    pub title: String,
    /// The version alone.
    pub version: String,
    /// How the bytes are wrapped, where there is a choice.
    pub container: Option<&'static str>,
    /// What one step of the x axis is.
    pub clock: Clock,
    /// What is counted as an event, in the singular.
    pub event_noun: &'static str,
    /// What a slice is, in the singular.
    pub slice_noun: &'static str,
    /// What it means when there are no events, in a sentence or two.
    pub when_empty: &'static str,
    /// Further facts, in the order to show them.
    pub properties: Vec<(&'static str, String)>,
}
