//! Binaries that name functions.

use unspool_symbols::{Binary, Fault, Programs, Range, Step, Work, demangle};
use unspool_trace::batch::Key;

use crate::choices::Choices;

/// Reading asks for bytes that the file has, ends, and gives the same functions however a binary is
/// used.
pub(crate) fn read(bytes: &[u8]) {
    let mut binary = Binary::new(bytes.len() as u64);
    if answer(&mut binary, bytes).is_ok() {
        let functions = binary.functions().to_vec();
        let mut choices = Choices::of(bytes);
        let other = (0..20).map(|_| choices.extreme());
        let addresses: Vec<u64> = functions.iter().copied().chain(other).collect();
        binary.look_up(addresses.clone());
        if answer(&mut binary, bytes).is_ok() {
            for (address, function) in binary.take_found() {
                assert!(addresses.contains(&address));
                assert!(address == function.address || address - function.address < function.size);
                assert!(!binary.name_of(&function).is_empty());
            }
        }
        for address in addresses.iter().take(8) {
            binary.find_source(*address);
            if answer(&mut binary, bytes).is_ok() {
                let _ = binary.take_source();
            }
        }
        named(bytes, functions.len());
    }
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(4096)).unwrap_or_default());
    for symbol in [text.clone(), format!("_Z{text}").into(), format!("_R{text}").into()] {
        assert!(demangle(&symbol, false).len() <= symbol.len().max(64 * 1024));
    }
}

/// Bytes of a part of the file.
fn part(bytes: &[u8], Range { at, len }: Range) -> Vec<u8> {
    assert!(len > 0 && at + len <= bytes.len() as u64, "bytes that the file has");
    bytes[at as usize..(at + len) as usize].to_vec()
}

fn answer(binary: &mut Binary, bytes: &[u8]) -> Result<(), Fault> {
    // Each step reads a part of a table or begins another one.
    for _ in 0..1000 + bytes.len() {
        match binary.step()? {
            Step::Done => return Ok(()),
            Step::More => {}
            Step::Needs(range) => binary.push(range.at, part(bytes, range))?,
        }
    }
    panic!("reading does not end");
}

fn named(bytes: &[u8], functions: usize) {
    let mut programs = Programs::default();
    programs.add(1, "a", bytes.len() as u64);
    programs.add(2, "b", bytes.len() as u64);
    programs.set_ids([1 << 24 | 1], Choices::of(bytes).index(2) == 0);
    programs.choose(2, Some(1));
    for _ in 0..4000 + 8 * bytes.len() {
        match programs.step() {
            Work::Done => break,
            Work::More => {}
            Work::Needs { binary, range } => programs.push(binary, range.at, part(bytes, range)),
        }
    }
    assert_eq!(programs.step(), Work::Done);
    if programs.find_source(1 << 24 | 1) {
        for _ in 0..4000 + 8 * bytes.len() {
            match programs.step() {
                Work::Done => break,
                Work::More => {}
                Work::Needs { binary, range } => programs.push(binary, range.at, part(bytes, range)),
            }
        }
        assert_eq!(programs.step(), Work::Done);
    }
    for id in [1, 2] {
        assert!(!programs.report(id, 0).unwrap_or_else(|| panic!("no report")).sentence.is_empty());
        if let Some(naming) = programs.naming(id) {
            assert!(naming.len() <= functions);
            assert_eq!(naming.of(Key::Id(0)), None);
        }
    }
}
