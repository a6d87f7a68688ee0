//! The dump, as JSON lines: an object for each frame, with the names of `frame.piqi` and
//! underscores in place of dashes.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use unspool_trace::batch::Key;
use unspool_trace::decoder::{Progress, TextDump, Want};
use unspool_trace::error::Result;
use unspool_trace::naming::{Named, Naming};
use unspool_trace::part::Part;
use unspool_trace::problem::{LEFT_OUT, Problem};
use unspool_trace::sniff::{OpenOptions, Text};

use crate::hex::push_hex;
use crate::json::put_text;

use super::decode::{Record, Sink, Walk};
use super::problems::UNKNOWN_RECORD;
use super::records::{Frame, List, ModLoad, Operand, Place, Std, Syscall, Taint, Usage};
use super::wire::Header;

/// Opens the dump as JSON lines. `None` for other kinds of text.
pub(super) fn open(head: &[u8], text: Text, options: OpenOptions) -> Result<Option<Box<dyn TextDump>>> {
    let header = Header::parse(head, options.size)?;
    Ok(match text {
        Text::Jsonl { .. } => Some(Box::new(JsonLines::new(header, options))),
        Text::Apitrace { .. } => None,
    })
}

/// Size of a portion of text, in bytes.
const PORTION: usize = 1 << 20;

/// The dump as JSON lines.
pub(crate) struct JsonLines {
    walk: Walk,
    lines: Lines,
    over: bool,
}

#[derive(Default)]
struct Lines {
    text: String,
    problems: Vec<Problem>,
    /// Names of functions by address.
    namings: Vec<Naming>,
    part: Part,
}

impl JsonLines {
    pub(crate) fn new(header: Header, options: OpenOptions) -> Self {
        Self { walk: Walk::new(header, options.size), lines: Lines::default(), over: false }
    }
}

impl TextDump for JsonLines {
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress> {
        let used = self.walk.run(input, &mut self.lines);
        out.push_str(&self.lines.text);
        self.lines.text.clear();
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()> {
        self.walk.end(rest, &mut self.lines);
        out.push_str(&self.lines.text);
        self.over = true;
        Ok(())
    }

    fn want(&self) -> Want {
        if self.over || self.lines.part.is_over { Want::Nothing } else { Want::Next }
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.lines.problems)
    }

    fn part(&mut self) -> &mut Part {
        &mut self.lines.part
    }

    fn name_by(&mut self, namings: Vec<Naming>) -> bool {
        self.lines.namings = namings;
        true
    }
}

impl Sink for Lines {
    fn is_full(&self) -> bool {
        self.text.len() >= PORTION || self.part.is_over
    }

    fn meta(&mut self, record: Record, message: &[u8]) {
        // It is not printed.
        self.problems.extend(record.checked(message).1);
    }

    fn frame(&mut self, record: Record, message: &[u8]) {
        if !self.reaches(&record) {
            return;
        }
        let (fields, defect) = record.checked(message);
        let frame = if defect.is_none() { Frame::of(fields) } else { Frame::default() };
        let named = name_of(&frame, &self.namings);
        if !self.part.has_thread(thread_of(&frame))
            || !self.part.has_name(named.as_ref().map(|named| named.place.text.as_str()))
        {
            return;
        }
        self.part.printed += 1;
        if defect.is_none() && frame.is_unknown() {
            self.problems.push(Problem { at: record.at, kind: &UNKNOWN_RECORD, value: record.len });
        }
        self.problems.extend(defect);
        line(&mut self.text, &record, &frame, named);
    }

