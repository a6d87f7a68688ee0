//! The details of a frame: its parts as fields.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use unspool_stacks::flow::{Flow, LOOKED_AT, Reading, flow};
use unspool_stacks::isa::{ByteOrder, Isa};
use unspool_stacks::{syscalls, vectors};
use unspool_trace::decoder::Range;
use unspool_trace::details::{Field, RecordDetails, Value};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::locator::Locator;
use unspool_trace::problem::Problem;

use crate::date::date;

use super::decode::Record;
use super::fields::{self, is_thumb, place_name};
use super::index::{FramesRecords, Index};
use super::machine::Machine;
use super::memory_order::MemoryOrder;
use super::records::{Frame, List, Meta, Operand, Program, Std, Taint, Usage};
use super::wire::META_AT;

/// Limit for each list of values.
const MAX_LIST: usize = 1024;

/// Length of the first range in bytes, enough for most frames.
const FIRST_RANGE: u64 = 16 * 1024;
/// Limit in bytes for the part of a frame that is read.
const MAX_RANGE: u64 = 1 << 20;

impl FramesRecords {
    pub(super) fn range_of(&self, locator: Locator) -> Option<Range> {
        Some(Range { at: locator.position(), len: FIRST_RANGE })
    }

    pub(super) fn next_range_of(&self, locator: Locator, bytes: &[u8]) -> Option<Range> {
        let have = bytes.len() as u64;
        if Some(locator.position()) == self.index.end || have != FIRST_RANGE {
            return None;
        }
        let len = bytes.first_chunk().map(|b| u64::from_le_bytes(*b))?;
        let wanted = len.saturating_add(8).min(MAX_RANGE);
        (wanted > have).then(|| Range { at: locator.position().saturating_add(have), len: wanted - have })
    }

    pub(super) fn details_of(&self, locator: Locator, bytes: &[u8]) -> Result<RecordDetails> {
        let mut out = RecordDetails { offset: Some(locator.position()), ..RecordDetails::default() };
        if Some(locator.position()) == self.index.end {
            out.fields.push(Field::new("Frames", Value::U64(self.index.frames)));
            out.fields.push(Field::new("Frames according to the header", Value::U64(self.index.header.frames)));
            out.fields.push(Field::new("Table of contents at", Value::U64(self.index.header.table)));
            return Ok(out);
        }
        let Some((len, body)) = bytes.split_first_chunk() else {
            return Err(Error::new(locator.position(), Cause::UnexpectedEnd { needed: 8 }));
        };
        let len = u64::from_le_bytes(*len);
        let is_meta = self.is_meta(locator);
        let record = Record { index: (!is_meta).then_some(0), at: locator.position(), len };
        let Some(body) = usize::try_from(len).ok().and_then(|len| body.get(..len)) else {
            // Show the first fields at least.
            let std = if is_meta { None } else { Frame::of(record.checked(body).0).std };
            out.fields.extend(std.and_then(|std| std.address).map(|a| Field::new("Address", Value::Hex(a))));
            out.fields.extend(std.and_then(|std| std.thread).map(|t| Field::new("Thread", thread(t))));
            out.fields.push(Field::new("Frame size in bytes", Value::U64(len)));
            out.remarks.push("The frame is too large to be shown, or the file ends within it.".to_string());
            return Ok(out);
        };
        if let (_, Some(Problem { at, .. })) = record.checked(body) {
            out.remarks.push(format!("The frame is invalid from byte {at} on; the part before it is shown."));
        }
        if is_meta {
            meta(&Meta::new(body), &self.describer(), &mut out);
        } else {
            frame(&Frame::new(body), &self.describer(), &mut out);
        }
        out.fields.push(Field::new("Frame size in bytes", Value::U64(len)));
        Ok(out)
    }

    /// Whether this is the meta frame.
    fn is_meta(&self, locator: Locator) -> bool {
        self.index.header.has_meta() && locator == Locator::at(META_AT)
    }

    fn describer(&self) -> Describer {
        let Index { header, order, payload, .. } = &self.index;
        let payload = usize::try_from(*payload).unwrap_or(usize::MAX);
        Describer { machine: Machine::of(header), order: *order, memory: self.index.memory_order(), payload }
    }
}

/// Turns the parts of a frame into fields.
#[derive(Clone, Copy, Debug)]
struct Describer {
    machine: Machine,
    order: ByteOrder,
    memory: MemoryOrder,
    /// Limit in bytes for each value shown as bytes.
    payload: usize,
}

impl Describer {
    fn bytes(&self, bytes: &[u8]) -> Value {
        Value::Bytes { bytes: bytes.iter().copied().take(self.payload).collect(), len: bytes.len() as u64 }
    }

    /// A value as a number, if it is short enough. `big`: the most significant byte comes first.
    fn number(&self, bytes: &[u8], bits: Option<i32>, big: bool) -> Value {
        fields::number(bytes, bits, big, self.payload, &mut String::new()).into()
    }
}

