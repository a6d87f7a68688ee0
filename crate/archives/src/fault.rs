//! What can be wrong with a container.

use alloc::format;
use alloc::string::String;

use crate::Kind;

/// Why unpacking stopped, or which part of an archive could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Absolute offset in the container.
    pub at: u64,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The container ends here, too early.
    Truncated,
    /// The bytes contradict the container's format.
    Malformed,
    /// The unpacked bytes do not have the checksum or the length that is recorded here.
    Checksum,
    /// Unpacking needs more memory than the limit.
    Window,
    /// The file itself could not be read.
    Unreadable,
    /// The archive has no valid directory. Its files were found by their headers.
    NoDirectory,
    /// The archive has more entries than [`crate::MAX_ENTRIES`].
    TooMany,
    /// The stream unpacks to more than [`unspool_trace::limits::Expansion`] allows.
    Expansion,
}

impl Fault {
    /// Whether this is a limit that a person may lift, and not damage.
    pub fn is_limit(self) -> bool {
        self.why == Why::Expansion
    }

    /// What is wrong with a container of this kind, in one or two sentences.
    pub fn sentence(self, kind: Kind) -> String {
        let name = kind.name();
        let what = if kind.is_archive() { "archive" } else { "stream" };
        match self.why {
            Why::Truncated => format!("The {name} {what} ends too early."),
            Why::Malformed => format!("The {name} {what} is damaged."),
            Why::Checksum => format!("A checksum of the {name} {what} does not match. Some of its bytes are damaged."),
            Why::Window => format!("Unpacking the {name} {what} needs more than 128 MiB of memory."),
            Why::Unreadable => format!("The {name} {what} cannot be read."),
            Why::NoDirectory => {
                format!("The {name} {what} has no valid directory. Its files were found by their headers.")
            }
            Why::Expansion => {
                format!("The {name} {what} unpacks to more than 500 times its size. Reading stopped at this limit.")
            }
            Why::TooMany => format!("The {name} {what} has more than 100,000 entries. The rest is left out."),
        }
    }
}
