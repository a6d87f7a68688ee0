//! Facts about a trace as a whole, known from the head of its file.
//!
//! `Info` adds to the row of the format (`table`) what differs between its traces: what one offers
//! beyond slices, instants and counters (`offers`: SQL tables, disassembly, call stacks, time).
//! Neither the engine nor the page tests for a format's name.

use alloc::string::String;
use alloc::vec::Vec;

use crate::sniff::Format;

/// The unit of the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Ticks of a clock with a known frequency.
    Seconds {
        /// Ticks per second; never 0.
        frequency: u64,
    },
    /// Ticks of a clock whose frequency is unknown.
    Ticks,
    /// Not time, but the number of a call, step, transition or point.
    Ordinal {
        /// The unit's name, in the singular.
        unit: &'static str,
    },
}

/// Something that only some traces offer beyond slices, instants and counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// SQL tables of the trace's own, open to queries.
    Sql,
    /// Details with machine instructions that the disassembler supports.
    Disassembly,
    /// Slices that nest like calls, so that callers, call paths and flame graphs make sense.
    CallStacks,
    /// Records of tail calls, whose callees can be put under their callers
    /// ([`crate::OpenOptions::nest_tail_calls`]).
    TailCalls,
    /// Events that have a type and a payload: the fields `type`, if there are types, and `data` of
    /// their records.
    EventTypes,
    /// An x axis in seconds.
    Time,
    /// Values of variables that the query language of trace-db can ask for.
    Values,
    /// What each step read and wrote ([`crate::steps`]), so that registers and memory are known at
    /// any step.
    State,
    /// Calls of a graphics interface, with frames and resources.
    Graphics,
    /// Parts that can be written as traces of their own (`unspool_cut`).
    Stretches,
    /// Parts that have the calls which are open at their edges.
    OpenCalls,
}

impl Capability {
    /// A stable name, in camelCase.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Disassembly => "disassembly",
            Self::CallStacks => "callStacks",
            Self::TailCalls => "tailCalls",
            Self::EventTypes => "eventTypes",
            Self::Time => "time",
            Self::Values => "values",
            Self::State => "state",
            Self::Graphics => "graphics",
            Self::Stretches => "stretches",
            Self::OpenCalls => "openCalls",
        }
    }
}

/// A tab of the dock below the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// The table of functions.
    Functions,
    /// The list of records.
    Events,
    /// The table of statements.
    Statements,
    /// The table of frames.
    Frames,
}

impl Tab {
    /// The tab's stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Events => "events",
            Self::Statements => "statements",
            Self::Frames => "frames",
        }
    }
}

/// A column of the list of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The head of the column.
    pub label: &'static str,
    /// What it shows.
    pub shows: Shows,
}

/// What a [`Column`] shows of a [`crate::Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Its position on the x axis.
    Position,
    /// Its thread, by the name of the track.
    Thread,
    /// Its name.
    Name,
    /// Its field with this key.
    Field(&'static str),
    /// All fields that no other column shows, with their keys.
    Rest,
}

/// What the parts of a format's traces are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nouns {
    /// The unit of the positions of problems, in the singular: `byte` for offsets in the file,
    /// otherwise that of the [`crate::RowDecoder`].
    pub place: &'static str,
    /// One event, in the singular.
    pub event: &'static str,
    /// One row of the list of records, in the singular. It differs from the event if an event spans
    /// several records.
    pub record: &'static str,
    /// One slice, in the singular.
    pub slice: &'static str,
    /// Why there may be no events, in one or two sentences.
    pub when_empty: &'static str,
}

/// Facts about a trace as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The format, with the nouns for what its traces hold.
    pub format: &'static Format,
    /// Format and version as shown: `XRay FDR 5`.
    pub title: String,
    /// The version alone.
    pub version: String,
    /// The container, if the format has several.
    pub container: Option<&'static str>,
    /// The unit of the x axis.
    pub clock: Clock,
    /// What this trace offers beyond slices, instants and counters.
    pub offers: &'static [Capability],
    /// Further facts as names and texts, in display order.
    pub properties: Vec<(&'static str, String)>,
}
