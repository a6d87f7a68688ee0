//! The end of a function's name that says what its arguments are: `3ub`, `4fv`, `2x3fv`.

use crate::call::Call;
use crate::gl;

/// The type of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// `b`.
    Byte,
    /// `s`.
    Short,
    /// `i`.
    Int,
    /// `f`.
    #[default]
    Float,
    /// `d`.
    Double,
    /// `ub`.
    UnsignedByte,
    /// `us`.
    UnsignedShort,
    /// `ui`.
    UnsignedInt,
    /// `x`: 16.16 fixed point, of OpenGL ES 1.
    Fixed,
}

/// What a function's name says of its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Numbers of an element, 0 if the name does not say it. Of a matrix: columns.
    pub count: u8,
    /// Rows of a matrix; else 0.
    pub rows: u8,
    /// The type of the numbers.
    pub unit: Unit,
    /// They are in an array.
    pub is_vector: bool,
    /// Integers are mapped to 0..1 or -1..1.
    pub is_normalized: bool,
}

impl Variant {
    /// Reads the end of a name.
    pub fn parse(end: &str) -> Option<Self> {
        let mut rest = end.as_bytes();
        let mut variant = Self::default();
        let digit = |rest: &mut &[u8]| {
            let (first, after) = rest.split_first()?;
            let found = first.is_ascii_digit().then(|| first - b'0')?;
            *rest = after;
            Some(found)
        };
        variant.count = digit(&mut rest).unwrap_or(0);
        // Else `x` is the type, as in `Color4x`.
        if let [b'x', after @ ..] = rest
            && variant.count > 0
            && after.first().is_some_and(u8::is_ascii_digit)
        {
            rest = after;
            variant.rows = digit(&mut rest)?;
        }
        if let [b'N', after @ ..] = rest {
            rest = after;
            variant.is_normalized = true;
        }
        let (unit, length) = match rest {
            [b'u', b'b', ..] => (Unit::UnsignedByte, 2),
            [b'u', b's', ..] => (Unit::UnsignedShort, 2),
            [b'u', b'i', ..] => (Unit::UnsignedInt, 2),
            [b'b', ..] => (Unit::Byte, 1),
            [b's', ..] => (Unit::Short, 1),
            [b'i', ..] => (Unit::Int, 1),
            [b'f', ..] => (Unit::Float, 1),
            [b'd', ..] => (Unit::Double, 1),
            [b'x', ..] => (Unit::Fixed, 1),
            _ => return None,
        };
        variant.unit = unit;
        variant.is_vector = match rest.get(length..)? {
            [] => false,
            [b'v'] => true,
            _ => return None,
        };
        Some(variant)
    }

    /// The same for the value of a parameter: what takes a constant or a truth value has it as it
    /// is in fixed point, too (OpenGL ES 1.1, section 2.3).
    pub fn of_parameter(self, parameter: u32) -> Self {
        let is_constant = matches!(
            parameter,
            gl::FOG_MODE
                | gl::LIGHT_MODEL_TWO_SIDE
                | gl::TEXTURE_ENV_MODE
                | gl::COORD_REPLACE
                | gl::TEXTURE_GEN_MODE
                | gl::COMBINE_RGB
                | gl::COMBINE_ALPHA
                | gl::SRC0_RGB..=gl::SRC2_RGB
                | gl::SRC0_ALPHA..=gl::SRC2_ALPHA
                | gl::OPERAND0_RGB..=gl::OPERAND2_RGB
                | gl::OPERAND0_ALPHA..=gl::OPERAND2_ALPHA
                | gl::TEXTURE_MAG_FILTER..=gl::TEXTURE_WRAP_T
                | gl::GENERATE_MIPMAP
        );
        Self { unit: if is_constant && self.unit == Unit::Fixed { Unit::Int } else { self.unit }, ..self }
    }

    /// A number that is an argument, in single precision.
    pub fn single(self, call: &Call, at: usize) -> f32 {
        self.plain(call.float(at)) as f32
    }

