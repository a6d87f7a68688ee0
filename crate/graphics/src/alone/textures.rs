//! Contents of textures and renderbuffers.

use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::objects::Kind;
use unspool_gl::machine::textures::level_index;
use unspool_gl::machine::what;
use unspool_gl::textures::{Does, face_of, is_cube};

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, Own, Scene};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("CopyImageSubData", Rule::With(copy_image)),
    ("ClearTexImage", Rule::With(clear_image)),
    ("ClearTexSubImage", Rule::With(clear_image)),
];

/// The place of levels that a call generates.
const OF_MIPMAPS: (u32, u32) = (u32::MAX, 0);

impl Scene {
    /// Reads how pixels are taken from memory, and the buffer that they are in.
    pub(super) fn read_pixels(&mut self) {
        self.read_context(Class::Pixels);
        self.read_buffer(what::PIXEL_UNPACK_BUFFER_BINDING);
    }
}

/// The target that a face belongs to.
pub(super) fn target_of(target: u32) -> u32 {
    if is_cube(target) || face_of(target).is_some() { gl::TEXTURE_CUBE_MAP } else { target }
}

/// A call that gives a texture a size or contents.
pub(super) fn image(scene: &mut Scene, id: Id, call: &Call, function: &Function) {
    let Some(of) = function.known.texture else { return };
    let command = of.command(call);
    let face = command.target.and_then(face_of).unwrap_or_default();
    // Framebuffers have layers as places; an upload may have several.
    let place = (command.level, if command.dimensions == 3 { u32::MAX } else { face });
    let shape = scene.cell(id, Class::State, Own::Shape, command.level.into(), face.into());
    if matches!(command.does, Does::Image | Does::Part) {
        scene.read_pixels();
    }
    match command.does {
        Does::Image | Does::CopyImage => {
            if command.does == Does::CopyImage {
                scene.read_bound_framebuffer();
            }
            scene.replace(id, place);
            scene.whole(shape);
            let cell = scene.content(id, place, Own::Whole, command.level.into(), face.into());
            scene.whole(cell);
        }
        Does::Storage => {
            scene.part(shape);
            let cell = scene.content(id, (0, u32::MAX), Own::Whole, 0, u64::MAX);
            scene.part(cell);
        }
        Does::Part | Does::CopyPart => {
            scene.read_all(id, Class::State);
            if command.does == Does::CopyPart {
                scene.read_bound_framebuffer();
            }
            let size = match scene.machine.value(id, what::LEVEL, level_index(command.level, face)) {
                Value::Image(image) => Some([image.width, image.height, image.depth]),
                _ => None,
            };
            let covers = |size: [u32; 3]| command.size.iter().zip(size).all(|(side, of)| *side >= of);
            if command.offset == [0; 3] && size.is_some_and(covers) {
                scene.replace(id, place);
            }
            let [x, y, z] = command.offset.map(|at| at as u64 & 0xffff);
            let [width, height, depth] = command.size.map(|side| u64::from(side) & 0xffff);
            let rectangle = x << 48 | y << 32 | z << 16 | depth;
            let level = u64::from(command.level) << 40 | u64::from(face) << 36;
            let cell = scene.content(id, place, Own::Part, rectangle, level | width << 16 | height);
            scene.whole(cell);
        }
        Does::Mipmap => {
            // Of what it holds only the levels that calls have given: those of an earlier call of
            // this kind are made again.
            scene.read_all(id, Class::State);
            let levels = scene.object(id).cells.iter().filter(|(place, _)| **place != OF_MIPMAPS);
            let mut read: Vec<u32> = levels.flat_map(|(_, cells)| cells.iter().copied()).collect();
            read.sort_unstable();
            read.into_iter().for_each(|cell| scene.read(cell));
            let cell = scene.content(id, OF_MIPMAPS, Own::Mipmaps, 0, 0);
            scene.whole(cell);
        }
    }
}

/// A renderbuffer gets a size.
pub(super) fn stored(scene: &mut Scene, id: Id) {
    scene.replace(id, (0, 0));
    let cell = scene.content(id, (0, 0), Own::Whole, 0, 0);
    scene.whole(cell);
}

/// The texture or renderbuffer of a name. That it exists is read.
fn named(scene: &mut Scene, target: u32, name: u32) -> Id {
    let kind = if target == gl::RENDERBUFFER { Kind::Renderbuffer } else { Kind::Texture };
    if let Some(cell) = scene.name_cell(kind, name) {
        scene.read(cell);
    }
    scene.known(kind, name).unwrap_or_default()
}

fn copy_image(scene: &mut Scene, call: &Call, _: &Function) {
    let [from, to] = [0, 6].map(|at| named(scene, call.uint(at + 1), call.uint(at)));
    scene.read_object(from);
    scene.read_all(to, Class::State);
    let cell = scene.content(to, (call.uint(8), 0), Own::Drawn, 0, call.uint(8).into());
    scene.part(cell);
}

fn clear_image(scene: &mut Scene, call: &Call, _: &Function) {
    let id = named(scene, 0, call.uint(0));
    scene.read_all(id, Class::State);
    let cell = scene.content(id, (call.uint(1), 0), Own::Drawn, 0, call.uint(1).into());
    scene.part(cell);
}
