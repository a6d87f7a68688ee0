//! The sink that passes frames with their fields to a visitor.
//!
//! | frame | name | fields |
//! |---|---|---|
//! | instruction | none | `address`, `thread`, `instruction`, `mode`, `read`, `written`, `taint` if an operand has one |
//! | system call | `system call` | `address`, `thread`, `syscall` (its number), `args` |
//! | exception | `exception` | `thread`, `exception` with `number`, `from`, `to` |
//! | introduction of taint | `taint` | `taint` with a structure for each address: `id`, `value`, `source`, `offset` |
//! | loaded module | `module` | `modload` with `name`, `low`, `high` |
//! | key frame | `key frame` | `key` with a structure for each thread |
//! | other | `unknown frame` | none |
//!
//! The `taint` of an instruction has the structures `read` and `written` with the id of each
//! tainted operand, or `several`. Structures of values have a field for each operand. Its key is
//! the name of a register, or `[0x7ffe10]` for memory. Fields that a frame lacks, empty modes and
//! empty lists are left out. Of an invalid frame, and of one that is too large to be kept, only the
//! address and the thread are known.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use unspool_stacks::isa::Isa;
use unspool_stacks::{syscalls, vectors};
use unspool_trace::Digest;
use unspool_trace::batch::TrackId;
use unspool_trace::locator::Locator;
use unspool_trace::records::{self, Extent, FieldValue, Record, RecordName, Use, Visitor};

use crate::hex::push_hex;

use super::decode::{self, Sink};
use super::index::Index;
use super::instruction;
use super::machine::Machine;
use super::memory_order::MemoryOrder;
use super::records::{Frame, List, Operand, Place, Std, TaintIntro};
use super::to_batch::Lane;

/// Values longer than this, in bytes, are shown as bytes instead of a number.
const MAX_NUMBER: usize = 64;

/// What [`ToVisitor`] keeps from one portion to the next.
pub(super) struct Held<'a> {
    index: &'a Index,
    machine: Machine,
    /// Whether instructions have their most significant byte first.
    big_code: bool,
    memory: MemoryOrder,
    /// Limit in bytes for instructions.
    payload: usize,
    /// Limit in bytes for values that are passed on as bytes: the same, if they are shown.
    limit: usize,
    /// Whether what is not passed on has a digest.
    digests: bool,
    /// Of the bytes of the frame that arrives which are not kept.
    beyond: Option<Digest>,
    /// The latest thread and its track: few traces have more than one.
    thread: Option<(u64, TrackId)>,
    scratch: Scratch,
}

/// Space for texts that are made for a single call of the visitor.
#[derive(Debug, Default)]
struct Scratch {
    key: String,
    text: String,
    value: Vec<u8>,
}

impl<'a> Held<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        let machine = Machine::of(&index.header);
        let payload = usize::try_from(index.payload).unwrap_or(usize::MAX);
        Self {
            index,
            machine,
            big_code: index.order.is_big(machine.isa),
            memory: index.memory_order(),
            payload,
            limit: payload,
            digests: false,
            beyond: None,
            thread: None,
            scratch: Scratch::default(),
        }
    }

    /// The track of a thread, or that of the recording for a thread without one.
    #[inline]
    fn track_of(&mut self, id: u64) -> TrackId {
        if let Some((latest, track)) = self.thread
            && latest == id
        {
            return track;
        }
        let threads = &self.index.threads;
        let found = threads.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|i| threads.get(i));
        let track = found.map_or_else(|| self.lane(Lane::Recording), |(_, track)| *track);
        self.thread = Some((id, track));
        track
    }

    fn lane(&self, lane: Lane) -> TrackId {
        self.index.lanes.get(lane as usize).copied().flatten().unwrap_or(0)
    }

    /// The track of a frame's event in the timeline.
    fn track(&mut self, frame: &Frame<'_>) -> TrackId {
        let thread = match *frame {
            Frame { std: Some(Std { address: Some(_), thread: Some(thread), .. }), .. } => Some(thread),
            Frame { syscall: Some(call), .. } => call.thread,
            Frame { exception: Some(exception), .. } => exception.thread,
            Frame { taint_intro: Some(_), .. } => return self.lane(Lane::Taint),
            Frame { mod_load: Some(_), .. } => return self.lane(Lane::Modules),
            _ => None,
        };
        match thread {
            Some(thread) => self.track_of(thread),
            None => self.lane(Lane::Recording),
        }
    }
}

