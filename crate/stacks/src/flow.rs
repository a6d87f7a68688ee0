//! Control flow of single instructions: next, branch, call, return.
//!
//! Decodes only what is needed to rebuild a call stack. An executed instruction is assumed to be
//! valid. Encodings follow the Intel SDM volume 2, the ARM ARM (DDI 0406, DDI 0487), MIPS32/64
//! volume II, and Power ISA books I and III.

use super::isa::Isa;

/// Where execution continues after an instruction. `slot`: the instruction in the delay slot
/// executes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "variants say what their fields are")]
pub enum Flow {
    /// At the following instruction.
    Next,
    /// At `to`. With `maybe`, at `to` or at the following instruction.
    Branch { to: u64, maybe: bool, slot: bool },
    /// In a function, at `to` if that is known, which returns to `back`. A conditional call whose
    /// condition is false continues at `back`.
    Call { to: Option<u64>, back: u64, slot: bool },
    /// In a caller. With `maybe`, there or at the following instruction.
    Return { maybe: bool, slot: bool },
    /// At an address in a register or memory, which may be a return address.
    Jump { slot: bool },
    /// In the kernel, which returns to the following instruction.
    SystemCall,
    /// Outside the kernel.
    SystemReturn,
    /// Unknown.
    Unknown,
}

/// Number of bytes of an instruction that are decoded. An x86 instruction has at most 15.
pub const LOOKED_AT: usize = 16;

/// How to decode the bytes of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The instruction set.
    pub isa: Isa,
    /// Whether the most significant byte comes first.
    pub big: bool,
    /// ARM only: whether it is a Thumb instruction.
    pub thumb: bool,
}

impl Reading {
    /// x86 code of 16, 32 or 64 bits.
    pub fn x86(bits: u32) -> Self {
        Self { isa: Isa::X86(bits), big: false, thumb: false }
    }

    /// By the disassembler's name for the code ([`Isa::code`]). `None` for other names.
    pub fn of_code(name: &str) -> Option<Self> {
        let (isa, thumb) = match name.strip_suffix("-big").unwrap_or(name) {
            "x86-16" => (Isa::X86(16), false),
            "x86-32" => (Isa::X86(32), false),
            "x86-64" => (Isa::X86(64), false),
            "arm" => (Isa::Arm, false),
            "thumb" => (Isa::Arm, true),
            "aarch64" => (Isa::Aarch64, false),
            _ => return None,
        };
        Some(Self { isa, big: name.ends_with("-big"), thumb })
    }
}

/// Control flow of the instruction at `address`. `bytes` are its first bytes, at most
/// [`LOOKED_AT`]; `len` is its length.
#[inline]
pub fn flow(reading: Reading, address: u64, bytes: &[u8], len: u64) -> Flow {
    let Reading { isa, big, thumb } = reading;
    match isa {
        Isa::X86(bits) => x86(bits, address, bytes, len),
        Isa::Arm if thumb => match *bytes {
            [a, b] => thumb16(address, half([a, b], big)),
            [a, b, c, d] => thumb32(address, half([a, b], big), half([c, d], big)),
            _ => Flow::Unknown,
        },
        Isa::Other => Flow::Unknown,
        Isa::Arm | Isa::Aarch64 | Isa::Mips | Isa::PowerPc => {
            let &[a, b, c, d] = bytes else { return Flow::Unknown };
            let word = if big { u32::from_be_bytes([a, b, c, d]) } else { u32::from_le_bytes([a, b, c, d]) };
            match isa {
                Isa::Arm => arm(address, word),
                Isa::Aarch64 => aarch64(address, word),
                Isa::Mips => mips(address, word),
                _ => power(address, word),
            }
        }
    }
}

/// Control flow of a whole instruction of 64-bit x86 code at `address`, which is not checked to be
/// one.
pub fn flow_of_x86_64(address: u64, bytes: &[u8]) -> Flow {
    let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    flow(Reading::x86(64), address, looked_at, bytes.len() as u64)
}

fn half(bytes: [u8; 2], big: bool) -> u16 {
    if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
}

/// Sign-extends the lowest `bits` of `value`.
fn signed(value: u32, bits: u32) -> i64 {
    let up = 64 - bits;
    (u64::from(value) << up) as i64 >> up
}

/// `address + offset`. Wraps around at 32 bits if `address` has no more.
fn offset(address: u64, offset: i64) -> u64 {
    let sum = address.wrapping_add_signed(offset);
    if address >> 32 == 0 { sum & 0xffff_ffff } else { sum }
}

