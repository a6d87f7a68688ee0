//! Functions that give textures sizes and contents, and what their calls ask for.
//!
//! ```text
//! glTexSubImage2D(        target, level, x, y, width, height, format, type, pixels)
//! glTextureSubImage2D(texture,    level, x, y, width, height, format, type, pixels)
//! glTextureSubImage2DEXT(texture, target, level, …)    glMultiTexSubImage2DEXT(unit, target, level, …)
//! ```

use crate::call::Call;
use crate::gl;

/// Capabilities that each texture unit has of its own.
pub const UNIT_CAPABILITIES: [u32; 9] = [
    gl::TEXTURE_1D,
    gl::TEXTURE_2D,
    gl::TEXTURE_3D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_RECTANGLE,
    gl::TEXTURE_GEN_S,
    gl::TEXTURE_GEN_T,
    gl::TEXTURE_GEN_R,
    gl::TEXTURE_GEN_Q,
];

/// What a call does to a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Gives a level its size, and perhaps pixels.
    Image,
    /// Replaces a part of a level.
    Part,
    /// Gives all levels their sizes.
    Storage,
    /// Copies what was drawn, and gives the level its size.
    CopyImage,
    /// Copies what was drawn to a part of a level.
    CopyPart,
    /// Makes the smaller levels.
    Mipmap,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    does: Does,
    means: Means,
    /// 1 to 3.
    dimensions: u8,
    is_compressed: bool,
    is_multisample: bool,
}

/// How a function says which texture it means: by its first arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Target,
    Name,
    NameAndTarget,
    UnitAndTarget,
}

/// What a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it does.
    pub does: Does,
    /// 1 to 3.
    pub dimensions: u32,
    /// Its pixels are compressed.
    pub is_compressed: bool,
    /// The texture, if the call names it. Else it is what is bound to the target.
    pub name: Option<u32>,
    /// The texture unit, if it is not the active one.
    pub unit: Option<u32>,
    /// The target, if the call has it.
    pub target: Option<u32>,
    /// The level; of [`Does::Storage`] the number of levels.
    pub level: u32,
    /// The internal format, 0 if the call has none.
    pub internal: u32,
    /// Samples of a texel, 0 if there is one.
    pub samples: u32,
    /// Where the part begins.
    pub offset: [i64; 3],
    /// Texels in each direction, 1 in those that it does not have.
    pub size: [u32; 3],
    /// Where in the framebuffer copies begin.
    pub from: [i64; 2],
    /// The format of the pixels, 0 if the call has none.
    pub format: u32,
    /// The type of the pixels, 0 if the call has none.
    pub kind: u32,
    /// The argument with the pixels.
    pub pixels: Option<usize>,
}

impl Function {
    /// The function with this name, without the prefix `gl`, and without the ending of an
    /// extension, too. `None` for all others.
    pub(crate) fn of(name: &str, plain: &str) -> Option<Self> {
        use Means::{Name, NameAndTarget, Target, UnitAndTarget};
        // Those of OpenGL 4.5 have no target.
        let named = if plain == name { Name } else { NameAndTarget };
        let mipmap =
            |means| Self { does: Does::Mipmap, means, dimensions: 2, is_compressed: false, is_multisample: false };
        match plain {
            "GenerateMipmap" => return Some(mipmap(Target)),
            "GenerateTextureMipmap" => return Some(mipmap(named)),
            "GenerateMultiTexMipmap" => return Some(mipmap(UnitAndTarget)),
            _ => {}
        }
        let (rest, is_compressed) = plain.strip_prefix("Compressed").map_or((plain, false), |rest| (rest, true));
        let (rest, is_copy) = rest.strip_prefix("Copy").map_or((rest, false), |rest| (rest, true));
        let (means, rest) = [("Texture", named), ("MultiTex", UnitAndTarget), ("Tex", Target)]
            .into_iter()
            .find_map(|(begin, means)| Some((means, rest.strip_prefix(begin)?)))?;
        let (does, rest) = [
            ("Image", if is_copy { Does::CopyImage } else { Does::Image }),
            ("SubImage", if is_copy { Does::CopyPart } else { Does::Part }),
            ("Storage", Does::Storage),
        ]
        .into_iter()
        .find_map(|(begin, does)| Some((does, rest.strip_prefix(begin)?)))?;
        let dimensions = rest.bytes().next().filter(|digit| (b'1'..=b'3').contains(digit))? - b'0';
        let is_multisample = match rest.get(1..)? {
            "D" => false,
            "DMultisample" => true,
            _ => return None,
        };
        Some(Self { does, means, dimensions, is_compressed, is_multisample })
    }

