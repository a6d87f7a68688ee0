//! Calls that give a texture its size or its contents.

use unspool_gl::gl;
use unspool_gl::pixels::Internal;

use super::objects::{Context, Slot};
use super::{Kind, Resources, What};
use crate::calls::{Call, Value};
use crate::known::Known;

/// What a call does to a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) does: Does,
    /// 1 to 3.
    pub(super) dimensions: u32,
    /// The first argument is the texture itself, not a target.
    is_named: bool,
    pub(super) is_compressed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
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

impl Shape {
    pub(super) fn of(canonical: &str) -> Option<Self> {
        let is_named = canonical.contains("Texture");
        if matches!(canonical, "GenerateMipmap" | "GenerateTextureMipmap") {
            return Some(Self { does: Does::Mipmap, dimensions: 2, is_named, is_compressed: false });
        }
        let is_compressed = canonical.starts_with("Compressed");
        let rest = canonical.strip_prefix("Compressed").unwrap_or(canonical);
        let (rest, is_copy) = rest.strip_prefix("Copy").map_or((rest, false), |rest| (rest, true));
        let rest = rest.strip_prefix("Texture").or_else(|| rest.strip_prefix("Tex"))?;
        let (does, rest) =
            match (rest.strip_prefix("Image"), rest.strip_prefix("SubImage"), rest.strip_prefix("Storage")) {
                (Some(rest), ..) => (if is_copy { Does::CopyImage } else { Does::Image }, rest),
                (_, Some(rest), _) => (if is_copy { Does::CopyPart } else { Does::Part }, rest),
                (.., Some(rest)) => (Does::Storage, rest),
                _ => return None,
            };
        let dimensions =
            rest.bytes().next().filter(|byte| (b'1'..=b'3').contains(byte)).map(|byte| u32::from(byte - b'0'))?;
        rest.get(1..2).filter(|d| *d == "D")?;
        Some(Self { does, dimensions, is_named, is_compressed })
    }
}

/// A level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its number.
    pub level: u32,
    /// In texels: width, height, and slices, layers or faces.
    pub size: [u32; 3],
    /// The number of the internal format.
    pub internal: u32,
    /// The type of the pixels that came with it, or 0.
    pub of: u32,
}

/// What is known of a texture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextureFacts {
    /// The target that it was bound to first, or 0.
    pub target: u32,
    /// Its levels as they are at the end of what was read.
    pub levels: Vec<Level>,
}

impl TextureFacts {
    /// The level of a number.
    pub fn level(&self, level: u32) -> Option<&Level> {
        self.levels.iter().find(|it| it.level == level)
    }

    fn set(&mut self, level: Level) {
        // No texture has more than 32 levels.
        let has_room = self.levels.len() < 64;
        match self.levels.iter_mut().find(|it| it.level == level.level) {
            Some(slot) => *slot = level,
            None if has_room => self.levels.push(level),
            None => {}
        }
    }

    /// Its target, largest level and format for people. Empty if nothing is known.
    pub fn text(&self) -> String {
        let mut text = String::from(target_name(self.target));
        let Some(first) = self.levels.iter().min_by_key(|it| it.level) else { return text };
        let format = Internal::of(first.internal, first.of);
        let [width, height, depth] = first.size;
        text += &format!("{}{width} × {height}", if text.is_empty() { "" } else { " " });
        if depth > 1 && !is_cube(self.target) {
            text += &format!(" × {depth}");
        }
        match format {
            Some(format) => text += &format!(" {}", format.name()),
            None => text += &format!(" {:#06x}", first.internal),
        }
        if self.levels.len() > 1 {
            text += &format!(", {} levels", self.levels.len());
        }
        text
    }

    /// Bytes of all levels.
    pub(super) fn bytes(&self) -> u64 {
        let of_level = |level: &Level| {
            let [width, height, depth] = level.size.map(u64::from);
            let Some(format) = Internal::of(level.internal, level.of) else { return 0 };
            match format.compressed {
                Some(blocks) => {
                    let [across, down] = blocks.block_size().map(u64::from);
                    width.div_ceil(across) * height.div_ceil(down) * depth * blocks.block_bytes() as u64
                }
                None => width * height * depth * format.texel_bytes(),
            }
        };
        self.levels.iter().map(of_level).sum()
    }
}

/// Whether a target is a cube map or a face of one.
pub(super) fn is_cube(target: u32) -> bool {
    target == gl::TEXTURE_CUBE_MAP || face_of(target).is_some()
}

