//! Effects: what a call did to objects, told once, for those who follow them.

use super::cells::{Image, Value};
use super::objects::Kind;
use super::{Machine, Settings, what};
use crate::call::Call;
use crate::gl;

/// Something that a call did. Objects are given by the owners of their cells: a name that is used
/// again is another object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// An object got its name.
    Created {
        /// The object.
        object: u32,
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: u32,
        /// `glGen…` or `glCreate…` made the name. Otherwise a use did.
        is_generated: bool,
    },
    /// A call gave up its name.
    Deleted {
        /// The object.
        object: u32,
    },
    /// It got a label, or lost it.
    Labelled {
        /// The object.
        object: u32,
    },
    /// A cell holds it from now on. The cells of vertex arrays that are off count as empty.
    Placed {
        /// The owner of the cell: a context, or an object that refers to others.
        owner: u32,
        /// The cell.
        what: u16,
        /// Its index.
        index: u32,
        /// The object, 0 for none.
        object: u32,
    },
    /// It became a part of another one: a shader of a program, or an attachment of a framebuffer.
    Attached {
        /// The program or framebuffer.
        whole: u32,
        /// The shader, texture or renderbuffer.
        part: u32,
    },
    /// A buffer got a size.
    Allocated {
        /// The buffer.
        object: u32,
        /// Its bytes.
        bytes: u64,
    },
    /// A level of a texture, or a renderbuffer, got a size.
    Sized {
        /// The object.
        object: u32,
        /// The level of a texture, else 0.
        level: u32,
        /// The size and format of the level or renderbuffer.
        image: Image,
    },
    /// It got contents from the memory of the program.
    Uploaded {
        /// The object.
        object: u32,
        /// The number of bytes that the call has. 0 if they come out of a buffer.
        bytes: u64,
    },
    /// A buffer got bytes of another one.
    Copied {
        /// The buffer that is written.
        to: u32,
        /// The buffer that is read, 0 if there is none.
        from: u32,
    },
    /// A buffer was filled with a value.
    Filled {
        /// The buffer.
        object: u32,
    },
    /// The contents of a buffer became undefined, all or a part of them.
    Forgotten {
        /// The buffer.
        object: u32,
    },
    /// A buffer was mapped.
    Mapped {
        /// The buffer.
        object: u32,
        /// The address in the memory of the program, 0 if that failed.
        address: u64,
        /// The first byte of the buffer that is mapped.
        offset: u64,
        /// The number of bytes, `None` for all.
        length: Option<u64>,
    },
    /// Writes of the program to a mapped buffer were handed over.
    Flushed {
        /// The buffer.
        object: u32,
    },
    /// A buffer is mapped no more.
    Unmapped {
        /// The buffer.
        object: u32,
    },
    /// The graphics processor wrote it, other than by a draw.
    Written {
        /// The object.
        object: u32,
    },
    /// Pixels of a texture or of a framebuffer were read back.
    ReadBack,
    /// A program was linked.
    Linked {
        /// The program.
        program: u32,
    },
    /// A draw.
    Drawn {
        /// Vertices come out of arrays.
        has_arrays: bool,
        /// Its parameters come out of a buffer.
        is_indirect: bool,
    },
    /// A dispatch of compute shaders.
    Computed,
    /// Parts of a framebuffer got one value, or those of another one.
    Cleared {
        /// The framebuffer, 0 for the window.
        framebuffer: u32,
        /// The parts.
        parts: Parts,
    },
    /// A choice of the parts that draws write may have changed.
    Masked,
    /// A display list is executed: told by a machine that notes what calls read, and which does not
    /// execute it.
    Listed {
        /// Its name.
        name: u32,
    },
    /// Transform feedback began or ended.
    Feedback {
        /// It began.
        is_on: bool,
    },
}

