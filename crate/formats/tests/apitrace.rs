//! Traces from the encoder, decoded again: events, damage, any portions.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use unspool_trace::problem::{MALFORMED, TOO_DEEP, TRUNCATED};
use unspool_trace::{EventKind, Locator, OpenOptions, Probe, Problem, Text, Value};

use crate::apitrace_traces::{
    CALL_LIST, CALL_LISTS, DRAW, END_LIST, GOOD, NEW_LIST, POP, PUSH, SWAP, corpus, dump, sample, stream,
};
use crate::common::{Delivered, decode, details, format, reader, whole};
use unspool_formats::apitrace::encode::{Details, FunctionSig, Value as Arg, Writer, snappy};
use unspool_formats::apitrace::problems::{CUT_CALL, LEAVE_WITHOUT_ENTER, POP_WITHOUT_PUSH};

const WHOLE: &[usize] = &[usize::MAX];

impl Delivered {
    /// Events of a track as text.
    fn events_of(&self, track: u32) -> Vec<String> {
        let of_track = self.events.iter().filter(|e| e.1 == track);
        of_track
            .map(|(kind, _, at, name, locator)| match kind {
                EventKind::Sample => format!("{} from {at}", locator.bits()),
                _ => format!("{kind:?} {} at {at}", self.names[*name as usize]),
            })
            .collect()
    }
}

#[test]
fn calls_groups_frames_markers_and_counters_become_events() {
    let all = whole("apitrace", &sample().finish());
    assert_eq!(all.records, 9);
    let tracks: Vec<_> = all.tracks.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(tracks, ["frames", "draw calls per frame", "uploaded per frame", "thread 0", "thread 9"]);
    // Call 4 ends after the swap, so its blob counts for the next frame.
    assert_eq!(all.events_of(0), ["Begin frame 0 at 0", "EndOf frame 0 at 5", "Begin frame 1 at 5"]);
    assert_eq!(all.events_of(1), ["1 from 0", "0 from 5"]);
    assert_eq!(all.events_of(2), ["0 from 0", "263 from 5"]);
    let data: Vec<_> = all.payloads.iter().map(|p| (p.x, p.track, &*all.names[p.name as usize], p.bytes)).collect();
    assert_eq!(data, [(4, 4, "glBufferData", 256), (7, 4, "good", 7)]);
    assert_eq!(
        all.events_of(3),
        [
            "Begin good at 0",
            "EndOf good at 1",
            "Begin sky at 1",
            "Begin glPushDebugGroup at 1",
            "EndOf glPushDebugGroup at 2",
            "Begin glDrawArrays at 2",
            "EndOf glDrawArrays at 3",
            "Begin glXSwapBuffers at 3",
            "EndOf glXSwapBuffers at 5",
            "Begin glPopDebugGroup at 5",
            "EndOf glPopDebugGroup at 6",
            "EndOf sky at 6",
            "Begin good at 8",
        ]
    );
    assert_eq!(
        all.events_of(4),
        [
            "Begin glBufferData at 4",
            "EndOf glBufferData at 6",
            "Begin D3DPERF_SetMarker at 6",
            "Instant märk at 6",
            "EndOf D3DPERF_SetMarker at 7",
            "Begin good at 7",
            "EndOf good at 8",
        ]
    );
    assert_eq!(all.problems, []);
}

#[test]
fn what_display_lists_hold_counts_when_they_are_called() {
    let mut w = Writer::new(&[]);
    let draw = |w: &mut Writer, thread| w.call(thread, &DRAW, [4, 0, 3].map(Arg::Int).to_vec(), None);
    // List 7 draws; another thread draws meanwhile.
    w.call(0, &NEW_LIST, vec![Arg::Uint(7), Arg::Uint(0x1300)], None);
    draw(&mut w, 0);
    draw(&mut w, 1);
    w.call(0, &END_LIST, vec![], None);
    w.call(0, &NEW_LIST, vec![Arg::Uint(8), Arg::Uint(0x1300)], None);
    w.call(0, &END_LIST, vec![], None);
    w.call(0, &SWAP, vec![], None);
    // Lists 7 and 8, several at once, and again 8, which is empty.
    w.call(0, &CALL_LIST, vec![Arg::Uint(7)], None);
    w.call(0, &CALL_LISTS, vec![Arg::Uint(2), Arg::Uint(0x1401), Arg::Blob(&[8, 7])], None);
    w.call(0, &CALL_LISTS, vec![Arg::Uint(1), Arg::Uint(0x1401), Arg::Blob(&[8, 7])], None);
    w.call(0, &CALL_LIST, vec![Arg::Uint(8)], None);
    w.call(0, &SWAP, vec![], None);
    let file = w.finish();
    for portions in [WHOLE, &[1, 7]] {
        let (all, decoder) = decode("apitrace", &file, portions, 1 << 16);
        assert_eq!(all.events_of(1), ["1 from 0", "2 from 7"]);
        // The call that was compiled says so.
        let reader = reader("apitrace", decoder.as_ref());
        let draws = all.events.iter().filter(|e| e.0 == EventKind::Begin && all.names[e.3 as usize] == DRAW.name);
        let remarks: Vec<_> = draws.map(|e| details(&file, reader.as_ref(), e.4).0.unwrap().remarks.len()).collect();
        assert_eq!(remarks, [1, 0]);
    }
}

