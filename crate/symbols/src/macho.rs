//! Mach-O, and the files that hold it for several processors.

use crate::file::{File, Range, Stop};
use crate::image::{Architecture, Format, INSTRUMENTATION_MAP, Image, Section, Sort, SymbolTable, malformed, widen};
use crate::wire::Wire;

const MH_OBJECT: u32 = 1;
const MH_EXECUTE: u32 = 2;
const MH_DSYM: u32 = 10;
/// Flag of programs that are loaded anywhere.
const MH_PIE: u32 = 0x20_0000;
const LC_SEGMENT: u32 = 0x1;
const LC_SYMTAB: u32 = 0x2;
const LC_SEGMENT_64: u32 = 0x19;
const LC_UUID: u32 = 0x1b;
/// Bits of a section's flags: its type. Those of types 1, 12 and 18 have no bytes.
const SECTION_TYPE: u32 = 0xff;
/// Flags of sections with instructions: all of it, some of it.
const INSTRUCTIONS: u32 = 0x8000_0400;
/// The type of sections with stubs that lead to other binaries.
const STUBS: u32 = 8;
/// Most processors of one file. A Java class begins with the same bytes; its version is higher.
const MAX_PARTS: u32 = 30;

/// Whether a file begins as one does.
pub(crate) fn is_macho(head: &[u8]) -> bool {
    wire_of(head).is_some() || parts_of(head).is_some()
}

fn wire_of(head: &[u8]) -> Option<Wire> {
    let (big_endian, wide) = match head.first_chunk::<4>()? {
        [0xce, 0xfa, 0xed, 0xfe] => (false, false),
        [0xcf, 0xfa, 0xed, 0xfe] => (false, true),
        [0xfe, 0xed, 0xfa, 0xce] => (true, false),
        [0xfe, 0xed, 0xfa, 0xcf] => (true, true),
        _ => return None,
    };
    Some(Wire { big_endian, wide })
}

/// The number of parts of a file for several processors, and how their table is written: with words
/// of 32 or 64 bits.
fn parts_of(head: &[u8]) -> Option<(u32, Wire)> {
    let wide = match head.first_chunk::<4>()? {
        [0xca, 0xfe, 0xba, 0xbe] => false,
        [0xca, 0xfe, 0xba, 0xbf] => true,
        _ => return None,
    };
    let wire = Wire { big_endian: true, wide };
    let count = wire.u32(head, 4)?;
    (1..=MAX_PARTS).contains(&count).then_some((count, wire))
}

/// Of several parts, the first that XRay has instrumented, else the first.
pub(crate) fn read(file: &File) -> Result<Image, Stop> {
    let head = file.bytes(0, file.size().min(64))?;
    let Some((count, wire)) = parts_of(&head) else { return part(file, 0) };
    let len = if wire.wide { 32 } else { 20 };
    let rows = file.bytes(8, u64::from(count) * len)?;
    let mut images = Vec::new();
    for row in rows.chunks_exact(len as usize) {
        let at = wire.word(row, 8, 8).ok_or(malformed(8, "the table of processors"))?;
        images.push(part(file, at)?);
    }
    let chosen = images.iter().position(|image| image.section(INSTRUMENTATION_MAP).is_some()).unwrap_or(0);
    let others = (0..).zip(&images).filter(|(i, _)| *i != chosen).map(|(_, image)| image.architecture).collect();
    let image = images.into_iter().nth(chosen).ok_or(malformed(8, "the table of processors"))?;
    Ok(Image { others, ..image })
}

/// Reads the part that begins at `base`.
fn part(file: &File, base: u64) -> Result<Image, Stop> {
    let magic = file.bytes(base, 4)?;
    let wire = wire_of(&magic).ok_or(malformed(base, "the Mach-O header"))?;
    let header = if wire.wide { 32 } else { 28 };
    let head = file.bytes(base, header)?;
    let number = |at| wire.u32(&head, at).unwrap_or(0);
    let (cpu, kind, count, size) = (number(4), number(12), number(16), number(20));
    let commands = file.bytes(base + header, size.into())?;
    let mut image = Image {
        wire,
        format: Format::MachO,
        sort: match kind {
            MH_EXECUTE => Sort::Program,
            MH_OBJECT => Sort::Object,
            MH_DSYM => Sort::Debug,
            _ => Sort::Library,
        },
        architecture: Architecture::MachO(cpu),
        is_fixed: kind == MH_EXECUTE && number(24) & MH_PIE == 0,
        ..Image::default()
    };
    let mut rest: &[u8] = &commands;
    for _ in 0..count {
        let at = base + header + (commands.len() - rest.len()) as u64;
        let command = || {
            let (kind, len) = (wire.u32(rest, 0)?, wire.u32(rest, 4)? as usize);
            (len >= 8).then_some((kind, rest.get(..len)?, rest.get(len..)?))
        };
        let (kind, bytes, next) = command().ok_or(malformed(at, "a load command"))?;
        match kind {
            LC_SEGMENT | LC_SEGMENT_64 => {
                sections(bytes, Wire { wide: kind == LC_SEGMENT_64, ..wire }, base, &mut image)
            }
            LC_SYMTAB => image.symbols.extend(symbols(bytes, wire, base)),
            LC_UUID => image.build_id = bytes.get(8..24).unwrap_or_default().to_vec(),
            _ => {}
        }
        rest = next;
    }
    Ok(image)
}

fn sections(bytes: &[u8], wire: Wire, base: u64, image: &mut Image) {
    let (header, len) = if wire.wide { (72, 80) } else { (56, 68) };
    let count = wire.u32(bytes, header - 8).unwrap_or(0);
    let is_debug = image.sort == Sort::Debug;
    let segment = (wire.word(bytes, 24, 24), wire.word(bytes, 28, 32));
    // `__PAGEZERO` is empty, but for the addresses that it keeps free.
    if let (Some(from), Some(len)) = segment
        && count > 0
    {
        widen(&mut image.span, from, len);
    }
    for row in bytes.get(header..).unwrap_or_default().chunks_exact(len).take(count as usize) {
        let section = || {
            let text = |at: usize| {
                let name = row.get(at..at + 16)?;
                let name = name.split(|byte| *byte == 0).next()?;
                core::str::from_utf8(name).ok()
            };
            let (name, segment) = (text(0)?, text(16)?);
            let flags = wire.u32(row, if wire.wide { 64 } else { 56 })?;
            let kind = flags & SECTION_TYPE;
            let is_dwarf = segment == "__DWARF";
            Some(Section {
                name: name.strip_prefix("__").map_or(name.into(), |name| format!(".{name}")),
                address: wire.word(row, 32, 32)?,
                size: wire.word(row, 36, 40)?,
                at: base + u64::from(wire.u32(row, if wire.wide { 48 } else { 40 })?),
                // A dSYM lists the sections of the program without their bytes.
                is_present: !matches!(kind, 1 | 12 | 18) && (is_dwarf || !is_debug),
                is_compressed: false,
                is_rela: false,
                is_code: flags & INSTRUCTIONS != 0 && kind != STUBS,
            })
        };
        image.sections.extend(section());
    }
}

fn symbols(bytes: &[u8], wire: Wire, base: u64) -> Option<SymbolTable> {
    let number = |at| wire.u32(bytes, at).map(u64::from);
    let (at, count, strings, len) = (number(8)?, number(12)?, number(16)?, number(20)?);
    (len > 0).then_some(SymbolTable { at: base + at, count, strings: Range { at: base + strings, len } })
}
