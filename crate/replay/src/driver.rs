//! The driver: executes calls of the trace and says what WebGL2 has to do.
//!
//! There is one WebGL2 context for all contexts of the trace. Each of these has its state here.
//! Before a draw, what differs from the state that WebGL2 has is sent. So contexts, share groups
//! and the fixed function do not get in each other's way, and calls that change nothing cost
//! nothing.

use std::collections::BTreeMap;
use std::rc::Rc;

use hashbrown::HashMap;
use unspool_gl::call::Call;
use unspool_gl::machine::Machine;
use unspool_gl::mappings::Mappings;
use unspool_gl::{Absence, Charged, gl};

use crate::calls::{Function, Handlers};
use crate::glsl::Input;
use crate::objects::{ATTRIBUTES, Context, Drawable, Framebuffer, Kept, Objects, SLOTS, Texture, UNITS};
use crate::ops::{Kind, Op, Stream};
use crate::state::{State, word};
use crate::verdict::Verdict;

/// What a trace may demand.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of textures, renderbuffers and buffers together.
    pub bytes: u64,
    /// Contexts; four times as many windows. Those that were destroyed count. Toolkits that draw
    /// pages of the Web, such as Qt WebEngine, make about ten.
    pub contexts: usize,
    /// Vertices of a draw, times its instances.
    pub vertices: u64,
    /// Operations of the vertices of a draw.
    pub vertex_work: u64,
    /// Operations of a pixel that all primitives of a draw cover: a draw is executed in parts, none
    /// of which is smaller.
    pub pixel_work: u64,
    /// Vertices of all draws of a picture.
    pub all_vertices: u64,
    /// Commands of display lists within one call.
    pub list_commands: u64,
    /// Width and height of a texture or window.
    pub size: u32,
    /// Operations of a shader once all calls of functions are written out, as compilers do.
    pub shader: u64,
}

impl Bounds {
    /// For drivers that draw without a GPU.
    pub fn software(self) -> Self {
        Self { vertex_work: 1 << 32, pixel_work: 1 << 34, shader: 1 << 15, ..self }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes: 512 << 20,
            contexts: 32,
            vertices: 1 << 24,
            vertex_work: 1 << 37,
            pixel_work: 1 << 37,
            all_vertices: 1 << 31,
            list_commands: 1 << 20,
            size: 8192,
            shader: 1 << 16,
        }
    }
}

/// Bytes that an object counts for beside its content, and an entry of a table of names.
pub(crate) const OBJECT: u64 = 256;
/// A texture's binding by the slot of `Context::units`.
pub(crate) const BINDINGS: [u32; SLOTS] = [
    gl::TEXTURE_2D,
    gl::TEXTURE_CUBE_MAP,
    gl::TEXTURE_3D,
    gl::TEXTURE_2D_ARRAY,
    gl::TEXTURE_2D,
    gl::TEXTURE_2D,
    gl::TEXTURE_2D,
    gl::TEXTURE_2D,
];

/// What a draw samples: a unit, the slot of WebGL2 there, and the slot of the trace if it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampled {
    pub(crate) unit: usize,
    pub(crate) slot: usize,
    pub(crate) of: Option<usize>,
}

impl Sampled {
    /// The texture there.
    pub(crate) fn texture<'a>(&self, context: &Context, objects: &'a Objects) -> Option<&'a Texture> {
        let names = context.units.get(self.unit).copied().unwrap_or_default();
        let name_at = |slot: usize| names.get(slot).copied().unwrap_or(0);
        // Three kinds of textures are the same in WebGL2. One of them is bound where the program
        // does not say which.
        let bound = || [0, 5, 4].into_iter().find(|of| self.slot == 0 && name_at(*of) != 0);
        let of = self.of.or_else(bound).unwrap_or(self.slot);
        let name = name_at(of);
        objects.textures.get(&if name == 0 { u32::MAX - of as u32 } else { name })
    }
}

/// What WebGL2 has.
#[derive(Clone, Debug, Default)]
struct Actual {
    state: Option<State>,
    draw: Option<u32>,
    read: Option<u32>,
    program: Option<u32>,
    /// Textures by unit: 2D, cube, 3D, 2D array.
    textures: [[Option<u32>; 4]; UNITS],
    samplers: [Option<u32>; UNITS],
    enabled: [bool; ATTRIBUTES],
    attributes: [Option<[u32; 9]>; ATTRIBUTES],
    element: Option<u32>,
}

