//! What a session answers with.

use unspool_engine::derived::MarksColumns;
use unspool_engine::statistics::{
    self, CallColumns, FlameColumns, FunctionColumns, SelfTimeColumns, TimeOrderColumns, TreeColumns,
};
use unspool_engine::{
    CounterColumns, InstantColumns, Overview as Density, ProblemOut, QueryAnswer, RectColumns, TrackOut,
};
use unspool_js::columns::{BigUint64Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
use unspool_js::structures;
use wasm_bindgen::prelude::*;

// What the structures of libraries are to the page.
#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "
import type { JobQuestion } from '../../base/job_protocol.ts';
import type { Capability, CompanionKind, ErrorKind, Find, Ticks, TrackKind } from '../../base/protocol.ts';
";

structures! {
    /// What a file is.
    pub struct Seen {
        /// The id of its format, if it is a trace.
        pub format: Option<&'static str>,
        /// The name of that format.
        pub name: Option<&'static str>,
        /// How certain that is, 0 to 3.
        pub confidence: u32,
        /// `an ELF binary`, or null if nothing is known of it.
        pub looks: Option<&'static str>,
    }

    /// Many texts as one: each that a worker makes and sends by itself would be decoded and copied
    /// by itself.
    pub struct Texts {
        /// One after the other.
        pub all: String,
        /// Where each ends in `all`, in UTF-16 units.
        pub ends: Uint32Array,
    }

    /// Names that are new.
    pub struct NewNames {
        /// The id of the first; the others follow.
        pub first: f64,
        /// The names.
        pub names: Texts,
        /// The ids or addresses that the file has in place of the names, such as `#12`; '' if that
        /// is the name. null if all are ''.
        pub keys: Option<Texts>,
    }

    /// Names with other texts than before.
    pub struct Renamed {
        /// Their ids.
        pub ids: Uint32Array,
        /// Their texts.
        pub names: Texts,
        /// As in `NewNames`.
        pub keys: Option<Texts>,
    }

    /// Other texts for names, which keep their own.
    pub struct OtherNames {
        /// Their ids.
        pub ids: Uint32Array,
        /// Their texts.
        pub names: Texts,
    }

    /// Rectangles of slices, sorted by track, then depth, then start.
    pub struct Rects {
        /// Number of rectangles.
        pub count: f64,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Signed; the row is depth - the track's lowest.
        pub depth: Int32Array,
        /// Relative to the answer's origin.
        pub start: Float64Array,
        /// Relative to the answer's origin.
        pub end: Float64Array,
        /// Name id of the slice, or of the name that covers most of the rectangle.
        pub name: Uint32Array,
        /// The slice's index in its column, or `MANY`.
        pub index: Uint32Array,
        /// The part of the rectangle that slices cover, 0 to 255 for all.
        pub fill: Uint8Array,
        /// `FLAG_*` bits.
        pub flags: Uint8Array,
    }

    /// Instants, at most one a step, sorted by track, then time.
    pub struct Instants {
        /// Number of instants.
        pub count: f64,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Relative to the answer's origin.
        pub time: Float64Array,
        /// Ids of names.
        pub name: Uint32Array,
        /// Index of the first among the track's instants.
        pub index: Uint32Array,
        /// Number of instants within the step.
        pub many: Uint32Array,
    }

    /// Values of counters, at most one a step, sorted by track, then time. Each holds until the
    /// next of its track. The first of a track may lie before the window if its value holds at the
    /// start of the window.
    pub struct Counters {
        /// Number of values.
        pub count: f64,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Relative to the answer's origin; may be negative.
        pub time: Float64Array,
        /// The lowest value within the step, possibly NaN or infinite.
        pub min: Float64Array,
        /// The highest one.
        pub max: Float64Array,
        /// The value that holds from here on.
        pub last: Float64Array,
        /// The 64 bits of `min`, `max` and `last`, three a value.
        pub bits: BigUint64Array,
    }

    /// What to draw for a window.
    pub struct WindowAnswer {
        /// The position that columns are relative to.
        #[tsify(type = "Ticks")]
        pub origin: u64,
        /// Where the window begins.
        #[tsify(type = "Ticks")]
        pub from: u64,
        /// Where it ends.
        #[tsify(type = "Ticks")]
        pub to: u64,
        /// The step that was asked for.
        pub step: u64,
        /// false while part of the window is not read yet.
        pub complete: bool,
        /// Slices.
        pub rects: Rects,
        /// Instants.
        pub instants: Instants,
        /// Values of counters.
        pub counters: Counters,
        /// Nodes and slices that the query visited, for tests of its cost.
        pub visited: f64,
    }

    /// Density over the whole trace: `rows.length` × `buckets` cells, row by row.
    pub struct Overview {
        /// Where the first bucket begins.
        #[tsify(type = "Ticks")]
        pub from: u64,
        /// Where the last bucket ends.
        #[tsify(type = "Ticks")]
        pub to: u64,
        /// Cells in a row.
        pub buckets: u32,
        /// Track id of each row.
        pub rows: Uint32Array,
        /// 0 for an empty cell, 255 for the densest cell of the trace.
        pub density: Uint8Array,
        /// Id of the name that covers most of the cell.
        pub name: Uint32Array,
    }

    /// Pages of a database, one after the other.
    pub struct TablePages {
        /// Of the database, in bytes.
        pub size: f64,
        /// The pages.
        #[tsify(type = "Uint8Array<ArrayBuffer>")]
        pub pages: Uint8Array,
    }

    /// Some problems.
    pub struct Problems {
        /// The ones that were asked for.
        #[tsify(type = "readonly ProblemOut[]")]
        pub problems: Vec<ProblemOut>,
        /// How many are listed in all.
        pub total: f64,
    }

    /// How far a job has come, in counted work.
    pub struct JobProgress {
        /// Done so far.
        pub done: f64,
        /// As far as the job knows; it may find more to do.
        pub of: f64,
    }

    /// The functions of a range, one row a name, in the order of name ids. Times are ticks as
    /// doubles, exact below 2^53.
    ///
    /// A call that crosses an edge of the range counts. `total` and `self` are clipped to the
    /// range; `min`, `max` and the percentiles are of whole calls. A call that is still running
    /// extends to the end of what is read. `total` counts recursive calls once.
    pub struct Functions {
        /// Number of rows.
        pub length: f64,
        /// Ids of names.
        pub name: Uint32Array,
        /// Number of calls.
        pub count: Float64Array,
        /// Time of the calls.
        pub total: Float64Array,
        /// Time that callees do not cover.
        #[serde(rename = "self")]
        pub own: Float64Array,
        /// The shortest call.
        pub min: Float64Array,
        /// Percentiles come from logarithmic buckets and are within 1 %.
        pub median: Float64Array,
        /// See `median`.
        pub p90: Float64Array,
        /// See `median`.
        pub p99: Float64Array,
        /// The longest call.
        pub max: Float64Array,
        /// Which percentiles are rounded: 1 for the median, 2 for p90, 4 for p99, added up.
        pub rounded: Uint8Array,
        /// Bytes of data that the calls take or return, of those that begin in the range. All 0 if
        /// calls have none.
        pub bytes: Float64Array,
    }

    /// A flame graph of a range: the path from the root to the node in focus, then all nodes below
    /// it, each before those below it, the heaviest first. Times are ticks as doubles, exact below
    /// 2^53, and clipped to the range.
    pub struct Flame {
        /// Number of nodes.
        pub length: f64,
        /// Index of the node in focus; the nodes at lower indices are those above it, from the
        /// root.
        pub focus: u32,
        /// Some nodes lack what is below them.
        pub partial: bool,
        /// Ids of names.
        pub name: Uint32Array,
        /// Index of the node above; the root's is its own.
        pub parent: Uint32Array,
        /// The width: total time, or in an inverted graph the self time of the function at the root
        /// of the path.
        pub total: Float64Array,
        /// Time that callees do not cover.
        #[serde(rename = "self")]
        pub own: Float64Array,
        /// Number of calls.
        pub count: Float64Array,
    }

    /// Rows of the call tree in order: each is followed by those below it, the heaviest first. Rows
    /// of stacks follow those of their callers in any order. Rows of who calls whom have the
    /// callee's name, and as `parent` the caller's name id.
    pub struct TreeRows {
        /// Number of rows.
        pub length: f64,
        /// Rows that were left out, without those below them. Of stacks: those that are not listed.
        pub cut: f64,
        /// Time of all outermost calls: the whole that shares are of.
        pub whole: f64,
        /// Ids of names.
        pub name: Uint32Array,
        /// Index of the row above, or `NO_PARENT`.
        pub parent: Uint32Array,
        /// Time of the calls.
        pub total: Float64Array,
        /// Time that callees do not cover.
        #[serde(rename = "self")]
        pub own: Float64Array,
        /// Number of calls.
        pub count: Float64Array,
        /// 0 if nothing is below the row, 1 if it is closed, 2 if it is open. Of stacks: 1 if it is
        /// listed, 0 for a caller.
        pub state: Uint8Array,
    }

    /// Statistics of a range, estimated or exact.
    pub struct StatisticsPart {
        /// The scan has visited all slices: only percentiles are estimates.
        pub exact: bool,
        /// The whole file is read.
        pub complete: bool,
        /// How many calls were not measured; null unless calls are weighed.
        pub unmeasured: Option<f64>,
        /// The functions, if they were asked for.
        pub functions: Option<Functions>,
        /// The flame graph; of a sandwich, the callees: the function is in focus.
        pub flame: Option<Flame>,
        /// The callers of a sandwich: the function is the root.
        pub callers: Option<Flame>,
        /// The call tree, if it was asked for.
        pub tree: Option<TreeRows>,
    }

    /// Calls of one function.
    pub struct CallList {
        /// Calls in the range.
        pub all: f64,
        /// Those whose durations are in the interval.
        pub chosen: f64,
        /// Rows of the list. By duration it may be shorter than the calls.
        pub listed: f64,
        /// Row of the slice that was asked about, or by start that of the next one.
        pub at: f64,
        /// Whether that slice is in the list.
        pub found: bool,
        /// Durations of all calls by buckets, the shortest first: the lowest.
        pub low: Float64Array,
        /// The lowest above the bucket.
        pub above: Float64Array,
        /// The number of calls.
        pub count: Float64Array,
        /// Number of the rows that were asked for.
        pub length: f64,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Signed.
        pub depth: Int32Array,
        /// The slices' indices in their columns.
        pub index: Uint32Array,
        /// Absolute positions.
        pub start: BigUint64Array,
        /// Absolute positions.
        pub end: BigUint64Array,
        /// `FLAG_*` bits.
        pub flags: Uint8Array,
    }

    /// Calls in the order of time: rectangles sorted by row, then by start, free of overlap.
    pub struct TimeOrder {
        /// The left edge.
        #[tsify(type = "Ticks")]
        pub from: u64,
        /// The width in ticks.
        pub width: f64,
        /// Rows or rectangles were left out.
        pub partial: bool,
        /// Tracks from above.
        pub tracks: Uint32Array,
        /// The number of rows of each.
        pub rows: Uint32Array,
        /// Number of rectangles.
        pub length: f64,
        /// Row from the uppermost of the first track on.
        pub row: Uint32Array,
        /// Ticks from the left edge.
        pub start: Float64Array,
        /// Ticks from the left edge.
        pub end: Float64Array,
        /// Ids of names.
        pub name: Uint32Array,
        /// The part of the rectangle that slices cover, 0 to 255 for all.
        pub fill: Uint8Array,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Signed.
        pub depth: Int32Array,
        /// Index of the slice, or `MANY` for several.
        pub index: Uint32Array,
    }

    /// Exact percentiles of the durations of one function, in ticks.
    pub struct Percentiles {
        /// The 50th.
        pub median: u64,
        /// The 90th.
        pub p90: u64,
        /// The 99th.
        pub p99: u64,
    }

    /// A track that a job has made. The page numbers tracks after their jobs.
    pub struct DerivedPart {
        /// As if its job had the number 0.
        #[tsify(type = "TrackOut")]
        pub track: TrackOut,
        /// Slices left out because too many others ran where they begin.
        pub hidden: f64,
    }

    /// Cells of rows with what is marked, such as calls of a function, sorted by track, depth and
    /// cell.
    pub struct MarksPart {
        /// Number of cells.
        pub length: f64,
        /// Width of a cell in ticks, at least that of the question.
        pub step: u64,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// 0 if depths were merged.
        pub depth: Int32Array,
        /// Number of the cell, from the start of the range on.
        pub cell: Uint32Array,
        /// How many are in it.
        pub count: Uint32Array,
    }

    /// What a search of the trace has found.
    pub struct FindPart {
        /// Number of hits without those that only records tell.
        pub count: f64,
        /// Ids of the names of hits.
        pub names: Uint32Array,
    }

    /// Self times of sampled calls, in ticks.
    pub struct SelfTimeList {
        /// Index among the functions that were asked about.
        pub function: Uint32Array,
        /// Where the call begins.
        pub start: Float64Array,
        /// The self time.
        pub own: Float64Array,
    }

    /// What a job has found so far, or its result.
    #[serde(untagged)]
    pub enum JobPart {
        /// Of a scan.
        Statistics(StatisticsPart),
        /// Of a list of calls.
        Calls(CallList),
        /// Of self times.
        SelfTimes(SelfTimeList),
        /// Of calls in the order of time.
        TimeOrder(TimeOrder),
        /// Of one function; null if the range has no call of it.
        Percentiles(Option<Percentiles>),
        /// Of calls that are kept, and of collected records.
        Derived(DerivedPart),
        /// Of marks.
        Marks(MarksPart),
        /// Of a search.
        Find(FindPart),
    }

    /// Where something stands among hits.
    pub struct HitRank {
        /// The number of hits before it.
        pub rank: f64,
        /// Whether it is one.
        pub is_hit: bool,
    }

    /// Hits as columns, by position.
    pub struct HitColumns {
        /// Absolute positions.
        pub time: BigUint64Array,
        /// Ids of tracks.
        pub track: Uint32Array,
        /// Where their records are found again.
        pub locator: BigUint64Array,
    }
}

impl Texts {
    pub(crate) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut all, mut ends, mut end) = (String::new(), Vec::new(), 0);
        for text in texts {
            all.push_str(text);
            end += text.encode_utf16().count() as u32;
            ends.push(end);
        }
        Self { all, ends: Uint32Array(ends) }
    }
}

