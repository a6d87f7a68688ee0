//! The objects of the trace, and what is known of them here.

use std::rc::Rc;

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_trace::sort;

use crate::calls::Listed;
use crate::content::Content;
use crate::driver::OBJECT;
use crate::fixed::FIXED_UNITS;
use crate::glsl::Translated;
use crate::glsl::channels::ENCODED;
use crate::pixels::Storage;
use crate::state::State;

/// The clip volume of a new context: see [`Context::clips`].
pub(crate) const USUAL_CLIPS: [u32; 2] = [gl::LOWER_LEFT, gl::NEGATIVE_ONE_TO_ONE];

/// Units that a draw can use. The last two of WebGL2's 32 are for uploads and for reading depths.
pub(crate) const UNITS: usize = 30;
/// Slots of a unit: 2D, cube, 3D, 2D array, 1D, rectangle, 2D with several samples a pixel, buffer.
pub(crate) const SLOTS: usize = 8;
/// The slot of buffer textures.
pub(crate) const BUFFER: usize = 7;
/// What each unit has, by slot.
pub(crate) type Units = [[u32; SLOTS]; 32];
/// Buffers of uniforms that a draw can use.
pub(crate) const UNIFORM_BUFFERS: u32 = 64;
/// Attributes that a draw can use.
pub(crate) const ATTRIBUTES: usize = 16;
/// Colours, normal and fog coordinate, coordinates of texture units, and generic attributes.
pub(crate) const CURRENT_VALUES: usize = 4 + FIXED_UNITS + ATTRIBUTES;
/// All that is current of vertices.
pub(crate) type Current = [[f32; 4]; CURRENT_VALUES];

/// A texture.
#[derive(Clone, Debug)]
pub(crate) struct Texture {
    pub(crate) handle: u32,
    /// What it is bound to in the trace, as a slot of [`Units`], and in WebGL2.
    pub(crate) slot: usize,
    pub(crate) binding: u32,
    pub(crate) storage: Option<Storage>,
    /// Width, height and depth of each level.
    pub(crate) levels: Vec<[u32; 3]>,
    /// Mipmaps are made whenever level 0 changes.
    pub(crate) generates: bool,
    /// The latest mipmaps are those of what it holds.
    pub(crate) has_mipmaps: bool,
    /// The renderbuffer that WebGL2 has for it, with its samples a pixel.
    pub(crate) samples: Option<(u32, u32)>,
    /// Levels of one whose storage cannot change; 0 for others.
    pub(crate) immutable: u32,
    /// Bytes by face and level.
    pub(crate) sizes: HashMap<(u32, u32), u64>,
    /// Why it cannot be sampled as in the trace.
    pub(crate) problem: Option<&'static str>,
    /// What each channel is sampled as.
    pub(crate) swizzle: [u32; 4],
    /// If its colours are encoded as sRGB, they are sampled so.
    pub(crate) keeps_encoded: bool,
    /// Added to its levels of detail by the fixed function.
    pub(crate) bias: f32,
    /// The latest call that uploaded to it.
    pub(crate) uploaded: u64,
    /// Draws and copies may write to it, so that uploads do not say all that it holds.
    pub(crate) is_drawn: bool,
    /// Of a buffer texture.
    pub(crate) texels: Option<crate::calls::Texels>,
}

/// A texture that WebGL2 has from an earlier replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The latest call that uploaded to it.
    pub uploaded: u64,
    /// What it is bound to.
    pub binding: u32,
    /// Its size.
    pub bytes: u64,
}

impl Default for Texture {
    fn default() -> Self {
        Self {
            handle: 0,
            slot: 0,
            binding: gl::TEXTURE_2D,
            storage: None,
            levels: Vec::new(),
            generates: false,
            has_mipmaps: false,
            samples: None,
            immutable: 0,
            sizes: HashMap::new(),
            problem: None,
            swizzle: [gl::RED, gl::GREEN, gl::BLUE, gl::ALPHA],
            keeps_encoded: false,
            bias: 0.0,
            uploaded: 0,
            is_drawn: false,
            texels: None,
        }
    }
}

impl Texture {
    /// Its channels as [`crate::glsl::channels`] numbers them.
    pub(crate) fn channels(&self) -> [u32; 4] {
        let [red, rest @ ..] = self.swizzle.map(|channel| match channel {
            gl::RED..=gl::ALPHA => channel - gl::RED,
            gl::ONE => 5,
            _ => 4,
        });
        let is_encoded = self.keeps_encoded && self.storage.is_some_and(|of| of.internal == gl::SRGB8_ALPHA8);
        let [green, blue, alpha] = rest;
        [if is_encoded { red + ENCODED } else { red }, green, blue, alpha]
    }
}