fn x86(bits: u32, address: u64, bytes: &[u8], len: u64) -> Flow {
    let next = |by: i64| {
        let sum = address.wrapping_add(len).wrapping_add_signed(by);
        match bits {
            64 => sum,
            // 16-bit offsets wrap around within their segment. Its base is unknown, so 64 KiB
            // alignment is assumed.
            16 => sum & 0xffff | address & !0xffff,
            _ if address >> 32 == 0 => sum & 0xffff_ffff,
            _ => sum,
        }
    };
    // Does not wrap: the segment may not be aligned to 64 KiB.
    let back = if bits == 16 { address.wrapping_add(len) } else { next(0) };
    let call = |to| Flow::Call { to, back, slot: false };
    // Whether operands have more than 16 bits.
    let mut wide = bits != 16;
    let mut rest = bytes;
    while let [byte, behind @ ..] = rest {
        let relative = || match (wide, behind) {
            (true, [a, b, c, d, ..]) => Some(next(i32::from_le_bytes([*a, *b, *c, *d]).into())),
            (false, [a, b, ..]) => Some(next(i16::from_le_bytes([*a, *b]).into())),
            _ => None,
        };
        let short = |maybe| match behind.first() {
            Some(by) => Flow::Branch { to: next((*by as i8).into()), maybe, slot: false },
            None => Flow::Unknown,
        };
        return match byte {
            // Operand size. In 64-bit code, Intel processors ignore it on branches.
            0x66 => {
                wide = bits == 64 || !wide;
                rest = behind;
                continue;
            }
            // Segment, address size, lock and repeat prefixes ("bnd", "notrack", "rep ret").
            0x26 | 0x2e | 0x36 | 0x3e | 0x64 | 0x65 | 0x67 | 0xf0 | 0xf2 | 0xf3 => {
                rest = behind;
                continue;
            }
            0x40..=0x4f if bits == 64 => {
                rest = behind;
                continue;
            }
            0xe8 => call(relative().filter(|_| bits != 16)),
            0x9a if bits != 64 => call(None),
            0xc2 | 0xc3 | 0xca | 0xcb => Flow::Return { maybe: false, slot: false },
            0xcf => Flow::SystemReturn,
            0xcd => Flow::SystemCall,
            0xeb => short(false),
            0x70..=0x7f | 0xe0..=0xe3 => short(true),
            0xe9 => match relative() {
                Some(to) => Flow::Branch { to, maybe: false, slot: false },
                None => Flow::Unknown,
            },
            0xea if bits != 64 => Flow::Jump { slot: false },
            0xff => match behind.first().map(|modrm| modrm >> 3 & 7) {
                Some(2 | 3) => call(None),
                Some(4 | 5) => Flow::Jump { slot: false },
                None => Flow::Unknown,
                _ => Flow::Next,
            },
            0x0f => match behind {
                [0x05 | 0x34, ..] => Flow::SystemCall,
                [0x07 | 0x35, ..] => Flow::SystemReturn,
                // Entries to and exits from virtual machines, enclaves and system management mode.
                [0x01, 0xc0..=0xc3 | 0xcf | 0xd7..=0xd9 | 0xde, ..] | [0xaa, ..] => Flow::Unknown,
                [0x80..=0x8f, to @ ..] => {
                    let by = match (wide, to) {
                        (true, [a, b, c, d, ..]) => Some(i32::from_le_bytes([*a, *b, *c, *d]).into()),
                        (false, [a, b, ..]) => Some(i16::from_le_bytes([*a, *b]).into()),
                        _ => None,
                    };
                    match by {
                        Some(by) => Flow::Branch { to: next(by), maybe: true, slot: false },
                        None => Flow::Unknown,
                    }
                }
                [] => Flow::Unknown,
                _ => Flow::Next,
            },
            // xabort and xbegin: a transaction that aborts continues at its fallback address.
            0xc6 | 0xc7 if behind.first() == Some(&0xf8) => Flow::Unknown,
            // QEMU's plugin writes only the first byte of an instruction that its disassembler does
            // not know.
            _ if behind.is_empty() && !is_whole(bits, *byte) => Flow::Unknown,
            _ => Flow::Next,
        };
    }
    Flow::Unknown
}

