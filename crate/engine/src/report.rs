//! Structures for the page and the native command, for serialisation.

use serde::Serialize;
use unspool_formats::FORMATS;
use unspool_records::TraceErrorOut;
use unspool_trace::{Clock, Column, Info, Problem, Shows, Stacking, ValueKind};

use crate::store::jumps::Uncertainty;
use crate::store::problems::is_limit;
use crate::store::{Store, Track};

/// What the file's head says.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(rename_all = "camelCase")]
pub struct TraceInfo {
    /// The format's stable id.
    pub format: &'static str,
    /// Format and version, for display.
    pub title: String,
    /// The version alone.
    pub version: String,
    /// The container around the trace, where there is a choice.
    pub container: Option<String>,
    /// What one step of the x axis is.
    pub clock: ClockOut,
    /// What is counted as an event, in the singular.
    pub event_noun: &'static str,
    /// What a row of the list of records is, in the singular.
    pub record_noun: &'static str,
    /// What a slice is, in the singular.
    pub slice_noun: &'static str,
    /// What the positions of problems count, in the singular: `byte`, or the unit of a database's
    /// positions.
    pub place_noun: &'static str,
    /// What it means when there are no events.
    pub when_empty: &'static str,
    /// What this trace offers beyond slices, instants and counters: `sql`, `disassembly`,
    /// `callStacks`, `tailCalls`, `eventTypes`, `time`, `values`, `state`, `graphics`, `stretches`,
    /// `openCalls`.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly Capability[]"))]
    pub offers: Vec<&'static str>,
    /// The tab that is opened first: `functions` or `flame`.
    pub first_tab: &'static str,
    /// The kinds of files that add to such a trace: `names`, `wal`.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly CompanionKind[]"))]
    pub companions: Vec<&'static str>,
    /// The columns of the list of records.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly ColumnOut[]"))]
    pub columns: Vec<ColumnOut>,
    /// Further facts, in the order to show them.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly (readonly [name: string, value: string])[]"))]
    pub properties: Vec<(&'static str, String)>,
}

/// A [`Column`], for serialisation.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct ColumnOut {
    /// The head of the column.
    pub label: &'static str,
    /// `position`, `thread`, `name`, `field` or `rest`.
    #[cfg_attr(feature = "typescript", tsify(type = "'position' | 'thread' | 'name' | 'field' | 'rest'"))]
    pub shows: &'static str,
    /// The key of the field; empty for anything else.
    pub key: &'static str,
}

impl From<&Column> for ColumnOut {
    fn from(column: &Column) -> Self {
        let (shows, key) = match column.shows {
            Shows::Position => ("position", ""),
            Shows::Thread => ("thread", ""),
            Shows::Name => ("name", ""),
            Shows::Field(key) => ("field", key),
            Shows::Rest => ("rest", ""),
        };
        Self { label: column.label, shows, key }
    }
}

/// A [`Clock`], for serialisation.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ClockOut {
    /// See [`Clock::Seconds`].
    Seconds {
        /// Ticks per second.
        frequency: u64,
    },
    /// See [`Clock::Ticks`].
    Ticks,
    /// See [`Clock::Ordinal`].
    Ordinal {
        /// Name of one step, in the singular.
        unit: &'static str,
    },
}

impl From<Info> for TraceInfo {
    fn from(info: Info) -> Self {
        let clock = match info.clock {
            Clock::Seconds { frequency } => ClockOut::Seconds { frequency },
            Clock::Ticks => ClockOut::Ticks,
            Clock::Ordinal { unit } => ClockOut::Ordinal { unit },
        };
        let nouns = info.format.nouns;
        Self {
            format: info.format.id,
            title: info.title,
            version: info.version,
            container: info.container.map(String::from),
            clock,
            event_noun: nouns.event,
            record_noun: nouns.record,
            slice_noun: nouns.slice,
            place_noun: nouns.place,
            when_empty: nouns.when_empty,
            offers: info.offers.iter().map(|capability| capability.word()).collect(),
            first_tab: info.format.first_tab.id(),
            companions: Vec::new(),
            columns: info.format.columns.iter().map(ColumnOut::from).collect(),
            properties: info.properties,
        }
    }
}

