//! Machine instructions.

/// Instruction sets that the disassembler knows, and one that it does not.
const ISAS: [&str; 7] = ["x86-16", "x86-32", "x86-64", "thumb", "thumb-big", "aarch64", "?"];

/// Instructions begin within the code, at ascending offsets from its start on.
pub(crate) fn disassembled(bytes: &[u8]) {
    let Some((bits, code)) = bytes.split_first() else { return };
    let address = code.first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    for isa in ISAS {
        let text = unspool_disassembler::disassemble(isa, address, code);
        assert!(text.is_none_or(|text| !text.is_empty() && text.len() < 1000), "{isa}");
    }
    for bits in [16, 32, 64, u32::from(*bits)] {
        let starts = unspool_disassembler::starts(bits, address, code);
        assert!(starts.is_sorted_by(|a, b| a < b) && starts.iter().all(|at| (*at as usize) < code.len()));
        assert_eq!(starts.first().copied(), (!code.is_empty() && [16, 32, 64].contains(&bits)).then_some(0));
    }
}
