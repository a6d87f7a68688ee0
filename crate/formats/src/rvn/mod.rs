//! Block traces of tetrane's REVEN: which blocks of code a whole system executed, one after the other, in SQLite.
//!
//! There is no SQLite in here. The decoder asks for rows, see [`crate::rows`]. There is no time in a trace either: it counts
//! transitions, which are instructions, interrupts and faults.

mod blocks;
pub mod btree;
mod decode;
mod details;
pub mod encode;
mod events;
mod metadata;
pub mod problems;
mod text;
mod to_batch;
mod vectors;
pub mod wire;

use alloc::boxed::Box;

use crate::error::Result;
use crate::sniff::{Confidence, Format, Guess, OpenOptions, Opened, Probe};

/// The line in [`crate::FORMATS`].
pub const FORMAT: Format = Format {
    id: "rvn",
    name: "REVEN block trace",
    opens: "block databases of REVEN (.sqlite) of version 1, with the tables of 2020 and 2021",
    problems: problems::KINDS,
    sniff,
    open,
    #[cfg(feature = "text")]
    text: |_, _, _| Ok(None),
};

fn open(_: &[u8], options: OpenOptions) -> Result<Opened> {
    Ok(Opened::Rows(Box::new(events::RvnDecoder::new(options))))
}

/// The schema lies on the first page as it was written, which is enough for a guess.
fn sniff(probe: &Probe<'_>) -> Option<Guess> {
    if !probe.head.starts_with(btree::MAGIC) {
        return None;
    }
    let holds = |what: &[u8]| probe.head.windows(what.len()).any(|w| w.eq_ignore_ascii_case(what));
    let (confidence, reason) = if holds(b"transition_id") && holds(b"block_id") {
        (Confidence::Certain, "an SQLite database with the columns of a block trace")
    } else {
        // The only databases that can be opened: what it lacks is said when it is.
        (Confidence::Possible, "an SQLite database")
    };
    Some(Guess { confidence, reason: reason.into() })
}
