//! Draws, clears and copies: what they read and write, and what goes to the memory of the program.

use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::objects::Kind;
use unspool_gl::machine::{buffers, textures, what};

use super::bound::{COLOUR, DEPTH, Drawn, Part, STENCIL};
use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::pairs::query_of;
use super::scene::{Id, Own, Scene, WINDOWS};
use super::tape::Effect;
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("Clear", Rule::Instead(clear)),
    ("ClearBuffer*", Rule::Instead(|s, c, _| clear_buffer(s, c, 0))),
    ("ClearBufferfi", Rule::Instead(|s, c, _| clear_buffer(s, c, 0))),
    ("ClearNamedFramebuffer*", Rule::Instead(clear_named)),
    ("ClearNamedFramebufferfi", Rule::Instead(clear_named)),
    ("BlitFramebuffer", Rule::Instead(blit)),
    ("BlitNamedFramebuffer", Rule::Instead(blit_named)),
    ("ReadPixels", Rule::Instead(read_pixels)),
    ("ReadnPixels", Rule::Instead(read_pixels)),
    ("GetTexImage", Rule::Instead(read_texture)),
    ("GetCompressedTexImage", Rule::Instead(read_texture)),
    ("GetnTexImage", Rule::Instead(read_texture)),
    ("GetnCompressedTexImage", Rule::Instead(read_texture)),
    ("GetTextureImage", Rule::Instead(read_named)),
    ("GetTextureSubImage", Rule::Instead(read_named)),
    ("GetCompressedTextureImage", Rule::Instead(read_named)),
    ("GetCompressedTextureSubImage", Rule::Instead(read_named)),
    ("GetQueryObject*", Rule::Instead(read_query)),
    ("GetQueryObjecti64v", Rule::Instead(read_query)),
    ("GetQueryObjectui64v", Rule::Instead(read_query)),
    ("GetQueryBufferObjectiv", Rule::Instead(read_query_to)),
    ("GetQueryBufferObjectuiv", Rule::Instead(read_query_to)),
    ("GetQueryBufferObjecti64v", Rule::Instead(read_query_to)),
    ("GetQueryBufferObjectui64v", Rule::Instead(read_query_to)),
    ("Begin", Rule::Instead(begin)),
    ("End", Rule::Instead(end)),
    ("DispatchCompute", Rule::Instead(|s, _, _| s.draw())),
    ("DispatchComputeIndirect", Rule::Instead(|s, _, _| s.draw())),
    ("FenceSync", Rule::Instead(fence)),
    ("WaitSync", Rule::Instead(wait)),
    ("ClientWaitSync", Rule::Instead(wait)),
    ("DeleteSync", Rule::Instead(wait)),
    ("GetSynciv", Rule::Instead(wait)),
    ("RasterPos*", Rule::With(raster_position)),
    ("WindowPos*", Rule::With(raster_position)),
    ("Viewport", Rule::With(|s, c, _| s.grow_window(c.int(0) + c.int(2), c.int(1) + c.int(3)))),
];

/// A framebuffer that is drawn to: the object, 0 for the window, and the owner of what it is.
#[derive(Clone, Copy)]
struct Target {
    framebuffer: Id,
    owner: Id,
}

impl Scene {
    fn target(&self) -> Target {
        let framebuffer = self.framebuffer(false);
        Target { framebuffer, owner: self.owner_of(framebuffer) }
    }

    /// The framebuffer of a name. That it exists is read.
    fn named_framebuffer(&mut self, name: u32) -> Target {
        if let Some(id) = self.known(Kind::Framebuffer, name) {
            if let Some(cell) = self.name_cell(Kind::Framebuffer, name) {
                self.read(cell);
            }
            return Target { framebuffer: id, owner: id };
        }
        Target { framebuffer: 0, owner: self.owner_of(0) }
    }

    /// The cell of what is drawn to a part of a framebuffer.
    fn drawn_cell(&mut self, ((id, level, layer), aspect): Drawn) -> u32 {
        self.content(id, (level, layer), Own::Drawn, u64::from(aspect), u64::from(level) << 32 | u64::from(layer))
    }