/// A context being replayed, with what it needs at hand.
#[derive(Clone)]
pub struct Replay {
    /// What WebGL2 has to do.
    pub stream: Stream,
    pub(crate) bounds: Bounds,
    /// All contexts of the trace, which are current, and their settings.
    pub(crate) machine: Machine,
    /// What contexts hold, by position among all: those that are not destroyed, or still current.
    pub(crate) contexts: BTreeMap<u32, Context>,
    /// Contexts that were made so far.
    pub(crate) made: u32,
    pub(crate) groups: BTreeMap<u32, Objects>,
    /// Mappings of buffers, by share group and name.
    pub(crate) mapped: Mappings<(u32, u32), ()>,
    pub(crate) at: Option<u32>,
    pub(crate) drawables: HashMap<i64, Drawable>,
    actual: Actual,
    handles: [u32; 6],
    pub(crate) next_slot: u32,
    pub(crate) bytes: u64,
    /// Vertices of the draws of a picture, and of those of the current call.
    pub(crate) vertices: u64,
    pub(crate) call_vertices: u64,
    /// Bytes, indices and the like that were looked at or copied since they were asked for last:
    /// what calls take on this side.
    pub(crate) work: u64,
    /// Bytes of buffers that were kept without being wanted by a GPU.
    kept_bytes: u64,
    pub(crate) list_work: u64,
    /// Why nothing more is executed.
    pub halted: Option<String>,
    /// It is because of [`Bounds::bytes`], which may be raised.
    pub lacks_bytes: bool,
    /// What was found out about draws.
    pub verdict: Verdict,
    /// Draws to windows before this call are left out.
    pub skip_before: u64,
    /// Draws to framebuffers of the trace before this call are left out.
    pub skip_surfaces: u64,
    pub(crate) surfaces: crate::surfaces::Surfaces,
    /// What draws and copies wrote, by surface: see [`crate::surfaces`].
    pub(crate) writes: HashMap<u32, crate::written::Writes>,
    /// Draws wrote to what [`Replay::drawn`] does not list: mipmaps, and textures that were deleted
    /// while attached.
    pub(crate) has_parts: bool,
    /// Draws are shown as lines.
    pub wireframe: bool,
    pub(crate) call: u64,
    /// The highest call that was executed. Calls come as they return, so lower ones may come later.
    pub(crate) highest: u64,
    /// Programs of the fixed function, by the parts of it that they have.
    pub(crate) fixed_programs: HashMap<crate::fixed_shaders::Parts, crate::objects::Linked>,
    pub(crate) scratch: [u32; ATTRIBUTES + 2],
    /// The framebuffer that images are copied from; 0 until it is needed.
    pub(crate) copier: u32,
    pub(crate) handlers: Rc<Handlers>,
    pub(crate) list_depth: u32,
    /// Draws of arrays are added to the list that is being compiled.
    pub(crate) is_compiling: bool,
    /// What programs of WebGL2 were made from: it may complain about them.
    pub programs: HashMap<u32, Rc<crate::shader_list::Made>>,
    pub(crate) translations: crate::glsl::Translations,
    /// Textures that WebGL2 has from an earlier replay: what they hold is not sent again.
    pub(crate) kept: HashMap<u32, Kept>,
    /// The latest call that swapped buffers.
    pub(crate) swapped: Option<u64>,
    /// What inputs of the current draw are fed by: kept to spare allocations.
    pub(crate) pending: Vec<(Input, u32, Option<crate::objects::Array>)>,
    pub(crate) uniform_buffers: HashMap<u32, [u32; 4]>,
    pub(crate) plan: crate::plan::Plan,
    /// Names of uniform blocks, by program and index.
    pub(crate) blocks: HashMap<(u32, u32), String>,
    /// Programs that were sent in another epoch are not in WebGL2.
    pub(crate) epoch: u64,
}

