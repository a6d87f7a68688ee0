//! The instrumentation map of XRay: the addresses of its functions by id.
//!
//! A sled is a place that XRay can patch. The map has a row for each, and the sleds of a function
//! are adjacent. Function ids count from 1 in this order (`xray_interface.cpp` in compiler-rt,
//! `InstrumentationMap.cpp` in LLVM).

use std::collections::HashMap;

use crate::file::{File, Stop};
use crate::image::{Architecture, INSTRUMENTATION_MAP, Image, Section};
use crate::wire::Wire;

/// Bytes that are read at once, and between two returns.
const WINDOW: u64 = 2 << 20;

/// Reads a map.
#[derive(Debug, Default)]
pub(crate) struct Sleds {
    /// Number of the relocation section, and of the row in it.
    relocated: (usize, u64),
    /// Addends of relocations by the address of their place.
    slots: HashMap<u64, u64>,
    row: u64,
    functions: Vec<u64>,
    /// Function of the sled before.
    latest: Option<u64>,
    /// The relocations are known.
    is_relocated: bool,
}

impl Sleds {
    /// Reads a portion. Returns the addresses by id, from 1 on, when the map is complete.
    pub(crate) fn step(&mut self, file: &File, image: &Image) -> Result<Option<Vec<u64>>, Stop> {
        let Some(map) = image.section(INSTRUMENTATION_MAP) else { return Ok(Some(Vec::new())) };
        let wire = image.wire;
        let len = sled_len(wire);
        if map.size < len {
            return Ok(Some(Vec::new()));
        }
        if !self.is_relocated {
            let first = file.bytes(map.at, len)?;
            // Addresses in rows of the first versions are absolute: the loader fills them in.
            self.is_relocated = version(wire, &first) >= 2 || self.relocate(file, image, map)?;
            return Ok(None);
        }
        let rows = (map.size / len - self.row).min(WINDOW / len);
        let window = file.ahead(map.at.saturating_add(self.row * len), rows * len, WINDOW)?;
        for (row, sled) in (self.row..).zip(window.chunks_exact(len as usize)) {
            let function = self.function(wire, map.address.wrapping_add(row * len), sled);
            if self.latest != Some(function) {
                self.functions.push(function);
                self.latest = Some(function);
            }
        }
        self.row += rows;
        file.forget();
        Ok((self.row == map.size / len).then(|| std::mem::take(&mut self.functions)))
    }

    /// The address of the function of a sled. Rows of unknown kinds count as well: the writer has
    /// counted them.
    fn function(&self, wire: Wire, address: u64, sled: &[u8]) -> u64 {
        let field = address.wrapping_add(if wire.wide { 8 } else { 4 });
        let value = wire.word(sled, 4, 8).unwrap_or(0);
        if version(wire, sled) >= 2 {
            // Relative to the field itself.
            wire.address(field.wrapping_add(value))
        } else {
            self.slots.get(&wire.address(field)).copied().unwrap_or(value)
        }
    }

    /// Reads a portion of the relocations of the map that add the base address. Returns whether
    /// there are no more.
    fn relocate(&mut self, file: &File, image: &Image, map: &Section) -> Result<bool, Stop> {
        let (number, row) = self.relocated;
        let Some(relative) = relative_relocation(image.architecture) else { return Ok(true) };
        let Some(section) = image.sections.get(number) else { return Ok(true) };
        let wire = image.wire;
        let len = if wire.wide { 24 } else { 12 };
        let count = section.size / len;
        if !section.is_rela || !section.is_present || row >= count {
            self.relocated = (number + 1, 0);
            return Ok(false);
        }
        let rows = (count - row).min(WINDOW / len);
        let window = file.ahead(section.at.saturating_add(row * len), rows * len, WINDOW)?;
        let slots = window.chunks_exact(len as usize).filter_map(|entry| {
            let (at, info, addend) = (wire.word(entry, 0, 0)?, wire.word(entry, 4, 8)?, wire.word(entry, 8, 16)?);
            let kind = if wire.wide { info & 0xffff_ffff } else { info & 0xff };
            let within = at >= map.address && at - map.address < map.size;
            (kind == relative && within).then_some((at, addend))
        });
        self.slots.extend(slots);
        self.relocated = (number, row + rows);
        file.forget();
        Ok(false)
    }
}

/// Bytes of a row: two words, kind, "always instrument", version, and padding.
fn sled_len(wire: Wire) -> u64 {
    if wire.wide { 32 } else { 16 }
}

fn version(wire: Wire, sled: &[u8]) -> u8 {
    sled.get(if wire.wide { 18 } else { 10 }).copied().unwrap_or(0)
}

/// The type of the relocation that adds the base address to its addend (`R_…_RELATIVE`). `None`
/// where the addend is in the place itself.
fn relative_relocation(architecture: Architecture) -> Option<u64> {
    let Architecture::Elf(machine) = architecture else { return None };
    match machine {
        62 => Some(8),
        183 => Some(1027),
        21 | 20 => Some(22),
        243 | 258 => Some(3),
        22 => Some(12),
        164 => Some(35),
        _ => None,
    }
}