/// A buffer. Its content is kept here: indices, mapped ranges and conversions need it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) data: Content,
    pub(crate) usage: u32,
    /// In WebGL2, for anything but indices. 0 until it is used.
    pub(crate) handle: u32,
    /// For indices: WebGL2 wants buffers of their own for these.
    pub(crate) index_handle: u32,
    /// How often it was written to.
    pub(crate) version: u64,
    /// The range that each of the two lacks.
    pub(crate) stale: [Stale; 2],
    /// The highest of ranges of indices that were looked at: offset, count and type of each.
    pub(crate) highest: Vec<([usize; 3], Option<u32>)>,
    /// Mapped: its address, and the offset and length of the range.
    pub(crate) mapped: Option<(i64, usize, usize)>,
    /// Why its content is not what it is in the trace.
    pub(crate) problem: Option<&'static str>,
    /// The latest call by which the graphics processor writes it, unless it was allocated since.
    pub(crate) written: Option<u64>,
}

/// What WebGL2 does not know yet of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stale {
    None,
    Range(usize, usize),
    #[default]
    All,
}

impl Stale {
    pub(crate) fn add(&mut self, from: usize, to: usize) {
        *self = match *self {
            Self::None => Self::Range(from, to),
            Self::Range(a, b) => Self::Range(a.min(from), b.max(to)),
            Self::All => Self::All,
        };
    }
}

/// A shader.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shader {
    pub(crate) kind: u32,
    pub(crate) source: Rc<str>,
    /// The source when it was compiled.
    pub(crate) compiled: Rc<str>,
    /// The call that compiled it.
    pub(crate) call: u64,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) shaders: Vec<u32>,
    pub(crate) attributes: HashMap<String, u32>,
    pub(crate) outputs: HashMap<String, u32>,
    pub(crate) linked: Option<Linked>,
    /// Why it cannot be used.
    pub(crate) problem: Option<String>,
}

/// A program that was linked.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    pub(crate) handle: u32,
    pub(crate) made: Rc<Translated>,
    /// The shaders that it was linked from.
    pub(crate) origin: Rc<crate::shader_list::Made>,
    /// Inputs as the trace numbers them: these may differ from what the translation guessed.
    pub(crate) inputs: Vec<crate::glsl::Input>,
    /// Slots by location in the trace.
    pub(crate) locations: HashMap<i64, crate::calls::Found>,
    /// What it samples. `None` if samplers are in structures, which are not looked into.
    pub(crate) samplers: Option<Vec<Sampler>>,
    /// Names of whole uniforms by location, as far as the trace asked for them.
    pub(crate) asked: std::collections::BTreeMap<i64, String>,
    /// Slots of the names that the replay itself sets, with their values.
    pub(crate) parts: HashMap<String, (u32, Vec<u32>)>,
    /// WebGL2 has it, since this epoch of the replay; 0 if not. It gets a program with the first
    /// draw that is executed: compilers take their time.
    pub(crate) sent_in: u64,
    /// What WebGL2 has of it.
    pub(crate) sent: Sent,
    /// What WebGL2 gets with the next draw: names of slots, bindings of blocks, and values, each
    /// with its slot first.
    pub(crate) names: Vec<(u32, String)>,
    pub(crate) bindings: Vec<(String, u32)>,
    pub(crate) values: Vec<Vec<u32>>,
}

impl Linked {
    /// Bytes that it takes, about.
    pub(crate) fn bytes(&self) -> u64 {
        OBJECT + self.made.bytes()
    }

    /// WebGL2 does not have it any more: all that it had comes before what it lacks.
    pub(crate) fn again(&mut self) {
        let Sent { mut names, bindings, values, .. } = core::mem::take(&mut self.sent);
        names.append(&mut self.names);
        self.names = names;
        for binding in bindings {
            if self.bindings.iter().all(|(known, _)| *known != binding.0) {
                self.bindings.push(binding);
            }
        }
        let mut values: Vec<(u64, Vec<u32>)> = values.into_values().flatten().collect();
        let order = sort::order(values.len(), &[&|at| values.get(at).map_or(0, |(place, _)| *place)]);
        values = sort::in_order(values, &order);
        let late = core::mem::replace(&mut self.values, values.into_iter().map(|(_, words)| words).collect());
        for words in late {
            self.set(words);
        }
    }

