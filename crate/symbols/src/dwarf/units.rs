//! Which unit has the code at an address, where no table says it: Clang writes `.debug_aranges`
//! only on request.
//!
//! Linkers keep the order of their inputs, in `.debug_info` as in the code. So units are bisected
//! by their addresses. Where the order is another one, as for functions of other sections, all
//! units are looked at, one after the other.

use gimli::{
    AttributeValue, DebugAddrBase, DebugInfoOffset, DebugRngListsBase, Dwarf, DwarfFileType, Reader, Result, Section,
    constants,
};

use super::place::Range;
use super::section::Part;

/// Units that are looked at between two returns.
const UNITS: usize = 64;
/// Bytes that are read at once where units are looked at one after the other.
const AHEAD: u64 = 2 << 20;
/// Bytes in which the beginning of a unit is looked for at first, and at most.
const WINDOW: u64 = 64 * 1024;
const MAX_WINDOW: u64 = 8 << 20;
/// Distance below which units are looked at one after the other.
const NEAR: u64 = 256 * 1024;
/// Headers that must follow one another, so that bytes which look like one are not taken for it.
const CHAIN: usize = 3;
/// Bytes of the headers: length, version, offset of abbreviations, size of addresses, and of
/// version 5 the type of the unit.
const HEADER: usize = 12;

/// Looks for the unit with the code at an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bisection {
    address: u64,
    /// The unit begins here or after it. The beginning of a unit.
    low: u64,
    /// It begins before.
    high: u64,
}

/// What a step has found.
pub(super) enum Found {
    /// More is to be done.
    More,
    /// The unit is at none of the places where it should be.
    Nothing,
}

impl Bisection {
    /// Begins with all units.
    pub(super) fn new(dwarf: &Dwarf<Part>, address: u64) -> Self {
        Self { address, low: 0, high: dwarf.debug_info.reader().len() }
    }

    /// The address that is looked for.
    pub(super) fn address(&self) -> u64 {
        self.address
    }

    /// Looks at a unit in the middle, or at all if few are left. Their ranges are added to
    /// `ranges`.
    pub(super) fn step(&mut self, dwarf: &Dwarf<Part>, ranges: &mut Vec<Range>) -> Result<Found> {
        if self.high - self.low <= NEAR {
            let mut at = self.low;
            while at < self.high {
                let unit = Unit::read(dwarf, at)?;
                ranges.extend(unit.ranges);
                at = unit.next;
            }
            return Ok(Found::Nothing);
        }
        let middle = self.low + (self.high - self.low) / 2;
        let Some(mut at) = beginning(dwarf, middle, self.high)? else {
            self.high = middle;
            return Ok(Found::More);
        };
        // Some units have no code.
        for _ in 0..UNITS {
            if at >= self.high {
                break;
            }
            let unit = Unit::read(dwarf, at)?;
            at = unit.next;
            // The longest range is where the object file is; others may be in sections that the
            // linker has sorted.
            let longest = unit.ranges.iter().max_by_key(|(from, to, _)| to - from).copied();
            let Some((from, ..)) = longest else { continue };
            ranges.extend(unit.ranges);
            if self.address < from {
                self.high = middle;
            } else {
                self.low = at;
            }
            return Ok(Found::More);
        }
        self.high = middle;
        Ok(Found::More)
    }
}

/// The ranges of some units, and the offset of the unit after them. `None` if they are the last.
pub(super) fn next_ranges(dwarf: &Dwarf<Part>, first: u64) -> Result<(Vec<Range>, Option<u64>)> {
    let (mut ranges, mut at) = (Vec::new(), first);
    let mut ahead = dwarf.debug_info.reader().clone();
    ahead.skip(first.min(ahead.len()))?;
    ahead.prefetch(AHEAD)?;
    for _ in 0..UNITS {
        if at >= dwarf.debug_info.reader().len() {
            return Ok((ranges, None));
        }
        let unit = Unit::read(dwarf, at)?;
        ranges.extend(unit.ranges);
        at = unit.next;
    }
    Ok((ranges, Some(at)))
}

/// What the first entry of a unit says.
struct Unit {
    ranges: Vec<Range>,
    /// Where the next unit begins.
    next: u64,
}