impl From<RectColumns> for Rects {
    fn from(RectColumns { track, depth, start, end, name, index, fill, flags }: RectColumns) -> Self {
        let count = track.len() as f64;
        let [track, name, index] = [track, name, index].map(Uint32Array);
        let [start, end] = [start, end].map(Float64Array);
        let [fill, flags] = [fill, flags].map(Uint8Array);
        Self { count, track, depth: Int32Array(depth), start, end, name, index, fill, flags }
    }
}

impl From<InstantColumns> for Instants {
    fn from(InstantColumns { track, time, name, index, many }: InstantColumns) -> Self {
        let count = track.len() as f64;
        let [track, name, index, many] = [track, name, index, many].map(Uint32Array);
        Self { count, track, time: Float64Array(time), name, index, many }
    }
}

impl From<CounterColumns> for Counters {
    fn from(CounterColumns { track, time, min, max, last, bits }: CounterColumns) -> Self {
        let count = track.len() as f64;
        let [time, min, max, last] = [time, min, max, last].map(Float64Array);
        Self { count, track: Uint32Array(track), time, min, max, last, bits: BigUint64Array(bits) }
    }
}

impl WindowAnswer {
    /// The answer for a window from `from` to `to`.
    pub(crate) fn new(from: u64, to: u64, step: u64, answer: QueryAnswer) -> Self {
        let QueryAnswer { origin, rects, instants, counters, complete, visited } = answer;
        let (rects, instants, counters) = (rects.into(), instants.into(), counters.into());
        Self { origin, from, to, step, complete, rects, instants, counters, visited: visited as f64 }
    }
}

