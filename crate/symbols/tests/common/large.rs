//! Writes programs of any size as Clang and a linker do for C++: units of version 5 without
//! `.debug_aranges`, addresses by index, long names, and five times as many functions as XRay has
//! instrumented.

#![allow(dead_code, reason = "each user needs a part")]

use std::io::Result;

/// Functions in the table of symbols, of which the first is instrumented.
const SYMBOLS: u64 = 5;
/// Instrumented functions of a unit.
pub(crate) const PER_UNIT: u64 = 5;
/// Bytes of the code of a function that has a symbol.
const STRIDE: u64 = 256;
const TEXT: u64 = 0x20_0000;

/// What is written.
pub(crate) struct Program {
    /// Instrumented functions.
    pub(crate) functions: u64,
    /// Bytes of a unit of `.debug_info`.
    pub(crate) unit: u64,
    /// Bytes of the whole file, at least.
    pub(crate) size: u64,
    /// The place in the code of the functions of a unit.
    pub(crate) place_of: fn(u64) -> u64,
}

/// Takes bytes for an offset. What is not written is zero.
type Put<'a> = &'a mut dyn FnMut(u64, &[u8]) -> Result<()>;

/// The address of an instrumented function, by number from 0.
pub(crate) fn address_of(function: u64) -> u64 {
    TEXT + function * SYMBOLS * STRIDE
}

/// A section: its name, type, flags, address, offset and size.
type Section = (&'static str, u32, u64, u64, u64, u64);

struct Writer<'a> {
    put: Put<'a>,
    at: u64,
    sections: Vec<Section>,
}

impl Writer<'_> {
    /// Adds a section that has `size` bytes in the file, the first of which are these. The others
    /// are a hole.
    fn section(
        &mut self,
        name: &'static str,
        (kind, flags, address): (u32, u64, u64),
        bytes: &[u8],
        size: u64,
    ) -> Result<u64> {
        let at = self.at.next_multiple_of(16);
        (self.put)(at, bytes)?;
        let size = size.max(bytes.len() as u64);
        self.sections.push((name, kind, flags, address, at, size));
        self.at = at + size;
        Ok(at)
    }
}

/// Writes a program.
pub(crate) fn write(program: &Program, put: Put<'_>) -> Result<()> {
    let mut out = Writer { put, at: 64, sections: Vec::new() };
    let functions = program.functions;
    let code = functions * SYMBOLS * STRIDE;
    out.section(".text", (1, 6, TEXT), &[], code)?;
    // Two sleds for each function, with addresses relative to their slots.
    let map_at = TEXT + code;
    let mut map = Vec::new();
    for sled in 0..2 * functions {
        let (slot, function) = (map_at + sled * 32, address_of(sled / 2));
        map.extend((function + sled % 2 * 100).wrapping_sub(slot).to_le_bytes());
        map.extend(function.wrapping_sub(slot + 8).to_le_bytes());
        map.extend([(sled % 2) as u8, 0, 2]);
        map.resize((sled as usize + 1) * 32, 0);
    }
    out.section("xray_instr_map", (1, 2, map_at), &map, 0)?;
    let (mut symbols, mut strings) = (vec![0; 24], vec![0]);
    for symbol in 0..functions * SYMBOLS {
        symbols.extend((strings.len() as u32).to_le_bytes());
        symbols.extend([0x12, 0, 1, 0]);
        symbols.extend((TEXT + symbol * STRIDE).to_le_bytes());
        symbols.extend(STRIDE.to_le_bytes());
        let name = format!("function_number_{symbol}");
        let class = format!("Implementation{}", symbol / 40);
        let text = format!("_ZN7program6detail{}{class}{}{name}ERKSsi", class.len(), name.len());
        strings.extend(text.bytes().chain([0]));
    }
    out.section(".symtab", (2, 0, 0), &symbols, 0)?;
    out.section(".strtab", (3, 0, 0), &strings, 0)?;
    write_debug(program, &mut out)?;
    // The lists of places of variables are the largest part of what is never read.
    let rest = program.size.saturating_sub(out.at + 64 * 1024);
    out.section(".debug_loclists", (1, 0, 0), &[], rest)?;
    let mut names = vec![0];
    let mut table = vec![0; 64];
    let count = out.sections.len() as u64;
    let texts = out.sections.iter().map(|section| section.0.len() as u64 + 1).sum::<u64>() + 11;
    let at = out.at;
    let sections = std::mem::take(&mut out.sections);
    let own = (".shstrtab", 3, 0, 0, at, texts);
    for (name, kind, flags, address, at, size) in sections.into_iter().chain([own]) {
        table.extend((names.len() as u32).to_le_bytes());
        names.extend(name.bytes().chain([0]));
        table.extend(kind.to_le_bytes());
        for value in [flags, address, at, size] {
            table.extend(value.to_le_bytes());
        }
        // The names of symbols are in the section after them.
        let link = if kind == 2 { 4u32 } else { 0 };
        table.extend(link.to_le_bytes().into_iter().chain([0; 20]));
    }
    (out.put)(at, &names)?;
    let table_at = (at + names.len() as u64).next_multiple_of(16);
    (out.put)(table_at, &table)?;
    let mut head = b"\x7fELF\x02\x01\x01".to_vec();
    head.resize(16, 0);
    head.extend([2, 0, 62, 0, 1, 0, 0, 0]);
    for value in [TEXT, 0, table_at] {
        head.extend(value.to_le_bytes());
    }
    head.extend([0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 64, 0]);
    head.extend((count as u16 + 2).to_le_bytes().into_iter().chain((count as u16 + 1).to_le_bytes()));
    (out.put)(0, &head)
}

