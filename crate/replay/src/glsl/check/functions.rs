//! The functions of the language, by version.

use super::names::Way;
use super::types::{Base, Sampler, Shape, Type};

/// Functions with the same parameters: the version from which they exist, what they return and
/// take, their names. Types that depend on the call, all of the same size:
///
/// ```text
/// F I U B    float, int, uint, bool or a vector of them
/// V W X Y    a vector of them, no scalar
/// M T        any matrix; the same with columns and rows exchanged
/// ```
///
/// `>` marks a parameter that is written.
const FUNCTIONS: &[(u32, &str, &str)] = &[
    // Mesa has them before 1.30, too.
    (110, "I I", "abs sign"),
    (110, "I I I", "min max"),
    (110, "I I int", "min max"),
    (110, "I I I I", "clamp"),
    (110, "I I int int", "clamp"),
    (130, "U U U", "min max"),
    (130, "U U uint", "min max"),
    (130, "U U U U", "clamp"),
    (130, "U U uint uint", "clamp"),
    (
        110,
        "F F",
        "radians degrees sin cos tan asin acos atan exp log exp2 log2 sqrt inversesqrt abs sign floor ceil fract \
         normalize dFdx dFdy fwidth",
    ),
    (130, "F F", "sinh cosh tanh asinh acosh atanh trunc round roundEven"),
    (400, "F F", "interpolateAtCentroid dFdxFine dFdyFine fwidthFine dFdxCoarse dFdyCoarse fwidthCoarse"),
    (110, "F F F", "atan pow mod min max step reflect"),
    (110, "F F float", "mod min max"),
    (110, "F float F", "step"),
    (110, "F F F F", "clamp mix smoothstep faceforward"),
    (110, "F F float float", "clamp"),
    (110, "F F F float", "mix refract"),
    (110, "F float float F", "smoothstep"),
    (130, "F F F B", "mix"),
    (450, "I I I B", "mix"),
    (450, "U U U B", "mix"),
    (450, "B B B B", "mix"),
    (130, "F F >F", "modf"),
    (130, "B F", "isnan isinf"),
    (330, "I F", "floatBitsToInt"),
    (330, "U F", "floatBitsToUint"),
    (330, "F I", "intBitsToFloat"),
    (330, "F U", "uintBitsToFloat"),
    (400, "F F F F", "fma"),
    (400, "F F >I", "frexp"),
    (400, "F F I", "ldexp"),
    (110, "float F", "length noise1"),
    (110, "vec2 F", "noise2"),
    (110, "vec3 F", "noise3"),
    (110, "vec4 F", "noise4"),
    (110, "float F F", "distance dot"),
    (110, "vec3 vec3 vec3", "cross"),
    (110, "vec4", "ftransform"),
    (110, "M M M", "matrixCompMult"),
    (120, "T M", "transpose"),
    (140, "M M", "inverse"),
    (150, "float M", "determinant"),
    (120, "mat2 vec2 vec2", "outerProduct"),
    (120, "mat3 vec3 vec3", "outerProduct"),
    (120, "mat4 vec4 vec4", "outerProduct"),
    (120, "mat2x3 vec3 vec2", "outerProduct"),
    (120, "mat3x2 vec2 vec3", "outerProduct"),
    (120, "mat2x4 vec4 vec2", "outerProduct"),
    (120, "mat4x2 vec2 vec4", "outerProduct"),
    (120, "mat3x4 vec4 vec3", "outerProduct"),
    (120, "mat4x3 vec3 vec4", "outerProduct"),
    (110, "Y W W", "lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual"),
    (130, "Y X X", "lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual"),
    (110, "Y V V", "lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual"),
    (110, "Y Y Y", "equal notEqual"),
    (110, "bool Y", "any all"),
    (110, "Y Y", "not"),
    (400, "I I int int", "bitfieldExtract"),
    (400, "U U int int", "bitfieldExtract"),
    (400, "I I I int int", "bitfieldInsert"),
    (400, "U U U int int", "bitfieldInsert"),
    (400, "I I", "bitfieldReverse bitCount findLSB findMSB"),
    (400, "U U", "bitfieldReverse"),
    (400, "I U", "bitCount findLSB findMSB"),
    (400, "U U U >U", "uaddCarry usubBorrow"),
    (400, "void U U >U >U", "umulExtended"),
    (400, "void I I >I >I", "imulExtended"),
    (400, "uint vec2", "packUnorm2x16 packSnorm2x16 packHalf2x16"),
    (400, "uint vec4", "packUnorm4x8 packSnorm4x8"),
    (400, "vec2 uint", "unpackUnorm2x16 unpackSnorm2x16 unpackHalf2x16"),
    (400, "vec4 uint", "unpackUnorm4x8 unpackSnorm4x8"),
    (400, "F F int", "interpolateAtSample"),
    (400, "F F vec2", "interpolateAtOffset"),
];

