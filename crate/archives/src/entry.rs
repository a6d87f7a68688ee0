//! The entries of an archive.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Fault, Kind, Why, tar, zip};

/// Maximum number of entries listed.
pub const MAX_ENTRIES: usize = 100_000;
/// Bytes of the file that [`Window`] reads at once.
pub(crate) const WINDOW: usize = 192 * 1024;

/// A file that is read by offset.
pub trait Random {
    /// Its size in bytes.
    fn size(&self) -> u64;

    /// The `len` bytes from the offset `at` on, fewer only at the end of the file. `None` if they
    /// cannot be read.
    fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>>;
}

/// How the content of an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Not at all.
    Stored,
    /// By [`crate::Stream::of_entry`].
    Packed(Kind),
    /// It needs a password.
    Encrypted,
    /// In a way that is not supported. The number is that of the zip format.
    Unknown(u16),
}

/// A file in an archive. Folders and links are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub name: String,
    /// Its size in bytes. `None` if the archive does not say.
    pub size: Option<u64>,
    /// Offset in the archive of its header (zip) or its content (tar).
    pub at: u64,
    /// Bytes that the content has in the archive; at most these if its end is unknown.
    pub packed: u64,
    /// How the content is packed.
    pub method: Method,
    /// CRC-32 of the content, if the archive says.
    pub crc: Option<u32>,
}

/// What is in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// In the order of the archive.
    pub entries: Vec<Entry>,
    /// What is wrong with the archive.
    pub fault: Option<Fault>,
}

/// Lists the files of an archive. A compressed stream has none.
pub fn list(kind: Kind, file: &mut impl Random) -> Listing {
    match kind {
        Kind::Zip => zip::list(file),
        Kind::Tar => tar::list(file),
        _ => Listing::default(),
    }
}

/// Offset and length in the archive of the content of an entry, as it is packed.
///
/// # Errors
///
/// Fails if the archive has no such entry there.
pub fn content(kind: Kind, file: &mut impl Random, entry: &Entry) -> Result<(u64, u64), Fault> {
    let at = if kind == Kind::Zip { zip::content_at(file, entry.at)? } else { entry.at };
    Ok((at, entry.packed.min(file.size().saturating_sub(at))))
}

/// Reads a file at rising offsets, a block at a time.
pub(crate) struct Window<'a, R> {
    file: &'a mut R,
    at: u64,
    bytes: Vec<u8>,
}

impl<'a, R: Random> Window<'a, R> {
    pub(crate) fn new(file: &'a mut R) -> Self {
        Self { file, at: 0, bytes: Vec::new() }
    }

    pub(crate) fn size(&self) -> u64 {
        self.file.size()
    }

    /// The `len` bytes from `at` on, fewer only at the end of the file. `len` is at most
    /// [`WINDOW`].
    pub(crate) fn get(&mut self, at: u64, len: usize) -> Result<&[u8], Fault> {
        let len = len.min(usize::try_from(self.size().saturating_sub(at)).unwrap_or(usize::MAX)).min(WINDOW);
        let covered = at >= self.at && at + len as u64 <= self.at + self.bytes.len() as u64;
        if !covered {
            self.bytes = self.file.read(at, WINDOW).ok_or(Fault { at, why: Why::Unreadable })?;
            self.at = at;
        }
        let from = (at - self.at) as usize;
        let end = (from + len).min(self.bytes.len());
        Ok(self.bytes.get(from..end).unwrap_or_default())
    }
}

/// A number in little-endian order at `at`, or 0 after the end of `bytes`.
pub(crate) fn le<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let part: Option<&[u8; N]> = bytes.get(at..).and_then(|rest| rest.first_chunk());
    part.map_or(0, |part| part.iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b)))
}

impl Entry {
    /// Why it cannot be unpacked, in a sentence. `None` if it can.
    pub fn refusal(&self) -> Option<String> {
        match self.method {
            Method::Stored | Method::Packed(_) => None,
            Method::Encrypted => Some(format!("{} needs a password. Unpack it with another program.", self.name)),
            Method::Unknown(method) => Some(format!(
                "{} is packed by method {method}, which is not supported. Unpack it with another program.",
                self.name
            )),
        }
    }
}
