//! The size and format of textures.

use unspool_gl::gl;
use unspool_gl::pixels::Internal;
use unspool_gl::textures::is_cube;

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
    /// Samples of a texel; 0 for one that is not multisampled.
    pub samples: u32,
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

    pub(super) fn set(&mut self, level: Level) {
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
                    [width.div_ceil(across), height.div_ceil(down), depth, blocks.block_bytes() as u64]
                }
                None => [width, height, depth * u64::from(level.samples.max(1)), format.texel_bytes()],
            }
            .into_iter()
            .fold(1, u64::saturating_mul)
        };
        self.levels.iter().map(of_level).fold(0, u64::saturating_add)
    }
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