/// Whether a one-byte opcode is a complete instruction.
fn is_whole(bits: u32, opcode: u8) -> bool {
    match opcode {
        0x50..=0x5f | 0x6c..=0x6f | 0x90..=0x99 | 0x9b..=0x9f | 0xa4..=0xa7 | 0xaa..=0xaf => true,
        0xc9 | 0xcc | 0xd7 | 0xec..=0xef | 0xf1 | 0xf4 | 0xf5 | 0xf8..=0xfd => true,
        0x06 | 0x07 | 0x0e | 0x16 | 0x17 | 0x1e | 0x1f | 0x27 | 0x2f | 0x37 | 0x3f | 0x60 | 0x61 | 0xce | 0xd6 => {
            bits != 64
        }
        0x40..=0x4f => bits != 64,
        _ => false,
    }
}

/// What the first instruction of a callee does with its return address. No function begins with
/// anything but `Usual`: such a "call" is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing.
    Usual,
    /// Pops it: code that determines its own address, and thunks in place of returns.
    Discards,
    /// Replaces it: a thunk in place of an indirect jump (`-mindirect-branch=thunk`). The next
    /// return is that jump.
    Replaces,
}

/// Classifies the first instruction of a callee. Only x86 has such tricks; the others return by a
/// register.
pub fn opening(isa: Isa, bytes: &[u8]) -> Opening {
    let Isa::X86(bits) = isa else { return Opening::Usual };
    let bytes = match bytes {
        [0x40..=0x4f, rest @ ..] if bits == 64 => rest,
        _ => bytes,
    };
    match bytes {
        [0x58..=0x5f, ..] => Opening::Discards,
        // add and lea: 8 to rsp, 4 to esp.
        [0x83, 0xc4, 8, ..] | [0x8d, 0x64, 0x24, 8, ..] if bits == 64 => Opening::Discards,
        [0x83, 0xc4, 4, ..] | [0x8d, 0x64, 0x24, 4, ..] if bits == 32 => Opening::Discards,
        // mov from any register to (rsp) or (esp).
        [0x89, modrm, 0x24, ..] if modrm & 0xc7 == 4 => Opening::Replaces,
        _ => Opening::Usual,
    }
}

const RETURN: Flow = Flow::Return { maybe: false, slot: false };
const JUMP: Flow = Flow::Jump { slot: false };

fn call4(address: u64, to: Option<u64>) -> Flow {
    Flow::Call { to, back: address.wrapping_add(4), slot: false }
}

fn branch(to: u64, maybe: bool) -> Flow {
    Flow::Branch { to, maybe, slot: false }
}

fn arm(address: u64, word: u32) -> Flow {
    let to = offset(address, 8 + (signed(word, 24) << 2));
    if word >> 28 == 0xf {
        return match word >> 25 {
            // blx to an address; bit 24 is a halfword.
            0x7d => call4(address, Some(offset(to, i64::from(word >> 23 & 2)))),
            // rfe.
            0x7c if word & 0x0050_0000 == 0x0010_0000 => Flow::SystemReturn,
            _ => Flow::Next,
        };
    }
    let maybe = word >> 28 != 0xe;
    let returns = Flow::Return { maybe, slot: false };
    // A conditional jump needs no `maybe`: its target is unknown in any case.
    let jumps = JUMP;
    let rest = word & 0x0fff_ffff;
    let register = rest & 15;
    let writes_pc = rest >> 12 & 15 == 15;
    match rest {
        _ if rest >> 24 == 0xb => call4(address, Some(to)),
        _ if rest >> 24 == 0xa => branch(to, maybe),
        _ if rest >> 24 == 0xf => Flow::SystemCall,
        _ if rest & !15 == 0x012f_ff30 => call4(address, None),
        // bx and mov pc: a return if by the link register.
        _ if rest & !15 == 0x012f_ff10 || rest & !15 == 0x01a0_f000 => {
            if register == 14 {
                returns
            } else {
                jumps
            }
        }
        // ldm with pc; with ^ it returns from an exception.
        _ if rest & 0x0e50_8000 == 0x0850_8000 => Flow::SystemReturn,
        _ if rest & 0x0e10_8000 == 0x0810_8000 => returns,
        // ldr pc: a return if popped from the stack.
        _ if rest & 0x0c50_f000 == 0x0410_f000 => {
            if rest >> 16 & 15 == 13 {
                returns
            } else {
                jumps
            }
        }
        // movs pc and subs pc return from an exception.
        _ if rest & 0x0c10_f000 == 0x0010_f000 && matches!(rest >> 21 & 15, 2 | 13) => Flow::SystemReturn,
        // Arithmetic that writes pc, except comparisons, multiplications and miscellaneous
        // instructions.
        _ if rest & 0x0c00_0000 == 0
            && writes_pc
            && !matches!(rest >> 21 & 15, 8..=11)
            && (rest & 0x0200_0000 != 0 || rest & 0x90 != 0x90) =>
        {
            jumps
        }
        _ => Flow::Next,
    }
}

