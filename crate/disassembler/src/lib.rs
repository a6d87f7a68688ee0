//! Machine instructions as text, for x86 and ARM.
//!
//! It is as large as all decoders together and needed only for the details of an execution, so it
//! is a wasm module of its own. Knows no other room.

use iced_x86::{
    Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, NasmFormatter, OpAccess, OpKind, Register,
};

/// Formats one instruction, in NASM syntax for x86. Returns `None` if the bytes are not an
/// instruction, or are one at which the decoder panics. In wasm a panic is a trap, which the caller
/// catches.
///
/// `isa` is one of `x86-16`, `x86-32`, `x86-64`, `arm`, `arm-big`, `thumb`, `thumb-big` and
/// `aarch64`. `bytes` are in memory order, at `address`.
///
/// ```
/// use unspool_disassembler::disassemble;
///
/// assert_eq!(disassemble("x86-64", 0x1000, &[0xc3]).as_deref(), Some("ret"));
/// assert_eq!(disassemble("x86-64", 0x1000, &[]), None);
/// ```
pub fn disassemble(isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
    // Each call has its own decoder, so nothing is left in a broken state.
    std::panic::catch_unwind(|| text_of(isa, address, bytes)).unwrap_or(None)
}

fn text_of(isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
    match isa {
        "x86-16" => x86(16, address, bytes),
        "x86-32" => x86(32, address, bytes),
        "x86-64" => x86(64, address, bytes),
        "arm" | "arm-big" | "thumb" | "thumb-big" => {
            let thumb = isa.starts_with("thumb");
            let mut decoder = yaxpeax_arm::armv7::InstDecoder::default();
            decoder.set_thumb_mode(thumb);
            arm(&decoder, &in_memory_order(bytes, isa.ends_with("big"), thumb))
        }
        "aarch64" => arm(&yaxpeax_arm::armv8::a64::InstDecoder::default(), bytes),
        _ => None,
    }
}

/// Offsets of the instructions in x86 code, ascending from 0. Bytes that are not an instruction
/// count as one each.
///
/// `bits` is 16, 32 or 64; for other values the result is empty. `code` is at `address`.
pub fn starts(bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
    let Ok(mut decoder) = Decoder::try_with_ip(bits, code, address, DecoderOptions::NONE) else { return Vec::new() };
    let mut instruction = Instruction::default();
    let mut starts = Vec::new();
    while decoder.can_decode() {
        starts.push(decoder.position() as u32);
        decoder.decode_out(&mut instruction);
    }
    starts
}

/// The names of the registers that an x86 instruction reads, in lower case and at their full width,
/// separated by spaces. Those that only address memory that it accesses are in brackets. `None` if
/// the bytes are not an x86 instruction.
///
/// ```
/// use unspool_disassembler::reads;
///
/// assert_eq!(reads("x86-64", 0x1000, &[0x48, 0x03, 0x03]).as_deref(), Some("rax [rbx]"), "add rax, [rbx]");
/// ```
pub fn reads(isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
    let bits = isa.strip_prefix("x86-")?.parse().ok()?;
    let instruction = decoded(bits, address, bytes)?;
    let is_read =
        |access| matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(&instruction);
    let mut values: Vec<Register> = Vec::new();
    for operand in (0..instruction.op_count()).filter(|i| instruction.op_kind(*i) == OpKind::Register) {
        if is_read(info.op_access(operand)) {
            values.push(instruction.op_register(operand).full_register());
        }
    }
    let of_memory = info.used_memory().iter().flat_map(|memory| [memory.base(), memory.index()]);
    let addresses: Vec<Register> = of_memory.map(Register::full_register).filter(|it| *it != Register::None).collect();
    let used = info.used_registers().iter().filter(|used| is_read(used.access()));
    let used: Vec<Register> = used.map(|used| used.register().full_register()).collect();
    // An operand that is overwritten with itself, as by xor, is not read.
    values.retain(|register| used.contains(register));
    values.extend(used.iter().filter(|it| !it.is_segment_register() && !addresses.contains(it)));
    let mut names: Vec<String> = Vec::new();
    let of_values = values.iter().map(|register| format!("{register:?}").to_ascii_lowercase());
    let flags = (instruction.rflags_read() != 0).then(|| "rflags".to_owned());
    let of_addresses = addresses.iter().filter(|it| !values.contains(it));
    let of_addresses = of_addresses.map(|register| format!("[{register:?}]").to_ascii_lowercase());
    for name in of_values.chain(flags).chain(of_addresses) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names.join(" "))
}

