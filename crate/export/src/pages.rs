//! A trace as the pages of its tables for SQL: the view that the page has of the store in another
//! worker.
//!
//! The pages are those of a SQLite database (<https://www.sqlite.org/fileformat2.html>) that
//! `crate/tables` computes on demand. They are fetched where they are needed, a few at once, and
//! forgotten in the order in which they were used last.

use std::rc::Rc;

use hashbrown::HashMap;
use unspool_tables::PAGE;

use crate::{Arg, Arguments, Instant, Name, Number, Part, Sample, Slice, Source, Table};

/// Pages that are fetched at once: 512 KiB.
pub const AT_ONCE: u64 = 8;
/// How many times [`AT_ONCE`] pages are kept: 64 MiB.
const KEPT: usize = 128;
/// Levels of a b-tree. SQLite has no more than 20.
const LEVELS: u32 = 20;
/// Rows of a leaf: each has a place in the list of its cells.
const MOST_CELLS: usize = PAGE / 2;
/// Kinds of b-tree pages.
const LEAF: u8 = 13;
const INTERIOR: u8 = 5;

/// A page within the pages that it was fetched with.
#[derive(Clone, Debug)]
struct Page {
    pages: Rc<[u8]>,
    at: usize,
}

impl Page {
    fn bytes(&self) -> &[u8] {
        self.pages.get(self.at..self.at + PAGE).unwrap_or_default()
    }

    fn u16(&self, at: usize) -> usize {
        self.bytes().get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u16::from_be_bytes(*bytes).into())
    }

    fn u32(&self, at: usize) -> u64 {
        self.bytes().get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_be_bytes(*bytes).into())
    }

    /// The bytes from a cell on. `header`: where the list of cells begins.
    fn cell(&self, header: usize, index: usize) -> &[u8] {
        self.bytes().get(self.u16(header + 2 * index)..).unwrap_or_default()
    }
}

/// Takes a variable-length number of SQLite, of up to 8 bytes.
fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for _ in 0..8 {
        let Some((byte, rest)) = bytes.split_first() else { return number };
        *bytes = rest;
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// A value of a row.
#[derive(Clone, Debug, Default, PartialEq)]
enum Cell<'a> {
    #[default]
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
}

impl Cell<'_> {
    fn int(&self) -> i64 {
        if let Self::Int(number) = self { *number } else { 0 }
    }
}