/// Any Thumb instruction may be conditional, by a preceding "it".
const THUMB_RETURN: Flow = Flow::Return { maybe: true, slot: false };

fn thumb16(address: u64, half: u16) -> Flow {
    let to = |bits, shift: u32| offset(address, 4 + (signed(half.into(), bits) << shift));
    match half {
        // blx and bx.
        _ if half & 0xff87 == 0x4780 => Flow::Call { to: None, back: address.wrapping_add(2), slot: false },
        0x4770 | 0x46f7 => THUMB_RETURN,
        _ if half & 0xff87 == 0x4700 || half & 0xff87 == 0x4687 || half & 0xff87 == 0x4487 => JUMP,
        _ if half & 0xff00 == 0xbd00 => THUMB_RETURN,
        _ if half & 0xff00 == 0xdf00 => Flow::SystemCall,
        _ if half & 0xf000 == 0xd000 && half >> 8 & 15 < 14 => branch(to(8, 1), true),
        _ if half & 0xf800 == 0xe000 => branch(to(11, 1), true),
        // cbz and cbnz.
        _ if half & 0xf500 == 0xb100 => {
            let by = u64::from(half >> 3 & 31) << 1 | u64::from(half >> 9 & 1) << 6;
            branch(offset(address, 4 + by as i64), true)
        }
        _ => Flow::Next,
    }
}

fn thumb32(address: u64, first: u16, second: u16) -> Flow {
    let (a, b) = (u32::from(first), u32::from(second));
    if a & 0xf800 == 0xf000 && b & 0x8000 != 0 {
        let sign = a >> 10 & 1;
        // Bits 13 and 11, combined with the sign, are the two bits below the sign.
        let far = || {
            let (j1, j2) = (1 ^ (b >> 13 & 1) ^ sign, 1 ^ (b >> 11 & 1) ^ sign);
            let by = sign << 24 | j1 << 23 | j2 << 22 | (a & 0x3ff) << 12 | (b & 0x7ff) << 1;
            offset(address, 4 + signed(by, 25))
        };
        return match b >> 12 & 5 {
            5 => call4(address, Some(far())),
            // blx: to ARM code, at a multiple of four.
            4 => call4(address, Some(far() & !3)),
            1 => branch(far(), true),
            _ if a & 0x0380 != 0x0380 => {
                let by = sign << 20 | (b >> 11 & 1) << 19 | (b >> 13 & 1) << 18 | (a & 0x3f) << 12 | (b & 0x7ff) << 1;
                branch(offset(address, 4 + signed(by, 21)), true)
            }
            // subs pc, lr.
            _ if a == 0xf3de && b & 0xff00 == 0x8f00 => Flow::SystemReturn,
            _ => Flow::Next,
        };
    }
    match (first, second) {
        // ldmia and ldmdb with pc.
        _ if matches!(first & 0xffd0, 0xe890 | 0xe910) && second & 0x8000 != 0 => THUMB_RETURN,
        (0xf85d, 0xfb04) => THUMB_RETURN,
        _ if matches!(first & 0xfff0, 0xf850 | 0xf8d0) && second >> 12 == 15 => JUMP,
        _ if first == 0xf85f | first & 0x80 && second >> 12 == 15 => JUMP,
        // tbb and tbh.
        _ if first & 0xfff0 == 0xe8d0 && second & 0xffe0 == 0xf000 => JUMP,
        // rfe.
        _ if matches!(first & 0xffd0, 0xe810 | 0xe990) && second == 0xc000 => Flow::SystemReturn,
        _ => Flow::Next,
    }
}

fn aarch64(address: u64, word: u32) -> Flow {
    let to = |value: u32, bits| address.wrapping_add_signed(signed(value, bits) << 2);
    match word {
        _ if word >> 26 == 0x25 => call4(address, Some(to(word, 26))),
        _ if word >> 26 == 0x05 => branch(to(word, 26), false),
        // b.cond and bc.cond; cbz and cbnz; tbz and tbnz.
        _ if word >> 24 == 0x54 => branch(to(word >> 5, 19), word & 15 < 14),
        _ if word & 0x7e00_0000 == 0x3400_0000 => branch(to(word >> 5, 19), true),
        _ if word & 0x7e00_0000 == 0x3600_0000 => branch(to(word >> 5, 14), true),
        // blr, br and ret, also with pointer authentication.
        _ if word & 0xffff_fc1f == 0xd63f_0000 || word & 0xfeff_f800 == 0xd63f_0800 => call4(address, None),
        _ if word & 0xffff_fc1f == 0xd65f_0000 || word & 0xffff_fbff == 0xd65f_0bff => RETURN,
        _ if word & 0xffff_fc1f == 0xd61f_0000 || word & 0xfeff_f800 == 0xd61f_0800 => JUMP,
        // svc, hvc and smc; eret and its variants.
        _ if word & 0xffe0_001c == 0xd400_0000 && word & 3 != 0 => Flow::SystemCall,
        _ if word & 0xffff_f3ff == 0xd69f_03e0 => Flow::SystemReturn,
        _ => Flow::Next,
    }
}