fn decoded(bits: u32, address: u64, bytes: &[u8]) -> Option<Instruction> {
    let instruction = Decoder::try_with_ip(bits, bytes, address, DecoderOptions::NONE).ok()?.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

fn x86(bits: u32, address: u64, bytes: &[u8]) -> Option<String> {
    let instruction = decoded(bits, address, bytes)?;
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

/// The instruction in the order of a little-endian machine's memory: half-words for Thumb, words
/// for ARM.
fn in_memory_order(bytes: &[u8], big: bool, thumb: bool) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if big {
        bytes.chunks_mut(if thumb { 2 } else { 4 }).for_each(<[u8]>::reverse);
    }
    bytes
}

fn arm<A, D>(decoder: &D, bytes: &[u8]) -> Option<String>
where
    A: yaxpeax_arch::Arch<Instruction: core::fmt::Display>,
    D: yaxpeax_arch::Decoder<A>,
    for<'a> yaxpeax_arch::U8Reader<'a>: yaxpeax_arch::Reader<A::Address, A::Word>,
{
    let mut reader = yaxpeax_arch::U8Reader::new(bytes);
    let instruction = decoder.decode(&mut reader).ok()?;
    Some(format!("{instruction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_boundaries_are_found() {
        assert_eq!(starts(64, 0x1000, &[0x48, 0x89, 0xe5, 0x90, 0xe8, 0, 0, 0, 0]), [0, 3, 4]);
        assert_eq!(starts(16, 0, &[0xb8, 1, 0, 0xc3]), [0, 3]);
        assert_eq!(starts(64, 0, &[]), []);
        assert_eq!(starts(7, 0, &[0x90]), []);
    }

    #[test]
    fn a_panic_of_the_decoder_is_an_unknown_instruction() {
        // Of the first words of a fixed sequence, as in a file of random bytes, a few make
        // yaxpeax-arm panic.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let mut word = 1u32;
        let mut known = 0;
        let mut panics = 0;
        for _ in 0..20_000 {
            word ^= word << 13;
            word ^= word >> 17;
            word ^= word << 5;
            known += usize::from(disassemble("arm", 0, &word.to_le_bytes()).is_some());
            panics += usize::from(std::panic::catch_unwind(|| text_of("arm", 0, &word.to_le_bytes())).is_err());
        }
        std::panic::set_hook(hook);
        assert!(known > 5_000, "{known}");
        assert!(panics > 0, "no word panics any more: the guards can go");
    }

    #[test]
    fn registers_that_an_instruction_reads_are_known() {
        let of = |bytes: &[u8]| reads("x86-64", 0x40_1000, bytes).unwrap_or_default();
        assert_eq!(of(&[0x48, 0x89, 0xe5]), "rsp", "mov rbp, rsp");
        assert_eq!(of(&[0x31, 0xc0]), "", "xor eax, eax");
        assert_eq!(of(&[0x53]), "rbx [rsp]", "push rbx");
        assert_eq!(of(&[0x5b]), "[rsp]", "pop rbx");
        assert_eq!(of(&[0x8d, 0x7f, 0xff]), "rdi", "lea edi, [rdi-1]: no memory is accessed");
        assert_eq!(of(&[0x48, 0x8b, 0x04, 0xcb]), "[rbx] [rcx]", "mov rax, [rbx+rcx*8]");
        assert_eq!(of(&[0x48, 0x03, 0x00]), "rax", "add rax, [rax]: a value, too");
        assert_eq!(of(&[0x0f, 0x44, 0xc1]), "rax rcx rflags", "cmove eax, ecx");
        assert_eq!(of(&[0x83, 0xff, 0x01]), "rdi", "cmp edi, 1");
        assert_eq!(reads("x86-32", 0, &[0x40]).as_deref(), Some("rax"), "inc eax");
        assert_eq!(reads("aarch64", 0, &[0; 4]), None);
        assert_eq!(reads("x86-64", 0, &[0x0f, 0xff]), None);
    }

    #[test]
    fn instructions_look_like_those_of_other_disassemblers() {
        let x64 = |bytes: &[u8]| disassemble("x86-64", 0x40_1000, bytes);
        assert_eq!(x64(&[0xe8, 0x31, 1, 0, 0]).as_deref(), Some("call 0x401136"));
        assert_eq!(x64(&[0x48, 0x89, 0xe5]).as_deref(), Some("mov rbp, rsp"));
        assert_eq!(x64(&[0x0f, 0xff]), None);
        assert_eq!(x64(&[]), None);
        assert_eq!(disassemble("x86-32", 0, &[0x40]).as_deref(), Some("inc eax"));
        let a32 = disassemble("arm", 0, &[0x01, 0x00, 0xa0, 0xe3]);
        assert!(a32.is_some());
        assert_eq!(a32, disassemble("arm-big", 0, &[0xe3, 0xa0, 0x00, 0x01]));
        assert_eq!(disassemble("arm", 0, &[0x1e, 0xff, 0x2f, 0xe1]).as_deref(), Some("bx lr"));
        assert_eq!(disassemble("thumb", 0, &[0x70, 0x47]).as_deref(), Some("bx lr"));
        assert_eq!(disassemble("aarch64", 0, &[0xc0, 0x03, 0x5f, 0xd6]).as_deref(), Some("ret"));
        assert_eq!(disassemble("mips", 0, &[0; 4]), None);
    }
}
