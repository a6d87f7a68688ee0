//! Records are told apart by what limits leave out of them, in any portions.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg, Writer, snappy};
use unspool_formats::frames::encode::{Frame, Operand, Place, Std, Table, Writer as Frames};
use unspool_formats::trace_db::encode::Writer as Points;
use unspool_formats::trace_db::wire::{Layout, Number, Tables, Type};
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};
use unspool_records::memory::read_all;
use unspool_trace::records::Extent;
use unspool_trace::{FieldValue, Record, Visitor};

use crate::common;

const PAYLOAD: usize = 64 << 10;

/// The values that a pass delivers, and the digests.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    extent: Extent,
    /// The latest key.
    key: String,
    /// Digests, after the key of the field before.
    left_out: Vec<(String, [u64; 2])>,
    /// Bytes and characters that were passed on.
    passed: usize,
}

impl Visitor for Seen {
    fn begin(&mut self, _record: &Record<'_>) -> bool {
        self.key.clear();
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if !key.is_empty() {
            self.key = key.into();
        }
        match value {
            FieldValue::Bytes { bytes, .. } => self.passed += bytes.len(),
            FieldValue::Text(text) => self.passed += text.chars().count(),
            _ => {}
        }
    }

    fn extent(&self) -> Extent {
        self.extent
    }

    fn left_out(&mut self, digest: [u64; 2]) {
        self.left_out.push((self.key.clone(), digest));
    }
}

fn seen(format: &str, file: &[u8], extent: Extent, portion: usize) -> Seen {
    let (_, decoder) = common::decode(format, file, &[1 << 20], 1 << 16);
    let reader = common::reader(format, decoder.as_ref());
    let mut seen = Seen { extent, ..Seen::default() };
    read_all(reader.pass(0..u32::MAX).as_mut(), file, portion, &mut seen).unwrap();
    seen
}

/// Checks that what limits leave out of two files is told apart, and after the field `key`.
#[track_caller]
fn differ(format: &str, make: impl Fn(u8) -> Vec<u8>, key: &str) {
    let digests = |file: &[u8], portion| seen(format, file, Extent::Digested, portion).left_out;
    let [one, other] = [make(0), make(1)];
    let found = digests(&one, usize::MAX);
    assert_eq!(found.iter().map(|(after, _)| after.as_str()).collect::<Vec<_>>(), [key]);
    assert_ne!(found, digests(&other, usize::MAX));
    assert_eq!(found, digests(&one, 9973));
    // What is shown is the same, without the cost of a digest.
    let shown = seen(format, &one, Extent::Shown, usize::MAX);
    assert_eq!((&shown.left_out, &shown), (&Vec::new(), &seen(format, &other, Extent::Shown, usize::MAX)));
}

/// Bytes beyond what is shown, the last of which is `last`.
fn long(last: u8) -> Vec<u8> {
    let mut bytes = vec![7; PAYLOAD + 1];
    bytes[PAYLOAD] = last;
    bytes
}

const CALL: FunctionSig<'_> = FunctionSig { id: 3, name: "glBufferData", args: &["size", "data"] };

fn call(arguments: Vec<Arg<'_>>) -> Vec<u8> {
    let mut w = Writer::new(&[]);
    w.call(0, &CALL, arguments, None);
    snappy(w.stream(), 1 << 20)
}

#[test]
fn blobs_of_a_call() {
    differ("apitrace", |last| call(vec![Arg::Uint(1), Arg::Blob(&long(last))]), "data");
    // In a list the field before is an element without a key of its own.
    differ("apitrace", |last| call(vec![Arg::Uint(1), Arg::Array(vec![Arg::Blob(&long(last)), Arg::Uint(9)])]), "size");
}

#[test]
fn what_a_value_has_for_machines() {
    let repr = |last: u8| Arg::Repr(Box::new((Arg::Text(b"shown"), Arg::Array(vec![Arg::Uint(last.into())]))));
    differ("apitrace", |last| call(vec![repr(last), Arg::Uint(1)]), "size");
}