    /// The sampler with this name in the translation, and the element that it says.
    pub(crate) fn sampler(&self, shown: &str) -> Option<(usize, usize)> {
        let (base, element) = shown.split_once('[').map_or((shown, 0), |(base, rest)| {
            (base, rest.strip_suffix(']').and_then(|number| number.parse().ok()).unwrap_or(0))
        });
        let at = self.samplers.as_ref()?.iter().position(|sampler| sampler.shown == base)?;
        Some((at, element))
    }

    /// Sets a uniform. `words` are those of [`crate::ops::Op::Uniform`].
    pub(crate) fn set(&mut self, words: Vec<u32>) {
        // A value that this one writes over is not sent. Longer ones may have more elements.
        self.values.retain(|known| known.first() != words.first() || known.len() > words.len());
        self.values.push(words);
    }
}

/// What WebGL2 has of a program, for another time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    names: Vec<(u32, String)>,
    bindings: HashMap<String, u32>,
    /// Values by slot, with their place in the order of all.
    values: HashMap<u32, Vec<(u64, Vec<u32>)>>,
    count: u64,
}

impl Sent {
    pub(crate) fn name(&mut self, slot: u32, name: String) {
        self.names.push((slot, name));
    }

    pub(crate) fn binding(&mut self, name: String, binding: u32) {
        self.bindings.insert(name, binding);
    }

    pub(crate) fn value(&mut self, words: Vec<u32>) {
        let Some(slot) = words.first() else { return };
        let known = self.values.entry(*slot).or_default();
        // As in `Linked::set`.
        known.retain(|(_, known)| known.len() > words.len());
        self.count += 1;
        known.push((self.count, words));
    }
}

/// A uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) slot: u32,
    /// Elements from here on; further ones are left out.
    pub(crate) elements: u32,
    /// The index of the sampler that it is, and the first element of that.
    pub(crate) sampler: Option<(usize, usize)>,
}

/// A uniform that samples textures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sampler {
    /// Its name in the translation.
    pub(crate) shown: String,
    /// The first slot of [`Units`] that it may sample.
    pub(crate) slot: usize,
    /// The unit of each element.
    pub(crate) units: Vec<u32>,
}

/// A renderbuffer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Renderbuffer {
    pub(crate) handle: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: u32,
    /// Its internal format in WebGL2.
    pub(crate) format: u32,
    pub(crate) bytes: u64,
    pub(crate) problem: Option<&'static str>,
    /// It was attached to a framebuffer.
    pub(crate) is_drawn: bool,
}

/// What several contexts share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) textures: HashMap<u32, Texture>,
    pub(crate) buffers: HashMap<u32, Buffer>,
    pub(crate) shaders: HashMap<u32, Shader>,
    pub(crate) programs: HashMap<u32, Rc<Program>>,
    pub(crate) renderbuffers: HashMap<u32, Renderbuffer>,
    pub(crate) samplers: HashMap<u32, u32>,
    pub(crate) lists: HashMap<u32, Rc<Vec<Listed>>>,
}

/// An array of vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    pub(crate) enabled: bool,
    /// Components, or `GL_BGRA`.
    pub(crate) size: u32,
    pub(crate) kind: u32,
    pub(crate) normalized: bool,
    pub(crate) integer: bool,
    pub(crate) stride: u32,
    pub(crate) offset: usize,
    pub(crate) buffer: u32,
    pub(crate) divisor: u32,
    /// The index of [`VertexArray::bindings`] that a generic one comes from, and its offset there.
    pub(crate) binding: usize,
    pub(crate) relative: usize,
    /// Memory of the program.
    pub(crate) client: Option<Rc<Vec<u8>>>,
}

impl Array {
    /// Bytes of a component.
    pub(crate) fn width(&self) -> usize {
        match self.kind {
            gl::BYTE | gl::UNSIGNED_BYTE => 1,
            gl::SHORT | gl::UNSIGNED_SHORT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES => 2,
            gl::DOUBLE => 8,
            _ => 4,
        }
    }

    /// Components.
    pub(crate) fn components(&self) -> u32 {
        if self.size == gl::BGRA { 4 } else { self.size.clamp(1, 4) }
    }

