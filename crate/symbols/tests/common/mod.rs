//! Writes small binaries with an instrumentation map and symbols, in the layouts that no tool at
//! hand writes.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use std::path::{Path, PathBuf};

use unspool_symbols::{Binary, Range};

/// A path below the root of the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A file of `tests/fixtures/binaries`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = path("tests/fixtures/binaries").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Answers the question that a binary has.
pub(crate) fn run(binary: &mut Binary, bytes: &[u8]) -> Result<(), unspool_symbols::Fault> {
    let read = |Range { at, len }| Ok::<_, ()>(bytes[at as usize..(at + len) as usize].to_vec());
    binary.run(read).unwrap()
}

/// A binary whose head was read.
pub(crate) fn open(bytes: &[u8]) -> Binary {
    let mut binary = Binary::new(bytes.len() as u64);
    run(&mut binary, bytes).unwrap();
    binary
}

/// The symbols of all functions of a binary that XRay has instrumented, by id.
pub(crate) fn symbols(bytes: &[u8]) -> Vec<String> {
    let mut binary = open(bytes);
    let functions = binary.functions().to_vec();
    binary.look_up(functions.clone());
    run(&mut binary, bytes).unwrap();
    let found = binary.take_found();
    let symbol = |address| found.iter().find(|(at, _)| at == address).map_or(String::new(), |(_, f)| f.symbol.clone());
    functions.iter().map(symbol).collect()
}

/// How a binary is written.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) wide: bool,
    pub(crate) big_endian: bool,
    /// Of the instrumentation map.
    pub(crate) version: u8,
    /// Addresses in the map are zero, and relocations have them.
    pub(crate) relocated: bool,
}

pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    layout: Layout,
}

impl Writer {
    pub(crate) fn new(layout: Layout) -> Self {
        Self { bytes: Vec::new(), layout }
    }

