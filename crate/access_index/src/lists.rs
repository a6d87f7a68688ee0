//! Lists of executed code from elsewhere, and what they add to coverage or take from it.

use core::fmt;

use crate::executed::Executed;
use crate::index::Module;

/// Why bytes are not a drcov file, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoList {
    /// Offset in bytes.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for NoList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "This is no drcov file: at byte {}, {} was expected.", self.at, self.expected)
    }
}

/// How two lists become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    /// What is in one of them. Executions are added.
    Plus,
    /// What is in the first one alone.
    Minus,
    /// What is in both, with the executions of the first one.
    Common,
}

/// Executed code by address, ascending. A range whose executions were not counted, such as a block
/// of a drcov file, has count 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List(Vec<Executed>);

impl List {
    /// The coverage of another trace.
    pub fn of(coverage: Vec<Executed>) -> Self {
        Self(coverage)
    }

    /// Whether bytes may be a drcov file.
    pub fn is_drcov(bytes: &[u8]) -> bool {
        bytes.starts_with(b"DRCOV VERSION:")
    }

    /// Reads a drcov file with a module table of version 2 to 5, and a table of blocks in binary or
    /// as text.
    ///
    /// A module with the file name of one of the trace's `modules` is moved to where that is.
    ///
    /// # Errors
    ///
    /// Returns where the bytes are no such file.
    pub fn of_drcov(bytes: &[u8], modules: &[Module]) -> Result<Self, NoList> {
        let mut lines = Lines { bytes, at: 0 };
        if !Self::is_drcov(bytes) {
            return Err(NoList { at: 0, expected: "DRCOV VERSION" });
        }
        let table = loop {
            let line = lines.next("a module table")?;
            if let Some(rest) = line.strip_prefix("Module Table: version ") {
                break rest.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok());
            }
        };
        let count = table.ok_or(NoList { at: lines.at, expected: "the number of modules" })?;
        let columns = lines.next("the columns of the module table")?;
        let columns: Vec<&str> = columns.trim_start_matches("Columns:").split(',').map(str::trim).collect();
        let place = |names: &[&str]| columns.iter().position(|column| names.contains(column));
        let start = place(&["base", "start"]).ok_or(NoList { at: lines.at, expected: "a column with the base" })?;
        let (within, path) = (place(&["containing_id"]), columns.len().saturating_sub(1));
        // Base, number of the module that contains it, and how far it is to where the trace has it.
        let mut rows: Vec<(u64, usize, u64)> = Vec::new();
        for number in 0..count {
            let at = lines.at;
            let line = lines.next("a module")?;
            let cells: Vec<&str> = line.splitn(columns.len(), ',').map(str::trim).collect();
            let base =
                cells.get(start).and_then(|cell| hex(cell)).ok_or(NoList { at, expected: "the base of a module" })?;
            let of = within.and_then(|within| cells.get(within)?.parse().ok()).unwrap_or(number);
            let name = cells.get(path).map_or("", |path| file_name(path));
            let known = modules.iter().rev().find(|module| !name.is_empty() && file_name(&module.name) == name);
            rows.push((base, of, known.map_or(0, |module| module.low.wrapping_sub(base))));
        }
        let at = lines.at;
        let blocks = lines.next("a table of blocks")?;
        let count = blocks.strip_prefix("BB Table: ").and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        let count = count.ok_or(NoList { at, expected: "a table of blocks" })?;
        let mut found = Vec::new();
        let mut add = |number: usize, offset: u64, length: u32| {
            // Offsets of a segment count from the beginning of its module.
            let of = rows.get(number).map_or(number, |(_, of, _)| *of);
            if let Some((base, _, shift)) = rows.get(of).filter(|_| length > 0) {
                found.push(Executed { address: base.wrapping_add(offset).wrapping_add(*shift), length, count: 0 });
            }
        };
        if lines.rest().starts_with(b"module id") {
            lines.next("the columns of the table of blocks")?;
            for _ in 0..count {
                let at = lines.at;
                let line = lines.next("a block")?;
                // module[  4]: 0x0000000000001090,   8
                let parsed = line.strip_prefix("module[").and_then(|rest| {
                    let (number, rest) = rest.split_once("]:")?;
                    let (offset, length) = rest.split_once(',')?;
                    Some((number.trim().parse().ok()?, hex(offset.trim())?, length.trim().parse().ok()?))
                });
                let (number, offset, length) = parsed.ok_or(NoList { at, expected: "a block" })?;
                add(number, offset, length);
            }
        } else {
            let entries = lines.rest().as_chunks::<8>().0;
            if entries.len() < count {
                return Err(NoList { at: lines.at + 8 * entries.len(), expected: "a further block" });
            }
            for &[a, b, c, d, e, f, g, h] in entries.get(..count).unwrap_or_default() {
                let [length, number] = [[e, f], [g, h]].map(u16::from_le_bytes);
                add(number.into(), u32::from_le_bytes([a, b, c, d]).into(), length.into());
            }
        }
        found.sort_unstable_by_key(|it| (it.address, it.length));
        Ok(Self(found))
    }

    /// Joins coverage, ascending, with this list. An instruction is in the list if its first byte
    /// is.
    pub fn join(&self, coverage: &[Executed], with: With) -> Vec<Executed> {
        if with == With::Plus {
            return self.plus(coverage);
        }
        let covered = merged(&self.0);
        let is_in = |address: u64| {
            let at = covered.partition_point(|(from, _)| *from <= u128::from(address));
            at.checked_sub(1).and_then(|at| covered.get(at)).is_some_and(|(_, end)| u128::from(address) < *end)
        };
        coverage.iter().filter(|it| is_in(it.address) == (with == With::Common)).copied().collect()
    }

    fn plus(&self, coverage: &[Executed]) -> Vec<Executed> {
        let mut all = coverage.to_vec();
        let own = merged(coverage);
        for other in &self.0 {
            if other.count > 0 {
                match coverage.binary_search_by_key(&other.address, |it| it.address) {
                    Ok(at) => {
                        if let Some(it) = all.get_mut(at) {
                            it.count += other.count;
                            it.length = it.length.max(other.length);
                        }
                    }
                    Err(_) => all.push(*other),
                }
                continue;
            }
            // Of a block, the bytes that the coverage does not have.
            let (mut from, end) = span(other);
            let mut next = own.partition_point(|(_, end)| *end <= from);
            while from < end {
                let (taken, after) = own.get(next).copied().unwrap_or((end, end));
                let until = taken.clamp(from, end);
                if let Some(address) = u64::try_from(from).ok().filter(|_| until > from) {
                    all.push(Executed { address, length: (until - from) as u32, count: 0 });
                }
                from = after.max(until);
                next += 1;
            }
        }
        // Blocks may overlap.
        all.sort_unstable_by_key(|it| (it.address, core::cmp::Reverse(it.count), core::cmp::Reverse(it.length)));
        let mut end = 0;
        all.retain_mut(|it| {
            let (from, until) = span(it);
            if it.count == 0 && from < end {
                let cut = end.min(until) - from;
                it.address = it.address.wrapping_add(cut as u64);
                it.length -= cut as u32;
            }
            end = end.max(until);
            it.length > 0 || it.count > 0
        });
        all
    }
}

