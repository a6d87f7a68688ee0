//! RGTC, as OpenGL 4.6 specifies it in D.2. The alphas of DXT5 are the same.

/// A block of numbers of 8 bits: two of them, then three bits a texel.
pub(super) fn unsigned(block: u64) -> [u8; 16] {
    let (first, second) = (block as u8, (block >> 8) as u8);
    let (a, b) = (u32::from(first), u32::from(second));
    each(block, |index| match index {
        0 => first,
        1 => second,
        _ if first > second => (((8 - index) * a + (index - 1) * b) / 7) as u8,
        6 => 0,
        7 => 255,
        _ => (((6 - index) * a + (index - 1) * b) / 5) as u8,
    })
}

/// A block of numbers with a sign, from -1 to 1.
pub(super) fn signed(block: u64) -> [f32; 16] {
    let (first, second) = (block as u8 as i8, (block >> 8) as u8 as i8);
    // -128 stands for -1, as -127 does.
    let number = |bits: i8| f64::from(bits.max(-127)) / 127.0;
    let (a, b) = (number(first), number(second));
    each(block, |index| {
        let at = f64::from(index);
        (match index {
            0 => a,
            1 => b,
            _ if first > second => ((8.0 - at) * a + (at - 1.0) * b) / 7.0,
            6 => -1.0,
            7 => 1.0,
            _ => ((6.0 - at) * a + (at - 1.0) * b) / 5.0,
        }) as f32
    })
}

fn each<T: Copy + Default>(block: u64, number: impl Fn(u32) -> T) -> [T; 16] {
    let mut numbers = [T::default(); 16];
    for (i, slot) in numbers.iter_mut().enumerate() {
        *slot = number((block >> (16 + 3 * i) & 7) as u32);
    }
    numbers
}
