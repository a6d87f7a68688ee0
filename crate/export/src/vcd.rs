//! Value Change Dump (IEEE 1364-2005, clause 18), which GTKWave, Surfer and other viewers of
//! waveforms read: the counters.
//!
//! A time unit is a nanosecond, or a step of a trace without a clock in seconds.

use unspool_trace::{TrackKind, ValueKind};

use crate::{Arg, Number, Sample, Slice, Table, Trace, Writer, json};

/// Writes a dump. Samples come in the order of time.
#[derive(Default)]
pub(crate) struct Vcd {
    now: Option<u64>,
}

/// Appends the identifier of a track: a number with digits from `!` to `~`.
fn identifier(track: u32, out: &mut Vec<u8>) {
    let mut rest = track;
    loop {
        out.push(b'!' + (rest % 94) as u8);
        rest /= 94;
        if rest == 0 {
            return;
        }
    }
}

/// Appends a name. White space ends names.
fn name(text: &str, out: &mut Vec<u8>) {
    out.extend(text.bytes().map(|byte| if byte.is_ascii_graphic() { byte } else { b'_' }));
    if text.is_empty() {
        out.push(b'_');
    }
}

/// Appends the variables whose parent is a track, or none.
fn variables(trace: &Trace, parent: Option<u32>, out: &mut Vec<u8>) {
    for (number, track) in (0..).zip(&trace.head.tracks) {
        if track.kind == TrackKind::Counter && track.parent == parent {
            out.extend(if track.values == ValueKind::Float { &b"$var real 64 "[..] } else { b"$var integer 64 " });
            identifier(number, out);
            out.push(b' ');
            name(&track.name, out);
            out.extend(b" $end\n");
        }
    }
}

impl Writer for Vcd {
    fn begin(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        out.extend(b"$version Unspool $end\n$timescale 1 ns $end\n$scope module ");
        name(&trace.name, out);
        out.extend(b" $end\n");
        variables(trace, None, out);
        let is_parent = |number: u32| {
            trace.head.tracks.iter().any(|track| track.kind == TrackKind::Counter && track.parent == Some(number))
        };
        for (number, track) in (0..).zip(&trace.head.tracks).filter(|(number, _)| is_parent(*number)) {
            out.extend(b"$scope module ");
            name(&track.name, out);
            out.extend(b" $end\n");
            variables(trace, Some(number), out);
            out.extend(b"$upscope $end\n");
        }
        out.extend(b"$upscope $end\n$enddefinitions $end\n");
    }

    fn wants(&self, _trace: &Trace, table: Table, _track: u32) -> bool {
        table == Table::Counters
    }

    fn is_merged(&self) -> bool {
        true
    }

    fn slice(&mut self, _trace: &Trace, _track: u32, _slice: &Slice, _args: &[Arg], _out: &mut Vec<u8>) {}

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, out: &mut Vec<u8>) {
        let at = trace.nanoseconds(sample.time);
        if self.now != Some(at) {
            self.now = Some(at);
            out.push(b'#');
            json::integer(at, out);
            out.push(b'\n');
        }
        match sample.value {
            Number::Int(number) => out.extend(format!("b{number:b} ").bytes()),
            Number::Unsigned(number) => out.extend(format!("b{number:b} ").bytes()),
            Number::Real(number) => out.extend(format!("r{number} ").bytes()),
        }
        identifier(track, out);
        out.push(b'\n');
    }

    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) -> bool {
        // The last value holds up to there.
        let end = trace.nanoseconds(trace.head.end);
        if self.now.is_some_and(|now| now < end) {
            out.push(b'#');
            json::integer(end, out);
            out.push(b'\n');
        }
        false
    }
}
