//! tar archives: ustar, the GNU and pax extensions for long names and sizes, and the format before
//! ustar.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::entry::Window;
use crate::{Entry, Fault, Listing, MAX_ENTRIES, Method, Random, Why};

const BLOCK: usize = 512;
/// Bytes of an extended header. Longer ones are skipped.
const MAX_EXTENDED: u64 = 64 * 1024;

/// Whether a header is at the beginning of `head`.
pub(crate) fn is_header(head: &[u8]) -> bool {
    head.first_chunk::<BLOCK>().is_some_and(|block| block[0] != 0 && has_checksum(block))
}

pub(crate) fn list(file: &mut impl Random) -> Listing {
    let mut listing = Listing::default();
    listing.fault = walk(&mut Window::new(file), &mut listing.entries).err();
    listing
}

fn walk<R: Random>(file: &mut Window<'_, R>, entries: &mut Vec<Entry>) -> Result<(), Fault> {
    let size = file.size();
    let mut at = 0;
    // What extended headers say of the next entry.
    let (mut name, mut length) = (None, None);
    while at < size {
        let Some(header) = file.get(at, BLOCK)?.first_chunk::<BLOCK>() else {
            return Err(Fault { at: size, why: Why::Truncated });
        };
        if header.iter().all(|b| *b == 0) {
            return Ok(());
        }
        if !has_checksum(header) {
            return Err(Fault { at, why: Why::Malformed });
        }
        let kind = header[156];
        let stated = number(field(header, 124..136)).ok_or(Fault { at, why: Why::Malformed })?;
        let own_name = name_of(header);
        let content = at + BLOCK as u64;
        let extended = matches!(kind, b'L' | b'x');
        let len = if extended { stated } else { length.take().unwrap_or(stated) };
        let end = content.saturating_add(len);
        let truncated = end > size;
        match kind {
            b'L' | b'x' if len <= MAX_EXTENDED => {
                let body = file.get(content, len as usize)?;
                if kind == b'L' {
                    name = Some(text(body));
                } else {
                    for (key, value) in Pax(body) {
                        match key {
                            b"path" => name = Some(String::from_utf8_lossy(value).into_owned()),
                            b"size" => length = core::str::from_utf8(value).ok().and_then(|v| v.parse().ok()),
                            _ => {}
                        }
                    }
                }
            }
            // Plain files; 7 is a contiguous one.
            0 | b'0' | b'7' => {
                let name = name.take().unwrap_or(own_name);
                if entries.len() >= MAX_ENTRIES {
                    return Err(Fault { at, why: Why::TooMany });
                }
                if !name.ends_with('/') {
                    let packed = len.min(size.saturating_sub(content));
                    entries.push(Entry {
                        name,
                        size: Some(len),
                        at: content,
                        packed,
                        method: Method::Stored,
                        crc: None,
                    });
                }
            }
            b'L' | b'x' | b'K' | b'g' => {}
            // Folders, links, devices.
            _ => name = None,
        }
        if truncated {
            return Err(Fault { at: size, why: Why::Truncated });
        }
        // Rounded up to a whole block.
        at = end.saturating_add((BLOCK as u64 - len % BLOCK as u64) % BLOCK as u64);
    }
    Ok(())
}

/// The checksum is the sum of all bytes, with spaces in its own place. Some writers summed signed
/// bytes.
fn has_checksum(header: &[u8; BLOCK]) -> bool {
    let Some(stated) = number(field(header, 148..156)) else { return false };
    let others = || field(header, 0..148).iter().chain(field(header, 156..BLOCK));
    let unsigned: u64 = others().map(|b| u64::from(*b)).sum::<u64>() + 8 * 32;
    let signed: i64 = others().map(|b| i64::from(b.cast_signed())).sum::<i64>() + 8 * 32;
    stated == unsigned || i64::try_from(stated) == Ok(signed)
}

/// Some bytes of a header.
fn field(header: &[u8; BLOCK], at: Range<usize>) -> &[u8] {
    header.get(at).unwrap_or_default()
}

/// A number in octal, or in binary after a byte of 0x80.
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, rest @ ..] = field {
        let (high, low) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
        return high.iter().all(|b| *b == 0).then(|| low.iter().fold(0, |sum, b| sum << 8 | u64::from(*b)));
    }
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at_checked(end)?;
    if rest.iter().any(|b| !matches!(b, 0 | b' ')) {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, b| match b {
        b'0'..=b'7' => sum.checked_mul(8)?.checked_add(u64::from(b - b'0')),
        _ => None,
    })
}

fn name_of(header: &[u8; BLOCK]) -> String {
    let name = text(field(header, 0..100));
    // Other writers use the place of the prefix for other things.
    let has_prefix = field(header, 257..265) == b"ustar\x0000";
    let prefix = if has_prefix { text(field(header, 345..500)) } else { String::new() };
    if prefix.is_empty() { name } else { alloc::format!("{prefix}/{name}") }
}

/// The bytes before the first 0.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// The records of a pax header: `length key=value\n`.
struct Pax<'a>(&'a [u8]);

impl<'a> Iterator for Pax<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let space = self.0.iter().position(|b| *b == b' ')?;
        let len: usize = core::str::from_utf8(self.0.get(..space)?).ok()?.parse().ok()?;
        let (record, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        let record = record.get(space + 1..)?.strip_suffix(b"\n")?;
        let equals = record.iter().position(|b| *b == b'=')?;
        Some((record.get(..equals)?, record.get(equals + 1..)?))
    }
}
