//! Types of GLSL, and which of them become others by themselves.

/// What the components of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    /// Nothing is said about it, and nothing is done with it.
    Unknown,
    Void,
    Bool,
    Int,
    Uint,
    Float,
    Sampler(Sampler),
    /// A structure or an interface block, by its number.
    Struct(u32),
}

/// What a texture of a sampler looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    One,
    Two,
    Three,
    Cube,
    Rectangle,
    Buffer,
    Samples,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sampler {
    pub(super) shape: Shape,
    pub(super) is_array: bool,
    pub(super) is_shadow: bool,
    /// Its texels are whole numbers: signed, or unsigned.
    pub(super) is_int: bool,
    pub(super) is_uint: bool,
}

impl Sampler {
    fn by_name(name: &str) -> Option<Self> {
        let (is_int, is_uint) = (name.starts_with('i'), name.starts_with('u'));
        let rest = name.trim_start_matches(['i', 'u']).strip_prefix("sampler")?;
        let (rest, is_shadow) = rest.strip_suffix("Shadow").map_or((rest, false), |rest| (rest, true));
        let (rest, is_array) = rest.strip_suffix("Array").map_or((rest, false), |rest| (rest, true));
        let shape = match rest {
            "1D" => Shape::One,
            "2D" => Shape::Two,
            "3D" => Shape::Three,
            "Cube" => Shape::Cube,
            "2DRect" => Shape::Rectangle,
            "Buffer" => Shape::Buffer,
            "2DMS" => Shape::Samples,
            _ => return None,
        };
        Some(Self { shape, is_array, is_shadow, is_int, is_uint })
    }

    /// The base of its texels.
    pub(super) fn texel(self) -> Base {
        match (self.is_int, self.is_uint) {
            (true, _) => Base::Int,
            (_, true) => Base::Uint,
            _ => Base::Float,
        }
    }

    /// The numbers of its size.
    pub(super) fn sizes(self) -> u8 {
        let own = match self.shape {
            Shape::One | Shape::Buffer => 1,
            Shape::Three => 3,
            _ => 2,
        };
        own + u8::from(self.is_array)
    }
}

/// A type. A scalar has one column and one row, a vector several rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Type {
    pub(super) base: Base,
    pub(super) columns: u8,
    pub(super) rows: u8,
    /// Dimensions of an array.
    pub(super) dimensions: u8,
}

/// Names of types whose components are whole numbers, floats and truth values, by the number of
/// their components.
const NAMES: [(Base, [&str; 4]); 4] = [
    (Base::Float, ["float", "vec2", "vec3", "vec4"]),
    (Base::Int, ["int", "ivec2", "ivec3", "ivec4"]),
    (Base::Uint, ["uint", "uvec2", "uvec3", "uvec4"]),
    (Base::Bool, ["bool", "bvec2", "bvec3", "bvec4"]),
];

/// Names of matrices: first by columns, then by rows.
const MATRICES: [[&str; 3]; 3] =
    [["mat2", "mat2x3", "mat2x4"], ["mat3x2", "mat3", "mat3x4"], ["mat4x2", "mat4x3", "mat4"]];

impl Type {
    pub(super) const UNKNOWN: Self = Self::scalar(Base::Unknown);
    pub(super) const VOID: Self = Self::scalar(Base::Void);
    pub(super) const BOOL: Self = Self::scalar(Base::Bool);
    pub(super) const INT: Self = Self::scalar(Base::Int);
    pub(super) const UINT: Self = Self::scalar(Base::Uint);
    pub(super) const FLOAT: Self = Self::scalar(Base::Float);

    pub(super) const fn scalar(base: Base) -> Self {
        Self { base, columns: 1, rows: 1, dimensions: 0 }
    }

    pub(super) const fn vector(base: Base, rows: u8) -> Self {
        Self { base, columns: 1, rows, dimensions: 0 }
    }

    pub(super) const fn matrix(columns: u8, rows: u8) -> Self {
        Self { base: Base::Float, columns, rows, dimensions: 0 }
    }

