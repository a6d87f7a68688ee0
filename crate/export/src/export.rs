//! The loop of an export, in steps.

use std::ops::Range;

use unspool_trace::MOST_PATH_BYTES;

use crate::merge::{Merge, Merged};
use crate::order::{Next, Order};
use crate::{Arg, Part, Source, Table, Trace, Writer};

const TABLES: [Table; 3] = [Table::Slices, Table::Instants, Table::Counters];

/// The numbers of the parts of a track that are those of a table.
pub(crate) fn parts_of(parts: &[Part], table: Table, track: u32) -> Range<usize> {
    let from = |track: u32| parts.partition_point(|part| (part.table, part.track) < (table, track));
    from(track)..from(track.saturating_add(1))
}

/// The same if they are wanted.
fn wanted_of(parts: &[Part], trace: &Trace, writer: &dyn Writer, table: Table, track: u32) -> Range<usize> {
    if writer.wants(trace, table, track) { parts_of(parts, table, track) } else { 0..0 }
}

/// What a step of an export has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// The source has not loaded what comes next.
    Stalled,
    /// The file is complete.
    Done,
    /// The call paths would take so many bytes that they are not written; see
    /// [`unspool_trace::check_path_bytes`].
    TooLarge(u64),
}

/// An export under way.
pub struct Export {
    trace: Trace,
    writer: Box<dyn Writer>,
    /// Tracks to export, the first one next, in reverse order.
    tracks: Vec<u32>,
    now: Now,
    with_args: bool,
    args: Vec<Arg>,
    passed: u64,
}

enum Now {
    Begin,
    /// The statements of points: an instant of a part.
    Statements {
        part: usize,
        next: u64,
    },
    NextTrack,
    Slices(u32, Order),
    /// Samples of all tracks.
    Merged(Merge),
    /// Rows of a part from an index on. The others of the track follow, in reverse order.
    Rows {
        track: u32,
        part: usize,
        next: u64,
        rest: Vec<usize>,
    },
    /// After the last track.
    Finish,
    TooLarge(u64),
    Done,
}

impl Export {
    /// An export of some tracks. `with_args`: with arguments, where the writer has them.
    pub fn new(trace: Trace, writer: Box<dyn Writer>, mut tracks: Vec<u32>, with_args: bool) -> Self {
        tracks.reverse();
        Self { trace, writer, tracks, now: Now::Begin, with_args, args: Vec::new(), passed: 0 }
    }

    /// How many rows were passed on, or left out by [`Source::is_wanted`].
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// How many rows there are.
    pub fn rows(&self, source: &dyn Source) -> u64 {
        let wanted = source
            .parts()
            .iter()
            .filter(|part| self.tracks.contains(&part.track) && self.writer.wants(&self.trace, part.table, part.track));
        wanted.map(|part| part.len).sum()
    }

