//! A call without an end lasts to the last record of its thread, in every format that has threads.

use unspool_engine::Session;
use unspool_formats::apitrace::encode::{Details, FunctionSig, Writer};
use unspool_formats::frames::encode::{Frame, Meta, Std, Table, Writer as FramesWriter};
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};
use unspool_trace::batch::flags::NEVER_ENDED;

use crate::common::read_whole;

/// Track, begin and end of the calls that never ended.
fn never_ended(session: &Session) -> Vec<(String, u64, u64)> {
    let mut calls = Vec::new();
    for track in session.store().track_report() {
        session.store().for_each_slice(track.id, |_, _, slice| {
            if slice.flags & NEVER_ENDED != 0 {
                calls.push((track.name.clone(), slice.start, slice.end));
            }
        });
    }
    calls
}

fn named(calls: &[(&str, u64, u64)]) -> Vec<(String, u64, u64)> {
    calls.iter().map(|(track, start, end)| ((*track).to_string(), *start, *end)).collect()
}

#[test]
fn calls_of_an_xray_log_end_with_their_thread() {
    let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
    for (tid, clock) in [(1, 1000), (2, 1005), (3, 1010)] {
        let mut buffer = FdrBuffer::new(1, tid, 0, clock, (1, 0));
        buffer.function(FunctionKind::Enter, 1, clock);
        match tid {
            1 => buffer.function(FunctionKind::Exit, 1, 900_000),
            2 => {
                buffer.function(FunctionKind::Enter, 2, 1020);
                buffer.function(FunctionKind::Exit, 2, 1030);
                buffer.event(None, 1040, b"the last record");
            }
            _ => {}
        }
        file.extend(buffer.finish());
    }
    let session = read_whole(&file);
    assert_eq!(never_ended(&session), named(&[("thread 2", 1005, 1040), ("thread 3", 1010, 1010)]));
    assert_eq!(session.store().extent(), Some((1000, 900_000)));
}

#[test]
fn calls_of_frames_end_with_the_last_instruction_of_their_thread() {
    let mut writer = FramesWriter::new(3, 9, 64, Some(&Meta::default()));
    // Each thread calls a function, and executes a few instructions of it.
    for (thread, count) in [(1, 4), (2, 30)] {
        let step = |address, bytes: &[u8]| {
            Frame::Std(Std { address, thread, bytes: bytes.to_vec(), pre: vec![], post: None, mode: None })
        };
        writer.frame(&step(0x1000, &[0xe8, 0xfb, 0x0f, 0, 0]));
        (0..count).for_each(|i| writer.frame(&step(0x2000 + i, &[0x90])));
    }
    let session = read_whole(&writer.finish(Table::Libtrace(10_000)));
    let expected = [("thread 1", 0, 5), ("thread 1", 1, 5), ("thread 2", 5, 36), ("thread 2", 6, 36)];
    assert_eq!(never_ended(&session), named(&expected));
}

#[test]
fn calls_of_an_apitrace_end_with_their_thread() {
    let signature = FunctionSig { id: 0, name: "glFinish", args: &[] };
    let mut writer = Writer::new(&[]);
    let none = Details::default();
    writer.enter(0, &signature, &none);
    for _ in 0..3 {
        writer.call(1, &signature, vec![], None);
    }
    writer.enter(1, &signature, &none);
    let session = read_whole(&writer.finish());
    // Each call takes a position. A frame belongs to the whole trace.
    assert_eq!(never_ended(&session), named(&[("frames", 0, 5), ("thread 0", 0, 1), ("thread 1", 4, 5)]));
    assert_eq!(session.store().extent(), Some((0, 5)));
}
