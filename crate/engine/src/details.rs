//! What the store knows about one slice or instant. The record itself is read by a
//! [`RecordReader`](unspool_records::RecordReader).

use serde::Serialize;
use unspool_records::FieldOut;
use unspool_trace::batch::flags::{BEGAN_BEFORE, END_INFERRED, NEVER_ENDED, UNCERTAIN};
use unspool_trace::batch::{Key, SliceKind};
use unspool_trace::{Field, Locator, Stacking, TrackId, Value};

use crate::call_tree::ROOT;
use crate::store::Store;
use crate::store::slice::Slice;

/// A slice or an instant by its stable position in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Item {
    /// A slice.
    Slice {
        /// Number of its track.
        #[cfg_attr(feature = "typescript", tsify(type = "number"))]
        track: TrackId,
        /// Its signed depth.
        depth: i32,
        /// Its index in the column.
        index: u32,
    },
    /// An instant.
    Instant {
        /// Number of its track.
        #[cfg_attr(feature = "typescript", tsify(type = "number"))]
        track: TrackId,
        /// Its index among the track's instants, by time.
        index: u32,
    },
}

impl Item {
    /// The number of its track.
    pub fn track(self) -> TrackId {
        match self {
            Self::Slice { track, .. } | Self::Instant { track, .. } => track,
        }
    }
}

/// What the store knows about an item, and where its record is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null, large_number_types_as_bigints))]
#[serde(rename_all = "camelCase")]
pub struct Described {
    /// The item itself.
    pub item: Item,
    /// Its name.
    pub title: String,
    /// Number of its name.
    pub name: u32,
    /// Absolute position, in ticks.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks"))]
    pub start: u64,
    /// Absolute position, in ticks. `None` for an instant.
    #[cfg_attr(feature = "typescript", tsify(type = "Ticks | null"))]
    pub end: Option<u64>,
    /// Flags of the slice.
    pub flags: u8,
    /// Flags and uncertainties, in whole sentences.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly string[]"))]
    pub remarks: Vec<String>,
    /// Fields, in display order.
    #[cfg_attr(feature = "typescript", tsify(type = "readonly FieldOut[]"))]
    pub fields: Vec<FieldOut>,
    /// Where its record is found again.
    pub locator: u64,
    /// The fields of the record come before these: on an x axis that counts, positions and lengths
    /// say little.
    pub record_first: bool,
}

fn field(name: &str, value: Value) -> FieldOut {
    Field { name: name.to_string().into(), value }.into()
}

impl Store {
    /// The locator of an item's record. `None` if there is no such item.
    pub(crate) fn locate(&self, item: Item) -> Option<Locator> {
        match item {
            Item::Slice { .. } => self.slice(item).map(|s| s.locator),
            Item::Instant { track, index } => {
                self.tracks.get(track as usize)?.instants.get(index as usize).map(|i| i.locator)
            }
        }
    }

    fn slice(&self, item: Item) -> Option<Slice> {
        let Item::Slice { track, depth, index } = item else { return None };
        let now = self.extent().map_or(0, |(_, to)| to);
        self.tracks.get(track as usize)?.slice(depth, index as usize, now)
    }

    /// What the trace says about an item. On an x axis that counts (`counted`), positions are
    /// omitted.
    pub(crate) fn describe(&self, item: Item, counted: bool) -> Option<Described> {
        let locator = self.locate(item)?.bits();
        let mut remarks = Vec::new();
        let mut fields = Vec::new();
        let (name, start, end, flags) = match item {
            Item::Instant { track, index } => {
                let instant = self.tracks.get(track as usize)?.instants.get(index as usize)?;
                if !counted {
                    fields.push(field("Time", Value::Ticks(instant.time)));
                }
                (instant.name, instant.time, None, 0)
            }
            Item::Slice { track, depth, .. } => {
                let slice = self.slice(item)?;
                let duration = slice.end - slice.start;
                let def = self.tracks.get(track as usize).map(|track| &track.def);
                // A frame of calls says how many it has.
                let is_frame = counted && def.is_some_and(|def| def.has_frames);
                if !counted {
                    fields.push(field("Start", Value::Ticks(slice.start)));
                }
                // A length of one step says nothing.
                let has_length = !is_frame && (!counted || duration > 1);
                if has_length {
                    fields.push(field("Duration", Value::Duration(duration)));
                }
                // Slices that overlap do not call one another.
                let nested = def.is_none_or(|def| def.stacking == Stacking::Nested);
                if nested && has_length {
                    let own = duration - self.covered_by_callees(track, depth, &slice);
                    fields.push(field("Self", Value::Duration(own)));
                }
                if let Some(caller) = self.caller(track, depth, &slice) {
                    fields.push(field("Called by", Value::Text(self.name(caller).into())));
                }
                let name = self.calls.name(slice.node);
                if self.key(name).0 == SliceKind::Lost {
                    remarks.push(LOST.to_string());
                } else {
                    remarks.extend(flag_sentences(slice.flags).map(str::to_string));
                }
                (name, slice.start, Some(slice.end), slice.flags)
            }
        };
        let title = self.name(name).to_string();
        if let (Key::Address(address), Some(_)) = (self.key(name).1, self.texts.given(name)) {
            fields.push(field("Function address", Value::Hex(address)));
        }
        if !self.source_of(name).is_empty() {
            fields.push(field("Source", Value::Text(self.source_of(name).to_string())));
        }
        Some(Described { item, title, name, start, end, flags, remarks, fields, locator, record_first: counted })
    }

