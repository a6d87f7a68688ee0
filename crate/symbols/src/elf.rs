//! Executable and Linkable Format, of either class and byte order.

use crate::file::{File, Range, Stop, View};
use crate::image::{Architecture, Image, Section, Sort, SymbolTable, malformed, widen};
use crate::wire::Wire;

/// Most sections. Linkers keep a few dozen; a file of objects that was not linked may have
/// thousands.
const MAX_SECTIONS: u64 = 1 << 17;
/// Longest section name that matters.
const MAX_NAME: usize = 64;

const ET_REL: u16 = 1;
const ET_EXEC: u16 = 2;
const SHT_SYMTAB: u32 = 2;
const SHT_RELA: u32 = 4;
const SHT_NOBITS: u32 = 8;
const SHT_DYNSYM: u32 = 11;
const SHF_COMPRESSED: u64 = 0x800;
const SHN_XINDEX: u16 = 0xffff;
const SHF_EXECINSTR: u64 = 0x4;
const PT_LOAD: u32 = 1;
const PT_INTERP: u32 = 3;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_PIE: u64 = 0x0800_0000;

/// A row of the section table.
struct Header {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    at: u64,
    size: u64,
    link: u32,
}

impl Header {
    /// Bytes of a section header.
    fn len(wire: Wire) -> usize {
        if wire.wide { 64 } else { 40 }
    }

    fn parse(wire: Wire, row: &[u8]) -> Option<Self> {
        Some(Self {
            name: wire.u32(row, 0)?,
            kind: wire.u32(row, 4)?,
            flags: wire.word(row, 8, 8)?,
            address: wire.word(row, 12, 16)?,
            at: wire.word(row, 16, 24)?,
            size: wire.word(row, 20, 32)?,
            link: wire.u32(row, if wire.wide { 40 } else { 24 })?,
        })
    }
}

pub(crate) fn read(file: &File) -> Result<Image, Stop> {
    let header = "the ELF header";
    let ident = file.bytes(0, 16)?;
    let wire = Wire {
        wide: match ident.get(4) {
            Some(1) => false,
            Some(2) => true,
            _ => return Err(malformed(4, header)),
        },
        big_endian: match ident.get(5) {
            Some(1) => false,
            Some(2) => true,
            _ => return Err(malformed(5, header)),
        },
    };
    let head = file.bytes(0, if wire.wide { 64 } else { 52 })?;
    let half = |narrow, wide: usize| wire.u16(&head, if wire.wide { wide } else { narrow }).unwrap_or(0);
    let sort = wire.u16(&head, 16).unwrap_or(0);
    let table = wire.word(&head, 32, 40).unwrap_or(0);
    let (row_len, count, names) = (half(46, 58), half(48, 60), half(50, 62));
    if table == 0 || usize::from(row_len) != Header::len(wire) {
        return Err(malformed(table, "the section table"));
    }
    // What does not fit the header is in the first row.
    let first = file.bytes(table, Header::len(wire) as u64)?;
    let first = Header::parse(wire, &first).ok_or(malformed(table, "the section table"))?;
    let count = if count == 0 { first.size } else { count.into() };
    let names = if names == SHN_XINDEX { first.link } else { names.into() };
    if count > MAX_SECTIONS {
        return Err(malformed(table, "the section table"));
    }
    let rows = file.bytes(table, count * Header::len(wire) as u64)?;
    let headers: Vec<Header> =
        rows.chunks_exact(Header::len(wire)).filter_map(|row| Header::parse(wire, row)).collect();
    let texts = match headers.get(names as usize) {
        Some(texts) if texts.kind != SHT_NOBITS && texts.size > 0 => Some(file.bytes(texts.at, texts.size)?),
        _ => None,
    };
    let sections: Vec<Section> = headers.iter().map(|header| section(header, texts.as_deref())).collect();
    let segments = Segments::read(file, wire, &head)?;
    let is_debug = |section: &Section| section.name == ".text" && !section.is_present && section.size > 0;
    let is_fixed = sort == ET_EXEC;
    let sort = match sort {
        ET_REL => Sort::Object,
        _ if sections.iter().any(is_debug) => Sort::Debug,
        ET_EXEC => Sort::Program,
        _ if is_program(file, wire, &segments, &sections)? => Sort::Program,
        _ => Sort::Library,
    };
    Ok(Image {
        wire,
        sort,
        span: segments.span,
        is_fixed,
        build_id: build_id(file, wire, &sections)?,
        symbols: symbol_tables(wire, &headers),
        architecture: Architecture::Elf(wire.u16(&head, 18).unwrap_or(0)),
        sections,
        ..Image::default()
    })
}

