//! Textures: bindings, parameters, and the sizes and formats of their levels.

use std::sync::Arc;

use crate::gl;
use crate::pixels::with_name;
use crate::several::{One, Several};
use crate::textures::{Command, Does, Function, face_of, is_cube, smaller};

use super::cells::{Image, Value};
use super::effects::Effect;
use super::objects::{Kind, MOST_UNITS};
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::Call;

/// Targets: the constant, the cell of the binding, and the name.
pub const TARGETS: [(u32, u16, &str); 12] = [
    (gl::TEXTURE_1D, what::TEXTURE_BINDING_1D, "GL_TEXTURE_1D"),
    (gl::TEXTURE_2D, what::TEXTURE_BINDING_2D, "GL_TEXTURE_2D"),
    (gl::TEXTURE_3D, what::TEXTURE_BINDING_3D, "GL_TEXTURE_3D"),
    (gl::TEXTURE_CUBE_MAP, what::TEXTURE_BINDING_CUBE_MAP, "GL_TEXTURE_CUBE_MAP"),
    (gl::TEXTURE_RECTANGLE, what::TEXTURE_BINDING_RECTANGLE, "GL_TEXTURE_RECTANGLE"),
    (gl::TEXTURE_1D_ARRAY, what::TEXTURE_BINDING_1D_ARRAY, "GL_TEXTURE_1D_ARRAY"),
    (gl::TEXTURE_2D_ARRAY, what::TEXTURE_BINDING_2D_ARRAY, "GL_TEXTURE_2D_ARRAY"),
    (gl::TEXTURE_BUFFER, what::TEXTURE_BINDING_BUFFER, "GL_TEXTURE_BUFFER"),
    (gl::TEXTURE_CUBE_MAP_ARRAY, what::TEXTURE_BINDING_CUBE_MAP_ARRAY, "GL_TEXTURE_CUBE_MAP_ARRAY"),
    (gl::TEXTURE_2D_MULTISAMPLE, what::TEXTURE_BINDING_2D_MULTISAMPLE, "GL_TEXTURE_2D_MULTISAMPLE"),
    (gl::TEXTURE_2D_MULTISAMPLE_ARRAY, what::TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY, "GL_TEXTURE_2D_MULTISAMPLE_ARRAY"),
    (gl::TEXTURE_EXTERNAL_OES, what::TEXTURE_BINDING_EXTERNAL_OES, "GL_TEXTURE_EXTERNAL_OES"),
];

pub(crate) const HANDLERS: Handlers = &[
    ("TextureView", texture_view),
    ("ClearTexImage", |m, c, _| {
        let object = m.instance(Kind::Texture, c.uint(0));
        m.tell(Effect::Written { object });
    }),
    ("ClearTexSubImage", |m, c, _| {
        let object = m.instance(Kind::Texture, c.uint(0));
        m.tell(Effect::Written { object });
    }),
    ("CopyImageSubData", |m, c, _| {
        let kind = if c.uint(7) == gl::RENDERBUFFER { Kind::Renderbuffer } else { Kind::Texture };
        let object = m.instance(kind, c.uint(6));
        m.tell(Effect::Written { object });
    }),
    ("BindImageTextures", |m, c, _| {
        for One { index, name, .. } in Several::Images.bound(c).filter(|one| one.index < MOST_UNITS) {
            m.bind(Kind::Texture, what::IMAGE_UNIT, index, name);
            m.set_at(what::IMAGE_ACCESS, index, Value::Constant(gl::READ_WRITE));
            m.set_at(what::IMAGE_LEVEL, index, Value::Int(0));
            m.set_at(what::IMAGE_LAYER, index, Value::Int(-1));
            // That of the texture.
            m.set_at(what::IMAGE_FORMAT, index, Value::Unknown);
        }
    }),
    ("BindImageTexture", |m, c, _| {
        if c.uint(0) >= MOST_UNITS {
            return;
        }
        m.bind(Kind::Texture, what::IMAGE_UNIT, c.uint(0), c.uint(1));
        m.set_at(what::IMAGE_ACCESS, c.uint(0), Value::Constant(c.uint(5)));
        m.set_at(what::IMAGE_LEVEL, c.uint(0), Value::Int(c.int(2)));
        let layer = if c.int(3) != 0 { -1 } else { c.int(4) };
        m.set_at(what::IMAGE_LAYER, c.uint(0), Value::Int(layer));
        m.set_at(what::IMAGE_FORMAT, c.uint(0), Value::Constant(c.uint(6)));
    }),
    ("BindTexture", |m, c, _| {
        let unit = m.unit();
        m.bind_texture(unit, c.uint(0), c.uint(1));
    }),
    ("BindTextureUnit", bind_texture_unit),
    ("BindTextures", bind_textures),
    ("TexParameter*", |m, c, v| {
        let instance = m.bound(c.uint(0));
        m.put_parameter(instance, c, 1, v, false);
    }),
    ("TexParameterI*", |m, c, v| {
        let instance = m.bound(c.uint(0));
        m.put_parameter(instance, c, 1, v, true);
    }),
    ("TexBuffer", |m, c, _| m.texture_buffer(c.uint(0), c.uint(1), c.uint(2))),
    ("TexBufferRange", |m, c, _| m.texture_buffer(c.uint(0), c.uint(1), c.uint(2))),
    ("EGLImageTargetTexture2D", |m, c, _| {
        let instance = m.bound(c.uint(0));
        m.put(instance, what::LEVEL, 0, Value::Unknown);
    }),
];

