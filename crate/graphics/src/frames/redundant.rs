//! Which state changes set what is set already.
//!
//! A call is redundant if the same context has set the same state to the same value before, and
//! nothing since then can have changed it. When in doubt a call is not redundant: the first call
//! that sets a state never is, because defaults are not looked at, and whatever changes much at
//! once makes everything unknown.

use core::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashMap};
use unspool_gl::gl;
use unspool_gl::textures::UNIT_CAPABILITIES;

use unspool_gl::call::{Call, Value};

/// State that calls of a function set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Functions of one family set the same state. The position in [`FAMILIES`].
    family: u8,
    /// Number of arguments that say which part of the state is set; the others are the value.
    keys: u8,
    depends: Depends,
}

/// What else decides which state a call sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depends {
    /// Nothing.
    None,
    /// The active texture unit.
    Unit,
    /// The texture that is bound to the target of the active unit.
    Texture,
    /// The current program.
    Program,
    /// The vertex array object, and the value includes the bound buffer.
    Array,
    /// It cannot be judged: it depends on what is not followed.
    Never,
}

/// Functions without `gl` by the beginning of their names, longest first where one begins another.
/// What follows a name must not be a lowercase letter. Then: the number of arguments that are a
/// key, and what else decides.
const FAMILIES: &[(&str, &str, u8, Depends)] = &[
    ("capability", "EnableClientState", 1, Depends::Array),
    ("capability", "DisableClientState", 1, Depends::Array),
    ("attribute", "EnableVertexAttribArray", 1, Depends::Array),
    ("attribute", "DisableVertexAttribArray", 1, Depends::Array),
    ("attribute", "EnableVertexArrayAttrib", 1, Depends::Never),
    ("attribute", "DisableVertexArrayAttrib", 1, Depends::Never),
    ("enabled", "Enablei", 2, Depends::Never),
    ("enabled", "Disablei", 2, Depends::Never),
    ("enabled", "Enable", 1, Depends::Unit),
    ("enabled", "Disable", 1, Depends::Unit),
    ("unit", "ActiveTexture", 0, Depends::None),
    ("client unit", "ClientActiveTexture", 0, Depends::None),
    ("texture", "BindTextures", 0, Depends::Never),
    ("texture", "BindTextureUnit", 0, Depends::Never),
    ("texture", "BindTexture", 1, Depends::Unit),
    ("sampler", "BindSamplers", 0, Depends::Never),
    ("sampler", "BindSampler", 1, Depends::None),
    ("image", "BindImageTexture", 1, Depends::None),
    ("array", "BindVertexArray", 0, Depends::None),
    ("indexed buffer", "BindBufferBase", 2, Depends::None),
    ("indexed buffer", "BindBufferRange", 2, Depends::None),
    ("indexed buffer", "BindBuffersBase", 0, Depends::Never),
    ("indexed buffer", "BindBuffersRange", 0, Depends::Never),
    ("buffer", "BindBuffer", 1, Depends::Array),
    ("attribute pointer", "BindVertexBuffers", 0, Depends::Never),
    ("attribute pointer", "BindVertexBuffer", 1, Depends::Array),
    ("framebuffer", "BindFramebuffer", 0, Depends::None),
    ("renderbuffer", "BindRenderbuffer", 1, Depends::None),
    ("feedback", "BindTransformFeedback", 1, Depends::None),
    ("pipeline", "BindProgramPipeline", 0, Depends::None),
    ("assembly", "BindProgram", 1, Depends::None),
    ("program", "UseProgramObject", 0, Depends::None),
    ("program", "UseProgram", 0, Depends::None),
    ("uniform", "UniformBlockBinding", 2, Depends::None),
    ("uniform", "UniformSubroutines", 0, Depends::Never),
    ("uniform", "Uniform", 1, Depends::Program),
    ("uniform", "ProgramUniform", 2, Depends::Never),
    ("blend function", "BlendFunc", 0, Depends::None),
    ("blend equation", "BlendEquation", 0, Depends::None),
    ("blend colour", "BlendColor", 0, Depends::None),
    ("alpha test", "AlphaFunc", 0, Depends::None),
    ("logic operation", "LogicOp", 0, Depends::None),
    ("depth function", "DepthFunc", 0, Depends::None),
    ("depth mask", "DepthMask", 0, Depends::None),
    ("depth range", "DepthRange", 0, Depends::None),
    ("depth bounds", "DepthBounds", 0, Depends::None),
    ("stencil function", "StencilFunc", 0, Depends::None),
    ("stencil mask", "StencilMask", 0, Depends::None),
    ("stencil operation", "StencilOp", 0, Depends::None),
    ("active stencil", "ActiveStencilFace", 0, Depends::None),
    ("colour mask", "ColorMask", 0, Depends::None),
    ("clear colour", "ClearColor", 0, Depends::None),
    ("clear index", "ClearIndex", 0, Depends::None),
    ("clear accumulation", "ClearAccum", 0, Depends::None),
    ("clear depth", "ClearDepth", 0, Depends::None),
    ("clear stencil", "ClearStencil", 0, Depends::None),
    ("cull face", "CullFace", 0, Depends::None),
    ("front face", "FrontFace", 0, Depends::None),
    ("polygon mode", "PolygonMode", 0, Depends::None),
    ("polygon offset", "PolygonOffset", 0, Depends::None),
    ("viewport", "Viewport", 0, Depends::None),
    ("scissor", "Scissor", 0, Depends::None),
    ("line width", "LineWidth", 0, Depends::None),
    ("line stipple", "LineStipple", 0, Depends::None),
    ("point size", "PointSize", 0, Depends::None),
    ("point parameter", "PointParameter", 1, Depends::None),
    ("shade model", "ShadeModel", 0, Depends::None),
    ("provoking vertex", "ProvokingVertex", 0, Depends::None),
    ("restart", "PrimitiveRestartIndex", 0, Depends::None),
    ("patch", "PatchParameter", 1, Depends::None),
    ("coverage", "SampleCoverage", 0, Depends::None),
    ("sample mask", "SampleMask", 1, Depends::None),
    ("sample shading", "MinSampleShading", 0, Depends::None),
    ("clip control", "ClipControl", 0, Depends::None),
    ("clip plane", "ClipPlane", 0, Depends::Never),
    ("hint", "Hint", 1, Depends::None),
    ("pixel store", "PixelStore", 1, Depends::None),
    ("pixel transfer", "PixelTransfer", 1, Depends::None),
    ("pixel map", "PixelMap", 0, Depends::Never),
    ("pixel zoom", "PixelZoom", 0, Depends::None),
    ("texture parameter", "TexParameter", 2, Depends::Texture),
    ("texture parameter", "TextureParameter", 2, Depends::Never),
    ("texture parameter", "GenerateMipmap", 0, Depends::Never),
    ("sampler parameter", "SamplerParameter", 2, Depends::None),
    ("texture environment", "TexEnv", 2, Depends::Unit),
    ("texture generation", "TexGen", 0, Depends::Never),
    ("light model", "LightModel", 1, Depends::None),
    ("light", "Light", 0, Depends::Never),
    ("material", "Material", 0, Depends::Never),
    ("material colour", "ColorMaterial", 0, Depends::None),
    ("fog coordinate", "FogCoord", 0, Depends::Never),
    ("fog", "Fog", 1, Depends::None),
    ("attribute pointer", "VertexAttribPointer", 1, Depends::Array),
    ("attribute pointer", "VertexAttribIPointer", 1, Depends::Array),
    ("attribute pointer", "VertexAttribLPointer", 1, Depends::Array),
    ("attribute pointer", "VertexAttribFormat", 1, Depends::Array),
    ("attribute pointer", "VertexAttribIFormat", 1, Depends::Array),
    ("attribute pointer", "VertexAttribBinding", 1, Depends::Array),
    ("attribute pointer", "VertexArrayVertexBuffer", 0, Depends::Never),
    ("attribute pointer", "VertexArrayVertexBuffers", 0, Depends::Never),
    ("attribute pointer", "VertexArrayAttribFormat", 0, Depends::Never),
    ("attribute pointer", "VertexArrayAttribIFormat", 0, Depends::Never),
    ("attribute pointer", "VertexArrayAttribBinding", 0, Depends::Never),
    ("divisor", "VertexArrayBindingDivisor", 0, Depends::Never),
    ("buffer", "VertexArrayElementBuffer", 0, Depends::Never),
    ("divisor", "VertexAttribDivisor", 1, Depends::Array),
    ("divisor", "VertexBindingDivisor", 1, Depends::Array),
    ("vertex pointer", "VertexPointer", 0, Depends::Array),
    ("normal pointer", "NormalPointer", 0, Depends::Array),
    ("colour pointer", "ColorPointer", 0, Depends::Array),
    ("colour pointer", "SecondaryColorPointer", 0, Depends::Never),
    ("colour pointer", "IndexPointer", 0, Depends::Never),
    ("colour pointer", "EdgeFlagPointer", 0, Depends::Never),
    ("colour pointer", "FogCoordPointer", 0, Depends::Never),
    ("coordinate pointer", "TexCoordPointer", 0, Depends::Never),
    ("interleaved", "InterleavedArrays", 0, Depends::Never),
    ("matrix mode", "MatrixMode", 0, Depends::None),
    ("matrix", "LoadIdentity", 0, Depends::Never),
    ("matrix", "LoadMatrix", 0, Depends::Never),
    ("matrix", "LoadTransposeMatrix", 0, Depends::Never),
    ("matrix", "MultMatrix", 0, Depends::Never),
    ("matrix", "MultTransposeMatrix", 0, Depends::Never),
    ("matrix", "Rotate", 0, Depends::Never),
    ("matrix", "Translate", 0, Depends::Never),
    ("matrix", "Scale", 0, Depends::Never),
    ("matrix", "Ortho", 0, Depends::Never),
    ("matrix", "Frustum", 0, Depends::Never),
    ("matrix", "PushMatrix", 0, Depends::Never),
    ("matrix", "PopMatrix", 0, Depends::Never),
    ("attributes", "PushAttrib", 0, Depends::Never),
    ("attributes", "PushClientAttrib", 0, Depends::Never),
    ("draw buffers", "DrawBuffer", 0, Depends::Never),
    ("read buffer", "ReadBuffer", 0, Depends::Never),
    ("attachment", "FramebufferTexture", 0, Depends::Never),
    ("attachment", "FramebufferRenderbuffer", 0, Depends::Never),
    ("attachment", "NamedFramebufferTexture", 0, Depends::Never),
    ("attachment", "NamedFramebufferRenderbuffer", 0, Depends::Never),
    // Vertex arrays leave these undefined after a draw, so none of them is ever redundant.
    ("current", "Color", 0, Depends::Never),
    ("current", "SecondaryColor", 0, Depends::Never),
    ("current", "Normal", 0, Depends::Never),
    ("current", "TexCoord", 0, Depends::Never),
    ("current", "MultiTexCoord", 0, Depends::Never),
    ("current", "VertexAttrib", 0, Depends::Never),
    ("current", "Index", 0, Depends::Never),
    ("current", "EdgeFlag", 0, Depends::Never),
    ("raster position", "RasterPos", 0, Depends::Never),
    ("raster position", "WindowPos", 0, Depends::Never),
];

