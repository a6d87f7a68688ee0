//! Names of objects: generated, used, labelled and deleted.

use hashbrown::HashSet;

use crate::gl;
use crate::several::{One, Several};

use super::cells::Value;
use super::effects::Effect;
use super::fixed::list_of;
use super::raster::Saved;
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::Call;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texture.
    Texture,
    /// Buffer.
    Buffer,
    /// Program. Shaders and programs have their names in common in OpenGL, but functions for the
    /// one refuse the other, so that they are told apart here.
    Program,
    /// Renderbuffer.
    Renderbuffer,
    /// Sampler.
    Sampler,
    /// Vertex array. The names of this and what follows are not shared.
    VertexArray,
    /// Framebuffer.
    Framebuffer,
    /// Query.
    Query,
    /// Program pipeline.
    Pipeline,
    /// Transform feedback.
    TransformFeedback,
    /// Shader.
    Shader,
}

impl Kind {
    fn is_shared(self) -> bool {
        matches!(self, Self::Texture | Self::Buffer | Self::Program | Self::Shader | Self::Renderbuffer | Self::Sampler)
    }

    /// The cell of names of the kind.
    pub fn what(self) -> u16 {
        what::KIND_FIRST + self as u16
    }
}

macro_rules! kinds {
    ($($kind:ident $generate:literal $create:literal $delete:literal $argument:literal;)*) => {
        pub(crate) const HANDLERS: Handlers = &[
            $(
                // A name that is generated is not an object yet: an earlier one of the name is
                // forgotten.
                ($generate, |m, c, _| m.generate(Kind::$kind, c, 1)),
                ($create, |m, c, _| m.generate(Kind::$kind, c, $argument)),
                ($delete, |m, c, _| m.delete(Kind::$kind, c)),
            )*
            ("ObjectLabel", label),
            ("LabelObject", label),
            ("BeginQuery", |m, c, _| m.bind(Kind::Query, what::QUERY_ACTIVE, c.uint(0) & 0xffff, c.uint(1))),
            ("EndQuery", |m, c, _| m.set_at(what::QUERY_ACTIVE, c.uint(0) & 0xffff, Value::Unset)),
            ("BindProgramPipeline", |m, c, _| m.bind(Kind::Pipeline, what::PROGRAM_PIPELINE_BINDING, 0, c.uint(0))),
            ("BindTransformFeedback", |m, c, _| {
                m.bind(Kind::TransformFeedback, what::TRANSFORM_FEEDBACK_BINDING, 0, c.uint(1));
                // Its buffers are kept with the context.
                m.doubt();
            }),
            ("BindSampler", |m, c, _| {
                if c.uint(0) < MOST_UNITS {
                    m.bind(Kind::Sampler, what::SAMPLER_BINDING, c.uint(0), c.uint(1));
                }
            }),
            ("BindSamplers", |m, c, _| {
                for One { index, name, .. } in Several::Samplers.bound(c).filter(|one| one.index < MOST_UNITS) {
                    m.bind(Kind::Sampler, what::SAMPLER_BINDING, index, name);
                }
            }),
            ("SamplerParameter*", |m, c, v| sampler_parameter(m, c, v, false)),
            ("SamplerParameterI*", |m, c, v| sampler_parameter(m, c, v, true)),
        ];
    };
}

kinds! {
    Texture "GenTextures" "CreateTextures" "DeleteTextures" 2;
    Buffer "GenBuffers" "CreateBuffers" "DeleteBuffers" 1;
    Renderbuffer "GenRenderbuffers" "CreateRenderbuffers" "DeleteRenderbuffers" 1;
    Sampler "GenSamplers" "CreateSamplers" "DeleteSamplers" 1;
    VertexArray "GenVertexArrays" "CreateVertexArrays" "DeleteVertexArrays" 1;
    Framebuffer "GenFramebuffers" "CreateFramebuffers" "DeleteFramebuffers" 1;
    Query "GenQueries" "CreateQueries" "DeleteQueries" 2;
    Pipeline "GenProgramPipelines" "CreateProgramPipelines" "DeleteProgramPipelines" 1;
    TransformFeedback "GenTransformFeedbacks" "CreateTransformFeedbacks" "DeleteTransformFeedbacks" 1;
}

/// More units than any implementation has.
pub(super) const MOST_UNITS: u32 = 256;
/// Names of one call that are looked at.
const MOST_NAMES: usize = 1 << 16;

impl Machine {
    /// Where the object with a name is noted: owner, what, index.
    pub fn place_of(&mut self, kind: Kind, name: u32) -> (u32, u16, u32) {
        let owner = if kind.is_shared() { self.share } else { self.context };
        (owner, kind.what(), self.small(name.into()))
    }

