//! Checks that a database is a block trace of a supported version. Follows the rules of
//! rvnmetadata, in its order.

use alloc::format;
use alloc::string::{String, ToString};

use unspool_trace::error::Class;
use unspool_trace::rows::{Cell, RowError};

use super::wire::{Metadata, RESOURCES, TYPE_BLOCK};

/// Parses the rows of `_metadata`.
pub(super) fn parse(rows: &[alloc::vec::Vec<Cell>]) -> Result<Metadata, RowError> {
    let malformed = |sentence: &str| RowError::new(Class::Malformed, sentence);
    let row = match rows {
        [] => return Err(malformed("The database has a _metadata table without an entry, so its type is unknown.")),
        [row] => row,
        _ => return Err(malformed("The database has a _metadata table with several entries, so its type is unknown.")),
    };
    // Columns are read by position, as the reference does. Version 0 has no columns for its own
    // version and for the tool's.
    let (version, row) = match row.as_slice() {
        rest @ [_, _, _, _, _] => (0, rest),
        [version, rest @ ..] => (version.int(), rest),
        [] => (0, row.as_slice()),
    };
    if !(0..=1).contains(&version) {
        let sentence = format!("The metadata are of version {version}; versions 0 and 1 are supported.");
        return Err(RowError::new(Class::Unsupported, sentence));
    }
    let (kind, format, tool, tool_version, tool_info, date) = match row {
        [kind, format, tool, info, date] => (kind, format, tool, "1.0.0-prerelease", info, date),
        [kind, format, tool, version, info, date, ..] => (kind, format, tool, version.text(), info, date),
        _ => return Err(malformed("The _metadata table has too few columns.")),
    };
    let kind = kind.int();
    if kind != TYPE_BLOCK {
        let what = kind.checked_sub(1).and_then(|i| usize::try_from(i).ok()).and_then(|i| RESOURCES.get(i));
        let sentence = match what {
            Some(what) => {
                format!("This REVEN database is of type {what}; only block traces can be opened.")
            }
            None => format!("This REVEN database is of the unknown type {kind}; only block traces can be opened."),
        };
        return Err(RowError::new(Class::Unsupported, sentence));
    }
    check(format.text())?;
    Ok(Metadata {
        version,
        format: format.text().to_string(),
        tool: tool.text().to_string(),
        tool_version: tool_version.to_string(),
        tool_info: tool_info.text().to_string(),
        date: date.int(),
    })
}

/// The assumption for a database without metadata.
pub(super) fn missing() -> Metadata {
    let none = String::new();
    Metadata {
        version: 0,
        format: none.clone(),
        tool: none.clone(),
        tool_version: none.clone(),
        tool_info: none,
        date: 0,
    }
}

/// Requires a semantic version with major version 1.
fn check(version: &str) -> Result<(), RowError> {
    let Some(major) = major(version) else {
        return Err(RowError::new(Class::Malformed, format!("{version:?} is not a valid version of the format.")));
    };
    if major != "1" {
        let sentence = format!("This is a REVEN block trace of version {version}; only version 1 can be opened.");
        return Err(RowError::new(Class::Unsupported, sentence));
    }
    Ok(())
}

/// The major version of `1.2.3-rc.1+build`. `None` if it is not a semantic version (semver.org,
/// 2.0.0).
fn major(version: &str) -> Option<&str> {
    let (version, build) = version.split_once('+').map_or((version, None), |(v, b)| (v, Some(b)));
    let (numbers, pre) = version.split_once('-').map_or((version, None), |(v, p)| (v, Some(p)));
    let number = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
    };
    let word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let mut parts = numbers.split('.');
    let major = parts.next()?;
    let three = number(major) && parts.next().is_some_and(number) && parts.next().is_some_and(number);
    let pre_ok =
        pre.is_none_or(|pre| pre.split('.').all(|w| word(w) && (number(w) || w.bytes().any(|b| !b.is_ascii_digit()))));
    let build_ok = build.is_none_or(|build| build.split('.').all(word));
    (three && parts.next().is_none() && pre_ok && build_ok).then_some(major)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn versions_are_semantic() {
        for good in ["1.0.0", "1.5.0", "1.0.0-rc.1+build.7", "1.0.0-x-y", "1.0.0+001"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["1.0", "1", "", "1.0.0.0", "01.0.0", "1.0.0-01", "1.0.0-", "a.b.c", "0.9.0", "2.0.0"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_number_of_columns_gives_the_version_of_the_metadata() {
        let text = |t: &str| Cell::Text(t.into());
        let old = vec![Cell::Int(9), text("1.0.0"), text("t"), text("i"), Cell::Int(5)];
        let read = parse(core::slice::from_ref(&old)).unwrap();
        assert_eq!((read.version, read.tool_version.as_str(), read.date), (0, "1.0.0-prerelease", 5));
        let new = parse(&[read.row()]).unwrap();
        assert_eq!(new, Metadata { version: 1, ..read });
        assert!(parse(&[]).is_err());
        assert!(parse(&[old.clone(), old]).is_err());
        let strings = parse(&[vec![Cell::Int(4), text("1.0.0"), text("t"), text("i"), Cell::Int(5)]]);
        assert!(strings.unwrap_err().sentence.contains("strings"));
        let mut future = new.row();
        future[0] = Cell::Int(2);
        assert!(parse(&[future]).is_err());
    }
}