    /// Writes up to `budget` rows.
    pub fn step(&mut self, source: &mut dyn Source, budget: u32, out: &mut Vec<u8>) -> Step {
        let mut left = budget;
        while left > 0 {
            left -= 1;
            let (trace, writer) = (&self.trace, &mut *self.writer);
            match &mut self.now {
                Now::Begin => {
                    writer.begin(trace, out);
                    self.now = Now::NextTrack;
                    if writer.wants_statements(trace) {
                        self.now = Now::Statements { part: 0, next: 0 };
                    } else if writer.is_merged() {
                        let parts = (0..)
                            .zip(source.parts())
                            .filter(|(_, part)| part.table == Table::Counters && self.tracks.contains(&part.track));
                        let merge = Merge::new(parts.map(|(number, _)| number));
                        self.tracks.clear();
                        self.now = Now::Merged(merge);
                    }
                }
                Now::Statements { part, next } => match source.parts().get(*part) {
                    None => self.now = Now::NextTrack,
                    Some(of) if of.table != Table::Instants || *next >= of.len => (*part, *next) = (*part + 1, 0),
                    Some(_) => {
                        let Some(instant) = source.instant(*part, *next) else { return Step::Stalled };
                        writer.statement(trace, &instant);
                        *next += 1;
                    }
                },
                Now::NextTrack => {
                    let Some(track) = self.tracks.pop() else {
                        let bytes = writer.path_bytes(trace);
                        let fits = bytes <= MOST_PATH_BYTES;
                        self.now = if fits { Now::Finish } else { Now::TooLarge(bytes) };
                        continue;
                    };
                    let all = TABLES.map(|table| wanted_of(source.parts(), trace, writer, table, track));
                    if all.iter().all(Range::is_empty) {
                        continue;
                    }
                    writer.begin_track(trace, track, out);
                    let [slices, ..] = all;
                    let parts = source.parts().get(slices.clone()).unwrap_or_default();
                    self.now =
                        Now::Slices(track, Order::new(slices.zip(parts).map(|(number, part)| (number, part.len))));
                }
                Now::Merged(merge) => match merge.next(source) {
                    Merged::Stalled => return Step::Stalled,
                    Merged::End => self.now = Now::NextTrack,
                    Merged::Sample(sample, part, index) => {
                        self.passed += 1;
                        let track = source.parts().get(part).map_or(0, |part| part.track);
                        if source.is_wanted(part, index) {
                            writer.sample(trace, track, &sample, out);
                        }
                    }
                },
                Now::Slices(track, order) => match order.next(source) {
                    Next::Stalled => return Step::Stalled,
                    Next::Slice(slice, part, index) => {
                        self.passed += 1;
                        if source.is_wanted(part, index) {
                            self.args.clear();
                            if self.with_args {
                                source.args(*track, slice.locator, &mut self.args);
                            }
                            writer.slice(trace, *track, &slice, &self.args, out);
                        }
                    }
                    Next::End => {
                        let track = *track;
                        writer.end_slices(trace, track, out);
                        let [_, instants, counters] =
                            TABLES.map(|table| wanted_of(source.parts(), trace, writer, table, track));
                        let rest = counters.chain(instants).collect();
                        self.now = Self::rows_of(trace, writer, track, rest, out);
                    }
                },
                Now::Rows { track, part, next, rest } => {
                    let (track, number, index) = (*track, *part, *next);
                    let Some(part) = source.parts().get(number).copied().filter(|part| index < part.len) else {
                        let rest = std::mem::take(rest);
                        self.now = Self::rows_of(trace, writer, track, rest, out);
                        continue;
                    };
                    match part.table {
                        Table::Counters => {
                            let Some(sample) = source.sample(number, index) else { return Step::Stalled };
                            if source.is_wanted(number, index) {
                                writer.sample(trace, track, &sample, out);
                            }
                        }
                        Table::Slices | Table::Instants => {
                            let Some(instant) = source.instant(number, index) else { return Step::Stalled };
                            if source.is_wanted(number, index) {
                                self.args.clear();
                                if self.with_args {
                                    source.args(track, instant.locator, &mut self.args);
                                }
                                writer.instant(trace, track, &instant, &self.args, out);
                            }
                        }
                    }
                    self.passed += 1;
                    *next += 1;
                }
                Now::Finish => {
                    if writer.finish(trace, out) {
                        return Step::More;
                    }
                    self.now = Now::Done;
                }
                Now::TooLarge(bytes) => return Step::TooLarge(*bytes),
                Now::Done => return Step::Done,
            }
        }
        if matches!(self.now, Now::Done) { Step::Done } else { Step::More }
    }

    /// Goes on with the next part of a track, or ends the track.
    fn rows_of(trace: &Trace, writer: &mut dyn Writer, track: u32, mut rest: Vec<usize>, out: &mut Vec<u8>) -> Now {
        match rest.pop() {
            Some(part) => Now::Rows { track, part, next: 0, rest },
            None => {
                writer.end_track(trace, track, out);
                Now::NextTrack
            }
        }
    }
}
