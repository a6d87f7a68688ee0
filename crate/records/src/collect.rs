//! The records at which something happens, with a number of each: what derived tracks are made of.

use std::collections::HashMap;

use unspool_trace::printed::{printed, put_quoted};
use unspool_trace::records::RecordName;
use unspool_trace::{FieldValue, Operand, Record, Use, Visitor};

/// Most records that are collected: 60 MB.
const MOST: usize = 1 << 21;

/// Most different texts that are told apart, and most bytes of them.
const MOST_TEXTS: usize = 10_000;
const MOST_BYTES: usize = 16 << 20;

/// Most bytes of a text in its name.
const NAMED: usize = 64;

/// Stands in place of the number of a text where the field has something else.
pub const NO_TEXT: u64 = u64::MAX;

/// Stands in place of the number of a text that came when there were too many to tell apart.
pub const OTHER_TEXT: u64 = u64::MAX - 1;

/// Which records to collect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that execute the instruction at an address.
    Address(u64),
    /// Those with a number in a field.
    Field {
        /// Their name, as a list shows it: one of these. Empty for any.
        names: Vec<String>,
        /// The keys that lead to the field, or its index in a list.
        path: Vec<String>,
    },
    /// Those with a field, which has texts. Their number is that of the text in the field, from 0
    /// on as they come, or [`NO_TEXT`] or [`OTHER_TEXT`].
    Texts {
        /// As those of a field with numbers.
        names: Vec<String>,
        /// As that of a field with numbers.
        path: Vec<String>,
    },
    /// Intervals of a thread whose records have the same number in a field with this key, such as
    /// that of the CPU. The first record of each is collected, and where the last one is.
    Runs(String),
    /// Those that read or write memory at some addresses: `len` bytes from `address` on, at most 8.
    /// Their number is what the memory holds after the record, as soon as all its bytes are known
    /// from records.
    Memory {
        /// Address of the first byte.
        address: u64,
        /// Number of bytes.
        len: u8,
    },
    /// Events with a payload: records with a field `data`. Their number is that of their `type`, or
    /// -1 without one.
    Events,
}

/// How the bits of a number are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NumberKind {
    /// As an unsigned number.
    Unsigned,
    /// As a signed number.
    Signed,
    /// As a floating point number of 64 bits.
    Float,
}

/// Records as columns, in the order of the pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectedColumns {
    /// Absolute position on the x axis.
    pub time: Vec<u64>,
    /// The track of the thread.
    pub track: Vec<u32>,
    /// Where the record is found again.
    pub locator: Vec<u64>,
    /// The number; 0 for an address.
    pub bits: Vec<u64>,
    /// The [`NumberKind`] of the number.
    pub kind: Vec<u8>,
    /// Where the last record of each run is; empty for other records.
    pub until: Vec<u64>,
}

/// A visitor that keeps the wanted records.
#[derive(Debug)]
pub struct Collect {
    wanted: Wanted,
    found: CollectedColumns,
    /// Time, track and locator of the current record.
    record: (u64, u32, u64),
    /// Its number, once found.
    number: Option<(u64, NumberKind)>,
    /// The number of its type, if there is one.
    kind: Option<(u64, NumberKind)>,
    /// What memory holds, as far as it is known, and a bit for each byte that is.
    memory: ([u8; 8], u8),
    /// For each open list or structure, the index of its next field.
    open: Vec<usize>,
    /// How many of them lead to the field.
    matched: usize,
    /// For each track, one more than the index of its latest run; 0 before the first.
    latest: Vec<u32>,
    texts: Texts,
    /// The next piece of the pass.
    pub(super) next: u64,
}

impl Collect {
    /// Has collected nothing yet.
    pub fn new(wanted: Wanted) -> Self {
        let (found, record) = (CollectedColumns::default(), (0, 0, 0));
        Self {
            wanted,
            found,
            record,
            number: None,
            kind: None,
            memory: ([0; 8], 0),
            open: Vec::new(),
            matched: 0,
            latest: Vec::new(),
            texts: Texts::default(),
            next: 0,
        }
    }

    /// The records so far, at most 2^21.
    pub fn found(&self) -> &CollectedColumns {
        &self.found
    }

