//! What stands out among the steps of a trace.

use std::fs::File;

use unspool_access_index::{RunFindings, StepFindings};
use unspool_engine::Session;
use unspool_trace::Finding;

use crate::sqlite::{interrupts, run_index};
use crate::steps::lost;
use crate::{Failure, Source, interrupt};

/// Pieces of a file, and segments of an index, that are read between two looks at whether to stop.
const TURN: u32 = 64;

/// All findings of a trace whose steps say what they read and wrote, and how many did not hold.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(super) fn of_steps(source: &Source, session: &Session) -> Result<(Vec<Finding>, u64), Failure> {
    let file = File::open(&source.path)?;
    let mut search = StepFindings::open(session.format().id, &session.index(), file)
        .map_err(|error| Failure::of(&source.name, error))?;
    while !search.step(TURN).map_err(|error| lost(source, error))? {
        interrupt::check()?;
    }
    Ok((search.found(), search.refuted()))
}

/// All findings of a block trace, and how many did not hold.
///
/// # Errors
///
/// Returns an error if the database cannot be read again.
pub(super) fn of_blocks(source: &Source) -> Result<(Vec<Finding>, u64), Failure> {
    let failed = |error: unspool_trace::RowError| Failure::of(&source.name, error.sentence);
    let index = run_index(&source.path).map_err(failed)?;
    let mut search = RunFindings::default();
    interrupts(&source.path, |at, vector, is_hardware| search.interrupt(at, vector, is_hardware)).map_err(failed)?;
    while !search.step(&index, TURN) {
        interrupt::check()?;
    }
    Ok(search.found(&index))
}
