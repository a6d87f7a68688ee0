//! Shared by the tests of all formats: the loop that drives a decoder, and everything that it
//! delivers in a form that can be compared.

#![allow(dead_code, reason = "each test uses a part of this")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::fs;
use std::path::Path;

use unspool_trace::batch::Payload;
use unspool_trace::{
    Decoder, Error, EventBatch, EventKind, Format, Locator, OpenOptions, Problem, ProblemKind, RecordDetails, Records,
    Result, TrackDef, Want,
};

use unspool_formats::{FORMATS, open_records};

/// Everything that a decoder delivers. Each format's tests add their own `track`, which prints the
/// events of a track.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Delivered {
    pub(crate) events: Vec<(EventKind, u32, u64, u32, Locator)>,
    /// Where whole slices end.
    pub(crate) ends: Vec<u64>,
    pub(crate) payloads: Vec<Payload>,
    pub(crate) tracks: Vec<TrackDef>,
    pub(crate) names: Vec<String>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) records: u64,
    pub(crate) error: Option<Error>,
}

impl Delivered {
    pub(crate) fn take(&mut self, batch: &mut EventBatch) {
        for i in 0..batch.len() {
            self.events.push((batch.kinds[i], batch.tracks[i], batch.times[i], batch.names[i], batch.locators[i]));
        }
        self.tracks.append(&mut batch.new_tracks);
        self.names.extend(batch.new_names.drain(..).map(|name| name.text));
        self.ends.append(&mut batch.ends);
        self.payloads.append(&mut batch.payloads);
        self.problems.append(&mut batch.problems);
        self.records += batch.records;
        batch.clear();
    }

    pub(crate) fn kinds(&self) -> Vec<&'static ProblemKind> {
        self.problems.iter().map(|p| p.kind).collect()
    }
}

pub(crate) fn format(id: &str) -> &'static Format {
    FORMATS.iter().find(|f| f.id == id).unwrap()
}

pub(crate) fn options(file: &[u8]) -> OpenOptions {
    OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() }
}

pub(crate) fn open(id: &str, file: &[u8]) -> Box<dyn Decoder> {
    (format(id).open)(&file[..file.len().min(64 * 1024)], options(file)).unwrap().stream().unwrap()
}

/// Bytes that a decoder leaves over at most, plus 1: less than the longest primitive of the format.
fn most_left_over(id: &str) -> usize {
    match id {
        // A chunk header with what precedes it; containers keep what they cannot decompress yet.
        "apitrace" => 64 * 1024,
        // A record; of a buffer that begins as an earlier one does, all that is compared. Buffers
        // of the tests are small.
        "xray" => 2048,
        "trace-db" => 17,
        _ => 64,
    }
}

/// Drives the decoder of format `id` over a file, as the engine does: in portions whose sizes are
/// `portions` in turn, with batches of `capacity` events. Follows every seek. A decoder that makes
/// no progress fails the test, and so does one that leaves too much over, or that forgets its
/// error.
pub(crate) fn decode(id: &str, file: &[u8], portions: &[usize], capacity: usize) -> (Delivered, Box<dyn Decoder>) {
    let mut decoder = open(id, file);
    let mut batch = EventBatch::with_capacity(capacity);
    let mut all = Delivered::default();
    let mut sizes = portions.iter().copied().cycle();
    let (mut at, mut pending) = (0usize, Vec::new());
    let mut turns = 0;
    loop {
        turns += 1;
        assert!(turns < 100 * (file.len() + 100), "the decoder makes no progress");
        let want = decoder.want();
        match want {
            Want::Nothing => return (all, decoder),
            Want::Seek { at: seek, .. } if seek as usize != at - pending.len() => {
                at = seek as usize;
                pending.clear();
            }
            Want::Next | Want::Seek { .. } => {}
        }
        let pushed = decoder.push(&pending, &mut batch);
        let full = batch.is_full();
        all.take(&mut batch);
        let used = match pushed {
            Ok(progress) => progress.used,
            Err(error) => {
                assert_eq!(decoder.push(&[], &mut batch), Err(error), "an error stays");
                all.error = Some(error);
                return (all, decoder);
            }
        };
        pending.drain(..used);
        if used > 0 || full || decoder.want() != want {
            continue;
        }
        assert!(pending.len() < most_left_over(id), "{} bytes left over", pending.len());
        if at >= file.len() {
            all.error = decoder.end(&pending, &mut batch).err();
            pending.clear();
            all.take(&mut batch);
            if all.error.is_some() {
                return (all, decoder);
            }
        } else {
            let n = sizes.next().unwrap().clamp(1, file.len() - at);
            pending.extend_from_slice(&file[at..at + n]);
            at += n;
        }
    }
}

/// What a decoder delivers of a file that comes in one portion.
pub(crate) fn whole(id: &str, file: &[u8]) -> Delivered {
    decode(id, file, &[usize::MAX], 1 << 16).0
}

/// A reader of the records that a decoder of format `id` has decoded.
pub(crate) fn reader(id: &str, decoder: &dyn Decoder) -> Box<dyn Records> {
    open_records(id, &decoder.index()).unwrap()
}

/// The details of a record, requested as the engine does, and the number of bytes read for them.
pub(crate) fn details(file: &[u8], reader: &dyn Records, locator: Locator) -> (Result<RecordDetails>, usize) {
    let mut bytes = Vec::new();
    let mut range = reader.details_range(locator);
    let mut stretches = 0;
    while let Some(wanted) = range {
        let rest = file.get(wanted.at as usize..).unwrap_or_default();
        bytes.extend_from_slice(&rest[..rest.len().min(wanted.len as usize)]);
        stretches += 1;
        assert!(stretches < 10, "asks again and again");
        range = reader.details_next(locator, &bytes);
    }
    (reader.details(locator, &bytes), bytes.len())
}

/// Checks that files of the repository are what the encoder writes; with UNSPOOL_WRITE_FIXTURES
/// set, writes them first.
pub(crate) fn are_written(files: &[(&str, &[u8])]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, bytes) in files {
        let path = root.join(name);
        if std::env::var_os("UNSPOOL_WRITE_FIXTURES").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
        }
        assert!(fs::read(&path).unwrap() == *bytes, "{name} is not what the encoder writes");
    }
}