    /// The records, at most 2^21, and the texts in them by number: in quotation marks, and at most
    /// 64 bytes of each. `None` if no texts are wanted.
    pub fn into_found(self) -> (CollectedColumns, Option<Vec<String>>) {
        let is_of_texts = matches!(self.wanted, Wanted::Texts { .. });
        (self.found, is_of_texts.then_some(self.texts.shown))
    }

    /// Whether a field or part with this key leads to the wanted one. Counts it.
    fn leads(&mut self, key: &str) -> bool {
        let (Wanted::Field { path, .. } | Wanted::Texts { path, .. }) = &self.wanted else { return false };
        let (depth, index) = match self.open.last_mut() {
            Some(next) => {
                *next += 1;
                (self.open.len(), self.open.last().map_or(0, |next| next - 1))
            }
            None => (0, 0),
        };
        let step = path.get(depth).filter(|_| self.matched == depth);
        step.is_some_and(|step| if key.is_empty() { step.parse() == Ok(index) } else { step == key })
    }
}

/// The bits of a number.
fn number_of(value: FieldValue<'_>) -> Option<(u64, NumberKind)> {
    match value {
        FieldValue::U64(v) | FieldValue::Hex(v) => Some((v, NumberKind::Unsigned)),
        FieldValue::Bool(v) => Some((v.into(), NumberKind::Unsigned)),
        FieldValue::I64(v) | FieldValue::Id(v) => Some((v as u64, NumberKind::Signed)),
        FieldValue::F32(v) => Some((f64::from(v).to_bits(), NumberKind::Float)),
        FieldValue::F64(v) => Some((v.to_bits(), NumberKind::Float)),
        FieldValue::Symbol { value, .. } => match *value {
            FieldValue::Symbol { .. } => None,
            inner => number_of(inner),
        },
        _ => None,
    }
}

/// Different texts, with numbers from 0 on.
#[derive(Debug, Default)]
struct Texts {
    known: HashMap<Box<str>, u64>,
    /// Bytes of those that are known.
    bytes: usize,
    /// Their names.
    shown: Vec<String>,
}

impl Texts {
    /// The number of the text that a value is.
    fn number_of(&mut self, value: FieldValue<'_>) -> u64 {
        let text = match value {
            FieldValue::Text(text) => Some(text),
            // As lists show them.
            FieldValue::Bytes { bytes, len } => printed(bytes, len),
            _ => None,
        };
        let Some(text) = text else { return NO_TEXT };
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        if self.shown.len() >= MOST_TEXTS || self.bytes + text.len() > MOST_BYTES {
            return OTHER_TEXT;
        }
        let number = self.shown.len() as u64;
        self.bytes += text.len();
        self.known.insert(text.into(), number);
        let mut name = String::new();
        put_quoted(&mut name, text, NAMED);
        self.shown.push(name);
        number
    }
}