impl Replay {
    /// A replay that has executed nothing. `emits`: whether commands are wanted.
    pub fn new(bounds: Bounds, emits: bool) -> Self {
        Self {
            stream: Stream { on: emits, most_held: bounds.bytes / 4, ..Stream::default() },
            bounds,
            machine: Machine::of_settings(),
            contexts: BTreeMap::new(),
            made: 0,
            groups: BTreeMap::new(),
            mapped: Mappings::default(),
            at: None,
            drawables: HashMap::new(),
            actual: Actual::default(),
            handles: [0; 6],
            next_slot: 0,
            bytes: 0,
            vertices: 0,
            call_vertices: 0,
            work: 0,
            kept_bytes: 0,
            list_work: 0,
            halted: None,
            lacks_bytes: false,
            verdict: Verdict::default(),
            skip_before: 0,
            skip_surfaces: 0,
            surfaces: crate::surfaces::Surfaces::default(),
            writes: HashMap::new(),
            has_parts: false,
            wireframe: false,
            call: 0,
            highest: 0,
            fixed_programs: HashMap::new(),
            scratch: [0; ATTRIBUTES + 2],
            copier: 0,
            handlers: Rc::default(),
            list_depth: 0,
            is_compiling: false,
            programs: HashMap::new(),
            translations: crate::glsl::Translations::new(bounds.shader),
            kept: HashMap::new(),
            swapped: None,
            pending: Vec::new(),
            uniform_buffers: HashMap::new(),
            plan: crate::plan::Plan::default(),
            blocks: HashMap::new(),
            epoch: 1,
        }
    }

    /// Has the functions and translations of another replay of the same trace.
    pub(crate) fn share(&mut self, other: &Self) {
        self.handlers = Rc::clone(&other.handlers);
        self.translations = other.translations.clone();
    }

    /// WebGL2 has no objects and no state: what is needed is sent.
    pub(crate) fn has_nothing(&mut self) {
        self.actual = Actual::default();
        self.uniform_buffers.clear();
        self.scratch = [0; ATTRIBUTES + 2];
    }

    /// The number that calls of a function have ([`Call::function`]).
    pub fn function(&self, name: &str) -> u32 {
        self.handlers.number(name)
    }

    /// Executes a call.
    pub fn execute(&mut self, call: &Call) {
        if self.halted.is_some() {
            return;
        }
        (self.call, self.highest) = (call.number, self.highest.max(call.number));
        self.stream.call = call.number as u32;
        (self.list_work, self.call_vertices) = (0, 0);
        let before = self.stream.moment();
        let Some(function) = self.handlers.get(call.function) else { return };
        if function.needs_context {
            self.at = self.machine.all().current(call.thread);
            if self.at.is_none() {
                return;
            }
        }
        self.run(call, &function);
        if self.halted.is_some() {
            // What demands too much is not handed over in part.
            self.stream.return_to(before);
        }
    }

    #[cfg(test)]
    pub(crate) fn execute_example(&mut self, example: &unspool_gl::example::Example) {
        self.execute(&example.call(self.function(&example.name)));
    }

    /// Executes a call, or adds it to the list that is being compiled.
    fn run(&mut self, call: &Call, function: &Function) {
        if let Some(context) = self.bound()
            && let Some((_, executes, _)) = context.recording
            && function.is_compiled
        {
            self.compile(call, function);
            if !executes {
                return;
            }
        }
        self.execute_by(call, function);
    }

    /// Executes a call by what is known of its function, whether or not a list is being compiled.
    pub(crate) fn execute_by(&mut self, call: &Call, function: &Function) {
        let Function { name, handler, .. } = function;
        match *handler {
            Ok(handler) => handler.execute(self, call),
            Err(Some(Absence::Needless(_))) => {}
            Err(Some(Absence::Refused(Charged::Draw, reason))) => self.unshown(reason),
            Err(Some(Absence::Refused(Charged::Primitive, reason))) => {
                if let Some(context) = self.context() {
                    context.fixed.spoiled = Some(reason);
                }
            }
            Err(Some(Absence::Refused(Charged::Function, reason))) => self.verdict.ignore(name, reason, self.call),
            Err(None) => self.verdict.ignore(name, "it is not known what it does", self.call),
        }
    }

    /// The context of the current call.
    pub(crate) fn context(&mut self) -> Option<&mut Context> {
        self.contexts.get_mut(&self.at?)
    }