    /// Contents of the window are not defined after it was swapped.
    pub(super) fn end_window(&mut self, window: Id) {
        let cell = self.drawn_cell(((window, 0, 0), COLOUR));
        if !self.reads_age {
            self.effects.push(Effect::Ends(cell));
        }
    }

    /// Reads what is in a framebuffer, 0 for the window.
    pub(super) fn read_framebuffer(&mut self, framebuffer: Id) {
        self.read_context(Class::State);
        let of = self.owner_of(framebuffer);
        if of != 0 {
            self.read_object(of);
        }
        for ((id, ..), _) in self.attachments(framebuffer, true) {
            self.read_object(id);
        }
    }

    /// Reads what is in the framebuffer that is read from.
    pub(super) fn read_bound_framebuffer(&mut self) {
        let framebuffer = self.framebuffer(true);
        self.read_framebuffer(framebuffer);
    }

    /// Whether what is drawn now lets shine through what was there.
    fn is_translucent(&mut self) -> bool {
        let alpha = match self.machine.value(self.machine.context_owner(), what::CURRENT_COLOR, 0) {
            Value::Floats([_, _, _, alpha], _) => *alpha,
            _ => 1.0,
        };
        let (programs, pipeline) = self.programs();
        let is_fixed = programs.is_empty() && pipeline == 0 && !self.has_assembly();
        alpha < 1.0 && is_fixed && self.is_on(gl::BLEND) && self.fixed_units().is_empty()
    }

    /// A draw, as things are now.
    pub(super) fn draw(&mut self) {
        self.draws = true;
        self.read_bound(false);
        let framebuffer = self.framebuffer(false);
        if self.is_of_frames && framebuffer == 0 && !core::mem::replace(&mut self.has_filled, true) {
            self.fades = self.is_translucent().then_some(self.number);
        }
        let [depth, stencil, discards] =
            [gl::DEPTH_TEST, gl::STENCIL_TEST, gl::RASTERIZER_DISCARD].map(|switch| self.is_on(switch));
        let masks_depth = self.masks(DEPTH);
        for drawn in self.attachments(framebuffer, false) {
            let cell = self.drawn_cell(drawn);
            match drawn.1 {
                DEPTH if depth => {
                    self.read_content(drawn.0);
                    if !masks_depth {
                        self.part(cell);
                    }
                }
                STENCIL if stencil => {
                    self.read_content(drawn.0);
                    self.part(cell);
                }
                COLOUR if !discards => self.part(cell),
                _ => {}
            }
        }
        self.write_by_shaders();
        let queries: Vec<Id> = self.context().queries.iter().map(|(_, id)| *id).collect();
        for id in queries {
            let cell = self.content(id, (0, 0), Own::Whole, 0, 0);
            self.part(cell);
        }
    }

    /// Writes what shaders and transform feedback may write.
    fn write_by_shaders(&mut self) {
        let is_feedback = self.read_begun(gl::TRANSFORM_FEEDBACK);
        let owner = self.machine.context_owner();
        let places = self.objects.get(&owner).into_iter().flat_map(|object| &object.places);
        let written = places.filter(|(cell, index)| match *cell {
            what::IMAGE_UNIT => true,
            what::INDEXED_BUFFER => match buffers::TARGETS.get(*index as usize >> 8).map(|(target, _)| *target) {
                Some(gl::SHADER_STORAGE_BUFFER | gl::ATOMIC_COUNTER_BUFFER) => true,
                Some(gl::TRANSFORM_FEEDBACK_BUFFER) => is_feedback,
                _ => false,
            },
            _ => false,
        });
        let written: Vec<(bool, Id)> = written
            .map(|(cell, index)| (*cell == what::IMAGE_UNIT, self.machine.object(owner, *cell, *index).1))
            .filter(|(_, id)| *id != 0)
            .collect();
        for (is_image, id) in written {
            if is_image {
                let cell = self.content(id, (0, 0), Own::Drawn, 9, 0);
                self.part(cell);
            } else {
                self.write_buffer(id);
            }
        }
    }

    /// Reads what is at a part of a framebuffer.
    fn read_content(&mut self, (id, level, layer): Part) {
        for cell in self.object(id).cells.get(&(level, layer)).cloned().unwrap_or_default() {
            self.read(cell);
        }
    }

