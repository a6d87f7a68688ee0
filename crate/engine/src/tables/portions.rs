//! The rows of the tables in portions, for exports in another worker.
//!
//! The worker asks with an [`Ask`], and the one that has the store sends an [`Answer`], both as
//! bytes of the same build: numbers of 64 bits, and texts after their lengths. Written by hand,
//! because serde would take three times as much of a module that every trace needs.

use unspool_trace::batch::{Key, Name, SliceKind};
use unspool_trace::{Stacking, TrackDef, TrackKind, ValueKind};

use super::view::{Head, Instant, Number, Part, Sample, Slice, Table, View};
use super::{SliceRows, Span, instants, samples};
use crate::session::Session;
use crate::store::Store;

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The head, and the parts of the range.
    Head,
    /// Names.
    Names,
    /// Rows of a table, which may be those of several parts.
    Rows(Table),
}

/// A question about a trace that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What.
    pub what: What,
    /// The range of rows and parts, `to` exclusive, or the whole trace.
    pub range: Option<Span>,
    /// The number of the first name or row.
    pub first: u64,
    /// How many names or rows at most.
    pub most: u32,
}

/// The answer to an [`Ask`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To [`What::Head`]. Of tracks, what exports have of them: parent, kind, number, name, type of
    /// values and stacking.
    Head(Head, Vec<Part>),
    /// To [`What::Names`]. Fewer than asked for at the end.
    Names(Vec<Name>),
    /// To [`What::Rows`], as the next two.
    Slices(Vec<Slice>),
    /// Rows of [`Table::Instants`].
    Instants(Vec<Instant>),
    /// Rows of [`Table::Counters`].
    Samples(Vec<Sample>),
}

/// Variants by the numbers that cross for them.
const WHATS: [What; 5] =
    [What::Head, What::Names, What::Rows(Table::Slices), What::Rows(Table::Instants), What::Rows(Table::Counters)];
const TABLES: [Table; 3] = [Table::Slices, Table::Instants, Table::Counters];
const TRACK_KINDS: [TrackKind; 4] = [TrackKind::Process, TrackKind::Thread, TrackKind::Lane, TrackKind::Counter];
const VALUE_KINDS: [ValueKind; 4] = [ValueKind::Unsigned, ValueKind::Address, ValueKind::Signed, ValueKind::Float];
const STACKINGS: [Stacking; 2] = [Stacking::Nested, Stacking::Overlapping];
const SLICE_KINDS: [SliceKind; 11] = [
    SliceKind::Call,
    SliceKind::Interrupt,
    SliceKind::Signal,
    SliceKind::SystemCall,
    SliceKind::Group,
    SliceKind::Marker,
    SliceKind::Event,
    SliceKind::Statement,
    SliceKind::Buffer,
    SliceKind::Auxiliary,
    SliceKind::Lost,
];

/// The variant with a number.
fn variant<T: Copy>(all: &[T], number: u64) -> Option<T> {
    all.get(usize::try_from(number).ok()?).copied()
}

impl Ask {
    /// As bytes, for a module of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        let what = match self.what {
            What::Head => 0,
            What::Names => 1,
            What::Rows(table) => 2 + table as u64,
        };
        let (from, to) = self.range.unwrap_or((0, 0));
        let mut out = Vec::new();
        put(&mut out, &[what, self.range.is_some().into(), from, to, self.first, self.most.into()]);
        out
    }

    /// The mirror of [`Ask::to_bytes`]. `None` for other bytes.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let [what, in_range, from, to, first, most] = numbers(&mut bytes)?;
        let range = (in_range != 0).then_some((from, to));
        Some(Self { what: variant(&WHATS, what)?, range, first, most: most.try_into().ok()? })
    }
}

impl Answer {
    /// The answer to [`Ask::to_bytes`], as bytes. Empty for other bytes.
    pub fn to(ask: &[u8], session: &Session) -> Vec<u8> {
        Self::of(ask, session.store(), || Head::of(session))
    }

