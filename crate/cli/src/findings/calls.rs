//! What the calls of an apitrace waste or do wrong.

use std::fs::File;

use unspool_graphics::findings::Findings as Search;
use unspool_trace::Finding;

use crate::frame_list::{PIECES, lost};
use crate::{Failure, Source, interrupt};

/// The findings, each by itself or else those of a kind as one.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(super) fn findings(source: &Source, index: &[u8], file: File, each: bool) -> Result<(Vec<Finding>, u64), Failure> {
    let mut search = Search::open(index, file).map_err(|error| Failure::of(&source.name, error))?;
    while !search.step(PIECES).map_err(|error| lost(source, error))? {
        interrupt::check()?;
    }
    Ok((search.standing_out(each), search.refuted()))
}