    /// The owner of the cells of an object. It gets one if it has none: older contexts take names
    /// that were not generated. 0 for name 0.
    pub(crate) fn instance(&mut self, kind: Kind, name: u32) -> u32 {
        if name == 0 {
            return 0;
        }
        let (owner, what, index) = self.place_of(kind, name);
        if let Some(instance) = self.number(owner, what, index) {
            return instance as u32;
        }
        self.make_as(kind, name, false)
    }

    /// The object that a call has given a new name.
    pub(crate) fn make(&mut self, kind: Kind, name: u32) -> u32 {
        self.make_as(kind, name, true)
    }

    fn make_as(&mut self, kind: Kind, name: u32, is_generated: bool) -> u32 {
        let instance = self.new_owner();
        let (owner, what, index) = self.place_of(kind, name);
        self.put(owner, what, index, Value::Int(instance.into()));
        self.tell(Effect::Created { object: instance, kind, name, is_generated });
        instance
    }

    /// The objects that something refers to: names, bindings, other objects, and what stacks of
    /// attributes keep. Some that nothing refers to may be among them.
    pub fn reachable(&self) -> HashSet<u32> {
        let mut left = Vec::new();
        for context in self.root.contexts.iter() {
            // The next owner is that of names.
            left.extend([context.owner, context.owner + 1]);
            let saved = context.attributes.iter().chain(&*context.client_attributes);
            saved.flat_map(Saved::values).for_each(|value| refers(value, &mut left));
        }
        let mut all = HashSet::new();
        while let Some(owner) = left.pop() {
            if !all.insert(owner) {
                continue;
            }
            for (what, _, cell) in self.cells_of(owner) {
                match cell.value {
                    Value::Int(object) if is_name(what) => left.push(object as u32),
                    _ => refers(&cell.value, &mut left),
                }
            }
        }
        all
    }

    /// The object that name 0 means in the current context, such as its own vertex array.
    pub(crate) fn own(&mut self, kind: Kind, index: u32) -> u32 {
        let (owner, what) = (self.context, kind.what());
        let index = NAMELESS + index;
        if let Some(instance) = self.number(owner, what, index) {
            return instance as u32;
        }
        let instance = self.new_owner();
        self.put(owner, what, index, Value::Int(instance.into()));
        instance
    }

    /// Binds an object to the current context.
    pub(crate) fn bind(&mut self, kind: Kind, what: u16, index: u32, name: u32) {
        let instance = self.instance(kind, name);
        self.set_at(what, index, Value::Object { name, instance });
    }

    fn generate(&mut self, kind: Kind, call: &Call, argument: usize) {
        const TARGET_FIRST: usize = 2;
        for name in list_of(call, argument).into_iter().take(MOST_NAMES) {
            let name = name.int().unwrap_or_default() as u32;
            if name != 0 {
                let instance = self.make(kind, name);
                if kind == Kind::Texture && argument == TARGET_FIRST {
                    self.put(instance, what::TARGET, 0, Value::Constant(call.uint(0)));
                }
            }
        }
    }

    fn delete(&mut self, kind: Kind, call: &Call) {
        let names: Vec<u32> =
            list_of(call, 1).into_iter().take(MOST_NAMES).map(|name| name.int().unwrap_or_default() as u32).collect();
        let mut gone = Vec::new();
        for name in names.into_iter().filter(|name| *name != 0) {
            let (owner, what, index) = self.place_of(kind, name);
            if let Some(instance) = self.number(owner, what, index) {
                self.put(owner, what, index, Value::Unset);
                gone.push(instance as u32);
            }
        }
        self.unbind(&gone);
        for object in gone {
            self.tell(Effect::Deleted { object });
        }
    }

    /// Objects that are deleted are not bound any more: in the current context, its vertex array
    /// and its framebuffers.
    fn unbind(&mut self, gone: &[u32]) {
        if gone.is_empty() {
            return;
        }
        let array = self.vertex_array();
        let (_, draw) = self.object(self.context, what::DRAW_FRAMEBUFFER_BINDING, 0);
        let (_, read) = self.object(self.context, what::READ_FRAMEBUFFER_BINDING, 0);
        for owner in [self.context, array, draw, read] {
            let mut bound = Vec::new();
            for (what, index, number) in self.slots.of(owner) {
                match self.root.cells.get(*number).map(|cell| &cell.value) {
                    Some(Value::Object { instance, .. }) if gone.contains(instance) => {
                        bound.push((*what, *index, true))
                    }
                    Some(Value::Attachment(it)) if gone.contains(&it.instance) => bound.push((*what, *index, false)),
                    _ => {}
                }
            }
            for (what, index, is_binding) in bound {
                // A program stays in use until another one is.
                if what != what::CURRENT_PROGRAM {
                    let none = Value::Object { name: 0, instance: 0 };
                    self.put(owner, what, index, if is_binding { none } else { Value::Unset });
                }
            }
        }
    }
}

