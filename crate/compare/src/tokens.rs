//! Records as tokens: numbers that are equal where records are the same.
//!
//! A [`Tokens`] is a visitor of a pass over all records of a trace. It writes down what makes a
//! record the same as another ([`Same`]), and asks [`Contents`], which both traces share, for the
//! number of that.

use std::borrow::BorrowMut;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use unspool_trace::records::{RecordName, Same};
use unspool_trace::{FieldValue, Lane, Record, TrackId, Visitor};

use crate::positions::Positions;

/// Bytes of contents that are kept. What comes after is known by 128 bits of hash.
const MOST_KEPT: usize = 48 << 20;

/// What records say, numbered in the order in which it is first seen.
///
/// Contents are kept and compared, so that those with equal hashes are told apart. Only of those
/// that are seen first when 48 MB are kept is a hash of 128 bits kept instead.
#[derive(Debug, Default)]
pub struct Contents {
    numbers: HashTable<u32>,
    /// Where each ends in `bytes`.
    ends: Vec<usize>,
    bytes: Vec<u8>,
    hashers: [RandomState; 2],
}

impl Contents {
    /// The number of contents.
    pub fn number(&mut self, content: &[u8]) -> u32 {
        let [first, second] = &self.hashers;
        let hash = first.hash_one(content);
        if let Some(number) = self.find(hash, content) {
            return number;
        }
        let mut digest = [0xFF; 17];
        let mut kept = content;
        if self.bytes.len() + content.len() > MOST_KEPT && content.len() > digest.len() {
            digest[1..9].copy_from_slice(&hash.to_le_bytes());
            digest[9..].copy_from_slice(&second.hash_one(content).to_le_bytes());
            kept = &digest;
            if let Some(number) = self.find(hash, kept) {
                return number;
            }
        }
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(kept);
        self.ends.push(self.bytes.len());
        let (ends, bytes) = (&self.ends, &self.bytes);
        self.numbers.insert_unique(hash, number, |number| {
            let content = content_of(ends, bytes, *number);
            // A digest holds the hash of what it stands for.
            match content.strip_prefix(&[0xFF]).and_then(|digest| digest.first_chunk()) {
                Some(hash) => u64::from_le_bytes(*hash),
                None => first.hash_one(content),
            }
        });
        number
    }

    fn find(&self, hash: u64, content: &[u8]) -> Option<u32> {
        self.numbers.find(hash, |number| content_of(&self.ends, &self.bytes, *number) == content).copied()
    }

    /// The contents by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|number| content_of(&self.ends, &self.bytes, number))
    }
}

fn content_of<'b>(ends: &[usize], bytes: &'b [u8], number: u32) -> &'b [u8] {
    let number = number as usize;
    let from = number.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    bytes.get(from..ends.get(number).copied().unwrap_or(from)).unwrap_or_default()
}

/// Numbers the records of each thread, from 0, in the order of its lane: records of a thread that
/// has a lane of its own may come out of order.
#[derive(Debug, Default)]
pub struct Numbering {
    /// Which lanes have the records of one thread alone, all of which count.
    own: Vec<bool>,
    next: BTreeMap<TrackId, u64>,
}

impl Numbering {
    /// Of the records of some lanes that count by `same`.
    #[must_use]
    pub fn new(lanes: &[Lane], same: &Same) -> Self {
        let own = lanes.iter().map(|lane| lane.track.is_some() && same.of.is_none());
        Self { own: own.collect(), next: BTreeMap::new() }
    }

    /// The number of a record that counts, once: by its lane and its row there. Without them, it is
    /// the next one of its track.
    pub fn take(&mut self, track: TrackId, place: Option<(u32, u64)>) -> u64 {
        if let Some((lane, row)) = place
            && self.own.get(lane as usize).copied().unwrap_or_default()
        {
            return row;
        }
        let next = self.next.entry(track).or_default();
        *next += 1;
        *next - 1
    }
}

/// The records of a thread, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sequence {
    /// A token for each.
    pub tokens: Vec<u32>,
    /// Position of the first record on the x axis.
    pub begin: u64,
    /// Where they are on the x axis.
    pub positions: Positions,
}

/// No record has been seen here yet.
const HOLE: u32 = u32::MAX;