/// A function of the language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Builtin {
    /// The version from which it exists.
    pub(super) since: u32,
    signature: &'static str,
}

/// All functions with a name that sample no texture.
pub(super) fn named(name: &str) -> Vec<Builtin> {
    let named = FUNCTIONS.iter().filter(|(.., names)| names.split_ascii_whitespace().any(|known| known == name));
    named.map(|(since, signature, _)| Builtin { since: *since, signature }).collect()
}

/// A type of a parameter whose size depends on the call: its base and whether it may be a scalar.
fn generic(word: &str) -> Option<(Base, bool)> {
    Some(match word {
        "F" => (Base::Float, true),
        "I" => (Base::Int, true),
        "U" => (Base::Uint, true),
        "B" => (Base::Bool, true),
        "V" => (Base::Float, false),
        "W" => (Base::Int, false),
        "X" => (Base::Uint, false),
        "Y" => (Base::Bool, false),
        _ => return None,
    })
}

impl Builtin {
    /// What it returns and takes for arguments of these types, which may not fit. `None` if their
    /// number or their sizes do not.
    pub(super) fn with(self, args: &[Type]) -> Option<(Type, Vec<(Type, Way)>)> {
        let mut words = self.signature.split_ascii_whitespace();
        let returns = words.next()?;
        let params = words.map(|word| word.strip_prefix('>').map_or((word, Way::In), |word| (word, Way::Out)));
        let mut size: Option<Type> = None;
        let mut rest = args.iter();
        let mut fitting = Vec::new();
        for (word, way) in params {
            let arg = *rest.next()?;
            let base = generic(word);
            let param = if base.is_none() && word != "M" {
                Type::by_name(word)?
            } else if arg.is_unknown() {
                Type::UNKNOWN
            } else {
                let size = *size.get_or_insert(arg);
                let fits = match base {
                    Some((_, may_be_scalar)) => !size.is_matrix() && (may_be_scalar || size.rows > 1),
                    None => size.is_matrix(),
                };
                if !fits || size.dimensions > 0 {
                    return None;
                }
                size.of(base.map_or(Base::Float, |(base, _)| base))
            };
            fitting.push((param, way));
        }
        if rest.next().is_some() {
            return None;
        }
        let size = size.unwrap_or(Type::UNKNOWN);
        let returns = match (returns, generic(returns)) {
            (_, Some((base, _))) if !size.is_unknown() => size.of(base),
            (_, Some(_)) | ("M", _) => size,
            ("T", _) => Type { columns: size.rows, rows: size.columns, ..size },
            (name, _) => Type::by_name(name)?,
        };
        Some((returns, fitting))
    }
}

/// Whether a function samples a texture, or asks about one.
pub(super) fn samples(name: &str) -> bool {
    ["texture", "shadow", "texelFetch"].iter().any(|begin| name.starts_with(begin))
}

/// What a function returns that samples a texture, and the types of its arguments, of which the
/// first is the sampler. Those that stay as they are have their own type.
pub(super) fn sampled(name: &str, sampler: Sampler, args: &[Type]) -> (Type, Vec<(Type, Way)>) {
    let returns = if name.starts_with("textureSize") {
        Type::vector(Base::Int, sampler.sizes())
    } else if name == "textureQueryLod" || name == "textureQueryLOD" {
        Type::vector(Base::Float, 2)
    } else if name == "textureQueryLevels" || name == "textureSamples" {
        Type::INT
    } else if sampler.is_shadow && !name.starts_with("shadow") && !name.starts_with("textureGather") {
        Type::FLOAT
    } else {
        Type::vector(sampler.texel(), 4)
    };
    let has = |part: &str| name.contains(part);
    let is_fetch = has("texelFetch") || has("textureSize");
    let has_level = has("Lod") || (has("texelFetch") && !matches!(sampler.shape, Shape::Rectangle | Shape::Buffer));
    let offset = if has("Offset") {
        2 + usize::from(has_level) + 2 * usize::from(has("Grad")) + usize::from(has("Gather") && sampler.is_shadow)
    } else {
        usize::MAX
    };
    let is_component = |i: usize| has("Gather") && !sampler.is_shadow && i > 1;
    let params = (0..).zip(args).map(|(i, arg)| {
        let is_whole = is_fetch || i == offset || is_component(i);
        (if i == 0 || is_whole || !arg.is_number() { *arg } else { arg.of(Base::Float) }, Way::In)
    });
    (returns, params.collect())
}

/// What a function that samples a texture is called in the translation, if WebGL2 lacks it or the
/// kind of texture: lines are flat textures, and rectangles have coordinates of their own.
pub(super) fn renamed(name: &str, sampler: Sampler) -> Option<&'static str> {
    let Sampler { shape, is_array, is_shadow, .. } = sampler;
    let all = RENAMED.iter().filter(|(of, shadow, _)| !is_array && *of == shape && *shadow == is_shadow);
    let mut pairs = all.flat_map(|(.., names)| names.split(' ').filter_map(|pair| pair.split_once('=')));
    pairs.find(|(known, _)| *known == name).map(|(_, other)| other)
}

