//! Shared by the tests of frames: drives decoder and dump over traces in memory.

#![allow(dead_code, reason = "each test uses a part of this")]

use unspool_trace::batch::flags;
use unspool_trace::{Decoder, EventKind, Format, Locator, Problem, RecordDetails, Records, Text};

pub(crate) use crate::common::options;
use crate::common::{self, Delivered};

impl Delivered {
    /// Events of the track with this name: `+name@time` begins, `-name@time` ends, `^name@time` is
    /// uncovered below all others, `!name@time` is an instant, and `~name:flags` sets flags other
    /// than that of having begun before.
    pub(crate) fn track(&self, name: &str) -> Vec<String> {
        let Some(track) = self.tracks.iter().position(|t| t.name == name) else { return vec![] };
        let events = self.events.iter().filter(|e| e.1 as usize == track);
        events
            .filter(|event| !(event.0 == EventKind::Flag && event.2 == u64::from(flags::BEGAN_BEFORE)))
            .map(|(kind, _, time, name, _)| {
                let sign = match kind {
                    EventKind::Begin => '+',
                    EventKind::Uncover => '^',
                    EventKind::EndOf => '-',
                    EventKind::Flag => return format!("~{}:{time}", self.names[*name as usize]),
                    _ => '!',
                };
                format!("{sign}{}@{time}", self.names[*name as usize])
            })
            .collect()
    }
}

pub(crate) fn format() -> &'static Format {
    crate::common::format("frames")
}

/// Decodes a file in portions of the given sizes, in turn, with batches of the given capacity.
pub(crate) fn decode(file: &[u8], portions: &[usize], capacity: usize) -> (Delivered, Box<dyn Decoder>) {
    let (all, decoder) = common::decode("frames", file, portions, capacity);
    assert_eq!(all.error, None);
    (all, decoder)
}

pub(crate) fn whole(file: &[u8]) -> Delivered {
    decode(file, &[usize::MAX], 1 << 16).0
}

/// The dump of a file, its problems, and the number of bytes used before the end.
pub(crate) fn text(file: &[u8], portion: usize) -> (String, Vec<Problem>, usize) {
    let head = &file[..file.len().min(64 * 1024)];
    let mut dump = (format().text)(head, Text::Jsonl { blobs: false }, options(file)).unwrap().unwrap();
    let (mut out, mut pending, mut used) = (String::new(), Vec::new(), 0);
    for chunk in file.chunks(portion) {
        pending.extend_from_slice(chunk);
        loop {
            let n = dump.push(&pending, &mut out).unwrap().used;
            used += n;
            pending.drain(..n);
            if n == 0 {
                break;
            }
        }
    }
    dump.end(&pending, &mut out).unwrap();
    (out, dump.take_problems(), used)
}

/// A reader of the frames that were decoded.
pub(crate) fn reader(decoder: &dyn Decoder) -> Box<dyn Records> {
    common::reader("frames", decoder)
}

pub(crate) fn details(file: &[u8], decoder: &dyn Decoder, locator: Locator) -> RecordDetails {
    let (details, bytes) = common::details(file, reader(decoder).as_ref(), locator);
    assert!(bytes <= 1 << 20);
    details.unwrap()
}
