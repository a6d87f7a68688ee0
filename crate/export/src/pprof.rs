//! Profiles of pprof: <https://github.com/google/pprof/blob/main/proto/profile.proto>, compressed
//! by gzip.

use hashbrown::HashMap;

use crate::protobuf::{bytes, message, number, varint};
use crate::stacks::Stacks;
use crate::{Arg, Slice, Table, Trace, Writer};

/// Writes a profile. Samples are stacks of a thread with the number of calls and the self time of
/// the innermost function.
#[derive(Default)]
pub(crate) struct Pprof {
    stacks: Stacks,
    profile: Vec<u8>,
    strings: Strings,
    /// Names that occur.
    functions: Vec<bool>,
}

/// The table of strings. The first is empty.
#[derive(Default)]
struct Strings {
    all: Vec<String>,
    numbers: HashMap<String, u64>,
}

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = self.all.len() as u64;
        self.all.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

impl Writer for Pprof {
    fn begin(&mut self, trace: &Trace, _out: &mut Vec<u8>) {
        self.functions = vec![false; trace.names.len()];
        self.strings.number("");
        let unit = if trace.is_timed() { "nanoseconds" } else { &trace.head.unit };
        // Tools show the last type unless told otherwise.
        for (kind, unit) in [("calls", "count"), (if trace.is_timed() { "time" } else { "length" }, unit)] {
            let (kind, unit) = (self.strings.number(kind), self.strings.number(unit));
            message(1, &mut self.profile, |out| {
                number(1, kind, out);
                number(2, unit, out);
            });
        }
    }

    fn wants(&self, trace: &Trace, table: Table, track: u32) -> bool {
        table == Table::Slices && !trace.is_overlapping(track)
    }

    fn slice(&mut self, trace: &Trace, _track: u32, slice: &Slice, _args: &[Arg], _out: &mut Vec<u8>) {
        self.stacks.add(trace, slice);
    }

    fn end_track(&mut self, trace: &Trace, track: u32, _out: &mut Vec<u8>) {
        // Stacks of the next thread are samples of their own.
        let stacks = std::mem::take(&mut self.stacks);
        let thread = trace.track_name(track);
        let (key, thread) = (self.strings.number("thread"), self.strings.number(thread));
        for stack in stacks.all.iter().skip(1) {
            message(2, &mut self.profile, |out| {
                message(1, out, |out| {
                    let mut next = Some(stack);
                    while let Some(it) = next {
                        varint(u64::from(it.name) + 1, out);
                        if let Some(used) = self.functions.get_mut(it.name as usize) {
                            *used = true;
                        }
                        next = stacks.all.get(it.parent as usize).filter(|_| it.parent != 0);
                    }
                });
                message(2, out, |out| {
                    varint(stack.calls, out);
                    varint(Stacks::nanoseconds(trace, stack.own), out);
                });
                message(3, out, |out| {
                    number(1, key, out);
                    number(2, thread, out);
                });
            });
        }
    }

    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        for (name, _) in (0..).zip(&self.functions).filter(|(_, used)| **used) {
            let id = u64::from(name) + 1;
            let text = self.strings.number(trace.text(name));
            // pprof calls one without an address inexact, but reads it.
            message(4, &mut self.profile, |out| {
                number(1, id, out);
                message(4, out, |out| number(1, id, out));
            });
            message(5, &mut self.profile, |out| {
                number(1, id, out);
                number(2, text, out);
                number(3, text, out);
            });
        }
        let kind = self.strings.number(if trace.is_timed() { "time" } else { "length" });
        for text in &self.strings.all {
            bytes(6, text.as_bytes(), &mut self.profile);
        }
        number(14, kind, &mut self.profile);
        out.extend(gzip(&self.profile));
    }
}

/// A gzip member (RFC 1952).
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend(miniz_oxide::deflate::compress_to_vec(content, 6));
    file.extend(crc32fast::hash(content).to_le_bytes());
    file.extend((content.len() as u32).to_le_bytes());
    file
}
