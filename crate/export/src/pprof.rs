//! Profiles of pprof: <https://github.com/google/pprof/blob/main/proto/profile.proto>, compressed
//! by gzip.

use hashbrown::HashMap;
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params};

use crate::protobuf::{bytes, message, number, varint, varint_length};
use crate::stacks::{Stack, Stacks};
use crate::{AT_ONCE, Arg, Slice, Table, Trace, Writer};

/// The label of samples that has their thread.
const LABEL: &str = "thread";

/// Most bytes of a sample besides its stack: lengths, calls, time and label.
const OF_SAMPLE: u64 = 60;

/// Writes a profile. Samples are stacks of a thread with the number of calls and the self time of
/// the innermost function.
#[derive(Default)]
pub(crate) struct Pprof {
    /// The stacks of the track, and those of the tracks before it, with the string of the thread.
    stacks: Stacks,
    threads: Vec<(u64, Stacks)>,
    /// The part of the profile that is not compressed yet.
    profile: Vec<u8>,
    strings: Strings,
    /// The thread and the stack that are written next. Stacks begin with number 1.
    next: (usize, u32),
    gzip: Gzip,
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
        let mut stacks = std::mem::take(&mut self.stacks);
        stacks.close();
        self.strings.number(LABEL);
        let thread = self.strings.number(trace.track_name(track));
        self.threads.push((thread, stacks));
    }

    fn path_bytes(&self, _trace: &Trace) -> u64 {
        let sizes = self.threads.iter().flat_map(|(_, stacks)| stacks.sizes(|name| varint_length(function_id(name))));
        sizes.fold(0, |sum: u64, size| sum.saturating_add(size + OF_SAMPLE))
    }

    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) -> bool {
        let key = self.strings.number(LABEL);
        while self.profile.len() < AT_ONCE {
            let Some((thread, stacks)) = self.threads.get(self.next.0) else {
                self.names(trace);
                self.gzip.compress(&self.profile, TDEFLFlush::Finish, out);
                self.profile.clear();
                return false;
            };
            self.next.1 += 1;
            match stacks.all.get(self.next.1 as usize) {
                Some(stack) => {
                    let calls = (stack.calls, Stacks::nanoseconds(trace, stack.own));
                    sample(stacks.outwards(self.next.1), calls, (key, *thread), &mut self.profile);
                }
                None => self.next = (self.next.0 + 1, 0),
            }
        }
        self.gzip.compress(&self.profile, TDEFLFlush::None, out);
        self.profile.clear();
        true
    }
}

impl Pprof {
    /// Writes functions, strings, and the type that tools show.
    fn names(&mut self, trace: &Trace) {
        let mut are_used = vec![false; trace.names.len()];
        for stack in self.threads.iter().flat_map(|(_, stacks)| stacks.all.iter().skip(1)) {
            if let Some(is_used) = are_used.get_mut(stack.name as usize) {
                *is_used = true;
            }
        }
        for (name, _) in (0..).zip(are_used).filter(|(_, is_used)| *is_used) {
            let id = function_id(name);
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
    }
}

/// The id of a function and of its location, which begin with 1.
fn function_id(name: u32) -> u64 {
    u64::from(name) + 1
}

/// Writes a sample: the stack from the innermost function outwards, its calls and self time, and
/// the strings of its label.
fn sample<'a>(
    outwards: impl Iterator<Item = &'a Stack>,
    (calls, own): (u64, u64),
    (key, thread): (u64, u64),
    out: &mut Vec<u8>,
) {
    message(2, out, |out| {
        message(1, out, |out| outwards.for_each(|stack| varint(function_id(stack.name), out)));
        message(2, out, |out| {
            varint(calls, out);
            varint(own, out);
        });
        message(3, out, |out| {
            number(1, key, out);
            number(2, thread, out);
        });
    });
}

/// A gzip member (RFC 1952) that is compressed in pieces.
#[derive(Default)]
struct Gzip {
    /// `None` before the first piece.
    compressor: Option<Box<CompressorOxide>>,
    checksum: crc32fast::Hasher,
    length: u32,
}

impl Gzip {
    /// Compresses a piece, the last one with `TDEFLFlush::Finish`.
    fn compress(&mut self, piece: &[u8], flush: TDEFLFlush, out: &mut Vec<u8>) {
        let compressor = self.compressor.get_or_insert_with(|| {
            out.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
            Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(6, 0, 0)))
        });
        self.checksum.update(piece);
        self.length = self.length.wrapping_add(piece.len() as u32);
        compress_to_output(compressor, piece, flush, |bytes| {
            out.extend(bytes);
            true
        });
        if flush == TDEFLFlush::Finish {
            out.extend(self.checksum.clone().finalize().to_le_bytes());
            out.extend(self.length.to_le_bytes());
        }
    }
}
