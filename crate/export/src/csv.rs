//! Comma-separated values (RFC 4180): a row for each slice, instant and sample. No cell is a
//! formula.

use unspool_trace::TrackKind;
use unspool_trace::batch::{Key, flags};
use unspool_trace::statement::StatementId;

use crate::{Arg, Instant, Number, Sample, Slice, Table, Trace, Writer, json};

/// Points whose statements are kept for their values: 256 MiB.
const MOST_POINTS: usize = 1 << 26;
/// A point without a statement.
const NONE: u32 = u32::MAX;

/// Writes CSV.
#[derive(Default)]
pub(crate) struct Csv {
    /// The name of the statement of each point from the first exported one on, or [`NONE`].
    statements: Vec<u32>,
}

/// Appends a field of CSV that is a text, in quotes if it needs them. Spreadsheets take one that
/// begins with certain characters for a formula: an apostrophe comes before it.
pub fn text(text: &str, out: &mut Vec<u8>) {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    // Spreadsheets strip spaces from fields without quotes.
    if text.contains([',', '"', '\r', '\n']) || text.trim() != text {
        out.push(b'"');
        if is_formula {
            out.push(b'\'');
        }
        for byte in text.bytes() {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    } else {
        if is_formula {
            out.push(b'\'');
        }
        out.extend(text.bytes());
    }
}

/// Appends the fields that all rows begin with: type, track, thread and time.
fn begin(kind: &str, trace: &Trace, track: u32, time: u64, out: &mut Vec<u8>) {
    out.extend(kind.bytes());
    out.push(b',');
    text(trace.track_name(track), out);
    out.push(b',');
    if let Some(number) = trace.head.tracks.get(track as usize).and_then(|track| track.id) {
        json::signed(number, out);
    }
    out.push(b',');
    json::integer(time, out);
    out.push(b',');
}

/// Appends the fields of a name: text, kind and key.
fn name(trace: &Trace, name: u32, out: &mut Vec<u8>) {
    if let Some(name) = trace.names.get(name as usize) {
        text(&name.text, out);
        out.push(b',');
        out.extend(name.kind.word().bytes());
        out.push(b',');
        key(name.key, out);
    } else {
        out.extend(b",,");
    }
}

/// Appends a key. A statement is that of queries about values, such as `7:12`: its 64 bits have a
/// flag for the file.
fn key(key: Key, out: &mut Vec<u8>) {
    match key {
        Key::None => {}
        Key::Id(id) => json::signed(id, out),
        Key::Address(address) => json::integer(address, out),
        Key::Statement(bits) => {
            let statement = StatementId::from_bits(bits);
            if let Some(file) = statement.file() {
                json::integer(file.into(), out);
                out.push(b':');
            }
            json::integer(statement.place(), out);
        }
    }
}

/// A position from the first exported one on.
fn point(trace: &Trace, time: u64) -> Option<usize> {
    let first = trace.range.map_or(0, |(from, _)| from).max(trace.head.origin);
    usize::try_from(time.checked_sub(first)?).ok()
}

impl Writer for Csv {
    fn begin(&mut self, _trace: &Trace, out: &mut Vec<u8>) {
        out.extend(b"type,track,thread,time,duration,depth,name,kind,key,flags,value,value_type,statement\r\n");
    }

    fn wants_statements(&self, trace: &Trace) -> bool {
        trace.names.iter().any(|name| matches!(name.key, Key::Statement(_)))
    }

    fn statement(&mut self, trace: &Trace, instant: &Instant) {
        let is_statement =
            trace.names.get(instant.name as usize).is_some_and(|name| matches!(name.key, Key::Statement(_)));
        let Some(point) = point(trace, instant.time).filter(|point| is_statement && *point < MOST_POINTS) else {
            return;
        };
        if point >= self.statements.len() {
            self.statements.resize(point + 1, NONE);
        }
        if let Some(statement) = self.statements.get_mut(point) {
            *statement = instant.name;
        }
    }

    fn wants(&self, _trace: &Trace, _table: Table, _track: u32) -> bool {
        true
    }

    fn slice(&mut self, trace: &Trace, track: u32, slice: &Slice, _args: &[Arg], out: &mut Vec<u8>) {
        begin("slice", trace, track, slice.start, out);
        json::integer(slice.end - slice.start, out);
        out.push(b',');
        json::integer(slice.depth.into(), out);
        out.push(b',');
        name(trace, slice.name, out);
        out.push(b',');
        for (place, word) in flags::words(slice.flags).enumerate() {
            if place > 0 {
                out.push(b' ');
            }
            out.extend(word.bytes());
        }
        out.extend(b",,,\r\n");
    }

    fn instant(&mut self, trace: &Trace, track: u32, instant: &Instant, _args: &[Arg], out: &mut Vec<u8>) {
        begin("instant", trace, track, instant.time, out);
        out.extend(b",,");
        name(trace, instant.name, out);
        out.extend(b",,,,\r\n");
    }

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, out: &mut Vec<u8>) {
        begin("counter", trace, track, sample.time, out);
        out.extend(b",,,,,,");
        match sample.value {
            Number::Real(number) => out.extend(number.to_string().bytes()),
            number => json::number(number, out),
        }
        out.push(b',');
        if let Some(track) = trace.head.tracks.get(track as usize).filter(|it| it.kind == TrackKind::Counter) {
            text(&track.detail, out);
        }
        out.push(b',');
        let statement = point(trace, sample.time).and_then(|point| self.statements.get(point));
        if let Some(name) = statement.and_then(|name| trace.names.get(*name as usize)) {
            key(name.key, out);
        }
        out.extend(b"\r\n");
    }

    fn finish(&mut self, _trace: &Trace, _out: &mut Vec<u8>) -> bool {
        false
    }
}
