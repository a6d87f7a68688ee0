//! Block traces of tetrane's REVEN: SQLite databases of the blocks of code that a whole system
//! executed, in order.
//!
//! This module contains no SQLite; the decoder requests rows (see [`unspool_trace::rows`]). A trace
//! has no times. It counts transitions, which are instructions, interrupts and faults.
//!
//! ```
//! use unspool_formats::rvn::encode::Writer;
//! use unspool_formats::rvn::wire::{Block, Metadata, Mode};
//!
//! let text = String::from;
//! let (format, tool, tool_version, tool_info) = (text("1.0.0"), text("demo"), text("1"), text(""));
//! let mut writer = Writer::new(&Metadata { version: 1, format, tool, tool_version, tool_info, date: 0 });
//! // push %rbp; ret, which are executed once.
//! let block = Block { pc: 0x401000, data: vec![0x55, 0xc3], count: 2, mode: Mode::Bits64 };
//! let id = writer.block(&block, &[1]);
//! writer.run(id, 2);
//! assert_eq!(writer.position(), 2);
//! // For the database: statements with their rows.
//! let inserts = writer.take();
//! assert!(inserts.iter().any(|insert| insert.sql.contains("into execution")));
//! ```

mod blocks;
pub mod btree;
mod decode;
mod details;
pub mod encode;
mod events;
mod index;
mod metadata;
pub mod problems;
mod text;
mod to_batch;
mod vectors;
pub mod wire;

use alloc::boxed::Box;

use unspool_trace::companion::Companion;
use unspool_trace::error::Result;
use unspool_trace::info::{Nouns, Tab};
use unspool_trace::records::Same;
use unspool_trace::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};

use crate::table::{Executed, Reader, Row};

pub use index::open_records;

/// The row of the [`table`](crate::table).
pub const ROW: Row = Row {
    format: Format {
        id: "rvn",
        name: "REVEN block trace",
        opens: "block databases of REVEN (.sqlite) of version 1, with the tables of 2020 and 2021",
        nouns: Nouns {
            place: "transition",
            event: "block run",
            record: "transition",
            slice: "call",
            when_empty: "The trace has no block runs: nothing was executed during the recording.",
        },
        first_tab: Tab::Events,
        columns: events::COLUMNS,
        companions: &[Companion::Names, Companion::Binary, Companion::WriteAheadLog],
        problems: problems::KINDS,
        sniff,
        open,
        #[cfg(feature = "text")]
        text: |_, _, _| Ok(None),
    },
    reader: Reader::Database(open_records),
    has_arguments: false,
    same: Same {
        name: false,
        fields: &["address", "instruction"],
        full: &["address", "instruction"],
        of: Some("instruction"),
        calls: [&[], &[]],
        threads_by_id: true,
    },
    executed: Executed::Blocks,
    cut: None,
};

/// What the decoder says of itself. A reference into `ROW` would drag all readers into the module
/// of the timeline.
const FORMAT: Format = ROW.format;

fn open(head: &[u8], options: OpenOptions) -> Result<Opened> {
    // File format versions for writing and reading: 2 means that there is a log
    // (fileformat2.html#file_format_version_numbers). The code that lays the pages of a log over
    // the database sets them to 1.
    let lacks_log = head.get(18..20) == Some(&[2, 2]);
    Ok(Opened::Rows(Box::new(events::RvnDecoder::new(options, lacks_log))))
}

/// The first page contains the schema as text, which suffices for a guess.
fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    if !probe.head.starts_with(btree::MAGIC) {
        return None;
    }
    let holds = |what: &[u8]| probe.head.windows(what.len()).any(|w| w.eq_ignore_ascii_case(what));
    let (confidence, reason) = if holds(b"transition_id") && holds(b"block_id") {
        (Confidence::Certain, "an SQLite database with the columns of a block trace")
    } else {
        // Block traces are the only databases supported. Opening another one explains what it
        // lacks.
        (Confidence::Possible, "an SQLite database")
    };
    Some(Guess { confidence, reason: reason.into() })
}