/// Parts of a framebuffer: draw buffers by number, depth and stencil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// The draw buffers that are looked at.
    const COLORS: u32 = 8;
    const ALL_COLORS: Self = Self((1 << Self::COLORS) - 1);
    const DEPTH: Self = Self(1 << Self::COLORS);
    const STENCIL: Self = Self(2 << Self::COLORS);

    fn color(number: u32) -> Self {
        if number < Self::COLORS { Self(1 << number) } else { Self::default() }
    }

    /// These and others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn of_mask(mask: u32) -> Self {
        let of = |bit: u32, parts: Self| if mask & bit != 0 { parts } else { Self::default() };
        let color = of(gl::COLOR_BUFFER_BIT, Self::ALL_COLORS);
        color.and(of(gl::DEPTH_BUFFER_BIT, Self::DEPTH)).and(of(gl::STENCIL_BUFFER_BIT, Self::STENCIL))
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Those that are among others, too.
    #[must_use]
    pub fn within(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Whether all of these are among others.
    pub fn are_among(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Cells that decide which parts draws write.
pub(super) fn is_mask(what: u16) -> bool {
    const SWITCHES: [u16; 3] = [gl::DEPTH_TEST as u16, gl::STENCIL_TEST as u16, gl::RASTERIZER_DISCARD as u16];
    matches!(
        what,
        what::COLOR_WRITEMASK | what::DEPTH_WRITEMASK | what::STENCIL_WRITEMASK | what::STENCIL_BACK_WRITEMASK
    ) || (what::DRAW_BUFFER0..what::DRAW_BUFFER0 + 8).contains(&what)
        || SWITCHES.contains(&what)
}

impl Machine {
    /// A machine that tells its effects. Its state lacks current attributes of vertices, matrices,
    /// lights and materials.
    pub fn observed() -> Self {
        Self { is_observed: true, lacks_vertices: true, ..Self::default() }
    }

    /// The effects of the latest call, in order.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Forgets what the latest call did: the next one may be of a function that changes nothing.
    pub fn forget_latest(&mut self) {
        self.effects.clear();
        self.settings = Settings::default();
    }

    pub(crate) fn tell(&mut self, effect: Effect) {
        if self.is_observed {
            self.effects.push(effect);
        }
    }

    /// Tells that a cell gets a value, if it held an object or does so now.
    pub(super) fn tell_placed(&mut self, owner: u32, what: u16, index: u32, value: &Value) {
        if !self.tells_objects() {
            return;
        }
        // An array that is turned on or off gives or takes the buffer that it is in.
        let is_on = value == &Value::Bool(true);
        let (buffer, is_on) = match what {
            what::VERTEX_ATTRIB_ARRAY_ENABLED => {
                let has_own = self.value(owner, what::VERTEX_ATTRIB_BINDING, index) == &Value::Unset;
                (what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, is_on && has_own)
            }
            what::VERTEX_ATTRIB_BINDING => {
                let is_enabled = self.value(owner, what::VERTEX_ATTRIB_ARRAY_ENABLED, index) == &Value::Bool(true);
                (what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, is_enabled && value == &Value::Unset)
            }
            what::CLIENT_ENABLED => (what::CLIENT_BUFFER, is_on),
            _ => (0, false),
        };
        if buffer != 0 {
            let held = self.object(owner, buffer, index).1;
            let object = if is_on { held } else { 0 };
            if held != 0 {
                self.effects.push(Effect::Placed { owner, what: buffer, index, object });
            }
            return;
        }
        let object = match value {
            Value::Object { .. } if !self.is_array_on(owner, what, index) => 0,
            Value::Object { instance, .. } => *instance,
            Value::Attachment(attachment) => attachment.instance,
            Value::Unset => 0,
            _ => return,
        };
        // Nothing in place of nothing changes nothing.
        if object == 0 {
            let before = match self.value(owner, what, index) {
                Value::Object { instance, .. } => *instance,
                Value::Attachment(attachment) => attachment.instance,
                _ => 0,
            };
            if before == 0 {
                return;
            }
        }
        self.effects.push(Effect::Placed { owner, what, index, object });
    }

    /// Whether the array of vertices whose buffer is in a cell is on, and takes from that buffer.
    /// Other cells are on, too.
    pub fn is_array_on(&self, owner: u32, what: u16, index: u32) -> bool {
        let switch = match what {
            what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING => {
                if self.value(owner, what::VERTEX_ATTRIB_BINDING, index) != &Value::Unset {
                    return false;
                }
                what::VERTEX_ATTRIB_ARRAY_ENABLED
            }
            what::CLIENT_BUFFER => what::CLIENT_ENABLED,
            _ => return true,
        };
        self.value(owner, switch, index) == &Value::Bool(true)
    }

    /// The effect of a call that draws, clears, copies between framebuffers or computes.
    pub(super) fn tell_drawn(&mut self, call: &Call, bare: Draws) {
        if !self.tells_objects() {
            return;
        }
        let effect = match bare {
            Draws::Arrays { is_indirect } => Effect::Drawn { has_arrays: true, is_indirect },
            Draws::Vertices if call.rendered.is_clear() => {
                // A list that only clears.
                let framebuffer = self.draw_framebuffer();
                Effect::Cleared { framebuffer, parts: self.drawn_parts(true) }
            }
            Draws::Vertices => Effect::Drawn { has_arrays: false, is_indirect: false },
            Draws::Computes => Effect::Computed,
            Draws::Clear => {
                let (framebuffer, parts) = (self.draw_framebuffer(), Parts::of_mask(call.uint(0)));
                // Of a window there are no parts that others read.
                let all = if framebuffer == 0 { parts } else { self.drawn_parts(true) };
                Effect::Cleared { framebuffer, parts: Parts(all.0 & parts.0) }
            }
            Draws::ClearBuffer { is_named } => {
                let framebuffer = if is_named { self.framebuffer_of(call.uint(0)) } else { self.draw_framebuffer() };
                let at = usize::from(is_named);
                let parts = match call.uint(at) {
                    gl::COLOR => Parts::color(call.uint(at + 1)),
                    gl::DEPTH => Parts::DEPTH,
                    gl::STENCIL => Parts::STENCIL,
                    gl::DEPTH_STENCIL => Parts::DEPTH.and(Parts::STENCIL),
                    _ => Parts::default(),
                };
                Effect::Cleared { framebuffer, parts: Parts(parts.0 & self.drawn_parts(true).0) }
            }
            Draws::Blit { is_named } => {
                let framebuffer = if is_named { self.framebuffer_of(call.uint(1)) } else { self.draw_framebuffer() };
                let parts = Parts::of_mask(call.uint(if is_named { 10 } else { 8 }));
                Effect::Cleared { framebuffer, parts }
            }
        };
        self.effects.push(effect);
    }

    fn draw_framebuffer(&self) -> u32 {
        self.object(self.context, what::DRAW_FRAMEBUFFER_BINDING, 0).1
    }

    fn framebuffer_of(&mut self, name: u32) -> u32 {
        self.instance(Kind::Framebuffer, name)
    }

    /// The parts of the framebuffer that draws write now, or that a clear of all would.
    pub fn drawn_parts(&self, is_clear: bool) -> Parts {
        let is_on = |what: u32| self.value(self.context, what as u16, 0) == &Value::Bool(true);
        if is_on(gl::RASTERIZER_DISCARD) {
            return Parts::default();
        }
        let mut parts = Parts::default();
        let all = self.value(self.context, what::COLOR_WRITEMASK, 0);
        for number in 0..Parts::COLORS {
            let own = if self.has_indexed { self.value(self.context, what::COLOR_WRITEMASK, number) } else { all };
            let mask = if own == &Value::Unset { all } else { own };
            if mask != &Value::Bools([false; 4]) {
                parts = parts.and(Parts::color(number));
            }
        }
        let is_masked = self.value(self.context, what::DEPTH_WRITEMASK, 0) == &Value::Bool(false);
        if !is_masked && (is_clear || is_on(gl::DEPTH_TEST)) {
            parts = parts.and(Parts::DEPTH);
        }
        let mask = |what| self.number(self.context, what, 0).unwrap_or(1);
        let is_masked = mask(what::STENCIL_WRITEMASK) == 0 && mask(what::STENCIL_BACK_WRITEMASK) == 0;
        if !is_masked && (is_clear || is_on(gl::STENCIL_TEST)) {
            parts = parts.and(Parts::STENCIL);
        }
        parts
    }

    /// Whether a clear writes all of what it writes to: every pixel, and every bit of its value.
    pub fn clears_whole(&self) -> bool {
        let is_set = |what: u32| (0..16).any(|at| self.value(self.context, what as u16, at) == &Value::Bool(true));
        let is_masked =
            |at| matches!(self.value(self.context, what::COLOR_WRITEMASK, at), Value::Bools(is) if is != &[true; 4]);
        // A clear takes the mask of the front: OpenGL 4.6, 17.4.3.
        let stencil = self.number(self.context, what::STENCIL_WRITEMASK, 0).unwrap_or(0xff);
        !is_set(gl::SCISSOR_TEST) && !(0..16).any(is_masked) && stencil & 0xff == 0xff
    }

    /// The textures and renderbuffers of a framebuffer that these parts are.
    pub fn attachments(&self, framebuffer: u32, parts: Parts) -> Vec<u32> {
        let mut all = Vec::new();
        if framebuffer == 0 {
            return all;
        }
        let mut add = |attachment: u32| {
            if let Value::Attachment(attachment) = self.value(framebuffer, what::ATTACHMENT, attachment & 0xffff)
                && !all.contains(&attachment.instance)
            {
                all.push(attachment.instance);
            }
        };
        for number in 0..Parts::COLORS {
            if parts.has(Parts::color(number)) {
                let buffer = self.number(framebuffer, what::DRAW_BUFFER0 + number as u16, 0);
                let first = if number == 0 { gl::COLOR_ATTACHMENT0 } else { 0 };
                add(buffer.map_or(first, |buffer| buffer as u32));
            }
        }
        if parts.has(Parts::DEPTH) {
            add(gl::DEPTH_ATTACHMENT);
        }
        if parts.has(Parts::STENCIL) {
            add(gl::STENCIL_ATTACHMENT);
        }
        all
    }
}

/// The ways in which functions draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// Vertices of arrays.
    Arrays {
        is_indirect: bool,
    },
    /// Vertices of calls or lists, or pixels.
    Vertices,
    Computes,
    Clear,
    ClearBuffer {
        is_named: bool,
    },
    Blit {
        is_named: bool,
    },
}

impl Draws {
    /// By the name of a function that draws, without the prefix `gl` and endings of extensions.
    pub(super) fn of(plain: &str, computes: bool) -> Self {
        match plain {
            _ if computes => Self::Computes,
            "Clear" => Self::Clear,
            _ if plain.starts_with("ClearBuffer") => Self::ClearBuffer { is_named: false },
            _ if plain.starts_with("ClearNamedFramebuffer") => Self::ClearBuffer { is_named: true },
            "BlitFramebuffer" => Self::Blit { is_named: false },
            "BlitNamedFramebuffer" => Self::Blit { is_named: true },
            "DrawPixels" => Self::Vertices,
            // Rectangles of the window, and vertices that shaders make.
            _ if ["DrawTex", "DrawMeshTasks"].iter().any(|begin| plain.starts_with(begin)) => Self::Vertices,
            _ if plain.starts_with("Draw") || plain.starts_with("MultiDraw") => {
                Self::Arrays { is_indirect: plain.contains("Indirect") }
            }
            _ => Self::Vertices,
        }
    }
}