    /// The type of the language with this name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        for (base, names) in NAMES {
            if let Some(at) = names.iter().position(|known| *known == name) {
                return Some(Self::vector(base, at as u8 + 1));
            }
        }
        if name.starts_with("mat") {
            let name = match name {
                "mat2x2" => "mat2",
                "mat3x3" => "mat3",
                "mat4x4" => "mat4",
                _ => name,
            };
            for (columns, names) in (2..).zip(MATRICES) {
                if let Some(at) = names.iter().position(|known| *known == name) {
                    return Some(Self::matrix(columns, at as u8 + 2));
                }
            }
        }
        match name {
            "void" => Some(Self::VOID),
            _ if name.contains("sampler") => Sampler::by_name(name).map(|it| Self::scalar(Base::Sampler(it))),
            _ => None,
        }
    }

    /// Its name, if it is one of numbers or truth values and no array.
    pub(super) fn name(self) -> Option<&'static str> {
        if self.dimensions > 0 {
            return None;
        }
        if self.is_matrix() {
            let names = MATRICES.get(usize::from(self.columns).checked_sub(2)?)?;
            return names.get(usize::from(self.rows).checked_sub(2)?).copied();
        }
        let (_, names) = NAMES.iter().find(|(base, _)| *base == self.base)?;
        names.get(usize::from(self.rows).checked_sub(1)?).copied()
    }

    pub(super) fn is_unknown(self) -> bool {
        self.base == Base::Unknown
    }

    /// It has numbers that can be reckoned with.
    pub(super) fn is_number(self) -> bool {
        self.dimensions == 0 && matches!(self.base, Base::Int | Base::Uint | Base::Float)
    }

    pub(super) fn is_matrix(self) -> bool {
        self.columns > 1
    }

    pub(super) fn is_scalar(self) -> bool {
        self.columns == 1 && self.rows == 1 && self.dimensions == 0
    }

    pub(super) fn is_vector(self) -> bool {
        self.columns == 1 && self.rows > 1 && self.dimensions == 0
    }

    /// The same shape with other components.
    pub(super) fn of(self, base: Base) -> Self {
        Self { base, ..self }
    }

    /// What the translation has in its place: lines, rectangles and buffers are flat textures
    /// there.
    pub(super) fn in_translation(self) -> Self {
        match self.base {
            Base::Sampler(it) if matches!(it.shape, Shape::One | Shape::Rectangle | Shape::Buffer) => {
                self.of(Base::Sampler(Sampler { shape: Shape::Two, ..it }))
            }
            _ => self,
        }
    }

    /// An array of it, with more dimensions.
    pub(super) fn array(self, more: u8) -> Self {
        Self { dimensions: self.dimensions.saturating_add(more), ..self }
    }

    /// What an index leads to.
    pub(super) fn element(self) -> Self {
        if self.dimensions > 0 {
            Self { dimensions: self.dimensions - 1, ..self }
        } else if self.is_matrix() {
            Self::vector(self.base, self.rows)
        } else if self.rows > 1 {
            Self::scalar(self.base)
        } else {
            Self::UNKNOWN
        }
    }

    /// How well this type becomes another by itself (GLSL 4.60, 4.1.10 and 6.1): 0 if it is the
    /// same, 1 to floats, 2 from signed to unsigned. `None` if it does not.
    pub(super) fn becomes(self, to: Self) -> Option<u8> {
        if self == to {
            return Some(0);
        }
        let is_alike = self.is_number() && to.is_number() && (self.columns, self.rows) == (to.columns, to.rows);
        match (self.base, to.base) {
            _ if !is_alike => None,
            (Base::Int | Base::Uint, Base::Float) => Some(1),
            (Base::Int, Base::Uint) => Some(2),
            _ => None,
        }
    }
}

/// The base that two operands of an operator get: the one that both become.
pub(super) fn common(one: Base, other: Base) -> Base {
    match (one, other) {
        (Base::Float, _) | (_, Base::Float) => Base::Float,
        (Base::Uint, _) | (_, Base::Uint) => Base::Uint,
        _ => Base::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_one_name() {
        for name in ["float", "ivec3", "uint", "bvec4", "mat2", "mat3x4", "mat4x2", "vec2"] {
            assert_eq!(Type::by_name(name).and_then(Type::name), Some(name));
        }
        assert_eq!(Type::by_name("mat4x4"), Type::by_name("mat4"));
        for other in ["double", "dvec2", "vec5", "image2D", "sampler4D", "S", ""] {
            assert_eq!(Type::by_name(other), None, "{other}");
        }
        let Some(Type { base: Base::Sampler(it), .. }) = Type::by_name("usampler2DArray") else { panic!() };
        assert_eq!((it.texel(), it.sizes(), it.is_shadow), (Base::Uint, 3, false));
    }

    #[test]
    fn whole_numbers_become_floats_and_signed_ones_unsigned() {
        let becomes = |one: &str, other: &str| Type::by_name(one).unwrap().becomes(Type::by_name(other).unwrap());
        assert_eq!(becomes("int", "float"), Some(1));
        assert_eq!(becomes("uvec3", "vec3"), Some(1));
        assert_eq!(becomes("ivec2", "uvec2"), Some(2));
        assert_eq!(becomes("mat3", "mat3"), Some(0));
        for (one, other) in
            [("float", "int"), ("uint", "int"), ("bool", "int"), ("int", "vec2"), ("ivec2", "vec3"), ("int", "bool")]
        {
            assert_eq!(becomes(one, other), None, "{one} {other}");
        }
        let array = Type::INT.array(1);
        assert_eq!(array.becomes(Type::FLOAT.array(1)), None);
        assert_eq!((array.element(), Type::matrix(2, 3).element()), (Type::INT, Type::vector(Base::Float, 3)));
    }
}
