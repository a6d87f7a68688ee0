//! Instructions as text, where there is a disassembler: x86 and ARM. Others show their bytes.

use alloc::string::String;

use super::machine::Isa;

/// An instruction as text. `thumb` is of use on ARM alone, `big` where the byte order is not settled.
#[cfg(feature = "disasm")]
pub(crate) fn disassemble(isa: Isa, address: u64, bytes: &[u8], big: bool, thumb: bool) -> Option<String> {
    match isa {
        Isa::X86(bits) => x86(bits, address, bytes),
        Isa::Arm => {
            let mut decoder = yaxpeax_arm::armv7::InstDecoder::default();
            decoder.set_thumb_mode(thumb);
            arm(&decoder, &in_memory_order(bytes, big, thumb))
        }
        Isa::Aarch64 => arm(&yaxpeax_arm::armv8::a64::InstDecoder::default(), bytes),
        Isa::Mips | Isa::PowerPc | Isa::Other => None,
    }
}

/// Built without disassemblers.
#[cfg(not(feature = "disasm"))]
pub(crate) fn disassemble(_isa: Isa, _address: u64, _bytes: &[u8], _big: bool, _thumb: bool) -> Option<String> {
    None
}

#[cfg(feature = "disasm")]
fn x86(bits: u32, address: u64, bytes: &[u8]) -> Option<String> {
    use iced_x86::{Decoder, DecoderOptions, Formatter, NasmFormatter};

    let instruction = Decoder::try_with_ip(bits, bytes, address, DecoderOptions::NONE).ok()?.decode();
    if instruction.is_invalid() {
        return None;
    }
    let mut formatter = NasmFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_space_after_operand_separator(true);
    options.set_branch_leading_zeros(false);
    options.set_show_branch_size(false);
    options.set_uppercase_hex(false);
    let mut text = String::new();
    formatter.format(&instruction, &mut text);
    Some(text)
}

/// Half-words of Thumb, and words of ARM, as they lie in the memory of a little-endian machine.
#[cfg(feature = "disasm")]
fn in_memory_order(bytes: &[u8], big: bool, thumb: bool) -> alloc::vec::Vec<u8> {
    let mut bytes = bytes.to_vec();
    if big {
        bytes.chunks_mut(if thumb { 2 } else { 4 }).for_each(<[u8]>::reverse);
    }
    bytes
}

#[cfg(feature = "disasm")]
fn arm<A, D>(decoder: &D, bytes: &[u8]) -> Option<String>
where
    A: yaxpeax_arch::Arch<Instruction: core::fmt::Display>,
    D: yaxpeax_arch::Decoder<A>,
    for<'a> yaxpeax_arch::U8Reader<'a>: yaxpeax_arch::Reader<A::Address, A::Word>,
{
    let mut reader = yaxpeax_arch::U8Reader::new(bytes);
    let instruction = decoder.decode(&mut reader).ok()?;
    Some(alloc::format!("{instruction}"))
}

#[cfg(all(test, feature = "disasm"))]
mod tests {
    use super::*;

    #[test]
    fn instructions_read_like_those_of_other_disassemblers() {
        let x64 = |bytes: &[u8]| disassemble(Isa::X86(64), 0x40_1000, bytes, false, false);
        assert_eq!(x64(&[0xe8, 0x31, 1, 0, 0]).as_deref(), Some("call 0x401136"));
        assert_eq!(x64(&[0x48, 0x89, 0xe5]).as_deref(), Some("mov rbp, rsp"));
        assert_eq!(x64(&[0x0f, 0xff]), None);
        assert_eq!(x64(&[]), None);
        let a32 = |bytes: &[u8], big| disassemble(Isa::Arm, 0, bytes, big, false);
        assert_eq!(a32(&[0x01, 0x00, 0xa0, 0xe3], false), a32(&[0xe3, 0xa0, 0x00, 0x01], true));
        assert_eq!(a32(&[0x1e, 0xff, 0x2f, 0xe1], false).as_deref(), Some("bx lr"));
        let t32 = disassemble(Isa::Arm, 0, &[0x70, 0x47], false, true);
        assert_eq!(t32.as_deref(), Some("bx lr"));
        let a64 = disassemble(Isa::Aarch64, 0, &[0xc0, 0x03, 0x5f, 0xd6], false, false);
        assert_eq!(a64.as_deref(), Some("ret"));
    }

    /// The classification by opcodes and the disassembler say the same of any bytes.
    #[test]
    fn flow_agrees_with_the_disassembler() {
        use super::super::flow::{Flow, LOOKED_AT, flow};
        use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind};

        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u8
        };
        let mut seen = [0; 4];
        for round in 0..200_000 {
            let mut bytes: [u8; LOOKED_AT] = core::array::from_fn(|_| next());
            if round % 4 == 0 {
                bytes[0] = [0xff, 0xe8, 0xc3, 0xc2, 0xcb, 0x9a, 0xf2, 0x41][round / 4 % 8];
            }
            for bits in [16, 32, 64] {
                let instruction = Decoder::new(bits, &bytes, DecoderOptions::NONE).decode();
                if instruction.is_invalid() {
                    continue;
                }
                let len = instruction.len();
                let back = len as u8;
                let direct = matches!(
                    instruction.op0_kind(),
                    OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64
                ) || matches!(instruction.op0_kind(), OpKind::FarBranch16 | OpKind::FarBranch32);
                let expected = match instruction.mnemonic() {
                    Mnemonic::Call => Flow::Call { back, slot: false },
                    Mnemonic::Ret | Mnemonic::Retf => Flow::Return { slot: false },
                    Mnemonic::Jmp if !direct => Flow::Jump { slot: false },
                    _ => Flow::Next,
                };
                let found = flow(Isa::X86(bits), &bytes[..len], len as u64, false, false);
                assert_eq!(found, expected, "{bits} bits, {:02x?}", &bytes[..len]);
                seen[match found {
                    Flow::Next => 0,
                    Flow::Call { .. } => 1,
                    Flow::Return { .. } => 2,
                    Flow::Jump { .. } => 3,
                }] += 1;
            }
        }
        assert!(seen.iter().all(|n| *n > 1000), "{seen:?}");
    }
}