    /// Whether writes to colour, depth or stencil are masked, all or some.
    fn masks(&self, aspect: u32) -> bool {
        let owner = self.machine.context_owner();
        let bits = |what| self.machine.number(owner, what, 0).is_some_and(|mask| mask & 0xff != 0xff);
        match aspect {
            COLOUR => (0..8).any(|index| match self.machine.value(owner, what::COLOR_WRITEMASK, index) {
                Value::Bools(channels) => channels.contains(&false),
                _ => false,
            }),
            DEPTH => self.machine.value(owner, what::DEPTH_WRITEMASK, 0) == &Value::Bool(false),
            _ => bits(what::STENCIL_WRITEMASK) || bits(what::STENCIL_BACK_WRITEMASK),
        }
    }

    /// The size of a part of a framebuffer, if it is known.
    fn size_of(&self, (id, level, layer): Part) -> Option<[i64; 2]> {
        if id >= WINDOWS {
            return self.objects.get(&id).map(|object| object.size.map(i64::from)).filter(|size| *size != [0; 2]);
        }
        let of = |what, index| match self.machine.value(id, what, index) {
            Value::Image(image) => Some([image.width, image.height].map(i64::from)),
            _ => None,
        };
        let level = |face| of(what::LEVEL, textures::level_index(level, face));
        level(if layer < 6 { layer } else { 0 }).or_else(|| level(0)).or_else(|| of(what::STORAGE, 0))
    }

    /// Whether a clear reaches all of a part of the framebuffer.
    fn is_unclipped(&self, part: Part) -> bool {
        let owner = self.machine.context_owner();
        let is_on = |index| self.machine.value(owner, what::SCISSOR_TEST, index) == &Value::Bool(true);
        if !(0..16).any(is_on) {
            return true;
        }
        let Value::Ints(scissor, _) = self.machine.value(owner, what::SCISSOR_BOX, 0) else { return false };
        let [x, y, width, height] = scissor.map(i64::from);
        self.size_of(part).is_some_and(|[across, up]| x <= 0 && y <= 0 && x + width >= across && y + height >= up)
    }

    /// A part of the framebuffer is written: all of it, or not.
    fn fill(&mut self, drawn: Drawn, is_all: bool) {
        let ((id, level, layer), aspect) = drawn;
        if is_all && aspect == COLOUR && id != 0 && id < WINDOWS {
            self.replace(id, (level, layer));
        }
        let cell = self.drawn_cell(drawn);
        if is_all { self.whole(cell) } else { self.part(cell) }
    }

    /// Reads the state, and what a framebuffer is.
    fn read_target(&mut self, target: Target) -> Vec<Drawn> {
        self.read_context(Class::State);
        if target.owner != 0 {
            self.read_all(target.owner, Class::State);
        }
        let attachments = self.attachments(target.framebuffer, false);
        for (part, _) in &attachments {
            self.read_all(part.0, Class::State);
        }
        attachments
    }

    /// Whether colours go to all attachments of a framebuffer, or to the back of a window.
    fn draws_all(&self, target: Target, colours: usize) -> bool {
        let buffer =
            |at: u16| self.machine.number(target.owner, what::DRAW_BUFFER0 + at, 0).map(|buffer| buffer as u32);
        let buffers: Vec<u32> = (0..8).filter_map(buffer).collect();
        if target.framebuffer == 0 {
            let is_back = |buffer: &u32| matches!(*buffer, gl::BACK | gl::BACK_LEFT | gl::FRONT_AND_BACK | gl::LEFT);
            return buffers.is_empty() || buffers.iter().any(is_back);
        }
        if buffers.is_empty() { colours <= 1 } else { buffers.iter().filter(|buffer| **buffer != 0).count() >= colours }
    }
}

/// A draw, whatever its function.
pub(super) fn draw(scene: &mut Scene, _: &Call, function: &Function) {
    let bare = function.bare();
    if bare.contains("Pixels") || bare.contains("Bitmap") {
        scene.read_pixels();
    }
    if bare.starts_with("Copy") {
        scene.read_bound_framebuffer();
    }
    scene.draw();
}