impl Unit {
    /// Reads the first entry alone. [`gimli::Unit`] would read the head of its line table, too.
    fn read(dwarf: &Dwarf<Part>, at: u64) -> Result<Self> {
        let header = dwarf.debug_info.header_from_offset(DebugInfoOffset(at))?;
        let next = at.saturating_add(header.length_including_self());
        let encoding = header.encoding();
        let abbreviations = dwarf.abbreviations(&header)?;
        let mut entries = header.entries(&abbreviations);
        let mut ranges = Vec::new();
        let Some(root) = entries.next_dfs()? else { return Ok(Self { ranges, next }) };
        let addresses = match root.attr_value(constants::DW_AT_addr_base) {
            Some(AttributeValue::DebugAddrBase(base)) => base,
            _ => DebugAddrBase(0),
        };
        let address_of = |value: Option<AttributeValue<Part>>| match value {
            Some(AttributeValue::Addr(address)) => Ok(Some(address)),
            Some(AttributeValue::DebugAddrIndex(index)) => {
                dwarf.debug_addr.get_address(encoding.address_size, addresses, index).map(Some)
            }
            _ => Ok(None),
        };
        let low = address_of(root.attr_value(constants::DW_AT_low_pc))?;
        let list = match root.attr_value(constants::DW_AT_ranges) {
            Some(AttributeValue::RangeListsRef(offset)) => Some(gimli::RangeListsOffset(offset.0)),
            Some(AttributeValue::DebugRngListsIndex(index)) => {
                let base = match root.attr_value(constants::DW_AT_rnglists_base) {
                    Some(AttributeValue::DebugRngListsBase(base)) => base,
                    _ => DebugRngListsBase::default_for_encoding_and_file(encoding, DwarfFileType::Main),
                };
                Some(dwarf.ranges.get_offset(encoding, base, index)?)
            }
            _ => None,
        };
        if let Some(list) = list {
            let mut list = dwarf.ranges.ranges(list, encoding, low.unwrap_or(0), &dwarf.debug_addr, addresses)?;
            while let Some(range) = list.next()? {
                ranges.push((range.begin, range.end, at));
            }
        } else if let Some(low) = low {
            let high = match root.attr_value(constants::DW_AT_high_pc) {
                Some(AttributeValue::Udata(size)) => Some(low.saturating_add(size)),
                value => address_of(value)?,
            };
            ranges.extend(high.map(|high| (low, high, at)));
        }
        // The linker gives address 0 to what it leaves out.
        ranges.retain(|(from, to, _)| *from != 0 && from < to);
        Ok(Self { ranges, next })
    }
}

/// The first offset from `from` on, before `to`, at which a unit begins. `None` if that is unknown.
fn beginning(dwarf: &Dwarf<Part>, from: u64, to: u64) -> Result<Option<u64>> {
    let len = dwarf.debug_info.reader().len();
    let mut window = WINDOW;
    loop {
        let mut reader = dwarf.debug_info.reader().clone();
        reader.skip(from)?;
        let size = window.min(len - from);
        let bytes = reader.bytes(size)?.to_vec();
        for (place, bytes) in bytes.windows(HEADER).enumerate() {
            let at = from + place as u64;
            if at >= to {
                return Ok(None);
            }
            if next_of(dwarf, bytes, at).is_some() && is_chain(dwarf, at)? {
                return Ok(Some(at));
            }
        }
        if size < window || from + size >= to || window >= MAX_WINDOW {
            return Ok(None);
        }
        window *= 4;
    }
}

/// Whether headers follow one another from an offset on, up to the end or for long enough.
fn is_chain(dwarf: &Dwarf<Part>, mut at: u64) -> Result<bool> {
    for _ in 0..CHAIN {
        let mut reader = dwarf.debug_info.reader().clone();
        reader.skip(at)?;
        if reader.is_empty() {
            break;
        }
        if reader.len() < HEADER as u64 {
            return Ok(false);
        }
        let Some(next) = next_of(dwarf, reader.bytes(HEADER as u64)?, at) else { return Ok(false) };
        at = next;
    }
    Ok(true)
}

/// Where the next unit begins if these bytes are the header of one, in the format of 32 bits.
fn next_of(dwarf: &Dwarf<Part>, bytes: &[u8], at: u64) -> Option<u64> {
    let info = dwarf.debug_info.reader();
    let is_big = info.endian() == gimli::RunTimeEndian::Big;
    let u32_at = |at: usize| {
        let bytes = *bytes.get(at..)?.first_chunk::<4>()?;
        Some(if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    };
    let version = *bytes.get(if is_big { 5 } else { 4 })?;
    if *bytes.get(if is_big { 4 } else { 5 })? != 0 {
        return None;
    }
    let (address_size, abbreviations) = match version {
        5 if (1..=6).contains(bytes.get(6)?) => (*bytes.get(7)?, u32_at(8)?),
        2..=4 => (*bytes.get(10)?, u32_at(6)?),
        _ => return None,
    };
    let length = u32_at(0)?;
    let next = at.checked_add(4 + u64::from(length))?;
    let is_header = matches!(address_size, 4 | 8)
        && length as usize >= HEADER - 4
        && u64::from(abbreviations) < dwarf.debug_abbrev.reader().len();
    (is_header && next <= info.len()).then_some(next)
}
