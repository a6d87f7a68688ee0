//! What stands out in the values of a trace.

use std::collections::HashMap;

use unspool_trace::{Finding, Limits, StatementId};
use unspool_values::{Loader, ValueFindings};

use crate::segments::{layout_of, segments};
use crate::{Failure, Source, interrupt};

/// All findings, and how many were proposed and did not hold.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(super) fn findings(
    source: &mut Source,
    limits: Limits,
    names: &HashMap<StatementId, String>,
) -> Result<(Vec<Finding>, u64), Failure> {
    let Some(layout) = layout_of(source)? else { return Ok((Vec::new(), 0)) };
    let mut search = ValueFindings::default();
    let loader = loop {
        // Each time, names and statements have the same numbers.
        let mut loader = Loader::new(layout, limits);
        segments(source, &mut loader, false, |tables, dictionary, segment| {
            search.add(segment, dictionary, tables);
            interrupt::check()
        })?;
        let Some(tables) = loader.tables() else { return Ok((Vec::new(), 0)) };
        if !search.end_pass(loader.dictionary(), tables) {
            break loader;
        }
    };
    let name_of = |id: Option<StatementId>| match id {
        Some(id) => names.get(&id).cloned().unwrap_or_else(|| id.to_string()),
        None => "points without a statement".into(),
    };
    Ok(loader.tables().map_or_else(Default::default, |tables| search.found(loader.dictionary(), tables, name_of)))
}
