//! Perfetto's trace format: packets of track events.
//!
//! Field numbers are those of `protos/perfetto/trace` in Perfetto's sources. Packets are track by
//! track; its importer sorts them by time and keeps the order of those at one time.

use hashbrown::HashSet;
use unspool_trace::batch::flags;
use unspool_trace::{Stacking, TrackKind};

use crate::nest::Nest;
use crate::protobuf::{bytes, double, message, number};
use crate::{Arg, Ids, Instant, Number, Sample, Slice, Table, Trace, Value, Writer};

/// `Trace.packet`.
const PACKET: u32 = 1;
/// Fields of `TracePacket`.
const TIMESTAMP: u32 = 8;
const SEQUENCE: u32 = 10;
const TRACK_EVENT: u32 = 11;
const INTERNED_DATA: u32 = 12;
const SEQUENCE_FLAGS: u32 = 13;
const TRACK_DESCRIPTOR: u32 = 60;
/// Values of `TrackEvent.type`.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;
/// The id of the process of tracks without one.
const ROOT: u64 = 1;
/// Depths of a track whose slices overlap have tracks of their own: their ids follow upon all
/// others.
const DEPTHS: u64 = 1 << 32;

/// Writes a Perfetto trace.
#[derive(Default)]
pub(crate) struct Perfetto {
    ids: Ids,
    nest: Nest,
    /// Names that are defined already.
    known: Vec<bool>,
    /// Depths of the track that have a track of their own, if its slices overlap.
    depths: HashSet<u32>,
    begun: bool,
}

fn track_id(track: u32) -> u64 {
    u64::from(track) + 2
}

impl Perfetto {
    fn packet(&mut self, at: Option<u64>, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
        // The first packet says that names are defined again, the others that they need the
        // definitions.
        let flags = if self.begun { 2 } else { 3 };
        self.begun = true;
        message(PACKET, out, |out| {
            if let Some(at) = at {
                number(TIMESTAMP, at, out);
            }
            number(SEQUENCE, 1, out);
            number(SEQUENCE_FLAGS, flags, out);
            fill(out);
        });
    }

    fn describe(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
        self.packet(None, out, |out| message(TRACK_DESCRIPTOR, out, fill));
    }

    fn event(
        &mut self,
        trace: &Trace,
        (kind, track, at): (u64, u64, u64),
        name: Option<u32>,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut Vec<u8>),
    ) {
        let defined =
            name.and_then(|name| self.known.get_mut(name as usize)).map(|known| std::mem::replace(known, true));
        self.packet(Some(at), out, |out| {
            if let (Some(false), Some(name)) = (defined, name) {
                message(INTERNED_DATA, out, |out| {
                    message(2, out, |out| {
                        number(1, u64::from(name) + 1, out);
                        bytes(2, trace.text(name).as_bytes(), out);
                    });
                });
            }
            message(TRACK_EVENT, out, |out| {
                number(9, kind, out);
                number(11, track, out);
                if let Some(name) = name {
                    number(10, u64::from(name) + 1, out);
                }
                fill(out);
            });
        });
    }
}

/// Appends arguments as `TrackEvent.debug_annotations`, or as parts of a nested one.
fn annotations(field: u32, args: &[Arg], out: &mut Vec<u8>) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg {
            Arg::Field(key, value) => message(field, out, |out| {
                if !key.is_empty() {
                    bytes(10, key.as_bytes(), out);
                }
                match value {
                    Value::Null => bytes(6, b"null", out),
                    Value::Bool(is) => number(2, (*is).into(), out),
                    Value::Unsigned(value) => number(3, *value, out),
                    Value::Int(value) => number(4, *value as u64, out),
                    Value::Real(value) => double(5, *value, out),
                    Value::Text(text) => bytes(6, text.as_bytes(), out),
                    Value::Pointer(value) => number(7, *value, out),
                }
            }),
            Arg::Open(key, is_list) => message(field, out, |out| {
                if !key.is_empty() {
                    bytes(10, key.as_bytes(), out);
                }
                let parts = args.get(at..).unwrap_or_default();
                at += annotations(if *is_list { 12 } else { 11 }, parts, out);
            }),
            Arg::Close => break,
        }
    }
    at
}

fn flags_of(flags: u8, out: &mut Vec<u8>) {
    if flags != 0 {
        let words: Vec<_> = flags::words(flags).collect();
        annotations(4, &[Arg::Field("flags".into(), Value::Text(words.join(" ")))], out);
    }
}

