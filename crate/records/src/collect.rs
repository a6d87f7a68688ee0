//! The records at which something happens, with a number of each: what derived tracks are made of.

use unspool_trace::records::RecordName;
use unspool_trace::{FieldValue, Operand, Record, Use, Visitor};

/// Most records that are collected: 60 MB.
const MOST: usize = 1 << 21;

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
            next: 0,
        }
    }

    /// The records so far, at most 2^21.
    pub fn found(&self) -> &CollectedColumns {
        &self.found
    }

    /// The records, at most 2^21.
    pub fn into_found(self) -> CollectedColumns {
        self.found
    }

    /// Whether a field or part with this key leads to the wanted one. Counts it.
    fn leads(&mut self, key: &str) -> bool {
        let Wanted::Field { path, .. } = &self.wanted else { return false };
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

impl Visitor for Collect {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let is_named = match &self.wanted {
            Wanted::Field { names, .. } if !names.is_empty() => names.iter().any(|name| match record.name {
                RecordName::Text(text) => text == name,
                RecordName::Id(id) => name.strip_prefix('#').is_some_and(|number| number.parse() == Ok(id)),
                RecordName::None => false,
            }),
            _ => true,
        };
        self.record = (record.x, record.track, record.locator.bits());
        (self.number, self.kind, self.matched) = (None, None, 0);
        self.open.clear();
        // A run that has begun goes on.
        is_named && (self.found.time.len() < MOST || matches!(self.wanted, Wanted::Runs(_)))
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if self.number.is_some() {
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
