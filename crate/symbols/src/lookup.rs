//! Names of addresses, from tables of symbols that are read in portions.

use crate::file::{File, Stop};
use crate::image::{Architecture, Format, Image, SymbolTable};
use crate::wire::Wire;

/// Bytes that are read at once, and between two returns.
const WINDOW: u64 = 2 << 20;
/// Names at most this far from each other are read together.
const GAP: u64 = 64 * 1024;
/// Longest name in bytes. Compilers of C++ reach tens of thousands.
const MAX_NAME: u64 = 256 * 1024;
/// Most bytes of all names.
pub(crate) const MAX_TEXT: usize = 256 << 20;

/// Most functions whose addresses are listed.
const MAX_STARTS: usize = 8 << 20;
/// Least rank of a symbol that is a function for certain.
const FUNCTION: u8 = 8;

/// A function, by the linker's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its address.
    pub address: u64,
    /// Its length in bytes. 0 if unknown.
    pub size: u64,
    /// Its name as in the table of symbols, with the underscore that Mach-O puts before it. Not
    /// decoded.
    pub symbol: String,
}

/// Looks up addresses.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// Sorted, each once.
    addresses: Vec<u64>,
    /// For each address, the best symbol at it or below it, and above the previous address.
    best: Vec<Option<Symbol>>,
    /// The next symbol: number of its table, and in it.
    table: usize,
    row: u64,
    /// The symbols whose names are read, by the places of these.
    wanted: Vec<(u64, usize)>,
    read: usize,
    names: Vec<Option<Function>>,
    text: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Symbols,
    Names,
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    address: u64,
    size: u64,
    /// Which of several at one address is taken. More is better.
    rank: u8,
    /// Absolute offset of its name, and of the end of all names.
    name: u64,
    end: u64,
}

impl Lookup {
    /// Begins to look up addresses, in any order.
    pub(crate) fn new(mut addresses: Vec<u64>) -> Self {
        addresses.sort_unstable();
        addresses.dedup();
        let best = vec![None; addresses.len()];
        let names = vec![None; addresses.len()];
        Self { addresses, best, names, ..Self::default() }
    }

    /// Goes on for a portion. Returns whether everything is looked up.
    pub(crate) fn step(&mut self, file: &File, image: &Image) -> Result<bool, Stop> {
        match self.phase {
            Phase::Symbols => {
                let Some(table) = image.symbols.get(self.table).filter(|_| !self.addresses.is_empty()) else {
                    self.choose();
                    self.phase = Phase::Names;
                    return Ok(false);
                };
                if self.symbols(file, image, table)? {
                    (self.table, self.row) = (self.table + 1, 0);
                }
                Ok(false)
            }
            Phase::Names => self.texts(file),
        }
    }

    /// The addresses that have no name.
    pub(crate) fn unnamed(&self) -> Vec<u64> {
        let names = self.addresses.iter().zip(&self.names);
        names.filter(|(_, name)| name.is_none()).map(|(address, _)| *address).collect()
    }

    /// The addresses with their names. Those without one are left out.
    pub(crate) fn found(self) -> Vec<(u64, Function)> {
        let names = self.addresses.into_iter().zip(self.names);
        names.filter_map(|(address, name)| Some((address, name?))).collect()
    }

    /// Reads a portion of a table. Returns whether that was the last.
    fn symbols(&mut self, file: &File, image: &Image, table: &SymbolTable) -> Result<bool, Stop> {
        // Those of a worse table come after.
        let worse = u8::from(self.table == 0);
        let mut row = self.row;
        let is_last = each_symbol(file, image, table, &mut row, |symbol| {
            self.offer(Symbol { rank: symbol.rank + worse, ..symbol });
        })?;
        self.row = row;
        Ok(is_last)
    }

    /// Takes a symbol for the first address from it on, if it is better than what is there.
    fn offer(&mut self, symbol: Symbol) {
        let i = self.addresses.partition_point(|address| *address < symbol.address);
        let Some(best) = self.best.get_mut(i) else { return };
        let key = |symbol: &Symbol| (symbol.address, symbol.rank, symbol.size);
        if best.as_ref().is_none_or(|best| key(best) < key(&symbol)) {
            *best = Some(symbol);
        }
    }

    /// Decides which symbol names each address: the nearest one below that contains it.
    fn choose(&mut self) {
        let mut nearest: Option<Symbol> = None;
        for (i, ((address, best), name)) in self.addresses.iter().zip(&mut self.best).zip(&mut self.names).enumerate() {
            nearest = best.or(nearest);
            *best = nearest;
            let Some(symbol) = nearest else { continue };
            let offset = address - symbol.address;
            if offset == 0 || offset < symbol.size {
                self.wanted.push((symbol.name, i));
                *name = Some(Function { address: symbol.address, size: symbol.size, symbol: String::new() });
            }
        }
        self.wanted.sort_unstable();
    }