    /// The same of a store with this head.
    pub(crate) fn of(ask: &[u8], store: &Store, head: impl FnOnce() -> Head) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(Ask { what, range, first, most }) = Ask::from_bytes(ask) else { return out };
        let rows = |len: u64| first..first.saturating_add(most.into()).min(len);
        match what {
            What::Head => put_head(&mut out, &head(), View::new(store, range).parts()),
            What::Names => names(store, first as u32).take(most as usize).for_each(|name| put_name(&mut out, &name)),
            What::Rows(Table::Slices) => {
                let all = SliceRows::new(store, range);
                for (_, slice) in rows(all.len).map_while(|row| all.slice(row)) {
                    put_slice(&mut out, &slice);
                }
            }
            What::Rows(Table::Instants) => {
                let all = instants(store, range);
                for (_, instant) in rows(all.len).map_while(|row| all.instant(row)) {
                    put_instant(&mut out, &instant);
                }
            }
            What::Rows(Table::Counters) => {
                let all = samples(store, range);
                for (_, sample) in rows(all.len).map_while(|row| all.sample(row)) {
                    put_sample(&mut out, &sample);
                }
            }
        }
        out
    }

    /// As bytes, for a module of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Head(head, parts) => put_head(&mut out, head, parts),
            Self::Names(names) => names.iter().for_each(|name| put_name(&mut out, name)),
            Self::Slices(slices) => slices.iter().for_each(|slice| put_slice(&mut out, slice)),
            Self::Instants(instants) => instants.iter().for_each(|instant| put_instant(&mut out, instant)),
            Self::Samples(samples) => samples.iter().for_each(|sample| put_sample(&mut out, sample)),
        }
        out
    }

    /// The mirror of [`Answer::to_bytes`], by what was asked for. `None` for other bytes.
    pub fn from_bytes(what: What, mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        Some(match what {
            What::Head => {
                let [frequency, origin, end, count] = numbers(bytes)?;
                let (title, unit) = (text(bytes)?, text(bytes)?);
                let mut tracks = Vec::new();
                for _ in 0..count {
                    let [parent, kind, has_id, id, values, stacking] = numbers(bytes)?;
                    tracks.push(TrackDef {
                        parent: parent.checked_sub(1).map(u32::try_from).transpose().ok()?,
                        id: (has_id != 0).then_some(id as i64),
                        values: variant(&VALUE_KINDS, values)?,
                        stacking: variant(&STACKINGS, stacking)?,
                        detail: text(bytes)?,
                        ..TrackDef::new(variant(&TRACK_KINDS, kind)?, text(bytes)?)
                    });
                }
                let parts = all(bytes, |[table, track, depth, first, len], _| {
                    let (track, depth) = (track.try_into().ok()?, depth.try_into().ok()?);
                    Some(Part { table: variant(&TABLES, table)?, track, depth, first, len })
                })?;
                let frequency = Some(frequency).filter(|it| *it > 0);
                Self::Head(Head { title, frequency, unit, origin, end, tracks }, parts)
            }
            What::Names => Self::Names(all(bytes, |[kind, tag, bits], bytes| {
                let key = match tag {
                    0 => Key::None,
                    1 => Key::Id(bits as i64),
                    2 => Key::Address(bits),
                    3 => Key::Statement(bits),
                    _ => return None,
                };
                Some(Name { text: text(bytes)?, kind: variant(&SLICE_KINDS, kind)?, key })
            })?),
            What::Rows(Table::Slices) => {
                Self::Slices(all(bytes, |[row, parent, depth, start, end, name, flags, locator], _| {
                    let (depth, name) = (depth.try_into().ok()?, name.try_into().ok()?);
                    let (parent, flags) = (parent.checked_sub(1), flags.try_into().ok()?);
                    Some(Slice { row, parent, depth, start, end, name, flags, locator })
                })?)
            }
            What::Rows(Table::Instants) => Self::Instants(all(bytes, |[time, name, locator], _| {
                Some(Instant { time, name: name.try_into().ok()?, locator })
            })?),
            What::Rows(Table::Counters) => Self::Samples(all(bytes, |[time, tag, bits], _| {
                let value = match tag {
                    0 => Number::Int(bits as i64),
                    1 => Number::Unsigned(bits),
                    2 => Number::Real(f64::from_bits(bits)),
                    _ => return None,
                };
                Some(Sample { time, value })
            })?),
        })
    }
}

fn put_head(out: &mut Vec<u8>, head: &Head, parts: &[Part]) {
    let Head { title, frequency, unit, origin, end, tracks } = head;
    put(out, &[frequency.unwrap_or(0), *origin, *end, tracks.len() as u64]);
    put_text(out, title);
    put_text(out, unit);
    for track in tracks {
        let (kind, values, stacking) = (track.kind as u64, track.values as u64, track.stacking as u64);
        let parent = track.parent.map_or(0, |parent| u64::from(parent) + 1);
        let (has_id, id) = (track.id.is_some().into(), track.id.unwrap_or(0) as u64);
        put(out, &[parent, kind, has_id, id, values, stacking]);
        put_text(out, &track.detail);
        put_text(out, &track.name);
    }
    for part in parts {
        put(out, &[part.table as u64, part.track.into(), part.depth.into(), part.first, part.len]);
    }
}

fn put_name(out: &mut Vec<u8>, Name { text, kind, key }: &Name) {
    let (tag, bits) = match *key {
        Key::None => (0, 0),
        Key::Id(id) => (1, id as u64),
        Key::Address(bits) => (2, bits),
        Key::Statement(bits) => (3, bits),
    };
    put(out, &[*kind as u64, tag, bits]);
    put_text(out, text);
}

