//! What a trace executed, for other programs.

use std::fmt::Write as _;

use crate::executed::Executed;
use crate::index::Module;

/// Most bytes of a module in a drcov file, whose offsets have 32 bits.
const LONGEST_MODULE: u64 = 1 << 32;
/// Most bytes of a block there.
const LONGEST_BLOCK: u64 = u16::MAX as u64;

/// Consecutive instructions that were executed equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The address of the first one.
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
    /// How many instructions.
    pub instructions: u64,
    /// How often each was executed.
    pub count: u64,
}

/// Joins instructions, in the order of addresses, to blocks.
pub fn blocks(coverage: &[Executed]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for &Executed { address, length, count } in coverage {
        let length = u64::from(length);
        // A range without executions is a block of another list, whose instructions are unknown.
        let instructions = u64::from(count > 0);
        match blocks.last_mut() {
            Some(last) if last.address.checked_add(last.length) == Some(address) && last.count == count => {
                last.length += length;
                last.instructions += instructions;
            }
            _ => blocks.push(Block { address, length, instructions, count }),
        }
    }
    blocks
}

/// What was executed of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InModule {
    /// The module. `None` for what is in none.
    pub module: Option<Module>,
    /// Address of the first instruction.
    pub address: u64,
    /// Bytes that were executed.
    pub length: u64,
    /// How many different instructions.
    pub instructions: u64,
    /// How many instructions were executed, each as often as it was.
    pub count: u64,
}

/// Joins instructions, in the order of addresses, to modules. Of two that overlap, the one loaded
/// later counts.
pub fn in_modules(coverage: &[Executed], modules: &[Module]) -> Vec<InModule> {
    let mut all: Vec<InModule> = Vec::new();
    for &Executed { address, length, count } in coverage {
        let module = modules.iter().rev().find(|module| (module.low..=module.high).contains(&address));
        let at = match all.iter().rposition(|it| it.module.as_ref() == module) {
            Some(at) => at,
            None => {
                let module = module.cloned();
                all.push(InModule { module, address, length: 0, instructions: 0, count: 0 });
                all.len() - 1
            }
        };
        if let Some(it) = all.get_mut(at) {
            it.length += u64::from(length);
            it.instructions += u64::from(count > 0);
            it.count += count;
        }
    }
    all
}