/// The number of the face that a target is.
pub(super) fn face_of(target: u32) -> Option<u32> {
    target.checked_sub(gl::TEXTURE_CUBE_MAP_POSITIVE_X).filter(|face| *face < 6)
}

fn target_name(target: u32) -> &'static str {
    match target {
        gl::TEXTURE_1D => "1D",
        gl::TEXTURE_2D => "2D",
        gl::TEXTURE_3D => "3D",
        gl::TEXTURE_RECTANGLE => "rectangle",
        gl::TEXTURE_CUBE_MAP => "cube",
        gl::TEXTURE_1D_ARRAY => "1D array",
        gl::TEXTURE_2D_ARRAY => "2D array",
        gl::TEXTURE_CUBE_MAP_ARRAY => "cube array",
        gl::TEXTURE_BUFFER => "buffer",
        gl::TEXTURE_2D_MULTISAMPLE => "2D multisample",
        gl::TEXTURE_2D_MULTISAMPLE_ARRAY => "2D multisample array",
        _ => "",
    }
}

fn is_proxy(target: u32) -> bool {
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

/// The size that the arguments of a call give a level, faces of cubes as slices.
pub(super) fn size_of(call: &Call, known: &Known, target: u32) -> [u32; 3] {
    let side = |parameter: &str| known.int(call, parameter).map(|side| u32::try_from(side).unwrap_or_default());
    let depth = if is_cube(target) { 6 } else { side("depth").unwrap_or(1) };
    [side("width").unwrap_or(1), side("height").unwrap_or(1), depth]
}

/// The size of a smaller level: OpenGL 4.6, equation 8.3. Layers stay as they are.
pub(super) fn smaller([width, height, depth]: [u32; 3], level: u32, target: u32) -> [u32; 3] {
    let half = |side: u32| side.checked_shr(level).unwrap_or_default().max(1);
    match target {
        gl::TEXTURE_3D => [half(width), half(height), half(depth)],
        gl::TEXTURE_1D_ARRAY => [half(width), height, depth],
        _ => [half(width), half(height), depth],
    }
}

impl Resources {
    /// The texture that a call is about, and its target.
    pub(super) fn texture_of(
        &mut self,
        call: &Call,
        known: &Known,
        shape: Shape,
        context: &Context,
    ) -> Option<(u32, u32)> {
        if shape.is_named {
            let at = self.of(context, Kind::Texture, call.uint(0), call.number)?;
            return Some((at, self.all.get(at as usize)?.texture.target));
        }
        let target = known.uint(call, "target")?;
        if is_proxy(target) {
            return None;
        }
        let slot = Slot::Texture {
            unit: context.unit,
            target: if face_of(target).is_some() { gl::TEXTURE_CUBE_MAP } else { target },
        };
        Some((context.get(slot)?, target))
    }

    pub(super) fn texture_call(&mut self, call: &Call, known: &Known, shape: Shape, context: &mut Context) {
        let Some((at, target)) = self.texture_of(call, known, shape, context) else { return };
        let level = known.uint(call, "level").unwrap_or_default();
        let size = size_of(call, known, target);
        let internal = known.uint(call, "internalformat").unwrap_or_default();
        let of = known.uint(call, "type").unwrap_or_default();
        if let Some(resource) = self.all.get_mut(at as usize) {
            let facts = &mut resource.texture;
            match shape.does {
                Does::Image | Does::CopyImage => facts.set(Level { level, size, internal, of }),
                Does::Storage => {
                    facts.levels.clear();
                    for level in 0..known.uint(call, "levels").unwrap_or(1).min(32) {
                        facts.set(Level { level, size: smaller(size, level, target), internal, of: 0 });
                    }
                }
                Does::Mipmap => {
                    if let Some(first) = facts.level(0).copied() {
                        let most = first.size[0].max(first.size[1]).max(1).ilog2();
                        for level in 1..=most {
                            facts.set(Level { level, size: smaller(first.size, level, facts.target), ..first });
                        }
                    }
                }
                Does::Part | Does::CopyPart => {}
            }
            resource.size = resource.texture.bytes();
        }
        let bytes = ["pixels", "data"].iter().find_map(|parameter| match known.arg(call, parameter) {
            Value::Bytes(_, len) => Some(len),
            _ => None,
        });
        match shape.does {
            Does::Image | Does::Part | Does::Storage => {
                self.uploaded_to(at, call, context, bytes.unwrap_or_default(), 0)
            }
            Does::CopyImage | Does::CopyPart | Does::Mipmap => {
                self.count(at, super::WRITES, 1);
                self.event(at, call.number, What::Written);
            }
        }
    }
}
