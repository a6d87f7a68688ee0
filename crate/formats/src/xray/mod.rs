//! Logs of LLVM XRay: flight data recorder (FDR) versions 1 to 5 and basic mode versions 1 to 3, in
//! both byte orders, and as llvm-xray's YAML.
//!
//! A log has no magic number. The version and type in the header, its flags, and the first record
//! identify it. One file holds the buffers of many threads in the order of a queue, not in time
//! order. A locator is the absolute offset of a record.
//!
//! ```
//! use unspool_formats::xray::encode::{FdrBuffer, header};
//! use unspool_formats::xray::wire::{FunctionKind, Header, Mode};
//!
//! let mut buffer = FdrBuffer::new(4711, 4712, 0, 1_000, (0, 0));
//! buffer.function(FunctionKind::Enter, 7, 1_100);
//! buffer.function(FunctionKind::Exit, 7, 1_300);
//! let mut file = header(Mode::Fdr, 2_400_000_000, 4096).to_bytes().to_vec();
//! file.extend(buffer.finish());
//!
//! let read = Header::parse(&file)?;
//! assert_eq!((read.version, read.frequency), (5, 2_400_000_000));
//! # Ok::<(), unspool_trace::Error>(())
//! ```

mod basic;
mod checkpoints;
mod copies;
mod cut;
mod decode;
mod details;
pub mod encode;
mod events;
mod fields;
mod index;
mod labels;
mod left_calls;
mod open_calls;
mod plan;
mod present;
pub mod problems;
mod record;
mod tail_calls;
#[cfg(feature = "text")]
mod text;
mod threads;
mod to_batch;
mod walk;
pub mod wire;
mod yaml;

use alloc::boxed::Box;
use alloc::format;

use cut::cut;
use unspool_trace::companion::Companion;
use unspool_trace::error::Result;
use unspool_trace::info::{Nouns, Tab};
use unspool_trace::records::Same;
use unspool_trace::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};

use crate::table::{Executed, Reader, Row};
pub use index::open_records;
use wire::{HEADER_LEN, Header, Mode};

/// The row of the [`table`](crate::table).
pub const ROW: Row = Row {
    format: Format {
        id: "xray",
        name: "LLVM XRay log",
        opens: "flight data recorder logs (FDR) of versions 1 to 5 and basic logs of versions 1 to 3, and llvm-xray's YAML",
        nouns: Nouns {
            place: "byte",
            event: "record",
            record: "record",
            slice: "call",
            when_empty: "The log has a header and no records: nothing was recorded, or the program ended before its \
                        buffers were written.",
        },
        first_tab: Tab::Functions,
        columns: events::COLUMNS,
        companions: &[Companion::Names, Companion::Binary],
        problems: problems::KINDS,
        sniff,
        open,
        #[cfg(feature = "text")]
        text: text::open,
    },
    reader: Reader::Stream(open_records),
    has_arguments: true,
    same: Same {
        name: true,
        fields: &["kind", "type", "data"],
        full: &["kind", "type", "data", "args"],
        of: None,
        calls: [&["function-enter", "function-enter-arg"], &["function-exit", "function-tail-exit"]],
        threads_by_id: false,
    },
    executed: Executed::Unknown,
    cut: Some(cut),
};

/// What the decoder says of itself. A reference into `ROW` would drag all readers into the module
/// of the timeline.
const FORMAT: Format = ROW.format;

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    Ok(Opened::Stream(Box::new(match yaml::header(head) {
        Some(header) => events::XrayDecoder::yaml(header, options),
        None => events::XrayDecoder::new(Header::parse(head)?, options),
    })))
}

/// Whether the first record is one with which a basic log begins: a function record with a clock.
fn first_basic_record(head: &[u8], header: &Header) -> bool {
    let record = head.get(HEADER_LEN as usize..).and_then(|rest| rest.first_chunk::<{ wire::BASIC_LEN }>());
    match record.map(|r| wire::Basic::parse(r, header.wire())) {
        Some(Ok(wire::Basic::Function { kind, clock, .. })) => kind.is_ok() && clock > 0,
        Some(_) => false,
        // `head` ends inside the first record.
        None => head.get(HEADER_LEN as usize..).is_some_and(|rest| rest.iter().take(2).all(|b| *b == 0)),
    }
}

fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    if let Some(header) = yaml::header(probe.head) {
        let reason = format!("it is llvm-xray's YAML of a log of {} version {}", header.mode.name(), header.version);
        return Some(Guess { confidence: Confidence::Certain, reason });
    }
    let header = Header::parse_any(probe.head)?;
    let first = probe.head.get(HEADER_LEN as usize).copied();
    let fits = match (first, header.mode) {
        // A basic log is the header alone if the program was killed or had nothing to record.
        (None, _) => probe.size == HEADER_LEN,
        (Some(_), Mode::Basic) => first_basic_record(probe.head, &header),
        (Some(byte), Mode::Fdr) => byte == header.wire().first_of_buffer(),
    };
    fits.then(|| Guess {
        confidence: if header.mode == Mode::Fdr && first.is_some() { Confidence::Certain } else { Confidence::Likely },
        reason: format!(
            "the header says XRay, {} version {}{}",
            header.mode.name(),
            header.version,
            if first.is_some() { ", and the first record fits" } else { ", and nothing follows" }
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(head: &[u8]) -> Option<Confidence> {
        sniff(&Probe { head, tail: head, size: head.len() as u64, name: "" }).map(|g| g.confidence)
    }

    #[rustfmt::skip]
    const FDR: [u8; 33] = [
        5, 0, 1, 0,                 // version 5, FDR
        3, 0, 0, 0,                 // constant and nonstop TSC
        0, 0x94, 0x35, 0x77, 0, 0, 0, 0, // 2 GHz
        0, 0x40, 0, 0, 0, 0, 0, 0,  // buffer size
        0, 0, 0, 0, 0, 0, 0, 0,
        0x0f,                       // BufferExtents
    ];

    #[test]
    fn recognises_by_version_type_flags_and_first_record() {
        assert_eq!(guess(&FDR), Some(Confidence::Certain));
        assert_eq!(guess(&FDR[..32]), Some(Confidence::Likely));
        let mut other = FDR;
        other[32] = 0x07;
        assert_eq!(guess(&other), None, "no writer begins with this record");
        let mut other = FDR;
        other[4] = 4;
        assert_eq!(guess(&other), None, "a flag that does not exist");
        let mut other = FDR;
        other[0] = 6;
        assert_eq!(guess(&other), None, "a version that does not exist");
    }

    #[test]
    fn recognises_every_version_in_both_byte_orders() {
        for big_endian in [false, true] {
            for version in 1..=5 {
                let mut header = encode::header(Mode::Fdr, 1, 4096);
                (header.version, header.big_endian) = (version, big_endian);
                let mut head = header.to_bytes().to_vec();
                head.extend(encode::FdrBuffer::of(&header, 1, 1, 1, 1, (0, 0)).finish());
                assert_eq!(guess(&head), Some(Confidence::Certain), "version {version}");
            }
        }
    }

    #[test]
    fn rejects_a_truncated_header() {
        assert_eq!(guess(&FDR[..31]), None);
        assert_eq!(guess(&[]), None);
    }
}
