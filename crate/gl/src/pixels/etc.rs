//! ETC1, ETC2 and EAC, as OpenGL ES 3.2 specifies them in appendix C. Bit numbers are those of the
//! tables there.

use super::compressed::Block;

/// Which blocks of colours there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Two halves with a base colour each.
    Etc1,
    /// What ETC1 cannot have is one of three further modes.
    Etc2,
    /// ETC2, and a bit for transparent texels in place of that for individual colours.
    Punch,
}

/// Table C.8: the modifiers of a half, by table and by index of a texel.
const MODIFIERS: [[i32; 2]; 8] = [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];
/// Table C.10: the distances of modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

fn field(block: u64, high: u32, low: u32) -> i32 {
    (block >> low & ((1 << (high - low + 1)) - 1)) as i32
}

/// The index of a texel: bit 16 + i is the higher one, bit i the lower one. Texels are in columns.
fn index(block: u64, x: usize, y: usize) -> usize {
    let at = 4 * x + y;
    ((block >> (16 + at) & 1) << 1 | (block >> at & 1)) as usize
}

/// A block of colours.
pub(super) fn colours(block: u64, kind: Kind) -> Block {
    // The same bit says that colours are differential, and of punch-through blocks that all texels
    // are opaque.
    let bit = block >> 33 & 1 == 1;
    if !bit && kind != Kind::Punch {
        let four = |high| field(block, high, high - 3) * 17;
        return halves(block, [four(63), four(55), four(47)], [four(59), four(51), four(43)], true);
    }
    let is_opaque = bit || kind != Kind::Punch;
    let five = |high| field(block, high, high - 4);
    let step = |high: u32| {
        let bits = field(block, high, high - 2);
        if bits >= 4 { bits - 8 } else { bits }
    };
    let (r, g, b) = (five(63), five(55), five(47));
    let (r2, g2, b2) = (r + step(58), g + step(50), b + step(42));
    if kind != Kind::Etc1 {
        if !(0..32).contains(&r2) {
            return mode_t(block, is_opaque);
        }
        if !(0..32).contains(&g2) {
            return mode_h(block, is_opaque);
        }
        if !(0..32).contains(&b2) {
            return planar(block);
        }
    }
    let eight = |number: i32| (number & 31) << 3 | (number & 31) >> 2;
    halves(block, [eight(r), eight(g), eight(b)], [eight(r2), eight(g2), eight(b2)], is_opaque)
}

fn clamp(number: i32) -> u32 {
    number.clamp(0, 255) as u32
}

fn shifted([r, g, b]: [i32; 3], by: i32) -> [u32; 4] {
    [clamp(r + by), clamp(g + by), clamp(b + by), 255]
}

/// Calls `texel` for each place of the block.
fn each(mut texel: impl FnMut(usize, usize) -> [u32; 4]) -> Block {
    let mut texels = [[0; 4]; 16];
    for (i, slot) in texels.iter_mut().enumerate() {
        *slot = texel(i % 4, i / 4);
    }
    texels
}

/// Two halves, side by side or one above the other.
fn halves(block: u64, first: [i32; 3], second: [i32; 3], is_opaque: bool) -> Block {
    let flip = block >> 32 & 1 == 1;
    let tables = [field(block, 39, 37) as usize, field(block, 36, 34) as usize];
    each(|x, y| {
        let is_second = if flip { y >= 2 } else { x >= 2 };
        let base = if is_second { second } else { first };
        let [small, large] =
            tables.get(usize::from(is_second)).and_then(|at| MODIFIERS.get(*at)).copied().unwrap_or_default();
        match (index(block, x, y), is_opaque) {
            (0, true) => shifted(base, small),
            (0, false) => shifted(base, 0),
            (1, _) => shifted(base, large),
            (2, true) => shifted(base, -small),
            (2, false) => [0; 4],
            _ => shifted(base, -large),
        }
    })
}

/// One of four colours for each texel. Of blocks with transparent texels, the third is that.
fn painted(block: u64, paint: [[u32; 4]; 4], is_opaque: bool) -> Block {
    each(|x, y| match index(block, x, y) {
        2 if !is_opaque => [0; 4],
        index => paint.get(index).copied().unwrap_or_default(),
    })
}