    /// All components are in one word.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.kind, gl::INT_2_10_10_10_REV | gl::UNSIGNED_INT_2_10_10_10_REV)
    }

    /// Bytes of a vertex.
    pub(crate) fn element(&self) -> usize {
        if self.is_packed() { 4 } else { self.width() * self.components() as usize }
    }

    /// It comes from what is bound to its index.
    pub(crate) fn follow(&mut self, binding: &Binding) {
        let Binding { buffer, offset, stride, divisor } = *binding;
        (self.buffer, self.stride, self.divisor) = (buffer, stride, divisor);
        self.offset = offset.saturating_add(self.relative);
        if stride == 0 {
            // All vertices have the same. Back to back is 0 in a pointer, which a binding never is.
            self.divisor = u32::MAX;
        }
    }
}

/// Where arrays come from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Binding {
    pub(crate) buffer: u32,
    pub(crate) offset: usize,
    pub(crate) stride: u32,
    pub(crate) divisor: u32,
}

/// What `glPushClientAttrib` keeps.
#[derive(Clone)]
pub(crate) struct KeptArrays {
    pub(crate) mask: u32,
    /// The vertex array, and what it has.
    pub(crate) name: u32,
    pub(crate) arrays: Option<VertexArray>,
    /// Buffers of vertices and of pixels.
    pub(crate) buffers: [u32; 2],
    pub(crate) unpack: crate::pixels::Unpack,
    pub(crate) unit: usize,
}

/// A vertex array object.
#[derive(Clone, Debug)]
pub(crate) struct VertexArray {
    pub(crate) generic: [Array; ATTRIBUTES],
    /// Vertex, normal, colour, secondary colour, fog coordinate, then texture units.
    pub(crate) legacy: [Array; 13],
    pub(crate) bindings: [Binding; ATTRIBUTES],
    pub(crate) element: u32,
}

impl Default for VertexArray {
    fn default() -> Self {
        let generic = core::array::from_fn(|binding| Array { binding, size: 4, kind: gl::FLOAT, ..Array::default() });
        let bindings = [Binding { stride: 16, ..Binding::default() }; ATTRIBUTES];
        Self { generic, legacy: Default::default(), bindings, element: 0 }
    }
}

impl VertexArray {
    /// The arrays that are enabled, each with its slot: generic ones, then the others.
    pub(crate) fn enabled(&self) -> Vec<(usize, Array)> {
        let all = self.generic.iter().chain(&self.legacy).enumerate();
        all.filter(|(_, array)| array.enabled).map(|(slot, array)| (slot, array.clone())).collect()
    }

    /// Sets the array of a slot.
    pub(crate) fn set(&mut self, slot: usize, array: Array) {
        if let Some(known) = self.generic.iter_mut().chain(&mut self.legacy).nth(slot) {
            *known = array;
        }
    }

    /// Bytes of memory of the program.
    pub(crate) fn client_bytes(&self) -> u64 {
        let all = self.generic.iter().chain(&self.legacy);
        all.filter_map(|array| array.client.as_ref()).map(|client| client.len() as u64).sum()
    }
}

/// What is attached to a framebuffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attachment {
    pub(crate) point: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Of a renderbuffer.
    pub(crate) samples: u32,
    /// It has whole numbers.
    pub(crate) integer: bool,
    /// What is attached: see [`crate::surfaces`].
    pub(crate) surface: u32,
    /// The surface is no more than what is attached.
    pub(crate) is_whole: bool,
    /// The level of a texture.
    pub(crate) level: u32,
    /// Why it cannot be drawn to.
    pub(crate) problem: Option<&'static str>,
}

/// A framebuffer object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Framebuffer {
    pub(crate) handle: u32,
    pub(crate) attachments: Vec<Attachment>,
    /// Colours are not drawn to the first attachment.
    pub(crate) is_masked: bool,
    /// What WebGL2 has for depths and stencils in place of an attachment of another size than the
    /// colours: a renderbuffer, width, height.
    pub(crate) substitute: Option<(u32, u32, u32)>,
}

impl Framebuffer {
    pub(crate) fn attach(&mut self, attachment: Attachment) {
        self.attachments.retain(|known| known.point != attachment.point);
        // OpenGL has no more points than that.
        if self.attachments.len() < 64 {
            self.attachments.push(attachment);
        }
    }