    fn long_frame(&mut self, record: Record, _beginning: &[u8]) {
        // Its thread and name are unknown.
        if !self.reaches(&record) || !self.part.has_thread(None) || !self.part.has_name(None) {
            return;
        }
        self.part.printed += 1;
        line(&mut self.text, &record, &Frame::default(), None);
        self.problem(Problem { at: record.at, kind: &LEFT_OUT, value: record.len });
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

impl Lines {
    /// Whether the number of a frame is in the part. Notes when no later one can be.
    fn reaches(&mut self, record: &Record) -> bool {
        let index = record.index.unwrap_or(0);
        self.part.is_over = self.part.ends_before(index.saturating_add(1));
        self.part.has_position(index)
    }
}

/// The name of the function of an instruction, if one of `namings` has that, the last first.
fn name_of<'a>(frame: &Frame<'_>, namings: &'a [Naming]) -> Option<Named<'a>> {
    let key = frame.std.and_then(|std| std.address).map_or(Key::None, Key::Address);
    namings.iter().rev().find_map(|naming| naming.of(key))
}

/// The thread of an instruction, system call or exception.
fn thread_of(frame: &Frame<'_>) -> Option<u64> {
    let of_std = frame.std.and_then(|std| std.thread);
    let of_syscall = || frame.syscall.and_then(|syscall| syscall.thread);
    of_std.or_else(of_syscall).or_else(|| frame.exception.and_then(|exception| exception.thread))
}

/// Writes the line of a frame.
fn line(out: &mut String, record: &Record, frame: &Frame<'_>, named: Option<Named<'_>>) {
    let mut object = Json { out, empty: true };
    object.begin();
    object.number("i", record.index.unwrap_or(0).into());
    object.number("offset", record.at.into());
    object.number("len", record.len.into());
    if let Some(named) = named {
        let text = match named.offset {
            0 => named.place.text.clone(),
            offset => format!("{}+{offset:#x}", named.place.text),
        };
        object.text("function", Some(text.as_bytes()));
    }
    object.object("std_frame", frame.std, std);
    object.object("syscall_frame", frame.syscall, syscall);
    object.object("exception_frame", frame.exception, |o, e| {
        o.maybe("exception_number", e.number);
        o.maybe("thread_id", e.thread);
        o.maybe("from_addr", e.from);
        o.maybe("to_addr", e.to);
    });
    object.object("taint_intro_frame", frame.taint_intro, |o, list| {
        o.object("taint_intro_list", list, |o, list| o.list(list.taint_intros(), taint_intro));
    });
    object.object("modload_frame", frame.mod_load, mod_load);
    object.object("key_frame", frame.key, |o, list| {
        o.object("tagged_value_lists", list, |o, list| o.list(list.tagged_lists(), tagged_list));
    });
    object.end();
    out.push('\n');
}

fn std(o: &mut Json<'_>, std: Std<'_>) {
    o.maybe("address", std.address);
    o.maybe("thread_id", std.thread);
    o.hex("rawbytes", std.bytes);
    o.object("operand_pre_list", std.pre, operands);
    o.object("operand_post_list", std.post, operands);
    o.text("mode", std.mode);
}

fn operands(o: &mut Json<'_>, list: List<'_>) {
    o.list(list.operands(), operand);
}

fn operand(o: &mut Json<'_>, operand: Operand<'_>) {
    o.object("operand_info_specific", operand.place, place);
    if let Some(bits) = operand.bits {
        o.number("bit_length", bits.into());
    }
    o.object("operand_usage", operand.usage, |o, Usage { read, written, index, base }| {
        o.flag("read", read);
        o.flag("written", written);
        o.flag("index", index);
        o.flag("base", base);
    });
    o.object("taint_info", operand.taint, |o, Taint { no_taint, id, multiple }| {
        o.flag("no_taint", no_taint);
        o.maybe("taint_id", id);
        o.flag("taint_multiple", multiple);
    });
    o.hex("value", operand.value);
}

fn place(o: &mut Json<'_>, Place { memory, register }: Place<'_>) {
    o.object("mem_operand", memory, |o, address| o.maybe("address", address));
    o.object("reg_operand", register, |o, name| o.text("name", name));
}

fn syscall(o: &mut Json<'_>, syscall: Syscall<'_>) {
    o.maybe("address", syscall.address);
    o.maybe("thread_id", syscall.thread);
    o.maybe("number", syscall.number);
    o.object("argument_list", syscall.arguments, |o, list| {
        for (i, argument) in list.arguments().enumerate() {
            if i == 0 {
                o.key("elem");
            }
            // Writing to a String cannot fail.
            let _ = write!(o.out, "{}{argument}", if i == 0 { "[" } else { ", " });
        }
        if list.arguments().next().is_some() {
            o.out.push(']');
        }
    });
}

fn taint_intro(o: &mut Json<'_>, intro: super::records::TaintIntro<'_>) {
    o.maybe("addr", intro.address);
    o.maybe("taint_id", intro.id);
    o.hex("value", intro.value);
    o.text("source_name", intro.source);
    o.maybe("offset", intro.offset);
}

fn mod_load(o: &mut Json<'_>, load: ModLoad<'_>) {
    o.text("module_name", load.name);
    o.maybe("low_address", load.low);
    o.maybe("high_address", load.high);
}

fn tagged_list(o: &mut Json<'_>, list: super::records::TaggedList<'_>) {
    o.object("value_source_tag", list.source, |o, source| {
        o.flag("no_thread_id", source.no_thread);
        o.maybe("thread_id", source.thread);
    });
    o.object("value_list", list.values, |o, list| o.list(list.values(), operand));
}

/// Writes the members of an object.
struct Json<'a> {
    out: &'a mut String,
    empty: bool,
}

impl Json<'_> {
    fn begin(&mut self) {
        self.out.push('{');
        self.empty = true;
    }

    fn end(&mut self) {
        self.out.push('}');
        self.empty = false;
    }

    fn key(&mut self, key: &str) {
        if !core::mem::take(&mut self.empty) {
            self.out.push_str(", ");
        }
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\": ");
    }

    fn number(&mut self, key: &str, value: i128) {
        self.key(key);
        let _ = write!(self.out, "{value}");
    }

    fn maybe(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.number(key, value.into());
        }
    }

    fn flag(&mut self, key: &str, value: Option<bool>) {
        if let Some(value) = value {
            self.key(key);
            self.out.push_str(if value { "true" } else { "false" });
        }
    }

    fn hex(&mut self, key: &str, value: Option<&[u8]>) {
        if let Some(bytes) = value {
            self.key(key);
            self.out.push('"');
            push_hex(self.out, bytes);
            self.out.push('"');
        }
    }

    fn text(&mut self, key: &str, value: Option<&[u8]>) {
        let Some(bytes) = value else { return };
        self.key(key);
        put_text(self.out, &String::from_utf8_lossy(bytes));
    }

    fn object<T>(&mut self, key: &str, value: Option<T>, write: impl FnOnce(&mut Json<'_>, T)) {
        let Some(value) = value else { return };
        self.key(key);
        self.begin();
        write(self, value);
        self.end();
    }

    /// Writes the single member `elem`, unless there are no items.
    fn list<T>(&mut self, items: impl Iterator<Item = T>, write: impl Fn(&mut Json<'_>, T)) {
        let mut any = false;
        for item in items {
            if any {
                self.out.push_str(", ");
            } else {
                self.key("elem");
                self.out.push('[');
                any = true;
            }
            self.begin();
            write(self, item);
            self.end();
        }
        if any {
            self.out.push(']');
        }
    }
}