/// The name of a frame's record.
fn name_of(frame: &Frame<'_>) -> RecordName<'static> {
    RecordName::Text(match frame {
        Frame { std: Some(_), .. } => return RecordName::None,
        Frame { syscall: Some(_), .. } => "system call",
        Frame { exception: Some(_), .. } => "exception",
        Frame { taint_intro: Some(_), .. } => "taint",
        Frame { mod_load: Some(_), .. } => "module",
        Frame { key: Some(_), .. } => "key frame",
        _ => "unknown frame",
    })
}

/// The sink, for one portion.
pub(super) struct ToVisitor<'a, 'b> {
    pub(super) held: &'a mut Held<'b>,
    pub(super) visitor: &'a mut dyn Visitor,
}

impl<'a, 'b> ToVisitor<'a, 'b> {
    pub(super) fn new(held: &'a mut Held<'b>, visitor: &'a mut dyn Visitor) -> Self {
        let extent = visitor.extent();
        // A frame is in memory as a whole, so its values have no digest.
        held.limit = if extent == Extent::Shown { held.payload } else { usize::MAX };
        held.digests = extent == Extent::Digested;
        Self { held, visitor }
    }
}

impl ToVisitor<'_, '_> {
    /// A record begins. Returns whether its fields are wanted.
    #[inline]
    fn begin_record(&mut self, record: decode::Record, track: TrackId, name: RecordName<'_>) -> bool {
        let row = record.index.unwrap_or(0);
        self.visitor.begin(&Record { locator: Locator::at(record.at), lane: 0, row, x: row, track, name })
    }

    /// A frame that is not a usual instruction, or the beginning of a long one.
    fn unusual(&mut self, record: decode::Record, message: &[u8]) {
        let (fields, defect) = record.checked(message);
        let frame = Frame::of(fields);
        let track = self.held.track(&frame);
        let beyond = self.held.beyond.take();
        if !self.begin_record(record, track, name_of(&frame)) {
            return;
        }
        if defect.is_none() && message.len() as u64 == record.len {
            self.kinds(&frame);
        } else {
            let Frame { std, syscall, exception, .. } = frame;
            // The bytes of the instruction are not known.
            if self.held.digests && std.is_some() {
                let mut all = beyond.unwrap_or_default();
                all.write(message);
                self.visitor.left_out(all.finish());
            }
            let others = syscall.and_then(|call| call.thread).or(exception.and_then(|it| it.thread));
            self.place(std.and_then(|std| std.address), std.and_then(|std| std.thread).or(others));
        }
        self.visitor.end();
    }

    /// Passes on an address and a thread.
    #[inline]
    fn place(&mut self, address: Option<u64>, thread: Option<u64>) {
        if let Some(address) = address {
            self.visitor.field("address", FieldValue::Hex(address));
        }
        if let Some(thread) = thread {
            self.visitor.field("thread", id(thread));
        }
    }

    /// Passes on the fields of all kinds that a frame is of.
    fn kinds<'a>(&mut self, frame: &Frame<'a>) {
        let std = frame.std.unwrap_or_default();
        let call = frame.syscall.unwrap_or_default();
        let exception = frame.exception.unwrap_or_default();
        self.place(std.address.or(call.address), std.thread.or(call.thread).or(exception.thread));
        if frame.std.is_some() {
            self.instruction(std.bytes, std.address, std.mode);
            let operands = |list: Option<List<'a>>| list.into_iter().flat_map(List::operands);
            self.instruction_operands(|| operands(std.pre), || operands(std.post));
        }
        let visitor = &mut *self.visitor;
        if frame.syscall.is_some() {
            let isa = self.held.machine.isa;
            let value = call.number.map_or(FieldValue::Null, FieldValue::U64);
            match call.number.and_then(|number| syscalls::name(isa, number)) {
                Some(name) => visitor.field("syscall", FieldValue::Symbol { name, value: &value }),
                None => visitor.field("syscall", value),
            }
            if let Some(list) = call.arguments {
                visitor.open("args", true);
                list.arguments().for_each(|value| visitor.field("", argument(value)));
                visitor.close();
            }
        }
        if frame.exception.is_some() {
            visitor.open("exception", false);
            let value = exception.number.map(FieldValue::U64);
            let name = exception.number.and_then(|number| vectors::name(self.held.machine.isa, number));
            match (name, &value) {
                (Some(name), Some(value)) => visitor.field("number", FieldValue::Symbol { name, value }),
                _ => put(visitor, "number", value),
            }
            put(visitor, "from", exception.from.map(FieldValue::Hex));
            put(visitor, "to", exception.to.map(FieldValue::Hex));
            visitor.close();
        }
        if let Some(load) = frame.mod_load {
            visitor.open("modload", false);
            put_text(visitor, "name", load.name);
            put(visitor, "low", load.low.map(FieldValue::Hex));
            put(visitor, "high", load.high.map(FieldValue::Hex));
            visitor.close();
        }
        if let Some(list) = frame.taint_intro {
            visitor.open("taint", false);
            list.unwrap_or_default().taint_intros().for_each(|intro| self.taint_intro(&intro));
            self.visitor.close();
        }
        if let Some(lists) = frame.key {
            self.visitor.open("key", false);
            for list in lists.unwrap_or_default().tagged_lists() {
                let mut key = core::mem::take(&mut self.held.scratch.key);
                key.clear();
                match list.source.and_then(|source| source.thread) {
                    // Writing to a String cannot fail.
                    Some(thread) => _ = write!(key, "thread {thread}"),
                    None => key.push_str("no thread"),
                }
                self.visitor.open(&key, false);
                self.held.scratch.key = key;
                list.values.unwrap_or_default().values().for_each(|value| {
                    self.operand(&value, Use::Written);
                });
                self.visitor.close();
            }
            self.visitor.close();
        }
    }

    #[inline]
    fn instruction(&mut self, bytes: Option<&[u8]>, address: Option<u64>, mode: Option<&[u8]>) {
        if let Some(bytes) = bytes {
            let Held { machine, big_code, payload, limit, .. } = *self.held;
            let thumb = machine.isa == Isa::Arm && is_thumb(bytes.len(), address, mode);
            let code = machine.isa.code(thumb, big_code).filter(|_| !bytes.is_empty() && bytes.len() <= payload);
            let value = match code {
                Some(isa) => FieldValue::Code { isa, address: address.unwrap_or(0), bytes },
                None => shortened(bytes, limit),
            };
            self.visitor.field("instruction", value);
        }
        put_text(self.visitor, "mode", mode.filter(|mode| !mode.is_empty()));
    }

    /// Passes on what an instruction reads and writes, and which of that is tainted.
    #[inline]
    fn instruction_operands<'o, R, W>(&mut self, read: impl Fn() -> R, written: impl Fn() -> W)
    where
        R: Iterator<Item = Operand<'o>>,
        W: Iterator<Item = Operand<'o>>,
    {
        let is_tainted = [self.operands("read", Use::Read, read()), self.operands("written", Use::Written, written())];
        if is_tainted != [false; 2] {
            self.visitor.open("taint", false);
            self.taints("read", read());
            self.taints("written", written());
            self.visitor.close();
        }
    }

    /// Passes on a structure of values, unless it is empty. Returns whether one of them is tainted.
    #[inline]
    fn operands<'o>(&mut self, key: &str, used: Use, mut operands: impl Iterator<Item = Operand<'o>>) -> bool {
        let Some(first) = operands.next() else { return false };
        self.visitor.open(key, false);
        let mut is_tainted = self.operand(&first, used);
        operands.for_each(|operand| is_tainted |= self.operand(&operand, used));
        self.visitor.close();
        is_tainted
    }

    /// Passes on an operand. Returns whether it is tainted.
    #[inline]
    fn operand(&mut self, operand: &Operand<'_>, used: Use) -> bool {
        let Held { scratch: Scratch { key, text, value: turned }, memory, limit, .. } = &mut *self.held;
        let place = operand.place.unwrap_or_default();
        let big = memory.is_big && place.is_memory();
        let bytes = operand.value.map(|bytes| memory.ordered(place.is_memory(), bytes, turned));
        let name = place_name(place, key);
        let taint = taint_of(operand);
        self.visitor.operand(&records::Operand {
            name,
            address: place.memory.filter(|_| place.is_memory()).map(Option::unwrap_or_default),
            value: bytes.unwrap_or_default(),
            is_big_endian: big,
            used,
            taint,
        });
        let value = bytes.map_or(FieldValue::Null, |bytes| number(bytes, operand.bits, big, *limit, text));
        self.visitor.field(name, value);
        taint.is_some()
    }

    /// Passes on the taint of operands as a structure, unless none is tainted.
    fn taints<'o>(&mut self, key: &str, operands: impl Iterator<Item = Operand<'o>>) {
        let mut is_open = false;
        for operand in operands {
            let Some(taint) = taint_of(&operand) else { continue };
            if !is_open {
                self.visitor.open(key, false);
                is_open = true;
            }
            let value = match taint {
                records::Taint::Of(number) => id(number),
                records::Taint::Several => FieldValue::Text("several"),
            };
            self.visitor.field(place_name(operand.place.unwrap_or_default(), &mut self.held.scratch.key), value);
        }
        if is_open {
            self.visitor.close();
        }
    }

    fn taint_intro(&mut self, intro: &TaintIntro<'_>) {
        let Held { scratch: Scratch { key, text, .. }, limit, .. } = &mut *self.held;
        let visitor = &mut *self.visitor;
        let name = place_name(Place { memory: Some(intro.address), register: None }, key);
        visitor.operand(&records::Operand {
            name,
            address: intro.address,
            value: intro.value.unwrap_or_default(),
            is_big_endian: false,
            used: Use::Tainted,
            taint: intro.id.map(records::Taint::Of),
        });
        visitor.open(name, false);
        put(visitor, "id", intro.id.map(id));
        put(visitor, "value", intro.value.map(|bytes| number(bytes, None, false, *limit, text)));
        put_text(visitor, "source", intro.source);
        put(visitor, "offset", intro.offset.map(FieldValue::U64));
        visitor.close();
    }
}

