//! Framebuffers and windows, and what draws, clears and copies read and write.

use unspool_gl::textures::face_of;
use unspool_gl::{egl, gl, glx};

use super::rules::{Function, Rule, Rules};
use super::tape::Effect;
use super::world::{Attached, Id, Kind, What, World};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("GenFramebuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Framebuffer, c, 1))),
    ("CreateFramebuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Framebuffer, c, 1))),
    ("DeleteFramebuffers", "", Rule::Run(|w, c, _| w.delete_all(Kind::Framebuffer, c, 1))),
    ("BindFramebuffer", "", Rule::Run(bind)),
    ("FramebufferTexture", "", Rule::Run(attach)),
    ("FramebufferTexture1D", "", Rule::Run(attach)),
    ("FramebufferTexture2D", "", Rule::Run(attach)),
    ("FramebufferTexture3D", "", Rule::Run(attach)),
    ("FramebufferTextureLayer", "", Rule::Run(attach)),
    ("FramebufferTexture2DMultisample", "", Rule::Run(attach)),
    ("FramebufferRenderbuffer", "", Rule::Run(attach)),
    ("NamedFramebufferTexture", "", Rule::Run(attach)),
    ("NamedFramebufferTextureLayer", "", Rule::Run(attach)),
    ("NamedFramebufferRenderbuffer", "", Rule::Run(attach)),
    ("DrawBuffer", "", Rule::Run(buffers_of)),
    ("DrawBuffers", "", Rule::Run(buffers_of)),
    ("ReadBuffer", "", Rule::Run(buffers_of)),
    ("Clear", "", Rule::Run(clear)),
    ("ClearBuffer*", "", Rule::Run(|w, c, _| clear_buffer(w, c, 0))),
    ("ClearBufferfi", "", Rule::Run(|w, c, _| clear_buffer(w, c, 0))),
    ("ClearNamedFramebuffer*", "", Rule::Run(clear_named)),
    ("ClearNamedFramebufferfi", "", Rule::Run(clear_named)),
    ("BlitFramebuffer", "", Rule::Run(|w, c, _| blit(w, c, 0))),
    ("BlitNamedFramebuffer", "", Rule::Run(blit_named)),
    ("ReadPixels", "", Rule::Run(read_pixels)),
    ("ReadnPixels", "", Rule::Run(read_pixels)),
    ("GetTexImage", "", Rule::Run(read_texture)),
    ("GetCompressedTexImage", "", Rule::Run(read_texture)),
    ("GetnTexImage", "", Rule::Run(read_texture)),
    ("GetnCompressedTexImage", "", Rule::Run(read_texture)),
    ("GetTextureImage", "", Rule::Run(read_named)),
    ("GetTextureSubImage", "", Rule::Run(read_named)),
    ("GetCompressedTextureImage", "", Rule::Run(read_named)),
    ("GetCompressedTextureSubImage", "", Rule::Run(read_named)),
    ("GetQueryObject*", "", Rule::Run(read_query)),
    ("GetQueryObjecti64v", "", Rule::Run(read_query)),
    ("GetQueryObjectui64v", "", Rule::Run(read_query)),
    ("GetQueryBufferObjectiv", "", Rule::Run(read_query_to)),
    ("GetQueryBufferObjectuiv", "", Rule::Run(read_query_to)),
    ("GetQueryBufferObjecti64v", "", Rule::Run(read_query_to)),
    ("GetQueryBufferObjectui64v", "", Rule::Run(read_query_to)),
    ("Begin", "", Rule::Run(begin)),
    ("End", "", Rule::Run(end)),
    ("Vertex*", "", Rule::Ignored),
    ("VertexP*", "", Rule::Ignored),
    ("EvalCoord1*", "", Rule::Ignored),
    ("EvalCoord2*", "", Rule::Ignored),
    ("EvalPoint1", "", Rule::Ignored),
    ("EvalPoint2", "", Rule::Ignored),
    ("ArrayElement", "", Rule::Ignored),
    ("BeginTransformFeedback", "", Rule::Run(begin_feedback)),
    ("EndTransformFeedback", "", Rule::Run(end_feedback)),
    ("DispatchCompute", "", Rule::Run(|w, _, _| w.draw())),
    ("DispatchComputeIndirect", "", Rule::Run(|w, _, _| w.draw())),
    ("FenceSync", "", Rule::Run(fence)),
    ("WaitSync", "", Rule::Run(wait)),
    ("ClientWaitSync", "", Rule::Run(wait)),
    ("DeleteSync", "", Rule::Run(wait)),
    ("GetSynciv", "", Rule::Run(wait)),
    ("eglQuerySurface", "", Rule::Run(query_window)),
    ("glXQueryDrawable", "", Rule::Run(query_window)),
    (
        "eglSurfaceAttrib",
        "",
        Rule::Run(|w, c, f| {
            w.always();
            query_window(w, c, f);
        }),
    ),
];

/// What is drawn to: which object, level and layer, and whether colour, depth or stencil.
type Drawn = (Attached, u32);

const COLOUR: u32 = 0;
const DEPTH: u32 = 1;
const STENCIL: u32 = 2;

impl World {
    /// What a framebuffer consists of.
    fn attachments(&mut self, framebuffer: Id, is_read: bool) -> Vec<Drawn> {
        if framebuffer == 0 {
            let context = self.context();
            let window = if is_read { context.read_window } else { context.window };
            return [COLOUR, DEPTH, STENCIL].map(|aspect| ((window, 0, 0), aspect)).into();
        }
        let parts: Vec<(u32, Attached)> = self.get(framebuffer).parts.iter().map(|(at, part)| (*at, *part)).collect();
        let mut all = Vec::new();
        for (at, part) in parts {
            match at {
                gl::DEPTH_ATTACHMENT => all.push((part, DEPTH)),
                gl::STENCIL_ATTACHMENT => all.push((part, STENCIL)),
                _ => all.push((part, COLOUR)),
            }
        }
        all
    }

    /// The cell of what is drawn to a part of a framebuffer.
    fn drawn_cell(&mut self, ((id, level, layer), aspect): Drawn) -> u32 {
        self.content(id, (level, layer), What::Drawn, u64::from(aspect), u64::from(level) << 32 | u64::from(layer))
    }

    /// Reads all state of the context, and what is bound.
    pub(super) fn read_everything(&mut self) {
        let context = self.context();
        let groups = [context.state, context.other, context.pixels, context.current];
        groups.into_iter().for_each(|group| self.read_all(group));
        self.read_bound(true);
        self.read_buffer(gl::PIXEL_UNPACK_BUFFER);
        self.read_buffer(gl::ARRAY_BUFFER);
    }

    /// Reads what a draw reads: state, programs, buffers, textures and the framebuffer.
    fn read_bound(&mut self, is_any_unit: bool) {
        let context = self.context();
        let mut all = vec![Effect::ReadAll(context.state), Effect::ReadAll(context.current)];
        all.extend(self.tops_of(self.at));
        self.buffers_read(&mut all);
        let units = self.programs_read(&mut all).filter(|_| !is_any_unit);
        let shadow = self.shadow();
        let is_read = |unit: &u32| units.as_ref().is_none_or(|units| units.contains(unit));
        let mut read: Vec<Id> =
            shadow.textures.iter().filter(|((unit, _), _)| is_read(unit)).map(|(_, id)| *id).collect();
        read.extend(self.unnamed_textures(units.as_deref()));
        let shadow = self.shadow();
        read.extend(shadow.samplers.iter().filter(|(unit, _)| is_read(unit)).map(|(_, id)| *id));
        read.extend(shadow.images.values());
        read.extend(&self.context().extras);
        read.sort_unstable();
        read.dedup();
        for id in read.into_iter().filter(|id| *id != 0) {
            let object = self.get(id);
            let of: Vec<Id> = object.parts.values().map(|part| part.0).collect();
            all.extend([Effect::ReadAll(object.def), Effect::ReadAll(object.contents)]);
            for part in of {
                let object = self.get(part);
                all.extend([Effect::ReadAll(object.def), Effect::ReadAll(object.contents)]);
            }
        }
        let framebuffer = self.shadow().draw;
        if framebuffer != 0 {
            all.push(Effect::ReadAll(self.get(framebuffer).def));
        }
        for (part, _) in self.attachments(framebuffer, false) {
            all.push(Effect::ReadAll(self.get(part.0).def));
        }
        let set = self.tape.set_of(&all);
        self.effects.push(Effect::ReadSet(set));
    }

    /// The textures without a name that units read: those of targets that have no other one in a
    /// unit. `None` for all units.
    fn unnamed_textures(&mut self, units: Option<&[u32]>) -> Vec<Id> {
        let context = self.context();
        let bound = &context.shadow.textures;
        let is_read =
            |target: &u32| units.is_none_or(|units| units.iter().any(|it| !bound.contains_key(&(*it, *target))));
        let unnamed = context.unnamed.iter().filter(|((kind, target), _)| *kind == Kind::Texture && is_read(target));
        unnamed.map(|(_, id)| *id).collect()
    }

    /// Reads what is in the framebuffer that is read from.
    pub(super) fn read_framebuffer(&mut self) {
        let state = self.context().state;
        self.read_all(state);
        let framebuffer = self.shadow().read;
        if framebuffer != 0 {
            self.read_object(framebuffer);
        }
        for ((id, ..), _) in self.attachments(framebuffer, true) {
            self.read_object(id);
        }
    }

    /// A draw, as things are now.
    pub(super) fn draw(&mut self) {
        self.draws = true;
        self.read_bound(false);
        let shadow = self.shadow();
        let is_clear = shadow.blends && shadow.is_translucent && shadow.fixed.is_empty();
        let is_fixed = shadow.program == 0 && shadow.pipeline == 0 && !shadow.has_assembly;
        if self.is_of_frames && self.shadow().draw == 0 && !core::mem::replace(&mut self.has_filled, true) {
            self.fades = (is_clear && is_fixed).then_some(self.number);
        }
        let shadow = self.shadow();
        let (depth, stencil) = (shadow.tests_depth, shadow.tests_stencil);
        let masks_depth = shadow.masks_depth;
        let (framebuffer, discards) = (shadow.draw, shadow.discards);
        let images: Vec<Id> = shadow.images.values().copied().filter(|id| *id != 0).collect();
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
        for id in images {
            let cell = self.content(id, (0, 0), What::Drawn, 9, 0);
            self.part(cell);
        }
        let shadow = self.shadow();
        let targets = [gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER];
        let mut written: Vec<Id> =
            shadow.indexed.iter().filter(|((target, _), _)| targets.contains(target)).map(|(_, id)| *id).collect();
        if self.context().feedback.is_some() {
            let shadow = self.shadow();
            let of_feedback = shadow.indexed.iter().filter(|((target, _), _)| *target == gl::TRANSFORM_FEEDBACK_BUFFER);
            written.extend(of_feedback.map(|(_, id)| *id));
            let group = self.context().own;
            let cell = self.cell(group, What::Bound, gl::TRANSFORM_FEEDBACK.into(), 0);
            self.read(cell);
        }
        for id in written.into_iter().filter(|id| *id != 0) {
            self.write_buffer(id);
        }
        for id in self.context().queries.clone() {
            let cell = self.content(id, (0, 0), What::Whole, 0, 0);
            self.part(cell);
        }
    }

    /// Reads what is at a part of a framebuffer.
    fn read_content(&mut self, (id, level, layer): Attached) {
        for cell in self.get(id).cells.get(&(level, layer)).cloned().unwrap_or_default() {
            self.read(cell);
        }
    }

    /// Whether a clear reaches all of a part of the framebuffer.
    fn is_unclipped(&mut self, (id, level, _): Attached) -> bool {
        let shadow = self.shadow();
        if !shadow.scissors {
            return true;
        }
        let [x, y, width, height] = shadow.scissor;
        let size = self.get(id).sizes.get(&level).map(|size| size.map(i64::from));
        size.is_some_and(|[across, up, _]| x <= 0 && y <= 0 && x + width >= across && y + height >= up)
    }

    /// A part of the framebuffer is written: all of it, or not.
    fn fill(&mut self, drawn: Drawn, is_all: bool) {
        let ((id, level, layer), aspect) = drawn;
        if is_all && aspect == COLOUR && id != 0 && self.get(id).kind != Kind::Window {
            self.replace(id, (level, layer));
        }
        let cell = self.drawn_cell(drawn);
        if is_all { self.whole(cell) } else { self.part(cell) }
    }

    fn begins_reading_state(&mut self) -> Id {
        let framebuffer = self.shadow().draw;
        let state = self.context().state;
        self.read_all(state);
        if framebuffer != 0 {
            let def = self.get(framebuffer).def;
            self.read_all(def);
        }
        for (part, _) in self.attachments(framebuffer, false) {
            let def = self.get(part.0).def;
            self.read_all(def);
        }
        framebuffer
    }

    /// A call ends a frame: it shows what is in the window.
    pub(super) fn swap(&mut self, call: &Call) {
        let named = (0..call.len().min(2)).find_map(|at| self.windows.get(&(call.int(at) as u64)).copied());
        let window = named.unwrap_or(self.context().window);
        if self.is_of_frames {
            self.read_object(window);
        }
        // Mesa finds out how large a window is when it is swapped, and draws into the old size
        // before.
        if core::mem::replace(&mut self.get_mut(window).is_resized, false) {
            let def = self.get(window).def;
            let cell = self.cell(def, What::Size, 0, 0);
            self.part(cell);
        }
        let cell = self.drawn_cell(((window, 0, 0), COLOUR));
        if !self.reads_age {
            self.effects.push(Effect::Ends(cell));
        }
    }
}

/// A draw, whatever its function.
pub(super) fn draw(world: &mut World, _: &Call, function: &Function) {
    let bare = function.known.canonical.as_str();
    if bare.contains("Pixels") || bare.contains("Bitmap") {
        world.read_pixels();
    }
    if bare.starts_with("Copy") {
        world.read_framebuffer();
    }
    world.draw();
}

fn bind(world: &mut World, call: &Call, _: &Function) {
    let (target, id) = (call.uint(0), world.named(Kind::Framebuffer, call.uint(1).into()));
    world.used(id);
    if target != gl::READ_FRAMEBUFFER {
        world.shadow().draw = id;
        let cell = world.state(What::Bound, gl::DRAW_FRAMEBUFFER.into(), 0);
        world.whole(cell);
    }
    if target != gl::DRAW_FRAMEBUFFER {
        world.shadow().read = id;
        let cell = world.state(What::Bound, gl::READ_FRAMEBUFFER.into(), 0);
        world.whole(cell);
    }
}

/// The framebuffer that is bound to a target. That it is bound is read.
fn bound(world: &mut World, target: u32) -> Id {
    let is_read = target == gl::READ_FRAMEBUFFER;
    let what = if is_read { gl::READ_FRAMEBUFFER } else { gl::DRAW_FRAMEBUFFER };
    let cell = world.state(What::Bound, what.into(), 0);
    world.read(cell);
    if is_read { world.shadow().read } else { world.shadow().draw }
}

fn attach(world: &mut World, call: &Call, function: &Function) {
    let known = &function.known;
    let of = |parameter: &str| known.uint(call, parameter);
    let framebuffer = match of("target") {
        Some(target) => bound(world, target),
        None => world.named(Kind::Framebuffer, of("framebuffer").unwrap_or_default().into()),
    };
    let (kind, name) = match of("renderbuffer") {
        Some(name) => (Kind::Renderbuffer, name),
        None => (Kind::Texture, of("texture").unwrap_or_default()),
    };
    let id = world.named(kind, name.into());
    let face = of("textarget").and_then(face_of).unwrap_or_default();
    let layer = of("layer").or(of("zoffset")).unwrap_or(face);
    let part = (id, of("level").unwrap_or_default(), layer);
    let def = world.get(framebuffer).def;
    let attachments = match of("attachment").unwrap_or_default() {
        gl::DEPTH_STENCIL_ATTACHMENT => vec![gl::DEPTH_ATTACHMENT, gl::STENCIL_ATTACHMENT],
        one => vec![one],
    };
    for attachment in attachments {
        let parts = &mut world.get_mut(framebuffer).parts;
        if id == 0 {
            parts.remove(&attachment);
        } else {
            parts.insert(attachment, part);
        }
        let cell = world.cell(def, What::Array, attachment.into(), 0);
        world.whole(cell);
    }
}

/// Which buffers are drawn to or read.
fn buffers_of(world: &mut World, call: &Call, function: &Function) {
    let is_read = function.known.canonical == "ReadBuffer";
    let framebuffer = bound(world, if is_read { gl::READ_FRAMEBUFFER } else { gl::DRAW_FRAMEBUFFER });
    let cell = if framebuffer == 0 {
        world.state(What::Bound, gl::DRAW_BUFFER.into(), is_read.into())
    } else {
        let def = world.get(framebuffer).def;
        world.cell(def, What::Bound, gl::DRAW_BUFFER.into(), is_read.into())
    };
    world.whole(cell);
    if !is_read {
        let buffers = if function.known.canonical == "DrawBuffers" {
            super::state::names_of(call, 1)
        } else {
            vec![call.uint(0)]
        };
        world.get_mut(framebuffer).draw_buffers = Some(buffers);
    }
}

/// Whether colours go to all attachments of a framebuffer, or to the back of a window.
fn draws_all(world: &World, framebuffer: Id, colours: usize) -> bool {
    let buffers = &world.get(framebuffer).draw_buffers;
    if framebuffer == 0 {
        let is_back = |buffer: &u32| matches!(*buffer, gl::BACK | gl::BACK_LEFT | gl::FRONT_AND_BACK | gl::LEFT);
        return buffers.as_ref().is_none_or(|buffers| buffers.iter().any(is_back));
    }
    match buffers {
        Some(buffers) => buffers.iter().filter(|buffer| **buffer != 0).count() >= colours,
        None => colours <= 1,
    }
}

fn clear(world: &mut World, call: &Call, _: &Function) {
    world.draws = true;
    let bits = call.uint(0);
    let framebuffer = world.begins_reading_state();
    let attachments = world.attachments(framebuffer, false);
    let colours = attachments.iter().filter(|(_, aspect)| *aspect == COLOUR).count();
    let is_all = draws_all(world, framebuffer, colours);
    for drawn in attachments {
        let shadow = world.shadow();
        let (bit, is_masked) = match drawn.1 {
            COLOUR => (gl::COLOR_BUFFER_BIT, shadow.masks_colour || !is_all),
            DEPTH => (gl::DEPTH_BUFFER_BIT, shadow.masks_depth),
            _ => (gl::STENCIL_BUFFER_BIT, shadow.masks_stencil),
        };
        if bits & bit != 0 {
            world.has_filled |= world.is_of_frames && drawn.1 == COLOUR && framebuffer == 0;
            let is_unclipped = world.is_unclipped(drawn.0);
            world.fill(drawn, is_unclipped && !is_masked);
        }
    }
}

/// A framebuffer that a call names is cleared, whichever is bound.
fn clear_named(world: &mut World, call: &Call, _: &Function) {
    let named = world.named(Kind::Framebuffer, call.uint(0).into());
    let bound = core::mem::replace(&mut world.shadow().draw, named);
    clear_buffer(world, call, 1);
    world.shadow().draw = bound;
}

/// `at`: the argument that says which buffer.
fn clear_buffer(world: &mut World, call: &Call, at: usize) {
    world.draws = true;
    let aspects: &[u32] = match call.uint(at) {
        gl::COLOR => &[COLOUR],
        gl::DEPTH => &[DEPTH],
        gl::STENCIL => &[STENCIL],
        _ => &[DEPTH, STENCIL],
    };
    let framebuffer = world.begins_reading_state();
    let attachments = world.attachments(framebuffer, false);
    let colours = attachments.iter().filter(|(_, aspect)| *aspect == COLOUR).count();
    let is_all = draws_all(world, framebuffer, colours);
    for drawn in attachments.into_iter().filter(|(_, aspect)| aspects.contains(aspect)) {
        let shadow = world.shadow();
        let is_masked = match drawn.1 {
            _ if shadow.discards => true,
            COLOUR => shadow.masks_colour || colours > 1 || call.int(at + 1) != 0 || !is_all,
            DEPTH => shadow.masks_depth,
            _ => shadow.masks_stencil,
        };
        let is_unclipped = world.is_unclipped(drawn.0);
        world.fill(drawn, is_unclipped && !is_masked);
    }
}

/// A copy between framebuffers that a call names, whichever are bound.
fn blit_named(world: &mut World, call: &Call, _: &Function) {
    let [read, draw] = [0, 1].map(|at| world.named(Kind::Framebuffer, call.uint(at).into()));
    let shadow = world.shadow();
    let bound = (core::mem::replace(&mut shadow.read, read), core::mem::replace(&mut shadow.draw, draw));
    blit(world, call, 2);
    let shadow = world.shadow();
    (shadow.read, shadow.draw) = bound;
}

/// `at`: the first argument after those that name framebuffers.
fn blit(world: &mut World, call: &Call, at: usize) {
    world.draws = true;
    world.read_framebuffer();
    let framebuffer = world.begins_reading_state();
    let [across, up] = [(4, 6), (5, 7)].map(|(from, to)| {
        let (from, to) = (call.int(at + from), call.int(at + to));
        (from.min(to), from.max(to))
    });
    world.grow_window(across.1, up.1);
    let bits = call.uint(at + 8);
    let attachments = world.attachments(framebuffer, false);
    let colours = attachments.iter().filter(|(_, aspect)| *aspect == COLOUR).count();
    let is_all = draws_all(world, framebuffer, colours);
    for drawn in attachments {
        let bit = match drawn.1 {
            COLOUR => gl::COLOR_BUFFER_BIT,
            DEPTH => gl::DEPTH_BUFFER_BIT,
            _ => gl::STENCIL_BUFFER_BIT,
        };
        if bits & bit == 0 {
            continue;
        }
        let size = world.get(drawn.0.0).sizes.get(&drawn.0.1).map(|size| size.map(i64::from));
        let covers =
            size.is_some_and(|[width, height, _]| across.0 <= 0 && up.0 <= 0 && across.1 >= width && up.1 >= height);
        let is_unclipped = world.is_unclipped(drawn.0);
        world.fill(drawn, covers && is_unclipped && is_all && drawn.1 == COLOUR);
    }
}

/// Pixels go to the memory of the program, or to a buffer.
fn read_pixels(world: &mut World, _: &Call, _: &Function) {
    let id = world.shadow().buffers.get(&gl::PIXEL_PACK_BUFFER).copied().unwrap_or_default();
    if id != 0 {
        world.read_framebuffer();
        let cell = world.buffer_cell(gl::PIXEL_PACK_BUFFER);
        world.read(cell);
        let pixels = world.context().pixels;
        world.read_all(pixels);
        world.write_buffer(id);
    } else if world.is_of_frames {
        world.read_framebuffer();
    }
}

fn read_texture(world: &mut World, call: &Call, _: &Function) {
    let id = world.shadow().buffers.get(&gl::PIXEL_PACK_BUFFER).copied().unwrap_or_default();
    if id != 0 {
        let active = world.unit_cell();
        world.read(active);
        let (unit, target) = (world.shadow().unit, call.uint(0));
        let of = world.shadow().textures.get(&(unit, target)).copied().unwrap_or_default();
        let cell = world.state(What::Texture, unit.into(), target.into());
        world.read(cell);
        pack(world, of, id);
    }
}

fn read_named(world: &mut World, call: &Call, _: &Function) {
    let id = world.shadow().buffers.get(&gl::PIXEL_PACK_BUFFER).copied().unwrap_or_default();
    if id != 0 {
        let of = world.named(Kind::Texture, call.uint(0).into());
        pack(world, of, id);
    }
}

/// Pixels of a texture go to the buffer that is bound for that.
fn pack(world: &mut World, texture: Id, buffer: Id) {
    world.read_object(texture);
    let cell = world.buffer_cell(gl::PIXEL_PACK_BUFFER);
    world.read(cell);
    let pixels = world.context().pixels;
    world.read_all(pixels);
    world.write_buffer(buffer);
}

/// The result of a query goes to a buffer, if one is bound for that.
fn read_query(world: &mut World, call: &Call, _: &Function) {
    let id = world.shadow().buffers.get(&gl::QUERY_BUFFER).copied().unwrap_or_default();
    if id != 0 {
        let cell = world.buffer_cell(gl::QUERY_BUFFER);
        world.read(cell);
        result_to(world, call, id);
    }
}

fn read_query_to(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Buffer, call.uint(1).into());
    result_to(world, call, id);
}

