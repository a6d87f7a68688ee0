//! What stands out in the values of a trace.

use std::collections::HashMap;

use unspool_trace::{Finding, Limits, StatementId};
use unspool_values::{Loader, ValueFindings};

use crate::segments::{layout_of, segments};
use crate::{Failure, Source, interrupt};

/// All findings.
///
/// # Errors
///
/// Returns an error if the file cannot be read again.
pub(super) fn findings(
    source: &mut Source,
    limits: Limits,
    names: &HashMap<StatementId, String>,
) -> Result<Vec<Finding>, Failure> {
    let Some(layout) = layout_of(source)? else { return Ok(Vec::new()) };
    let mut loader = Loader::new(layout, limits);
    let mut search = ValueFindings::default();
    segments(source, &mut loader, false, |tables, dictionary, segment| {
        search.add(segment, dictionary, tables);
        interrupt::check()
    })?;
    let name_of = |id: Option<StatementId>| match id {
        Some(id) => names.get(&id).cloned().unwrap_or_else(|| id.to_string()),
        None => "points without a statement".into(),
    };
    Ok(loader.tables().map_or_else(Vec::new, |tables| search.found(loader.dictionary(), tables, name_of)))
}