#[test]
fn what_deferred_contexts_draw_counts_when_their_list_is_executed() {
    let method = |id, name, args| FunctionSig { id, name, args };
    let draw = method(60, "ID3D11DeviceContext::Draw", &["this", "VertexCount", "StartVertexLocation"][..]);
    let defer = method(61, "ID3D11Device::CreateDeferredContext", &["this", "ContextFlags", "ppDeferredContext"]);
    let finish = method(62, "ID3D11DeviceContext::FinishCommandList", &["this", "Restore", "ppCommandList"]);
    let execute = method(63, "ID3D11DeviceContext::ExecuteCommandList", &["this", "pCommandList", "Restore"]);
    let (device, now, later, list) = (0x1000, 0x2000, 0x3000, 0x4000);
    let mut w = Writer::new(&[]);
    for (sig, this, made) in [(&defer, device, later), (&draw, later, 0), (&draw, later, 0), (&finish, later, list)] {
        let call = w.enter(0, sig, &Details::args([Arg::Pointer(this), Arg::Uint(0)]));
        // What it returns is recorded when it does.
        let args = if made > 0 { vec![(2, Arg::Array(vec![Arg::Pointer(made)]))] } else { vec![] };
        w.leave(call, &Details { args, ..Details::result(Arg::Int(0)) });
    }
    w.call(0, &SWAP, vec![], None);
    for _ in 0..3 {
        w.call(0, &execute, vec![Arg::Pointer(now), Arg::Pointer(list), Arg::Uint(0)], None);
    }
    w.call(0, &draw, vec![Arg::Pointer(now), Arg::Uint(3), Arg::Uint(0)], None);
    w.call(0, &SWAP, vec![], None);
    let file = w.finish();
    for portions in [WHOLE, &[1, 7]] {
        let (all, decoder) = decode("apitrace", &file, portions, 1 << 16);
        assert_eq!(all.events_of(1), ["0 from 0", "7 from 5"]);
        let reader = reader("apitrace", decoder.as_ref());
        let begins = |name| {
            let all = &all;
            all.events.iter().filter(move |e| e.0 == EventKind::Begin && all.names[e.3 as usize] == name)
        };
        let remarks = |name| begins(name).map(|e| details(&file, reader.as_ref(), e.4).0.unwrap().remarks.join(" "));
        let recorded = "The call was recorded in a command list, not executed.";
        assert_eq!(remarks(draw.name).collect::<Vec<_>>(), [recorded, recorded, ""]);
        assert_eq!(remarks(execute.name).collect::<Vec<_>>(), ["Executes 2 draws and 0 clears."; 3]);
    }
}

#[test]
fn empty_truncated_and_damaged_files_are_reported() {
    let (all, decoder) = decode("apitrace", b"at", WHOLE, 1 << 16);
    assert_eq!((all.records, all.problems.len()), (0, 0));
    assert!(decoder.info().format.nouns.when_empty.contains("killed"));
    assert_eq!(decoder.info().title, "apitrace");

    let file = sample().finish();
    let opened = (format("apitrace").open)(&file, OpenOptions::default()).unwrap().stream().unwrap();
    assert_eq!(opened.info().title, "apitrace 6", "before anything is read");
    let file = sample().finish();
    let all = whole("apitrace", &file[..file.len() - 3]);
    assert_eq!(all.problems.iter().map(|p| (p.kind, p.value)).collect::<Vec<_>>(), [(&CUT_CALL, 8), (&TRUNCATED, 3)]);
    assert_eq!(all.records, 9, "the truncated call is shown");

    let mut stream = sample().stream().to_vec();
    stream.push(7);
    stream.extend([0; 100]);
    let file = snappy(&stream, 1 << 20);
    let all = whole("apitrace", &file);
    assert_eq!(all.problems, [Problem { at: 2, kind: &MALFORMED, value: file.len() as u64 - 2 }]);
    assert_eq!(all.records, 9);

    let mut w = Writer::new(&[]);
    w.leave(77, &Details::default());
    w.call(0, &POP, vec![], None);
    let all = whole("apitrace", &w.finish());
    assert_eq!(
        all.problems.iter().map(|p| (p.kind, p.value)).collect::<Vec<_>>(),
        [(&LEAVE_WITHOUT_ENTER, 77), (&POP_WITHOUT_PUSH, 0)]
    );

    let error = (format("apitrace").open)(&snappy(&[7, 0, 0], 100), OpenOptions::default()).err().unwrap();
    assert_eq!(error.to_string(), "at byte 0: apitrace trace version 7 is not supported; supported versions: 0 to 6");
}

