//! Trace Event Format, the JSON of chrome://tracing, which Perfetto and others read.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>. Times are
//! microseconds with three decimals. Of a trace without a clock in seconds, a step counts as a
//! microsecond.

use unspool_trace::TrackKind;
use unspool_trace::batch::flags;

use crate::{Arg, Head, Ids, Instant, Sample, Slice, Table, Trace, Writer, json};

/// Writes Chrome JSON.
#[derive(Default)]
pub(crate) struct Chrome {
    ids: Ids,
    /// Names as JSON strings: they are written many times.
    names: Vec<Vec<u8>>,
    any: bool,
}

impl Chrome {
    /// Begins an event: `,{"ph":"X","pid":1,"tid":2,"ts":3`.
    fn event(&mut self, phase: &str, trace: &Trace, track: u32, at: u64, out: &mut Vec<u8>) {
        self.separate(out);
        let (process, thread) = self.ids.get(track);
        out.extend(b"{\"ph\":\"");
        out.extend(phase.bytes());
        out.extend(b"\",\"pid\":");
        json::integer(process as u64, out);
        out.extend(b",\"tid\":");
        json::integer(thread as u64, out);
        out.extend(b",\"ts\":");
        micros(trace, trace.nanoseconds(at), out);
    }

    fn separate(&mut self, out: &mut Vec<u8>) {
        out.extend(if self.any { &b",\n"[..] } else { b"\n" });
        self.any = true;
    }

    fn name(&self, name: u32, out: &mut Vec<u8>) {
        out.extend(b",\"name\":");
        out.extend(self.names.get(name as usize).map_or(&b"\"\""[..], Vec::as_slice));
    }

    fn metadata(&mut self, kind: &str, process: i32, thread: i32, key: &str, value: &[u8], out: &mut Vec<u8>) {
        self.separate(out);
        out.extend(
            format!("{{\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"name\":\"{kind}\",\"args\":{{\"{key}\":")
                .bytes(),
        );
        out.extend(value);
        out.extend(b"}}");
    }
}

/// Appends nanoseconds as microseconds.
fn micros(trace: &Trace, nanoseconds: u64, out: &mut Vec<u8>) {
    if !trace.is_timed() {
        return json::integer(nanoseconds, out);
    }
    json::integer(nanoseconds / 1000, out);
    let rest = nanoseconds % 1000;
    if rest > 0 {
        out.push(b'.');
        out.extend([rest / 100, rest / 10 % 10, rest % 10].map(|digit| b'0' + digit as u8));
    }
}

fn quoted(text: &str) -> Vec<u8> {
    let mut quoted = Vec::new();
    json::string(text, &mut quoted);
    quoted
}

impl Writer for Chrome {
    fn begin(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        self.ids = Ids::of(trace);
        self.names = trace.names.iter().map(|name| quoted(&name.text)).collect();
        out.extend(b"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"Unspool\",\"file\":");
        json::string(&trace.name, out);
        out.extend(b",\"format\":");
        json::string(&trace.head.title, out);
        out.extend(b",\"clock\":");
        let Head { frequency, unit, origin, .. } = &trace.head;
        let clock = match frequency {
            Some(frequency) => format!("{frequency} ticks per second, from tick {origin}"),
            None => format!("a microsecond stands for one {unit}, from {origin}"),
        };
        json::string(&clock, out);
        out.extend(b"},\"traceEvents\":[");
        if self.ids.root > 0 {
            self.metadata("process_name", self.ids.root, 0, "name", &quoted(&trace.name), out);
        }
        for (number, track) in (0..).zip(&trace.head.tracks) {
            let (process, thread) = self.ids.get(number);
            let name = quoted(&track.name);
            match track.kind {
                TrackKind::Process => self.metadata("process_name", process, 0, "name", &name, out),
                TrackKind::Thread | TrackKind::Lane => {
                    self.metadata("thread_name", process, thread, "name", &name, out);
                    let place = number.to_string().into_bytes();
                    self.metadata("thread_sort_index", process, thread, "sort_index", &place, out);
                }
                TrackKind::Counter => {}
            }
        }
    }

    fn wants(&self, _trace: &Trace, _table: Table, _track: u32) -> bool {
        true
    }

    fn slice(&mut self, trace: &Trace, track: u32, slice: &Slice, args: &[Arg], out: &mut Vec<u8>) {
        // Complete events of a thread must nest. Others are a pair of asynchronous events, found by
        // their id.
        let overlapping = trace.is_overlapping(track);
        self.event(if overlapping { "b" } else { "X" }, trace, track, slice.start, out);
        if overlapping {
            out.extend(format!(",\"cat\":\"lifetime\",\"id\":{}", slice.row).bytes());
        } else {
            out.extend(b",\"dur\":");
            micros(trace, trace.nanoseconds(slice.end) - trace.nanoseconds(slice.start), out);
        }
        self.name(slice.name, out);
        if slice.flags != 0 || !args.is_empty() {
            out.extend(b",\"args\":{");
            json::members(args, true, out);
            if slice.flags != 0 {
                let flags: Vec<_> = flags::words(slice.flags).collect();
                out.extend(if args.is_empty() { &b"\"flags\":\""[..] } else { b",\"flags\":\"" });
                out.extend(flags.join(" ").bytes());
                out.push(b'"');
            }
            out.push(b'}');
        }
        out.push(b'}');
        if overlapping {
            self.event("e", trace, track, slice.end, out);
            out.extend(format!(",\"cat\":\"lifetime\",\"id\":{}", slice.row).bytes());
            self.name(slice.name, out);
            out.push(b'}');
        }
    }

    fn instant(&mut self, trace: &Trace, track: u32, instant: &Instant, args: &[Arg], out: &mut Vec<u8>) {
        self.event("i", trace, track, instant.time, out);
        out.extend(b",\"s\":\"t\"");
        self.name(instant.name, out);
        if !args.is_empty() {
            out.extend(b",\"args\":{");
            json::members(args, true, out);
            out.push(b'}');
        }
        out.push(b'}');
    }

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, out: &mut Vec<u8>) {
        self.event("C", trace, track, sample.time, out);
        out.extend(b",\"name\":");
        json::string(trace.track_name(track), out);
        // Counters of one name are told apart by it.
        out.extend(format!(",\"id\":{track},\"args\":{{\"value\":").bytes());
        json::number(sample.value, out);
        out.extend(b"}}");
    }

    fn finish(&mut self, _trace: &Trace, out: &mut Vec<u8>) -> bool {
        out.extend(b"\n]}\n");
        false
    }
}