    /// The same, to look at.
    pub(crate) fn bound(&self) -> Option<&Context> {
        self.contexts.get(&self.at?)
    }

    /// The context of the current call with its objects.
    pub(crate) fn both(&mut self) -> Option<(&mut Context, &mut Objects, &mut Stream)> {
        let context = self.contexts.get_mut(&self.at?)?;
        let objects = self.groups.get_mut(&context.group)?;
        Some((context, objects, &mut self.stream))
    }

    /// A new object.
    pub(crate) fn handle(&mut self, kind: Kind) -> u32 {
        self.reserve(0, OBJECT);
        let last = self.handles.get_mut(kind as usize);
        last.map_or(0, |last| {
            *last += 1;
            *last
        })
    }

    /// Stops the replay.
    pub(crate) fn halt(&mut self, why: impl Into<String>) {
        self.halted.get_or_insert_with(|| why.into());
    }

    /// A draw that cannot be shown.
    pub(crate) fn unshown(&mut self, reason: &str) {
        if self.is_compiling {
            // It is drawn when the list is called.
            return self.list(crate::calls::Listed::Lack(reason.into()));
        }
        self.verdict.add(self.call, Some(reason));
        self.note_lack();
    }

    /// What calls have taken on this side since this was asked last, in bytes that were looked at
    /// or copied.
    pub(crate) fn take_work(&mut self) -> u64 {
        core::mem::take(&mut self.work).saturating_add(64 * self.translations.take_steps() as u64)
    }

    /// Whether bytes that are written to a buffer are kept. Without a GPU they only serve to look
    /// at indices: further ones are taken to be good.
    pub(crate) fn keeps(&mut self, bytes: usize) -> bool {
        self.work += bytes as u64;
        if self.stream.on {
            return true;
        }
        self.kept_bytes += bytes as u64;
        self.kept_bytes <= self.bounds.bytes / 8
    }

    /// Accounts for bytes of memory, of the GPU or of this side. Returns whether there is room.
    pub(crate) fn reserve(&mut self, freed: u64, needed: u64) -> bool {
        self.bytes = self.bytes.saturating_sub(freed).saturating_add(needed);
        if self.bytes > self.bounds.bytes {
            let limit = self.bounds.bytes >> 20;
            let call = self.call;
            self.lacks_bytes |= self.halted.is_none();
            self.halt(format!(
                "From call {call} on, the textures and buffers of this trace take more than {limit} MiB. The replay ends there."
            ));
            return false;
        }
        true
    }

    /// The window of the current context is at least this large.
    pub(crate) fn grow(&mut self, width: u32, height: u32) {
        let Some(context) = self.bound() else { return };
        let id = context.drawable;
        let known = self.drawables.get(&id).copied().unwrap_or_default();
        // Half of the memory at most: some traces have viewports without an end.
        let most = self.bounds.bytes / 16;
        let is_large = u64::from(width) * u64::from(height) > most;
        let side = if is_large { (most.isqrt() as u32).min(self.bounds.size) } else { self.bounds.size };
        let (width, height) = (width.min(side).max(1), height.min(side).max(1));
        if known.width >= width && known.height >= height {
            return;
        }
        let (width, height) = (width.max(known.width), height.max(known.height));
        let old = u64::from(known.width) * u64::from(known.height) * 8;
        if !self.reserve(old, u64::from(width) * u64::from(height) * 8) {
            return;
        }
        let is_new = known.framebuffer == 0;
        let mut made = Drawable { width, height, ..known };
        if is_new {
            made.framebuffer = self.handle(Kind::Framebuffer);
        }
        // A larger window keeps what was drawn: it is copied over.
        let old_color = known.color;
        made.color = self.handle(Kind::Texture);
        made.depth = if is_new { self.handle(Kind::Renderbuffer) } else { known.depth };
        let format = [
            made.color,
            gl::TEXTURE_2D,
            gl::TEXTURE_2D,
            0,
            gl::RGBA8,
            width,
            height,
            0,
            gl::RGBA,
            gl::UNSIGNED_BYTE,
            0,
            0,
        ];
        self.stream.put(Op::TexImage, &format);
        self.stream.put(Op::TexParameter, &[made.color, gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST, 0]);
        if !is_new {
            // While its depths are as large as its colours: nothing can be read otherwise.
            self.bind_framebuffer(gl::READ_FRAMEBUFFER, made.framebuffer);
            let copy = [made.color, gl::TEXTURE_2D, gl::TEXTURE_2D, 0, 0, 0, 0, 0, 0, known.width, known.height, 0];
            self.stream.put(Op::CopyTexSubImage, &copy);
        }
        self.stream.put(Op::RenderbufferStorage, &[made.depth, 0, gl::DEPTH24_STENCIL8, width, height]);
        self.bind_framebuffer(gl::DRAW_FRAMEBUFFER, made.framebuffer);
        self.stream.put(Op::FramebufferTexture, &[gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, made.color, 0, u32::MAX]);
        self.stream.put(Op::FramebufferRenderbuffer, &[gl::DEPTH_STENCIL_ATTACHMENT, made.depth]);
        if !is_new {
            self.stream.put(Op::Delete, &[Kind::Texture as u32, old_color]);
            self.reserve(OBJECT, 0);
        }
        self.drawables.insert(id, made);
    }