#[test]
fn calls_nested_too_deep_are_counted_and_not_shown() {
    let mut w = Writer::new(&[]);
    let calls: Vec<u64> = (0..10_050).map(|_| w.enter(0, &GOOD, &Details::default())).collect();
    for call in calls.iter().rev() {
        w.leave(*call, &Details::default());
    }
    w.call(0, &GOOD, vec![], None);
    let all = whole("apitrace", &w.finish());
    let track = all.events_of(3);
    assert_eq!((all.records, track.len()), (10_051, 2 * 10_001));
    assert_eq!(track.last().map(String::as_str), Some("EndOf good at 10051"));
    assert_eq!(all.problems.iter().map(|p| (p.kind, p.value)).collect::<Vec<_>>(), [(&TOO_DEEP, 10_000)]);
}

#[test]
fn a_damaged_container_costs_the_rest_of_the_file_for_events_and_text() {
    let stream = sample().stream().to_vec();
    // The second chunk is not a Snappy block; the third is intact.
    let mut file = snappy(&stream, 1 << 20);
    let at = file.len() as u64;
    file.extend([&[3, 0, 0, 0, 9, 0xff, 0xff][..], &snappy(b"more", 100)[2..]].concat());
    let lost = Problem { at, kind: &MALFORMED, value: file.len() as u64 - at };
    assert_eq!(whole("apitrace", &file).problems, [lost]);
    assert_eq!(dump(&file, false, file.len()).1, [lost]);
}

#[test]
fn damage_loses_nothing_before_it_however_full_the_batch_is() {
    let mut w = Writer::new(&[]);
    for _ in 0..500 {
        w.call(0, &GOOD, vec![], None);
    }
    let stream = w.stream();
    let mut file = snappy(stream, stream.len() / 2);
    // The second of two blocks is damaged near its end.
    let at = file.len() - 40;
    file[at..].fill(0xff);
    let all = whole("apitrace", &file);
    assert!(all.records > 300 && all.problems.iter().any(|p| p.kind == &MALFORMED), "{:?}", all.problems);
    for (portion, capacity) in [(usize::MAX, 16), (100, 16), (1, 64), (7, 1 << 16)] {
        let (some, _) = decode("apitrace", &file, &[portion], capacity);
        assert_eq!((some.records, some.problems), (all.records, all.problems.clone()), "{portion} {capacity}");
    }
    let (text, _) = dump(&file, false, 100);
    assert_eq!(text.lines().count() as u64, all.records);
}

#[test]
fn a_truncated_header_is_reported_for_events_and_text() {
    let file = snappy(&sample().stream()[..2], 100);
    let cut = Problem { at: whole("apitrace", &file).problems[0].at, kind: &TRUNCATED, value: 0 };
    assert_eq!(whole("apitrace", &file).problems, [cut]);
    assert_eq!(dump(&file, false, file.len()).1, [cut]);
}

#[test]
fn groups_end_with_the_call_that_contains_the_push() {
    let mut w = Writer::new(&[]);
    let outer = w.enter(0, &GOOD, &Details::default());
    w.call(0, &PUSH, vec![Arg::Null, Arg::Null, Arg::Null, Arg::Text(b"inner")], None);
    w.leave(outer, &Details::default());
    w.call(0, &POP, vec![], None);
    let all = whole("apitrace", &w.finish());
    assert!(!all.events_of(3).contains(&"EndOf inner at 3".to_string()));
    assert_eq!(all.problems.len(), 1, "the pop has no open group");
}

#[test]
fn recognises_every_corpus_file_and_nothing_else() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        let head = &file[..file.len().min(65536)];
        let guess = (format("apitrace").sniff)(&Probe { head, tail: head, size: file.len() as u64, name: "" });
        assert_eq!(guess.is_some(), !file.is_empty(), "{}", path.display());
    }
    let no = [
        &b"attention please, this is a text"[..],
        b"at", // the probe's size says that there is more
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0",
        b"\x28\xb5\x2f\xfd",
        b"\x05\0\x01\0\x03\0\0\0",
        b"\0\0\0\0\0\0\0\0",
        b"",
    ];
    for head in no {
        assert_eq!(
            (format("apitrace").sniff)(&Probe { head, tail: head, size: 1000, name: "x.trace" }),
            None,
            "{head:?}"
        );
    }
}