/// Whether a cell says which object has a name, or no name: those have [`NAMELESS`] and beyond as
/// indexes.
pub fn is_name(what: u16) -> bool {
    (what::KIND_FIRST..=what::KIND_FIRST + Kind::Shader as u16).contains(&what)
}

/// The first index of objects that have no name, by kind.
pub const NAMELESS: u32 = 1 << 18;

/// The objects that a value refers to.
fn refers(value: &Value, to: &mut Vec<u32>) {
    match value {
        Value::Object { instance, .. } => to.push(*instance),
        Value::Attachment(attachment) => to.push(attachment.instance),
        Value::Instances(all) => to.extend(all.iter()),
        _ => {}
    }
}

/// The kind of an object by the constant that debugging functions have for it.
fn kind_of(identifier: u32) -> Option<Kind> {
    Some(match identifier {
        gl::TEXTURE => Kind::Texture,
        gl::BUFFER | gl::BUFFER_OBJECT_EXT => Kind::Buffer,
        gl::SHADER | gl::SHADER_OBJECT_ARB => Kind::Shader,
        gl::PROGRAM | gl::PROGRAM_OBJECT_ARB => Kind::Program,
        gl::RENDERBUFFER => Kind::Renderbuffer,
        gl::SAMPLER => Kind::Sampler,
        gl::VERTEX_ARRAY | gl::VERTEX_ARRAY_OBJECT_EXT => Kind::VertexArray,
        gl::FRAMEBUFFER => Kind::Framebuffer,
        gl::QUERY | gl::QUERY_OBJECT_EXT => Kind::Query,
        gl::PROGRAM_PIPELINE => Kind::Pipeline,
        gl::TRANSFORM_FEEDBACK => Kind::TransformFeedback,
        _ => return None,
    })
}

fn label(machine: &mut Machine, call: &Call, _: Variant) {
    let (Some(kind), name) = (kind_of(call.uint(0)), call.uint(1)) else { return };
    if name == 0 {
        return;
    }
    let instance = machine.instance(kind, name);
    let text = call.argument(3).text().unwrap_or_default();
    let value = if text.is_empty() { Value::Unset } else { Value::Text(text.into()) };
    machine.put(instance, what::LABEL, 0, value);
    machine.tell(Effect::Labelled { object: instance });
}

fn sampler_parameter(machine: &mut Machine, call: &Call, variant: Variant, is_pure: bool) {
    let instance = machine.instance(Kind::Sampler, call.uint(0));
    machine.put_parameter(instance, call, 1, variant, is_pure);
}

impl Machine {
    /// Sets a parameter of a texture or sampler. `at`: where the parameter is; its value follows.
    /// `is_pure`: integers are not those of a fraction.
    pub(crate) fn put_parameter(&mut self, owner: u32, call: &Call, at: usize, variant: Variant, is_pure: bool) {
        let parameter = call.uint(at);
        if parameter == gl::TEXTURE_SWIZZLE_RGBA {
            let all = list_of(call, at + 1);
            for (channel, value) in (gl::TEXTURE_SWIZZLE_R..=gl::TEXTURE_SWIZZLE_A).zip(all) {
                self.put(owner, channel as u16, 0, Value::Constant(value.int().unwrap_or_default() as u32));
            }
            return;
        }
        let value = parameter_value(call, at, variant, is_pure);
        self.put(owner, parameter as u16, 0, value);
    }
}

/// The value of a parameter of a texture or sampler.
fn parameter_value(call: &Call, at: usize, variant: Variant, is_pure: bool) -> Value {
    let all = list_of(call, at + 1);
    let first = all.first().and_then(|value| value.float()).unwrap_or_default();
    let integers = || {
        let of = |i: usize| all.get(i).and_then(|value| value.int()).unwrap_or_default() as i32;
        Value::Ints(core::array::from_fn(of), 4)
    };
    match call.uint(at) {
        gl::TEXTURE_BORDER_COLOR if is_pure => integers(),
        gl::TEXTURE_BORDER_COLOR => {
            let numbers = Variant { count: 4, ..variant }.numbers(call, at + 1, [0.0; 4], variant.is_integer());
            super::fixed::floats(numbers, 4)
        }
        gl::TEXTURE_MIN_LOD
        | gl::TEXTURE_MAX_LOD
        | gl::TEXTURE_LOD_BIAS
        | gl::TEXTURE_MAX_ANISOTROPY
        | gl::TEXTURE_PRIORITY => Value::Float(f64::from(variant.single(call, at + 1))),
        gl::TEXTURE_BASE_LEVEL | gl::TEXTURE_MAX_LEVEL => Value::Int(first as i64),
        gl::GENERATE_MIPMAP => Value::Bool(first != 0.0),
        // A rectangle, such as that of GL_TEXTURE_CROP_RECT_OES.
        _ if all.len() > 1 => integers(),
        _ if first.fract() != 0.0 => Value::Float(first),
        _ => Value::Constant(first as u32),
    }
}