    /// The framebuffer that is drawn to: number in WebGL2, width, height.
    pub fn target(&mut self) -> Option<(u32, u32, u32)> {
        let context = self.bound()?;
        if context.draw_framebuffer != 0 {
            let framebuffer = context.framebuffers.get(&context.draw_framebuffer)?;
            let (width, height) = framebuffer.size();
            return Some((framebuffer.handle, width, height));
        }
        let drawable = self.drawables.get(&context.drawable)?;
        Some((drawable.framebuffer, drawable.width, drawable.height))
    }

    /// The window of a thread's context: number of its framebuffer in WebGL2, width, height.
    pub fn window(&self) -> Option<(u32, u32, u32)> {
        let context = self.bound()?;
        let drawable = self.drawables.get(&context.drawable)?;
        Some((drawable.framebuffer, drawable.width, drawable.height))
    }

    /// What a picture after the current call shows: its window if it swapped the buffers of one, or
    /// else what it draws to.
    pub fn shown(&mut self) -> Option<(u32, u32, u32)> {
        if self.swapped == Some(self.call) { self.window() } else { self.target() }
    }

    /// Binds a framebuffer of WebGL2.
    pub(crate) fn bind_framebuffer(&mut self, target: u32, handle: u32) {
        let known = if target == gl::READ_FRAMEBUFFER { &mut self.actual.read } else { &mut self.actual.draw };
        if *known != Some(handle) {
            *known = Some(handle);
            self.stream.put(Op::BindFramebuffer, &[target, handle]);
        }
    }

    /// The framebuffer of the trace with this name in the current context.
    pub(crate) fn framebuffer(&mut self, name: u32) -> Option<&mut Framebuffer> {
        let handle = match self.context()?.framebuffers.get(&name) {
            Some(known) => known.handle,
            None => self.handle(Kind::Framebuffer),
        };
        let context = self.context()?;
        let found = context.framebuffers.entry(name).or_default();
        found.handle = handle;
        Some(found)
    }

    /// Binds what is drawn to, and what is read from. Returns false if there is nothing.
    pub(crate) fn bind_targets(&mut self) -> bool {
        let Some(context) = self.bound() else { return false };
        let (draw, read, window, reads) =
            (context.draw_framebuffer, context.read_framebuffer, context.drawable, context.read_drawable);
        let handle = |name: u32, window: i64| match name {
            0 => self.drawables.get(&window).map(|drawable| drawable.framebuffer),
            name => context.framebuffers.get(&name).map(|framebuffer| framebuffer.handle),
        };
        let (draw, read) = (handle(draw, window), handle(read, reads));
        if let Some(read) = read {
            self.bind_framebuffer(gl::READ_FRAMEBUFFER, read);
        }
        if let Some(draw) = draw {
            self.bind_framebuffer(gl::DRAW_FRAMEBUFFER, draw);
        }
        draw.is_some()
    }

    /// Whether draws go to a framebuffer that no requested picture needs.
    pub(crate) fn is_skipped(&self) -> bool {
        let context = self.bound();
        let is_window = context.is_some_and(|context| context.draw_framebuffer == 0);
        self.call < if is_window { self.skip_before } else { self.skip_surfaces }
    }

