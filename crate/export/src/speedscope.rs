//! speedscope's file format: a profile of begins and ends for each thread.
//!
//! <https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources>. Times are
//! nanoseconds, or steps.

use crate::nest::Nest;
use crate::{Arg, Slice, Table, Trace, Writer, json};

/// Writes the JSON of speedscope.
#[derive(Default)]
pub(crate) struct Speedscope {
    nest: Nest,
    profiles: u32,
    /// Extent of the profile.
    extent: Option<(u64, u64)>,
}

fn event(kind: u8, frame: u32, at: u64, out: &mut Vec<u8>) {
    out.extend(b"{\"type\":\"");
    out.push(kind);
    out.extend(b"\",\"frame\":");
    json::integer(frame.into(), out);
    out.extend(b",\"at\":");
    json::integer(at, out);
    out.push(b'}');
}

fn close(frame: u32, at: u64, out: &mut Vec<u8>) {
    // There is a begin before every end.
    out.extend(b",\n");
    event(b'C', frame, at, out);
}

impl Writer for Speedscope {
    fn begin(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        out.extend(
            b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"Unspool\",\"name\":",
        );
        json::string(&trace.name, out);
        out.extend(b",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
        for (place, name) in trace.names.iter().enumerate() {
            out.extend(if place > 0 { &b",\n"[..] } else { b"\n" });
            out.extend(b"{\"name\":");
            json::string(&name.text, out);
            out.push(b'}');
        }
        out.extend(b"\n]},\"profiles\":[");
    }

    fn wants(&self, trace: &Trace, table: Table, track: u32) -> bool {
        table == Table::Slices && !trace.is_overlapping(track)
    }

    fn begin_track(&mut self, trace: &Trace, track: u32, out: &mut Vec<u8>) {
        out.extend(if self.profiles > 0 { &b",\n"[..] } else { b"\n" });
        self.profiles += 1;
        self.extent = None;
        out.extend(b"{\"type\":\"evented\",\"name\":");
        json::string(trace.track_name(track), out);
        out.extend(b",\"unit\":");
        out.extend(if trace.is_timed() { &b"\"nanoseconds\""[..] } else { b"\"none\"" });
        out.extend(b",\"events\":[");
    }

    fn slice(&mut self, trace: &Trace, _track: u32, slice: &Slice, _args: &[Arg], out: &mut Vec<u8>) {
        let (start, end) = self.nest.enter(slice, trace.cut(slice), |name, at| close(name, trace.nanoseconds(at), out));
        let (start, end) = (trace.nanoseconds(start), trace.nanoseconds(end));
        out.extend(if self.extent.is_some() { &b",\n"[..] } else { b"\n" });
        let (first, last) = self.extent.unwrap_or((start, end));
        self.extent = Some((first.min(start), last.max(end)));
        event(b'O', slice.name, start, out);
    }

    fn end_slices(&mut self, trace: &Trace, _track: u32, out: &mut Vec<u8>) {
        self.nest.close(|name, at| close(name, trace.nanoseconds(at), out));
        let (from, to) = self.extent.unwrap_or((0, 0));
        out.extend(format!("\n],\"startValue\":{from},\"endValue\":{to}}}").bytes());
    }

    fn finish(&mut self, _trace: &Trace, out: &mut Vec<u8>) -> bool {
        out.extend(b"\n]}\n");
        false
    }
}