fn colours(attachments: &[Drawn]) -> usize {
    attachments.iter().filter(|(_, aspect)| *aspect == COLOUR).count()
}

/// The bit of colour, depth or stencil.
fn bit_of(aspect: u32) -> u32 {
    match aspect {
        COLOUR => gl::COLOR_BUFFER_BIT,
        DEPTH => gl::DEPTH_BUFFER_BIT,
        _ => gl::STENCIL_BUFFER_BIT,
    }
}

fn clear(scene: &mut Scene, call: &Call, _: &Function) {
    scene.draws = true;
    let target = scene.target();
    let attachments = scene.read_target(target);
    let is_all = scene.draws_all(target, colours(&attachments)) && !scene.is_on(gl::RASTERIZER_DISCARD);
    for drawn in attachments.into_iter().filter(|(_, aspect)| call.uint(0) & bit_of(*aspect) != 0) {
        let is_colour = drawn.1 == COLOUR;
        let is_masked = scene.masks(drawn.1) || is_colour && !is_all;
        scene.has_filled |= scene.is_of_frames && is_colour && target.framebuffer == 0;
        let is_unclipped = scene.is_unclipped(drawn.0);
        scene.fill(drawn, is_unclipped && !is_masked);
    }
}

/// A framebuffer that a call names is cleared, whichever is bound.
fn clear_named(scene: &mut Scene, call: &Call, _: &Function) {
    let target = scene.named_framebuffer(call.uint(0));
    clear_part(scene, target, call, 1);
}

fn clear_buffer(scene: &mut Scene, call: &Call, at: usize) {
    let target = scene.target();
    clear_part(scene, target, call, at);
}

/// `at`: the argument that says which buffer.
fn clear_part(scene: &mut Scene, target: Target, call: &Call, at: usize) {
    scene.draws = true;
    let aspects: &[u32] = match call.uint(at) {
        gl::COLOR => &[COLOUR],
        gl::DEPTH => &[DEPTH],
        gl::STENCIL => &[STENCIL],
        _ => &[DEPTH, STENCIL],
    };
    let attachments = scene.read_target(target);
    let colours = colours(&attachments);
    let is_one = colours <= 1 && call.int(at + 1) == 0 && scene.draws_all(target, colours);
    let discards = scene.is_on(gl::RASTERIZER_DISCARD);
    for drawn in attachments.into_iter().filter(|(_, aspect)| aspects.contains(aspect)) {
        let is_masked = discards || scene.masks(drawn.1) || drawn.1 == COLOUR && !is_one;
        let is_unclipped = scene.is_unclipped(drawn.0);
        scene.fill(drawn, is_unclipped && !is_masked);
    }
}

fn blit(scene: &mut Scene, call: &Call, _: &Function) {
    let (read, target) = (scene.framebuffer(true), scene.target());
    copy(scene, read, target, call, 0);
}

/// A copy between framebuffers that a call names, whichever are bound.
fn blit_named(scene: &mut Scene, call: &Call, _: &Function) {
    let [read, target] = [0, 1].map(|at| scene.named_framebuffer(call.uint(at)));
    copy(scene, read.framebuffer, target, call, 2);
}

/// `at`: the first argument after those that name framebuffers.
fn copy(scene: &mut Scene, read: Id, target: Target, call: &Call, at: usize) {
    scene.draws = true;
    scene.read_framebuffer(read);
    let attachments = scene.read_target(target);
    let [across, up] = [(4, 6), (5, 7)].map(|(from, to)| {
        let (from, to) = (call.int(at + from), call.int(at + to));
        (from.min(to), from.max(to))
    });
    if target.framebuffer == 0 {
        scene.grow_window(across.1, up.1);
    }
    let is_all = scene.draws_all(target, colours(&attachments));
    for drawn in attachments.into_iter().filter(|(_, aspect)| call.uint(at + 8) & bit_of(*aspect) != 0) {
        let size = scene.size_of(drawn.0);
        let covers =
            size.is_some_and(|[width, height]| across.0 <= 0 && up.0 <= 0 && across.1 >= width && up.1 >= height);
        let is_unclipped = scene.is_unclipped(drawn.0);
        scene.fill(drawn, covers && is_unclipped && is_all && drawn.1 == COLOUR);
    }
}

