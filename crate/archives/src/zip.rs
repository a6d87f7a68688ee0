//! zip archives, also in the zip64 form and after other data (APPNOTE.TXT 6.3.10).
//!
//! The directory at the end of the file lists the entries. If it is missing or damaged, the headers
//! before each entry do, which is slower: the length of an entry may be in its directory entry
//! only, so the file is searched for the next header.

use alloc::string::String;
use alloc::vec::Vec;

use crate::entry::{WINDOW, Window, le};
use crate::{Entry, Fault, Kind, Listing, MAX_ENTRIES, Method, Random, Why};

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const END: &[u8; 4] = b"PK\x05\x06";
const END_64: &[u8; 4] = b"PK\x06\x06";
const LOCATOR_64: &[u8; 4] = b"PK\x06\x07";

const LOCAL_LEN: usize = 30;
const CENTRAL_LEN: usize = 46;
const END_LEN: usize = 22;
const LOCATOR_LEN: u64 = 20;
/// A comment of up to 64 KiB follows the end record.
const END_SEARCH: u64 = 64 * 1024 - 1 + END_LEN as u64;

pub(crate) fn list(file: &mut impl Random) -> Listing {
    let mut window = Window::new(file);
    let found = directory(&mut window).and_then(|directory| entries(&mut window, &directory));
    match found {
        Ok(listing) => listing,
        Err(_) => by_headers(&mut window).unwrap_or_else(|fault| Listing { entries: Vec::new(), fault: Some(fault) }),
    }
}

/// Where the content of the entry begins whose header is at `at`.
pub(crate) fn content_at(file: &mut impl Random, at: u64) -> Result<u64, Fault> {
    let header = file.read(at, LOCAL_LEN).ok_or(Fault { at, why: Why::Unreadable })?;
    if header.len() < LOCAL_LEN {
        return Err(Fault { at: at + header.len() as u64, why: Why::Truncated });
    }
    if !header.starts_with(LOCAL) {
        return Err(Fault { at, why: Why::Malformed });
    }
    Ok(at + LOCAL_LEN as u64 + le::<2>(&header, 26) + le::<2>(&header, 28))
}

/// Where the directory is.
struct Directory {
    at: u64,
    end: u64,
    entries: u64,
    /// Added to all offsets: the archive begins after other data.
    shift: u64,
}

fn directory<R: Random>(file: &mut Window<'_, R>) -> Result<Directory, Fault> {
    let size = file.size();
    let from = size.saturating_sub(END_SEARCH);
    let tail = file.get(from, END_SEARCH as usize)?;
    let at = (0..tail.len().saturating_sub(END_LEN - 1))
        .rev()
        .find(|at| tail.get(*at..).is_some_and(|end| end.starts_with(END)))
        .ok_or(Fault { at: size, why: Why::NoDirectory })?;
    let end = tail.get(at..).unwrap_or_default();
    let (mut entries, mut len, mut stated) = (le::<2>(end, 10), le::<4>(end, 12), le::<4>(end, 16));
    let mut directory_end = from + at as u64;
    if entries == 0xffff || len == 0xffff_ffff || stated == 0xffff_ffff {
        let locator = file.get(directory_end.saturating_sub(LOCATOR_LEN), LOCATOR_LEN as usize)?;
        if locator.starts_with(LOCATOR_64) {
            let stated_at = le::<8>(locator, 8);
            // The record precedes its locator. The stated offset is wrong after other data.
            let before = directory_end.saturating_sub(LOCATOR_LEN + 56);
            for at in [before, stated_at] {
                let end = file.get(at, 56)?;
                if end.starts_with(END_64) {
                    (entries, len, stated) = (le::<8>(end, 32), le::<8>(end, 40), le::<8>(end, 48));
                    directory_end = at;
                    break;
                }
            }
        }
    }
    let at = directory_end.checked_sub(len).ok_or(Fault { at: directory_end, why: Why::NoDirectory })?;
    let shift = at.checked_sub(stated).ok_or(Fault { at, why: Why::NoDirectory })?;
    Ok(Directory { at, end: directory_end, entries, shift })
}