/// The id of a thread or of a taint.
fn thread(id: u64) -> Value {
    fields::id(id).into()
}

fn text(bytes: &[u8]) -> Value {
    Value::Text(String::from_utf8_lossy(bytes).into_owned())
}

/// A number with its name, if it has one.
fn symbol(name: Option<&str>, number: u64) -> Value {
    match name {
        Some(name) => Value::Symbol { name: name.into(), value: Box::new(Value::U64(number)) },
        None => Value::U64(number),
    }
}

fn named(name: impl Into<String>, value: Value) -> Field {
    Field { name: Cow::Owned(name.into()), value }
}

/// Adds the fields of a frame.
fn frame(frame: &Frame<'_>, describer: &Describer, out: &mut RecordDetails) {
    if let Some(std) = &frame.std {
        instruction(std, describer, out);
    }
    let mut add = |name, value: Option<Value>| out.fields.extend(value.map(|v| Field::new(name, v)));
    if let Some(call) = &frame.syscall {
        let name_of = |number| syscalls::name(describer.machine.isa, number);
        add("System call", call.number.map(|number| symbol(name_of(number), number)));
        add("Address", call.address.map(Value::Hex));
        add("Thread", call.thread.map(thread));
        let arguments =
            call.arguments.map(|a| a.arguments().take(MAX_LIST).map(|value| fields::argument(value).into()).collect());
        add("Arguments", arguments.map(Value::List));
    }
    if let Some(exception) = &frame.exception {
        let name_of = |number| vectors::name(describer.machine.isa, number);
        add("Exception", exception.number.map(|number| symbol(name_of(number), number)));
        add("Thread", exception.thread.map(thread));
        add("From", exception.from.map(Value::Hex));
        add("To", exception.to.map(Value::Hex));
    }
    if let Some(load) = &frame.mod_load {
        add("Module", load.name.map(text));
        add("First address", load.low.map(Value::Hex));
        add("Last address", load.high.map(Value::Hex));
        let size = load.low.zip(load.high).and_then(|(low, high)| high.checked_sub(low)?.checked_add(1));
        add("Size in bytes", size.map(Value::U64));
    }
    if let Some(list) = frame.taint_intro {
        taint_intros(list.unwrap_or_default(), describer, out);
    }
    if let Some(lists) = frame.key {
        for list in lists.unwrap_or_default().tagged_lists().take(MAX_LIST) {
            let name = match list.source.and_then(|s| s.thread) {
                Some(id) => format!("Thread {id}"),
                None => "No thread".to_string(),
            };
            let values = operands(list.values.unwrap_or_default().values(), describer, Side::Key, &mut out.remarks);
            out.fields.push(named(name, values));
        }
    }
}

fn instruction(std: &Std<'_>, describer: &Describer, out: &mut RecordDetails) {
    let bytes = std.bytes.unwrap_or_default();
    let address = std.address.unwrap_or(0);
    let big = describer.order.is_big(describer.machine.isa);
    let thumb = describer.machine.isa == Isa::Arm && is_thumb(bytes.len(), std.address, std.mode);
    let mut add = |name, value: Option<Value>| out.fields.extend(value.map(|v| Field::new(name, v)));
    let code = describer.machine.isa.code(thumb, big).filter(|_| !bytes.is_empty());
    add("Instruction", code.map(|isa| Value::Code { isa, address, bytes: bytes.into() }));
    let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let reading = Reading { isa: describer.machine.isa, big, thumb };
    let effect = match flow(reading, address, looked_at, bytes.len() as u64) {
        Flow::Call { .. } => Some("call"),
        Flow::Return { .. } => Some("return"),
        _ => None,
    };
    add("Effect", effect.map(|e| Value::Text(e.into())));
    add("Address", std.address.map(Value::Hex));
    add("Bytes", std.bytes.map(|b| describer.bytes(b)));
    add("Thread", std.thread.map(thread));
    add("Mode", std.mode.map(text));
    for (name, side, list) in [("Read", Side::Pre, std.pre), ("Written", Side::Post, std.post)] {
        if let Some(list) = list {
            let values = operands(list.operands(), describer, side, &mut out.remarks);
            out.fields.push(Field::new(name, values));
        }
    }
    if std.bytes.is_some_and(<[u8]>::is_empty) {
        out.remarks.push("The tracer supplied no bytes of the instruction.".to_string());
    }
}

/// The list that an operand is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Pre,
    Post,
    Key,
}

fn operands<'a>(
    list: impl Iterator<Item = Operand<'a>>,
    describer: &Describer,
    side: Side,
    remarks: &mut Vec<String>,
) -> Value {
    let mut list = list.fuse();
    let fields = list.by_ref().take(MAX_LIST).map(|o| operand(&o, describer, side)).collect();
    let more = list.count();
    if more > 0 {
        remarks.push(format!("{more} more values are not shown."));
    }
    Value::Tree(fields)
}

