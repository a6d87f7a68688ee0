//! The details of calls and frames, decoded from traces of the encoder and of the corpus.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use unspool_trace::{EventBatch, EventKind, Limits, Locator, OpenOptions, RecordDetails, Records, Value as Shown};

use crate::common;
use std::fs;

use crate::apitrace_traces::{DATA, GOOD, corpus, sample};
use crate::common::{decode, format, reader};
use unspool_formats::apitrace::encode::{Value, Writer, snappy};

const WHOLE: &[usize] = &[usize::MAX];

fn details(reader: &dyn Records, file: &[u8], locator: Locator) -> RecordDetails {
    common::details(file, reader, locator).0.unwrap()
}

fn field<'a>(details: &'a RecordDetails, path: &[&str]) -> &'a Shown {
    let mut fields = &details.fields;
    let mut value = &Shown::Null;
    for name in path {
        value = &fields.iter().find(|f| f.name == *name).unwrap_or_else(|| panic!("no {name} in {fields:?}")).value;
        if let Shown::Tree(inner) = value {
            fields = inner;
        }
    }
    value
}

#[test]
fn values_nested_too_deep_for_browsers_are_counted() {
    let mut w = Writer::new(&[]);
    let deep = (0..300).fold(Value::Uint(7), |inner, _| Value::Array(vec![inner]));
    w.call(0, &GOOD, vec![deep, Value::Uint(9)], None);
    let file = snappy(w.stream(), 1 << 20);
    let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
    let call = all.events.iter().find(|e| e.0 == EventKind::Begin && e.1 == 3).unwrap().4;
    let details = details(reader("apitrace", decoder.as_ref()).as_ref(), &file, call);
    let mut levels = 0;
    let mut value = field(&details, &["Arguments", "v"]);
    while let Shown::List(inner) = value {
        levels += 1;
        value = inner.first().unwrap_or(&Shown::Null);
    }
    assert_eq!(levels, 65);
    assert_eq!(field(&details, &["Arguments", "argument 1"]), &Shown::U64(9), "what follows is not lost");
    assert!(details.remarks.iter().any(|remark| remark.contains("more values are not shown")), "{:?}", details.remarks);
}

#[test]
fn details_hold_the_arguments_of_both_events_of_a_call() {
    let file = snappy(sample().stream(), 40);
    let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let locator = |name: &str, nth: usize| {
        let named =
            |e: &&(EventKind, u32, u64, u32, Locator)| e.0 == EventKind::Begin && all.names[e.3 as usize] == name;
        all.events.iter().filter(named).nth(nth).unwrap().4
    };
    let of = |name: &str, nth: usize| details(reader.as_ref(), &file, locator(name, nth));
    let data = of("glBufferData", 0);
    assert_eq!(field(&data, &["Call"]), &Shown::U64(4));
    assert_eq!(field(&data, &["Thread"]), &Shown::U64(9));
    assert_eq!(field(&data, &["Frame"]), &Shown::U64(1));
    assert_eq!(field(&data, &["Arguments", "target"]), &Shown::I64(99));
    assert_eq!(field(&data, &["Arguments", "data"]), &Shown::Bytes { bytes: vec![7; 256], len: 256 });
    assert_eq!(field(&data, &["Arguments", "usage"]), &Shown::F64(0.1));
    assert_eq!(field(&data, &["Return value"]), &Shown::Symbol { name: "true".into(), value: Box::new(Shown::U64(1)) });
    assert!(data.remarks[0].contains("did not make this call"));
    let swap = of("glXSwapBuffers", 0);
    assert_eq!(field(&swap, &["Arguments", "dpy"]), &Shown::Hex(0x1234));
    assert_eq!(field(&swap, &["Arguments", "drawable"]), &Shown::U64(2), "the later one wins");
    let draw = of("glDrawArrays", 0);
    assert_eq!(
        field(&draw, &["Arguments", "mode"]),
        &Shown::Symbol { name: "GL_TRIANGLES".into(), value: Box::new(Shown::I64(4)) }
    );
    assert_eq!(
        field(&draw, &["Arguments", "count"]),
        &Shown::Symbol { name: "A | 0x4".into(), value: Box::new(Shown::Hex(5)) }
    );
    let nested = of("good", 1);
    let Shown::List(parts) = field(&nested, &["Arguments", "v"]) else { panic!() };
    assert!(matches!(&parts[0], Shown::Tree(members) if members[0].name == "x" && members[0].value == Shown::F64(0.5)));
    assert!(matches!(&parts[1], Shown::Tree(both) if both[1].name == "machine form"));
    assert_eq!(field(&nested, &["Backtrace"]), &Shown::List(vec![Shown::Text("libGL.so+0x10".into())]));
    let open = of("good", 2);
    assert_eq!(field(&open, &["Call"]), &Shown::U64(8));
    assert!(open.remarks[0].contains("never returned"), "{:?}", open.remarks);
    let frame = of("frame 0", 0);
    assert_eq!(field(&frame, &["Draw calls"]), &Shown::U64(1));
    assert_eq!(field(&frame, &["Last call"]), &Shown::U64(4));
    assert_eq!(field(&of("frame 1", 0), &["Uploaded bytes"]), &Shown::U64(263));
}

