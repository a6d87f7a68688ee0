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

/// Something that only some traces offer beyond slices, instants and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// SQL tables of the trace's own, open to queries.
    Sql,
    /// Machine instructions in the details, of an instruction set that the disassembler knows.
    Disassembly,
    /// Slices that nest as calls do: callers, call paths and flame graphs have a meaning.
    CallStacks,
    /// An x axis in seconds.
    Time,
}

impl Capability {
    /// A stable name, in camelCase.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Disassembly => "disassembly",
            Self::CallStacks => "callStacks",
            Self::Time => "time",
        }
    }
}

/// A tab of the dock below the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// The table of functions.
    Functions,
    /// The flame graph.
    Flame,
}

impl Tab {
    /// The tab's stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Flame => "flame",
        }
    }
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
    /// What the positions of problems count, in the singular: `byte` for offsets in the file, otherwise the unit that a
    /// [`crate::RowDecoder`] counts in.
    pub place_noun: &'static str,
    /// What is counted as an event, in the singular.
    pub event_noun: &'static str,
    /// What a slice is, in the singular.
    pub slice_noun: &'static str,
    /// What it means when there are no events, in a sentence or two.
    pub when_empty: &'static str,
    /// What this trace offers beyond slices, instants and counters.
    pub offers: &'static [Capability],
    /// The tab that is opened first.
    pub first_tab: Tab,
    /// Further facts, in the order to show them.
    pub properties: Vec<(&'static str, String)>,
}