fn mode_t(block: u64, is_opaque: bool) -> Block {
    let r = field(block, 60, 59) << 2 | field(block, 57, 56);
    let first = [r, field(block, 55, 52), field(block, 51, 48)].map(|number| number * 17);
    let second = [field(block, 47, 44), field(block, 43, 40), field(block, 39, 36)].map(|number| number * 17);
    let at = field(block, 35, 34) << 1 | field(block, 32, 32);
    let distance = DISTANCES.get(at as usize).copied().unwrap_or_default();
    let paint = [shifted(first, 0), shifted(second, distance), shifted(second, 0), shifted(second, -distance)];
    painted(block, paint, is_opaque)
}

fn mode_h(block: u64, is_opaque: bool) -> Block {
    let g = field(block, 58, 56) << 1 | field(block, 52, 52);
    let b = field(block, 51, 51) << 3 | field(block, 49, 47);
    let first = [field(block, 62, 59), g, b].map(|number| number * 17);
    let second = [field(block, 46, 43), field(block, 42, 39), field(block, 38, 35)].map(|number| number * 17);
    let number = |[r, g, b]: [i32; 3]| r << 16 | g << 8 | b;
    // The order of the colours is the lowest bit.
    let at = field(block, 34, 34) << 2 | field(block, 32, 32) << 1 | i32::from(number(first) >= number(second));
    let distance = DISTANCES.get(at as usize).copied().unwrap_or_default();
    let paint =
        [shifted(first, distance), shifted(first, -distance), shifted(second, distance), shifted(second, -distance)];
    painted(block, paint, is_opaque)
}

/// Three corners, between which colours change evenly.
fn planar(block: u64) -> Block {
    let six = |number: i32| number << 2 | number >> 4;
    let seven = |number: i32| number << 1 | number >> 6;
    let origin = [
        six(field(block, 62, 57)),
        seven(field(block, 56, 56) << 6 | field(block, 54, 49)),
        six(field(block, 48, 48) << 5 | field(block, 44, 43) << 3 | field(block, 41, 39)),
    ];
    let across =
        [six(field(block, 38, 34) << 1 | field(block, 32, 32)), seven(field(block, 31, 25)), six(field(block, 24, 19))];
    let down = [six(field(block, 18, 13)), seven(field(block, 12, 6)), six(field(block, 5, 0))];
    each(|x, y| {
        let (x, y) = (x as i32, y as i32);
        let mut texel = [255; 4];
        for (((slot, o), h), v) in texel.iter_mut().zip(origin).zip(across).zip(down) {
            *slot = clamp((x * (h - o) + y * (v - o) + 4 * o + 2) >> 2);
        }
        texel
    })
}

/// Table C.12: the modifiers of EAC.
#[rustfmt::skip]
const EAC: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14], [-3, -7, -10, -13, 2, 6, 9, 12], [-2, -5, -8, -13, 1, 4, 7, 12], [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11], [-3, -7, -9, -11, 2, 6, 8, 10], [-4, -7, -8, -11, 3, 6, 7, 10], [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9], [-2, -5, -8, -10, 1, 4, 7, 9], [-2, -4, -8, -10, 1, 3, 7, 9], [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9], [-1, -2, -3, -10, 0, 1, 2, 9], [-4, -6, -8, -9, 3, 5, 7, 8], [-3, -5, -7, -9, 2, 4, 6, 8],
];

/// The modifier of each texel, row by row. The block has them in columns, three bits each, the
/// first in the highest.
fn modifiers(block: u64) -> [i32; 16] {
    let table = EAC.get(field(block, 51, 48) as usize).copied().unwrap_or_default();
    let mut modifiers = [0; 16];
    for (i, slot) in modifiers.iter_mut().enumerate() {
        let at = 4 * (i % 4) + i / 4;
        *slot = table.get((block >> (45 - 3 * at) & 7) as usize).copied().unwrap_or_default();
    }
    modifiers
}

/// A block of alphas.
pub(super) fn alphas(block: u64) -> [u32; 16] {
    let (base, times) = (field(block, 63, 56), field(block, 55, 52));
    modifiers(block).map(|modifier| clamp(base + modifier * times))
}

/// A block of numbers of 11 bits: from 0 to 1, or from -1 to 1.
pub(super) fn numbers(block: u64, signed: bool) -> [f32; 16] {
    let times = field(block, 55, 52);
    // A factor of 0 stands for an eighth.
    let step = if times == 0 { 1 } else { 8 * times };
    let base = field(block, 63, 56);
    modifiers(block).map(|modifier| {
        if signed {
            let base = i32::from(base as u8 as i8).max(-127);
            (f64::from((base * 8 + modifier * step).clamp(-1023, 1023)) / 1023.0) as f32
        } else {
            (f64::from((base * 8 + 4 + modifier * step).clamp(0, 2047)) / 2047.0) as f32
        }
    })
}
