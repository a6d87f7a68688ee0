//! trace-db has no magic number: which files are recognised as its traces, and which are not.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use unspool_trace::sniff::Confidence;
use unspool_trace::{OpenOptions, Probe};

use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::wire::{Layout, Number, Tables, Type};
use unspool_formats::{FORMATS, recognise, xray};

fn guess(file: &[u8]) -> Option<(&'static str, Confidence)> {
    let head = &file[..file.len().min(65536)];
    let tail = &file[file.len() - head.len()..];
    recognise(&Probe { head, tail, size: file.len() as u64, name: "" }).map(|(f, g)| (f.id, g.confidence))
}

#[test]
fn both_layouts_are_recognised_and_distinguished() {
    for layout in [Layout::Wide, Layout::Narrow] {
        let mut w = Writer::new(layout, Tables::new([&b"int"[..], b"x"], [Type { name: 0, format: 1, size: 4 }]));
        assert_eq!(guess(&w.clone().finish()), Some(("trace-db", Confidence::Likely)));
        w.statement(1);
        w.end();
        let file = w.finish();
        assert_eq!(guess(&file), Some(("trace-db", Confidence::Certain)));
        let format = FORMATS.iter().find(|f| f.id == "trace-db").unwrap();
        let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
        let title = (format.open)(&file, options).unwrap().stream().unwrap().info().title;
        assert!(title.contains(if layout == Layout::Wide { "wide" } else { "narrow" }), "{title}");
    }
}

#[test]
fn a_dictionary_whose_length_looks_like_an_xray_header_is_recognised() {
    // 3: basic mode version 3; 0x10000 + v: flight data recorder of version v.
    for length in [1usize, 2, 3, 0x1_0001, 0x1_0002, 0x1_0003, 0x1_0004, 0x1_0005] {
        let mut names = vec![vec![b'a'; 4]; length / 5];
        if length % 5 > 0 {
            names.push(vec![b'b'; length % 5 - 1]);
        }
        let tables = Tables::new(names.iter().map(|n| &n[..]), [Type { name: 0, format: 0, size: 8 }]);
        let mut w = Writer::new(Layout::Wide, tables);
        for n in 0..20 {
            w.statement(n);
            w.number(0, 0, Number::Unsigned(n));
            w.end();
        }
        let file = w.finish();
        assert_eq!(u64::from_le_bytes(file[..8].try_into().unwrap()), length as u64);
        assert_eq!(guess(&file).map(|g| g.0), Some("trace-db"), "{length} bytes of names");
    }
}

#[test]
fn xray_logs_are_not_recognised_as_trace_db() {
    use xray::encode::{FdrBuffer, basic_log_of, header};
    use xray::wire::{Basic, FunctionKind, Mode};
    for frequency in [0, 0x41, 0x4141, 0x41_4141, 3_000_000_000] {
        for version in 1..=5 {
            let mut h = header(Mode::Fdr, frequency, 4096);
            (h.version, h.constant_tsc, h.nonstop_tsc) = (version, false, false);
            let mut file = h.to_bytes().to_vec();
            assert_ne!(guess(&file).map(|g| g.0), Some("trace-db"));
            file.extend(FdrBuffer::of(&h, 1, 1, 1, 1, (0, 0)).finish());
            assert_eq!(guess(&file).map(|g| g.0), Some("xray"), "FDR {version}, {frequency} Hz");
            if version <= 3 {
                let mut h = header(Mode::Basic, frequency, 0);
                (h.version, h.constant_tsc, h.nonstop_tsc) = (version, false, false);
                let f =
                    |clock| Basic::Function { cpu: 0, kind: Ok(FunctionKind::Enter), func: 5, clock, tid: 1, pid: 1 };
                let file = basic_log_of(&h, &[f(100), f(200)]);
                assert_eq!(guess(&file).map(|g| g.0), Some("xray"), "basic {version}, {frequency} Hz");
            }
        }
    }
}

#[test]
fn a_dictionary_length_near_the_maximum_is_not_wrapped_around() {
    for below in [0u64, 1, 7, 8, 9] {
        let file = [&(u64::MAX - below).to_le_bytes()[..], b"name\0other\0"].concat();
        assert_eq!(guess(&file), None, "{below} below the maximum");
    }
}
