//! Outputs that have a part of their trace, because the rest could not be read. A file beside such
//! an output says so, for `--resume`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::output::Output;

/// Why a trace was read in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It is broken, or ends too early.
    Broken,
    /// A limit has ended the reading, and `--no-limits` would go on.
    Limit,
}

impl Why {
    fn word(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Limit => "limit",
        }
    }
}

/// The file that marks an output as one in part.
#[derive(Clone, Debug)]
pub(super) struct Mark(PathBuf);

impl Mark {
    /// The mark at a path, which may not exist.
    pub(super) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Where the mark is or would be.
    pub(super) fn into_path(self) -> PathBuf {
        self.0
    }

    /// Marks the output of an input.
    ///
    /// # Errors
    ///
    /// Returns the error of the file.
    pub(super) fn set(&self, input: &Path, why: Why) -> io::Result<()> {
        let mut file = Output::create(&self.0)?;
        file.write_all(text(input, why).as_bytes())?;
        file.finish()
    }

    /// The output has all of its trace.
    pub(super) fn clear(&self) {
        let _ = fs::remove_file(&self.0);
    }

    /// Whether the output is marked.
    pub(super) fn is_set(&self) -> bool {
        self.0.exists()
    }

    /// Whether a marked output is all that there is to be had of an input, which has not changed
    /// since.
    pub(super) fn still_holds(&self, input: &Path, no_limits: bool) -> bool {
        let said = fs::read_to_string(&self.0).unwrap_or_default();
        let reasons: &[Why] = if no_limits { &[Why::Broken] } else { &[Why::Broken, Why::Limit] };
        // Standard input may be something else each time.
        version(input).is_some() && reasons.iter().any(|why| said == text(input, *why))
    }
}

/// What a mark says: why, and the input as it was.
fn text(input: &Path, why: Why) -> String {
    let version = version(input).unwrap_or_default();
    format!("in part: {}\n{version}\n", why.word())
}

/// The length of a file and when it was modified. `None` if it is not a file.
fn version(input: &Path) -> Option<String> {
    let metadata = fs::metadata(input).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} bytes, modified {} ns", metadata.len(), modified.as_nanos()))
}
