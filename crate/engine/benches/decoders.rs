//! Decoding speed on this machine, with and without the store.
//!
//! `UNSPOOL_BENCH_INPUTS` lists the paths of traces, separated as in `PATH`; the default is those
//! that `npm run bench` generates. Databases are not measured here, because the engine has no
//! SQLite: `unspool info` measures them.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement that panics has shown something"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::fmt;
use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use unspool_engine::{Session, Step};
use unspool_formats::{open_row_records, recognise};
use unspool_trace::{Decoder, EventBatch, OpenOptions, Opened, Probe, Want};

/// Events in a batch and bytes in a portion, as in a session.
const BATCH: usize = 4096;
const PORTION: usize = 1 << 20;
const HEAD: usize = 64 * 1024;

fn main() {
    if inputs().is_empty() {
        println!("skipped: there are no traces");
    }
    println!("skipped: databases, which `unspool info` measures");
    divan::main();
}

/// A trace to measure.
#[derive(Clone)]
struct Input {
    path: PathBuf,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }
}

/// The traces that are read as bytes.
fn inputs() -> Vec<Input> {
    let mut paths: Vec<PathBuf> = match std::env::var_os("UNSPOOL_BENCH_INPUTS") {
        Some(paths) => std::env::split_paths(&paths).collect(),
        None => {
            let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench/generated");
            made.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        }
    };
    paths.sort();
    paths.into_iter().filter_map(recognised).collect()
}

fn recognised(path: PathBuf) -> Option<Input> {
    let mut file = std::fs::File::open(&path).ok()?;
    let size = file.metadata().ok()?.len();
    let mut head = vec![0; HEAD.min(size as usize)];
    std::io::Read::read_exact(&mut file, &mut head).ok()?;
    let name = path.file_name()?.to_string_lossy().into_owned();
    let (format, _) = recognise(&Probe { head: &head, tail: &[], size, name: &name })?;
    open_row_records(format.id).is_err().then_some(Input { path })
}

#[divan::bench(args = inputs())]
fn decode(bencher: Bencher<'_, '_>, input: &Input) {
    let file = file_of(input);
    let mut batch = EventBatch::with_capacity(BATCH);
    let records = decoded(&file, &mut batch);
    bencher.counter(BytesCount::of_slice(&file)).counter(ItemsCount::new(records)).bench_local(|| {
        assert_eq!(decoded(&file, &mut batch), records);
    });
}

#[divan::bench(args = inputs())]
fn decode_and_store(bencher: Bencher<'_, '_>, input: &Input) {
    let file = file_of(input);
    let records = stored(&file).store().records();
    // The result is dropped outside of the measurement.
    bencher.counter(BytesCount::of_slice(&file)).counter(ItemsCount::new(records)).bench_local(|| stored(&file));
}

fn file_of(input: &Input) -> Vec<u8> {
    std::fs::read(&input.path).unwrap_or_else(|error| panic!("{}: {error}", input.path.display()))
}

/// Decodes a whole trace into a batch that is discarded whenever it is full. Returns the number of
/// records.
fn decoded(file: &[u8], batch: &mut EventBatch) -> u64 {
    let mut decoder = decoder(file);
    // The decoder receives the bytes from `at` up to `end`.
    let (mut at, mut end, mut records) = (0, 0, 0);
    loop {
        let want = decoder.want();
        match want {
            Want::Nothing => return records,
            Want::Seek { at: to, .. } if to as usize != at => (at, end) = (to as usize, to as usize),
            Want::Seek { .. } | Want::Next => {}
        }
        batch.clear();
        let used = decoder.push(&file[at..end], batch).expect("the trace is whole").used;
        at += used;
        records += batch.records;
        if used > 0 || batch.is_full() || decoder.want() != want {
            continue;
        }
        if end == file.len() {
            batch.clear();
            decoder.end(&file[at..end], batch).expect("the trace is whole");
            records += batch.records;
            at = end;
        } else {
            let up_to = match want {
                Want::Seek { at, len } if at + len > end as u64 => (at + len) as usize,
                _ => end + PORTION,
            };
            end = up_to.min(end + PORTION).min(file.len());
        }
    }
}

fn decoder(file: &[u8]) -> Box<dyn Decoder> {
    let head = &file[..file.len().min(HEAD)];
    let size = file.len() as u64;
    let (format, _) = recognise(&Probe { head, tail: &[], size, name: "" }).expect("it was recognised before");
    match (format.open)(head, OpenOptions { size: Some(size), ..OpenOptions::default() }) {
        Ok(Opened::Stream(decoder)) => decoder,
        _ => panic!("a {} cannot be opened", format.name),
    }
}

/// Reads a whole trace.
fn stored(file: &[u8]) -> Session {
    let mut session = common::read_whole(file);
    assert_eq!(session.step(0), Step::Done, "the trace is whole");
    session
}