    // ---- textures

    /// The texture that is bound in the active unit.
    pub(crate) fn texture_at(&mut self, target: u32) -> Option<&mut Texture> {
        let slot = slot_of(target)?;
        let context = self.context()?;
        let name = *context.units.get(context.active)?.get(slot)?;
        self.texture(name, slot)
    }

    /// The texture with this name; made if it is new. Name 0 is a texture of its own for each
    /// target.
    pub(crate) fn texture(&mut self, name: u32, slot: usize) -> Option<&mut Texture> {
        let key = if name == 0 { u32::MAX - slot as u32 } else { name };
        let known = self.both()?.1.textures.get(&key).map_or(0, |texture| texture.handle);
        let handle = if known == 0 { self.handle(Kind::Texture) } else { known };
        let texture = self.both()?.1.textures.entry(key).or_default();
        if known == 0 {
            texture.handle = handle;
            texture.slot = slot;
            texture.binding = BINDINGS.get(slot).copied().unwrap_or(gl::TEXTURE_2D);
        }
        Some(texture)
    }

    // ---- draws

    /// Sends what differs for a draw or clear.
    pub(crate) fn flush_state(&mut self) -> bool {
        if !self.bind_targets() {
            return false;
        }
        let Some(context) = self.at.and_then(|at| self.contexts.get(&at)) else { return false };
        if context.clips[0] == gl::UPPER_LEFT {
            // What is upside down is still seen from the same side: OpenGL 4.6, section 14.6.1.
            let mut state = context.state.clone();
            let face = if state.get(word::FRONT_FACE) == gl::CW { gl::CCW } else { gl::CW };
            state.put(word::FRONT_FACE, &[face]);
            state.flush(&mut self.actual.state, &mut self.stream);
        } else {
            context.state.flush(&mut self.actual.state, &mut self.stream);
        }
        true
    }

    /// Makes a program of WebGL2 the current one.
    pub(crate) fn use_program(&mut self, handle: u32) {
        if self.actual.program != Some(handle) {
            self.actual.program = Some(handle);
            self.stream.put(Op::UseProgram, &[handle]);
        }
    }