/// Shapes of textures, with shadows or without, and what functions are called that sample them.
const RENAMED: &[(Shape, bool, &str)] = &[
    (Shape::Two, false, "textureGather=_gather textureGatherOffset=_gatherOffset"),
    (Shape::Two, true, "textureGather=_gatherShadow"),
    (
        Shape::One,
        false,
        "texture=_tex1D texture1D=_tex1D textureLod=_tex1DLod texture1DLod=_tex1DLod textureProj=_tex1DProj texture1DProj=_tex1DProj \
         textureGrad=_tex1DGrad texture1DGradARB=_tex1DGrad texelFetch=_fetch1D texelFetch1D=_fetch1D textureSize=_size1D \
         textureSize1D=_size1D",
    ),
    (Shape::One, true, "texture=_tex1DShadow shadow1D=_shadow1D shadow1DEXT=_shadow1D"),
    (
        Shape::Rectangle,
        false,
        "texture=_texRect texture2DRect=_texRect textureProj=_texRectProj texture2DRectProj=_texRectProj texelFetch=_fetchRect \
         textureSize=_sizeRect",
    ),
    (
        Shape::Buffer,
        false,
        "texelFetch=_fetchBuffer texelFetchBuffer=_fetchBuffer textureSize=_sizeBuffer textureSizeBuffer=_sizeBuffer",
    ),
    (Shape::Rectangle, true, "texture=_texRectShadow shadow2DRect=_shadowRect textureSize=_sizeRect"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(name: &str, args: &[&str]) -> Vec<String> {
        let args: Vec<Type> = args.iter().map(|name| Type::by_name(name).unwrap()).collect();
        let all = named(name).into_iter().filter_map(|it| it.with(&args));
        all.filter(|(_, params)| params.iter().zip(&args).all(|((param, _), arg)| arg.becomes(*param).is_some()))
            .map(|(returns, _)| returns.name().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn sizes_of_arguments_say_what_is_returned() {
        assert_eq!(returned("mix", &["vec3", "ivec3", "float"]), ["vec3"]);
        assert_eq!(returned("min", &["int", "int"])[0], "int");
        assert_eq!(returned("clamp", &["vec2", "int", "float"]), ["vec2"]);
        assert_eq!(returned("lessThan", &["ivec2", "ivec2"])[0], "bvec2");
        assert_eq!(returned("transpose", &["mat2x3"]), ["mat3x2"]);
        assert_eq!(returned("outerProduct", &["vec3", "vec2"]), ["mat2x3"]);
        assert_eq!(returned("dot", &["vec3", "vec2"]), [""; 0]);
        assert_eq!(returned("lessThan", &["int", "int"]), [""; 0]);
        assert_eq!(returned("mix", &["vec3"]), [""; 0]);
    }

    #[test]
    fn signatures_are_well_formed() {
        for (_, signature, _) in FUNCTIONS {
            for word in signature.split_ascii_whitespace() {
                let word = word.trim_start_matches('>');
                assert!(
                    generic(word).is_some() || ["M", "T"].contains(&word) || Type::by_name(word).is_some(),
                    "{word}"
                );
            }
        }
    }

    #[test]
    fn coordinates_are_floats_and_offsets_are_not() {
        let sampler = |name: &str| match Type::by_name(name) {
            Some(Type { base: Base::Sampler(it), .. }) => it,
            _ => panic!("{name}"),
        };
        let types = |name: &str, of: &str, args: &[&str]| {
            let args: Vec<Type> = args.iter().map(|name| Type::by_name(name).unwrap()).collect();
            let (returns, params) = sampled(name, sampler(of), &args);
            [returns]
                .into_iter()
                .chain(params.into_iter().map(|(param, _)| param))
                .map(|of| of.name().unwrap_or("-"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(types("texture", "sampler2D", &["sampler2D", "ivec2", "int"]), "vec4 - vec2 float");
        assert_eq!(
            types("textureLodOffset", "isampler2D", &["isampler2D", "ivec2", "int", "ivec2"]),
            "ivec4 - vec2 float ivec2"
        );
        assert_eq!(types("texelFetch", "usampler3D", &["usampler3D", "ivec3", "int"]), "uvec4 - ivec3 int");
        assert_eq!(types("textureSize", "sampler1D", &["sampler1D", "int"]), "int - int");
        assert_eq!(types("texture", "sampler2DShadow", &["sampler2DShadow", "vec3"]), "float - vec3");
        assert_eq!(types("shadow2D", "sampler2DShadow", &["sampler2DShadow", "vec3"]), "vec4 - vec3");
        assert_eq!(types("textureGather", "sampler2D", &["sampler2D", "vec2", "int"]), "vec4 - vec2 int");
    }
}
