//! Debug information in DWARF: the source of functions.
//!
//! A question starts over whenever bytes were missing, so what it needs is in memory at its end.
//! The table of units is made once, in portions.

mod place;
mod section;
mod units;

use std::collections::HashMap;
use std::rc::Rc;

use gimli::{DebugInfoOffset, Dwarf, SectionId};

use crate::fault::{Fault, Why};
use crate::file::{File, Stop};
use crate::image::Image;
use crate::mini::inflate;
pub use place::Source;
use section::Part;
use units::{Bisection, Found};

/// Most ranges of units.
const MAX_RANGES: usize = 4 << 20;

/// The debug information of a binary.
#[derive(Debug)]
pub(crate) struct Debug {
    /// Sections that were compressed.
    inflated: HashMap<u64, Rc<File>>,
    /// First address, address after the last, and the offset of the unit.
    ranges: Vec<place::Range>,
    /// The table that the compiler made is read.
    has_table: bool,
    /// What looks for the unit of the latest address.
    bisection: Option<Bisection>,
    /// The latest bisection has found no unit.
    is_elsewhere: bool,
    /// Where the next unit begins whose ranges are unknown, when all are looked at. `None` after
    /// the last.
    next_unit: Option<u64>,
}

impl Default for Debug {
    fn default() -> Self {
        Self {
            inflated: HashMap::new(),
            ranges: Vec::new(),
            has_table: false,
            bisection: None,
            is_elsewhere: false,
            next_unit: Some(0),
        }
    }
}

impl Debug {
    /// Whether a binary has debug information.
    pub(crate) fn is_in(image: &Image) -> bool {
        image.section(".debug_info").is_some() && image.section(".debug_line").is_some()
    }

    /// Goes on with the source of the function that contains an address. Returns it when it is
    /// known, or that there is none.
    pub(crate) fn step(
        &mut self,
        file: &Rc<File>,
        image: &Image,
        address: u64,
    ) -> Result<Option<Option<Source>>, Stop> {
        file.clear_missing();
        let dwarf = self.load(file, image)?;
        // An error of the reader is one of the binary if no bytes were missing.
        let at = image.section(".debug_info").map_or(0, |section| section.at);
        let stop = |_: gimli::Error| match file.missing() {
            Some(_) => Stop::Missing,
            None => Stop::Fault(Fault { at, why: Why::Malformed("the debug information") }),
        };
        if !self.has_table {
            self.ranges = place::table(&dwarf, MAX_RANGES).map_err(stop)?;
            self.has_table = true;
        }
        let unit = self.ranges.iter().find(|(from, to, _)| (*from..*to).contains(&address)).map(|(.., unit)| *unit);
        if let Some(unit) = unit {
            let source = place::source(&dwarf, &self.ranges, DebugInfoOffset(unit), address).map_err(stop)?;
            file.forget();
            return Ok(Some(source));
        }
        let Some(next) = self.next_unit else { return Ok(Some(None)) };
        if self.bisection.is_none_or(|it| it.address() != address) {
            (self.bisection, self.is_elsewhere) = (Some(Bisection::new(&dwarf, address)), false);
        }
        let mut ranges = Vec::new();
        if let Some(bisection) = self.bisection.as_mut().filter(|_| !self.is_elsewhere) {
            let found = bisection.step(&dwarf, &mut ranges).map_err(stop)?;
            self.is_elsewhere = matches!(found, Found::Nothing);
        } else {
            (ranges, self.next_unit) = units::next_ranges(&dwarf, next).map_err(stop)?;
        }
        if self.ranges.len() + ranges.len() > MAX_RANGES {
            return Err(Fault { at: 0, why: Why::Large }.into());
        }
        self.ranges.extend(ranges);
        file.forget();
        Ok(None)
    }

    fn load(&mut self, file: &Rc<File>, image: &Image) -> Result<Dwarf<Part>, Stop> {
        let big_endian = image.wire.big_endian;
        Dwarf::load(|id: SectionId| {
            let Some(section) = image.section(id.name()) else {
                return Ok(Part::new(Rc::clone(file), 0, 0, big_endian));
            };
            if !section.is_compressed {
                return Ok(Part::new(Rc::clone(file), section.at, section.size, big_endian));
            }
            let inflated = match self.inflated.get(&section.at) {
                Some(inflated) => Rc::clone(inflated),
                None => {
                    let inflated = Rc::new(File::of(inflate(file, image, section)?));
                    self.inflated.insert(section.at, Rc::clone(&inflated));
                    inflated
                }
            };
            let size = inflated.size();
            Ok(Part::new(inflated, 0, size, big_endian))
        })
    }
}
