//! `.frames`: execution traces of BAP (the Binary Analysis Platform), written by QEMU's tracewrap,
//! QEMU's TCG plugin, the Pin tracer and libtrace. Each executed instruction is a frame, with its
//! bytes and the values it read and wrote.
//!
//! A container with a magic number holds length-prefixed protobuf messages. There are no
//! timestamps: the x axis is the number of the frame.
//!
//! ```
//! # #[cfg(feature = "text")] {
//! use unspool_formats::frames::encode::{Frame, Operand, Std, Table, Writer};
//! use unspool_formats::recognise;
//! use unspool_trace::{OpenOptions, Probe, Text};
//!
//! // push %rbp, on x86-64.
//! let mut writer = Writer::new(3, 2, 8, None);
//! writer.frame(&Frame::Std(Std {
//!     address: 0x401000,
//!     thread: 1,
//!     bytes: vec![0x55],
//!     pre: vec![Operand::read("RBP", 0)],
//!     post: Some(vec![Operand::written("RSP", 0x7ffe_f000)]),
//!     mode: None,
//! }));
//! let file = writer.finish(Table::Plugin(10_000));
//!
//! let probe = Probe { head: &file, tail: &file, size: file.len() as u64, name: "" };
//! let (format, _) = recognise(&probe).expect("frames");
//! let mut dump = (format.text)(&file, Text::Jsonl { blobs: false }, OpenOptions::default())?.expect("text");
//! let mut text = String::new();
//! let used = dump.push(&file, &mut text)?.used;
//! dump.end(&file[used..], &mut text)?;
//! assert!(text.contains("\"address\": 4198400"));
//! # }
//! # Ok::<(), unspool_trace::Error>(())
//! ```

mod cut;
mod decode;
mod details;
pub mod encode;
mod events;
mod fields;
mod index;
mod instruction;
mod machine;
mod memory_order;
mod message;
mod meta;
mod operands;
pub mod problems;
pub mod records;
mod steps;
#[cfg(feature = "text")]
mod text;
mod threads;
mod to_batch;
pub mod wire;

use alloc::boxed::Box;
use alloc::format;

use cut::cut;
use unspool_trace::companion::Companion;
use unspool_trace::error::Result;
use unspool_trace::info::{Nouns, Tab};
use unspool_trace::records::Same;
use unspool_trace::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};
use wire::{Header, MAGIC};

use crate::table::{Executed, Reader, Row};
pub use index::open_records;
pub use steps::open_steps;

/// The row of the [`table`](crate::table).
pub const ROW: Row = Row {
    format: Format {
        id: "frames",
        name: "BAP frames trace",
        opens: "BAP frames (.frames) of versions 1 to 3, and the older ones without a version",
        nouns: Nouns {
            place: "byte",
            event: "frame",
            record: "frame",
            slice: "call",
            when_empty: "The trace has no frames: nothing was executed during the recording, or the tracer was stopped \
                        before it wrote any.",
        },
        first_tab: Tab::Events,
        columns: events::COLUMNS,
        companions: &[Companion::Names, Companion::Binary],
        problems: problems::KINDS,
        sniff,
        open,
        #[cfg(feature = "text")]
        text: text::open,
    },
    reader: Reader::Stream(open_records),
    has_arguments: false,
    same: Same {
        name: false,
        fields: &["address", "instruction"],
        full: &["address", "instruction"],
        of: Some("instruction"),
        calls: [&[], &[]],
        threads_by_id: true,
    },
    executed: Executed::Steps(open_steps),
    cut: Some(cut),
};

/// What the decoder says of itself. A reference into `ROW` would drag all readers into the module
/// of the timeline.
const FORMAT: Format = ROW.format;

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    let header = Header::parse(head, options.size)?;
    Ok(Opened::Stream(Box::new(events::FramesDecoder::new(header, head, options))))
}

fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    let magic = probe.head.first_chunk().map(|b| u64::from_le_bytes(*b))?;
    (magic == MAGIC).then(|| Guess {
        confidence: Confidence::Certain,
        reason: match Header::parse(probe.head, Some(probe.size)) {
            Ok(header) => format!("the magic number of BAP frames, version {}", header.version),
            Err(_) => "the magic number of BAP frames".into(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_by_the_magic_number() {
        let guess = |head: &[u8]| sniff(&Probe { head, tail: head, size: head.len() as u64, name: "" });
        let header = Header { version: 2, architecture: 9, machine: 64, frames: 0, table: 0 };
        let bytes = header.to_bytes();
        let found = guess(&bytes);
        assert_eq!(found.as_ref().map(|g| g.confidence), Some(Confidence::Certain));
        assert_eq!(found.map(|g| g.reason).as_deref(), Some("the magic number of BAP frames, version 2"));
        assert!(guess(&bytes[..8]).is_some(), "a truncated header is recognised, and rejected with a reason");
        assert!(guess(&bytes[1..]).is_none());
        assert!(guess(&[]).is_none());
    }
}
