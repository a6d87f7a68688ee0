//! Calls as JSON lines: an object for each call.
//!
//! ```json
//! {"call":7,"thread":0,"frame":1,"name":"glClear","args":{"mask":"GL_COLOR_BUFFER_BIT"},"flags":["clear"]}
//! ```
//!
//! Numbers are numbers, and constants and flags have the names that `apitrace dump` prints. A
//! pointer is text in hexadecimal: many readers of JSON round numbers beyond 2^53. An argument that
//! was not recorded is `null`, like a null pointer. An array is an array even if it has one
//! element, a GUID is text, and a blob is its length.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use crate::hex::push_hex;
use crate::json::{put_chars, put_double, put_text};

use super::describe::{put_guid, shown};
use super::functions::Marker;
use super::lines::{Call, Notation};
use super::lists::Rendered;
use super::numbers::put_uint;
use super::records::Bytes;
use super::tables::Frame;
use super::wire::wide_char;

/// Limit for a blob in bytes, because a call must be in memory to be printed. Of larger ones only
/// the length is printed.
const MAX_BLOB: u64 = 64 << 20;

/// The notation of JSON lines.
#[derive(Default)]
pub(super) struct Json {
    /// Print what is in blobs, too.
    blobs: bool,
    coming: Option<Bytes>,
    /// A string that is not complete: whether it is UTF-8 shows at its end.
    bytes: Vec<u8>,
    /// High surrogate of a wide string.
    high: Option<u32>,
    left_out: u64,
}

impl Json {
    /// With what is in blobs if `blobs`.
    pub(super) fn new(blobs: bool) -> Self {
        Self { blobs, ..Self::default() }
    }
}

impl Notation for Json {
    const SEPARATOR: &'static str = ",";

    fn null(&mut self, out: &mut String) {
        out.push_str("null");
    }

    fn float(&mut self, out: &mut String, x: f32) {
        if x.is_finite() {
            // The fewest digits that give back the float, not the double.
            let _ = write!(out, "{x:?}");
        } else {
            put_double(out, x.into());
        }
    }

    fn double(&mut self, out: &mut String, x: f64) {
        put_double(out, x);
    }

    fn pointer(&mut self, out: &mut String, address: u64) {
        // Writing to a String cannot fail.
        let _ = write!(out, "\"{address:#x}\"");
    }

    fn quote(&mut self, out: &mut String) {
        out.push('"');
    }

    fn name(&mut self, out: &mut String, name: &str) {
        put_chars(out, name);
    }

    fn member(&mut self, out: &mut String, name: &str, index: u32) {
        if name.is_empty() {
            let _ = write!(out, "\"member {index}\"");
        } else {
            put_text(out, name);
        }
        out.push(':');
    }

    fn hides_unnamed(&self) -> bool {
        false
    }

    fn both_forms(&self) -> Option<[&'static str; 3]> {
        self.blobs.then_some(["{\"text\":", ",\"machine\":", "}"])
    }

    fn open_array(&mut self, out: &mut String, _len: u64) {
        out.push('[');
    }

    fn close_array(&mut self, out: &mut String, _len: u64) {
        out.push(']');
    }

    fn begin_bytes(&mut self, out: &mut String, kind: Bytes, len: u64) {
        self.coming = Some(kind);
        match kind {
            Bytes::String => self.bytes.clear(),
            Bytes::Wide => out.push('"'),
            Bytes::Blob => {
                let _ = write!(out, "{{\"bytes\":{len}");
                let keeps = self.blobs && len <= MAX_BLOB;
                if keeps {
                    out.push_str(",\"hex\":\"");
                } else {
                    self.coming = None;
                }
                if self.blobs && !keeps {
                    self.left_out += len;
                }
            }
        }
    }

    fn bytes(&mut self, out: &mut String, bytes: &[u8]) {
        match self.coming {
            Some(Bytes::String) => self.bytes.extend_from_slice(bytes),
            Some(Bytes::Blob) => push_hex(out, bytes),
            Some(Bytes::Wide) | None => {}
        }
    }

    fn unit(&mut self, out: &mut String, unit: u32) {
        if let Some(c) = wide_char(&mut self.high, unit) {
            put_chars(out, c.encode_utf8(&mut [0; 4]));
        }
    }

    fn end_bytes(&mut self, out: &mut String) {
        match self.coming.take() {
            Some(Bytes::String) => put_text(out, &shown(&self.bytes)),
            Some(Bytes::Wide) => out.push('"'),
            Some(Bytes::Blob) => out.push_str("\"}"),
            None => out.push('}'),
        }
        self.high = None;
    }

    fn guid(&mut self, out: &mut String, parts: &[u64]) {
        out.push('"');
        put_guid(out, parts);
        out.push('"');
    }

    fn call(&mut self, out: &mut String, call: &Call<'_>) {
        out.push_str("{\"call\":");
        put_uint(out, call.number);
        out.push_str(",\"thread\":");
        put_uint(out, call.line.thread);
        out.push_str(",\"frame\":");
        put_uint(out, call.frame);
        out.push_str(",\"name\":");
        put_text(out, &call.function.name);
        out.push_str(",\"args\":{");
        for (i, (name, value)) in call.arguments().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            // A second argument of the same name would hide the first.
            match name.filter(|name| !name.is_empty() && call.function.args.first(name) == Some(i)) {
                Some(name) => put_text(out, name),
                None => {
                    let _ = write!(out, "\"argument {i}\"");
                }
            }
            out.push(':');
            out.push_str(value.unwrap_or("null"));
        }
        out.push('}');
        if let Some(result) = call.result() {
            out.push_str(",\"ret\":");
            out.push_str(result);
        }
        out.push_str(",\"flags\":[");
        let flags = call.function.flags;
        let names = [
            ("draw", call.line.rendered.is_draw()),
            ("clear", call.line.rendered.is_clear()),
            ("compiled", call.line.rendered == Rendered::Compiled),
            ("end-frame", flags.frame_end),
            ("marker", flags.marker == Some(Marker::Plain)),
            ("begin-group", flags.marker == Some(Marker::Push)),
            ("end-group", flags.marker == Some(Marker::Pop)),
            ("fake", call.line.fake),
            ("incomplete", call.incomplete),
        ];
        for (i, (name, _)) in names.iter().filter(|(_, is)| *is).enumerate() {
            let _ = write!(out, "{}\"{name}\"", if i > 0 { "," } else { "" });
        }
        out.push(']');
        if let Some(backtrace) = &call.line.backtrace {
            out.push_str(",\"backtrace\":[");
            for (i, frame) in backtrace.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                put_text(out, &call.tables.frames.get(*frame).map(Frame::text).unwrap_or_default());
            }
            out.push(']');
        }
        out.push_str("}\n");
    }

    fn take_left_out(&mut self) -> u64 {
        core::mem::take(&mut self.left_out)
    }
}