impl State {
    /// The state that a function sets, by its name without `gl` and suffixes
    /// ([`unspool_gl::Function::plain`]). `None` if it sets none.
    pub(crate) fn of(canonical: &str) -> Option<Self> {
        let fits = |(at, row): (usize, &(&str, &str, u8, Depends))| {
            let rest = canonical.strip_prefix(row.1)?;
            let words = ["Separate", "Indexed", "Array", "Matrix", "Renderbuffer", "Texture", "Layer", "Clamp"];
            let rest = words.iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
            // What is left are types and dimensions: glUniformMatrix3x4fv, but not glColorMask for
            // glColor.
            let is_suffix = rest.bytes().all(|byte| b"0123456789xiubsfdvNILDARBEXTOPV".contains(&byte));
            is_suffix.then_some((row.1.len(), at))
        };
        let (_, at) = FAMILIES.iter().enumerate().filter_map(fits).max()?;
        let (name, _, keys, depends) = *FAMILIES.get(at)?;
        let family = FAMILIES.iter().position(|row| row.0 == name)?;
        Some(Self { family: u8::try_from(family).ok()?, keys, depends })
    }

    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        FAMILIES.get(usize::from(self.family)).map_or("", |row| row.0)
    }

    /// Number of arguments that say which part of it a call sets.
    pub(crate) fn keys(self) -> u8 {
        self.keys
    }

    fn is(self, family: &str) -> bool {
        FAMILIES.get(usize::from(self.family)).is_some_and(|row| row.0 == family)
    }
}