impl From<Density> for Overview {
    fn from(Density { from, to, buckets, rows, density, name }: Density) -> Self {
        let [rows, name] = [rows, name].map(Uint32Array);
        Self { from, to, buckets, rows, density: Uint8Array(density), name }
    }
}

impl From<FunctionColumns> for Functions {
    fn from(it: FunctionColumns) -> Self {
        let length = it.name.len() as f64;
        let [count, total, own, min] = [it.count, it.total, it.own, it.min].map(Float64Array);
        let [median, p90, p99, max] = [it.median, it.p90, it.p99, it.max].map(Float64Array);
        let (name, rounded, bytes) = (Uint32Array(it.name), Uint8Array(it.rounded), Float64Array(it.bytes));
        Self { length, name, count, total, own, min, median, p90, p99, max, rounded, bytes }
    }
}

impl From<FlameColumns> for Flame {
    fn from(FlameColumns { focus, partial, name, parent, total, own, count }: FlameColumns) -> Self {
        let length = name.len() as f64;
        let [name, parent] = [name, parent].map(Uint32Array);
        let [total, own, count] = [total, own, count].map(Float64Array);
        Self { length, focus, partial, name, parent, total, own, count }
    }
}

impl From<SelfTimeColumns> for SelfTimeList {
    fn from(SelfTimeColumns { function, start, own }: SelfTimeColumns) -> Self {
        Self { function: Uint32Array(function), start: Float64Array(start), own: Float64Array(own) }
    }
}