fn operand(operand: &Operand<'_>, describer: &Describer, side: Side) -> Field {
    let place = operand.place.unwrap_or_default();
    let name = place_name(place, &mut String::new()).to_string();
    let big = place.is_memory() && describer.memory.is_big;
    let mut turned = Vec::new();
    let bytes = operand.value.map(|bytes| describer.memory.ordered(place.is_memory(), bytes, &mut turned));
    let value = bytes.map_or(Value::Null, |bytes| describer.number(bytes, operand.bits, big));
    let mut extra = Vec::new();
    if let Some(usage) = usage(operand.usage, side) {
        extra.push(Field::new("Use", Value::Text(usage)));
    }
    match operand.taint {
        Some(Taint { id: Some(id), .. }) => extra.push(Field::new("Taint", thread(id))),
        Some(Taint { multiple: Some(true), .. }) => {
            extra.push(Field::new("Taint", Value::Text("of several sources".into())));
        }
        _ => {}
    }
    if extra.is_empty() {
        return named(name, value);
    }
    extra.insert(0, Field::new("Value", value));
    named(name, Value::Tree(extra))
}

/// The use of an operand, if it differs from what its list implies.
fn usage(usage: Option<Usage>, side: Side) -> Option<String> {
    let usage = usage?;
    let is = |flag: Option<bool>| flag == Some(true);
    let plain = Usage {
        read: Some(side == Side::Pre),
        written: Some(side == Side::Post),
        index: Some(false),
        base: Some(false),
    };
    if usage == plain {
        return None;
    }
    let words = [
        (is(usage.read), "read"),
        (is(usage.written), "written"),
        (is(usage.index), "index of an address"),
        (is(usage.base), "base of an address"),
    ];
    let words: Vec<&str> = words.into_iter().filter_map(|(flag, word)| flag.then_some(word)).collect();
    Some(if words.is_empty() { "neither read nor written".into() } else { words.join(", ") })
}

fn taint_intros(list: List<'_>, describer: &Describer, out: &mut RecordDetails) {
    let mut intros = list.taint_intros();
    for intro in intros.by_ref().take(MAX_LIST) {
        let mut fields = Vec::new();
        let mut add = |name, value: Option<Value>| fields.extend(value.map(|v| Field::new(name, v)));
        add("Taint", intro.id.map(thread));
        add("Value", intro.value.map(|b| describer.number(b, None, false)));
        add("Source", intro.source.map(text));
        add("Offset in the source", intro.offset.map(Value::U64));
        out.fields.push(named(format!("[{:#x}]", intro.address.unwrap_or(0)), Value::Tree(fields)));
    }
    let more = intros.count();
    if more > 0 {
        out.remarks.push(format!("{more} more addresses are not shown."));
    }
}

/// Adds the fields of the meta frame.
fn meta(meta: &Meta<'_>, describer: &Describer, out: &mut RecordDetails) {
    let mut add = |name, value: Option<Value>| out.fields.extend(value.map(|v| Field::new(name, v)));
    add("Tracer", meta.tracer.map(|p| program(p, "Name", "Version", text)));
    add("Target", meta.target.map(|p| program(p, "Path", "MD5", |b| describer.bytes(b))));
    add(
        "File of the target",
        meta.file.map(|file| {
            let mut fields = Vec::new();
            let mut add = |name, value: Option<Value>| fields.extend(value.map(|v| Field::new(name, v)));
            // The field overflows for files of 2 GiB and more.
            add("Size in bytes", file.size.map(|size| Value::I64(size.into())));
            add("Read", file.accessed.map(time));
            add("Modified", file.modified.map(time));
            add("Changed", file.changed.map(time));
            Value::Tree(fields)
        }),
    );
    add("User", meta.user.map(text));
    add("Host", meta.host.map(text));
    add("Time", meta.time.map(time));
}

fn time(seconds: f64) -> Value {
    match date(seconds) {
        Some(name) => Value::Symbol { name, value: Box::new(Value::F64(seconds)) },
        None => Value::F64(seconds),
    }
}

fn program(program: Program<'_>, name: &'static str, last: &'static str, show: impl Fn(&[u8]) -> Value) -> Value {
    let mut fields = Vec::new();
    fields.extend(program.name.map(|n| Field::new(name, text(n))));
    fields.extend(program.last.map(|l| Field::new(last, show(l))));
    fields.push(Field::new("Arguments", Value::List(program.arguments().take(MAX_LIST).map(text).collect())));
    // The environment is long and may hold secrets: a tree can be collapsed.
    let variables = program.environment().take(MAX_LIST).map(|variable| {
        let (name, value) = match variable.iter().position(|b| *b == b'=') {
            Some(i) => (variable.get(..i), variable.get(i + 1..)),
            None => (Some(variable), None),
        };
        named(String::from_utf8_lossy(name.unwrap_or_default()), text(value.unwrap_or_default()))
    });
    fields.push(Field::new("Environment", Value::Tree(variables.collect())));
    Value::Tree(fields)
}