fn section(header: &Header, texts: Option<&[u8]>) -> Section {
    let name = texts.and_then(|texts| texts.get(header.name as usize..)).unwrap_or_default();
    let name = name.iter().take(MAX_NAME).take_while(|byte| **byte != 0).copied().collect();
    let name = String::from_utf8(name).unwrap_or_default();
    Section {
        is_code: header.flags & SHF_EXECINSTR != 0 && !name.starts_with(".plt"),
        name,
        address: header.address,
        at: header.at,
        size: header.size,
        is_present: header.kind != SHT_NOBITS && header.kind != 0,
        is_compressed: header.flags & SHF_COMPRESSED != 0,
        is_rela: header.kind == SHT_RELA,
    }
}

/// What the program headers say.
struct Segments {
    span: (u64, u64),
    has_interpreter: bool,
}

impl Segments {
    fn read(file: &File, wire: Wire, head: &[u8]) -> Result<Self, Stop> {
        let at = wire.word(head, 28, 32).unwrap_or(0);
        let (len_at, count_at) = if wire.wide { (54, 56) } else { (42, 44) };
        let (len, count) = (wire.u16(head, len_at).unwrap_or(0), wire.u16(head, count_at).unwrap_or(0));
        let mut segments = Self { span: (0, 0), has_interpreter: false };
        if at == 0 || len == 0 || count == 0 {
            return Ok(segments);
        }
        let rows = file.bytes(at, u64::from(len) * u64::from(count))?;
        for row in rows.chunks_exact(len.into()) {
            match wire.u32(row, 0) {
                Some(PT_INTERP) => segments.has_interpreter = true,
                Some(PT_LOAD) => {
                    let (from, len) = (wire.word(row, 8, 16), wire.word(row, 20, 40));
                    widen(&mut segments.span, from.unwrap_or(0), len.unwrap_or(0));
                }
                _ => {}
            }
        }
        Ok(segments)
    }
}

/// Position-independent programs have the type of libraries.
fn is_program(file: &File, wire: Wire, segments: &Segments, sections: &[Section]) -> Result<bool, Stop> {
    if segments.has_interpreter {
        return Ok(true);
    }
    // Those that are linked statically have no interpreter.
    let Some(dynamic) = sections.iter().find(|section| section.is_present && section.name == ".dynamic") else {
        return Ok(false);
    };
    let word = if wire.wide { 8 } else { 4 };
    let rows = file.bytes(dynamic.at, dynamic.size)?;
    let is_pie = |row: &[u8]| {
        wire.word(row, 0, 0) == Some(DT_FLAGS_1) && wire.word(row, 4, 8).is_some_and(|flags| flags & DF_1_PIE != 0)
    };
    Ok(rows.chunks_exact(2 * word).any(is_pie))
}

/// The note that the linker wrote: sizes of owner and content, the type 3, the owner, the content.
fn build_id(file: &File, wire: Wire, sections: &[Section]) -> Result<Vec<u8>, Stop> {
    let note = sections.iter().find(|section| section.is_present && section.name == ".note.gnu.build-id");
    let Some(note) = note.filter(|note| note.size <= 4096) else { return Ok(Vec::new()) };
    let bytes: View = file.bytes(note.at, note.size)?;
    let content = || {
        let (owner, len) = (wire.u32(&bytes, 0)?, wire.u32(&bytes, 4)?);
        let from = 12 + (owner as usize).checked_next_multiple_of(4)?;
        bytes.get(from..from.checked_add(len as usize)?)
    };
    Ok(content().unwrap_or_default().to_vec())
}

/// `.symtab`, then `.dynsym`.
fn symbol_tables(wire: Wire, headers: &[Header]) -> Vec<SymbolTable> {
    let row = if wire.wide { 24 } else { 16 };
    let of = |kind| {
        headers.iter().filter(move |header| header.kind == kind).filter_map(|header| {
            let strings = headers.get(header.link as usize).filter(|it| it.kind != SHT_NOBITS && it.size > 0)?;
            Some(SymbolTable {
                at: header.at,
                count: header.size / row,
                strings: Range { at: strings.at, len: strings.size },
            })
        })
    };
    of(SHT_SYMTAB).chain(of(SHT_DYNSYM)).collect()
}