#[test]
fn strings_that_are_not_utf_8() {
    differ("apitrace", |last| call(vec![Arg::Text(&[b'x', 0xFE + last])]), "size");
}

#[test]
fn values_beyond_the_limit_of_a_call() {
    let many = |last: u8| {
        let mut values = vec![Arg::Null; 1 << 20];
        values.extend([Arg::Uint(last.into()), Arg::Text(b"text"), Arg::Wide("wide"), Arg::Array(vec![Arg::Null])]);
        call(vec![Arg::Array(values)])
    };
    differ("apitrace", many, "frame");
}

fn log(write: impl Fn(&mut FdrBuffer)) -> Vec<u8> {
    let mut buffer = FdrBuffer::new(7, 8, 3, 1000, (5, 6));
    write(&mut buffer);
    let mut file = header(Mode::Fdr, 1_000_000_000, 1 << 20).to_bytes().to_vec();
    file.extend(buffer.finish());
    file
}

#[test]
fn payloads_of_events() {
    // The last record of a piece, and one before others.
    differ("xray", |last| log(|b| b.event(None, 1040, &long(last))), "data");
    let followed = |last: u8| {
        log(|b| {
            b.event(Some(9), 1040, &long(last));
            b.function(FunctionKind::Enter, 1, 1050);
        })
    };
    differ("xray", followed, "data");
}

#[test]
fn arguments_of_functions() {
    let many = |last: u8| {
        log(|b| {
            b.function(FunctionKind::EnterArgs, 1, 1000);
            (0..1 << 16).for_each(|value| b.argument(value));
            b.argument(last.into());
        })
    };
    differ("xray", many, "cpu");
}

#[test]
fn entries_of_points() {
    let tables = || {
        let types = [Type { name: 0, format: 0, size: 8 }];
        Tables::new([&b"x"[..]], types)
    };
    let many = |last: u8| {
        let mut w = Points::new(Layout::Wide, tables());
        (0..1 << 20).for_each(|value| w.auxiliary(value));
        w.number(0, 0, Number::Unsigned(last.into()));
        w.end();
        w.finish()
    };
    differ("trace-db", many, "statement");
}

fn frame(operand: Operand) -> Vec<u8> {
    let std = Std { address: 0x1000, thread: 1, bytes: vec![0x90], post: Some(vec![operand]), ..Std::default() };
    let mut w = Frames::new(2, 9, 64, None);
    w.frame(&Frame::Std(std));
    w.finish(Table::None)
}

#[test]
fn operands_of_frames_are_passed_on_as_a_whole() {
    let operand = |last: u8| Operand { value: long(last), ..Operand::written("ZA", 0) };
    let [shown, whole] =
        [Extent::Shown, Extent::Digested].map(|extent| seen("frames", &frame(operand(1)), extent, 9973));
    assert_eq!(whole.passed, shown.passed + 1);
    assert_eq!(whole.left_out, []);
}

#[test]
fn frames_that_are_invalid() {
    let file = |last: u8| {
        let operand = Operand { value: vec![last; 8], ..Operand::written("RAX", 0) };
        let mut file = frame(Operand { place: Place::Memory(0x7000), ..operand });
        // The field of the value, of 8 bytes, claims more than there are.
        let at = file
            .windows(10)
            .rposition(|window| window == [[5 << 3 | 2, 8], [last; 2], [last; 2], [last; 2], [last; 2]].concat());
        file[at.unwrap() + 1] = 99;
        file
    };
    differ("frames", file, "");
}

#[test]
fn what_looks_into_bytes_gets_all_of_them() {
    let files =
        [("apitrace", call(vec![Arg::Uint(1), Arg::Blob(&long(1))])), ("xray", log(|b| b.event(None, 1040, &long(1))))];
    for (format, file) in files {
        let [shown, held] = [Extent::Shown, Extent::Held].map(|extent| seen(format, &file, extent, 9973));
        assert_eq!(held.passed, shown.passed + 1, "{format}");
        assert_eq!(held.left_out, []);
    }
}