impl Sink for ToVisitor<'_, '_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.visitor.is_full()
    }

    #[inline]
    fn frame(&mut self, record: decode::Record, message: &[u8]) {
        let Some(frame) = instruction::parse(message) else { return self.unusual(record, message) };
        let track = self.held.track_of(frame.thread);
        if self.begin_record(record, track, RecordName::None) {
            self.place(Some(frame.address), Some(frame.thread));
            self.instruction(Some(frame.bytes), Some(frame.address), Some(frame.mode));
            self.instruction_operands(|| instruction::operands(frame.read), || instruction::operands(frame.written));
            self.visitor.end();
        }
    }

    fn long_frame(&mut self, record: decode::Record, beginning: &[u8]) {
        self.unusual(record, beginning);
    }

    fn beyond(&mut self, bytes: &[u8]) {
        if self.held.digests {
            self.held.beyond.get_or_insert_default().write(bytes);
        }
    }
}

fn put(visitor: &mut dyn Visitor, key: &str, value: Option<FieldValue<'_>>) {
    if let Some(value) = value {
        visitor.field(key, value);
    }
}

fn put_text(visitor: &mut dyn Visitor, key: &str, text: Option<&[u8]>) {
    let Some(bytes) = text else { return };
    let text = String::from_utf8_lossy(bytes);
    visitor.field(key, FieldValue::Text(&text));
    // Other bytes that are not UTF-8 may have the same text.
    if matches!(text, Cow::Owned(_)) && visitor.extent() == Extent::Digested {
        visitor.left_out(Digest::of(bytes));
    }
}

