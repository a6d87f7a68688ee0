//! Records as tokens: numbers that are equal where records are the same.
//!
//! A [`Tokens`] is a visitor of a pass over all records of a trace. It writes down what makes a
//! record the same as another ([`Same`]), and asks [`Contents`], which both traces share, for the
//! number of that.

use std::borrow::BorrowMut;
use std::collections::{BTreeMap, HashMap};

use unspool_trace::records::{Extent, RecordName, Same};
use unspool_trace::{FieldValue, Lane, Record, TrackId, Visitor};

pub use crate::contents::Contents;
use crate::contents::{KEYS, is_same};
use crate::ignore::{Addresses, Ignore, asks_for_time};
use crate::names::{KNOWN, Known, Names};
use crate::sequence::{LEFT_OUT, Numbering, Part, Sequence};

/// The records of a track that are being read.
struct Track {
    sequence: Sequence,
    /// The number of the record that the first token there is of.
    from: usize,
    expected: usize,
}

impl Track {
    fn new(begin: u64, expected: usize, is_whole: bool) -> Self {
        let sequence = Sequence::new(begin, if is_whole { expected } else { 0 });
        Self { sequence, from: 0, expected }
    }

    /// Adds the tokens that are there to the parts.
    fn part(&mut self, track: TrackId, parts: &mut Vec<Part>) {
        let tokens = std::mem::take(&mut self.sequence.tokens);
        if !tokens.is_empty() {
            let (first, expected) = (self.from as u32, self.expected as u32);
            self.from += tokens.len();
            parts.push(Part { track, first, tokens, expected });
        }
    }
}

/// The tokens of a trace.
pub struct Tokens<C, S> {
    same: Same,
    /// The contents of blobs count, too, not just their lengths, which is all that the text of a
    /// call has.
    with_blobs: bool,
    contents: C,
    names: Names<S>,
    numbering: Numbering,
    /// Of each track but that of the latest record.
    tracks: BTreeMap<TrackId, Track>,
    latest: Option<(TrackId, Track)>,
    /// By the lowest bits of the id and the kind.
    known: Vec<Known>,
    /// What [`Tokens::take_parts`] has not returned yet, and how many tokens. `None`: all are kept.
    parts: Option<Vec<Part>>,
    made: usize,
    /// Of the present record: its track, its lane and row, and its position.
    at: (TrackId, Option<(u32, u64)>, u64),
    /// How many lists and structures are open, and in how many of them all counts.
    depth: usize,
    inside: usize,
    is_wanted: bool,
    ignore: Ignore,
    /// `None`: addresses count as they are.
    addresses: Option<Addresses>,
    /// Of the present record: whether it is left out, whether its numbers tell the time, and where
    /// in `depth` a structure began that does not count.
    is_left_out: bool,
    is_timed: bool,
    ignored_from: Option<usize>,
    /// Whether the latest field or list counts, and so does what limits left out of it.
    counts: bool,
    /// Values of the present record that do not count.
    values_left_out: u64,
    /// Bytes of the content for the name of the record.
    named_by: usize,
    place: Vec<u8>,
}

impl<C: BorrowMut<Contents>, S: AsRef<str>> Tokens<C, S> {
    /// For the records of some lanes. Both traces must share `contents`, or their tokens must be
    /// made those of one. `named` has the names of ids that have one.
    pub fn new(same: Same, with_blobs: bool, lanes: &[Lane], contents: C, named: HashMap<i64, S>) -> Self {
        Self {
            same,
            with_blobs,
            contents,
            names: Names::new(named),
            numbering: Numbering::new(lanes, &same),
            tracks: BTreeMap::new(),
            latest: None,
            known: Vec::new(),
            parts: None,
            made: 0,
            at: (0, None, 0),
            depth: 0,
            inside: 0,
            is_wanted: false,
            ignore: Ignore::default(),
            addresses: None,
            is_left_out: false,
            is_timed: false,
            ignored_from: None,
            counts: false,
            values_left_out: 0,
            named_by: 0,
            place: Vec::new(),
        }
    }