/// Pixels go to the memory of the program, or to a buffer.
fn read_pixels(scene: &mut Scene, _: &Call, _: &Function) {
    if scene.bound(what::PIXEL_PACK_BUFFER_BINDING, 0) != 0 {
        scene.read_bound_framebuffer();
        scene.write_packed();
    } else if scene.is_of_frames {
        scene.read_bound_framebuffer();
    }
}

fn read_texture(scene: &mut Scene, call: &Call, _: &Function) {
    if scene.bound(what::PIXEL_PACK_BUFFER_BINDING, 0) != 0 {
        let active = scene.active_unit();
        scene.read(active);
        let (unit, target) = (scene.machine.unit(), super::textures::target_of(call.uint(0)));
        let binding = textures::TARGETS.iter().find(|(of, ..)| *of == target).map_or(0, |(_, binding, _)| *binding);
        let cell = scene.setting(binding, unit);
        scene.read(cell);
        let texture = scene.bound(binding, unit);
        scene.read_object(texture);
        scene.write_packed();
    }
}

fn read_named(scene: &mut Scene, call: &Call, _: &Function) {
    if scene.bound(what::PIXEL_PACK_BUFFER_BINDING, 0) != 0 {
        if let Some(cell) = scene.name_cell(Kind::Texture, call.uint(0)) {
            scene.read(cell);
        }
        let texture = scene.known(Kind::Texture, call.uint(0)).unwrap_or_default();
        scene.read_object(texture);
        scene.write_packed();
    }
}

impl Scene {
    /// Pixels go to the buffer that is bound for that.
    fn write_packed(&mut self) {
        let cell = self.setting(what::PIXEL_PACK_BUFFER_BINDING, 0);
        self.read(cell);
        self.read_context(Class::Pixels);
        let buffer = self.bound(what::PIXEL_PACK_BUFFER_BINDING, 0);
        self.write_buffer(buffer);
    }
}

/// The result of a query goes to a buffer, if one is bound for that.
fn read_query(scene: &mut Scene, call: &Call, _: &Function) {
    let id = scene.bound(what::QUERY_BUFFER_BINDING, 0);
    if id != 0 {
        let cell = scene.setting(what::QUERY_BUFFER_BINDING, 0);
        scene.read(cell);
        result_to(scene, call, id);
    }
}

fn read_query_to(scene: &mut Scene, call: &Call, _: &Function) {
    if let Some(cell) = scene.name_cell(Kind::Buffer, call.uint(1)) {
        scene.read(cell);
    }
    let id = scene.known(Kind::Buffer, call.uint(1)).unwrap_or_default();
    result_to(scene, call, id);
}

fn result_to(scene: &mut Scene, call: &Call, buffer: Id) {
    let query = query_of(scene, call.uint(0));
    scene.read_object(query);
    scene.read_all(buffer, Class::State);
    scene.write_buffer(buffer);
}

fn begin(scene: &mut Scene, _: &Call, _: &Function) {
    let cell = scene.own(Own::Primitive, 0, 0);
    scene.whole(cell);
    scene.read_context(Class::Current);
    scene.context().is_in_primitive = true;
}

fn end(scene: &mut Scene, _: &Call, _: &Function) {
    scene.context().is_in_primitive = false;
    let cell = scene.own(Own::Primitive, 0, 0);
    scene.read(cell);
    scene.draw();
}

fn raster_position(scene: &mut Scene, _: &Call, _: &Function) {
    scene.read_context(Class::State);
    scene.read_context(Class::Current);
    scene.read_tops(scene.at);
}

fn fence(scene: &mut Scene, call: &Call, _: &Function) {
    let handle = call.result().int().unwrap_or_default() as u64;
    let cell = scene.cell(0, Class::Own, Own::Sync, handle, 0);
    scene.whole(cell);
}

fn wait(scene: &mut Scene, call: &Call, _: &Function) {
    let cell = scene.cell(0, Class::Own, Own::Sync, call.int(0) as u64, 0);
    scene.read(cell);
}
