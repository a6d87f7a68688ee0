//! Textures and renderbuffers: names, parameters, sizes and contents.

use unspool_gl::gl;
use unspool_gl::textures::{Does, face_of, is_cube, is_proxy};

use super::rules::{Function, Rule, Rules};
use super::state::names_of;
use super::world::{Id, Kind, What, World};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("GenTextures", "", Rule::Run(|w, c, _| w.generate(Kind::Texture, c, 1))),
    ("CreateTextures", "", Rule::Run(|w, c, _| w.generate(Kind::Texture, c, 2))),
    ("DeleteTextures", "", Rule::Run(|w, c, _| w.delete_all(Kind::Texture, c, 1))),
    ("GenRenderbuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Renderbuffer, c, 1))),
    ("CreateRenderbuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Renderbuffer, c, 1))),
    ("DeleteRenderbuffers", "", Rule::Run(|w, c, _| w.delete_all(Kind::Renderbuffer, c, 1))),
    ("GenSamplers", "", Rule::Run(|w, c, _| w.generate(Kind::Sampler, c, 1))),
    ("CreateSamplers", "", Rule::Run(|w, c, _| w.generate(Kind::Sampler, c, 1))),
    ("DeleteSamplers", "", Rule::Run(|w, c, _| w.delete_all(Kind::Sampler, c, 1))),
    ("GenQueries", "", Rule::Run(|w, c, _| w.generate(Kind::Query, c, 1))),
    ("CreateQueries", "", Rule::Run(|w, c, _| w.generate(Kind::Query, c, 2))),
    ("DeleteQueries", "", Rule::Run(|w, c, _| w.delete_all(Kind::Query, c, 1))),
    ("BindTexture", "", Rule::Run(bind)),
    ("BindTextureUnit", "", Rule::Run(bind_unit)),
    ("BindTextures", "", Rule::Run(bind_several)),
    ("BindMultiTexture", "", Rule::Run(bind_of_unit)),
    ("BindImageTexture", "", Rule::Run(bind_image)),
    ("TexParameter*", "", Rule::Run(parameter)),
    ("TexParameterI*", "", Rule::Run(parameter)),
    ("TextureParameter*", "", Rule::Run(parameter_of_named)),
    ("TextureParameterI*", "", Rule::Run(parameter_of_named)),
    ("TexBuffer", "", Rule::Run(buffer)),
    ("TexBufferRange", "", Rule::Run(buffer)),
    ("BindRenderbuffer", "", Rule::Run(bind_renderbuffer)),
    ("RenderbufferStorage", "", Rule::Run(storage)),
    ("RenderbufferStorageMultisample", "", Rule::Run(storage_of_samples)),
    ("CopyImageSubData", "", Rule::Run(copy_image)),
    ("ClearTexImage", "", Rule::Run(clear_image)),
    ("ClearTexSubImage", "", Rule::Run(clear_image)),
    ("BeginQuery", "", Rule::Run(begin_query)),
    ("EndQuery", "", Rule::Run(end_query)),
    (
        "QueryCounter",
        "",
        Rule::Run(|w, c, _| {
            let id = w.named(Kind::Query, c.uint(0).into());
            let cell = w.content(id, (0, 0), What::Whole, 0, 0);
            w.whole(cell);
        }),
    ),
    ("BeginConditionalRender", "", Rule::Run(condition)),
    (
        "EndConditionalRender",
        "",
        Rule::Run(|w, _, _| {
            let cell = w.state(What::Bound, gl::QUERY.into(), 0);
            w.whole(cell);
        }),
    ),
];

/// The place of levels that a call generates.
const OF_MIPMAPS: (u32, u32) = (u32::MAX, 0);
/// Names of one call that are looked at.
const MOST_NAMES: usize = 1 << 16;

impl World {
    pub(super) fn generate(&mut self, kind: Kind, call: &Call, at: usize) {
        for name in names_of(call, at).into_iter().take(MOST_NAMES).filter(|name| *name != 0) {
            self.make(kind, name.into());
        }
    }

    pub(super) fn delete_all(&mut self, kind: Kind, call: &Call, at: usize) {
        for name in names_of(call, at).into_iter().take(MOST_NAMES) {
            self.delete(kind, name.into());
        }
    }

    /// The texture that is bound to a target of a unit. What chooses it is read.
    fn bound_texture(&mut self, unit: u32, target: u32) -> Id {
        let target = target_of(target);
        let cell = self.state(What::Texture, unit.into(), target.into());
        self.read(cell);
        match self.shadow().textures.get(&(unit, target)).copied() {
            Some(id) => id,
            None => self.unnamed(Kind::Texture, target),
        }
    }

    fn set_texture(&mut self, unit: u32, target: u32, name: u32) {
        let id = self.named(Kind::Texture, name.into());
        self.used(id);
        if id == 0 {
            self.shadow().textures.remove(&(unit, target));
        } else {
            self.shadow().textures.insert((unit, target), id);
        }
        let cell = self.state(What::Texture, unit.into(), target.into());
        self.whole(cell);
    }

    /// Reads how pixels are taken from memory, and the buffer that they are in.
    pub(super) fn read_pixels(&mut self) {
        let pixels = self.context().pixels;
        self.read_all(pixels);
        self.read_buffer(gl::PIXEL_UNPACK_BUFFER);
    }

    /// Reads all of an object.
    pub(super) fn read_object(&mut self, id: Id) {
        let object = self.get(id);
        let (def, contents, locations) = (object.def, object.contents, object.locations);
        let is_program = object.kind == Kind::Program;
        self.read_all(def);
        self.read_all(contents);
        if is_program {
            self.read_all(locations);
        }
        let parts: Vec<Id> = self.get(id).parts.values().map(|part| part.0).filter(|part| *part != id).collect();
        for part in parts {
            let object = self.get(part);
            let (def, contents) = (object.def, object.contents);
            self.read_all(def);
            self.read_all(contents);
        }
    }
}

/// The target that a face belongs to.
fn target_of(target: u32) -> u32 {
    if is_cube(target) || face_of(target).is_some() { gl::TEXTURE_CUBE_MAP } else { target }
}

fn bind(world: &mut World, call: &Call, _: &Function) {
    let active = world.unit_cell();
    world.read(active);
    let unit = world.shadow().unit;
    world.set_texture(unit, call.uint(0), call.uint(1));
}

fn bind_of_unit(world: &mut World, call: &Call, _: &Function) {
    world.set_texture(call.uint(0).wrapping_sub(gl::TEXTURE0), call.uint(1), call.uint(2));
}

/// Binds to the target that the texture has, which is not followed: all targets of the unit may
/// change.
fn bind_unit(world: &mut World, call: &Call, _: &Function) {
    let (unit, name) = (call.uint(0), call.uint(1));
    let id = world.named(Kind::Texture, name.into());
    world.shadow().textures.insert((unit, u32::MAX), id);
    let cell = world.state(What::Texture, unit.into(), u64::from(u32::MAX));
    world.part(cell);
}

fn bind_several(world: &mut World, call: &Call, _: &Function) {
    let names = names_of(call, 2);
    for at in 0..call.uint(1).min(256) {
        let unit = call.uint(0) + at;
        let id = world.named(Kind::Texture, names.get(at as usize).copied().unwrap_or_default().into());
        world.shadow().textures.insert((unit, u32::MAX), id);
        let cell = world.state(What::Texture, unit.into(), u64::from(u32::MAX));
        world.part(cell);
    }
}

fn bind_image(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Texture, call.uint(1).into());
    world.shadow().images.insert(call.uint(0), id);
    let cell = world.state(What::Bound, gl::IMAGE_BINDING_NAME.into(), call.uint(0).into());
    world.whole(cell);
}