    /// Ignores what rules say, and addresses of modules, which have a path each: they count by what
    /// they are relative to their module.
    #[must_use]
    pub fn ignoring<'p>(self, ignore: Ignore, modules: impl IntoIterator<Item = (u64, &'p str)>) -> Self {
        Self { ignore, addresses: Some(Addresses::new(modules)), ..self }
    }

    /// How many records the trace has, as far as that is known before they are read.
    #[must_use]
    pub fn expected(&self) -> u64 {
        self.numbering.records()
    }

    /// Keeps no tokens: [`Tokens::take_parts`] returns them, and [`Tokens::finish`] what is left.
    #[must_use]
    pub fn in_parts(self) -> Self {
        Self { parts: Some(Vec::new()), ..self }
    }

    /// The tokens that were made since the last time, if there are at least `least`.
    pub fn take_parts(&mut self, least: usize) -> Option<Vec<Part>> {
        let parts = self.parts.as_mut().filter(|_| self.made >= least)?;
        self.made = 0;
        for (track, of) in self.latest.iter_mut().map(|(track, of)| (&*track, of)).chain(&mut self.tracks) {
            of.part(*track, parts);
        }
        Some(std::mem::take(parts))
    }

    /// A run of a block: its address, its bytes and how many instructions of it were executed.
    pub fn run(&mut self, track: TrackId, x: u64, address: u64, bytes: &[u8], instructions: u64) {
        self.contents.borrow_mut().begin();
        (self.is_left_out, self.values_left_out) = (false, 0);
        self.instruction(address);
        self.number(15, instructions);
        self.write(15, bytes);
        self.at = (track, None, x);
        self.add();
    }

    /// The sequences by their tracks, and what their tokens stand for.
    #[must_use]
    pub fn finish(self) -> (BTreeMap<TrackId, Sequence>, C) {
        let is_whole = self.parts.is_none();
        let sequences = self.tracks.into_iter().chain(self.latest).map(|(track, Track { mut sequence, .. })| {
            if is_whole {
                sequence.leave_out();
            } else {
                sequence.left_out.sort_unstable();
            }
            (track, sequence)
        });
        (sequences.collect(), self.contents)
    }

    fn add(&mut self) {
        let token = if self.is_left_out { LEFT_OUT } else { self.contents.borrow_mut().finish() };
        self.put(token);
    }

    /// Adds the token of the present record.
    #[inline]
    fn put(&mut self, token: u32) {
        let (track, place, x) = self.at;
        let row = usize::try_from(self.numbering.take(track, place)).unwrap_or(usize::MAX);
        if self.latest.as_ref().is_none_or(|(latest, _)| *latest != track) {
            self.tracks.extend(self.latest.take());
            let known = self.tracks.remove(&track);
            let (numbering, is_whole) = (&mut self.numbering, self.parts.is_none());
            self.latest = Some((track, known.unwrap_or_else(|| Track::new(x, numbering.expected(track), is_whole))));
        }
        let Some((_, Track { sequence, from, .. })) = &mut self.latest else { return };
        sequence.begin = sequence.begin.min(x);
        sequence.positions.put(row, x);
        if !self.is_left_out {
            sequence.values_left_out += self.values_left_out;
        }
        if row == *from + sequence.tokens.len() && !self.is_left_out {
            sequence.tokens.push(token);
            self.made += 1;
            return;
        }
        self.add_apart(row, token);
    }

    /// Adds the token of a record that does not follow the latest one of its track, or is left out.
    #[inline(never)]
    fn add_apart(&mut self, row: usize, token: u32) {
        let Some((track, of)) = &mut self.latest else { return };
        let Some(parts) = &mut self.parts else {
            of.sequence.put(row, &[token]);
            return;
        };
        if self.is_left_out {
            of.sequence.left_out.push(row as u32);
        }
        if row != of.from + of.sequence.tokens.len() {
            of.part(*track, parts);
            of.from = row;
        }
        of.sequence.tokens.push(token);
        self.made += 1;
    }

    /// Whether a key of the present record is that of an argument, of a part of one, or of the
    /// result.
    fn is_argument(&self, key: &str) -> bool {
        self.depth > 0 || key == "ret"
    }

    /// What stands for the key of a field of the record itself, if that counts.
    #[inline]
    fn counted(&self, key: &str) -> Option<u8> {
        let mut numbered = self.same.fields.iter().zip(KEYS..);
        numbered.find_map(|(field, number)| is_same(field.as_bytes(), key.as_bytes()).then_some(number))
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        self.contents.borrow_mut().put_byte(byte);
    }

    #[inline]
    fn write(&mut self, kind: u8, bytes: &[u8]) {
        self.contents.borrow_mut().put_text(kind, bytes);
    }

    #[inline]
    fn number(&mut self, kind: u8, bits: u64) {
        self.contents.borrow_mut().put_number(kind, bits);
    }

    /// In place of a value that does not count.
    fn leave_out(&mut self, kind: u8) {
        self.byte(kind);
        self.values_left_out += 1;
    }

    /// The address of an instruction, by its module if that is known.
    fn instruction(&mut self, address: u64) {
        match self.addresses.as_ref().map(|addresses| addresses.within(address)) {
            Some(Some((module, offset))) => {
                self.contents.borrow_mut().put_text(16, module.as_bytes());
                self.number(16, offset);
            }
            Some(None) if self.ignore.addresses => self.leave_out(19),
            _ => self.number(15, address),
        }
    }

    /// An opaque value, which may be a pointer.
    fn opaque(&mut self, key: &str, value: u64) {
        if let (true, Some(addresses)) = (self.ignore.addresses, &mut self.addresses) {
            self.place.clear();
            let name = self.contents.borrow().written().get(..self.named_by);
            self.place.extend_from_slice(name.unwrap_or_default());
            self.place.extend_from_slice(key.as_bytes());
            if let Some((place, number)) = addresses.pointer(value, &self.place) {
                self.contents.borrow_mut().put_text(18, place);
                self.number(18, number.into());
                return;
            }
        }
        self.number(4, value);
    }

    fn value(&mut self, key: &str, value: FieldValue<'_>) {
        match value {
            _ if self.is_timed && is_number(&value) => self.leave_out(17),
            FieldValue::Null => self.byte(0),
            FieldValue::Bool(is) => self.number(1, is.into()),
            FieldValue::U64(number) => self.number(2, number),
            FieldValue::I64(number) | FieldValue::Id(number) => self.number(3, number as u64),
            FieldValue::Hex(number) if self.depth == 0 && key == "address" => self.instruction(number),
            FieldValue::Hex(number) => self.opaque(key, number),
            FieldValue::F32(number) => self.number(5, number.to_bits().into()),
            FieldValue::F64(number) => self.number(6, number.to_bits()),
            FieldValue::Text(text) => self.write(7, text.as_bytes()),
            FieldValue::Symbol { name, value } => {
                self.write(8, name.as_bytes());
                self.is_timed |= self.ignore.times && asks_for_time(name);
                match *value {
                    FieldValue::Hex(number) => self.number(4, number),
                    FieldValue::U64(number) => self.number(2, number),
                    FieldValue::I64(number) => self.number(3, number as u64),
                    _ => {}
                }
            }
            FieldValue::Bytes { bytes, len } => {
                self.number(9, len);
                if self.with_blobs {
                    self.write(9, bytes);
                }
            }
            FieldValue::Code { address, bytes, .. } => {
                self.instruction(address);
                self.write(10, bytes);
            }
        }
    }
}