impl Visitor for Collect {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let is_named = match &self.wanted {
            Wanted::Field { names, .. } | Wanted::Texts { names, .. } if !names.is_empty() => {
                names.iter().any(|name| match record.name {
                    RecordName::Text(text) => text == name,
                    RecordName::Id(id) => name.strip_prefix('#').is_some_and(|number| number.parse() == Ok(id)),
                    RecordName::None => false,
                })
            }
            _ => true,
        };
        self.record = (record.x, record.track, record.locator.bits());
        (self.number, self.kind, self.matched) = (None, None, 0);
        self.open.clear();
        // A run that has begun goes on.
        is_named && (self.found.time.len() < MOST || matches!(self.wanted, Wanted::Runs(_)))
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        // Several fields may have one key, such as variables of two types: the first text counts.
        if self.number.is_some_and(|(number, _)| number != NO_TEXT || !matches!(self.wanted, Wanted::Texts { .. })) {
            return;
        }
        match self.wanted {
            Wanted::Address(wanted) => {
                let is_here = match value {
                    FieldValue::Code { address, .. } => address == wanted,
                    FieldValue::Hex(address) => address == wanted && matches!(key, "address" | "pc"),
                    _ => false,
                };
                if is_here && self.open.is_empty() {
                    self.number = Some((0, NumberKind::Unsigned));
                }
            }
            Wanted::Runs(ref wanted) => {
                if key == wanted && self.open.is_empty() {
                    self.number = number_of(value);
                }
            }
            Wanted::Memory { .. } => {}
            // The type precedes the payload.
            Wanted::Events => match (key, value) {
                ("type", value) if self.open.is_empty() => self.kind = number_of(value),
                ("data", _) if self.open.is_empty() => {
                    self.number = self.kind.or(Some((u64::MAX, NumberKind::Signed)));
                }
                _ => {}
            },
            Wanted::Field { ref path, .. } => {
                let is_last = path.len() == self.open.len() + 1;
                if self.leads(key) && is_last {
                    self.number = number_of(value);
                }
            }
            Wanted::Texts { ref path, .. } => {
                let is_last = path.len() == self.open.len() + 1;
                if self.leads(key) && is_last {
                    self.number = Some((self.texts.number_of(value), NumberKind::Unsigned));
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        let &Operand { address: Some(at), value, used: Use::Read | Use::Written, is_big_endian, .. } = operand else {
            return;
        };
        let Wanted::Memory { address, len } = self.wanted else { return };
        let len = usize::from(len).min(8);
        let (bytes, known) = &mut self.memory;
        let mut is_touched = false;
        for (i, slot) in bytes.iter_mut().enumerate().take(len) {
            let here = u128::from(address) + i as u128;
            let of_value = here.checked_sub(at.into()).and_then(|at| value.get(usize::try_from(at).ok()?));
            if let Some(byte) = of_value {
                *slot = *byte;
                *known |= 1 << i;
                is_touched = true;
            }
        }
        if is_touched && known.count_ones() as usize == len {
            let digit = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
            let bytes = bytes.iter().take(len);
            let number = if is_big_endian { bytes.fold(0, digit) } else { bytes.rev().fold(0, digit) };
            self.number = Some((number, NumberKind::Unsigned));
        }
    }

    fn open(&mut self, key: &str, _is_list: bool) {
        if self.leads(key) {
            self.matched += 1;
            if matches!(&self.wanted, Wanted::Texts { path, .. } if path.len() == self.matched) {
                self.number = self.number.or(Some((NO_TEXT, NumberKind::Unsigned)));
            }
        }
        self.open.push(0);
    }

    fn close(&mut self) {
        self.open.pop();
        self.matched = self.matched.min(self.open.len());
    }

    fn end(&mut self) {
        let Some((bits, kind)) = self.number.take() else { return };
        let (time, track, locator) = self.record;
        if matches!(self.wanted, Wanted::Runs(_)) {
            let at = track as usize;
            if self.latest.len() <= at {
                self.latest.resize(at + 1, 0);
            }
            let Some(latest) = self.latest.get_mut(at) else { return };
            let run = (*latest as usize).checked_sub(1);
            if run.and_then(|run| self.found.bits.get(run)) == Some(&bits) {
                if let Some(until) = run.and_then(|run| self.found.until.get_mut(run)) {
                    *until = time.max(*until);
                }
                return;
            }
            if self.found.time.len() >= MOST {
                *latest = 0;
                return;
            }
            self.found.until.push(time);
            *latest = self.found.until.len() as u32;
        }
        self.found.time.push(time);
        self.found.track.push(track);
        self.found.locator.push(locator);
        self.found.bits.push(bits);
        self.found.kind.push(kind as u8);
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Locator;

    use super::*;

    fn play(collect: &mut Collect, x: u64, name: RecordName<'_>, fields: impl FnOnce(&mut dyn Visitor)) {
        let record = Record { locator: Locator::at(x), lane: 0, row: x, x, track: 3, name };
        if collect.begin(&record) {
            fields(collect);
            collect.end();
        }
    }

    #[test]
    fn a_field_is_found_by_its_path() {
        let path = ["args", "size", "1"].map(String::from).to_vec();
        let mut collect = Collect::new(Wanted::Field { names: vec!["draw".into()], path });
        let fields = |size: [i64; 2]| {
            move |v: &mut dyn Visitor| {
                v.field("size", FieldValue::U64(99));
                v.open("args", false);
                v.open("other", true);
                v.field("", FieldValue::U64(7));
                v.field("", FieldValue::U64(8));
                v.close();
                v.open("size", true);
                size.into_iter().for_each(|n| v.field("", FieldValue::I64(n)));
                v.close();
                v.close();
            }
        };
        play(&mut collect, 1, RecordName::Text("draw"), fields([4, -5]));
        play(&mut collect, 2, RecordName::Text("clear"), fields([1, 2]));
        play(&mut collect, 3, RecordName::Text("draw"), fields([6, 7]));
        play(&mut collect, 4, RecordName::Text("draw"), |v| v.field("1", FieldValue::U64(1)));
        let found = collect.found();
        assert_eq!((&found.time, &found.track), (&vec![1, 3], &vec![3, 3]));
        assert_eq!((&found.bits, &found.kind), (&vec![-5i64 as u64, 7], &vec![1, 1]));
        assert_eq!(found.locator, [1, 3].map(|at| Locator::at(at).bits()));
    }

    #[test]
    fn numbers_of_all_kinds_and_records_without_a_name() {
        let mut collect = Collect::new(Wanted::Field { names: vec!["f".into(), "#12".into()], path: vec!["v".into()] });
        let values = [FieldValue::F32(0.5), FieldValue::Bool(true), FieldValue::Hex(u64::MAX), FieldValue::Null];
        for (x, value) in (0..).zip(values) {
            play(&mut collect, x, RecordName::Id(12), |v| v.field("v", value));
        }
        play(&mut collect, 9, RecordName::Id(13), |v| v.field("v", FieldValue::U64(1)));
        play(&mut collect, 10, RecordName::Id(12), |v| {
            let value = FieldValue::U64(3);
            v.field("v", FieldValue::Symbol { name: "THREE", value: &value });
        });
        assert_eq!(collect.found().bits, [0.5f64.to_bits(), 1, u64::MAX, 3]);
        assert_eq!(collect.found().kind, [2, 0, 0, 0]);
    }

    #[test]
    fn texts_have_a_number_each() {
        let path = ["vars", "s"].map(String::from).to_vec();
        let mut collect = Collect::new(Wanted::Texts { names: Vec::new(), path });
        let bytes = |bytes: &'static [u8]| FieldValue::Bytes { bytes, len: bytes.len() as u64 };
        let long = "ü".repeat(40);
        let of: [&[FieldValue<'_>]; 8] = [
            &[bytes(b"a\n")],
            &[FieldValue::Text("b")],
            &[FieldValue::Text("a\n")],
            // Bytes that are not text, or not all there, end what was before.
            &[bytes(b"\xff")],
            &[FieldValue::Bytes { bytes: b"b", len: 9 }],
            &[FieldValue::Text(&long)],
            // A variable of another type may have the same name.
            &[FieldValue::U64(7), bytes(b"b"), FieldValue::Text("c")],
            &[],
        ];
        for (x, values) in (0..).zip(of) {
            play(&mut collect, x, RecordName::None, |v| {
                v.open("vars", false);
                v.field("other", FieldValue::Text("d"));
                values.iter().for_each(|value| v.field("s", *value));
                v.close();
            });
        }
        play(&mut collect, 9, RecordName::None, |v| {
            v.open("vars", false);
            v.open("s", true);
            v.field("", FieldValue::Text("d"));
            v.close();
            v.close();
        });
        let (found, texts) = collect.into_found();
        assert_eq!(found.time, [0, 1, 2, 3, 4, 5, 6, 9]);
        assert_eq!(found.bits, [0, 1, 0, NO_TEXT, NO_TEXT, 2, 1, NO_TEXT]);
        assert_eq!(texts, Some(vec!["\"a\\n\"".into(), "\"b\"".into(), format!("\"{}\"…", "ü".repeat(32))]));
        assert_eq!(Collect::new(Wanted::Events).into_found().1, None);
    }

    #[test]
    fn texts_beyond_the_bounds_are_not_told_apart() {
        let mut texts = Texts::default();
        for number in 0..MOST_TEXTS {
            assert_eq!(texts.number_of(FieldValue::Text(&number.to_string())), number as u64);
        }
        assert_eq!(texts.number_of(FieldValue::Text("more")), OTHER_TEXT);
        assert_eq!(texts.number_of(FieldValue::Text("7")), 7);
        let mut texts = Texts::default();
        assert_eq!(texts.number_of(FieldValue::Text(&"a".repeat(MOST_BYTES))), 0);
        assert_eq!(texts.number_of(FieldValue::Text("b")), OTHER_TEXT);
        assert_eq!(texts.number_of(FieldValue::Text("")), 1);
    }

    #[test]
    fn stretches_with_one_number_are_found_for_each_thread() {
        let mut collect = Collect::new(Wanted::Runs("cpu".into()));
        let cpus = [(1, 3, 0), (2, 3, 0), (3, 5, 0), (4, 3, 1), (5, 5, 0), (6, 3, 0)];
        for (x, track, cpu) in cpus {
            let record = Record { locator: Locator::at(x), lane: 0, row: x, x, track, name: RecordName::Id(7) };
            assert!(collect.begin(&record));
            collect.field("kind", FieldValue::Text("function-enter"));
            collect.field("cpu", FieldValue::Id(cpu));
            collect.end();
        }
        let found = collect.found();
        assert_eq!((&found.time, &found.until), (&vec![1, 3, 4, 6], &vec![2, 5, 4, 6]));
        assert_eq!((&found.track, &found.bits), (&vec![3, 5, 3, 3], &vec![0, 0, 1, 0]));
        assert_eq!(found.locator, [1, 3, 4, 6].map(|at| Locator::at(at).bits()));
    }

    #[test]
    fn events_are_found_with_their_types() {
        let mut collect = Collect::new(Wanted::Events);
        let bytes = FieldValue::Bytes { bytes: b"x", len: 1 };
        play(&mut collect, 1, RecordName::Id(7), |v| v.field("kind", FieldValue::Text("function-enter")));
        play(&mut collect, 2, RecordName::None, |v| {
            v.field("type", FieldValue::Id(9));
            v.field("data", bytes);
        });
        play(&mut collect, 3, RecordName::None, |v| v.field("data", bytes));
        play(&mut collect, 4, RecordName::None, |v| v.field("type", FieldValue::Id(9)));
        assert_eq!((&collect.found().time, &collect.found().bits), (&vec![2, 3], &vec![9, u64::MAX]));
        assert!(collect.found().until.is_empty());
    }

    #[test]
    fn memory_has_a_value_once_all_its_bytes_are_known() {
        let access = |at, value: &'static [u8], used, is_big_endian| {
            let operand = Operand { name: "", address: Some(at), value, is_big_endian, used, taint: None };
            move |v: &mut dyn Visitor| v.operand(&operand)
        };
        for (big, numbers) in [(false, [0x0201, 0x0207, 0x0a09]), (true, [0x0102, 0x0702, 0x090a])] {
            let mut collect = Collect::new(Wanted::Memory { address: 0x11, len: 2 });
            play(&mut collect, 1, RecordName::None, access(0x10, &[9, 1], Use::Read, big));
            play(&mut collect, 2, RecordName::None, access(0x12, &[2, 9], Use::Read, big));
            play(&mut collect, 3, RecordName::None, access(0x13, &[5, 6], Use::Written, big));
            play(&mut collect, 4, RecordName::None, access(0x11, &[8], Use::Tainted, big));
            play(&mut collect, 5, RecordName::None, access(0x11, &[7], Use::Written, big));
            play(&mut collect, 6, RecordName::None, |v| {
                access(0x11, &[7], Use::Read, big)(v);
                access(0x10, &[8, 9, 10, 11], Use::Written, big)(v);
            });
            assert_eq!((&collect.found().time, &collect.found().bits[..]), (&vec![2, 5, 6], &numbers[..]));
        }
        let mut last = Collect::new(Wanted::Memory { address: u64::MAX, len: 8 });
        play(&mut last, 1, RecordName::None, access(u64::MAX, &[1; 8], Use::Read, false));
        assert_eq!(last.found().bits, [0x0101_0101_0101_0101], "bytes beyond 64 bits");
    }

    #[test]
    fn executions_of_an_address() {
        let mut collect = Collect::new(Wanted::Address(0x40));
        let code = |address| FieldValue::Code { isa: "x86-64", address, bytes: &[0x90] };
        play(&mut collect, 1, RecordName::None, |v| v.field("address", FieldValue::Hex(0x40)));
        play(&mut collect, 2, RecordName::None, |v| v.field("instruction", code(0x40)));
        play(&mut collect, 3, RecordName::None, |v| v.field("instruction", code(0x41)));
        play(&mut collect, 4, RecordName::None, |v| {
            v.open("read", false);
            v.field("address", FieldValue::Hex(0x40));
            v.close();
        });
        assert_eq!(collect.found().time, [1, 2]);
    }
}
