//! Traces that are read as bytes: a decoder, its text dump and its record pass.

use unspool_containers::{Container, peek};
use unspool_formats::open_records;
use unspool_formats::trace_db::problems::CUT_POINT;
use unspool_stacks::problems::KINDS as OF_CALLS;
use unspool_trace::problem::MANY_THREADS;
use unspool_trace::{Decoder, EventKind, Format, Locator, OpenOptions, Problem, ProblemKind, Records, Text, records};

use crate::choices::Choices;
use crate::drive::{self, Delivered, Dumped};
use crate::file::format;

/// Bytes that a format is recognised by.
const HEAD: usize = 64 * 1024;
/// Events whose details are read, per file.
const DETAILS: usize = 16;

/// Streams of apitrace, without a container: what libFuzzer changes is not undone by a checksum or
/// by a length.
pub(crate) fn apitrace_stream(stream: &[u8]) {
    agrees("apitrace", &stored(stream));
}

/// The Snappy container of apitrace around a stream, in chunks of some size, without compression.
pub(crate) fn stored(stream: &[u8]) -> Vec<u8> {
    let chunk = 1 + Choices::of(stream).index(4096);
    let mut file = b"at".to_vec();
    for chunk in stream.chunks(chunk) {
        let mut block = Vec::new();
        let mut len = chunk.len();
        while len >= 0x80 {
            block.push(len as u8 | 0x80);
            len >>= 7;
        }
        block.push(len as u8);
        // Literals of up to 60 bytes have their length in the tag.
        for literal in chunk.chunks(60) {
            block.push((literal.len() as u8 - 1) << 2);
            block.extend_from_slice(literal);
        }
        file.extend((block.len() as u32).to_le_bytes());
        file.extend(block);
    }
    file
}

/// The stream in an apitrace file, as far as it can be unpacked.
pub(crate) fn stream_of(file: &[u8]) -> Vec<u8> {
    peek(Container::of(file), file, usize::MAX)
}

struct Opening<'a> {
    format: &'static Format,
    head: &'a [u8],
    options: OpenOptions,
}

impl Opening<'_> {
    fn decoder(&self) -> Option<Box<dyn Decoder>> {
        (self.format.open)(self.head, self.options).ok()?.stream()
    }

    fn dump(&self, text: Text, file: &[u8], portion: impl FnMut() -> usize) -> Option<Dumped> {
        let mut dump = (self.format.text)(self.head, text, self.options).ok()??;
        drive::dump(&mut *dump, file, portion)
    }
}

/// Everything that the format with this id makes of a file agrees.
pub(crate) fn agrees(id: &str, file: &[u8]) {
    let format = format(id);
    let options = OpenOptions { size: Some(file.len() as u64), ..OpenOptions::default() };
    let opening = Opening { format, head: &file[..file.len().min(HEAD)], options };
    let mut choices = Choices::of(file);

    let Some(mut decoder) = opening.decoder() else { return };
    let Some(whole) = drive::decode(&mut *decoder, file, || usize::MAX, 1 << 16) else { return };
    let mut other = opening.decoder().unwrap_or_else(|| panic!("opens once"));
    let capacity = 1 + choices.index([8, 300, 5000][choices.clone().index(3)]);
    let parts = drive::decode(&mut *other, file, || choices.portion(), capacity);
    same_events(&whole, &parts.unwrap_or_else(|| panic!("as many events in portions")));
    assert_eq!(decoder.info(), other.info());
    let index = decoder.index();
    assert!(index == other.index(), "the index depends on portions");

    let reader = open_records(id, &index).unwrap_or_else(|error| panic!("the index: {error:?}"));
    let rows = passes(&*reader, file, &whole, &mut choices);
    dumps(&opening, file, &whole, rows, &mut choices);
    details(&*reader, file, &whole, &mut choices);
}

fn same_events(whole: &Delivered, parts: &Delivered) {
    assert_eq!(whole.error, parts.error);
    assert_eq!(whole.problems, parts.problems);
    let differ = whole.events.iter().zip(&parts.events).position(|(a, b)| a != b);
    if let Some(i) = differ {
        panic!("event {i}: {:?} is {:?} in portions", whole.events[i], parts.events[i]);
    }
    assert_eq!(whole.events.len(), parts.events.len());
    assert_eq!(whole.tracks, parts.tracks);
    assert_eq!(whole.names, parts.names);
    assert_eq!((&whole.ends, whole.records), (&parts.ends, parts.records));
}

