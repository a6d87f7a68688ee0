//! Questions about units of DWARF.

use gimli::{
    AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Dwarf, LineProgramHeader, Reader, Result, Section,
    Unit, UnitOffset, constants,
};

use crate::demangle::demangle;

use super::section::Part;

/// Most names of functions that are inlined in one.
const MAX_INLINED: usize = 64;
/// Most references from one entry to another that leads to its name.
const MAX_REFERENCES: usize = 8;

/// What the source of a function is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The path of the file, as the compiler had it. Empty if unknown.
    pub file: String,
    /// The line on which it is declared, from 1, or that of its first instruction. 0 if unknown.
    pub line: u64,
    /// The functions that the compiler has inlined in it, so that they have no calls of their own:
    /// each once, at most 64.
    pub inlined: Vec<String>,
}

/// First address, address after the last, and the offset of the unit.
pub(super) type Range = (u64, u64, u64);

/// The table of addresses that some compilers write.
pub(super) fn table(dwarf: &Dwarf<Part>, most: usize) -> Result<Vec<Range>> {
    let mut ranges = Vec::new();
    let mut headers = dwarf.debug_aranges.headers();
    while let Some(header) = headers.next()? {
        let mut entries = header.entries();
        while let Some(entry) = entries.next_raw()? {
            if ranges.len() == most {
                return Ok(ranges);
            }
            let (from, len) = (entry.address(), entry.length());
            // The linker gives address 0 to what it leaves out.
            if from != 0 {
                ranges.push((from, from.saturating_add(len), header.debug_info_offset().0));
            }
        }
    }
    Ok(ranges)
}

/// The source of the function that contains an address in a unit. `units` are the ranges that are
/// known.
pub(super) fn source(
    dwarf: &Dwarf<Part>,
    units: &[Range],
    unit: DebugInfoOffset<u64>,
    address: u64,
) -> Result<Option<Source>> {
    let header = dwarf.debug_info.header_from_offset(unit)?;
    // Almost all of it is needed: at once is faster than in parts.
    let mut whole = dwarf.debug_info.reader().clone();
    whole.skip(unit.0)?;
    whole.bytes(header.length_including_self().min(whole.len()))?;
    let unit = Entries { dwarf, units, unit: &dwarf.unit(header)? };
    let mut entries = unit.unit.entries();
    // The depth of the function, and what is known of it.
    let mut found: Option<(isize, Source)> = None;
    let mut seen = Vec::new();
    while let Some(entry) = entries.next_dfs()? {
        match &mut found {
            Some((depth, _)) if entry.depth() <= *depth => break,
            Some((_, source)) if entry.tag() == constants::DW_TAG_inlined_subroutine => {
                let origin = match entry.attr_value(constants::DW_AT_abstract_origin) {
                    Some(AttributeValue::UnitRef(offset)) => (false, offset.0),
                    Some(AttributeValue::DebugInfoRef(offset)) => (true, offset.0),
                    _ => continue,
                };
                if seen.contains(&origin) || seen.len() == MAX_INLINED {
                    continue;
                }
                seen.push(origin);
                let name = unit.name_of(entry.offset(), 0)?.unwrap_or_default();
                if !name.is_empty() && !source.inlined.contains(&name) {
                    source.inlined.push(name);
                }
            }
            None if entry.tag() == constants::DW_TAG_subprogram => {
                let mut contains = false;
                each_range(dwarf, unit.unit, entry, |from, to| contains |= (from..to).contains(&address))?;
                if contains {
                    found = Some((entry.depth(), unit.declared(entry.offset(), 0)?));
                }
            }
            _ => {}
        }
    }
    let mut source = found.map_or_else(Source::default, |(_, source)| source);
    if source.line == 0 {
        (source.file, source.line) = line_of(dwarf, unit.unit, address)?;
    }
    Ok((source.line > 0 || !source.inlined.is_empty()).then_some(source))
}

/// The entries of a unit.
struct Entries<'a> {
    dwarf: &'a Dwarf<Part>,
    units: &'a [Range],
    unit: &'a Unit<Part>,
}

