//! System calls: their names, the registers that they take, and those that return from a signal
//! handler.
//!
//! A handler returns to a short stub (in the C library, or in the kernel's vDSO) that loads the
//! number of such a call and makes it. Numbers: Linux, `arch/*/include/uapi/asm/unistd.h` and the
//! syscall tables.

use super::flow::Reading;
use super::isa::Isa;

/// A line for each name, with its numbers in the order of [`column`]: Linux 6.11 to 6.17, as the
/// crate `syscalls` 0.8.1 has them, and those that only the kernel of ARM has
/// (`arch/arm/include/uapi/asm/unistd.h`).
const NAMES: &str = include_str!("syscalls.txt");

/// Where a line has the number on an instruction set, and that number. `None` if system calls of it
/// have no names here.
fn column(isa: Isa, number: u64) -> Option<(usize, u64)> {
    Some(match isa {
        // x32 has the numbers of x86-64, with a bit. Those of its own, from 512 on, have no names
        // here.
        Isa::X86(64) => (1, number & !0x4000_0000),
        Isa::X86(_) => (0, number),
        // The old way of ARM to call the system has the number in the instruction.
        Isa::Arm => (2, if number & 0xfff0_0000 == 0x0090_0000 { number & 0xf_ffff } else { number }),
        Isa::Aarch64 => (3, number),
        // o32 counts from 4000 on, n64 from 5000, n32 from 6000.
        Isa::Mips if number < 5000 => (4, number),
        Isa::Mips => (5, number),
        Isa::PowerPc => (6, number),
        Isa::Other => return None,
    })
}

/// The name of a system call of Linux.
pub fn name(isa: Isa, number: u64) -> Option<&'static str> {
    let (column, number) = column(isa, number)?;
    let has_number = |line: &&str| line.split(' ').nth(1 + column).and_then(|of| of.parse().ok()) == Some(number);
    NAMES.lines().find(has_number)?.split(' ').next()
}

/// The names of a register, of which one is in the trace.
type Names = &'static [&'static str];

/// The register that has the number of a system call before its instruction, and those that have
/// its arguments (`syscall(2)`). The fifth argument of o32 and those after it are on the stack.
pub fn registers(isa: Isa) -> Option<(Names, &'static [Names])> {
    Some(match isa {
        Isa::X86(64) => (&["rax"], &[&["rdi"], &["rsi"], &["rdx"], &["r10"], &["r8"], &["r9"]]),
        Isa::X86(_) => (&["eax"], &[&["ebx"], &["ecx"], &["edx"], &["esi"], &["edi"], &["ebp"]]),
        Isa::Arm => (&["r7"], &[&["r0"], &["r1"], &["r2"], &["r3"], &["r4"], &["r5"]]),
        Isa::Aarch64 => (&["x8"], &[&["x0"], &["x1"], &["x2"], &["x3"], &["x4"], &["x5"]]),
        Isa::Mips => (
            &["v0", "r2", "$2", "$v0"],
            &[
                &["a0", "r4", "$4", "$a0"],
                &["a1", "r5", "$5", "$a1"],
                &["a2", "r6", "$6", "$a2"],
                &["a3", "r7", "$7", "$a3"],
            ],
        ),
        Isa::PowerPc => (
            &["r0", "gpr0"],
            &[&["r3", "gpr3"], &["r4", "gpr4"], &["r5", "gpr5"], &["r6", "gpr6"], &["r7", "gpr7"], &["r8", "gpr8"]],
        ),
        Isa::Other => return None,
    })
}

/// The number that an instruction loads into the system call register. `None` if it does something
/// else.
#[inline]
pub fn loaded(reading: Reading, bytes: &[u8]) -> Option<u32> {
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
pub fn returns_from_signal(isa: Isa, number: u64) -> bool {
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
    use alloc::vec::Vec;

    #[test]
    fn numbers_have_the_names_of_their_instruction_set() {
        let all = [
            (Isa::X86(32), 4, "write"),
            (Isa::X86(16), 102, "socketcall"),
            (Isa::X86(64), 1, "write"),
            (Isa::X86(64), 0x4000_0001, "write"),
            (Isa::X86(64), 257, "openat"),
            (Isa::Arm, 4, "write"),
            (Isa::Arm, 0x0090_0004, "write"),
            (Isa::Arm, 0x000f_0005, "set_tls"),
            (Isa::Aarch64, 64, "write"),
            (Isa::Mips, 4004, "write"),
            (Isa::Mips, 5001, "write"),
            (Isa::PowerPc, 4, "write"),
            (Isa::PowerPc, 172, "rt_sigreturn"),
        ];
        for (isa, number, expected) in all {
            assert_eq!(name(isa, number), Some(expected), "{isa:?} {number}");
        }
        for (isa, number) in [(Isa::Other, 1), (Isa::X86(64), 0x4000_0200), (Isa::Aarch64, 100_000), (Isa::Mips, 1)] {
            assert_eq!(name(isa, number), None, "{isa:?} {number}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_unambiguous() {
        let names: Vec<&str> = NAMES.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert!(names.is_sorted() && names.len() > 500);
        for column in 1..8 {
            let numbers = NAMES.lines().map(|line| {
                assert_eq!(line.split(' ').count(), 8, "{line}");
                line.split(' ').nth(column).unwrap()
            });
            let mut numbers: Vec<u64> = numbers.filter(|of| *of != "-").map(|of| of.parse().unwrap()).collect();
            let len = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!((numbers.len(), len > 300), (len, true), "column {column}");
        }
    }

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
