//! System calls that return from a signal handler.
//!
//! A handler returns to a short stub (in the C library, or in the kernel's vDSO) that loads the number of such a call and
//! makes it. Numbers: Linux, `arch/*/include/uapi/asm/unistd.h` and the syscall tables.

use super::flow::Reading;
use super::isa::Isa;

/// The number that an instruction loads into the system call register. `None` if it does something else.
#[inline]
pub(crate) fn loaded(reading: Reading, bytes: &[u8]) -> Option<u32> {
    let word = |&[a, b, c, d]: &[u8; 4]| {
        if reading.big { u32::from_be_bytes([a, b, c, d]) } else { u32::from_le_bytes([a, b, c, d]) }
    };
    let fixed = || bytes.try_into().ok().map(word);
    match reading.isa {
        // mov to eax; mov of a 32-bit number to rax.
        Isa::X86(_) => match *bytes {
            [0xb8, a, b, c, d] | [0x48, 0xc7, 0xc0, a, b, c, d] => Some(u32::from_le_bytes([a, b, c, d])),
            _ => None,
        },
        Isa::Arm if reading.thumb => match *bytes {
            // movs to r7.
            [low, high] => {
                let [number, op] = if reading.big { [high, low] } else { [low, high] };
                (op == 0x27).then_some(number.into())
            }
            _ => None,
        },
        Isa::Arm => fixed().filter(|word| word & 0x0fff_f000 == 0x03a0_7000).map(|word| {
            let (number, turn) = (word & 0xff, word >> 8 & 15);
            number.rotate_right(2 * turn)
        }),
        // movz to x8 or w8.
        Isa::Aarch64 => fixed().filter(|word| word & 0x7fe0_001f == 0x5280_0008).map(|word| word >> 5 & 0xffff),
        // addiu and ori to $v0 from $zero.
        Isa::Mips => fixed().filter(|word| matches!(word >> 16, 0x2402 | 0x3402)).map(|word| word & 0xffff),
        // li to r0.
        Isa::PowerPc => fixed().filter(|word| word >> 16 == 0x3800).map(|word| word & 0xffff),
        Isa::Other => None,
    }
}

/// Whether `number` is `sigreturn` or `rt_sigreturn`.
pub(crate) fn returns_from_signal(isa: Isa, number: u64) -> bool {
    match isa {
        // x86-64, x32.
        Isa::X86(64) => matches!(number, 15 | 0x4000_0201),
        Isa::X86(_) | Isa::Arm => matches!(number, 119 | 173),
        Isa::Aarch64 => number == 139,
        // o32 twice, n64, n32.
        Isa::Mips => matches!(number, 4119 | 4193 | 5211 | 6211),
        Isa::PowerPc => matches!(number, 119 | 172),
        Isa::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_they_are_loaded() {
        let x64 = Reading::x86(64);
        assert_eq!(loaded(x64, &[0x48, 0xc7, 0xc0, 15, 0, 0, 0]), Some(15), "glibc's __restore_rt");
        assert_eq!(loaded(x64, &[0xb8, 15, 0, 0, 0]), Some(15));
        assert_eq!(loaded(x64, &[0xb9, 15, 0, 0, 0]), None, "ecx");
        let of = |isa, thumb, word: u32| loaded(Reading { isa, big: true, thumb }, &word.to_be_bytes());
        assert_eq!(of(Isa::Arm, false, 0xe3a0_70ad), Some(173));
        assert_eq!(of(Isa::Arm, false, 0xe3a0_60ad), None, "r6");
        assert_eq!(loaded(Reading { isa: Isa::Arm, big: false, thumb: true }, &[119, 0x27]), Some(119));
        assert_eq!(of(Isa::Aarch64, false, 0xd280_1168), Some(139));
        assert_eq!(of(Isa::Mips, false, 0x2402_1061), Some(4193));
        assert_eq!(of(Isa::PowerPc, false, 0x3800_00ac), Some(172));
        assert!(returns_from_signal(Isa::X86(64), 15) && !returns_from_signal(Isa::X86(64), 173));
    }
}