    /// The name of a slice's caller. The call tree does not contain callers whose begin was not
    /// recorded.
    fn caller(&self, track: TrackId, depth: i32, slice: &Slice) -> Option<u32> {
        let caller = self.calls.parent(slice.node);
        if caller != ROOT {
            return Some(self.calls.name(caller));
        }
        let track = self.tracks.get(track as usize).filter(|t| t.def.stacking == Stacking::Nested)?;
        let above_zero = usize::try_from(depth.checked_neg()?).ok()?;
        track.before().get(above_zero).copied()
    }

    /// How much of a slice its direct callees cover, including those that are still open.
    fn covered_by_callees(&self, track: TrackId, depth: i32, slice: &Slice) -> u64 {
        let Some(track) = self.tracks.get(track as usize) else { return 0 };
        let Some(below) = depth.checked_add(1) else { return 0 };
        let closed = track.column(below).map_or(0, |c| c.covered(slice.start, slice.end, &mut 0));
        let open = track.open().find(|o| o.depth == below && o.start >= slice.start && o.start < slice.end);
        closed + open.map_or(0, |o| slice.end - o.start)
    }
}

/// The remark of time without records, whose locator is that of the record behind it.
const LOST: &str =
    "Nothing is known of this time: its records are missing. The record shown is the first one after it.";

/// The sentences for a slice's flags.
fn flag_sentences(flags: u8) -> impl Iterator<Item = &'static str> {
    [
        (BEGAN_BEFORE, "Its beginning was not recorded. It took longer than shown."),
        (NEVER_ENDED, "Still running when recording ended. It took at least this long."),
        (END_INFERRED, "Its end was not recorded. The end shown is inferred from later events."),
        (UNCERTAIN, "Uncertain: the trace does not prove that this ran, what called it, or where it begins or ends."),
    ]
    .into_iter()
    .filter_map(move |(flag, sentence)| (flags & flag != 0).then_some(sentence))
}

#[cfg(test)]
mod tests {
    use unspool_trace::{EventBatch, EventKind, TrackDef, TrackKind};

    use super::*;

    #[test]
    fn a_frame_of_calls_has_no_length_beside_their_number() {
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(16);
        batch.new_tracks.push(TrackDef { has_frames: true, ..TrackDef::new(TrackKind::Lane, "frames") });
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        for track in [0, 1] {
            batch.push(EventKind::Begin, track, 10, 0, Locator::default());
            batch.push(EventKind::End, track, 15, 0, Locator::default());
        }
        store.apply(&mut batch);
        store.finish(false);
        let fields =
            |track, counted| store.describe(Item::Slice { track, depth: 0, index: 0 }, counted).unwrap().fields.len();
        // Start, length and the part without callees; the last two.
        assert_eq!((fields(0, false), fields(1, true)), (3, 2));
        assert_eq!(fields(0, true), 0);
    }

    #[test]
    fn an_unrecorded_caller_is_named() {
        let (begin, end) = (EventKind::Begin, EventKind::End);
        let mut store = Store::default();
        let mut batch = EventBatch::with_capacity(16);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        // 0 called 1 and 3, and 1 called 2.
        for (kind, time, name) in
            [(begin, 11, 2), (end, 12, 2), (end, 13, 1), (begin, 13, 3), (end, 13, 3), (end, 16, 0)]
        {
            batch.push(kind, 0, time, name, Locator::default());
        }
        store.apply(&mut batch);
        store.finish(false);
        let caller = |depth, index| {
            let slice = store.slice(Item::Slice { track: 0, depth, index }).unwrap();
            (store.calls.name(slice.node), store.caller(0, depth, &slice))
        };
        assert_eq!(caller(0, 0), (2, Some(1)));
        assert_eq!(caller(-1, 0), (1, Some(0)));
        assert_eq!(caller(-1, 1), (3, Some(0)));
        assert_eq!(caller(-2, 0), (0, None));
    }
}
