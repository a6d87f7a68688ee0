//! Drives decoder and dump over traces in memory.

#![allow(dead_code, reason = "each test uses a part of this")]

use unspool_formats::batch::flags;
use unspool_formats::{Decoder, EventBatch, EventKind, Format, Locator, Problem, RecordDetails, Text, Want};

pub(crate) use crate::common::options;
use crate::common::{Delivered, open};

impl Delivered {
    /// Events of the track of this name: `+name@time` begins, `-name@time` ends, `^name@time` comes to light below all,
    /// `!name@time` is an instant, and `~name:flags` are flags other than that of having begun before.
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

/// Drives a decoder over a file in portions of the given sizes, over and over, with batches of the given capacity.
pub(crate) fn decode(file: &[u8], portions: &[usize], capacity: usize) -> (Delivered, Box<dyn Decoder>) {
    let mut decoder = open("frames", file);
    let mut batch = EventBatch::with_capacity(capacity);
    let mut all = Delivered::default();
    let mut sizes = portions.iter().copied().cycle();
    let (mut at, mut pending) = (0usize, Vec::new());
    while decoder.want() != Want::Nothing {
        let used = decoder.push(&pending, &mut batch).unwrap().used;
        pending.drain(..used);
        let full = batch.is_full();
        all.take(&mut batch);
        if used == 0 && !full {
            assert!(pending.len() < 64, "{} bytes left over", pending.len());
            if at >= file.len() {
                decoder.end(&pending, &mut batch).unwrap();
                all.take(&mut batch);
            } else {
                let n = sizes.next().unwrap().clamp(1, file.len() - at);
                pending.extend_from_slice(&file[at..at + n]);
                at += n;
            }
        }
    }
    (all, decoder)
}

pub(crate) fn whole(file: &[u8]) -> Delivered {
    decode(file, &[usize::MAX], 1 << 16).0
}

/// The text of a file, what is wrong with it, and how much of it was used up before the end.
pub(crate) fn text(file: &[u8], portion: usize) -> (String, Vec<Problem>, usize) {
    let head = &file[..file.len().min(64 * 1024)];
    let mut dump = (format().text)(head, Text::Jsonl, options(file)).unwrap().unwrap();
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

pub(crate) fn details(file: &[u8], decoder: &dyn Decoder, locator: Locator) -> RecordDetails {
    let mut range = decoder.details_range(locator).unwrap();
    let mut bytes = Vec::new();
    loop {
        let end = (range.at + range.len).min(file.len() as u64) as usize;
        bytes.extend_from_slice(&file[range.at as usize..end]);
        let Some(next) = decoder.details_next(locator, &bytes) else { break };
        range = next;
    }
    assert!(bytes.len() <= 1 << 20);
    decoder.details(locator, &bytes).unwrap()
}