/// Coverage as a drcov file of version 2, which Lighthouse, Binary Ninja and others read. What is
/// in none of the `modules` belongs to one named `program`.
///
/// The layout is that of DynamoRIO's `drcov.c`: lines of text, then for each block offset in its
/// module (32 bits), length and number of the module (16 bits each), little-endian.
pub fn drcov(coverage: &[Executed], modules: &[Module], program: &str) -> Vec<u8> {
    let mut table: Vec<Module> = Vec::new();
    let mut entries: Vec<u8> = Vec::new();
    let mut count = 0;
    for Block { address, length, .. } in blocks(coverage) {
        // An instruction may end beyond 64 bits.
        let end = u128::from(address) + u128::from(length.max(1));
        let mut next = u128::from(address);
        while let Some(at) = u64::try_from(next).ok().filter(|at| u128::from(*at) < end) {
            let number = match table.iter().rposition(|module| (module.low..=module.high).contains(&at)) {
                Some(number) => number,
                None => {
                    table.push(module_of(at, modules, program));
                    table.len() - 1
                }
            };
            let Some(module) = table.get(number).filter(|_| number <= usize::from(u16::MAX)) else { break };
            let left = u64::try_from(end - next).unwrap_or(u64::MAX);
            let here = left.min(LONGEST_BLOCK).min((module.high - at).saturating_add(1));
            entries.extend_from_slice(&((at - module.low) as u32).to_le_bytes());
            entries.extend_from_slice(&(here as u16).to_le_bytes());
            entries.extend_from_slice(&(number as u16).to_le_bytes());
            count += 1;
            next += u128::from(here);
        }
    }
    let mut text = String::from("DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "Module Table: version 2, count {}", table.len());
    text.push_str("Columns: id, base, end, entry, checksum, timestamp, path\n");
    for (number, Module { name, low, high }) in table.iter().enumerate() {
        let name = name.replace(['\n', '\r'], " ");
        let end = high.saturating_add(1);
        let _ = writeln!(text, "{number:3}, {low:#018x}, {end:#018x}, {:#018x}, {:#010x}, {:#010x}, {name}", 0, 0, 0);
    }
    let _ = writeln!(text, "BB Table: {count} bbs");
    let mut file = text.into_bytes();
    file.extend_from_slice(&entries);
    file
}

/// The module that an address is in, as a row of the table.
fn module_of(address: u64, modules: &[Module], program: &str) -> Module {
    let found = modules.iter().rev().find(|module| (module.low..=module.high).contains(&address));
    match found {
        Some(module) => {
            // Of a module that is too long for offsets, the part around the address.
            let low = module.low + (address - module.low) / LONGEST_MODULE * LONGEST_MODULE;
            let high = module.high.min(low.saturating_add(LONGEST_MODULE - 1));
            Module { name: module.name.clone(), low, high }
        }
        None => {
            let low = address / LONGEST_MODULE * LONGEST_MODULE;
            // It ends where a module begins, and begins after one.
            let after = modules.iter().filter(|module| module.high < address).map(|module| module.high + 1).max();
            let before = modules.iter().filter(|module| module.low > address).map(|module| module.low - 1).min();
            let high = (low + (LONGEST_MODULE - 1)).min(before.unwrap_or(u64::MAX));
            Module { name: program.into(), low: low.max(after.unwrap_or(0)), high }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executed(address: u64, length: u32, count: u64) -> Executed {
        Executed { address, length, count }
    }

    #[test]
    fn blocks_end_where_counts_change_or_bytes_are_missing() {
        let all = [executed(0x10, 2, 5), executed(0x12, 3, 5), executed(0x15, 1, 4), executed(0x17, 1, 4)];
        let block = |address, length, instructions, count| Block { address, length, instructions, count };
        assert_eq!(blocks(&all), [block(0x10, 5, 2, 5), block(0x15, 1, 1, 4), block(0x17, 1, 1, 4)]);
        assert!(blocks(&[]).is_empty());
    }

    #[test]
    fn modules_have_what_was_executed_of_them() {
        let module = |name: &str, low, high| Module { name: name.into(), low, high };
        let modules = [module("a", 0x100, 0x1ff), module("b", 0x180, 0x2ff)];
        let all = [(0x10, 1), (0x100, 2), (0x104, 0), (0x180, 4), (0x300, 8)].map(|(at, n)| executed(at, 3, n));
        let found = in_modules(&all, &modules);
        let of = |it: &InModule| {
            let name = it.module.as_ref().map_or("-", |module| &module.name).to_string();
            (name, it.address, it.length, it.instructions, it.count)
        };
        let expected = [("-", 0x10, 6, 2, 9), ("a", 0x100, 6, 1, 2), ("b", 0x180, 3, 1, 4)]
            .map(|(n, a, l, i, c)| (n.into(), a, l, i, c));
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn drcov_has_modules_and_blocks() {
        let modules = [Module { name: "libc".into(), low: 0x7000, high: 0x7fff }];
        let file = drcov(&[executed(0x401000, 4, 1), executed(0x6ffe, 4, 2), executed(0x7f00, 2, 1)], &modules, "prog");
        let text = String::from_utf8_lossy(&file);
        let end = file.windows(4).position(|w| w == b"bbs\n").unwrap() + 4;
        assert!(
            text.starts_with("DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 3\n"),
            "{text}"
        );
        assert!(text.contains("0x0000000000007000, 0x0000000000008000") && text.contains("libc\n"), "{text}");
        assert!(text.contains("BB Table: 4 bbs\n"), "the block across the beginning of libc is two: {text}");
        // The table has rows in the order of their first block: the program after libc, before it,
        // and libc.
        #[rustfmt::skip]
        let expected = [
            0x00, 0x90, 0x3f, 0x00, 4, 0, 0, 0,
            0xfe, 0x6f, 0x00, 0x00, 2, 0, 1, 0,
            0x00, 0x00, 0x00, 0x00, 2, 0, 2, 0,
            0x00, 0x0f, 0x00, 0x00, 2, 0, 2, 0,
        ];
        assert_eq!(file[end..], expected);
    }

    #[test]
    fn addresses_beyond_32_bits_get_modules_of_their_own() {
        let file = drcov(&[executed(0x10, 1, 1), executed(u64::MAX, 1, 1)], &[], "prog");
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("count 2") && text.contains("0xffffffff00000000, 0xffffffffffffffff"), "{text}");
        assert!(drcov(&[], &[], "").ends_with(b"BB Table: 0 bbs\n"));
    }
}