impl From<TreeColumns> for TreeRows {
    fn from(TreeColumns { name, parent, total, own, count, state, cut, whole }: TreeColumns) -> Self {
        let (length, cut) = (name.len() as f64, cut as f64);
        let [name, parent] = [name, parent].map(Uint32Array);
        let [total, own, count] = [total, own, count].map(Float64Array);
        Self { length, cut, whole, name, parent, total, own, count, state: Uint8Array(state) }
    }
}

impl From<statistics::Part> for StatisticsPart {
    fn from(part: statistics::Part) -> Self {
        let (flame, callers) = part.flames.map_or((None, None), |it| (Some(it.flame), it.callers));
        Self {
            exact: part.exact,
            complete: part.complete,
            unmeasured: part.unmeasured.map(|calls| calls as f64),
            functions: part.functions.map(Into::into),
            flame: flame.map(Into::into),
            callers: callers.map(Into::into),
            tree: part.tree.map(Into::into),
        }
    }
}

impl From<CallColumns> for CallList {
    fn from(it: CallColumns) -> Self {
        let bucket = |of: fn(&(u64, u64, u64)) -> u64| it.bucket.iter().map(|bucket| of(bucket) as f64).collect();
        let (low, above, count) = (bucket(|it| it.0), bucket(|it| it.1), bucket(|it| it.2));
        let [all, chosen, listed, at] = [it.all, it.chosen, it.listed, it.at].map(|n| n as f64);
        let (length, found) = (it.track.len() as f64, it.found);
        let [track, index] = [it.track, it.index].map(Uint32Array);
        let [start, end] = [it.start, it.end].map(BigUint64Array);
        let (depth, flags) = (Int32Array(it.depth), Uint8Array(it.flags));
        Self { all, chosen, listed, at, found, low, above, count, length, track, depth, index, start, end, flags }
    }
}

impl From<TimeOrderColumns> for TimeOrder {
    fn from(it: TimeOrderColumns) -> Self {
        let TimeOrderColumns { from, width, partial, .. } = it;
        let length = it.row.len() as f64;
        let [tracks, rows, row, name] = [it.tracks, it.rows, it.row, it.name].map(Uint32Array);
        let [track, index] = [it.track, it.index].map(Uint32Array);
        let [start, end] = [it.start, it.end].map(Float64Array);
        let (fill, depth) = (Uint8Array(it.fill), Int32Array(it.depth));
        Self { from, width, partial, tracks, rows, length, row, start, end, name, fill, track, depth, index }
    }
}

impl From<statistics::Percentiles> for Percentiles {
    fn from(statistics::Percentiles { median, p90, p99 }: statistics::Percentiles) -> Self {
        Self { median, p90, p99 }
    }
}

impl MarksPart {
    /// Marks in cells of `step` ticks.
    pub(crate) fn new(MarksColumns { track, depth, cell, count }: MarksColumns, step: u64) -> Self {
        let length = cell.len() as f64;
        let [track, cell, count] = [track, cell, count].map(Uint32Array);
        Self { length, step, track, depth: Int32Array(depth), cell, count }
    }
}