fn put_slice(out: &mut Vec<u8>, it: &Slice) {
    let parent = it.parent.map_or(0, |row| row + 1);
    put(out, &[it.row, parent, it.depth.into(), it.start, it.end, it.name.into(), it.flags.into(), it.locator]);
}

fn put_instant(out: &mut Vec<u8>, it: &Instant) {
    put(out, &[it.time, it.name.into(), it.locator]);
}

fn put_sample(out: &mut Vec<u8>, it: &Sample) {
    let (tag, bits) = match it.value {
        Number::Int(number) => (0, number as u64),
        Number::Unsigned(number) => (1, number),
        Number::Real(number) => (2, number.to_bits()),
    };
    put(out, &[it.time, tag, bits]);
}

// A call: in line at each of its places it would make the module of the session larger.
#[inline(never)]
fn put(out: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, &[text.len() as u64]);
    out.extend_from_slice(text.as_bytes());
}

fn numbers<const N: usize>(bytes: &mut &[u8]) -> Option<[u64; N]> {
    let mut all = [0; N];
    for number in &mut all {
        let (first, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        *number = u64::from_le_bytes(*first);
    }
    Some(all)
}

fn text(bytes: &mut &[u8]) -> Option<String> {
    let [len] = numbers(bytes)?;
    let (text, rest) = bytes.split_at_checked(usize::try_from(len).ok()?)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}

/// All that is left, each from its numbers and what follows them.
fn all<const N: usize, T>(bytes: &mut &[u8], one: impl Fn([u64; N], &mut &[u8]) -> Option<T>) -> Option<Vec<T>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        found.push(one(numbers(bytes)?, bytes)?);
    }
    Some(found)
}

/// The names of a store as they are shown, from a number on.
pub fn names(store: &Store, first: u32) -> impl Iterator<Item = Name> {
    (first..).zip(store.names().iter().skip(first as usize)).map(|(number, text)| {
        let (kind, key) = store.key(number);
        Name { text: text.clone(), kind, key }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crosses_is_the_same_on_the_other_side() {
        for (what, range) in WHATS.into_iter().zip([None, Some((0, 7)), None, Some((5, u64::MAX)), None]) {
            let ask = Ask { what, range, first: u64::MAX, most: 9 };
            assert_eq!(Ask::from_bytes(&ask.to_bytes()), Some(ask));
        }
        let track = |kind, name| TrackDef { parent: Some(u32::MAX - 1), ..TrackDef::new(kind, name) };
        let mut tracks = TRACK_KINDS.map(|kind| track(kind, kind.word())).to_vec();
        tracks.extend(VALUE_KINDS.map(|values| TrackDef {
            values,
            detail: "int".into(),
            ..TrackDef::new(TrackKind::Counter, "")
        }));
        tracks.extend(STACKINGS.map(|stacking| TrackDef { stacking, id: Some(-1), ..track(TrackKind::Lane, "é") }));
        let (title, unit) = ("XRay 5".to_string(), "tick".to_string());
        let head = Head { title, frequency: Some(u64::MAX), unit, origin: 1, end: 1 << 63, tracks };
        let parts = TABLES.map(|table| Part { table, track: 1, depth: 2, first: 3, len: 4 }).to_vec();
        let mut names = SLICE_KINDS.map(|kind| Name { text: kind.word().into(), kind, key: Key::None }).to_vec();
        for key in [Key::Id(-3), Key::Address(u64::MAX), Key::Statement(1 << 40)] {
            names.push(Name { key, ..Name::default() });
        }
        let nested = Slice { row: 1 << 40, parent: Some(0), depth: 9, start: 4, end: u64::MAX, ..Slice::default() };
        let slices = vec![Slice { name: u32::MAX, flags: 255, locator: 1 << 63, ..nested }, Slice::default()];
        let values = [Number::Int(-7), Number::Unsigned(u64::MAX), Number::Real(-0.5)];
        let answers = [
            (What::Head, Answer::Head(head.clone(), parts)),
            (What::Head, Answer::Head(Head { frequency: None, ..head }, Vec::new())),
            (What::Names, Answer::Names(names)),
            (What::Rows(Table::Slices), Answer::Slices(slices)),
            (What::Rows(Table::Instants), Answer::Instants(vec![Instant { time: 8, name: 7, locator: u64::MAX }])),
            (What::Rows(Table::Counters), Answer::Samples(values.map(|value| Sample { time: 6, value }).to_vec())),
        ];
        for (what, answer) in answers {
            let bytes = answer.to_bytes();
            assert_eq!(Answer::from_bytes(what, &bytes).as_ref(), Some(&answer));
            assert_eq!(Answer::from_bytes(what, &bytes[..bytes.len() - 1]), None, "the last byte is missing");
        }
    }
}