    fn put(&mut self, value: u64, len: usize) -> &mut Self {
        let mut bytes = value.to_le_bytes()[..len].to_vec();
        if self.layout.big_endian {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
        self
    }

    pub(crate) fn u8(&mut self, value: u8) -> &mut Self {
        self.put(value.into(), 1)
    }

    pub(crate) fn u16(&mut self, value: u64) -> &mut Self {
        self.put(value, 2)
    }

    pub(crate) fn u32(&mut self, value: u64) -> &mut Self {
        self.put(value, 4)
    }

    pub(crate) fn word(&mut self, value: u64) -> &mut Self {
        self.put(value, if self.layout.wide { 8 } else { 4 })
    }

    pub(crate) fn text(&mut self, text: &str, len: usize) -> &mut Self {
        self.bytes.extend(text.bytes().chain(std::iter::repeat(0)).take(len));
        self
    }
}

/// Where code is, the map, and how far functions are from each other.
pub(crate) const TEXT: u64 = 0x1000;
const MAP: u64 = 0x8000;
const STRIDE: u64 = 0x20;

/// Three sleds for each function: enter, exit, and one of a kind that does not exist.
fn map(layout: Layout, functions: usize) -> Vec<u8> {
    let mut out = Writer::new(layout);
    let (word, row) = if layout.wide { (8, 32) } else { (4, 16) };
    for i in 0..functions as u64 * 3 {
        let function = TEXT + i / 3 * STRIDE;
        let slot = MAP + i * row;
        let relative = |value: u64, from: u64| match (layout.version, layout.relocated) {
            (2, _) => value.wrapping_sub(from),
            (_, true) => 0,
            _ => value,
        };
        out.word(relative(function + i % 3, slot)).word(relative(function, slot + word));
        out.u8([0, 1, 99][i as usize % 3]).u8(0).u8(layout.version);
        out.bytes.resize((i + 1) as usize * row as usize, 0);
    }
    out.bytes
}

/// Name, type, flags, address, content, link.
type Section<'a> = (&'a str, u64, u64, u64, &'a [u8], u64);

/// An ELF program with these functions.
pub(crate) fn elf(layout: Layout, functions: &[&str]) -> Vec<u8> {
    let Layout { wide, big_endian, .. } = layout;
    let map = map(layout, functions.len());
    let mut strings = vec![0];
    let mut symbols = Writer::new(layout);
    symbols.bytes.resize(if wide { 24 } else { 16 }, 0);
    for (name, address) in functions.iter().zip((TEXT..).step_by(STRIDE as usize)) {
        symbols.u32(strings.len() as u64);
        // A global function in section 1.
        if wide {
            symbols.u8(0x12).u8(0).u16(1).word(address).word(STRIDE);
        } else {
            symbols.word(address).word(STRIDE).u8(0x12).u8(0).u16(1);
        }
        strings.extend(name.bytes());
        strings.push(0);
    }
    let mut relocations = Writer::new(layout);
    if layout.relocated {
        for i in 0..functions.len() as u64 * 3 {
            let (word, row) = if wide { (8, 32) } else { (4, 16) };
            let function = TEXT + i / 3 * STRIDE;
            for (at, addend) in [(0, function + i % 3), (word, function)] {
                relocations.word(MAP + i * row + at).word(8).word(addend);
            }
        }
        // One of another place.
        relocations.word(0x10).word(8).word(0xbad);
    }
    let names = "\0.text\0xray_instr_map\0.symtab\0.strtab\0.rela.dyn\0.shstrtab\0";
    let name = |name: &str| names.find(&format!("\0{name}\0")).unwrap() as u64 + 1;
    let (header, row) = if wide { (64, 64) } else { (52, 40) };
    let sections: [Section<'_>; 6] = [
        (".text", 1, 6, TEXT, &[0x90; 512], 0),
        ("xray_instr_map", 1, 2, MAP, &map, 0),
        (".symtab", 2, 0, 0, &symbols.bytes, 4),
        (".strtab", 3, 0, 0, &strings, 0),
        (".rela.dyn", 4, 2, 0x200, &relocations.bytes, 0),
        (".shstrtab", 3, 0, 0, names.as_bytes(), 0),
    ];
    let table = header + sections.iter().map(|section| section.4.len() as u64).sum::<u64>();
    let mut out = Writer::new(layout);
    out.bytes.extend(b"\x7fELF");
    out.u8(1 + u8::from(wide)).u8(1 + u8::from(big_endian)).u8(1).bytes.resize(16, 0);
    // A program for x86-64.
    out.u16(2).u16(62).u32(1).word(TEXT).word(0).word(table).u32(0);
    out.u16(header).u16(0).u16(0).u16(row).u16(7).u16(6);
    sections.iter().for_each(|section| out.bytes.extend(section.4));
    out.bytes.resize(out.bytes.len() + row as usize, 0);
    let mut at = header;
    for (text, kind, flags, address, content, link) in sections {
        let size = content.len() as u64;
        out.u32(name(text)).u32(kind).word(flags).word(address).word(at).word(size).u32(link).u32(0).word(1).word(0);
        at += size;
    }
    out.bytes
}

/// A Mach-O program with these functions, for a processor.
pub(crate) fn macho(layout: Layout, cpu: u64, functions: &[&str]) -> Vec<u8> {
    let map = map(layout, functions.len());
    let wide = layout.wide;
    let mut strings = b" \0".to_vec();
    let mut symbols = Writer::new(layout);
    for (name, address) in functions.iter().zip((TEXT..).step_by(STRIDE as usize)) {
        // External, defined in section 1.
        symbols.u32(strings.len() as u64).u8(0x0f).u8(1).u16(0).word(address);
        strings.extend(name.bytes());
        strings.push(0);
    }
    let (header, segment, section) = if wide { (32, 72, 80) } else { (28, 56, 68) };
    let commands = segment + 2 * section + 24 + 24;
    let content = header + commands;
    let mut out = Writer::new(layout);
    out.u32(if wide { 0xfeed_facf } else { 0xfeed_face }).u32(cpu).u32(3).u32(2).u32(3).u32(commands).u32(0);
    if wide {
        out.u32(0);
    }
    out.u32(if wide { 0x19 } else { 1 }).u32(segment + 2 * section).text("__DATA", 16);
    out.word(0).word(0).word(0).word(0).u32(7).u32(7).u32(2).u32(0);
    for (name, address, at, size) in
        [("__text", TEXT, content, 512), ("xray_instr_map", MAP, content + 512, map.len() as u64)]
    {
        out.text(name, 16).text(if name == "__text" { "__TEXT" } else { "__DATA" }, 16);
        out.word(address).word(size).u32(at).u32(0).u32(0).u32(0).u32(0).u32(0).u32(0);
        if wide {
            out.u32(0);
        }
    }
    let table = content + 512 + map.len() as u64;
    let texts = table + symbols.bytes.len() as u64;
    out.u32(2).u32(24).u32(table).u32(functions.len() as u64).u32(texts).u32(strings.len() as u64);
    out.u32(0x1b).u32(24).text("0123456789abcdef", 16);
    assert_eq!(out.bytes.len() as u64, content);
    out.bytes.resize(content as usize + 512, 0x90);
    out.bytes.extend([map, symbols.bytes, strings].concat());
    out.bytes
}

/// A file for several processors.
pub(crate) fn fat(parts: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut out = Writer::new(Layout { wide: false, big_endian: true, version: 0, relocated: false });
    out.u32(0xcafe_babe).u32(parts.len() as u64);
    let mut at = 8 + 20 * parts.len() as u64;
    for (cpu, part) in parts {
        out.u32(*cpu).u32(3).u32(at).u32(part.len() as u64).u32(0);
        at += part.len() as u64;
    }
    parts.iter().for_each(|(_, part)| out.bytes.extend(part));
    out.bytes
}