    /// Why nothing can be drawn to it.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let is_color =
            |it: &&Attachment| (gl::COLOR_ATTACHMENT0..gl::COLOR_ATTACHMENT0 + 32).contains(&it.point) && it.width > 0;
        let mut colors = self.attachments.iter().filter(is_color).map(|it| (it.width, it.height));
        let first = colors.next();
        let differ = colors.any(|size| Some(size) != first);
        let known = self.attachments.iter().find_map(|attachment| attachment.problem);
        known.or(differ.then_some("WebGL2 draws to several colours of one size only"))
    }

    /// Its size: that of the first colour attachment, or of any.
    pub(crate) fn size(&self) -> (u32, u32) {
        let first = self.attachments.iter().min_by_key(|attachment| attachment.point);
        first.map_or((0, 0), |attachment| (attachment.width, attachment.height))
    }
}

/// A window, or a surface without one: what framebuffer 0 is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drawable {
    pub(crate) framebuffer: u32,
    pub(crate) color: u32,
    pub(crate) depth: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A range of a buffer that is bound to an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Indexed {
    pub(crate) buffer: u32,
    pub(crate) offset: u32,
    /// 0: all of it.
    pub(crate) size: u32,
}

/// A context.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) group: u32,
    pub(crate) state: State,
    pub(crate) fixed: crate::fixed::Fixed,
    /// Names of textures by unit.
    pub(crate) units: Units,
    pub(crate) samplers: [u32; 32],
    pub(crate) active: usize,
    pub(crate) buffers: HashMap<u32, u32>,
    pub(crate) uniform_buffers: HashMap<u32, Indexed>,
    pub(crate) vertex_array: u32,
    pub(crate) vertex_arrays: HashMap<u32, VertexArray>,
    pub(crate) framebuffers: HashMap<u32, Framebuffer>,
    pub(crate) draw_framebuffer: u32,
    pub(crate) read_framebuffer: u32,
    pub(crate) renderbuffer: u32,
    pub(crate) program: u32,
    pub(crate) unpack: crate::pixels::Unpack,
    /// Values of generic attributes without an array.
    pub(crate) values: [[f32; 4]; ATTRIBUTES],
    /// What the machine knows of what is current.
    pub(crate) placed: Current,
    pub(crate) drawable: i64,
    pub(crate) read_drawable: i64,
    pub(crate) had_viewport: bool,
    /// The scissor box of a context that has set none: the first viewport.
    pub(crate) first_box: [u32; 4],
    /// The list that is being compiled: its name, whether its commands are executed, and they.
    pub(crate) recording: Option<(u32, bool, Vec<Listed>)>,
    /// What is enabled of [`crate::calls::lacks`].
    pub(crate) extras: Vec<u32>,
    /// The origin and the depths of what is clipped: `glClipControl`.
    pub(crate) clips: [u32; 2],
    /// The bounds of depths that are drawn: `glDepthBoundsEXT`.
    pub(crate) bounds: [f32; 2],
    /// The program pipeline that is bound.
    pub(crate) pipeline: u32,
    /// Buffers by target and index, of targets that something may be written to by shaders.
    pub(crate) written: HashMap<(u32, u32), u32>,
    pub(crate) polygon_mode: u32,
    pub(crate) restart: crate::calls::Restart,
    /// Flat primitives have the colour of their first vertex.
    pub(crate) first_provokes: bool,
    /// What `glPushClientAttrib` has kept.
    pub(crate) kept_arrays: Vec<KeptArrays>,
}

impl Context {
    pub(crate) fn new(group: u32) -> Self {
        let mut made = Self {
            group,
            state: State::new(),
            fixed: crate::fixed::Fixed::new(),
            units: [[0; SLOTS]; 32],
            samplers: [0; 32],
            active: 0,
            buffers: HashMap::new(),
            uniform_buffers: HashMap::new(),
            vertex_array: 0,
            vertex_arrays: HashMap::new(),
            framebuffers: HashMap::new(),
            draw_framebuffer: 0,
            read_framebuffer: 0,
            renderbuffer: 0,
            program: 0,
            unpack: crate::pixels::Unpack::default(),
            values: [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES],
            placed: [[0.0; 4]; CURRENT_VALUES],
            drawable: 0,
            read_drawable: 0,
            had_viewport: false,
            first_box: [0; 4],
            recording: None,
            extras: Vec::new(),
            clips: USUAL_CLIPS,
            bounds: [0.0, 1.0],
            pipeline: 0,
            written: HashMap::new(),
            polygon_mode: gl::FILL,
            restart: crate::calls::Restart::default(),
            first_provokes: false,
            kept_arrays: Vec::new(),
        };
        made.placed = made.current();
        made
    }

    /// The arrays in use.
    pub(crate) fn arrays(&mut self) -> &mut VertexArray {
        self.vertex_arrays.entry(self.vertex_array).or_default()
    }
}