/// The number of a level of a face.
pub fn level_index(level: u32, face: u32) -> u32 {
    level.min(31) | face << 5
}

impl Machine {
    fn bind_texture(&mut self, unit: u32, target: u32, name: u32) {
        let Some((_, binding, _)) = TARGETS.iter().find(|(of, ..)| *of == target) else { return };
        if unit >= 256 {
            return;
        }
        let instance = self.instance(Kind::Texture, name);
        if instance != 0 && !self.is_set(instance, what::TARGET, 0) {
            self.put(instance, what::TARGET, 0, Value::Constant(target));
        }
        self.set_at(*binding, unit, Value::Object { name, instance });
    }

    /// The texture that is bound to a target of the active unit: the owner of its cells. 0 for
    /// proxies.
    pub(crate) fn bound(&mut self, target: u32) -> u32 {
        self.named(Kind::Texture).unwrap_or_else(|| self.bound_at(self.unit(), target))
    }

    fn bound_at(&mut self, unit: u32, target: u32) -> u32 {
        let target = if is_cube(target) { gl::TEXTURE_CUBE_MAP } else { target };
        let Some(at) = TARGETS.iter().position(|(of, ..)| *of == target) else { return 0 };
        let binding = TARGETS.get(at).map_or(0, |(_, binding, _)| *binding);
        match self.object(self.context, binding, unit) {
            (_, 0) => self.own(Kind::Texture, at as u32),
            (_, instance) => instance,
        }
    }

    fn put_level(&mut self, instance: u32, level: u32, face: u32, image: Image) {
        self.tell(Effect::Sized { object: instance, level, image });
        // The same size and format is a new image all the same, which another call has made.
        let value = Value::Image(Arc::new(image));
        self.put(instance, what::LEVEL, level_index(level, face), value);
    }

    /// A call of a function that gives a texture sizes or contents.
    pub(crate) fn call_of_textures(&mut self, function: Function, call: &Call) {
        let command = function.command(call);
        let Command { does, level, internal, samples, .. } = command;
        let instance = match (command.name, command.target) {
            (Some(name), _) => self.instance(Kind::Texture, name),
            (None, target) => self.bound_at(command.unit.unwrap_or_else(|| self.unit()), target.unwrap_or_default()),
        };
        if instance == 0 {
            return;
        }
        let target = command.target.or_else(|| self.number(instance, what::TARGET, 0).map(|target| target as u32));
        let target = target.unwrap_or_default();
        match does {
            Does::Image | Does::CopyImage if level <= 31 => {
                let [width, height, depth] = command.size;
                let image = Image { width, height, depth, format: with_name(internal), samples, pixels: command.kind };
                self.put_level(instance, level, face_of(target).unwrap_or(0), image);
                if self.value(instance, what::GENERATE_MIPMAP, 0) == &Value::Bool(true) {
                    self.mipmap(instance);
                }
            }
            Does::Storage => {
                for at in 0..level.min(32) {
                    let [width, height, depth] = smaller(command.size, at, target);
                    for face in 0..if target == gl::TEXTURE_CUBE_MAP { 6 } else { 1 } {
                        let image = Image { width, height, depth, format: with_name(internal), samples, pixels: 0 };
                        self.put_level(instance, at, face, image);
                    }
                }
                self.put(instance, what::TEXTURE_IMMUTABLE_LEVELS, 0, Value::Int(level.into()));
            }
            Does::Mipmap => self.mipmap(instance),
            Does::Image | Does::CopyImage | Does::Part | Does::CopyPart => {}
        }
        self.tell(match does {
            Does::Image | Does::Part | Does::Storage => {
                let bytes = command.pixels.map_or(0, |place| call.argument(place).bytes_of_program());
                Effect::Uploaded { object: instance, bytes }
            }
            Does::CopyImage | Does::CopyPart | Does::Mipmap => Effect::Written { object: instance },
        });
    }

