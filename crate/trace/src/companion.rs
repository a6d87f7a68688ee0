//! Files that belong to a trace: they add to it what its own file lacks.

use crate::naming::is_names_file;
use crate::sniff::Probe;

/// A kind of file that adds to a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// Names for ids or addresses ([`crate::naming`]).
    Names,
    /// A program, a shared library, or the debug information of one: names for ids.
    Binary,
    /// The write-ahead log of an SQLite database: `NAME-wal`.
    WriteAheadLog,
    /// How long calls of an apitrace took in a replay.
    Times,
}

impl Companion {
    /// A stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Binary => "binary",
            Self::WriteAheadLog => "wal",
            Self::Times => "times",
        }
    }

    /// What it is, such as `a list of names`.
    pub fn what(self) -> &'static str {
        match self {
            Self::Names => "a list of names",
            Self::Binary => "a program or a shared library",
            Self::WriteAheadLog => "the write-ahead log of an SQLite database",
            Self::Times => "a profile of apitrace replay",
        }
    }

    /// The kind of a file, if it is one.
    pub fn recognise(probe: &Probe<'_>) -> Option<Self> {
        // Magic numbers of SQLite's log (fileformat2.html#walformat); the last bit says how its
        // checksums are computed.
        if probe.head.starts_with(&[0x37, 0x7f, 0x06, 0x82]) || probe.head.starts_with(&[0x37, 0x7f, 0x06, 0x83]) {
            return Some(Self::WriteAheadLog);
        }
        // The heading that `apitrace replay --pcpu` and its relatives print.
        if probe.head.starts_with(b"# call no ") {
            return Some(Self::Times);
        }
        if is_binary(probe.head) {
            return Some(Self::Binary);
        }
        is_names_file(probe.head, probe.size > probe.head.len() as u64).then_some(Self::Names)
    }
}

/// Whether a file begins as ELF or Mach-O does.
fn is_binary(head: &[u8]) -> bool {
    match head.first_chunk::<8>() {
        Some(
            [0x7f, b'E', b'L', b'F', ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] | [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..],
        ) => true,
        // For several processors. A Java class begins with the same bytes, and its version follows:
        // 45 and above.
        Some([0xca, 0xfe, 0xba, 0xbe | 0xbf, 0, 0, 0, count]) => (1..=30).contains(count),
        _ => false,
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
        assert_eq!(of(b"# call no gpu_start gpu_dura\n"), Some(Companion::Times));
        assert_eq!(of(b"\x7fELF\x02\x01\x01\0"), Some(Companion::Binary));
        assert_eq!(of(&[0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1]), Some(Companion::Binary));
        assert_eq!(of(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2]), Some(Companion::Binary));
        assert_eq!(of(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]), None, "a Java class");
        assert_eq!(of(b""), None);
    }
}