fn mips(address: u64, word: u32) -> Flow {
    let by_register =
        |slot| if word >> 21 & 31 == 31 { Flow::Return { maybe: false, slot } } else { Flow::Jump { slot } };
    let call = |to| Flow::Call { to, back: offset(address, 8), slot: true };
    let near = offset(address, 4 + (signed(word, 16) << 2));
    // Within the 256 MiB region of the delay slot.
    let far = offset(address, 4) & !0x0fff_ffff | u64::from(word & 0x03ff_ffff) << 2;
    let (source, target) = (word >> 21 & 31, word >> 16 & 31);
    match (word >> 26, word & 63) {
        (0x02, _) => Flow::Branch { to: far, maybe: false, slot: true },
        (0x03, _) => call(Some(far)),
        // jalx: switches to another instruction set, whose addresses are odd.
        (0x1d, _) => call(None),
        (0, 8) => by_register(true),
        // jalr; release 6 encodes jr as jalr with register 0.
        (0, 9) if word >> 11 & 31 == 0 => by_register(true),
        (0, 9) => call(None),
        (0, 12) => Flow::SystemCall,
        // beq bne blez bgtz, and their branch-likely forms.
        (0x04..=0x07 | 0x14..=0x17, _) => Flow::Branch { to: near, maybe: true, slot: true },
        // bltz, bgez and their variants; bltzal, bgezal and their variants.
        (1, _) if target < 4 => Flow::Branch { to: near, maybe: true, slot: true },
        (1, _) if (0x10..=0x13).contains(&target) => call(Some(near)),
        // Floating point and vectors: bc1f bc1t bc1eqz bz.v bnz.b …
        (0x11, _) if matches!(source, 8..=15 | 24..=31) => Flow::Branch { to: near, maybe: true, slot: true },
        (0x10, 0x18 | 0x1f) if source & 16 != 0 => Flow::SystemReturn,
        // Release 6, without delay slots: balc, jialc, jic. In earlier releases these are loads and
        // stores of coprocessor 2: they continue at the following instruction, like calls that
        // return at once.
        (0x3a, _) => call4(address, Some(offset(address, 4 + (signed(word, 26) << 2)))),
        (0x3e, _) if source == 0 => call4(address, None),
        (0x36, _) if source == 0 => {
            if target == 31 {
                RETURN
            } else {
                JUMP
            }
        }
        // Release 6: bc, beqzc, bnezc and others. In earlier releases these are rare instructions.
        (0x08 | 0x12 | 0x18 | 0x32 | 0x36 | 0x3e, _) => Flow::Unknown,
        _ => Flow::Next,
    }
}