    fn texture_buffer(&mut self, target: u32, internal: u32, buffer: u32) {
        let instance = self.bound(target);
        let of_buffer = self.instance(Kind::Buffer, buffer);
        self.put(
            instance,
            what::TEXTURE_BUFFER_DATA_STORE_BINDING,
            0,
            Value::Object { name: buffer, instance: of_buffer },
        );
        self.put(instance, what::TEXTURE_BUFFER_FORMAT_ARB, 0, Value::Constant(internal));
    }

    /// Makes the smaller levels from the first one.
    fn mipmap(&mut self, instance: u32) {
        if instance == 0 {
            return;
        }
        let base = self.number(instance, what::TEXTURE_BASE_LEVEL, 0).unwrap_or(0).clamp(0, 31) as u32;
        // A texture whose storage cannot change has no other levels.
        let levels = self.number(instance, what::TEXTURE_IMMUTABLE_LEVELS, 0).unwrap_or(32).clamp(1, 32);
        let last = self.number(instance, what::TEXTURE_MAX_LEVEL, 0).unwrap_or(31).clamp(0, levels - 1) as u32;
        let target = self.number(instance, what::TARGET, 0).unwrap_or_default() as u32;
        for face in 0..if target == gl::TEXTURE_CUBE_MAP { 6 } else { 1 } {
            let Value::Image(first) = self.value(instance, what::LEVEL, level_index(base, face)).clone() else {
                continue;
            };
            let mut size = [first.width, first.height, first.depth];
            for level in base + 1..=last {
                let next = smaller(size, 1, target);
                if next == size {
                    break;
                }
                size = next;
                let [width, height, depth] = size;
                self.put_level(instance, level, face, Image { width, height, depth, ..*first });
            }
        }
    }
}

fn bind_texture_unit(machine: &mut Machine, call: &Call, _: Variant) {
    let (unit, name) = (call.uint(0), call.uint(1));
    if name == 0 {
        for (target, binding, _) in TARGETS {
            if machine.is_set(machine.context, binding, unit) {
                machine.bind_texture(unit, target, 0);
            }
        }
        return;
    }
    let instance = machine.instance(Kind::Texture, name);
    if let Some(target) = machine.number(instance, what::TARGET, 0) {
        machine.bind_texture(unit, target as u32, name);
    }
}

fn bind_textures(machine: &mut Machine, call: &Call, _: Variant) {
    for One { index: unit, name, .. } in Several::Textures.bound(call) {
        let instance = machine.instance(Kind::Texture, name);
        for (target, binding, _) in TARGETS {
            let is_its = machine.number(instance, what::TARGET, 0) == Some(target.into());
            if name == 0 && machine.is_set(machine.context, binding, unit) {
                machine.bind_texture(unit, target, 0);
            } else if name != 0 && is_its {
                machine.bind_texture(unit, target, name);
            }
        }
    }
}

/// A view has levels and layers of another texture.
fn texture_view(machine: &mut Machine, call: &Call, _: Variant) {
    let instance = machine.instance(Kind::Texture, call.uint(0));
    let of = machine.instance(Kind::Texture, call.uint(2));
    let (target, internal) = (call.uint(1), call.uint(3));
    let (first_level, levels, layers) = (call.uint(4), call.uint(5), call.uint(7));
    machine.put(instance, what::TARGET, 0, Value::Constant(target));
    for level in 0..levels.min(32) {
        let Value::Image(image) =
            machine.value(of, what::LEVEL, level_index(first_level.saturating_add(level), 0)).clone()
        else {
            break;
        };
        let depth = if image.depth > 1 { layers.min(image.depth) } else { image.depth };
        machine.put_level(instance, level, 0, Image { depth, format: with_name(internal), ..*image });
    }
}
