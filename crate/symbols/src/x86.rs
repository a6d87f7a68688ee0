//! Lengths of instructions of 64-bit x86.
//!
//! Code is looked at for its calls and branches only, so the lengths of all other instructions are
//! all that matters of them (Intel SDM volume 2, chapter 2 and appendix A).

/// The length of the instruction at the beginning of `code`. `None` for bytes that are not one, or
/// that end within it.
pub fn length(code: &[u8]) -> Option<usize> {
    let mut at = 0;
    let (mut has_16_bits, mut has_short_addresses) = (false, false);
    let opcode = loop {
        let byte = *code.get(at)?;
        at += 1;
        match byte {
            0x66 => has_16_bits = true,
            0x67 => has_short_addresses = true,
            0xf0 | 0xf2 | 0xf3 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 => {}
            _ => break byte,
        }
    };
    let is_wide = matches!(opcode, 0x48..=0x4f);
    let opcode = if matches!(opcode, 0x40..=0x4f) { next(code, &mut at)? } else { opcode };
    let operand = if has_16_bits && !is_wide { 2 } else { 4 };
    let (has_modrm, immediate) = match opcode {
        0x0f => two_bytes(code, &mut at)?,
        0xc5 => {
            at += 1;
            vector(1, next(code, &mut at)?)
        }
        0xc4 => {
            let map = next(code, &mut at)? & 0x1f;
            at += 1;
            vector(map, next(code, &mut at)?)
        }
        0x62 => {
            let map = next(code, &mut at)? & 7;
            at += 2;
            vector(map, next(code, &mut at)?)
        }
        // XOP of AMD, with a map that no register of a pop has.
        0x8f if code.get(at).is_some_and(|byte| byte & 0x1f >= 8) => {
            let map = next(code, &mut at)? & 0x1f;
            at += 2;
            (true, [1, 0, 4].get(usize::from(map) - 8).copied()?)
        }
        0x00..=0x3f => match opcode & 7 {
            0..=3 => (true, 0),
            4 => (false, 1),
            5 => (false, operand),
            _ => return None,
        },
        0x50..=0x5f | 0x6c..=0x6f | 0x90..=0x99 | 0x9b..=0x9f | 0xa4..=0xa7 | 0xaa..=0xaf => (false, 0),
        0x63 | 0x84..=0x8f | 0xd0..=0xd3 | 0xd8..=0xdf | 0xfe | 0xff => (true, 0),
        0x68 | 0xa9 => (false, operand),
        0x69 | 0x81 | 0xc7 => (true, operand),
        0x6a | 0x70..=0x7f | 0xa8 | 0xb0..=0xb7 | 0xcd | 0xe0..=0xe7 | 0xeb => (false, 1),
        0x6b | 0x80 | 0x83 | 0xc0 | 0xc1 | 0xc6 => (true, 1),
        0xa0..=0xa3 => (false, if has_short_addresses { 4 } else { 8 }),
        0xb8..=0xbf => (false, if is_wide { 8 } else { operand }),
        0xc2 | 0xca => (false, 2),
        0xc8 => (false, 3),
        0xc3 | 0xc9 | 0xcb | 0xcc | 0xcf | 0xd7 | 0xec..=0xef | 0xf1 | 0xf4 | 0xf5 | 0xf8..=0xfd => (false, 0),
        // Intel's processors ignore the operand size of branches.
        0xe8 | 0xe9 => (false, 4),
        0xf6 | 0xf7 => {
            let is_test = code.get(at)? >> 3 & 7 < 2;
            (
                true,
                if !is_test {
                    0
                } else if opcode == 0xf6 {
                    1
                } else {
                    operand
                },
            )
        }
        _ => return None,
    };
    if has_modrm {
        at += operands(code.get(at..)?)?;
    }
    at += immediate;
    (at <= code.len()).then_some(at)
}

fn next(code: &[u8], at: &mut usize) -> Option<u8> {
    let byte = *code.get(*at)?;
    *at += 1;
    Some(byte)
}

/// Whether a ModRM byte follows the opcode after 0F, and how many bytes of immediate operands.
fn two_bytes(code: &[u8], at: &mut usize) -> Option<(bool, usize)> {
    Some(match next(code, at)? {
        0x38 => {
            *at += 1;
            (true, 0)
        }
        0x3a => {
            *at += 1;
            (true, 1)
        }
        0x80..=0x8f => (false, 4),
        0x05..=0x09 | 0x0b | 0x0e | 0x30..=0x37 | 0x77 | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf => (false, 0),
        0x0f | 0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6 => (true, 1),
        _ => (true, 0),
    })
}

/// As [`two_bytes`], of an instruction with a VEX or EVEX prefix.
fn vector(map: u8, opcode: u8) -> (bool, usize) {
    match (map, opcode) {
        (1, 0x77) => (false, 0),
        (3, _) | (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) => (true, 1),
        _ => (true, 0),
    }
}

/// The length of a ModRM byte and what it says of addresses.
fn operands(code: &[u8]) -> Option<usize> {
    let modrm = *code.first()?;
    let (mode, register) = (modrm >> 6, modrm & 7);
    let has_index = mode != 3 && register == 4;
    let has_no_base = if has_index { code.get(1)? & 7 == 5 } else { register == 5 };
    let displacement = match mode {
        0 if has_no_base => 4,
        1 => 1,
        2 => 4,
        _ => 0,
    };
    Some(1 + usize::from(has_index) + displacement)
}

#[cfg(test)]
mod tests {
    use super::length;

    #[rustfmt::skip]
    #[test]
    fn instructions_have_lengths() {
        let known: &[&[u8]] = &[
            &[0xc3],                                                  // ret
            &[0x48, 0x89, 0xe5],                                      // mov rbp, rsp
            &[0x48, 0x8d, 0x05, 1, 2, 3, 4],                          // lea rax, [rip+…]
            &[0x66, 0xc7, 0x44, 0x24, 8, 1, 0],                       // mov word [rsp+8], 1
            &[0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8],                    // mov rax, …
            &[0x66, 0x0f, 0x1f, 0x84, 0, 0, 2, 0, 0],                 // nop
            &[0x0f, 0x84, 0, 0, 0, 0],                                // je
            &[0xf6, 0x04, 0x25, 0, 0, 0, 0, 1],                       // test byte [0], 1
            &[0xf7, 0xd8],                                            // neg eax
            &[0xc5, 0xf8, 0x77],                                      // vzeroupper
            &[0xc4, 0xe3, 0x7d, 0x39, 0xc1, 1],                       // vextracti128
            &[0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x40, 1],                 // vmovdqa64 zmm0, [rax+64]
            &[0xff, 0x24, 0xc5, 0, 0, 0, 0],                          // jmp [rax*8]
        ];
        for code in known {
            assert_eq!(length(code), Some(code.len()), "{code:x?}");
            assert_eq!(length(&code[..code.len() - 1]), None, "{code:x?} without its last byte");
        }
        assert_eq!(length(&[0x06]), None);
    }
}
