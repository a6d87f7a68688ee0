//! Functions of a trace: what their calls are to a frame that replays by itself. One that neither
//! the machine nor anything here knows is kept wherever it is called, with all that a draw reads.

use std::rc::Rc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::machine::Machine;
use unspool_gl::machine::objects::Kind;
use unspool_gl::{Does, Variant};

use super::scene::Scene;
use super::{buffers, drawing, pairs, recorded, settings, sources, stacks, textures, window};
use crate::known::Known;
use unspool_gl::call::Call;

/// Notes what a call does.
pub(super) type Run = fn(&mut Scene, &Call, &Function);

/// The deed of a function.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Nothing that a later call depends on.
    Ignored,
    /// It sets what the machine has noted.
    Followed,
    /// The same, and what this says.
    With(Run),
    /// It does what this says, in place of what the machine has noted.
    Instead(Run),
    /// It sets what the machine has no cell of.
    Sets,
    /// It does something with contexts or windows.
    Windows,
    /// Nothing is known of it.
    Unknown,
}

/// Names without `gl`, and rules. `*` stands for the type of the arguments.
pub(super) type Rules = &'static [(&'static str, Rule)];

const ALL: &[Rules] = &[
    buffers::RULES,
    drawing::RULES,
    pairs::RULES,
    recorded::RULES,
    sources::RULES,
    stacks::RULES,
    textures::RULES,
    window::RULES,
];

/// Beginnings of functions that change nothing that a later call depends on. The rules come before
/// them.
const IGNORED: [&str; 29] = [
    "ArrayElement",
    "CheckFramebufferStatus",
    "CheckNamedFramebufferStatus",
    "Debug",
    "DeleteObject",
    "DeleteProgram",
    "DeleteShader",
    "DiscardFramebuffer",
    "EvalCoord",
    "EvalPoint",
    "Finish",
    "Flush",
    "FrameTerminator",
    "Get",
    "InsertEventMarker",
    "Invalidate",
    "Is",
    "LabelObject",
    "ObjectLabel",
    "ObjectPtrLabel",
    "ReleaseShaderCompiler",
    "StringMarker",
    "ValidateProgram",
    "Vertex2",
    "Vertex3",
    "Vertex4",
    "VertexP2",
    "VertexP3",
    "VertexP4",
];

/// Those that have one of the beginnings, and do more.
const NOT_IGNORED: [&str; 2] = ["DeleteProgramPipelines", "DeletePrograms"];

/// Functions of which the machine follows less than a later call may depend on: what a view shares
/// with its texture, what an image of EGL holds, the buffers of a transform feedback object, and
/// programs of assembly.
const NOT_FOLLOWED: [&str; 6] = [
    "TextureView",
    "EGLImageTargetTexture2D",
    "BindTransformFeedback",
    "ShaderBinary",
    "BindProgram",
    "DeletePrograms",
];

/// Functions of windows that change nothing which a later call depends on, besides those that end
/// with `SwapBuffers`.
const IGNORED_OF_WINDOWS: [&str; 14] = [
    "glXGet",
    "glXQuery",
    "glXIs",
    "glXChoose",
    "glXWait",
    "glXSwapInterval",
    "eglGet",
    "eglQuery",
    "eglChoose",
    "eglWait",
    "eglSwapInterval",
    "wglGet",
    "wglSwapInterval",
    "CGLGet",
];

/// Beginnings of functions whose texts decide what is drawn.
const TEXTS: [&str; 14] = [
    "ShaderSource",
    "CreateShaderProgram",
    "ProgramString",
    "LoadProgram",
    "NamedString",
    "CompileShaderInclude",
    "BindAttribLocation",
    "BindFragDataLocation",
    "TransformFeedbackVaryings",
    "GetUniform",
    "GetProgramResource",
    "GetSubroutine",
    "GetAttribLocation",
    "GetFragData",
];

/// The kind of thing that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Object(Kind),
    List,
}

impl Named {
    /// By the class that the registry gives to parameters.
    fn of_class(class: &str) -> Option<Self> {
        Some(Self::Object(match class {
            "texture" => Kind::Texture,
            "buffer" => Kind::Buffer,
            "renderbuffer" => Kind::Renderbuffer,
            "sampler" => Kind::Sampler,
            "shader" => Kind::Shader,
            "program" => Kind::Program,
            "vertex array" => Kind::VertexArray,
            "framebuffer" => Kind::Framebuffer,
            "query" => Kind::Query,
            "program pipeline" => Kind::Pipeline,
            "transform feedback" => Kind::TransformFeedback,
            "display list" => return Some(Self::List),
            _ => return None,
        }))
    }
}

