//! Which instructions call and return.
//!
//! Only what is needed to rebuild a call stack: an instruction that was executed is taken to be valid. Encodings after the
//! manuals: Intel SDM volume 2, ARM ARM (DDI 0406, DDI 0487), MIPS32/64 volume II, Power ISA book I.

use super::machine::Isa;

/// What an instruction does to the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Nothing.
    Next,
    /// Calls; the callee returns `back` bytes behind the instruction's address.
    Call { back: u8, slot: bool },
    /// Returns.
    Return { slot: bool },
    /// Goes where a register or memory says, which may be back to a caller.
    Jump { slot: bool },
}

/// How much of an instruction is looked at. x86 has at most 15 bytes.
pub(crate) const LOOKED_AT: usize = 16;

/// What the instruction does. `bytes` are the first [`LOOKED_AT`] of `len`.
#[inline]
pub(crate) fn flow(isa: Isa, bytes: &[u8], len: u64, big: bool, thumb: bool) -> Flow {
    match isa {
        Isa::X86(bits) => x86(bits, bytes, len),
        Isa::Arm if thumb => match *bytes {
            [a, b] => thumb16(half([a, b], big)),
            [a, b, c, d] => thumb32(half([a, b], big), half([c, d], big)),
            _ => Flow::Next,
        },
        Isa::Other => Flow::Next,
        Isa::Arm | Isa::Aarch64 | Isa::Mips | Isa::PowerPc => {
            let &[a, b, c, d] = bytes else { return Flow::Next };
            let word = if big { u32::from_be_bytes([a, b, c, d]) } else { u32::from_le_bytes([a, b, c, d]) };
            match isa {
                Isa::Arm => arm(word),
                Isa::Aarch64 => aarch64(word),
                Isa::Mips => mips(word),
                _ => power(word),
            }
        }
    }
}

fn half(bytes: [u8; 2], big: bool) -> u16 {
    if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
}

fn x86(bits: u32, bytes: &[u8], len: u64) -> Flow {
    let back = u8::try_from(len).unwrap_or(u8::MAX);
    let call = Flow::Call { back, slot: false };
    let mut rest = bytes.iter();
    for byte in &mut rest {
        return match byte {
            // Prefixes: segments, sizes, lock, repeat ("bnd", "notrack", "rep ret"), and REX in 64-bit code.
            0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3 => continue,
            0x40..=0x4f if bits == 64 => continue,
            0xe8 => call,
            0x9a if bits != 64 => call,
            0xc2 | 0xc3 | 0xca | 0xcb => Flow::Return { slot: false },
            0xff => match rest.next().map(|modrm| modrm >> 3 & 7) {
                Some(2 | 3) => call,
                Some(4 | 5) => Flow::Jump { slot: false },
                _ => Flow::Next,
            },
            _ => Flow::Next,
        };
    }
    Flow::Next
}

const CALL4: Flow = Flow::Call { back: 4, slot: false };
const RETURN: Flow = Flow::Return { slot: false };
const JUMP: Flow = Flow::Jump { slot: false };

fn arm(word: u32) -> Flow {
    if word >> 28 == 0xf {
        // blx to an address; all else that is unconditional stays in its function.
        return if word >> 25 == 0x7d { CALL4 } else { Flow::Next };
    }
    let rest = word & 0x0fff_ffff;
    let register = rest & 15;
    match rest {
        _ if rest >> 24 == 0xb => CALL4,
        _ if rest & !15 == 0x012f_ff30 => CALL4,
        // bx and mov pc: by the link register it is a return.
        _ if rest & !15 == 0x012f_ff10 || rest & !15 == 0x01a0_f000 => {
            if register == 14 {
                RETURN
            } else {
                JUMP
            }
        }
        // ldm with pc, but not with ^, which leaves an exception.
        _ if rest & 0x0e50_8000 == 0x0810_8000 => RETURN,
        // ldr pc: from the stack it is a pop.
        _ if rest & 0x0c50_f000 == 0x0410_f000 => {
            if rest >> 16 & 15 == 13 {
                RETURN
            } else {
                JUMP
            }
        }
        _ => Flow::Next,
    }
}