fn result_to(world: &mut World, call: &Call, buffer: Id) {
    let query = world.named(Kind::Query, call.uint(0).into());
    world.read_object(query);
    let def = world.get(buffer).def;
    world.read_all(def);
    world.write_buffer(buffer);
}

/// A program that asks how old the contents of a window are draws only what has changed since.
fn query_window(world: &mut World, call: &Call, _: &Function) {
    let asked = [egl::BUFFER_AGE_EXT, egl::BUFFER_PRESERVED, glx::BACK_BUFFER_AGE_EXT];
    world.reads_age |= (0..call.len()).any(|at| asked.contains(&call.uint(at)));
}

/// The cell of the primitive that is being given.
pub(super) fn primitive(world: &mut World) -> u32 {
    let group = world.context().own;
    world.cell(group, What::Current, 0, 0)
}

fn begin(world: &mut World, _: &Call, _: &Function) {
    let cell = primitive(world);
    world.whole(cell);
    let current = world.context().current;
    world.read_all(current);
    world.context().is_in_primitive = true;
}

fn end(world: &mut World, _: &Call, _: &Function) {
    world.context().is_in_primitive = false;
    let cell = primitive(world);
    world.read(cell);
    world.draw();
}

fn begin_feedback(world: &mut World, _: &Call, _: &Function) {
    world.read_bound(false);
    let number = world.number;
    world.context().feedback = Some(number);
    let group = world.context().own;
    let cell = world.cell(group, What::Bound, gl::TRANSFORM_FEEDBACK.into(), 0);
    world.whole(cell);
}

fn end_feedback(world: &mut World, _: &Call, _: &Function) {
    if let Some(begun) = world.context().feedback.take() {
        let number = world.number;
        world.tape.pair(begun, number);
        // A call without effects would not be on the tape.
        let group = world.context().own;
        let cell = world.cell(group, What::Bound, gl::TRANSFORM_FEEDBACK.into(), 0);
        world.read(cell);
    }
}

fn fence(world: &mut World, call: &Call, _: &Function) {
    let handle = call.result().int().unwrap_or_default() as u64;
    let group = world.owner_group;
    let cell = world.cell(group, What::Mapped, handle, 0);
    world.whole(cell);
}

fn wait(world: &mut World, call: &Call, _: &Function) {
    let group = world.owner_group;
    let cell = world.cell(group, What::Mapped, call.int(0) as u64, 0);
    world.read(cell);
}