/// A function of a trace.
pub(super) struct Function {
    pub(super) rule: Rule,
    pub(super) known: Known,
    /// Its number in the machine.
    pub(super) machine: Option<u32>,
    /// The setting that it changes where the machine has no cell.
    pub(super) setting: Option<settings::Setting>,
    /// Of a function that sets uniforms: the kind of numbers, and the argument with the location.
    pub(super) uniform: Option<(Variant, usize)>,
    pub(super) is_gl: bool,
    pub(super) is_listed: bool,
    /// Its calls draw or clear.
    pub(super) may_draw: bool,
    pub(super) ends_frame: bool,
    /// It returns handles of textures, which shaders get as numbers.
    pub(super) gives_handles: bool,
    /// It takes texts that decide what is drawn.
    pub(super) has_texts: bool,
    /// Arguments that name objects, and what these are.
    pub(super) names: Vec<(usize, Named)>,
}

/// The functions of a trace.
#[derive(Default)]
pub(super) struct Table {
    functions: Vec<Rc<Function>>,
    known: HashMap<String, u32>,
    /// By their numbers in the machine.
    of_machine: HashMap<u32, u32>,
}

impl Table {
    /// The number of a function.
    pub(super) fn number(&mut self, name: &str, machine: &mut Machine) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let number = self.functions.len() as u32;
        let function = Function::of(name, machine);
        if let Some(of_machine) = function.machine {
            self.of_machine.insert(of_machine, number);
        }
        self.functions.push(Rc::new(function));
        self.known.insert(name.into(), number);
        number
    }

    pub(super) fn get(&self, number: u32) -> Option<Rc<Function>> {
        self.functions.get(number as usize).cloned()
    }

    /// A function by its number in the machine.
    pub(super) fn of_machine(&self, number: u32) -> Option<Rc<Function>> {
        self.get(*self.of_machine.get(&number)?)
    }
}

/// Whether a name is that of a pattern, and what stands for its `*`.
pub(super) fn matched(pattern: &str, bare: &str) -> Option<Variant> {
    match pattern.split_once('*') {
        Some((begin, end)) => bare.strip_prefix(begin)?.strip_suffix(end).and_then(Variant::parse),
        None => (pattern == bare).then(Variant::default),
    }
}

/// The row whose pattern says most of a name.
pub(super) fn longest<'a, T>(rows: impl Iterator<Item = (&'a str, T)>, bare: &str) -> Option<T> {
    let fitting = rows.filter(|(pattern, _)| matched(pattern, bare).is_some());
    fitting.max_by_key(|(pattern, _)| pattern.len()).map(|(_, row)| row)
}

fn has_begin(begins: &[&str], name: &str) -> bool {
    begins.iter().any(|begin| name.starts_with(begin))
}

/// The kind of numbers that a function sets uniforms to, and the argument with the location.
fn uniform(bare: &str) -> Option<(Variant, usize)> {
    let (rest, at) = bare.strip_prefix("Program").map_or((bare, 0), |rest| (rest, 1));
    let rest = rest.strip_prefix("Uniform")?;
    Some((Variant::parse(rest.strip_prefix("Matrix").unwrap_or(rest))?, at))
}

