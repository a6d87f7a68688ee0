//! Instructions that set the stack pointer, for traces without operands.
//!
//! `longjmp` and the runtime of exceptions unwind a stack without returning: they set the stack
//! pointer and then jump. The calls that they leave end when the stack pointer is set.

use super::flow::Reading;
use super::isa::Isa;

/// An instruction's effect on the stack pointer, as far as it matters for unwinding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Nothing relevant.
    None,
    /// Sets it.
    Set,
    /// Pops a word.
    Pop,
}

/// The effect of the instruction `bytes` on the stack pointer.
#[inline]
pub fn moves(reading: Reading, bytes: &[u8]) -> Move {
    let set = |is: bool| if is { Move::Set } else { Move::None };
    if let Isa::X86(bits) = reading.isa {
        let (rex, bytes) = match bytes {
            [rex @ 0x40..=0x4f, rest @ ..] if bits == 64 => (*rex, rest),
            _ => (0, bytes),
        };
        return match bytes {
            // mov to the stack pointer from a register.
            [0x89, modrm, ..] if modrm & 0xc7 == 0xc4 => set(rex & 1 == 0),
            // mov and lea to the stack pointer from a register or memory. lea from itself only
            // allocates or frees.
            [0x8b, modrm, ..] if modrm & 0x38 == 0x20 => set(rex & 4 == 0),
            [0x8d, modrm, sib, ..] if modrm & 0x38 == 0x20 => {
                set(rex & 4 == 0 && !(modrm & 7 == 4 && sib & 7 == 4 && rex & 1 == 0))
            }
            [0x58..=0x5f, ..] => Move::Pop,
            _ => Move::None,
        };
    }
    let &[a, b, c, d] = bytes else { return Move::None };
    let word = if reading.big { u32::from_be_bytes([a, b, c, d]) } else { u32::from_le_bytes([a, b, c, d]) };
    set(match reading.isa {
        // mov and ldr to sp; ldm with sp from another base.
        Isa::Arm if !reading.thumb => {
            word & 0x0fff_fff0 == 0x01a0_d000
                || word & 0x0c50_f000 == 0x0410_d000
                || (word & 0x0e10_2000 == 0x0810_2000 && word >> 16 & 15 != 13)
        }
        // mov to sp.
        Isa::Aarch64 => word & 0xffff_fc1f == 0x9100_001f,
        // move, lw and ld to $sp.
        Isa::Mips => {
            matches!(word & 0xfc00_ffff, 0xe825 | 0xe821 | 0xe82d)
                || (matches!(word >> 26, 0x23 | 0x37) && word >> 16 & 31 == 29)
        }
        // mr, lwz and ld to r1.
        Isa::PowerPc => (word & 0xfc1f_07ff == 0x7c01_0378) || (matches!(word >> 26, 32 | 58) && word >> 21 & 31 == 1),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_that_set_the_stack_pointer() {
        let x64 = |bytes: &[u8]| moves(Reading::x86(64), bytes);
        assert_eq!(x64(&[0x4c, 0x89, 0xc4]), Move::Set, "mov %r8, %rsp: glibc's longjmp");
        assert_eq!(x64(&[0x48, 0x89, 0xcc]), Move::Set, "mov %rcx, %rsp: libgcc's unwinder");
        assert_eq!(x64(&[0x48, 0x8b, 0x67, 0x30]), Move::Set, "mov 0x30(%rdi), %rsp: musl's longjmp");
        assert_eq!(x64(&[0x49, 0x89, 0xc4]), Move::None, "mov %rax, %r12");
        assert_eq!(x64(&[0x48, 0x89, 0xe5]), Move::None, "mov %rsp, %rbp");
        assert_eq!(x64(&[0x48, 0x8d, 0x64, 0x24, 0x20]), Move::None, "lea 0x20(%rsp), %rsp");
        assert_eq!(x64(&[0x48, 0x8d, 0x65, 0xe0]), Move::Set, "lea -0x20(%rbp), %rsp");
        assert_eq!(x64(&[0x41, 0x5c]), Move::Pop);
        let word = |isa, word: u32| moves(Reading { isa, big: true, thumb: false }, &word.to_be_bytes());
        assert_eq!(word(Isa::Arm, 0xe1a0_d00c), Move::Set, "mov sp, ip");
        assert_eq!(word(Isa::Arm, 0xe8b0_6ff0), Move::Set, "ldmia r0!, {{r4-fp, sp, lr}}");
        assert_eq!(word(Isa::Arm, 0xe8bd_8010), Move::None, "pop {{r4, pc}}");
        assert_eq!(word(Isa::Aarch64, 0x9100_009f), Move::Set, "mov sp, x4");
        assert_eq!(word(Isa::Mips, 0x8c9d_0004), Move::Set, "lw $sp, 4($a0)");
        assert_eq!(word(Isa::Mips, 0x03c0_e825), Move::Set, "move $sp, $fp");
        assert_eq!(word(Isa::PowerPc, 0xe823_0000), Move::Set, "ld r1, 0(r3)");
        assert_eq!(word(Isa::PowerPc, 0x9421_fff0), Move::None, "stwu r1, -16(r1)");
    }
}