    /// What a call asks for.
    pub fn command(self, call: &Call) -> Command {
        let Self { does, means, is_compressed, .. } = self;
        let dimensions = usize::from(self.dimensions);
        let int = |place: usize| call.int(place);
        let (name, unit, target) = match means {
            Means::Target => (None, None, Some(int(0) as u32)),
            Means::Name => (Some(int(0) as u32), None, None),
            Means::NameAndTarget => (Some(int(0) as u32), None, Some(int(1) as u32)),
            Means::UnitAndTarget => (None, Some((int(0) as u32).wrapping_sub(gl::TEXTURE0)), Some(int(1) as u32)),
        };
        let mut at = if matches!(means, Means::Target | Means::Name) { 1 } else { 2 };
        let mut next = || {
            at += 1;
            int(at - 1)
        };
        let mut made = Command {
            does,
            dimensions: dimensions as u32,
            is_compressed,
            name,
            unit,
            target,
            level: 0,
            internal: 0,
            samples: 0,
            offset: [0; 3],
            size: [1; 3],
            from: [0; 2],
            format: 0,
            kind: 0,
            pixels: None,
        };
        if does == Does::Mipmap {
            return made;
        }
        if self.is_multisample {
            made.samples = next() as u32;
            made.level = u32::from(does == Does::Storage);
        } else {
            made.level = next() as u32;
        }
        match does {
            Does::Part | Does::CopyPart => made.offset.iter_mut().take(dimensions).for_each(|slot| *slot = next()),
            _ => made.internal = next() as u32,
        }
        // Of three dimensions, a copy has a slice; of one, a row.
        let mut sides = dimensions;
        if matches!(does, Does::CopyImage | Does::CopyPart) {
            made.from = [next(), next()];
            sides = sides.min(2);
        }
        let side = |side: i64| u32::try_from(side).unwrap_or_default();
        made.size.iter_mut().take(sides).for_each(|slot| *slot = side(next()));
        if self.is_multisample || !matches!(does, Does::Image | Does::Part) {
            return made;
        }
        // The border, and the size of what is compressed.
        let _ = (does == Does::Image).then(&mut next);
        if does == Does::Part || !is_compressed {
            made.format = next() as u32;
        }
        let kind = next();
        made.kind = if is_compressed { 0 } else { kind as u32 };
        made.pixels = Some(at);
        made
    }
}

impl Command {
    /// The size, for a target: faces of cubes are slices.
    pub fn size_of(&self, target: u32) -> [u32; 3] {
        let [width, height, depth] = self.size;
        [width, height, if is_cube(target) { 6 } else { depth }]
    }
}

/// Whether a target is a cube map or a face of one.
pub fn is_cube(target: u32) -> bool {
    target == gl::TEXTURE_CUBE_MAP || face_of(target).is_some()
}

/// The number of the face that a target is.
pub fn face_of(target: u32) -> Option<u32> {
    target.checked_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X).filter(|face| *face < 6)
}

/// Whether a target only asks whether there could be such a texture.
pub fn is_proxy(target: u32) -> bool {
    matches!(
        target,
        gl::PROXY_TEXTURE_1D
            | gl::PROXY_TEXTURE_2D
            | gl::PROXY_TEXTURE_3D
            | gl::PROXY_TEXTURE_RECTANGLE
            | gl::PROXY_TEXTURE_CUBE_MAP
            | gl::PROXY_TEXTURE_1D_ARRAY
            | gl::PROXY_TEXTURE_2D_ARRAY
            | gl::PROXY_TEXTURE_CUBE_MAP_ARRAY
            | gl::PROXY_TEXTURE_2D_MULTISAMPLE
            | gl::PROXY_TEXTURE_2D_MULTISAMPLE_ARRAY
    )
}