/// The tokens of a trace.
pub struct Tokens<C, S> {
    same: Same,
    /// The contents of blobs count, too, not just their lengths, which is all that the text of a
    /// call has.
    with_blobs: bool,
    contents: C,
    named: HashMap<i64, S>,
    numbering: Numbering,
    sequences: BTreeMap<TrackId, Sequence>,
    content: Vec<u8>,
    /// Of the present record: its track, its lane and row, and its position.
    at: (TrackId, Option<(u32, u64)>, u64),
    /// How many lists and structures are open, and in how many of them all counts.
    depth: usize,
    inside: usize,
    is_wanted: bool,
}

impl<C: BorrowMut<Contents>, S: AsRef<str>> Tokens<C, S> {
    /// For the records of some lanes. Both traces must share `contents`, or their tokens must be
    /// made those of one. `named` has the names of ids that have one.
    pub fn new(same: Same, with_blobs: bool, lanes: &[Lane], contents: C, named: HashMap<i64, S>) -> Self {
        Self {
            same,
            with_blobs,
            contents,
            named,
            numbering: Numbering::new(lanes, &same),
            sequences: BTreeMap::new(),
            content: Vec::new(),
            at: (0, None, 0),
            depth: 0,
            inside: 0,
            is_wanted: false,
        }
    }

    /// A run of a block: its address, its bytes and how many instructions of it were executed.
    pub fn run(&mut self, track: TrackId, x: u64, address: u64, bytes: &[u8], instructions: u64) {
        self.content.clear();
        self.number(15, address);
        self.number(15, instructions);
        self.write(15, bytes);
        self.at = (track, None, x);
        self.add();
    }

    /// The sequences by their tracks, and what their tokens stand for.
    #[must_use]
    pub fn finish(self) -> (BTreeMap<TrackId, Sequence>, C) {
        let mut sequences = self.sequences;
        for sequence in sequences.values_mut() {
            sequence.tokens.retain(|token| *token != HOLE);
        }
        (sequences, self.contents)
    }

    fn add(&mut self) {
        let token = self.contents.borrow_mut().number(&self.content);
        let (track, place, x) = self.at;
        let row = usize::try_from(self.numbering.take(track, place)).unwrap_or(usize::MAX);
        let sequence = self.sequences.entry(track).or_insert_with(|| Sequence { begin: x, ..Sequence::default() });
        sequence.begin = sequence.begin.min(x);
        sequence.positions.put(row, x);
        if row >= sequence.tokens.len() {
            sequence.tokens.resize(row + 1, HOLE);
        }
        if let Some(place) = sequence.tokens.get_mut(row) {
            *place = token;
        }
    }

    fn write(&mut self, kind: u8, bytes: &[u8]) {
        put(&mut self.content, kind, bytes);
    }

    fn number(&mut self, kind: u8, bits: u64) {
        self.content.push(kind);
        self.content.extend_from_slice(&bits.to_le_bytes());
    }

    fn value(&mut self, value: FieldValue<'_>) {
        match value {
            FieldValue::Null => self.content.push(0),
            FieldValue::Bool(is) => self.number(1, is.into()),
            FieldValue::U64(number) => self.number(2, number),
            FieldValue::I64(number) | FieldValue::Id(number) => self.number(3, number as u64),
            FieldValue::Hex(number) => self.number(4, number),
            FieldValue::F32(number) => self.number(5, number.to_bits().into()),
            FieldValue::F64(number) => self.number(6, number.to_bits()),
            FieldValue::Text(text) => self.write(7, text.as_bytes()),
            FieldValue::Symbol { name, value } => {
                self.write(8, name.as_bytes());
                self.value(*value);
            }
            FieldValue::Bytes { bytes, len } => {
                self.number(9, len);
                if self.with_blobs {
                    self.write(9, bytes);
                }
            }
            FieldValue::Code { address, bytes, .. } => {
                self.number(10, address);
                self.write(10, bytes);
            }
        }
    }
}

impl<C: BorrowMut<Contents>, S: AsRef<str>> Visitor for Tokens<C, S> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.content.clear();
        (self.depth, self.inside) = (0, 0);
        self.at = (record.track, Some((record.lane, record.row)), record.x);
        self.is_wanted = self.same.of.is_none();
        if self.same.name {
            match record.name {
                RecordName::None => self.content.push(0),
                RecordName::Text(text) => self.write(1, text.as_bytes()),
                RecordName::Id(id) => match self.named.get(&id) {
                    Some(name) => put(&mut self.content, 1, name.as_ref().as_bytes()),
                    None => self.number(2, id as u64),
                },
            }
        }
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if self.depth == 0 {
            self.is_wanted |= self.same.of == Some(key);
            if !self.same.fields.contains(&key) {
                return;
            }
        } else if self.inside == 0 {
            return;
        }
        self.write(11, key.as_bytes());
        self.value(value);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        self.depth += 1;
        if self.inside > 0 || self.depth == 1 && self.same.fields.contains(&key) {
            self.inside += 1;
            self.write(12 + u8::from(is_list), key.as_bytes());
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.inside > 0 {
            self.inside -= 1;
            self.content.push(14);
        }
    }

    fn end(&mut self) {
        if self.is_wanted {
            self.add();
        }
    }
}