/// Reads the cell of a leaf: the id of its row, and the values of its columns without the id. Those
/// that it lacks are null.
fn row<'a, const N: usize>(mut cell: &'a [u8]) -> (u64, [Cell<'a>; N]) {
    varint(&mut cell);
    let id = varint(&mut cell);
    let mut length = cell;
    let (mut types, mut values) = cell.split_at_checked(varint(&mut length) as usize).unwrap_or_default();
    varint(&mut types);
    // The first column is the id, which is not stored.
    varint(&mut types);
    let mut row = [const { Cell::Null }; N];
    for column in &mut row {
        let kind = varint(&mut types);
        let bytes = match kind {
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            12.. => (kind - 12) as usize / 2,
            _ => 0,
        };
        let Some((value, rest)) = values.split_at_checked(bytes) else { break };
        values = rest;
        *column = match kind {
            1..=6 => {
                let negative = value.first().is_some_and(|byte| byte & 0x80 != 0);
                let bits =
                    value.iter().fold(if negative { -1 } else { 0 }, |bits: i64, byte| bits << 8 | i64::from(*byte));
                Cell::Int(bits)
            }
            7 => Cell::Real(value.first_chunk().map_or(0.0, |bytes| f64::from_be_bytes(*bytes))),
            8 => Cell::Int(0),
            9 => Cell::Int(1),
            13.. => Cell::Text(std::str::from_utf8(value).unwrap_or_default()),
            _ => Cell::Null,
        };
    }
    (id, row)
}

/// The leaf that was read last of a part.
#[derive(Clone, Debug)]
struct Leaf {
    page: Page,
    /// The id of its first row, and how many rows it has.
    first: u64,
    count: u64,
}

/// The tables of a trace.
pub struct Pages {
    parts: Vec<Part>,
    /// For each part.
    leaves: Vec<Option<Leaf>>,
    kept: HashMap<u64, (Rc<[u8]>, u64)>,
    /// Counts uses of pages.
    used: u64,
    wanted: Option<u64>,
    /// The first page of a table, by its name. Known from page 1 on.
    roots: Option<HashMap<String, u64>>,
    /// The pages are not those of a database.
    damaged: bool,
    /// Arguments of slices and instants, if they are to be exported.
    pub args: Option<Arguments>,
}

impl Pages {
    /// Those of a trace with these parts. No page is there yet.
    pub fn new(parts: Vec<Part>) -> Self {
        let leaves = vec![None; parts.len()];
        Self { parts, leaves, kept: HashMap::new(), used: 0, wanted: None, roots: None, damaged: false, args: None }
    }

    /// The pages that are needed next, by the number of the first one, counted from 0. There are
    /// [`AT_ONCE`], fewer at the end.
    pub fn wanted(&self) -> Option<u64> {
        self.wanted
    }

    /// Whether the pages cannot be read: they are not those of a trace.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// Takes the pages that are wanted.
    pub fn give(&mut self, first: u64, pages: Rc<[u8]>) {
        if self.kept.len() >= KEPT {
            let oldest = self.kept.iter().min_by_key(|(_, (_, used))| *used).map(|(first, _)| *first);
            if let Some(oldest) = oldest {
                self.kept.remove(&oldest);
            }
        }
        self.used += 1;
        self.kept.insert(first, (pages, self.used));
        self.wanted = None;
    }

    /// A page by its number, counted from 1. `None` if it is not there yet.
    fn page(&mut self, number: u64) -> Option<Page> {
        let index = number.checked_sub(1)?;
        let first = index / AT_ONCE * AT_ONCE;
        let Some((pages, used)) = self.kept.get_mut(&first) else {
            self.wanted = Some(first);
            return None;
        };
        self.used += 1;
        *used = self.used;
        let at = (index - first) as usize * PAGE;
        if at + PAGE > pages.len() {
            self.damaged = true;
            return None;
        }
        Some(Page { pages: Rc::clone(pages), at })
    }

    fn root(&mut self, table: &str) -> Option<u64> {
        if self.roots.is_none() {
            let page = self.page(1)?;
            let mut roots = HashMap::new();
            for index in 0..page.u16(103) {
                let mut record = page.cell(108, index);
                varint(&mut record);
                varint(&mut record);
                roots.extend(definition(record));
            }
            self.roots = Some(roots);
        }
        let root = self.roots.as_ref().and_then(|roots| roots.get(table)).copied();
        self.damaged |= root.is_none();
        root
    }

    /// The leaf of a table with a row. One beyond the end leads to the last leaf.
    fn leaf(&mut self, table: &str, id: u64) -> Option<Leaf> {
        let mut number = self.root(table)?;
        for _ in 0..LEVELS {
            let page = self.page(number)?;
            let count = page.u16(3);
            match page.bytes().first() {
                Some(&LEAF) if count <= MOST_CELLS => {
                    let mut cell = page.cell(8, 0);
                    varint(&mut cell);
                    let first = if count > 0 { varint(&mut cell) } else { 1 };
                    return Some(Leaf { page, first, count: count as u64 });
                }
                Some(&INTERIOR) => {
                    // The first cell whose rows go as far, or the rightmost child.
                    let (mut low, mut high) = (0, count);
                    while low < high {
                        let middle = (low + high) / 2;
                        let mut key = page.cell(12, middle).get(4..).unwrap_or_default();
                        if varint(&mut key) < id {
                            low = middle + 1;
                        } else {
                            high = middle;
                        }
                    }
                    number = if low == count { page.u32(8) } else { page.u32(page.u16(12 + 2 * low)) };
                }
                _ => break,
            }
        }
        self.damaged = true;
        None
    }

    /// The page and the cell of a row of a part.
    fn find(&mut self, part: usize, index: u64) -> Option<(Page, usize)> {
        let Part { table, first, len, .. } = self.parts.get(part).copied()?;
        if index >= len {
            return None;
        }
        let id = first + index + 1;
        let known = self.leaves.get(part).and_then(Option::as_ref);
        if known.is_none_or(|leaf| id < leaf.first || id >= leaf.first + leaf.count) {
            let name = match table {
                Table::Slices => "slices",
                Table::Instants => "instants",
                Table::Counters => "counters",
            };
            let leaf = self.leaf(name, id)?;
            if id < leaf.first || id >= leaf.first + leaf.count {
                self.damaged = true;
                return None;
            }
            if let Some(place) = self.leaves.get_mut(part) {
                *place = Some(leaf);
            }
        }
        let leaf = self.leaves.get(part)?.as_ref()?;
        let cell = (id - leaf.first) as usize;
        let page = leaf.page.clone();
        // Parts are read from their beginning to their end, and what is left of a leaf is not
        // needed.
        if index + 1 == len
            && let Some(place) = self.leaves.get_mut(part)
        {
            *place = None;
        }
        Some((page, cell))
    }

    /// Reads further names, which are numbered in order. Returns whether all are there.
    pub fn read_names(&mut self, names: &mut Vec<Name>) -> bool {
        loop {
            let next = names.len() as u64 + 1;
            let Some(leaf) = self.leaf("names", next) else { return false };
            if leaf.first + leaf.count <= next {
                return true;
            }
            if leaf.first > next {
                self.damaged = true;
                return false;
            }
            for index in (next - leaf.first)..leaf.count {
                let (_, [text, kind, key]) = row::<3>(leaf.page.cell(8, index as usize));
                let (Cell::Text(text), Cell::Text(kind)) = (text, kind) else {
                    self.damaged = true;
                    return false;
                };
                let key = if let Cell::Int(key) = key { Some(key) } else { None };
                names.push(Name { text: text.into(), kind: kind.into(), key });
            }
        }
    }
}

/// Name and first page of a table in `sqlite_schema`: the second and the fourth of its columns.
fn definition(record: &[u8]) -> Option<(String, u64)> {
    let mut types = record;
    let length = varint(&mut types) as usize;
    let mut values = record.get(length..)?;
    let mut name = None;
    for column in 0..4 {
        let kind = varint(&mut types);
        let bytes = match kind {
            1..=4 => kind as usize,
            6 => 8,
            13.. => (kind - 12) as usize / 2,
            _ => 0,
        };
        let (value, rest) = values.split_at_checked(bytes)?;
        values = rest;
        match column {
            1 => name = std::str::from_utf8(value).ok(),
            3 => return Some((name?.into(), value.iter().fold(0, |root, byte| root << 8 | u64::from(*byte)))),
            _ => {}
        }
    }
    None
}

impl Source for Pages {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn slice(&mut self, part: usize, index: u64) -> Option<Slice> {
        let (page, cell) = self.find(part, index)?;
        let (id, [_, depth, start, length, name, parent, flags, locator]) = row::<8>(page.cell(8, cell));
        let start = start.int() as u64;
        let Some(end) = start.checked_add(length.int() as u64) else {
            self.damaged = true;
            return None;
        };
        Some(Slice {
            row: id.wrapping_sub(1),
            parent: if let Cell::Int(parent) = parent { Some((parent as u64).wrapping_sub(1)) } else { None },
            depth: depth.int() as u32,
            start,
            end,
            name: (name.int() as u32).wrapping_sub(1),
            flags: flags.int() as u8,
            locator: locator.int() as u64,
        })
    }

    fn instant(&mut self, part: usize, index: u64) -> Option<Instant> {
        let (page, cell) = self.find(part, index)?;
        let (_, [_, time, name, locator]) = row::<4>(page.cell(8, cell));
        Some(Instant {
            time: time.int() as u64,
            name: (name.int() as u32).wrapping_sub(1),
            locator: locator.int() as u64,
        })
    }

    fn sample(&mut self, part: usize, index: u64) -> Option<Sample> {
        let (page, cell) = self.find(part, index)?;
        let (_, [_, time, value]) = row::<3>(page.cell(8, cell));
        let value = match value {
            Cell::Real(number) => Number::Real(number),
            value => Number::Int(value.int()),
        };
        Some(Sample { time: time.int() as u64, value })
    }

    fn args(&mut self, track: u32, locator: u64, into: &mut Vec<Arg>) {
        if let Some(args) = &mut self.args {
            args.get(track, locator, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use unspool_tables::{Column, Database, Item, Listed, Rows, Table as SqlTable, Value};

    use super::*;

    /// Slices of two depths: each of the upper ones holds two of the lower ones.
    struct Many(u64);

    impl Rows for Many {
        fn len(&self) -> u64 {
            self.0 * 3
        }

        fn row(&self, row: u64, values: &mut [Value]) {
            let lower = row.checked_sub(self.0);
            let (depth, start, length, parent) = match lower {
                None => (0, row * 10, 10, Value::Null),
                Some(at) => (1, at * 5, 5, Value::Int((at / 2) as i64 + 1)),
            };
            let all = [Value::Int(1), Value::Int(depth), Value::Int(start as i64), Value::Int(length)];
            // The highest bit of a locator is its kind.
            let locator = Value::Int(row as i64 + i64::MIN);
            let rest = [Value::Int(row as i64 % 2 + 1), parent, Value::Int(2), locator];
            for (place, value) in values.iter_mut().zip(all.into_iter().chain(rest)) {
                *place = value;
            }
        }
    }

    struct Values;

    impl Rows for Values {
        fn len(&self) -> u64 {
            2
        }

        fn row(&self, row: u64, values: &mut [Value]) {
            let value = if row == 0 { Value::Real(-0.5) } else { Value::Int(-7) };
            for (place, value) in values.iter_mut().zip([Value::Int(1), Value::Int(row as i64), value]) {
                *place = value;
            }
        }
    }

    #[test]
    fn rows_are_found_in_pages_as_they_come() {
        let upper = 20_000;
        let names = ["a", "b"]
            .map(|name| vec![Item::Text(name.into()), Item::Text("call".into()), Item::Number(Value::Int(-3))]);
        let database = Database::new(
            vec![
                SqlTable::even(
                    "slices",
                    &[
                        ("track", Column::Int(1)),
                        ("depth", Column::Int(1)),
                        ("start", Column::Int(4)),
                        ("dur", Column::Int(2)),
                        ("name", Column::Int(4)),
                        ("parent", Column::OrNull(4)),
                        ("flags", Column::Int(1)),
                        ("locator", Column::Int(8)),
                    ],
                    Box::new(Many(upper)),
                ),
                SqlTable::even(
                    "counters",
                    &[("track", Column::Int(1)), ("time", Column::Int(1)), ("value", Column::Number)],
                    Box::new(Values),
                ),
                SqlTable::listed(
                    "names",
                    &[("name", " TEXT"), ("kind", " TEXT"), ("key", " INTEGER")],
                    Rc::new(Listed::new(names.into_iter())),
                ),
            ],
            &[],
        )
        .unwrap();
        let part = |table, depth, first, len| Part { table, track: 0, depth, first, len };
        let parts = vec![
            part(Table::Slices, 0, 0, upper),
            part(Table::Slices, 1, upper, 2 * upper),
            part(Table::Counters, 0, 0, 2),
        ];
        let mut pages = Pages::new(parts);
        let mut fetched = 0;
        let mut fetch = |pages: &mut Pages| {
            assert!(!pages.is_damaged());
            let first = pages.wanted().expect("a page is wanted");
            let count = AT_ONCE.min(database.size() / PAGE as u64 - first);
            let mut bytes = vec![0; count as usize * PAGE];
            for (number, page) in (first + 1..).zip(bytes.chunks_exact_mut(PAGE)) {
                database.page(number, page.try_into().unwrap());
            }
            pages.give(first, bytes.into());
            fetched += 1;
        };
        let mut names = Vec::new();
        while !pages.read_names(&mut names) {
            fetch(&mut pages);
        }
        let name = |text: &str| Name { text: text.into(), kind: "call".into(), key: Some(-3) };
        assert_eq!(names, [name("a"), name("b")]);
        let mut order = crate::order::Order::new([(0, upper), (1, 2 * upper)].into_iter());
        let (mut count, mut last) = (0, 0);
        loop {
            match order.next(&mut pages) {
                crate::order::Next::Stalled => fetch(&mut pages),
                crate::order::Next::End => break,
                crate::order::Next::Slice(slice, ..) => {
                    // An upper one, then its two lower ones.
                    assert_eq!((slice.depth == 0, slice.flags), (count % 3 == 0, 2));
                    assert!(slice.start >= last && slice.end > slice.start);
                    assert_eq!(slice.parent, (slice.depth == 1).then_some(count / 3));
                    assert_eq!(slice.locator, slice.row + (1 << 63));
                    last = slice.start;
                    count += 1;
                }
            }
        }
        assert_eq!(count, 3 * upper);
        let mut sample = |index| loop {
            match pages.sample(2, index) {
                Some(sample) => break (sample.time, sample.value),
                None => fetch(&mut pages),
            }
        };
        assert_eq!([sample(0), sample(1)], [(0, Number::Real(-0.5)), (1, Number::Int(-7))]);
        assert!(fetched < 12, "each page is fetched once: {fetched}");
    }

    #[test]
    fn other_bytes_are_damage() {
        let mut pages = Pages::new(vec![Part { table: Table::Slices, track: 0, depth: 0, first: 0, len: 5 }]);
        assert_eq!(pages.slice(0, 0), None);
        assert_eq!(pages.wanted(), Some(0));
        pages.give(0, vec![0xff; AT_ONCE as usize * PAGE].into());
        assert_eq!(pages.slice(0, 0), None);
        assert!(pages.is_damaged());
    }
}