/// The taint of an operand, if it has any.
#[inline]
fn taint_of(operand: &Operand<'_>) -> Option<records::Taint> {
    let taint = operand.taint?;
    let several = taint.multiple.filter(|is| *is).map(|_| records::Taint::Several);
    taint.id.map(records::Taint::Of).or(several)
}

/// The id of a thread or of a taint.
pub(super) fn id(id: u64) -> FieldValue<'static> {
    i64::try_from(id).map_or(FieldValue::Hex(id), FieldValue::Id)
}

/// An argument of a system call. Many are addresses, so large ones are shown in hexadecimal.
pub(super) fn argument(value: i64) -> FieldValue<'static> {
    if (-4096..=4096).contains(&value) { FieldValue::I64(value) } else { FieldValue::Hex(value as u64) }
}

fn shortened(bytes: &[u8], limit: usize) -> FieldValue<'_> {
    FieldValue::Bytes { bytes: bytes.get(..limit).unwrap_or(bytes), len: bytes.len() as u64 }
}

/// Whether an instruction of ARM is Thumb. Four bytes are ambiguous without the frames before them;
/// the mode decides.
pub(super) fn is_thumb(len: usize, address: Option<u64>, mode: Option<&[u8]>) -> bool {
    len == 2 || mode == Some(b"arm:t32") || address.is_some_and(|address| address & 3 != 0)
}