/// The pass has the records of the timeline, in any portions and from any piece. Returns how many.
fn passes(reader: &dyn Records, file: &[u8], whole: &Delivered, choices: &mut Choices) -> u64 {
    let lanes = reader.lanes();
    let (rows, error) = drive::pass(reader, 0..u32::MAX, file, || usize::MAX);
    let listed: u64 = lanes.iter().map(|lane| lane.rows).sum();
    assert_eq!(listed, whole.records, "records in lanes and of the timeline");
    let expected = (0..).zip(lanes).flat_map(|(number, lane)| (0..lane.rows).map(move |row| (number, row)));
    assert!(rows.iter().map(|row| (row.lane, row.row)).eq(expected), "each row once; {error:?}");
    // A number that is not a number does not equal itself.
    let text = |rows: &[records::Row]| format!("{rows:?}");
    let (parts, in_parts) = drive::pass(reader, 0..u32::MAX, file, || choices.portion());
    assert_eq!(error, in_parts);
    assert!(text(&rows) == text(&parts), "records depend on portions");
    let pieces: Vec<_> =
        (0..).zip(lanes).flat_map(|(n, lane)| lane.pieces.iter().map(move |it| (n, lane, it))).collect();
    if let Some((number, lane, piece)) = pieces.get(choices.index(pieces.len())) {
        let (alone, _) = drive::pass(reader, piece.number..piece.number + 1, file, || usize::MAX);
        let end = lane.pieces.iter().map(|next| next.row).find(|row| *row > piece.row).unwrap_or(lane.rows);
        let of_piece = |row: &&records::Row| row.lane == *number && (piece.row..end).contains(&row.row);
        let expected: Vec<_> = rows.iter().filter(of_piece).cloned().collect();
        assert!(text(&alone) == text(&expected), "records of a piece alone");
    }
    rows.len() as u64
}

/// The problems that do not concern call stacks.
fn of_bytes(problems: &[Problem]) -> Vec<Problem> {
    problems.iter().filter(|problem| !OF_CALLS.contains(&problem.kind)).copied().collect()
}

/// The problems that do not concern the tracks of threads.
fn of_records(problems: &[Problem]) -> Vec<Problem> {
    problems.iter().filter(|problem| *problem.kind != MANY_THREADS).copied().collect()
}

/// The text is the same in any portions, has as many lines as there are records, and stops at the
/// same error.
fn dumps(opening: &Opening<'_>, file: &[u8], whole: &Delivered, rows: u64, choices: &mut Choices) {
    for text in [Text::Jsonl { blobs: false }, Text::Jsonl { blobs: true }, Text::Apitrace { thread_ids: true }] {
        let Some(dumped) = opening.dump(text, file, || usize::MAX) else { continue };
        let parts =
            opening.dump(text, file, || choices.portion()).unwrap_or_else(|| panic!("as much text in portions"));
        assert_eq!(dumped.problems, parts.problems);
        if (&dumped.text, dumped.error) != (&parts.text, parts.error) {
            let at = dumped.text.bytes().zip(parts.text.bytes()).position(|(a, b)| a != b);
            let ends = |all: &Dumped| (all.text.len(), all.error);
            panic!("{text:?} depends on portions at {at:?}: {:?} and {:?}", ends(&dumped), ends(&parts));
        }
        assert_eq!(dumped.error, whole.error, "errors of the dump and the timeline");
        if matches!(text, Text::Jsonl { .. }) {
            lines(opening.format.id, &dumped.text, whole, rows);
            match opening.format.id {
                "frames" => assert_eq!(of_bytes(&whole.problems), dumped.problems),
                "xray" => assert_eq!(of_records(&whole.problems), dumped.problems),
                _ => {}
            }
        }
    }
}

/// A dump has as many lines as the trace has records.
fn lines(id: &str, text: &str, whole: &Delivered, rows: u64) {
    let lines = text.lines().count() as u64;
    let problems = |kind: &ProblemKind| whole.problems.iter().filter(|problem| problem.kind == kind).count() as u64;
    match id {
        // The tables of names and types come first, and an incomplete point is left out.
        "trace-db" => assert_eq!(lines + problems(&CUT_POINT), rows + u64::from(!text.is_empty()), "lines and records"),
        // After damage, calls that are open are left out, as apitrace does.
        "apitrace" if !whole.problems.is_empty() => assert!(lines <= rows, "{lines} lines, {rows} records"),
        _ => assert_eq!(lines, rows, "lines and records"),
    }
}

/// The details of some events can be read, and those of what is not an event are refused.
fn details(reader: &dyn Records, file: &[u8], whole: &Delivered, choices: &mut Choices) {
    for i in 0..2 * DETAILS {
        let event = whole.events.get(choices.index(whole.events.len()));
        let is_sample = event.is_some_and(|event| event.0 == EventKind::Sample);
        let locator = match event {
            Some(event) if i < DETAILS && !is_sample => event.4,
            _ => Locator::from_bits(choices.extreme()),
        };
        let mut bytes = Vec::new();
        let mut range = reader.details_range(locator);
        let mut ranges = 0;
        while let Some(wanted) = range {
            bytes.extend_from_slice(drive::bytes(file, wanted));
            ranges += 1;
            assert!(ranges < 10, "asks for details again and again");
            range = reader.details_next(locator, &bytes);
        }
        // The file may be damaged. The details then say so.
        let _ = reader.details(locator, &bytes);
        let _ = reader.details(locator, &bytes[..choices.index(bytes.len() + 1)]);
        let elsewhere = &file[choices.index(file.len() + 1)..];
        let _ = reader.details(locator, elsewhere);
        let _ = reader.details_next(locator, elsewhere);
    }
}
