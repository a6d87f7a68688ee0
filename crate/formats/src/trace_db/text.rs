//! The dump, as JSON lines: names and types, then an object for each point.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use unspool_trace::batch::Key;
use unspool_trace::decoder::{Progress, TextDump, Want};
use unspool_trace::error::Result;
use unspool_trace::naming::{Named, Naming};
use unspool_trace::part::Part;
use unspool_trace::printed;
use unspool_trace::problem::{LEFT_OUT, Problem};
use unspool_trace::sniff::{OpenOptions, Text};

use crate::hex::push_hex;
use crate::json::{put_double, put_text};

use super::fields::MAX_BLOBS;
use super::point::{Content, Point, Reader, Variable};
use super::problems::ENTRIES_LEFT_OUT;
use super::wire::{Layout, Number, Tables};

/// Opens the dump as JSON lines. `None` for other kinds of text.
pub(super) fn open(head: &[u8], text: Text, options: OpenOptions) -> Result<Option<Box<dyn TextDump>>> {
    let layout = super::layout(head, &options)?;
    Ok(match text {
        Text::Jsonl { .. } => Some(Box::new(JsonLines::new(layout, options))),
        Text::Apitrace { .. } => None,
    })
}

/// Size of a portion of text, in bytes.
const PORTION: usize = 1 << 20;

/// The dump as JSON lines.
pub(crate) struct JsonLines {
    reader: Reader,
    head: bool,
    done: bool,
    problems: Vec<Problem>,
    namings: Vec<Naming>,
    part: Part,
}

impl JsonLines {
    pub(crate) fn new(layout: Layout, options: OpenOptions) -> Self {
        Self {
            reader: Reader::new(layout, options.limits, MAX_BLOBS),
            head: false,
            done: false,
            problems: Vec::new(),
            namings: Vec::new(),
            part: Part::default(),
        }
    }
}

impl TextDump for JsonLines {
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress> {
        let Self { head, problems, namings, part, .. } = self;
        let result = self.reader.push(input, |tables, point, number| {
            if !core::mem::replace(head, true) {
                put_head(out, tables);
            }
            part.is_over = part.ends_before(number.saturating_add(1));
            let named = name_of(point, namings);
            if !part.has_position(number) || !part.has_name(named.as_ref().map(|named| named.place.text.as_str())) {
                return !part.is_over;
            }
            part.printed += 1;
            put_point(out, tables, point, named);
            for (kind, value) in [(&ENTRIES_LEFT_OUT, point.entries_left_out), (&LEFT_OUT, point.bytes_left_out)] {
                if value > 0 {
                    problems.push(Problem { at: point.at, kind, value });
                }
            }
            out.len() < PORTION && !part.is_over
        });
        if result.is_err() {
            self.put_head(out);
            self.problems.extend(self.reader.cut(0));
        }
        result
    }

    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()> {
        self.done = true;
        self.put_head(out);
        self.problems.extend(self.reader.end(rest)?);
        Ok(())
    }

    fn want(&self) -> Want {
        if self.done || self.part.is_over { Want::Nothing } else { Want::Next }
    }

    fn name_by(&mut self, namings: Vec<Naming>) -> bool {
        self.namings = namings;
        true
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.problems)
    }

    fn part(&mut self) -> &mut Part {
        &mut self.part
    }
}

impl JsonLines {
    /// Prints names and types if no point did. A trace may have no points or an incomplete header.
    fn put_head(&mut self, out: &mut String) {
        if let Some(tables) = self.reader.tables_so_far()
            && !core::mem::replace(&mut self.head, true)
        {
            put_head(out, tables);
        }
    }
}

fn put_head(out: &mut String, tables: &Tables) {
    out.push_str("{\"names\":[");
    for i in 0..tables.names() as u32 {
        out.push_str(if i == 0 { "" } else { "," });
        put_text(out, &tables.text(i).unwrap_or_default());
    }
    out.push_str("],\"types\":[");
    for (i, t) in (0..).zip(tables.types()) {
        out.push_str(if i == 0 { "{\"name\":" } else { ",{\"name\":" });
        put_text(out, &tables.type_name(i));
        // Writing to a String cannot fail.
        let _ = write!(out, ",\"format\":{},\"size\":{}}}", t.format, t.size);
    }
    out.push_str("]}\n");
}

/// The name of a point's statement, if one of `namings` has that, the last first.
fn name_of<'a>(point: &Point, namings: &'a [Naming]) -> Option<Named<'a>> {
    let key = point.statement.map_or(Key::None, |id| Key::Statement(id.bits()));
    namings.iter().rev().find_map(|naming| naming.of(key))
}

fn put_point(out: &mut String, tables: &Tables, point: &Point, named: Option<Named<'_>>) {
    let _ = match point.statement {
        Some(statement) => write!(out, "{{\"statement\":{}", statement.bits()),
        None => write!(out, "{{\"statement\":null"),
    };
    if let Some(named) = named {
        for (field, text) in [(",\"name\":", &named.place.text), (",\"source\":", &named.place.source)] {
            if !text.is_empty() {
                out.push_str(field);
                put_text(out, text);
            }
        }
    }
    out.push_str(",\"vars\":[");
    for (i, variable) in point.variables.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { "," });
        put_variable(out, tables, variable);
    }
    out.push_str("],\"aux\":[");
    for (i, value) in point.auxiliary.iter().enumerate() {
        let _ = write!(out, "{}{value}", if i == 0 { "" } else { "," });
    }
    out.push_str("],\"buffer_sizes\":[");
    for (i, (address, size)) in point.buffer_sizes.iter().enumerate() {
        let _ = write!(out, "{}[{address},{size}]", if i == 0 { "" } else { "," });
    }
    out.push_str("]}\n");
}

/// Prints a variable as an object.
pub(crate) fn put_variable(out: &mut String, tables: &Tables, v: &Variable) {
    out.push_str("{\"name\":");
    put_text(out, &tables.text(v.name).unwrap_or_default());
    out.push_str(",\"type\":");
    put_text(out, &tables.type_name(v.of_type));
    out.push_str(",\"value\":");
    let _ = match &v.content {
        Content::Number(Number::Unsigned(n) | Number::Pointer(n)) => write!(out, "{n}"),
        Content::Number(Number::Signed(n)) => write!(out, "{n}"),
        Content::Number(Number::Float(n)) => {
            put_double(out, *n);
            Ok(())
        }
        Content::Bytes(bytes) => {
            out.push_str("\"hex:");
            push_hex(out, bytes);
            out.push('"');
            if let Some(text) = printed(bytes, v.size.into()) {
                out.push_str(",\"text\":");
                put_text(out, text);
            }
            Ok(())
        }
    };
    let _ = match v.buffer_size {
        Some(bytes) => write!(out, ",\"size\":{},\"buffer_size\":{bytes}}}", v.size),
        None => write!(out, ",\"size\":{},\"buffer_size\":null}}", v.size),
    };
}