/// The name of a register, or the address of memory in brackets. `scratch` may be used for it.
#[inline]
pub(super) fn place_name<'a>(place: Place<'a>, scratch: &'a mut String) -> &'a str {
    scratch.clear();
    match place {
        Place { register: Some(name), .. } => match core::str::from_utf8(name.unwrap_or_default()) {
            Ok(name) => return name,
            Err(_) => scratch.push_str(&String::from_utf8_lossy(name.unwrap_or_default())),
        },
        Place { memory: Some(address), .. } => {
            let address = address.unwrap_or(0);
            scratch.push_str("[0x");
            // Formatting with `write` takes several times as long, and many operands are in memory.
            for nibble in (0..16 - (address | 1).leading_zeros() / 4).rev() {
                scratch.push(char::from_digit((address >> (4 * nibble)) as u32 & 15, 16).unwrap_or('0'));
            }
            scratch.push(']');
        }
        Place { .. } => return "(no place)",
    }
    scratch
}

/// A value as a number, if it is short enough, else its first `limit` bytes. Of more than 64 bits
/// it is a text in `scratch`. `bits`: the number of significant bits; all are if this is `None`, 0,
/// or more than there are. `big`: the most significant byte comes first.
#[inline]
pub(super) fn number<'a>(
    bytes: &'a [u8],
    bits: Option<i32>,
    big: bool,
    limit: usize,
    scratch: &'a mut String,
) -> FieldValue<'a> {
    let total = bytes.len().saturating_mul(8);
    let kept = bits.and_then(|bits| usize::try_from(bits).ok()).filter(|bits| (1..total).contains(bits));
    let kept = kept.unwrap_or(total);
    if bytes.len() <= 8 {
        let digit = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = if big { bytes.iter().fold(0, digit) } else { bytes.iter().rev().fold(0, digit) };
        return FieldValue::Hex(number & u64::MAX.checked_shr(64 - kept as u32).unwrap_or(0));
    }
    if bytes.len() > MAX_NUMBER {
        return shortened(bytes, limit);
    }
    scratch.clear();
    scratch.push_str("0x");
    let digits = kept.div_ceil(8);
    for i in (0..digits).rev() {
        let byte = bytes.get(if big { bytes.len() - 1 - i } else { i }).copied().unwrap_or(0);
        let surplus = if i + 1 == digits { digits * 8 - kept } else { 0 };
        push_hex(scratch, &[byte & (0xff >> surplus)]);
    }
    FieldValue::Text(scratch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbers_of_their_significant_bits() {
        let mut scratch = String::new();
        let mut of = |bytes: &[u8], bits, big| match number(bytes, bits, big, 2, &mut scratch) {
            FieldValue::Text(text) => Err(String::from(text)),
            FieldValue::Bytes { bytes, len } => Err(alloc::format!("{bytes:x?} of {len}")),
            FieldValue::Hex(number) => Ok(number),
            other => panic!("{other:?}"),
        };
        assert_eq!(of(&[0x12, 0x34], None, false), Ok(0x3412));
        assert_eq!(of(&[0x12, 0x34], Some(16), true), Ok(0x1234));
        assert_eq!(of(&[0xff, 0xff], Some(9), false), Ok(0x1ff));
        assert_eq!(of(&[0xff], Some(-3), false), Ok(0xff));
        assert_eq!(of(&[0xff; 8], Some(64), false), Ok(u64::MAX));
        assert_eq!(of(&[], Some(8), false), Ok(0));
        let nine = [1, 2, 3, 4, 5, 6, 7, 8, 0xf9];
        assert_eq!(of(&nine, None, false), Err("0xf90807060504030201".into()));
        assert_eq!(of(&nine, Some(69), false), Err("0x190807060504030201".into()));
        assert_eq!(of(&nine, Some(64), true), Err("0x02030405060708f9".into()));
        assert_eq!(of(&[7; 65], Some(8), false), Err("[7, 7] of 65".into()));
    }

    #[test]
    fn places_are_registers_or_addresses() {
        let mut scratch = String::new();
        for (address, name) in [(0, "[0x0]"), (0x10, "[0x10]"), (0xabc, "[0xabc]"), (u64::MAX, "[0xffffffffffffffff]")]
        {
            assert_eq!(place_name(Place { memory: Some(Some(address)), register: None }, &mut scratch), name);
        }
        let register = |name| Place { memory: None, register: Some(Some(name)) };
        assert_eq!(place_name(register(b"RAX"), &mut scratch), "RAX");
        assert_eq!(place_name(register(b"\xffA"), &mut scratch), "\u{fffd}A");
        assert_eq!(place_name(Place::default(), &mut scratch), "(no place)");
    }
}