impl<C: BorrowMut<Contents>, S: AsRef<str>> Visitor for Tokens<C, S> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.contents.borrow_mut().begin();
        (self.depth, self.inside) = (0, 0);
        self.at = (record.track, Some((record.lane, record.row)), record.x);
        self.is_wanted = self.same.of.is_none();
        (self.is_left_out, self.is_timed, self.ignored_from, self.counts) = (false, false, None, true);
        self.values_left_out = 0;
        if self.same.name {
            match record.name {
                RecordName::None => self.byte(0),
                RecordName::Text(text) => self.write(1, text.as_bytes()),
                RecordName::Id(id) => match self.names.get(id) {
                    Some(name) => self.contents.borrow_mut().put_text(1, name.as_ref().as_bytes()),
                    None => self.number(2, id as u64),
                },
            }
        }
        if self.ignore.has_names() {
            self.is_left_out = match record.name {
                RecordName::None => self.ignore.name(""),
                RecordName::Text(text) => self.ignore.name(text),
                RecordName::Id(id) => match self.names.get(id) {
                    Some(name) => self.ignore.name(name.as_ref()),
                    None => self.ignore.name(&format!("#{id}")),
                },
            };
        }
        self.named_by = self.contents.borrow().written().len();
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.counts = false;
        if self.depth == 0 {
            self.is_wanted |= self.same.of.is_some_and(|of| is_same(of.as_bytes(), key.as_bytes()));
            let Some(number) = self.counted(key) else { return };
            self.byte(number);
        } else if self.inside == 0 || self.ignored_from.is_some() {
            return;
        } else {
            self.write(11, key.as_bytes());
        }
        if self.is_argument(key) && self.ignore.argument(key) {
            self.leave_out(17);
            return;
        }
        self.counts = true;
        self.value(key, value);
    }

    fn open(&mut self, key: &str, is_list: bool) {
        let is_ignored = self.is_argument(key) && self.ignore.argument(key);
        self.depth += 1;
        if is_ignored && self.ignored_from.is_none() {
            self.ignored_from = Some(self.depth);
            self.values_left_out += 1;
        }
        if self.ignored_from.is_some() {
            return;
        }
        let kind = 12 + u8::from(is_list);
        if self.inside > 0 {
            self.write(kind, key.as_bytes());
        } else if self.depth == 1
            && let Some(number) = self.counted(key)
        {
            self.byte(kind);
            self.byte(number);
        } else {
            return;
        }
        self.inside += 1;
    }

    fn close(&mut self) {
        if let Some(from) = self.ignored_from {
            self.ignored_from = Some(from).filter(|from| *from < self.depth);
            self.depth = self.depth.saturating_sub(1);
            self.counts = false;
            return;
        }
        self.depth = self.depth.saturating_sub(1);
        self.counts = self.inside > 0;
        if self.inside > 0 {
            self.inside -= 1;
            self.byte(14);
        }
    }

    // With the lengths of blobs alone, what their bytes are does not count, whatever is shown.
    fn extent(&self) -> Extent {
        if self.with_blobs { Extent::Digested } else { Extent::Shown }
    }

    fn left_out(&mut self, [low, high]: [u64; 2]) {
        if self.counts && self.ignored_from.is_none() {
            self.number(20, low);
            self.number(20, high);
        }
    }

    fn end(&mut self) {
        if self.is_wanted {
            self.add();
        }
    }

    // A function that begins or ends without arguments, most of all in a log of calls, is known by
    // its id.
    fn record(&mut self, record: &Record<'_>, kind: &'static str, others: &[(&'static str, FieldValue<'_>)]) {
        let known = match record.name {
            RecordName::Id(id) if self.same.of.is_none() && !self.ignore.has_names() => Known::of(id, kind),
            _ => None,
        };
        let does_not_count = |(key, _): &(&'static str, _)| self.counted(key).is_none();
        let known = known.filter(|_| others.iter().all(does_not_count));
        if let Some((slot, of)) = known
            && let Some(&known) = self.known.get(slot)
            && (known.id, known.kind) == (of.id, of.kind)
        {
            self.at = (record.track, Some((record.lane, record.row)), record.x);
            (self.is_left_out, self.values_left_out) = (false, 0);
            self.contents.borrow_mut().went_on(known.token);
            self.put(known.token);
            return;
        }
        self.begin(record);
        self.field("kind", FieldValue::Text(kind));
        for (key, value) in others {
            self.field(key, *value);
        }
        self.end();
        if let Some((slot, of)) = known {
            if self.known.is_empty() {
                self.known.resize(KNOWN, Known::default());
            }
            if let Some(place) = self.known.get_mut(slot) {
                *place = Known { token: self.contents.borrow().latest(), ..of };
            }
        }
    }
}