fn set_parameter(world: &mut World, id: Id, parameter: u32) {
    let def = world.get(id).def;
    let cell = world.cell(def, What::Parameter, parameter.into(), 0);
    world.whole(cell);
}

fn parameter(world: &mut World, call: &Call, _: &Function) {
    let active = world.unit_cell();
    world.read(active);
    let unit = world.shadow().unit;
    let id = world.bound_texture(unit, call.uint(0));
    set_parameter(world, id, call.uint(1));
}

fn parameter_of_named(world: &mut World, call: &Call, function: &Function) {
    let id = world.named(Kind::Texture, call.uint(0).into());
    let at = function.known.place("pname").unwrap_or(1);
    set_parameter(world, id, call.uint(at));
}

/// A call that gives a texture a size or contents.
pub(super) fn image(world: &mut World, call: &Call, function: &Function) {
    let Some(of) = function.known.texture else { return };
    let command = of.command(call);
    let target = command.target.unwrap_or_default();
    if is_proxy(target) {
        return;
    }
    let id = match (command.name, command.unit) {
        (Some(name), _) => world.named(Kind::Texture, name.into()),
        (None, Some(unit)) => world.bound_texture(unit, target),
        (None, None) => {
            let active = world.unit_cell();
            world.read(active);
            let unit = world.shadow().unit;
            world.bound_texture(unit, target)
        }
    };
    world.used(id);
    let face = face_of(target).unwrap_or_default();
    // Framebuffers have layers as places; an upload may have several.
    let place = (command.level, if command.dimensions == 3 { u32::MAX } else { face });
    let def = world.get(id).def;
    let shape = world.cell(def, What::Shape, command.level.into(), face.into());
    if matches!(command.does, Does::Image | Does::Part) {
        world.read_pixels();
    }
    match command.does {
        Does::Image | Does::CopyImage => {
            if command.does == Does::CopyImage {
                world.read_framebuffer();
            }
            world.replace(id, place);
            world.get_mut(id).sizes.insert(command.level, command.size);
            world.whole(shape);
            let cell = world.content(id, place, What::Whole, u64::from(command.level), u64::from(face));
            world.whole(cell);
            // The driver makes the other levels if the texture asks for that.
            let parameter = world.cell(def, What::Parameter, gl::GENERATE_MIPMAP.into(), 0);
            world.read(parameter);
        }
        Does::Storage => {
            for level in 0..command.level.min(32) {
                let [width, height, depth] = command.size;
                let half = |side: u32| (side >> level).max(1);
                world.get_mut(id).sizes.insert(level, [half(width), half(height), depth]);
            }
            world.part(shape);
            let cell = world.content(id, (0, u32::MAX), What::Whole, 0, u64::MAX);
            world.part(cell);
        }
        Does::Part | Does::CopyPart => {
            world.read_all(def);
            if command.does == Does::CopyPart {
                world.read_framebuffer();
            }
            let size = world.get(id).sizes.get(&command.level).copied();
            let covers = |size: [u32; 3]| command.size.iter().zip(size).all(|(side, of)| *side >= of);
            if command.offset == [0; 3] && size.is_some_and(covers) {
                world.replace(id, place);
            }
            let [x, y, z] = command.offset.map(|at| at as u64 & 0xffff);
            let [width, height, depth] = command.size.map(|side| u64::from(side) & 0xffff);
            let rectangle = x << 48 | y << 32 | z << 16 | depth;
            let level = u64::from(command.level) << 40 | u64::from(face) << 36;
            let cell = world.content(id, place, What::Part, rectangle, level | width << 16 | height);
            world.whole(cell);
        }
        Does::Mipmap => {
            // Of what it holds only the levels that calls have given: those of an earlier call of
            // this kind are made again.
            world.read_all(def);
            let levels = world.get(id).cells.iter().filter(|(place, _)| **place != OF_MIPMAPS);
            let mut read: Vec<u32> = levels.flat_map(|(_, cells)| cells.iter().copied()).collect();
            read.sort_unstable();
            read.into_iter().for_each(|cell| world.read(cell));
            let cell = world.content(id, OF_MIPMAPS, What::Mipmaps, 0, 0);
            world.whole(cell);
        }
    }
}