/// First byte, and the one after the last.
fn span(it: &Executed) -> (u128, u128) {
    (it.address.into(), u128::from(it.address) + u128::from(it.length.max(1)))
}

/// The bytes of a list, ascending, as ranges that neither touch nor overlap.
fn merged(list: &[Executed]) -> Vec<(u128, u128)> {
    let mut ranges: Vec<(u128, u128)> = Vec::new();
    for it in list {
        let (from, end) = span(it);
        match ranges.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(end),
            _ => ranges.push((from, end)),
        }
    }
    ranges
}

/// The part of a path after the last separator of Unix or Windows.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next line. `expected` is said if there is none, or if it is not text.
    fn next(&mut self, expected: &'static str) -> Result<&'a str, NoList> {
        let missing = NoList { at: self.at, expected };
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(missing)?;
        let line = core::str::from_utf8(rest.get(..end).unwrap_or_default()).map_err(|_| missing)?;
        self.at += end + 1;
        Ok(line.trim_end_matches('\r'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::drcov;

    fn executed(address: u64, length: u32, count: u64) -> Executed {
        Executed { address, length, count }
    }

    #[test]
    fn what_is_written_is_read() {
        let modules = [Module { name: "/lib/libc.so".into(), low: 0x7000, high: 0x7fff }];
        let all = [executed(0x1000, 2, 1), executed(0x1002, 3, 1), executed(0x7010, 4, 9), executed(u64::MAX, 1, 1)];
        let file = drcov(&all, &modules, "prog");
        let expected = [executed(0x1000, 5, 0), executed(0x7010, 4, 0), executed(u64::MAX, 1, 0)];
        assert_eq!(List::of_drcov(&file, &modules), Ok(List(expected.to_vec())));
        // The library is elsewhere in the other trace.
        let moved = [Module { name: "C:\\lib\\libc.so".into(), low: 0x9000, high: 0x9fff }];
        assert!(List::of_drcov(&file, &moved).unwrap().0.contains(&executed(0x9010, 4, 0)));
        for end in 0..file.len() {
            assert!(List::of_drcov(&file[..end], &modules).is_err(), "{end}");
        }
    }

    #[test]
    fn segments_count_from_their_module_and_blocks_may_be_text() {
        let text = "DRCOV VERSION: 3\r\nDRCOV FLAVOR: drcov-64\r\nModule Table: version 5, count 2\n\
                    Columns: id, containing_id, start, end, entry, offset, preferred_base, path\n\
                    \x20 0,   0, 0x0000000000400000, 0x0000000000401000, 0x0, 0x0, 0x0,  /bin/a, b\n\
                    \x20 1,   0, 0x0000000000401000, 0x0000000000402000, 0x0, 0x1000, 0x0,  /bin/a, b\n\
                    BB Table: 2 bbs\nmodule id, start, size:\n\
                    module[  1]: 0x0000000000001090,   8\nmodule[  0]: 0x0000000000000010,   4\n";
        let expected = List(vec![executed(0x40_0010, 4, 0), executed(0x40_1090, 8, 0)]);
        assert_eq!(List::of_drcov(text.as_bytes(), &[]), Ok(expected));
        let wrong = text.replace("0x0000000000000010,", "16,");
        let at = wrong.rfind("module[").unwrap();
        assert_eq!(List::of_drcov(wrong.as_bytes(), &[]), Err(NoList { at, expected: "a block" }));
    }

    #[test]
    fn lists_are_joined_as_sets_of_bytes() {
        // xorshift: instructions of 1 to 4 bytes with gaps, and blocks that may overlap.
        let mut seed = 7u64;
        let mut below = |limit: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % limit
        };
        for round in 0..300u32 {
            let mut list = |overlap: bool, counted: bool| {
                let (mut at, mut all) = (below(8), Vec::new());
                while at < 64 {
                    let length = 1 + below(4);
                    all.push(executed(at, length as u32, if counted { 1 + below(5) } else { 0 }));
                    at += if overlap { 1 + below(6) } else { length + below(4) };
                }
                all
            };
            let (own, other) = (list(false, true), List(list(round % 2 == 0, round % 3 == 0)));
            let bytes = |of: &[Executed]| -> Vec<bool> {
                (0..80)
                    .map(|at| of.iter().any(|it| (it.address..it.address + u64::from(it.length)).contains(&at)))
                    .collect()
            };
            let [a, b] = [bytes(&own), bytes(&other.0)];
            let plus = other.join(&own, With::Plus);
            assert_eq!(bytes(&plus), a.iter().zip(&b).map(|(a, b)| *a || *b).collect::<Vec<_>>());
            let sum = |of: &[Executed]| of.iter().map(|it| it.count).sum::<u64>();
            assert_eq!(sum(&plus), sum(&own) + sum(&other.0));
            assert!(plus.is_sorted_by_key(|it| it.address));
            if !round.is_multiple_of(3) {
                let total: u32 = plus.iter().map(|it| it.length).sum();
                assert_eq!(total as usize, bytes(&plus).iter().filter(|is| **is).count(), "no byte is there twice");
            }
            let is_in = |it: &&Executed| b[it.address as usize];
            assert_eq!(other.join(&own, With::Common), own.iter().filter(is_in).copied().collect::<Vec<_>>());
            assert_eq!(other.join(&own, With::Minus), own.iter().filter(|it| !is_in(it)).copied().collect::<Vec<_>>());
        }
    }
}