/// The size of a smaller level: OpenGL 4.6, equation 8.3. Layers stay as they are.
pub fn smaller([width, height, depth]: [u32; 3], level: u32, target: u32) -> [u32; 3] {
    let half = |side: u32| side.checked_shr(level).unwrap_or_default().max(1);
    match target {
        gl::TEXTURE_3D => [half(width), half(height), half(depth)],
        gl::TEXTURE_1D_ARRAY => [half(width), height, depth],
        _ => [half(width), half(height), depth],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Value;

    fn command(name: &str, arguments: &[i64]) -> Command {
        let mut call = Call::default();
        arguments.iter().enumerate().for_each(|(i, number)| call.set(i, Value::Int(*number)));
        function(name).unwrap().command(&call)
    }

    fn function(name: &str) -> Option<Function> {
        crate::Function::of(&format!("gl{name}")).textures()
    }

    #[test]
    fn commands_have_their_arguments_where_the_registry_has_them() {
        let all: Vec<i64> = (10..30).collect();
        let names = crate::functions();
        for (name, does) in [
            ("TexImage1D", Does::Image),
            ("TexImage2D", Does::Image),
            ("TexImage3DEXT", Does::Image),
            ("TextureImage3DEXT", Does::Image),
            ("MultiTexImage2DEXT", Does::Image),
            ("TexImage2DMultisample", Does::Image),
            ("TexSubImage1DEXT", Does::Part),
            ("TextureSubImage2D", Does::Part),
            ("TextureSubImage2DEXT", Does::Part),
            ("TexSubImage3D", Does::Part),
            ("CompressedTexImage2DARB", Does::Image),
            ("CompressedTextureSubImage3D", Does::Part),
            ("CompressedMultiTexSubImage1DEXT", Does::Part),
            ("TexStorage3D", Does::Storage),
            ("TextureStorage2DEXT", Does::Storage),
            ("TextureStorage3DMultisample", Does::Storage),
            ("CopyTexImage1D", Does::CopyImage),
            ("CopyTexImage2DEXT", Does::CopyImage),
            ("CopyTexSubImage1D", Does::CopyPart),
            ("CopyTextureSubImage3D", Does::CopyPart),
            ("GenerateMipmap", Does::Mipmap),
            ("GenerateTextureMipmapEXT", Does::Mipmap),
        ] {
            let made = command(name, &all);
            assert_eq!(made.does, does, "{name}");
            let function = names.find(&format!("gl{name}")).unwrap();
            let places: Vec<&str> = function.parameters().map(|parameter| parameter.name).collect();
            let of = |parameter: &str| places.iter().position(|name| *name == parameter);
            let at = |parameter: &str, otherwise: i64| of(parameter).map_or(otherwise, |place| 10 + place as i64);
            assert_eq!(i64::from(made.internal), at("internalformat", 0), "{name}");
            assert_eq!(made.size.map(i64::from), [at("width", 1), at("height", 1), at("depth", 1)], "{name}");
            assert_eq!(made.offset, [at("xoffset", 0), at("yoffset", 0), at("zoffset", 0)], "{name}");
            assert_eq!((i64::from(made.kind), i64::from(made.samples)), (at("type", 0), at("samples", 0)), "{name}");
            assert_eq!(i64::from(made.format), at("format", 0), "{name}");
            assert_eq!(made.name.map(i64::from), of("texture").map(|place| 10 + place as i64), "{name}");
            assert_eq!(made.target.map(i64::from), of("target").map(|place| 10 + place as i64), "{name}");
            assert_eq!(made.unit.is_some(), of("texunit").is_some(), "{name}");
            let data = of("pixels").or(of("data")).or(of("bits"));
            assert_eq!(made.pixels, data, "{name}");
            let level = at("levels", at("level", i64::from(does == Does::Storage)));
            assert_eq!(i64::from(made.level), level, "{name}");
            assert_eq!(made.from, [at("x", 0), at("y", 0)], "{name}");
        }
        // GL_NV_texture_multisample: the texture, its target, samples, format, sizes.
        let made = command("TextureImage3DMultisampleNV", &all);
        assert_eq!((made.name, made.target, made.samples, made.internal), (Some(10), Some(11), 12, 13));
        assert_eq!(made.size, [14, 15, 16]);
        let others =
            ["TexParameteri", "TexBuffer", "GetTexImage", "TexStorageMem2DEXT", "TextureView", "TexImage4DSGIS"];
        assert_eq!(others.map(function), [None; 6]);
    }

    #[test]
    fn sizes_of_levels() {
        assert_eq!(smaller([5, 3, 2], 1, gl::TEXTURE_2D_ARRAY), [2, 1, 2]);
        assert_eq!(smaller([5, 3, 2], 1, gl::TEXTURE_3D), [2, 1, 1]);
        assert_eq!(smaller([8, 3, 2], 2, gl::TEXTURE_1D_ARRAY), [2, 3, 2]);
        let face = gl::TEXTURE_CUBE_MAP_POSITIVE_X + 5;
        assert_eq!((face_of(face), face_of(face + 1)), (Some(5), None));
        let made = command("TexImage2D", &[face.into(), 0, 0, 4, -4]);
        assert_eq!(made.size_of(face), [4, 0, 6]);
        assert!(is_proxy(gl::PROXY_TEXTURE_2D) && !is_proxy(face));
    }
}