fn thumb16(half: u16) -> Flow {
    match half {
        _ if half & 0xff87 == 0x4780 => Flow::Call { back: 2, slot: false },
        0x4770 | 0x46f7 => RETURN,
        _ if half & 0xff87 == 0x4700 || half & 0xff87 == 0x4687 => JUMP,
        _ if half & 0xff00 == 0xbd00 => RETURN,
        _ => Flow::Next,
    }
}

fn thumb32(first: u16, second: u16) -> Flow {
    match (first, second) {
        // bl and blx to an address.
        _ if first & 0xf800 == 0xf000 && second & 0xc000 == 0xc000 => CALL4,
        // ldmia and ldmdb with pc.
        _ if matches!(first & 0xffd0, 0xe890 | 0xe910) && second & 0x8000 != 0 => RETURN,
        (0xf85d, 0xfb04) => RETURN,
        _ if matches!(first & 0xfff0, 0xf850 | 0xf8d0) && second >> 12 == 15 => JUMP,
        _ => Flow::Next,
    }
}

fn aarch64(word: u32) -> Flow {
    match word {
        _ if word >> 26 == 0x25 => CALL4,
        // blr, and with pointer authentication.
        _ if word & 0xffff_fc1f == 0xd63f_0000 || word & 0xfeff_f800 == 0xd63f_0800 => CALL4,
        _ if word & 0xffff_fc1f == 0xd65f_0000 || word & 0xffff_fbff == 0xd65f_0bff => RETURN,
        _ if word & 0xffff_fc1f == 0xd61f_0000 || word & 0xfeff_f800 == 0xd61f_0800 => JUMP,
        _ => Flow::Next,
    }
}

fn mips(word: u32) -> Flow {
    let by_register = |slot| if word >> 21 & 31 == 31 { Flow::Return { slot } } else { Flow::Jump { slot } };
    let call = Flow::Call { back: 8, slot: true };
    match (word >> 26, word & 63) {
        (0x03 | 0x1d, _) => call,
        (0, 8) => by_register(true),
        // jalr; release 6 writes jr as jalr to no register.
        (0, 9) if word >> 11 & 31 == 0 => by_register(true),
        (0, 9) => call,
        // bltzal, bgezal and their likely kin.
        (1, _) if (0x10..=0x13).contains(&(word >> 16 & 31)) => call,
        // Release 6, without delay slots: balc, jialc, jic. Before it these were coprocessor 2's loads and stores, which go
        // on behind themselves as calls do that return at once.
        (0x3a, _) => CALL4,
        (0x3e, _) if word >> 21 & 31 == 0 => CALL4,
        (0x36, _) if word >> 21 & 31 == 0 => {
            if word >> 16 & 31 == 31 {
                RETURN
            } else {
                JUMP
            }
        }
        _ => Flow::Next,
    }
}

