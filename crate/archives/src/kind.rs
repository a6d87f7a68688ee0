//! Which container a file is.

use alloc::string::String;

/// Number of bytes at the beginning of a file that [`Kind::of`] needs.
pub const HEAD: usize = 512;

/// The containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// RFC 1952, also with several members.
    Gzip,
    /// RFC 8878, also with several frames.
    Zstd,
    /// The .xz format 1.2, also with several streams.
    Xz,
    /// RFC 7932. It has no magic number: only the file name shows it.
    Brotli,
    /// RFC 1951: an entry of a zip archive.
    Deflate,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
}

impl Kind {
    /// The container with this head, if it is one.
    pub fn of(head: &[u8], name: &str) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            // The second is an archive without entries.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            _ if crate::tar::is_header(head) => Some(Self::Tar),
            _ if ending(name, "br").is_some() && !head.is_empty() => Some(Self::Brotli),
            _ => None,
        }
    }

    /// The name shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Brotli => "Brotli",
            Self::Deflate => "Deflate",
            Self::Zip => "zip",
            Self::Tar => "tar",
        }
    }

    /// Whether it holds files with names, and not one stream.
    pub fn is_archive(self) -> bool {
        matches!(self, Self::Zip | Self::Tar)
    }
}

/// The name of the content of a compressed file: `app.xray` for `app.xray.gz`, and `traces.tar` for
/// `traces.tgz`.
pub fn inner_name(name: &str) -> String {
    for packed in ["gz", "zst", "xz", "br"] {
        if let Some(inner) = ending(name, packed) {
            return inner.into();
        }
    }
    for packed in ["tgz", "tzst", "txz", "tbr"] {
        if let Some(inner) = ending(name, packed) {
            return alloc::format!("{inner}.tar");
        }
    }
    name.into()
}

/// `name` without `.` and `extension`, if it has that ending and something before it.
fn ending<'a>(name: &'a str, extension: &str) -> Option<&'a str> {
    let (inner, last) = name.rsplit_once('.')?;
    (last.eq_ignore_ascii_case(extension) && !inner.is_empty()).then_some(inner)
}