fn is_number(value: &FieldValue<'_>) -> bool {
    matches!(value, FieldValue::U64(_) | FieldValue::I64(_) | FieldValue::Hex(_))
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;
    use crate::contents::stem_of;

    const SAME: Same = Same {
        name: true,
        fields: &["kind", "args"],
        full: &["kind", "args"],
        of: None,
        calls: [&["enter"], &["leave"]],
        threads_by_id: true,
    };

    fn record(row: u64, name: RecordName<'_>) -> Record<'_> {
        Record { lane: 0, row, x: 100 + row, track: 4, locator: Locator::at(row), name }
    }

    fn visit(
        tokens: &mut Tokens<impl BorrowMut<Contents>, &str>,
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
        assert_eq!(found[&4].tokens, [0, 0, 1, 2, 3, 2]);
        assert_eq!(found[&4].begin, 100);
        assert_eq!(found[&4].positions.every(), [100, 101, 102, 103, 103, 103]);
        assert_eq!(found[&4].left_out, []);
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, true, &lane(None), &mut contents, HashMap::new());
        visit(&mut tokens, 0, RecordName::Text("a"), &[("kind", blob(b"xy"))]);
        visit(&mut tokens, 1, RecordName::Text("a"), &[("kind", blob(b"zz"))]);
        assert_eq!(tokens.finish().0[&4].tokens, [4, 5]);
    }

    #[test]
    fn what_limits_leave_out_counts_unless_its_field_does_not() {
        let visited = |rules: &[&str], digests: [u64; 3]| {
            let tokens: Tokens<_, &str> = Tokens::new(SAME, true, &lane(None), Contents::default(), HashMap::new());
            let mut tokens = tokens.ignoring(Ignore::parse(rules.iter().copied()).unwrap(), []);
            for at in 0..2 {
                let left_out = |digest: u64| [digest * at, 0];
                tokens.begin(&record(0, RecordName::Text("a")));
                tokens.left_out(left_out(digests[0]));
                tokens.open("args", false);
                tokens.field("x", FieldValue::Bytes { bytes: b"x", len: 9 });
                tokens.left_out(left_out(digests[1]));
                tokens.close();
                tokens.field("other", FieldValue::U64(at));
                tokens.left_out(left_out(digests[2]));
                tokens.end();
            }
            tokens.finish().0[&4].tokens == [0, 0]
        };
        assert!(visited(&[], [0; 3]));
        assert!(!visited(&[], [1, 0, 0]) && !visited(&[], [0, 1, 0]));
        // A field that does not count, and an argument that is ignored.
        assert!(visited(&[], [0, 0, 1]) && visited(&["arg.x"], [0, 1, 0]));
        assert!(!visited(&["arg.x"], [1, 0, 0]));
        // Lengths of blobs need no digests.
        let extent =
            |with_blobs| Tokens::<_, &str>::new(SAME, with_blobs, &[], Contents::default(), HashMap::new()).extent();
        assert_eq!([extent(true), extent(false)], [Extent::Digested, Extent::Shown]);
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
    fn whole_records_have_the_tokens_that_their_fields_give_them() {
        let ids = [(7, "main"), (8, "other"), (9, "main"), (-3, "below")];
        let same = |of: Option<&'static str>| Same { of, ..SAME };
        let cases: [(_, &[&str]); 4] = [(None, &[]), (Some("cpu"), &[]), (Some("event"), &[]), (None, &["name:other"])];
        for (of, rules) in cases {
            let new = || -> Tokens<_, &str> {
                Tokens::new(same(of), false, &lane(None), Contents::default(), HashMap::from(ids))
                    .ignoring(Ignore::parse(rules.iter().copied()).unwrap(), [])
            };
            let (mut whole, mut parts) = (new(), new());
            for n in 0..400_u64 {
                // Ids that share a place among those that are remembered.
                let id = [7, 8, 9, -3, 7 + KNOWN as i64, 55][(n * n % 7) as usize % 6];
                let kind = ["enter", "exit", "tail-exit"][(n % 11) as usize % 3];
                let cpu = [("cpu", FieldValue::Id(n as i64))];
                whole.record(&record(n, RecordName::Id(id)), kind, &cpu);
                visit(&mut parts, n, RecordName::Id(id), &[("kind", FieldValue::Text(kind)), cpu[0]]);
                if n % 5 == 0 {
                    for tokens in [&mut whole, &mut parts] {
                        visit(tokens, n, RecordName::Text("main"), &[("kind", FieldValue::Text("enter"))]);
                    }
                }
            }
            assert_eq!(whole.finish().0, parts.finish().0);
        }
    }

    #[test]
    fn the_records_of_a_thread_are_in_its_order() {
        let mut contents = Contents::default();
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, false, &lane(Some(4)), &mut contents, HashMap::new());
        for row in [2, 3, 0] {
            visit(&mut tokens, row, RecordName::Id(row as i64), &[]);
        }
        let (found, _) = tokens.finish();
        assert_eq!(found[&4].tokens, [2, 0, 1]);
        assert_eq!(found[&4].begin, 100);
        assert_eq!(found[&4].positions.every(), [100, u64::MAX, 102, 103]);
    }

    #[test]
    fn parts_are_the_whole_and_left_out_records_are_in_them() {
        let make = |in_parts: bool| {
            let ignore = Ignore::parse(["name:b"]).unwrap();
            let tokens: Tokens<_, &str> = Tokens::new(SAME, false, &lane(Some(4)), Contents::default(), HashMap::new());
            let tokens = tokens.ignoring(ignore, []);
            let mut tokens = if in_parts { tokens.in_parts() } else { tokens };
            let mut sequence = Sequence::default();
            // The second buffer of the thread comes first.
            for (row, name) in
                [(5, "a"), (6, "b"), (7, "c"), (8, "d"), (0, "b"), (1, "d"), (2, "c"), (3, "a"), (4, "e")]
            {
                tokens.begin(&record(row, RecordName::Text(name)));
                tokens.end();
                for part in tokens.take_parts(3).into_iter().flatten() {
                    assert_eq!((part.track, part.expected), (4, 9));
                    sequence.put(part.first as usize, &part.tokens.as_slice().iter().collect::<Vec<_>>());
                }
            }
            assert_eq!(tokens.take_parts(1), None);
            let mut found = tokens.finish().0.remove(&4).unwrap();
            if in_parts {
                assert_eq!(found.tokens, []);
                assert_eq!(&found.left_out[..], &[0, 6][..]);
                sequence.leave_out();
                (found.tokens, found.left_out) = (sequence.tokens, sequence.left_out);
            }
            found
        };
        assert_eq!(make(true), make(false));
        assert_eq!(make(false).tokens, [2, 1, 0, 3, 0, 1, 2]);
    }

    #[test]
    fn pieces_that_have_records_are_found_by_their_numbers() {
        use unspool_trace::records::Piece;

        let lane = |track, numbers: [u32; 3]| {
            let pieces = numbers.iter().zip([0, 10, 20]).map(|(number, row)| Piece { number: *number, row, x: 0 });
            Lane { track, rows: 30, pieces: pieces.collect(), ..Lane::default() }
        };
        let lanes = [lane(Some(4), [0, 2, 4]), lane(Some(7), [1, 3, 5])];
        let wanted = BTreeMap::from([(4, vec![(9, 11), (20, 21)]), (7, vec![(10, 12)])]);
        let pieces = |lanes: &[Lane], wanted: &BTreeMap<_, _>| -> Vec<(u64, u64)> {
            let numbering = Numbering::new(lanes, &SAME);
            numbering.pieces(lanes, wanted).iter().map(|pieces| (pieces.start, pieces.end)).collect()
        };
        assert_eq!(pieces(&lanes, &wanted), [(0, 1), (2, 5)]);
        assert_eq!(pieces(&lanes, &BTreeMap::from([(4, vec![(30, 33)])])), [(4, 5)]);
        assert_eq!(pieces(&lanes, &BTreeMap::from([(4, vec![])])), []);
        let lanes = [lane(None, [0, 1, 2])];
        assert_eq!(pieces(&lanes, &wanted), [(0, u64::MAX)]);
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
    fn records_without_a_name_share_a_stem_if_they_are_alike() {
        let stem = |name: bool, fields: &[(&str, FieldValue<'_>)]| {
            let mut contents = Contents::default();
            let same = Same { name, fields: &["kind", "address", "instruction"], ..SAME };
            let tokens: Tokens<_, &str> = Tokens::new(same, false, &lane(None), &mut contents, HashMap::new());
            let mut tokens = tokens.ignoring(Ignore::default(), [(0x9000, "/bin/app")]);
            visit(&mut tokens, 0, RecordName::None, fields);
            drop(tokens);
            let content = contents.iter().next().unwrap_or_default();
            stem_of(content).to_vec()
        };
        let kind = |text: &'static str| ("kind", FieldValue::Text(text));
        let [one, two] = [1, 2].map(|number| ("address", FieldValue::U64(number)));
        assert_eq!(stem(true, &[kind("event"), one]), stem(true, &[kind("event"), two]));
        assert_ne!(stem(true, &[kind("event"), one]), stem(true, &[kind("other"), one]));
        // Of steps, by the address, which may be that in a module.
        let step = |address, bytes: &'static [u8]| {
            let code = FieldValue::Code { isa: "x86", address, bytes };
            stem(false, &[("address", FieldValue::Hex(address)), ("instruction", code)])
        };
        for (here, there) in [(0x10, 0x11), (0x9010, 0x9011), (0x10, 0x9010)] {
            assert_eq!(step(here, b"x"), step(here, b"y"));
            assert_ne!(step(here, b"x"), step(there, b"x"));
        }
        // Not one that is cut off, nor what stands for a hash.
        for content in [&[1, 200, 0, 0, 0, 7][..], &[11, 1, 0, 0, 0], &[0xFF; 17], &[0], &[]] {
            assert!(stem_of(content).len() <= content.len());
        }
    }

    /// Makes tokens of calls with arguments.
    fn calls(rules: &[&str], calls: &[(&str, &[(&str, FieldValue<'_>)])]) -> Sequence {
        let mut contents = Contents::default();
        let ignore = Ignore::parse(rules.iter().copied()).unwrap();
        let mut tokens: Tokens<_, &str> = Tokens::new(SAME, true, &lane(None), &mut contents, HashMap::new())
            .ignoring(ignore, [(0x40_0000, "/bin/app")]);
        for (name, args) in calls {
            tokens.begin(&record(0, RecordName::Text(name)));
            tokens.open("args", false);
            for (key, value) in *args {
                tokens.field(key, *value);
            }
            tokens.close();
            tokens.end();
        }
        tokens.finish().0.remove(&4).unwrap_or_default()
    }

    #[test]
    fn records_that_are_left_out_keep_their_numbers() {
        let found = calls(&["name:get*"], &[("a", &[]), ("getX", &[]), ("getY", &[]), ("b", &[]), ("getX", &[])]);
        assert_eq!(found.tokens, [0, 1]);
        assert_eq!(&found.left_out[..], &[1, 2, 4][..]);
        assert_eq!([0, 1, 2].map(|index| found.number(index)), [0, 3, 5]);
        assert_eq!((found.numbers((0, 1)), found.numbers((0, 2)), found.numbers((1, 1))), ((0, 1), (0, 4), (3, 3)));
    }

    #[test]
    fn arguments_pointers_and_times_can_be_ignored() {
        use FieldValue::{Hex, I64, Symbol, U64};
        let pointers: [(&str, &[(&str, FieldValue<'_>)]); 4] = [
            ("new", &[("p", Hex(0x7000_0000))]),
            ("new", &[("p", Hex(0x7000_1000))]),
            ("use", &[("p", Hex(0x7000_1000))]),
            ("use", &[("p", Hex(0x7000_0000))]),
        ];
        assert_eq!(calls(&[], &pointers).tokens, [0, 1, 2, 3]);
        let mut moved = pointers.to_vec();
        moved.extend([("new", &[("p", Hex(0x7000_1000))][..]), ("use", &[("p", Hex(0x7000_0000))])]);
        assert_eq!(calls(&["addresses"], &moved).tokens, [0, 1, 2, 3, 1, 3]);
        let seeds = [("seed", &[("n", I64(1)), ("x", I64(3))][..]), ("seed", &[("n", I64(2)), ("x", I64(3))])];
        assert_eq!(calls(&[], &seeds).tokens, [0, 1]);
        let found = calls(&["arg.n"], &seeds);
        assert_eq!(found.tokens, [0, 0]);
        assert_eq!(found.values_left_out, 2);
        let times =
            |time| [("get", vec![("pname", Symbol { name: "GL_TIMESTAMP", value: &U64(5) }), ("data", I64(time))])];
        let [first, second] = [times(1), times(2)];
        let both = [("get", &first[0].1[..]), ("get", &second[0].1[..])];
        assert_eq!(calls(&["times"], &both).tokens, [0, 0]);
        assert_eq!(calls(&[], &both).tokens, [0, 1]);
    }

    #[test]
    fn instructions_are_the_same_at_the_same_place_of_their_module() {
        const CODE: Same = Same { name: false, fields: &["address", "instruction"], of: None, ..SAME };
        let mut contents = Contents::default();
        let at = |base: u64, path: &str, contents: &mut Contents| {
            let mut tokens: Tokens<_, &str> = Tokens::new(CODE, true, &lane(None), contents, HashMap::new())
                .ignoring(Ignore::default(), [(base, path)]);
            for offset in [0, 4] {
                tokens.begin(&record(0, RecordName::None));
                tokens.field("address", FieldValue::Hex(base + offset));
                let address = base + offset;
                tokens.field("instruction", FieldValue::Code { isa: "x86-64", address, bytes: &[0x90] });
                tokens.end();
            }
            tokens.finish().0.remove(&4).unwrap_or_default().tokens
        };
        assert_eq!(at(0x5000, "/a/app", &mut contents), [0, 1]);
        assert_eq!(at(0x7000, "/b/app", &mut contents), [0, 1]);
        assert_eq!(at(0x7000, "/b/other", &mut contents), [2, 3]);
    }
}
