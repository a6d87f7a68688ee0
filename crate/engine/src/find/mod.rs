//! Finds slices and records by an expression, which `unspool_filter` has bound to the trace.
//!
//! The store answers some alternatives of an expression alone, in one scan ([`Find`]). The others
//! need fields of records: a pass in the record worker finds those, and the scan's job takes them
//! in. What was found are [`Hits`].

mod hits;
mod scan;

use unspool_filter::{Context, Name, Offers, Track};
use unspool_trace::TrackKind;
use unspool_trace::batch::Key;

pub use hits::{Hit, Hits, Order};
pub use scan::Find;

use crate::store::Store;

impl Store {
    /// What expressions about this trace are bound to, but for what its records have. `frequency`
    /// is that of its clock in ticks per second; `None` if it counts something else than time.
    /// `frames`: whether an expression needs to know where frames are.
    pub fn find_context(&self, frequency: Option<u64>, frames: bool) -> Context {
        let name = |(number, text): (u32, &String)| {
            let id = match self.key(number) {
                (_, Key::Id(id)) => Some(id),
                _ => None,
            };
            Name { text: text.clone(), key: self.key_text(number), id }
        };
        let tracks = self.tracks.iter().map(|track| Track {
            name: track.def.name.clone(),
            thread: track.def.id.filter(|_| track.def.kind == TrackKind::Thread),
        });
        let places = if frames { self.frames() } else { Vec::new() };
        Context {
            names: (0..).zip(self.names()).map(name).collect(),
            tracks: tracks.collect(),
            begin: self.extent().map_or(0, |(from, _)| from),
            frequency,
            has_calls_across_frames: places
                .get(1..)
                .is_some_and(|ends| ends.iter().any(|end| self.has_slice_over(*end))),
            frames: places,
            offers: Offers::default(),
        }
    }

    /// Where frames begin, and where the last one ends. Empty without frames.
    fn frames(&self) -> Vec<u64> {
        let lane = self.tracks.iter().find(|track| track.def.has_frames);
        let mut places = Vec::new();
        let mut end = None;
        if let Some(column) = lane.and_then(|lane| lane.column(lane.lowest())) {
            column.scan(0, usize::MAX, |_, slice| {
                places.push(slice.start);
                end = Some(slice.end);
                true
            });
        }
        places.extend(end);
        places
    }

    /// Whether a slice begins before the end of a frame and ends after it. Frames themselves, and
    /// groups of calls, do not count.
    fn has_slice_over(&self, at: u64) -> bool {
        let others = self.tracks.iter().filter(|track| !track.def.has_frames);
        others.flat_map(|track| track.columns()).any(|(_, column)| {
            let over = column.overlapping(at.saturating_sub(1), at).filter_map(|index| column.get(index));
            over.into_iter().any(|it| it.start < at && it.end > at && !self.texts.is_group(self.calls.name(it.node)))
        })
    }
}