/// The beginning of what a token stands for that records which differ in arguments only share: the
/// name and the texts that come before anything else, or without these the first field.
#[must_use]
pub fn stem_of(content: &[u8]) -> &[u8] {
    let mut end = 0;
    while let Some(size) = content.get(end..).and_then(stem_part) {
        end += size;
    }
    if end == 0 {
        // Of an instruction its address counts, not its bytes.
        let key = content.first().map_or(0, |kind| if *kind == 11 { text_size(content).unwrap_or(0) } else { 0 });
        end = key + 9;
    }
    content.get(..end).unwrap_or(content)
}

/// The size of a name, or of a field with a text, at the beginning.
fn stem_part(content: &[u8]) -> Option<usize> {
    match content.first()? {
        1 => text_size(content),
        2 => Some(9),
        11 => {
            let key = text_size(content)?;
            let value = content.get(key..)?;
            match value.first()? {
                7 => Some(key + text_size(value)?),
                // A symbol has its number behind its name.
                8 => Some(key + text_size(value)? + 9),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The size of a kind, a length, and as many bytes.
fn text_size(content: &[u8]) -> Option<usize> {
    let length = u32::from_le_bytes(*content.get(1..)?.first_chunk()?);
    Some(5 + length as usize)
}

fn put(content: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    content.push(kind);
    content.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    content.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;

    const SAME: Same = Same { name: true, fields: &["kind", "args"], of: None, threads_by_id: true };

    fn record(row: u64, name: RecordName<'_>) -> Record<'_> {
        Record { lane: 0, row, x: 100 + row, track: 4, locator: Locator::at(row), name }
    }

    fn visit(
        tokens: &mut Tokens<&mut Contents, &str>,
        row: u64,
        name: RecordName<'_>,
        fields: &[(&str, FieldValue<'_>)],
    ) {
        assert!(tokens.begin(&record(row, name)));
        for (key, value) in fields {
            tokens.field(key, *value);
        }
        tokens.end();
    }

    fn lane(track: Option<TrackId>) -> Vec<Lane> {
        vec![Lane { track, rows: 9, ..Lane::default() }]
    }

    #[test]
    fn records_are_the_same_by_the_parts_that_count() {
        let mut contents = Contents::default();
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, false, &lane(None), &mut contents, HashMap::new());
        let blob = |bytes: &'static [u8]| FieldValue::Bytes { bytes, len: 2 };
        visit(&mut tokens, 0, RecordName::Text("a"), &[("cpu", FieldValue::U64(1)), ("kind", blob(b"xy"))]);
        visit(&mut tokens, 1, RecordName::Text("a"), &[("cpu", FieldValue::U64(2)), ("kind", blob(b"zz"))]);
        visit(&mut tokens, 2, RecordName::Text("b"), &[("kind", blob(b"xy"))]);
        for value in [1, 2, 1] {
            tokens.begin(&record(3, RecordName::Text("a")));
            tokens.open("other", false);
            tokens.field("kind", FieldValue::U64(9));
            tokens.close();
            tokens.open("args", false);
            tokens.field("x", FieldValue::I64(value));
            tokens.close();
            tokens.end();
        }
        let (found, _) = tokens.finish();
        assert_eq!((&found[&4].tokens[..], found[&4].begin), (&[0, 0, 1, 2, 3, 2][..], 100));
        assert_eq!(found[&4].positions.every(), [100, 101, 102, 103, 103, 103]);
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, true, &lane(None), &mut contents, HashMap::new());
        visit(&mut tokens, 0, RecordName::Text("a"), &[("kind", blob(b"xy"))]);
        visit(&mut tokens, 1, RecordName::Text("a"), &[("kind", blob(b"zz"))]);
        assert_eq!(tokens.finish().0[&4].tokens, [4, 5]);
    }

    #[test]
    fn ids_are_the_same_by_their_names() {
        let mut contents = Contents::default();
        let mut tokens: Tokens<_, &str> =
            Tokens::new(SAME, false, &lane(None), &mut contents, HashMap::from([(7, "main")]));
        visit(&mut tokens, 0, RecordName::Id(7), &[]);
        visit(&mut tokens, 1, RecordName::Text("main"), &[]);
        visit(&mut tokens, 2, RecordName::Id(8), &[]);
        assert_eq!(tokens.finish().0[&4].tokens, [0, 0, 1]);
    }

    #[test]
    fn the_records_of_a_thread_are_in_its_order() {
        let mut contents = Contents::default();
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, false, &lane(Some(4)), &mut contents, HashMap::new());
        for row in [2, 3, 0] {
            visit(&mut tokens, row, RecordName::Id(row as i64), &[]);
        }
        let (found, _) = tokens.finish();
        assert_eq!((&found[&4].tokens[..], found[&4].begin), (&[2, 0, 1][..], 100));
        assert_eq!(found[&4].positions.every(), [100, u64::MAX, 102, 103]);
    }

    #[test]
    fn records_without_the_field_are_left_out() {
        let mut contents = Contents::default();
        let same = Same { of: Some("kind"), ..SAME };
        let mut tokens: Tokens<_, &str> = Tokens::new(same, false, &lane(Some(4)), &mut contents, HashMap::new());
        visit(&mut tokens, 0, RecordName::None, &[]);
        visit(&mut tokens, 1, RecordName::None, &[("kind", FieldValue::Null)]);
        assert_eq!(tokens.finish().0[&4].tokens, [0]);
    }

    #[test]
    fn records_that_differ_in_arguments_share_a_stem() {
        let stem = |name: RecordName<'_>, fields: &[(&str, FieldValue<'_>)]| {
            let mut contents = Contents::default();
            let same = Same { fields: &["kind", "address", "instruction"], ..SAME };
            let mut tokens: Tokens<_, &str> = Tokens::new(same, false, &lane(None), &mut contents, HashMap::new());
            visit(&mut tokens, 0, name, fields);
            drop(tokens);
            let content = contents.iter().next().unwrap_or_default();
            stem_of(content).to_vec()
        };
        let [one, two] = [FieldValue::U64(1), FieldValue::U64(2)];
        let f = RecordName::Text("f");
        assert_eq!(stem(f, &[("address", one)]), stem(f, &[("address", two)]));
        assert_ne!(stem(f, &[("address", one)]), stem(RecordName::Text("g"), &[("address", one)]));
        assert_ne!(stem(RecordName::Id(7), &[]), stem(RecordName::Id(8), &[]));
        let kind = |text: &'static str| ("kind", FieldValue::Text(text));
        assert_eq!(stem(f, &[kind("enter"), ("address", one)]), stem(f, &[kind("enter"), ("address", two)]));
        assert_ne!(stem(f, &[kind("enter")]), stem(f, &[kind("exit")]));
        // Without a name: of steps, by the address.
        let code = |bytes: &'static [u8]| ("instruction", FieldValue::Code { isa: "x86", address: 1, bytes });
        let step = |address, bytes: &'static [u8]| {
            let mut content = Vec::new();
            put(&mut content, 11, b"address");
            content.push(4);
            content.extend_from_slice(&u64::to_le_bytes(address));
            put(&mut content, 11, bytes);
            stem_of(&content).to_vec()
        };
        assert_eq!(step(1, b"x"), step(1, b"y"));
        assert_ne!(step(1, b"x"), step(2, b"x"));
        assert_eq!(stem(f, &[code(b"x")]), stem(f, &[code(b"y")]));
        // Not one that is cut off, nor what stands for a hash.
        for content in [&[1, 200, 0, 0, 0, 7][..], &[11, 1, 0, 0, 0], &[0xFF; 17], &[]] {
            assert!(stem_of(content).len() <= content.len());
        }
    }

    #[test]
    fn beyond_the_limit_contents_are_known_by_a_hash() {
        let mut contents = Contents::default();
        let long = |n: u32| [&n.to_le_bytes()[..], &[7; 1 << 20]].concat();
        let numbers: Vec<u32> = (0..60).map(|n| contents.number(&long(n))).collect();
        assert_eq!(numbers, (0..60).collect::<Vec<_>>());
        assert_eq!((0..60).map(|n| contents.number(&long(n))).collect::<Vec<_>>(), numbers);
        assert!(contents.bytes.len() < MOST_KEPT + 1024);
        assert_eq!(contents.number(b"short"), 60);
        assert_eq!(contents.iter().count(), 61);
    }
}