/// What a call has done to the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It may have changed something.
    Other,
    /// It has set what was set.
    Same,
    /// Another program is in use.
    Program,
}

/// What calls have set, by context.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    contexts: HashMap<u64, Context>,
    hasher: DefaultHashBuilder,
    /// The context of the latest call: objects that contexts share may have changed in another.
    latest: u64,
    /// Number of times that everything was forgotten: a context is emptied when it is used again.
    forgotten: u64,
    /// Number of contexts that were emptied.
    #[cfg(test)]
    emptied: usize,
}

/// What calls have set in a context: hashes of values, by hashes of keys.
#[derive(Debug, Default)]
struct Context {
    /// [`Memory::forgotten`] when it was emptied.
    forgotten: u64,
    set: HashMap<u64, u64>,
    /// By family: increased when all of its state may be another one.
    generations: Vec<u32>,
    unit: u64,
    program: u64,
    array: u64,
    /// The buffer that is bound for vertices.
    vertices: u64,
    /// The textures that are bound, by unit and target.
    textures: HashMap<(u64, u64), u64>,
}

/// Limit for the number of keys of a context.
const MOST: usize = 1 << 18;

impl Memory {
    /// Everything may have changed.
    pub(crate) fn forget_all(&mut self) {
        self.forgotten += 1;
    }