impl Writer for Perfetto {
    fn begin(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        self.ids = Ids::of(trace);
        self.known = vec![false; trace.names.len()];
        let root = self.ids.root;
        if root > 0 {
            self.describe(out, |out| {
                number(1, ROOT, out);
                message(3, out, |out| {
                    number(1, root as u64, out);
                    bytes(6, trace.name.as_bytes(), out);
                });
            });
        }
        for (id, track) in (0..).zip(&trace.head.tracks) {
            let (process, own) = self.ids.get(id);
            let parent = track.parent.map(track_id).or((root > 0).then_some(ROOT));
            self.describe(out, |out| {
                number(1, track_id(id), out);
                match track.kind {
                    TrackKind::Process => message(3, out, |out| {
                        number(1, process as u64, out);
                        bytes(6, track.name.as_bytes(), out);
                    }),
                    // Its slices would have to nest.
                    TrackKind::Thread if track.stacking == Stacking::Nested => message(4, out, |out| {
                        number(1, process as u64, out);
                        number(2, own as u64, out);
                        bytes(5, track.name.as_bytes(), out);
                    }),
                    TrackKind::Thread | TrackKind::Lane | TrackKind::Counter => {
                        bytes(2, track.name.as_bytes(), out);
                        if let Some(parent) = parent {
                            number(5, parent, out);
                        }
                        if track.kind == TrackKind::Counter {
                            message(8, out, |_| {});
                        }
                    }
                }
            });
        }
    }

    fn wants(&self, _trace: &Trace, _table: Table, _track: u32) -> bool {
        true
    }

    fn slice(&mut self, trace: &Trace, track: u32, slice: &Slice, args: &[Arg], out: &mut Vec<u8>) {
        if trace.is_overlapping(track) {
            let id = DEPTHS + (u64::from(track) << 32) + u64::from(slice.depth);
            if self.depths.insert(slice.depth) {
                self.describe(out, |out| {
                    number(1, id, out);
                    bytes(2, trace.track_name(track).as_bytes(), out);
                    number(5, track_id(track), out);
                });
            }
            let (start, end) = (trace.nanoseconds(slice.start), trace.nanoseconds(slice.end));
            self.event(trace, (BEGIN, id, start), Some(slice.name), out, |out| {
                annotations(4, args, out);
                flags_of(slice.flags, out);
            });
            self.event(trace, (END, id, end), None, out, |_| {});
            return;
        }
        let mut nest = std::mem::take(&mut self.nest);
        let (start, _) = nest.enter(slice, (slice.start, slice.end), |_, at| {
            self.event(trace, (END, track_id(track), trace.nanoseconds(at)), None, out, |_| {});
        });
        self.nest = nest;
        self.event(trace, (BEGIN, track_id(track), trace.nanoseconds(start)), Some(slice.name), out, |out| {
            annotations(4, args, out);
            flags_of(slice.flags, out);
        });
    }

    fn end_slices(&mut self, trace: &Trace, track: u32, out: &mut Vec<u8>) {
        let mut nest = std::mem::take(&mut self.nest);
        nest.close(|_, at| self.event(trace, (END, track_id(track), trace.nanoseconds(at)), None, out, |_| {}));
        self.depths.clear();
    }

    fn instant(&mut self, trace: &Trace, track: u32, instant: &Instant, args: &[Arg], out: &mut Vec<u8>) {
        let at = trace.nanoseconds(instant.time);
        self.event(trace, (INSTANT, track_id(track), at), Some(instant.name), out, |out| {
            annotations(4, args, out);
        });
    }

    fn sample(&mut self, trace: &Trace, track: u32, sample: &Sample, out: &mut Vec<u8>) {
        let at = trace.nanoseconds(sample.time);
        self.event(trace, (COUNTER, track_id(track), at), None, out, |out| match sample.value {
            Number::Int(value) => number(30, value as u64, out),
            // The format's whole numbers are signed.
            Number::Unsigned(value) => match i64::try_from(value) {
                Ok(value) => number(30, value as u64, out),
                Err(_) => double(44, value as f64, out),
            },
            Number::Real(value) => double(44, value, out),
        });
    }

    fn finish(&mut self, _trace: &Trace, _out: &mut Vec<u8>) -> bool {
        false
    }
}