#[test]
fn what_follows_damage_is_no_evidence_against_a_trace() {
    let mut w = Writer::new(&[]);
    for _ in 0..5 {
        w.call(0, &FunctionSig { id: 0, name: "glVertex3f", args: &["x"] }, vec![Arg::Float(1.0)], None);
    }
    let whole_calls = w.stream().len();
    // What the damage leads to may look like a function without a plausible name.
    w.call(0, &FunctionSig { id: 1, name: "\u{1}\u{2}\u{3}", args: &[] }, vec![], None);
    let mut stream = w.stream().to_vec();
    stream.extend([0xff; 64]);
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    gzip.extend(miniz_oxide::deflate::compress_to_vec(&stream, 1));
    gzip.extend([0; 8]);
    for file in [gzip, snappy(&stream, 1 << 20)] {
        let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "x.trace" };
        assert!((format("apitrace").sniff)(&probe).is_some(), "{} of {} bytes are whole", whole_calls, stream.len());
    }
}

#[test]
fn recognises_traces_whose_first_name_is_long_or_not_ascii() {
    let long = "a_very_long_name_".repeat(600);
    let longer = "n".repeat(100_000);
    for name in ["größe::set", "描画", &long, &longer] {
        let mut w = Writer::new(&[]);
        w.call(0, &FunctionSig { id: 0, name, args: &[] }, vec![], None);
        let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        gzip.extend(miniz_oxide::deflate::compress_to_vec(w.stream(), 1));
        gzip.extend([0; 8]);
        for file in [gzip, snappy(w.stream(), 1 << 20)] {
            let head = &file[..file.len().min(65536)];
            let probe = Probe { head, tail: head, size: file.len() as u64, name: "x.trace" };
            assert!((format("apitrace").sniff)(&probe).is_some(), "{} bytes", name.len());
            assert_eq!(whole("apitrace", &file).records, 1);
        }
    }
    // A compressed text is not a trace, whatever it says.
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    gzip.extend(miniz_oxide::deflate::compress_to_vec("größe\n".repeat(20_000).as_bytes(), 1));
    assert_eq!((format("apitrace").sniff)(&Probe { head: &gzip, tail: &gzip, size: 1000, name: "x.trace" }), None);
}

#[test]
fn a_damaged_container_has_the_same_problems_in_any_portions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/apitrace");
    let file = fs::read(folder.join("scene.gzip.trace")).unwrap();
    let mut both = 0;
    for at in (20..file.len()).step_by(5) {
        let mut damaged = file.clone();
        damaged[at] ^= 0x55;
        let (all, _) = decode("apitrace", &damaged, WHOLE, 1 << 16);
        let (parts, _) = decode("apitrace", &damaged, &[64], 50);
        // Where the stream is malformed, what follows is not read, so damage there is no second
        // problem.
        assert_eq!(all.kinds(), parts.kinds(), "damaged at {at}");
        both += usize::from(all.kinds().contains(&&MALFORMED));
    }
    assert!(both > 10, "{both} malformed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_portions_give_the_same_events(
        stream in stream(),
        chunk in 1usize..400,
        sizes in proptest::collection::vec(1usize..300, 1..20),
        capacity in 1usize..50,
    ) {
        let file = snappy(&stream, chunk);
        let (parts, _) = decode("apitrace", &file, &sizes, capacity);
        let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
        prop_assert_eq!(&parts, &all);
        prop_assert_eq!(dump(&file, true, sizes[0]), dump(&file, true, usize::MAX));
        let reader = reader("apitrace", decoder.as_ref());
        for event in all.events.iter().filter(|e| e.0 == EventKind::Begin) {
            let details = details(&file, reader.as_ref(), event.4).0.unwrap();
            if !event.4.is_other() {
                let call = details.fields.iter().find(|f| f.name == "Call");
                prop_assert_eq!(&call.unwrap().value, &Value::U64(event.2));
            }
        }
    }

    #[test]
    fn no_damage_causes_a_panic(
        stream in stream(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut: proptest::sample::Index,
        chunk in 1usize..400,
    ) {
        let mut file = snappy(&stream, chunk);
        for (at, byte) in damage {
            let i = at.index(file.len());
            if i > 1 {
                file[i] = byte;
            }
        }
        file.truncate(2 + cut.index(file.len()));
        if let Ok(Some(_)) = (format("apitrace").text)(&file, Text::Apitrace { thread_ids: true }, OpenOptions::default()) {
            let (parts, _) = decode("apitrace", &file, &[3], 1000);
            let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
            prop_assert_eq!(&parts, &all);
            dump(&file, true, 7);
            let reader = reader("apitrace", decoder.as_ref());
            for event in &all.events {
                let _ = details(&file, reader.as_ref(), event.4);
            }
            let _ = details(&file, reader.as_ref(), Locator::at(all.events.len() as u64));
        }
    }
}