    /// The numbers of a parameter: those of an array, or a single one. 0 for others.
    pub fn parameter(self, call: &Call, first: usize, is_mapped: bool) -> [f64; 4] {
        Self { count: if self.is_vector { 4 } else { 1 }, ..self }.numbers(call, first, [0.0; 4], is_mapped)
    }

    /// The numbers that are packed into one, after the argument that is their type: OpenGL 3.3,
    /// section 2.7. Those that the name does not say are those of a coordinate. `None` for types
    /// without numbers of their own.
    pub fn unpacked(self, call: &Call, [kind, packed]: [usize; 2], is_normalized: bool) -> Option<[f64; 4]> {
        let is_signed = match call.uint(kind) {
            gl::INT_2_10_10_10_REV => true,
            gl::UNSIGNED_INT_2_10_10_10_REV => false,
            _ => return None,
        };
        let all = call.uint(packed);
        let mut numbers = [0.0, 0.0, 0.0, 1.0];
        let parts = [(0, 10), (10, 10), (20, 10), (30, 2)].into_iter().take(self.count.into());
        for (slot, (first, bits)) in numbers.iter_mut().zip(parts) {
            let raw = all << (32 - bits - first);
            let number = if is_signed { f64::from(raw as i32 >> (32 - bits)) } else { f64::from(raw >> (32 - bits)) };
            let most = f64::from((1u32 << (bits - u32::from(is_signed))) - 1);
            *slot = if is_normalized { (number / most).max(-1.0) } else { number };
        }
        Some(numbers)
    }

    /// Whether the numbers are integers.
    pub fn is_integer(self) -> bool {
        !matches!(self.unit, Unit::Float | Unit::Double | Unit::Fixed)
    }

    /// A number as the function takes it: integers as they are.
    fn plain(self, number: f64) -> f64 {
        match self.unit {
            Unit::Fixed => number / 65536.0,
            Unit::Float => f64::from(number as f32),
            _ => number,
        }
    }

    /// A number of a colour or normal: integers are mapped to 0..1, or -1..1. Signed ones as before
    /// OpenGL 4.2.
    fn mapped(self, number: f64) -> f64 {
        let signed = |most: f64| (2.0 * number + 1.0) / most;
        match self.unit {
            Unit::Byte => signed(255.0),
            Unit::Short => signed(65535.0),
            Unit::Int => signed(4_294_967_295.0),
            Unit::UnsignedByte => number / 255.0,
            Unit::UnsignedShort => number / 65535.0,
            Unit::UnsignedInt => number / 4_294_967_295.0,
            Unit::Float | Unit::Double | Unit::Fixed => self.plain(number),
        }
    }

    /// Up to four numbers from argument `first` on, those that are missing from `rest`.
    pub fn numbers(self, call: &Call, first: usize, rest: [f64; 4], is_mapped: bool) -> [f64; 4] {
        let mut numbers = rest;
        let map = |number: f64| if is_mapped { self.mapped(number) } else { self.plain(number) };
        let count = if self.count == 0 { 4 } else { usize::from(self.count) };
        if self.is_vector {
            let (given, len) = call.floats::<4>(first);
            for (slot, number) in numbers.iter_mut().zip(given).take(count.min(len)) {
                *slot = map(number);
            }
        } else {
            for (i, slot) in numbers.iter_mut().take(count).enumerate() {
                if let Some(number) = call.argument(first + i).float() {
                    *slot = map(number);
                }
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_names() {
        let parse = |end| Variant::parse(end);
        let of =
            |count, rows, unit, is_vector, is_normalized| Some(Variant { count, rows, unit, is_vector, is_normalized });
        assert_eq!(parse("3ub"), of(3, 0, Unit::UnsignedByte, false, false));
        assert_eq!(parse("4Nubv"), of(4, 0, Unit::UnsignedByte, true, true));
        assert_eq!(parse("2x3fv"), of(2, 3, Unit::Float, true, false));
        assert_eq!(parse("4x"), of(4, 0, Unit::Fixed, false, false));
        assert_eq!(parse("d"), of(0, 0, Unit::Double, false, false));
        assert_eq!((parse("Pointer"), parse("Mask"), parse(""), parse("4fvx")), (None, None, None, None));
    }
}