    /// The texture unit that is active in a context.
    pub(super) fn unit(&self, context: u64) -> u64 {
        self.contexts.get(&context).map_or(0, |it| it.unit)
    }

    /// Another texture unit is active in a context.
    pub(super) fn activate(&mut self, context: u64, unit: u64) {
        self.contexts.entry(context).or_default().unit = unit;
    }

    /// The memory that this takes, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        self.contexts.values().map(|context| 20 * context.set.capacity()).sum()
    }

    /// A call sets state in a context.
    pub(crate) fn set(&mut self, context: u64, state: State, call: &Call) -> Effect {
        if core::mem::replace(&mut self.latest, context) != context {
            self.forget_all();
        }
        let hasher = &self.hasher;
        let it = self.contexts.entry(context).or_default();
        if core::mem::replace(&mut it.forgotten, self.forgotten) != self.forgotten {
            empty(&mut it.set);
            empty(&mut it.textures);
            #[cfg(test)]
            (self.emptied += 1);
        }
        let number = |at: usize| call.int(at) as u64;
        let last = number(call.len().saturating_sub(1));
        let family = usize::from(state.family);
        if it.generations.is_empty() {
            it.generations.resize(FAMILIES.len(), 0);
        }
        let texture = it.textures.get(&(it.unit, number(0))).copied();
        let extra = match state.depends {
            Depends::None => Some(0),
            // Other capabilities than these are not state of a unit.
            Depends::Unit if state.is("enabled") && !UNIT_CAPABILITIES.map(u64::from).contains(&number(0)) => Some(0),
            Depends::Unit => Some(it.unit),
            Depends::Program => Some(it.program),
            // Of the bindings of buffers only this one is state of a vertex array object.
            Depends::Array if state.is("buffer") && number(0) != gl::ELEMENT_ARRAY_BUFFER.into() => Some(0),
            Depends::Array if state.is("capability") && number(0) == gl::TEXTURE_COORD_ARRAY.into() => None,
            Depends::Array => Some(it.array),
            Depends::Texture => texture,
            Depends::Never => None,
        };
        let keys = usize::from(state.keys);
        // Uniforms of several locations overlap with others.
        let is_array =
            state.is("uniform") && number(1) > 1 && matches!(call.argument(2), Value::List(_) | Value::Bool(_));
        // What limits leave out of a call may differ.
        let has_bytes = call.is_shortened || (0..call.len()).any(|at| matches!(call.argument(at), Value::Bytes(..)));
        let Some(extra) = extra.filter(|_| !is_array && !has_bytes) else {
            // Any part of the state of the family may be another one now.
            if let Some(generation) = it.generations.get_mut(family) {
                *generation += 1;
            }
            if state.is("texture") {
                it.textures.clear();
            }
            return Effect::Other;
        };
        let generation = it.generations.get(family).copied().unwrap_or_default();
        if it.set.len() >= MOST {
            it.set.clear();
        }
        let mut key = hasher.build_hasher();
        (state.family, generation, extra).hash(&mut key);
        (0..keys).for_each(|at| put(&mut key, call.argument(at)));
        let mut value = hasher.build_hasher();
        call.function.hash(&mut value);
        (keys..call.len()).for_each(|at| put(&mut value, call.argument(at)));
        if state.depends == Depends::Array && !state.is("buffer") {
            it.vertices.hash(&mut value);
        }
        let (key, value) = (key.finish(), value.finish());
        let same = it.set.insert(key, value) == Some(value);
        if state.is("unit") {
            it.unit = last;
        } else if state.is("array") {
            it.array = last;
        } else if state.is("texture") {
            it.textures.insert((it.unit, number(0)), last);
        } else if state.is("buffer") {
            if number(0) == gl::ARRAY_BUFFER.into() {
                it.vertices = last;
            }
        } else if state.is("indexed buffer") {
            // It binds to the target itself, too.
            let buffer = FAMILIES.iter().position(|row| row.0 == "buffer");
            if let Some(generation) = buffer.and_then(|at| it.generations.get_mut(at)) {
                *generation += 1;
            }
        } else if state.is("program") {
            let is_other = core::mem::replace(&mut it.program, last) != last;
            return if same {
                Effect::Same
            } else if is_other {
                Effect::Program
            } else {
                Effect::Other
            };
        }
        if same { Effect::Same } else { Effect::Other }
    }
}