impl Entries<'_> {
    /// Where a function is declared.
    fn declared(&self, offset: UnitOffset<u64>, count: usize) -> Result<Source> {
        let entry = self.unit.entry(offset)?;
        let file = match entry.attr_value(constants::DW_AT_decl_file) {
            Some(AttributeValue::FileIndex(file)) => Some(file),
            other => other.and_then(|value| value.udata_value()),
        };
        let line = entry.attr_value(constants::DW_AT_decl_line).and_then(|value| value.udata_value());
        if let (Some(file), Some(line), Some(program)) = (file, line, &self.unit.line_program) {
            let file = file_of(self.dwarf, self.unit, program.header(), file)?;
            return Ok(Source { file, line, inlined: Vec::new() });
        }
        self.referred(&entry, count, Source::default(), |entries, offset, count| entries.declared(offset, count))
    }

    /// The name of an entry, or of the one that it refers to.
    fn name_of(&self, offset: UnitOffset<u64>, count: usize) -> Result<Option<String>> {
        let entry = self.unit.entry(offset)?;
        let linkage = [constants::DW_AT_linkage_name, constants::DW_AT_MIPS_linkage_name].map(|name| (name, true));
        for (name, is_linkage) in linkage.into_iter().chain([(constants::DW_AT_name, false)]) {
            if let Some(value) = entry.attr_value(name) {
                let text = self.dwarf.attr_string(self.unit, value)?;
                let text = text.to_string_lossy()?.into_owned();
                return Ok(Some(if is_linkage { demangle(&text, false) } else { text }));
            }
        }
        self.referred(&entry, count, None, |entries, offset, count| entries.name_of(offset, count))
    }

    /// What `of` says about the entry that another one refers to, `none` without one.
    fn referred<T>(
        &self,
        entry: &DebuggingInformationEntry<Part>,
        count: usize,
        none: T,
        of: fn(&Entries<'_>, UnitOffset<u64>, usize) -> Result<T>,
    ) -> Result<T> {
        if count == MAX_REFERENCES {
            return Ok(none);
        }
        let references = [constants::DW_AT_abstract_origin, constants::DW_AT_specification];
        match references.into_iter().find_map(|name| entry.attr_value(name)) {
            Some(AttributeValue::UnitRef(offset)) => of(self, offset, count + 1),
            // An entry of any unit with code, such as one that was inlined across units at link
            // time.
            Some(AttributeValue::DebugInfoRef(offset)) => {
                let unit = self.units.iter().map(|(.., unit)| *unit).filter(|unit| *unit <= offset.0).max();
                let Some(unit) = unit else { return Ok(none) };
                let header = self.dwarf.debug_info.header_from_offset(DebugInfoOffset(unit))?;
                let Some(offset) = offset.to_unit_offset(&header) else { return Ok(none) };
                let unit = self.dwarf.unit(header)?;
                of(&Entries { unit: &unit, ..*self }, offset, count + 1)
            }
            _ => Ok(none),
        }
    }
}

/// File and line of an address by the line table, empty and 0 if it does not have that.
fn line_of(dwarf: &Dwarf<Part>, unit: &Unit<Part>, address: u64) -> Result<(String, u64)> {
    let Some(program) = unit.line_program.clone() else { return Ok(Default::default()) };
    let mut rows = program.rows();
    // Address, file and line of the row before, in the same sequence.
    let mut before: Option<(u64, u64, u64)> = None;
    while let Some((_, row)) = rows.next_row()? {
        if let Some((from, file, line)) = before
            && (from..row.address()).contains(&address)
        {
            return Ok((file_of(dwarf, unit, rows.header(), file)?, line));
        }
        let place = (row.address(), row.file_index(), row.line().map_or(0, |line| line.get()));
        before = (!row.end_sequence()).then_some(place);
    }
    Ok(Default::default())
}

/// The path of a file of a line table.
fn file_of(dwarf: &Dwarf<Part>, unit: &Unit<Part>, header: &LineProgramHeader<Part>, index: u64) -> Result<String> {
    let Some(file) = header.file(index) else { return Ok(String::new()) };
    let text = |value| -> Result<String> { Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()) };
    let name = text(file.path_name())?;
    let is_absolute = |path: &str| path.starts_with('/') || path.get(1..3) == Some(":\\");
    if is_absolute(&name) {
        return Ok(name);
    }
    let folder = file.directory(header).map(text).transpose()?.unwrap_or_default();
    let path = if folder.is_empty() { name } else { format!("{}/{name}", folder.trim_end_matches('/')) };
    match &unit.comp_dir {
        Some(base) if !is_absolute(&path) => Ok(format!("{}/{path}", base.to_string_lossy()?.trim_end_matches('/'))),
        _ => Ok(path),
    }
}

/// Calls `take` with each range of addresses of an entry.
fn each_range(
    dwarf: &Dwarf<Part>,
    unit: &Unit<Part>,
    entry: &DebuggingInformationEntry<Part>,
    mut take: impl FnMut(u64, u64),
) -> Result<()> {
    if let Some(value) = entry.attr_value(constants::DW_AT_ranges) {
        if let Some(mut list) = dwarf.attr_ranges(unit, value)? {
            while let Some(range) = list.next()? {
                take(range.begin, range.end);
            }
        }
        return Ok(());
    }
    let Some(low) = entry.attr_value(constants::DW_AT_low_pc) else { return Ok(()) };
    let Some(low) = dwarf.attr_address(unit, low)? else { return Ok(()) };
    let high = match entry.attr_value(constants::DW_AT_high_pc) {
        Some(AttributeValue::Udata(size)) => Some(low.saturating_add(size)),
        Some(value) => dwarf.attr_address(unit, value)?,
        None => None,
    };
    // The linker gives address 0 to what it leaves out.
    if let Some(high) = high.filter(|_| low != 0) {
        take(low, high);
    }
    Ok(())
}