/// The error for a file that no format recognises.
pub fn refusal(head: &[u8], size: u64) -> TraceErrorOut {
    if size == 0 {
        return TraceErrorOut { kind: "empty", sentence: "The file is empty.".to_string(), offset: None };
    }
    let looks = unspool_trace::sniff::looks_like(head).map_or_else(
        || "The file is not a trace that Unspool can open.".to_string(),
        |what| format!("The file looks like {what}, not like a trace."),
    );
    let opens: Vec<String> = FORMATS.iter().map(|f| format!("{}: {}", f.name, f.opens)).collect();
    let sentence = format!("{looks} Supported formats: {}.", opens.join("; "));
    TraceErrorOut { kind: "unrecognised", sentence, offset: None }
}

/// A problem in the file, for serialisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct ProblemOut {
    /// Absolute position: what it counts is [`TraceInfo::place_noun`].
    pub offset: u64,
    /// The stable id of its kind.
    pub kind: &'static str,
    /// One sentence.
    pub sentence: String,
}

impl From<Problem> for ProblemOut {
    fn from(problem: Problem) -> Self {
        Self { offset: problem.at, kind: problem.kind.id(), sentence: problem.to_string() }
    }
}

/// All problems of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(rename_all = "camelCase")]
pub struct ProblemCount {
    /// The stable id of the kind.
    pub kind: &'static str,
    /// How many there are.
    pub count: u32,
    /// Whether data was lost or is in doubt.
    pub serious: bool,
    /// Whether reading stopped at a limit that a person may lift: the file is opened again without
    /// it.
    pub can_go_on: bool,
    /// Whether reading stopped at a limit, which a person may lift or not.
    pub is_limit: bool,
    /// One sentence for all of them.
    pub summary: String,
    /// The first of them.
    pub first: ProblemOut,
}

/// The current state of a track.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
pub struct TrackOut {
    /// The track's number.
    pub id: u32,
    /// Number of the parent track, or -1.
    pub parent: i32,
    /// `process`, `thread`, `lane` or `counter`.
    #[cfg_attr(feature = "typescript", tsify(type = "TrackKind"))]
    pub kind: &'static str,
    /// Id of the thread or process, if the trace has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "bigint | number"))]
    pub thread: Option<i64>,
    /// Name, for display.
    pub name: String,
    /// One line that identifies the track further.
    pub detail: String,
    /// What one of its slices is, if the track says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub noun: Option<&'static str>,
    /// How many columns of slices there are, open slices included.
    pub rows: u32,
    /// The lowest depth. A column's row is its depth minus this.
    pub lowest: i32,
    /// How many slices there are.
    pub slices: f64,
    /// How many of the slices are groups of calls.
    #[serde(skip_serializing_if = "is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub groups: f64,
    /// Number of slices that are time without records.
    #[serde(rename = "gapSlices", skip_serializing_if = "is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub gap_slices: f64,
    /// How many instants there are.
    pub instants: f64,
    /// How many samples of a counter there are.
    pub samples: f64,
    /// The highest finite sample; 0 without samples.
    pub highest: f64,
    /// The lowest finite sample; 0 without samples.
    #[serde(rename = "lowestValue")]
    pub lowest_value: f64,
    /// The lowest and the highest sample, if a double cannot hold one of them.
    #[serde(rename = "exactRange", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "readonly [lowest: bigint, highest: bigint]"))]
    pub exact_range: Option<(i128, i128)>,
    /// Whether there are a negative and a positive infinity beyond these. Left out without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "readonly [negative: boolean, positive: boolean]"))]
    pub infinite: Option<(bool, bool)>,
    /// The type of the samples: `unsigned`, `address`, `signed` or `float`.
    #[cfg_attr(feature = "typescript", tsify(type = "'unsigned' | 'address' | 'signed' | 'float'"))]
    pub values: &'static str,
    /// Bytes of a sample in the file, if these can be read as another type.
    #[serde(skip_serializing_if = "is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional))]
    pub width: f64,
    /// Whether slices overlap, as lifetimes do, instead of nesting.
    pub overlapping: bool,
    /// Whether the track is incomplete until its buffers are put in order at the end.
    pub reordering: bool,
    /// Positions between which records are missing for certain, in pairs; 0 for the beginning of
    /// the trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "readonly (bigint | number)[]"))]
    pub gaps: Vec<u64>,
}

