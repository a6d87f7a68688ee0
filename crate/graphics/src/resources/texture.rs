//! Calls that give a texture its size or its contents.

use unspool_gl::gl;
use unspool_gl::pixels::Internal;
use unspool_gl::textures::{Command, Does, Function, is_cube, is_proxy, smaller};

use super::objects::{Context, Slot};
use super::{Kind, Resources, What};
use unspool_gl::call::Call;

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

impl Resources {
    /// The texture that a call is about, and its target.
    fn texture_of(&mut self, command: &Command, call: u64, context: &Context) -> Option<(u32, u32)> {
        if let Some(name) = command.name {
            let at = self.of(context, Kind::Texture, name, call)?;
            let known = self.all.get(at as usize)?.texture.target;
            return Some((at, command.target.unwrap_or(known)));
        }
        let target = command.target.filter(|target| !is_proxy(*target))?;
        let slot = Slot::Texture {
            unit: command.unit.unwrap_or(context.unit),
            target: if is_cube(target) { gl::TEXTURE_CUBE_MAP } else { target },
        };
        Some((context.get(slot)?, target))
    }

    pub(super) fn texture_call(&mut self, call: &Call, function: Function, context: &mut Context) {
        let command = function.command(call);
        let Some((at, target)) = self.texture_of(&command, call.number, context) else { return };
        let Command { level, internal, kind: of, .. } = command;
        let size = command.size_of(target);
        if let Some(resource) = self.all.get_mut(at as usize) {
            let facts = &mut resource.texture;
            match command.does {
                Does::Image | Does::CopyImage => facts.set(Level { level, size, internal, of }),
                Does::Storage => {
                    facts.levels.clear();
                    for level in 0..level.min(32) {
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
        match command.does {
            Does::Image | Does::Part | Does::Storage => {
                let bytes = command.pixels.map_or(0, |place| super::len_of(call.argument(place)));
                self.uploaded_to(at, call, context, bytes, 0);
            }
            Does::CopyImage | Does::CopyPart | Does::Mipmap => {
                self.count(at, super::WRITES, 1);
                self.event(at, call.number, What::Written);
            }
        }
    }
}