/// A texture reads a buffer.
fn buffer(world: &mut World, call: &Call, _: &Function) {
    let active = world.unit_cell();
    world.read(active);
    let unit = world.shadow().unit;
    let id = world.bound_texture(unit, call.uint(0));
    let of = world.named(Kind::Buffer, call.uint(2).into());
    world.get_mut(id).parts.insert(0, (of, 0, 0));
    set_parameter(world, id, gl::TEXTURE_BUFFER);
}

fn bind_renderbuffer(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Renderbuffer, call.uint(1).into());
    world.used(id);
    world.shadow().renderbuffer = id;
    let cell = world.state(What::Bound, gl::RENDERBUFFER.into(), 0);
    world.whole(cell);
}

fn give_storage(world: &mut World, width: u32, height: u32) {
    let bound = world.state(What::Bound, gl::RENDERBUFFER.into(), 0);
    world.read(bound);
    let id = world.shadow().renderbuffer;
    world.replace(id, (0, 0));
    world.get_mut(id).sizes.insert(0, [width, height, 1]);
    let def = world.get(id).def;
    let shape = world.cell(def, What::Shape, 0, 0);
    world.whole(shape);
    let cell = world.content(id, (0, 0), What::Whole, 0, 0);
    world.whole(cell);
}

fn storage(world: &mut World, call: &Call, _: &Function) {
    give_storage(world, call.uint(2), call.uint(3));
}

fn storage_of_samples(world: &mut World, call: &Call, _: &Function) {
    give_storage(world, call.uint(3), call.uint(4));
}

fn copy_image(world: &mut World, call: &Call, _: &Function) {
    let kind = |target: u32| if target == gl::RENDERBUFFER { Kind::Renderbuffer } else { Kind::Texture };
    let from = world.named(kind(call.uint(1)), call.uint(0).into());
    let to = world.named(kind(call.uint(7)), call.uint(6).into());
    world.read_object(from);
    let def = world.get(to).def;
    world.read_all(def);
    let cell = world.content(to, (call.uint(8), 0), What::Drawn, 0, call.uint(8).into());
    world.part(cell);
}

fn clear_image(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Texture, call.uint(0).into());
    let def = world.get(id).def;
    world.read_all(def);
    let cell = world.content(id, (call.uint(1), 0), What::Drawn, 0, call.uint(1).into());
    world.part(cell);
}

fn begin_query(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Query, call.uint(1).into());
    world.context().queries.push(id);
    let cell = world.content(id, (0, 0), What::Whole, 0, 0);
    world.whole(cell);
}

fn end_query(world: &mut World, _: &Call, _: &Function) {
    let queries = core::mem::take(&mut world.context().queries);
    for id in queries {
        let cell = world.content(id, (0, 0), What::Whole, 0, 0);
        world.part(cell);
    }
}

fn condition(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Query, call.uint(0).into());
    world.read_object(id);
    let cell = world.state(What::Bound, gl::QUERY.into(), 0);
    world.whole(cell);
}