/// Removes all. Room for many more than there were is freed: it would take as long to clear.
fn empty<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > 4 * map.len().max(64) {
        *map = HashMap::new();
    } else {
        map.clear();
    }
}

fn put(hasher: &mut impl Hasher, value: Value<'_>) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(is) => (1_u8, is).hash(hasher),
        Value::Int(number) => (2_u8, number).hash(hasher),
        Value::Uint(number) => (2_u8, number as i64).hash(hasher),
        Value::Float(number) => (3_u8, number.to_bits()).hash(hasher),
        Value::Text(text) => (4_u8, text).hash(hasher),
        Value::Bytes(bytes, len) => (5_u8, bytes, len).hash(hasher),
        Value::List(values) => {
            6_u8.hash(hasher);
            for value in values {
                put(hasher, value);
            }
            7_u8.hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_of_contexts_costs_the_same_with_any_number_of_them() {
        let state = State::of("Enable").unwrap();
        let (mut memory, call) = (Memory::default(), Call::default());
        for _ in 0..2 {
            for context in 0..50_000 {
                assert_eq!(memory.set(context, state, &call), Effect::Other);
                assert_eq!(memory.set(context, state, &call), Effect::Same);
            }
        }
        // Each is emptied when it is used again, and no other.
        assert!(memory.emptied <= 100_000, "{}", memory.emptied);
        memory.forget_all();
        assert_eq!(memory.set(49_999, state, &call), Effect::Other);
    }

    #[test]
    fn a_call_whose_values_are_not_all_known_is_not_redundant() {
        let state = State::of("Enable").unwrap();
        let (mut memory, mut call) = (Memory::default(), Call::default());
        call.is_shortened = true;
        for _ in 0..2 {
            assert_eq!(memory.set(1, state, &call), Effect::Other);
        }
    }
}