    /// Sends which textures and samplers the units have that a draw samples. Returns whether one
    /// exchanges its channels, or why one cannot be sampled.
    pub(crate) fn flush_textures(&mut self, sampled: &[Sampled]) -> Result<bool, &'static str> {
        let Some(context) = self.at.and_then(|at| self.contexts.get(&at)) else { return Ok(false) };
        let Some(objects) = self.groups.get(&context.group) else { return Ok(false) };
        let (mut problem, mut exchanges) = (None, false);
        let reads = !self.surfaces.is_empty();
        for sampled in sampled {
            let Sampled { unit, slot, .. } = *sampled;
            if unit >= UNITS {
                problem = problem.or(Some("it samples more texture units than WebGL2 has"));
                continue;
            }
            let texture = sampled.texture(context, objects);
            problem = problem.or_else(|| texture.and_then(|texture| texture.problem));
            exchanges |= texture.is_some_and(|texture| texture.channels() != [0, 1, 2, 3]);
            let handle = texture.map_or(0, |texture| texture.handle);
            if reads && handle != 0 {
                self.surfaces.read(handle);
            }
            if let Some(known) = self.actual.textures.get_mut(unit).and_then(|slots| slots.get_mut(slot))
                && known.unwrap_or(0) != handle
            {
                *known = Some(handle);
                let binding = BINDINGS.get(slot).copied().unwrap_or(gl::TEXTURE_2D);
                self.stream.put(Op::BindTexture, &[unit as u32, binding, handle]);
            }
            let name = context.samplers.get(unit).copied().unwrap_or(0);
            let sampler = objects.samplers.get(&name).copied().unwrap_or(0);
            if let Some(known) = self.actual.samplers.get_mut(unit)
                && known.unwrap_or(0) != sampler
            {
                *known = Some(sampler);
                self.stream.put(Op::BindSampler, &[unit as u32, sampler]);
            }
        }
        problem.map_or(Ok(exchanges), Err)
    }

    /// A texture was deleted: units that had it have none.
    pub(crate) fn unbound_texture(&mut self, handle: u32) {
        for slot in self.actual.textures.iter_mut().flatten() {
            if *slot == Some(handle) {
                *slot = None;
            }
        }
    }

    /// Points an input at an array. `words`: buffer, size, type, normalised, stride, offset,
    /// integer, divisor.
    pub(crate) fn point(&mut self, location: u32, words: [u32; 8]) {
        let [buffer, size, kind, normalized, stride, offset, integer, divisor] = words;
        let all = [location, buffer, size, kind, normalized, stride, offset, integer, divisor];
        if let Some(known) = self.actual.attributes.get_mut(location as usize)
            && *known != Some(all)
        {
            *known = Some(all);
            self.stream.put(Op::AttribPointer, &all);
        }
        self.enable(location, true);
    }

    /// Gives an input one value.
    pub(crate) fn constant(&mut self, input: &Input, column: u32, value: [f32; 4]) {
        let location = input.location + column;
        let mut words = [location, input.kind, 0, 0, 0, 0];
        for (slot, x) in words.iter_mut().skip(2).zip(value) {
            *slot = match input.kind {
                0 => x.to_bits(),
                1 => x as i32 as u32,
                _ => x as u32,
            };
        }
        self.stream.put(Op::AttribValue, &words);
        self.enable(location, false);
    }

    fn enable(&mut self, location: u32, on: bool) {
        if let Some(known) = self.actual.enabled.get_mut(location as usize)
            && *known != on
        {
            *known = on;
            self.stream.put(Op::AttribEnable, &[location, on.into()]);
        }
    }

    /// Disables the inputs that a program does not have: their arrays may be shorter.
    pub(crate) fn disable_others(&mut self, used: u32) {
        for location in 0..ATTRIBUTES as u32 {
            if used >> location & 1 == 0 {
                self.enable(location, false);
            }
        }
    }

    /// Binds a buffer of indices.
    pub(crate) fn bind_elements(&mut self, handle: u32) {
        if self.actual.element != Some(handle) {
            self.actual.element = Some(handle);
            self.stream.put(Op::ElementBuffer, &[handle]);
        }
    }

    /// A buffer of WebGL2 was deleted: pointers to it become null.
    pub(crate) fn unbound_buffer(&mut self, handle: u32) {
        for attribute in &mut self.actual.attributes {
            if attribute.is_some_and(|words| words.get(1) == Some(&handle)) {
                *attribute = None;
            }
        }
        if self.actual.element == Some(handle) {
            self.actual.element = None;
        }
    }

    /// A framebuffer of WebGL2 was deleted.
    pub(crate) fn unbound_framebuffer(&mut self, handle: u32) {
        for known in [&mut self.actual.draw, &mut self.actual.read] {
            if *known == Some(handle) {
                *known = None;
            }
        }
    }

    /// A buffer of our own, for data that the trace keeps in memory.
    pub(crate) fn scratch(&mut self, number: usize) -> u32 {
        let known = self.scratch.get(number).copied().unwrap_or(0);
        if known != 0 {
            return known;
        }
        let made = self.handle(Kind::Buffer);
        if let Some(slot) = self.scratch.get_mut(number) {
            *slot = made;
        }
        made
    }
}

/// The slot of `Context::units` that a target belongs to.
pub(crate) fn slot_of(target: u32) -> Option<usize> {
    Some(match target {
        gl::TEXTURE_2D | gl::PROXY_TEXTURE_2D => 0,
        gl::TEXTURE_CUBE_MAP
        | gl::TEXTURE_CUBE_MAP_POSITIVE_X..=gl::TEXTURE_CUBE_MAP_NEGATIVE_Z
        | gl::PROXY_TEXTURE_CUBE_MAP => 1,
        gl::TEXTURE_3D | gl::PROXY_TEXTURE_3D => 2,
        gl::TEXTURE_2D_ARRAY | gl::PROXY_TEXTURE_2D_ARRAY => 3,
        gl::TEXTURE_1D | gl::PROXY_TEXTURE_1D => 4,
        gl::TEXTURE_RECTANGLE | gl::PROXY_TEXTURE_RECTANGLE => 5,
        gl::TEXTURE_2D_MULTISAMPLE => 6,
        gl::TEXTURE_BUFFER => 7,
        _ => return None,
    })
}