#[test]
fn details_skip_the_rest_of_a_large_blob() {
    let mut w = Writer::new(&[]);
    let blob: Vec<u8> = (0..40u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for i in 0..40_000 {
        w.call(0, &GOOD, vec![Value::Uint(i)], None);
    }
    w.call(
        0,
        &DATA,
        vec![Value::Null, Value::Uint(1), Value::Blob(&blob), Value::Text(b"usage")],
        Some(Value::Uint(3)),
    );
    w.call(0, &GOOD, vec![Value::Text(b"last")], None);
    let file = w.finish();
    let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
    let reader = reader("apitrace", decoder.as_ref());
    let begins: Vec<_> = all.events.iter().filter(|e| e.0 == EventKind::Begin && e.1 == 3).collect();
    let big = details(reader.as_ref(), &file, begins[40_000].4);
    assert_eq!(field(&big, &["Arguments", "usage"]), &Shown::Text("usage".into()));
    assert_eq!(field(&big, &["Return value"]), &Shown::U64(3));
    assert!(
        matches!(field(&big, &["Arguments", "data"]), Shown::Bytes { bytes, len: 41_943_040 } if bytes[..] == blob[..65536])
    );
    let last = details(reader.as_ref(), &file, begins[40_001].4);
    assert_eq!(field(&last, &["Arguments", "v"]), &Shown::Text("last".into()));
    assert_eq!(last.remarks, [] as [&str; 0]);
}

#[test]
fn without_random_access_details_come_from_the_kept_stream() {
    let mut w = sample();
    let blob: Vec<u8> = (0..3u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    w.call(0, &DATA, vec![Value::Null, Value::Uint(1), Value::Blob(&blob), Value::Text(b"usage")], None);
    w.call(0, &GOOD, vec![Value::Text(b"last")], None);
    let snappy = snappy(w.stream(), 1 << 20);
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    gzip.extend(miniz_oxide::deflate::compress_to_vec(w.stream(), 1));
    let (by_list, listed) = decode("apitrace", &snappy, WHOLE, 1 << 16);
    let (by_spool, kept) = decode("apitrace", &gzip, WHOLE, 1 << 16);
    assert_eq!(by_list, by_spool);
    let (listed, kept) = (reader("apitrace", listed.as_ref()), reader("apitrace", kept.as_ref()));
    for event in by_list.events.iter().filter(|e| e.0 == EventKind::Begin) {
        let expected = details(listed.as_ref(), &snappy, event.4);
        assert_eq!(kept.details(event.4, &[]).unwrap(), expected);
    }

    // Only the beginning of a stream beyond the limit is kept.
    let limits = Limits { spool: 1000, ..Limits::DEFAULT };
    let mut decoder =
        (format("apitrace").open)(&gzip, OpenOptions { limits, ..OpenOptions::default() }).unwrap().stream().unwrap();
    let mut batch = EventBatch::with_capacity(1000);
    let used = decoder.push(&gzip, &mut batch).unwrap().used;
    decoder.end(&gzip[used..], &mut batch).unwrap();
    let reader = reader("apitrace", decoder.as_ref());
    let begins: Vec<_> =
        by_list.events.iter().filter(|e| e.0 == EventKind::Begin && !e.4.is_other()).map(|e| e.4).collect();
    assert!(reader.details(begins[0], &[]).is_ok());
    let error = reader.details(begins[begins.len() - 1], &[]).unwrap_err();
    assert!(error.to_string().contains("repack"), "{error}");
}

#[test]
fn details_of_every_call_of_the_small_corpus_files() {
    for path in corpus() {
        let file = fs::read(&path).unwrap();
        if file.len() > 60_000 || (format("apitrace").open)(&file, OpenOptions::default()).is_err() {
            continue;
        }
        let (all, decoder) = decode("apitrace", &file, WHOLE, 1 << 16);
        let reader = reader("apitrace", decoder.as_ref());
        for (_, _, time, name, locator) in all.events.iter().filter(|e| e.0 == EventKind::Begin) {
            let details = details(reader.as_ref(), &file, *locator);
            if !locator.is_other() {
                let name = &all.names[*name as usize];
                assert_eq!(field(&details, &["Call"]), &Shown::U64(*time), "{} {name}", path.display());
            }
        }
    }
}