fn entries<R: Random>(file: &mut Window<'_, R>, directory: &Directory) -> Result<Listing, Fault> {
    let mut listing = Listing::default();
    let mut at = directory.at;
    for _ in 0..directory.entries {
        if listing.entries.len() >= MAX_ENTRIES {
            listing.fault = Some(Fault { at, why: Why::TooMany });
            break;
        }
        let fixed = file.get(at, CENTRAL_LEN)?;
        if !fixed.starts_with(CENTRAL) || at >= directory.end {
            return Err(Fault { at, why: Why::NoDirectory });
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| le::<2>(fixed, at) as usize);
        let header = file.get(at, CENTRAL_LEN + name + extra)?;
        let field = |at: usize, len: usize| header.get(at..at + len).unwrap_or_default();
        let mut entry = Entry {
            name: text(field(CENTRAL_LEN, name)),
            size: Some(le::<4>(header, 24)),
            at: le::<4>(header, 42),
            packed: le::<4>(header, 20),
            method: method(le::<2>(header, 8), le::<2>(header, 10)),
            crc: Some(le::<4>(header, 16) as u32),
        };
        widen(&mut entry, field(CENTRAL_LEN + name, extra));
        entry.at += directory.shift;
        if !entry.name.ends_with('/') {
            listing.entries.push(entry);
        }
        at += (CENTRAL_LEN + name + extra + comment) as u64;
    }
    Ok(listing)
}

/// Takes what does not fit into 32 bits from the extra field 1.
fn widen(entry: &mut Entry, mut extra: &[u8]) {
    const WIDE: u64 = 0xffff_ffff;
    while extra.len() >= 4 {
        let (id, len) = (le::<2>(extra, 0), le::<2>(extra, 2) as usize);
        let mut body = extra.get(4..(4 + len).min(extra.len())).unwrap_or_default();
        if id == 1 {
            let mut next = |value: &mut u64| {
                if *value == WIDE
                    && let Some((wide, rest)) = body.split_first_chunk::<8>()
                {
                    *value = u64::from_le_bytes(*wide);
                    body = rest;
                }
            };
            if let Some(size) = &mut entry.size {
                next(size);
            }
            next(&mut entry.packed);
            next(&mut entry.at);
        }
        extra = extra.get(4 + len..).unwrap_or_default();
    }
}

fn method(flags: u64, method: u64) -> Method {
    match (flags & 1, method) {
        (1, _) => Method::Encrypted,
        (_, 0) => Method::Stored,
        (_, 8) => Method::Packed(Kind::Deflate),
        (_, 93 | 20) => Method::Packed(Kind::Zstd),
        (_, 95) => Method::Packed(Kind::Xz),
        (_, other) => Method::Unknown(other as u16),
    }
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Lists the entries by the headers before them.
fn by_headers<R: Random>(file: &mut Window<'_, R>) -> Result<Listing, Fault> {
    let size = file.size();
    let mut listing = Listing { entries: Vec::new(), fault: Some(Fault { at: size, why: Why::NoDirectory }) };
    let mut next = find(file, 0)?;
    while let Some(at) = next {
        let header = file.get(at, LOCAL_LEN)?;
        if header.len() < LOCAL_LEN || !header.starts_with(LOCAL) {
            // The directory, or the end of the file.
            break;
        }
        if listing.entries.len() >= MAX_ENTRIES {
            listing.fault = Some(Fault { at, why: Why::TooMany });
            break;
        }
        let (flags, packed) = (le::<2>(header, 6), le::<4>(header, 18));
        let unknown = flags & 8 != 0;
        let [name, extra] = [26, 28].map(|at| le::<2>(header, at) as usize);
        let mut entry = Entry {
            name: String::new(),
            size: (!unknown).then_some(le::<4>(header, 22)),
            at,
            packed,
            method: method(flags, le::<2>(header, 8)),
            crc: (!unknown).then_some(le::<4>(header, 14) as u32),
        };
        let header = file.get(at, LOCAL_LEN + name + extra)?;
        entry.name = text(header.get(LOCAL_LEN..LOCAL_LEN + name).unwrap_or_default());
        widen(&mut entry, header.get(LOCAL_LEN + name..).unwrap_or_default());
        let content = at + (LOCAL_LEN + name + extra) as u64;
        let known = !unknown && content.saturating_add(entry.packed) <= size;
        next = find(file, if known { content + entry.packed } else { content })?;
        if !known {
            entry.packed = next.unwrap_or(size).saturating_sub(content);
        }
        if !entry.name.ends_with('/') {
            listing.entries.push(entry);
        }
    }
    Ok(listing)
}

/// The next header of an entry or of the directory, from `at` on.
fn find<R: Random>(file: &mut Window<'_, R>, mut at: u64) -> Result<Option<u64>, Fault> {
    while at + 4 <= file.size() {
        let part = file.get(at, WINDOW)?;
        if part.len() < 4 {
            break;
        }
        let found = part.windows(4).position(|w| w == LOCAL || w == CENTRAL);
        if let Some(found) = found {
            return Ok(Some(at + found as u64));
        }
        at += part.len() as u64 - 3;
    }
    Ok(None)
}
