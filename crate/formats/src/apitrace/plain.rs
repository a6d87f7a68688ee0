//! Calls as `apitrace dump` prints them, oddities included.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::describe::put_guid;
use super::lines::{Call, Notation};
use super::numbers::{put_float, put_uint};
use super::records::Bytes;
use super::tables::Frame;
use super::wire::{Header, text_of};

/// The notation of `apitrace dump`.
#[derive(Default)]
pub(super) struct Plain {
    thread_ids: bool,
    escaper: Escaper,
    in_blob: bool,
}

impl Plain {
    /// With the thread before each call if `thread_ids`.
    pub(super) fn new(thread_ids: bool) -> Self {
        Self { thread_ids, ..Self::default() }
    }
}

impl Notation for Plain {
    const SEPARATOR: &'static str = ", ";

    fn header(&mut self, out: &mut String, header: &Header) {
        let mut properties: Vec<_> = header.properties.iter().map(|(name, value)| (text_of(name), value)).collect();
        // The last value of a repeated name wins.
        properties.reverse();
        properties.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
        properties.dedup_by(|a, b| a.0 == b.0);
        for (name, value) in properties {
            let mut escaped = Escaper::default();
            let _ = write!(out, "// {name} = \"");
            value.iter().for_each(|byte| escaped.byte(out, *byte));
            out.push_str("\"\n");
        }
    }

    fn null(&mut self, out: &mut String) {
        out.push_str("NULL");
    }

    fn float(&mut self, out: &mut String, x: f32) {
        put_float(out, x.into(), 7);
    }

    fn double(&mut self, out: &mut String, x: f64) {
        put_float(out, x, 16);
    }

    fn pointer(&mut self, out: &mut String, address: u64) {
        // Writing to a String cannot fail.
        let _ = write!(out, "{address:#x}");
    }

    fn member(&mut self, out: &mut String, name: &str, _index: u32) {
        out.push_str(name);
        out.push_str(" = ");
    }

    fn hides_unnamed(&self) -> bool {
        true
    }

    fn open_array(&mut self, out: &mut String, len: u64) {
        out.push(if len == 1 { '&' } else { '{' });
    }

    fn close_array(&mut self, out: &mut String, len: u64) {
        if len != 1 {
            out.push('}');
        }
    }

    fn begin_bytes(&mut self, out: &mut String, kind: Bytes, len: u64) {
        self.escaper = Escaper::default();
        self.in_blob = kind == Bytes::Blob;
        match kind {
            Bytes::String => out.push('"'),
            Bytes::Wide => out.push_str("L\""),
            Bytes::Blob => {
                let _ = write!(out, "blob({len})");
            }
        }
    }

    fn bytes(&mut self, out: &mut String, bytes: &[u8]) {
        if !self.in_blob {
            bytes.iter().for_each(|byte| self.escaper.byte(out, *byte));
        }
    }

    fn unit(&mut self, out: &mut String, unit: u32) {
        self.escaper.unit(out, unit);
    }

    fn end_bytes(&mut self, out: &mut String) {
        if !core::mem::take(&mut self.in_blob) {
            out.push('"');
        }
    }

    fn guid(&mut self, out: &mut String, parts: &[u64]) {
        out.push_str("uuid(");
        put_guid(out, parts);
        out.push(')');
    }

    fn call(&mut self, out: &mut String, call: &Call<'_>) {
        put_uint(out, call.number);
        out.push(' ');
        if self.thread_ids {
            let _ = write!(out, "@{:x} ", call.line.thread);
        }
        out.push_str(&call.function.name);
        out.push('(');
        for (i, (name, value)) in call.arguments().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            if let Some(name) = name {
                out.push_str(name);
                out.push_str(" = ");
            }
            out.push_str(value.unwrap_or("?"));
        }
        out.push(')');
        if let Some(result) = call.result() {
            out.push_str(" = ");
            out.push_str(result);
        }
        let (fake, incomplete) = (call.line.fake, call.incomplete);
        if fake || incomplete {
            out.push_str(" //");
            out.push_str(if fake { " fake" } else { "" });
            out.push_str(if incomplete { " incomplete" } else { "" });
        }
        out.push('\n');
        if let Some(backtrace) = &call.line.backtrace {
            out.push_str("Backtrace:\n");
            for frame in backtrace {
                out.push_str(&call.tables.frames.get(*frame).map(Frame::text).unwrap_or_default());
                out.push('\n');
            }
        }
        if call.function.flags.frame_end {
            out.push('\n');
        }
    }
}

/// Escapes a string as apitrace does, up to a NUL.
#[derive(Debug, Default)]
struct Escaper {
    over: bool,
}

impl Escaper {
    #[inline]
    fn byte(&mut self, out: &mut String, byte: u8) {
        if self.over {
            return;
        }
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e | b'\t' | b'\n' => out.push(char::from(byte)),
            b'\r' => {}
            0 => self.over = true,
            _ => {
                // apitrace's bug: the second octal digit is printed in place of the first, too.
                let (high, low) = (byte >> 3 & 7, byte & 7);
                out.push('\\');
                if high != 0 {
                    out.push(char::from(b'0' + high));
                    out.push(char::from(b'0' + high));
                }
                out.push(char::from(b'0' + low));
            }
        }
    }

    /// Escapes a unit of a wide string. Only the lower bits of a unit that does not fit a byte
    /// remain.
    fn unit(&mut self, out: &mut String, unit: u32) {
        match u8::try_from(unit) {
            Ok(byte) => self.byte(out, byte),
            // Never a NUL, a quote or a letter, whatever the lower bits are.
            Err(_) => self.byte(out, unit as u8 & 0x3f | 0x80),
        }
    }
}
