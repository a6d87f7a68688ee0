//! Comma-separated values (RFC 4180): a row for each slice, instant and sample. No cell is a
//! formula.

use unspool_trace::batch::flags;

use crate::{Arg, Instant, Number, Sample, Slice, Table, Trace, Writer, json};

/// Writes CSV. It has no state.
pub(crate) struct Csv;

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
        if let Some(key) = name.key.number() {
            json::signed(key, out);
        }
    } else {
        out.extend(b",,");
    }
}

impl Writer for Csv {
    fn begin(&mut self, _trace: &Trace, out: &mut Vec<u8>) {
        out.extend(b"type,track,thread,time,duration,depth,name,kind,key,flags,value\r\n");
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
        out.extend(b",\r\n");
    }

    fn instant(&mut self, trace: &Trace, track: u32, instant: &Instant, _args: &[Arg], out: &mut Vec<u8>) {
        begin("instant", trace, track, instant.time, out);
        out.extend(b",,");
        name(trace, instant.name, out);
        out.extend(b",,\r\n");
    }

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, out: &mut Vec<u8>) {
        begin("counter", trace, track, sample.time, out);
        out.extend(b",,,,,,");
        match sample.value {
            Number::Real(number) => out.extend(number.to_string().bytes()),
            number => json::number(number, out),
        }
        out.extend(b"\r\n");
    }

    fn finish(&mut self, _trace: &Trace, _out: &mut Vec<u8>) {}
}