/// Writes units, each with its functions, a line table and addresses.
fn write_debug(program: &Program, out: &mut Writer<'_>) -> Result<()> {
    // Tag, children, then attributes with their forms: `DW_AT_stmt_list`, `DW_AT_low_pc`,
    // `DW_AT_high_pc`, `DW_AT_addr_base`. Then a function: `DW_AT_low_pc`, `DW_AT_high_pc`,
    // `DW_AT_decl_file`, `DW_AT_decl_line`.
    #[rustfmt::skip]
    let abbreviations = [
        1, 0x11, 1, 0x10, 0x17, 0x11, 0x1b, 0x12, 0x06, 0x73, 0x17, 0, 0,
        2, 0x2e, 0, 0x11, 0x1b, 0x12, 0x06, 0x3a, 0x0b, 0x3b, 0x05, 0, 0,
        0,
    ];
    out.section(".debug_abbrev", (1, 0, 0), &abbreviations, 0)?;
    let (units, size) = (program.functions / PER_UNIT, program.unit);
    let (mut addresses, mut lines) = (Vec::new(), Vec::new());
    let info = out.section(".debug_info", (1, 0, 0), &[], units * size)?;
    for unit in 0..units {
        let mut bytes = ((size - 4) as u32).to_le_bytes().to_vec();
        bytes.extend([5, 0, 1, 8, 0, 0, 0, 0, 1]);
        bytes.extend((lines.len() as u32).to_le_bytes());
        bytes.push(0);
        bytes.extend(((PER_UNIT * SYMBOLS * STRIDE) as u32).to_le_bytes());
        bytes.extend((addresses.len() as u32 + 8).to_le_bytes());
        for function in 0..PER_UNIT {
            bytes.extend([2, function as u8]);
            bytes.extend((STRIDE as u32).to_le_bytes());
            bytes.push(1);
            bytes.extend((100 + function as u16 * 10).to_le_bytes());
        }
        (out.put)(info + unit * size, &bytes)?;
        addresses.extend((4 + PER_UNIT as u32 * 8).to_le_bytes().into_iter().chain([5, 0, 8, 0]));
        let first = (program.place_of)(unit) * PER_UNIT;
        let own = first..first + PER_UNIT;
        own.for_each(|function| addresses.extend(address_of(function).to_le_bytes()));
        lines.extend(line_table(unit));
    }
    out.section(".debug_addr", (1, 0, 0), &addresses, 0)?;
    out.section(".debug_line", (1, 0, 0), &lines, 0)?;
    Ok(())
}

/// The head of a line table with one file. Its program is empty, because functions say their lines
/// themselves.
fn line_table(unit: u64) -> Vec<u8> {
    let mut head = vec![1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    // Folders and files, each with one attribute: a path as text.
    head.extend([1, 1, 8, 1]);
    head.extend(b"/src/program\0");
    head.extend([2, 1, 8, 2, 0x0b, 2]);
    for _ in 0..2 {
        head.extend(format!("unit{unit}.cpp\0").bytes().chain([0]));
    }
    let mut bytes = ((head.len() + 8) as u32).to_le_bytes().to_vec();
    bytes.extend([5, 0, 8, 0]);
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(head);
    bytes
}