fn power(word: u32) -> Flow {
    let link = word & 1 != 0;
    match (word >> 26, word >> 1 & 0x3ff) {
        (16 | 18, _) if link => CALL4,
        (19, 16 | 528 | 560) if link => CALL4,
        (19, 16) => RETURN,
        (19, 528 | 560) => JUMP,
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(isa: Isa, bytes: &[u8]) -> Flow {
        flow(isa, bytes, bytes.len() as u64, true, false)
    }

    #[test]
    fn calls_and_returns_of_x86() {
        let x64 = |bytes: &[u8]| of(Isa::X86(64), bytes);
        assert_eq!(x64(&[0xe8, 0, 0, 0, 0]), Flow::Call { back: 5, slot: false });
        assert_eq!(x64(&[0x41, 0xff, 0xd4]), Flow::Call { back: 3, slot: false });
        assert_eq!(x64(&[0xff, 0x15, 1, 2, 3, 4]), Flow::Call { back: 6, slot: false });
        assert_eq!(x64(&[0xf3, 0xc3]), RETURN);
        assert_eq!(x64(&[0xc2, 8, 0]), RETURN);
        assert_eq!(x64(&[0xff, 0x25, 1, 2, 3, 4]), JUMP);
        assert_eq!(x64(&[0xff, 0x75, 8]), Flow::Next, "push");
        assert_eq!(x64(&[0x0f, 0x05]), Flow::Next, "syscall");
        assert_eq!(x64(&[0x48, 0xcf]), Flow::Next, "iretq");
        assert_eq!(x64(&[]), Flow::Next);
        assert_eq!(of(Isa::X86(32), &[0x40]), Flow::Next, "inc eax, not a prefix");
        assert_eq!(of(Isa::X86(32), &[0x9a, 0, 0, 0, 0, 0, 0]), Flow::Call { back: 7, slot: false });
    }

    #[test]
    fn calls_and_returns_of_machines_with_words() {
        let word = |isa, word: u32| of(isa, &word.to_be_bytes());
        for (isa, calls, returns, jumps) in [
            (
                Isa::Arm,
                &[0xeb00_0001, 0x0b00_0001, 0xfa00_0001, 0xe12f_ff33][..],
                &[0xe12f_ff1e, 0xe1a0_f00e, 0xe8bd_8010, 0xe49d_f004][..],
                &[0xe12f_ff13, 0xe59f_f000][..],
            ),
            (
                Isa::Aarch64,
                &[0x9400_0001, 0xd63f_0100, 0xd73f_0901],
                &[0xd65f_03c0, 0xd65f_0bff, 0xd65f_0fff],
                &[0xd61f_0200],
            ),
            (Isa::PowerPc, &[0x4800_0001, 0x4e80_0421, 0x4e80_0021, 0x429f_0005], &[0x4e80_0020], &[0x4e80_0420]),
        ] {
            for w in calls {
                assert_eq!(word(isa, *w), CALL4, "{w:08x}");
            }
            for w in returns {
                assert_eq!(word(isa, *w), RETURN, "{w:08x}");
            }
            for w in jumps {
                assert_eq!(word(isa, *w), JUMP, "{w:08x}");
            }
        }
        for w in [0x0c10_0000, 0x0320_f809, 0x0411_0001] {
            assert_eq!(word(Isa::Mips, w), Flow::Call { back: 8, slot: true }, "{w:08x}");
        }
        assert_eq!(word(Isa::Mips, 0x03e0_0008), Flow::Return { slot: true });
        assert_eq!(word(Isa::Mips, 0x0320_0008), Flow::Jump { slot: true });
        // addiu, add, mr, mov.
        for (isa, w) in [
            (Isa::Mips, 0x27bd_ffe0),
            (Isa::Aarch64, 0x8b01_0000),
            (Isa::PowerPc, 0x7c08_02a6),
            (Isa::Arm, 0xe3a0_0001),
        ] {
            assert_eq!(word(isa, w), Flow::Next, "{w:08x}");
        }
    }

    #[test]
    fn calls_and_returns_of_thumb() {
        let thumb = |bytes: &[u8]| flow(Isa::Arm, bytes, bytes.len() as u64, false, true);
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xf8]), CALL4);
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xe8]), CALL4);
        assert_eq!(thumb(&[0x98, 0x47]), Flow::Call { back: 2, slot: false });
        assert_eq!(thumb(&[0x70, 0x47]), RETURN);
        assert_eq!(thumb(&[0x10, 0xbd]), RETURN);
        assert_eq!(thumb(&[0xbd, 0xe8, 0x10, 0x80]), RETURN);
        assert_eq!(thumb(&[0x18, 0x47]), JUMP);
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xb8]), Flow::Next, "b.w");
    }

    /// The classification by opcodes and the disassembler say the same of any bytes.
    #[test]
    fn flow_agrees_with_the_disassembler() {
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