fn is_none(count: &f64) -> bool {
    *count == 0.0
}

impl TrackOut {
    pub(crate) fn of(id: u32, track: &Track) -> Self {
        Self {
            id,
            parent: track.def.parent.map_or(-1, |p| p as i32),
            kind: track.def.kind.word(),
            thread: track.def.id,
            name: track.def.name.clone(),
            detail: track.def.detail.clone(),
            noun: track.def.noun,
            rows: track.rows(),
            lowest: track.lowest(),
            slices: track.slices() as f64,
            groups: track.groups as f64,
            gap_slices: track.gap_slices() as f64,
            instants: track.instants.len() as f64,
            samples: track.samples.len() as f64,
            highest: track.shown().range().map_or(0.0, |(_, high)| high),
            lowest_value: track.shown().range().map_or(0.0, |(low, _)| low),
            exact_range: track.shown().beyond_doubles(),
            infinite: Some(track.shown().infinite()).filter(|(below, above)| *below || *above),
            values: match track.shown().kind() {
                ValueKind::Unsigned => "unsigned",
                ValueKind::Address => "address",
                ValueKind::Signed => "signed",
                ValueKind::Float => "float",
            },
            width: track.def.width.into(),
            overlapping: track.def.stacking == Stacking::Overlapping,
            reordering: track.is_reordering(),
            gaps: track.gaps(),
        }
    }
}

/// How far reading has come. Counts are doubles, exact below 2^53.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(rename_all = "camelCase")]
pub struct ProgressOut {
    /// Bytes of the file that have been read.
    pub bytes_read: f64,
    /// Size of the file, in bytes.
    pub bytes: f64,
    /// How many records are decoded.
    pub events: f64,
    /// How many slices there are on all tracks.
    pub slices: f64,
    /// Memory of all that is kept of the trace, in bytes: slices with their levels of detail,
    /// instants and samples, names, call paths and tracks.
    pub store_bytes: f64,
    /// First and last position. `None` while there are no events.
    #[cfg_attr(feature = "typescript", tsify(type = "{ from: Ticks; to: Ticks } | null"))]
    pub extent: Option<ExtentOut>,
    /// Problems by kind, serious ones first.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly ProblemCount[]"))]
    pub problems: Vec<ProblemCount>,
    /// What is going on, if it is not plain reading.
    pub stage: Option<&'static str>,
    /// Why figures of functions may not be those of the program, if they may not.
    pub uncertainty: Option<Uncertainty>,
}

/// The positions between which the trace lies.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ExtentOut {
    /// First absolute position, in ticks.
    pub from: u64,
    /// Last absolute position, in ticks.
    pub to: u64,
}

impl Store {
    /// Problems by kind, serious ones first.
    pub fn problem_report(&self) -> Vec<ProblemCount> {
        let mut all: Vec<ProblemCount> = self
            .problem_counts()
            .into_iter()
            .map(|(kind, count)| ProblemCount {
                kind: kind.id(),
                count: count.count.try_into().unwrap_or(u32::MAX),
                serious: kind.is_serious(),
                can_go_on: kind.offers_to_go_on(),
                is_limit: is_limit(kind),
                summary: kind.summary(count.count, count.sum).to_string(),
                first: count.first.into(),
            })
            .collect();
        let remarks = all.extract_if(.., |c| !c.serious).collect::<Vec<_>>();
        all.extend(remarks);
        all
    }

    /// The current state of every track.
    pub fn track_report(&self) -> Vec<TrackOut> {
        (0..).zip(&self.tracks).map(|(id, track)| TrackOut::of(id, track)).collect()
    }
}
