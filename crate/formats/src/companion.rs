//! Files that belong to a trace: they add to it what its own file lacks.

use crate::naming::is_names_file;
use crate::sniff::Probe;

/// A kind of file that adds to a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// Names for ids or addresses ([`crate::naming`]).
    Names,
    /// The write-ahead log of an SQLite database: `NAME-wal`.
    WriteAheadLog,
}

impl Companion {
    /// A stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::WriteAheadLog => "wal",
        }
    }

    /// What it is, such as `a list of names`.
    pub fn what(self) -> &'static str {
        match self {
            Self::Names => "a list of names",
            Self::WriteAheadLog => "the write-ahead log of an SQLite database",
        }
    }

    /// The kind of a file, if it is one.
    pub fn recognise(probe: &Probe<'_>) -> Option<Self> {
        // Magic numbers of SQLite's log (fileformat2.html#walformat); the last bit says how its checksums are computed.
        if probe.head.starts_with(&[0x37, 0x7f, 0x06, 0x82]) || probe.head.starts_with(&[0x37, 0x7f, 0x06, 0x83]) {
            return Some(Self::WriteAheadLog);
        }
        is_names_file(probe.head, probe.size > probe.head.len() as u64).then_some(Self::Names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &[u8]) -> Option<Companion> {
        Companion::recognise(&Probe { head, tail: head, size: head.len() as u64, name: "x" })
    }

    #[test]
    fn companions_are_known_by_their_heads() {
        assert_eq!(of(&[0x37, 0x7f, 0x06, 0x82, 0, 0]), Some(Companion::WriteAheadLog));
        assert_eq!(of(&[0x37, 0x7f, 0x06, 0x83, 0, 0]), Some(Companion::WriteAheadLog));
        assert_eq!(of(b"1,main\n"), Some(Companion::Names));
        assert_eq!(of(b"\x7fELF"), None);
        assert_eq!(of(b""), None);
    }
}