fn power(address: u64, word: u32) -> Flow {
    let (link, absolute) = (word & 1 != 0, word & 2 != 0);
    let to = |by: i64| if absolute { by as u64 } else { offset(address, by) };
    // BO = 1z1zz: branch always.
    let maybe = word >> 21 & 0x14 != 0x14;
    match (word >> 26, word >> 1 & 0x3ff) {
        (18, _) if link => call4(address, Some(to(signed(word & 0x03ff_fffc, 26)))),
        (18, _) => branch(to(signed(word & 0x03ff_fffc, 26)), false),
        (16, _) if link => call4(address, Some(to(signed(word & 0xfffc, 16)))),
        (16, _) => branch(to(signed(word & 0xfffc, 16)), maybe),
        (17, _) => Flow::SystemCall,
        (19, 16 | 528 | 560) if link => call4(address, None),
        (19, 16) => Flow::Return { maybe, slot: false },
        (19, 528 | 560) => JUMP,
        // rfid, rfmci, rfdi, rfi, rfci, rfscv, rfebb, hrfid, urfid.
        (19, 18 | 38 | 39 | 50 | 51 | 82 | 146 | 274 | 306) => Flow::SystemReturn,
        _ => Flow::Next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 0x1000;

    fn of(isa: Isa, bytes: &[u8]) -> Flow {
        flow(Reading { isa, big: true, thumb: false }, AT, bytes, bytes.len() as u64)
    }

    fn call(to: Option<u64>, back: u64) -> Flow {
        Flow::Call { to, back, slot: false }
    }

    #[test]
    fn flow_of_x86() {
        let x64 = |bytes: &[u8]| of(Isa::X86(64), bytes);
        assert_eq!(x64(&[0xe8, 0x10, 0, 0, 0]), call(Some(0x1015), 0x1005));
        assert_eq!(x64(&[0x67, 0xe8, 0xf0, 0xff, 0xff, 0xff]), call(Some(0xff6), 0x1006), "padded by the linker");
        assert_eq!(x64(&[0x41, 0xff, 0xd4]), call(None, 0x1003));
        assert_eq!(x64(&[0xff, 0x15, 1, 2, 3, 4]), call(None, 0x1006));
        assert_eq!(x64(&[0xf3, 0xc3]), RETURN);
        assert_eq!(x64(&[0xc2, 8, 0]), RETURN);
        assert_eq!(x64(&[0xff, 0x25, 1, 2, 3, 4]), JUMP);
        assert_eq!(x64(&[0x3e, 0xff, 0xe0]), JUMP, "notrack");
        assert_eq!(x64(&[0xff, 0x75, 8]), Flow::Next, "push");
        assert_eq!(x64(&[0x74, 0xfe]), branch(0x1000, true));
        assert_eq!(x64(&[0x0f, 0x85, 0, 1, 0, 0]), branch(0x1106, true));
        assert_eq!(x64(&[0xeb, 2]), branch(0x1004, false));
        assert_eq!(x64(&[0xe9, 0, 0, 0, 0]), branch(0x1005, false));
        assert_eq!(x64(&[0xe2, 0xfe]), branch(0x1000, true), "loop");
        assert_eq!(x64(&[0x0f, 0x05]), Flow::SystemCall, "syscall");
        assert_eq!(x64(&[0xcd, 0x80]), Flow::SystemCall, "int 0x80");
        assert_eq!(x64(&[0x48, 0xcf]), Flow::SystemReturn, "iretq");
        assert_eq!(x64(&[0x48, 0x0f, 0x07]), Flow::SystemReturn, "sysretq");
        assert_eq!(x64(&[0xc7, 0xf8, 0, 0, 0, 0]), Flow::Unknown, "xbegin");
        assert_eq!(x64(&[]), Flow::Unknown);
        assert_eq!(x64(&[0x62]), Flow::Unknown, "the first byte of an instruction of AVX-512");
        assert_eq!(x64(&[0xc5]), Flow::Unknown);
        assert_eq!(x64(&[0x90]), Flow::Next);
        let x86 = |bytes: &[u8]| of(Isa::X86(32), bytes);
        assert_eq!(x86(&[0x40]), Flow::Next, "inc eax, not a prefix");
        assert_eq!(x86(&[0x9a, 0, 0, 0, 0, 0, 0]), call(None, 0x1007));
        assert_eq!(x86(&[0xe8, 0xfb, 0xef, 0xff, 0xff]), call(Some(0), 0x1005), "addresses of 32 bits wrap around");
        assert_eq!(of(Isa::X86(16), &[0xeb, 0x10]), branch(0x1012, false));
    }

    #[test]
    fn openings_that_no_function_has() {
        let x64 = Isa::X86(64);
        assert_eq!(opening(x64, &[0x48, 0x89, 0x04, 0x24]), Opening::Replaces, "mov %rax, (%rsp)");
        assert_eq!(opening(x64, &[0x4c, 0x89, 0x1c, 0x24]), Opening::Replaces, "mov %r11, (%rsp)");
        assert_eq!(opening(x64, &[0x48, 0x8d, 0x64, 0x24, 8]), Opening::Discards);
        assert_eq!(opening(x64, &[0x48, 0x83, 0xc4, 8]), Opening::Discards);
        assert_eq!(opening(x64, &[0x5b]), Opening::Discards);
        assert_eq!(opening(Isa::X86(32), &[0x83, 0xc4, 4]), Opening::Discards);
        assert_eq!(opening(x64, &[0x55]), Opening::Usual, "push");
        assert_eq!(opening(x64, &[0x48, 0x89, 0x44, 0x24, 8]), Opening::Usual, "mov %rax, 8(%rsp)");
        assert_eq!(opening(Isa::Arm, &[0x58]), Opening::Usual);
    }

    #[test]
    fn flow_of_fixed_width_instructions() {
        let word = |isa, word: u32| of(isa, &word.to_be_bytes());
        for (isa, calls, returns, jumps) in [
            (
                Isa::Arm,
                &[
                    (0xeb00_0001, Some(0x100c)),
                    (0x0b00_0001, Some(0x100c)),
                    (0xfa00_0001, Some(0x100c)),
                    (0xe12f_ff33, None),
                ][..],
                &[0xe12f_ff1e, 0xe1a0_f00e, 0xe8bd_8010, 0xe49d_f004][..],
                &[0xe12f_ff13, 0xe59f_f000, 0xe08f_f100][..],
            ),
            (
                Isa::Aarch64,
                &[(0x9400_0001, Some(0x1004)), (0x97ff_ffff, Some(0xffc)), (0xd63f_0100, None), (0xd73f_0901, None)],
                &[0xd65f_03c0, 0xd65f_0bff, 0xd65f_0fff],
                &[0xd61f_0200],
            ),
            (
                Isa::PowerPc,
                &[(0x4800_0101, Some(0x1100)), (0x4e80_0421, None), (0x4e80_0021, None), (0x429f_0005, Some(0x1004))],
                &[0x4e80_0020],
                &[0x4e80_0420],
            ),
        ] {
            for (w, to) in calls {
                assert_eq!(word(isa, *w), call(*to, 0x1004), "{w:08x}");
            }
            for w in returns {
                assert_eq!(word(isa, *w), RETURN, "{w:08x}");
            }
            for w in jumps {
                assert_eq!(word(isa, *w), JUMP, "{w:08x}");
            }
        }
        for (w, to) in [(0x0c10_0000, Some(0x40_0000)), (0x0320_f809, None), (0x0411_0001, Some(0x1008))] {
            assert_eq!(word(Isa::Mips, w), Flow::Call { to, back: 0x1008, slot: true }, "{w:08x}");
        }
        assert_eq!(word(Isa::Mips, 0x03e0_0008), Flow::Return { maybe: false, slot: true });
        assert_eq!(word(Isa::Mips, 0x0320_0008), Flow::Jump { slot: true });
        for (isa, w, to, maybe, slot) in [
            (Isa::Arm, 0xea00_0000, 0x1008, false, false),
            (Isa::Arm, 0x1aff_fffe, 0x1000, true, false),
            (Isa::Aarch64, 0x1400_0002, 0x1008, false, false),
            (Isa::Aarch64, 0x5400_0040, 0x1008, true, false),
            (Isa::Aarch64, 0xb4ff_ffe0, 0xffc, true, false),
            (Isa::Aarch64, 0x3718_0040, 0x1008, true, false),
            (Isa::Mips, 0x1043_0003, 0x1010, true, true),
            (Isa::Mips, 0x0800_0400, 0x1000, false, true),
            (Isa::PowerPc, 0x4200_0010, 0x1010, true, false),
            (Isa::PowerPc, 0x4bff_fff0, 0xff0, false, false),
        ] {
            assert_eq!(word(isa, w), Flow::Branch { to, maybe, slot }, "{w:08x}");
        }
        for (isa, calls, returns) in [
            (Isa::Arm, 0xef00_0000, 0xe25e_f004),
            (Isa::Aarch64, 0xd400_0001, 0xd69f_03e0),
            (Isa::Mips, 0x0000_000c, 0x4200_0018),
            (Isa::PowerPc, 0x4400_0002, 0x4c00_0064),
        ] {
            assert_eq!(word(isa, calls), Flow::SystemCall, "{calls:08x}");
            assert_eq!(word(isa, returns), Flow::SystemReturn, "{returns:08x}");
        }
        assert_eq!(word(Isa::Arm, 0x012f_ff1e), Flow::Return { maybe: true, slot: false }, "bxeq lr");
        assert_eq!(word(Isa::PowerPc, 0x4d82_0020), Flow::Return { maybe: true, slot: false }, "beqlr");
        // addiu, add, mr, mov, mul, cmp.
        for (isa, w) in [
            (Isa::Mips, 0x27bd_ffe0),
            (Isa::Aarch64, 0x8b01_0000),
            (Isa::PowerPc, 0x7c08_02a6),
            (Isa::Arm, 0xe3a0_0001),
            (Isa::Arm, 0xe000_f192),
            (Isa::Arm, 0xe350_f000),
        ] {
            assert_eq!(word(isa, w), Flow::Next, "{w:08x}");
        }
    }

    #[test]
    fn flow_of_thumb() {
        let thumb =
            |bytes: &[u8]| flow(Reading { isa: Isa::Arm, big: false, thumb: true }, AT, bytes, bytes.len() as u64);
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xf8]), call(Some(0x1008), 0x1004));
        assert_eq!(thumb(&[0xff, 0xf7, 0xfe, 0xff]), call(Some(0x1000), 0x1004), "backwards");
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xe8]), call(Some(0x1008), 0x1004));
        assert_eq!(thumb(&[0x98, 0x47]), call(None, 0x1002));
        assert_eq!(thumb(&[0x70, 0x47]), THUMB_RETURN);
        assert_eq!(thumb(&[0x10, 0xbd]), THUMB_RETURN);
        assert_eq!(thumb(&[0xbd, 0xe8, 0x10, 0x80]), THUMB_RETURN);
        assert_eq!(thumb(&[0x18, 0x47]), JUMP);
        assert_eq!(thumb(&[0xdf, 0xe8, 0x00, 0xf0]), JUMP, "tbb");
        assert_eq!(thumb(&[0x00, 0xf0, 0x02, 0xb8]), branch(0x1008, true), "b.w");
        assert_eq!(thumb(&[0x01, 0xd0]), branch(0x1006, true), "beq");
        assert_eq!(thumb(&[0xfe, 0xe7]), branch(0x1000, true), "b");
        assert_eq!(thumb(&[0x08, 0xb1]), branch(0x1006, true), "cbz");
        assert_eq!(thumb(&[0x00, 0xdf]), Flow::SystemCall, "svc");
        assert_eq!(thumb(&[0xaf, 0xf3, 0x00, 0x80]), Flow::Next, "nop.w");
    }

    /// Classification by opcode agrees with the disassembler on random bytes.
    #[test]
    fn flow_agrees_with_the_disassembler() {
        use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic, OpKind};

        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as u8
        };
        let mut seen = [0; 8];
        for round in 0..200_000 {
            let mut bytes: [u8; LOOKED_AT] = core::array::from_fn(|_| next());
            if round % 4 == 0 {
                bytes[0] =
                    [0xff, 0xe8, 0xc3, 0xc2, 0xcb, 0x9a, 0xf2, 0x41, 0x0f, 0xe9, 0x74, 0xcd, 0xcf][round / 4 % 13];
            }
            for bits in [32, 64] {
                let instruction = Decoder::with_ip(bits, &bytes, AT, DecoderOptions::NONE).decode();
                // xabort jumps inside a transaction and does nothing outside of one.
                if instruction.is_invalid() || instruction.mnemonic() == Mnemonic::Xabort {
                    continue;
                }
                let len = instruction.len();
                let near = matches!(instruction.op0_kind(), OpKind::NearBranch32 | OpKind::NearBranch64);
                let near = near.then(|| instruction.near_branch_target());
                // 16-bit branches have 16-bit targets; they do not occur in practice.
                let short = instruction.op0_kind() == OpKind::NearBranch16;
                let found = flow(Reading::x86(bits), AT, &bytes[..len], len as u64);
                let (i, right) = match (instruction.flow_control(), found) {
                    (FlowControl::Next, Flow::Next) => (0, true),
                    (_, Flow::Unknown) if bytes.iter().take(len).any(|b| *b == 0x0f) => (3, true),
                    (FlowControl::Call | FlowControl::IndirectCall, Flow::Call { to, back, .. }) => {
                        (1, back == AT + len as u64 && (to == near || short))
                    }
                    (FlowControl::Call, Flow::SystemCall) | (FlowControl::Interrupt, Flow::SystemCall) => (2, true),
                    // To a hypervisor and back.
                    (FlowControl::Call, Flow::Unknown)
                    | (FlowControl::XbeginXabortXend, Flow::Unknown | Flow::Next) => (3, true),
                    (FlowControl::Return, Flow::Return { .. } | Flow::SystemReturn | Flow::Unknown) => (4, true),
                    (FlowControl::ConditionalBranch, Flow::Branch { to, maybe: true, .. })
                    | (FlowControl::UnconditionalBranch, Flow::Branch { to, maybe: false, .. }) => {
                        (5, Some(to) == near || short)
                    }
                    (FlowControl::UnconditionalBranch | FlowControl::IndirectBranch, Flow::Jump { .. }) => (6, true),
                    // int3, into and ud2 trap.
                    (FlowControl::Interrupt | FlowControl::Exception, Flow::Next) => (7, true),
                    _ => (0, false),
                };
                assert!(right, "{bits} bits, {:02x?}: {:?}, {found:?}", &bytes[..len], instruction.flow_control());
                seen[i] += 1;
            }
        }
        assert!(seen.iter().enumerate().all(|(i, n)| *n > 100 || i == 3), "{seen:?}");
    }
}