    /// Reads the names that are near the next one. Returns whether there are no more.
    fn texts(&mut self, file: &File) -> Result<bool, Stop> {
        let rest = self.wanted.get(self.read..).unwrap_or_default();
        let Some((first, _)) = rest.first().copied() else { return Ok(true) };
        let (mut last, mut end) = (first, 0);
        for (at, i) in rest {
            if at - last > GAP || at - first > WINDOW {
                break;
            }
            last = *at;
            end = self.best.get(*i).and_then(Option::as_ref).map_or(0, |symbol| symbol.end);
        }
        let window = window_of(file, first, last, end)?;
        let mut read = self.read;
        while let Some((at, i)) = self.wanted.get(read).copied().filter(|(at, _)| *at <= last) {
            let bytes = window.get((at - first) as usize..).unwrap_or_default();
            let len = bytes.iter().take(MAX_NAME as usize).position(|byte| *byte == 0);
            // A name without an end is as bad as none.
            let text = bytes.get(..len.unwrap_or(0)).unwrap_or_default();
            self.text += text.len();
            if self.text > MAX_TEXT {
                return Err(crate::Fault { at, why: crate::Why::Large }.into());
            }
            if let Some(slot) = self.names.get_mut(i) {
                match slot.as_mut().filter(|_| !text.is_empty()) {
                    Some(name) => name.symbol = String::from_utf8_lossy(text).into_owned(),
                    None => *slot = None,
                }
            }
            read += 1;
        }
        self.read = read;
        file.forget();
        Ok(self.read == self.wanted.len())
    }
}

/// The bytes from one name to the end of another one.
fn window_of(file: &File, first: u64, last: u64, end: u64) -> Result<crate::file::View, Stop> {
    let longest = last.saturating_add(MAX_NAME).min(end).min(file.size());
    let wanted = last.saturating_add(512).min(longest).saturating_sub(first);
    let window = file.ahead(first, wanted.max(1), (last - first).saturating_add(GAP))?.and_more();
    let is_whole = window.get((last - first) as usize..).is_some_and(|bytes| bytes.contains(&0));
    // Few names are longer than what was read with them.
    if is_whole { Ok(window) } else { file.bytes(first, longest.saturating_sub(first).max(1)) }
}

/// Visits the symbols of a portion of a table, from a row on. Returns whether that was the last.
fn each_symbol(
    file: &File,
    image: &Image,
    table: &SymbolTable,
    row: &mut u64,
    mut take: impl FnMut(Symbol),
) -> Result<bool, Stop> {
    let wire = image.wire;
    let len = match (image.format, wire.wide) {
        (Format::Elf, true) => 24,
        (Format::Elf, false) | (Format::MachO, true) => 16,
        (Format::MachO, false) => 12,
    };
    let rows = (table.count - *row).min(WINDOW / len);
    let at = table.at.saturating_add(*row * len);
    let window = file.ahead(at, rows * len, WINDOW)?;
    for row in window.chunks_exact(len as usize) {
        let symbol = match image.format {
            Format::Elf => elf_symbol(wire, image.architecture, row),
            Format::MachO => macho_symbol(wire, row),
        };
        let Some((name, symbol)) = symbol else { continue };
        if u64::from(name) >= table.strings.len {
            continue;
        }
        let end = table.strings.at.saturating_add(table.strings.len);
        take(Symbol { name: table.strings.at.saturating_add(name.into()), end, ..symbol });
    }
    *row += rows;
    file.forget();
    Ok(*row == table.count)
}

/// Lists the addresses of all functions.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    table: usize,
    row: u64,
    found: Vec<u64>,
}

impl Starts {
    /// Reads a portion. Returns the addresses, sorted, when there are no more.
    pub(crate) fn step(&mut self, file: &File, image: &Image) -> Result<Option<Vec<u64>>, Stop> {
        let Some(table) = image.symbols.get(self.table).filter(|_| self.found.len() < MAX_STARTS) else {
            let mut found = std::mem::take(&mut self.found);
            found.sort_unstable();
            found.dedup();
            return Ok(Some(found));
        };
        let code: Vec<(u64, u64)> = image.code().collect();
        let found = &mut self.found;
        let is_last = each_symbol(file, image, table, &mut self.row, |symbol| {
            // Mach-O has no types, and labels of assembly code are not functions for certain.
            let is_function = image.format == Format::MachO || symbol.rank >= FUNCTION;
            if is_function && code.iter().any(|(from, to)| (*from..*to).contains(&symbol.address)) {
                found.push(symbol.address);
            }
        })?;
        if is_last {
            (self.table, self.row) = (self.table + 1, 0);
        }
        Ok(None)
    }
}

fn elf_symbol(wire: Wire, architecture: Architecture, row: &[u8]) -> Option<(u32, Symbol)> {
    let (info_at, section_at) = if wire.wide { (4, 6) } else { (12, 14) };
    let info = *row.get(info_at)?;
    // Undefined here: it is in another file.
    if wire.u16(row, section_at)? == 0 {
        return None;
    }
    // STT_FUNC and STT_GNU_IFUNC; labels of assembly code have no type.
    let is_function = match info & 15 {
        2 | 10 => 1,
        0 => 0,
        _ => return None,
    };
    // STB_GLOBAL, STB_WEAK, STB_LOCAL: what other files see is what the source says.
    let binding = match info >> 4 {
        1 => 2,
        2 => 1,
        _ => 0,
    };
    let mut address = wire.word(row, 4, 8)?;
    if architecture == Architecture::Elf(40) && is_function == 1 {
        // Says that the code is Thumb.
        address &= !1;
    }
    let size = wire.word(row, 8, 16)?;
    let name = wire.u32(row, 0)?;
    (name != 0).then_some((name, Symbol { address, size, rank: is_function * FUNCTION + binding * 2, name: 0, end: 0 }))
}

fn macho_symbol(wire: Wire, row: &[u8]) -> Option<(u32, Symbol)> {
    let (name, kind) = (wire.u32(row, 0)?, *row.get(4)?);
    // N_STAB are for debuggers; of the others, N_SECT are defined in a section.
    if kind & 0xe0 != 0 || kind & 0x0e != 0x0e || name == 0 {
        return None;
    }
    let is_external = (kind & 1) * 2;
    Some((name, Symbol { address: wire.word(row, 8, 8)?, size: 0, rank: is_external, name: 0, end: 0 }))
}