impl Function {
    fn of(name: &str, machine: &mut Machine) -> Self {
        let known = Known::of(name);
        let flags = NameFlags::of(name);
        let resolved = unspool_gl::Function::of(name);
        let (is_gl, is_listed) = (resolved.is_gl(), resolved.is_compiled());
        let bare = known.canonical.as_str();
        let setting = if is_gl { settings::Setting::of(bare) } else { None };
        let own =
            ALL.iter().copied().flatten().filter(|(pattern, _)| is_gl || !pattern.starts_with(char::is_uppercase));
        let own = longest(own.map(|(pattern, rule)| (*pattern, *rule)), bare);
        let is_ignored = match is_gl {
            true => has_begin(&IGNORED, bare) && !has_begin(&NOT_IGNORED, bare),
            false => has_begin(&IGNORED_OF_WINDOWS, name) || flags.frame_end,
        };
        // Vertices are nothing that lists are looked into for.
        let is_wanted = is_gl && !(is_ignored && own.is_none() && is_listed) || known.windows.is_some();
        let number = if is_wanted { machine.function(name) } else { None };
        let follows = number.is_some_and(|number| machine.follows(number)) && !NOT_FOLLOWED.contains(&bare);
        let rule = match own {
            Some(rule) => rule,
            None if known.windows.is_some() => Rule::Windows,
            None if matches!(resolved.does(), Some(Does::Matrices(_))) => Rule::Instead(stacks::matrix),
            None if is_ignored => Rule::Ignored,
            None if is_gl && flags.renders.is_some() && !follows => Rule::Instead(drawing::draw),
            None if follows => Rule::Followed,
            None if setting.is_some() => Rule::Sets,
            None => Rule::Unknown,
        };
        let names = resolved.registered().into_iter().flat_map(|function| function.parameters().enumerate());
        let names = names.filter_map(|(at, parameter)| Some((at, Named::of_class(parameter.class?)?))).collect();
        let handles = ["GetTextureHandle", "GetTextureSamplerHandle", "GetImageHandle"];
        Self {
            rule,
            machine: number,
            setting,
            uniform: if is_gl { uniform(bare) } else { None },
            is_gl,
            is_listed,
            may_draw: is_gl && flags.renders.is_some(),
            ends_frame: flags.frame_end,
            gives_handles: is_gl && has_begin(&handles, bare),
            has_texts: is_gl && has_begin(&TEXTS, bare),
            names,
            known,
        }
    }

    /// Its name without `gl` and the ending of an extension.
    pub(super) fn bare(&self) -> &str {
        &self.known.canonical
    }

    /// A call that sets nothing has a parameter or a target that the machine does not know, and is
    /// not only wrong, such as one for an object that does not exist.
    pub(super) fn may_set_more(&self) -> bool {
        self.setting.is_some() || has_begin(&["Bind", "Enable", "Disable"], self.bare())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Functions of versions, without `gl`, of which nothing is known here: selection and feedback
    /// of the fixed function, accumulation, priorities, queries with indexes, what shaders of
    /// SPIR-V are made of, and objects of which the machine follows too little.
    const UNKNOWN: [&str; 45] = [
        "Accum",
        "AreTexturesResident",
        "BeginQueryIndexed",
        "BindTransformFeedback",
        "BlendBarrier",
        "ColorSubTable",
        "ColorTable",
        "ColorTableParameterfv",
        "ColorTableParameteriv",
        "ConvolutionFilter1D",
        "ConvolutionFilter2D",
        "ConvolutionParameterf",
        "ConvolutionParameterfv",
        "ConvolutionParameteri",
        "ConvolutionParameteriv",
        "CopyColorSubTable",
        "CopyColorTable",
        "CopyConvolutionFilter1D",
        "CopyConvolutionFilter2D",
        "EndQueryIndexed",
        "FeedbackBuffer",
        "FramebufferParameteri",
        "Histogram",
        "InitNames",
        "LoadName",
        "Minmax",
        "NamedFramebufferParameteri",
        "PassThrough",
        "PauseTransformFeedback",
        "PopName",
        "PrimitiveBoundingBox",
        "PrioritizeTextures",
        "PushName",
        "ResetHistogram",
        "ResetMinmax",
        "ResumeTransformFeedback",
        "SampleCoveragex",
        "SelectBuffer",
        "SeparableFilter2D",
        "ShaderBinary",
        "SpecializeShader",
        "TextureView",
        "TransformFeedbackBufferBase",
        "TransformFeedbackBufferRange",
        "UniformSubroutinesuiv",
    ];

    #[test]
    fn each_function_of_a_version_is_known_or_listed() {
        let mut machine = Machine::of_notes();
        let is_of_version = |name: &str| name.chars().rev().take(2).any(|it| it.is_lowercase() || it.is_ascii_digit());
        let is_unknown = |name: &&str| {
            let function = Function::of(name, &mut machine);
            function.is_gl && is_of_version(name) && matches!(function.rule, Rule::Unknown)
        };
        let all = unspool_gl::names().into_iter().filter(is_unknown);
        let mut unknown: Vec<&str> = all.filter_map(|name| name.strip_prefix("gl")).collect();
        unknown.sort_unstable();
        assert_eq!(unknown, UNKNOWN);
    }
}
