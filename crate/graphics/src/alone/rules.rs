//! Which function does what, by name. A function that is not here is kept wherever it is called,
//! with all that a draw reads.

use std::rc::Rc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::{Does, functions, gl, windows};

use super::world::{Id, Kind, What, World};
use super::{buffers, drawing, lists as listing, programs, state, textures};
use crate::known::Known;
use unspool_gl::Variant;
use unspool_gl::call::Call;

/// What a function does.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Nothing that a later call depends on.
    Ignored,
    /// Replaces a setting, which its first arguments choose.
    Set(u8),
    /// Changes a part of a setting.
    Part,
    /// As [`Rule::Set`], of the active texture unit.
    SetOfUnit(u8),
    /// As [`Rule::Set`], if its first argument is both faces.
    SetOfFaces,
    /// As [`Rule::Set`], of what pixels are read with.
    SetOfPixels(u8),
    /// As [`Rule::Set`], with the modelview matrix of now.
    SetInSpace(u8),
    Run(fn(&mut World, &Call, &Function)),
    Windows(windows::Function),
    /// What it does is not known.
    Unknown,
}

/// Names without `gl`, each with a setting that it shares with others, and a rule. `*` stands for
/// the type of the arguments.
pub(super) type Rules = &'static [(&'static str, &'static str, Rule)];

/// Settings: a name after the first of a setting changes the same one.
const SETTINGS: Rules = &[
    ("AlphaFunc", "alpha test", Rule::Set(0)),
    ("BlendColor", "blend colour", Rule::Set(0)),
    ("BlendEquation", "blend equation", Rule::Set(0)),
    ("BlendEquationSeparate", "blend equation", Rule::Set(0)),
    ("BlendEquationi", "blend equation", Rule::Part),
    ("BlendEquationSeparatei", "blend equation", Rule::Part),
    ("BlendFunc", "blend function", Rule::Set(0)),
    ("BlendFuncSeparate", "blend function", Rule::Set(0)),
    ("BlendFunci", "blend function", Rule::Part),
    ("BlendFuncSeparatei", "blend function", Rule::Part),
    ("ClearColor", "clear colour", Rule::Set(0)),
    ("ClearColorI*", "clear colour", Rule::Set(0)),
    ("ClearDepth", "clear depth", Rule::Set(0)),
    ("ClearDepthf", "clear depth", Rule::Set(0)),
    ("ClearDepthx", "clear depth", Rule::Set(0)),
    ("ClearStencil", "clear stencil", Rule::Set(0)),
    ("ClearIndex", "clear index", Rule::Set(0)),
    ("ClearAccum", "clear accumulation", Rule::Set(0)),
    ("ClipControl", "clip control", Rule::Set(0)),
    ("ClampColor", "colour clamping", Rule::Set(1)),
    ("CullFace", "culling", Rule::Set(0)),
    ("DepthFunc", "depth function", Rule::Set(0)),
    ("DepthRange", "depth range", Rule::Set(0)),
    ("DepthRangef", "depth range", Rule::Set(0)),
    ("DepthRangeIndexed", "depth range", Rule::Part),
    ("DepthRangeArrayv", "depth range", Rule::Part),
    ("DepthBounds", "depth bounds", Rule::Set(0)),
    ("FrontFace", "front face", Rule::Set(0)),
    ("Fog*", "fog", Rule::Set(1)),
    ("Hint", "hint", Rule::Set(1)),
    ("LineWidth", "line width", Rule::Set(0)),
    ("LineStipple", "line stipple", Rule::Set(0)),
    ("LogicOp", "logic operation", Rule::Set(0)),
    ("PointSize", "point size", Rule::Set(0)),
    ("PointParameter*", "point parameters", Rule::Set(1)),
    ("PolygonMode", "polygon mode", Rule::SetOfFaces),
    ("PolygonOffset", "polygon offset", Rule::Set(0)),
    ("PolygonOffsetClamp", "polygon offset", Rule::Set(0)),
    ("PolygonStipple", "polygon stipple", Rule::Set(0)),
    ("SampleCoverage", "sample coverage", Rule::Set(0)),
    ("SampleMaski", "sample mask", Rule::Set(1)),
    ("MinSampleShading", "sample shading", Rule::Set(0)),
    ("ScissorIndexed", "scissor", Rule::Part),
    ("ScissorIndexedv", "scissor", Rule::Part),
    ("ScissorArrayv", "scissor", Rule::Part),
    ("StencilFunc", "stencil function", Rule::Set(0)),
    ("StencilFuncSeparate", "stencil function", Rule::SetOfFaces),
    ("StencilOp", "stencil operation", Rule::Set(0)),
    ("StencilOpSeparate", "stencil operation", Rule::SetOfFaces),
    ("PixelZoom", "pixel zoom", Rule::Set(0)),
    ("PixelTransfer*", "pixel transfer", Rule::SetOfPixels(1)),
    ("PixelMap*", "pixel maps", Rule::SetOfPixels(1)),
    ("PixelStore*", "pixel storage", Rule::SetOfPixels(1)),
    ("PrimitiveRestartIndex", "primitive restart", Rule::Set(0)),
    ("ProvokingVertex", "provoking vertex", Rule::Set(0)),
    ("PatchParameteri", "patch parameters", Rule::Set(1)),
    ("PatchParameterfv", "patch parameters", Rule::Set(1)),
    ("LightModel*", "light model", Rule::Set(1)),
    ("Light*", "lights", Rule::SetInSpace(2)),
    ("ClipPlane", "clip planes", Rule::SetInSpace(1)),
    ("ClipPlanef", "clip planes", Rule::SetInSpace(1)),
    ("TexEnv*", "texture environment", Rule::SetOfUnit(2)),
    ("TexGen*", "generated coordinates", Rule::Run(state::tex_gen)),
    ("ColorMaterial", "colour material", Rule::Set(0)),
    ("IndexMask", "index mask", Rule::Set(0)),
    ("Map1*", "evaluators", Rule::Set(1)),
    ("Map2*", "evaluators", Rule::Set(1)),
    ("MapGrid1*", "evaluator grid 1", Rule::Set(0)),
    ("MapGrid2*", "evaluator grid 2", Rule::Set(0)),
    ("ProgramEnvParameter4*", "assembly parameters", Rule::Set(2)),
    ("BindProgram", "assembly programs", Rule::Set(1)),
    ("MemoryBarrier", "memory barrier", Rule::Set(0)),
    ("MemoryBarrierByRegion", "memory barrier", Rule::Set(0)),
    ("TextureBarrier", "texture barrier", Rule::Set(0)),
];

/// Rules of all functions.
const ALL: &[Rules] =
    &[SETTINGS, state::RULES, textures::RULES, buffers::RULES, programs::RULES, drawing::RULES, listing::RULES];

/// Beginnings of functions that change nothing that a later call depends on. The rules come before
/// them.
const IGNORED: [&str; 21] = [
    "Get",
    "Is",
    "Debug",
    "PushDebugGroup",
    "PopDebugGroup",
    "ObjectLabel",
    "ObjectPtrLabel",
    "LabelObject",
    "InsertEventMarker",
    "PushGroupMarker",
    "PopGroupMarker",
    "StringMarker",
    "FrameTerminator",
    "Flush",
    "Finish",
    "ValidateProgram",
    "CheckFramebufferStatus",
    "CheckNamedFramebufferStatus",
    "Invalidate",
    "DiscardFramebuffer",
    "ReleaseShaderCompiler",
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

/// Names of a call that is not known which are looked at.
const MOST_NAMES: usize = 256;
/// Places of parts that a call which is not known may have set.
const OF_UNKNOWN: u32 = 1 << 31;

/// A function of a trace.
pub(super) struct Function {
    pub(super) rule: Rule,
    /// The setting that it changes.
    pub(super) setting: u16,
    pub(super) known: Known,
    pub(super) variant: Variant,
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
    pub(super) names: Vec<(usize, Kind)>,
}

/// The functions of a trace.
#[derive(Default)]
pub(super) struct Table {
    functions: Vec<Rc<Function>>,
    known: HashMap<String, u32>,
}

impl core::fmt::Debug for Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Table").field("functions", &self.functions.len()).finish()
    }
}

impl Table {
    /// The number of a function.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let number = self.functions.len() as u32;
        self.functions.push(Rc::new(Function::of(name)));
        self.known.insert(name.into(), number);
        number
    }

    pub(super) fn get(&self, number: u32) -> Option<Rc<Function>> {
        self.functions.get(number as usize).cloned()
    }
}

/// The number of a setting by its name.
pub(super) fn number_of_setting(name: &str) -> u16 {
    (0..).zip(ALL.iter().copied().flatten()).find(|(_, row)| row.1 == name).map_or(0, |(at, _)| at)
}

/// The name of a setting by its number.
pub(super) fn setting(number: u16) -> &'static str {
    ALL.iter().copied().flatten().nth(number.into()).map_or("", |(_, setting, _)| setting)
}

/// What `glPushAttrib` calls the group of a setting: OpenGL 4.6 compatibility profile, tables 23.4
/// to 23.38. `None` if that is not known.
pub(super) fn attribute_of(setting: &str) -> Option<u32> {
    Some(match setting {
        "alpha test" | "blend colour" | "blend equation" | "blend function" | "clear colour" | "colour mask"
        | "logic operation" => gl::COLOR_BUFFER_BIT,
        "depth function" | "depth mask" | "clear depth" => gl::DEPTH_BUFFER_BIT,
        "stencil function" | "stencil operation" | "stencil mask" | "clear stencil" => gl::STENCIL_BUFFER_BIT,
        "viewport" | "depth range" => gl::VIEWPORT_BIT,
        "scissor" => gl::SCISSOR_BIT,
        "line width" | "line stipple" => gl::LINE_BIT,
        "point size" => gl::POINT_BIT,
        "culling" | "front face" | "polygon mode" | "polygon offset" => gl::POLYGON_BIT,
        "polygon stipple" => gl::POLYGON_STIPPLE_BIT,
        "lights" | "light model" | "material" | "shade model" | "colour material" => gl::LIGHTING_BIT,
        "fog" => gl::FOG_BIT,
        "hint" => gl::HINT_BIT,
        "current colour"
        | "current secondary colour"
        | "current normal"
        | "current coordinates"
        | "current fog coordinate"
        | "raster position" => gl::CURRENT_BIT,
        "texture environment" | "generated coordinates" => gl::TEXTURE_BIT,
        "clip planes" => gl::TRANSFORM_BIT,
        "list base" => gl::LIST_BIT,
        _ => return None,
    })
}

impl Function {
    fn of(name: &str) -> Self {
        let known = Known::of(name);
        let flags = NameFlags::of(name);
        let own = unspool_gl::Function::of(name);
        let is_gl = own.is_gl();
        let bare = known.canonical.clone();
        let (mut found, mut longest) = (None, 0);
        for (pattern, setting, rule) in ALL.iter().copied().flatten() {
            let variant = match pattern.split_once('*') {
                Some((begin, end)) => {
                    bare.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)).and_then(Variant::parse)
                }
                None => (*pattern == bare).then(Variant::default),
            };
            if let Some(variant) =
                variant.filter(|_| longest < pattern.len() && (is_gl || !pattern.starts_with(char::is_uppercase)))
            {
                longest = pattern.len();
                found = Some((*rule, variant, number_of_setting(setting)));
            }
        }
        let windows = own.windows().map(Rule::Windows);
        let matrices = || matches!(own.does(), Some(Does::Matrices(_))).then_some(Rule::Run(listing::matrix));
        let texture = || known.texture.filter(|_| is_gl).map(|_| Rule::Run(textures::image));
        let ignored = || {
            let is_ignored = if is_gl {
                IGNORED.iter().any(|begin| bare.starts_with(begin))
            } else {
                IGNORED_OF_WINDOWS.iter().any(|begin| name.starts_with(begin))
            };
            is_ignored.then_some(Rule::Ignored)
        };
        let (rule, variant, setting) = match found {
            Some(found) => found,
            None => {
                let draws = || (is_gl && flags.renders.is_some()).then_some(Rule::Run(drawing::draw));
                let rule = windows.or_else(matrices).or_else(texture).or_else(draws).or_else(ignored);
                let rule = rule.unwrap_or(if flags.frame_end { Rule::Ignored } else { Rule::Unknown });
                (rule, Variant::default(), 0)
            }
        };
        let names = functions().find(name).into_iter().flat_map(|function| function.parameters().enumerate());
        let names = names.filter_map(|(at, parameter)| Some((at, Kind::of_class(parameter.class?)?))).collect();
        Self {
            rule,
            setting,
            known,
            variant,
            is_gl,
            is_listed: own.is_compiled(),
            may_draw: is_gl && flags.renders.is_some(),
            ends_frame: flags.frame_end,
            gives_handles: is_gl
                && ["GetTextureHandle", "GetTextureSamplerHandle", "GetImageHandle"]
                    .iter()
                    .any(|begin| bare.starts_with(begin)),
            has_texts: is_gl && TEXTS.iter().any(|begin| bare.starts_with(begin)),
            names,
        }
    }
}

impl World {
    /// Notes what a call does.
    pub(super) fn run(&mut self, call: &Call, function: &Function) {
        let key = |at: usize| u64::from(call.uint(at));
        let keys = |count: u8| match count {
            0 => (0, 0),
            1 => (key(0), 0),
            _ => (key(0), key(1)),
        };
        let what = What::Setting(function.setting);
        match function.rule {
            Rule::Ignored => {}
            Rule::Set(count) => {
                let (a, b) = keys(count);
                let cell = self.state(what, a, b);
                self.whole(cell);
            }
            Rule::Part => {
                let cell = self.state(what, 0, 0);
                self.part(cell);
            }
            Rule::SetOfUnit(count) => {
                let ((a, b), unit) = (keys(count), u64::from(self.shadow().unit));
                let active = self.unit_cell();
                self.read(active);
                let cell = self.state(what, unit << 32 | a, b);
                self.whole(cell);
            }
            Rule::SetOfFaces => {
                let cell = self.state(what, 0, 0);
                if call.uint(0) == gl::FRONT_AND_BACK { self.whole(cell) } else { self.part(cell) }
            }
            Rule::SetOfPixels(count) => {
                let (a, b) = keys(count);
                let group = self.context().pixels;
                let cell = self.cell(group, what, a, b);
                self.whole(cell);
            }
            Rule::SetInSpace(count) => {
                let (a, b) = keys(count);
                let top = self.top(gl::MODELVIEW);
                self.read(top);
                let cell = self.state(what, a, b);
                self.whole(cell);
            }
            Rule::Run(run) => run(self, call, function),
            Rule::Windows(windows) => self.call_of_windows(windows, call),
            Rule::Unknown => self.unknown(call, function),
        }
    }

    /// What a call does is not known: it is kept, with all that it may read.
    fn unknown(&mut self, call: &Call, function: &Function) {
        self.always();
        if function.is_gl {
            self.read_everything();
            let mut named = Vec::new();
            for (at, kind) in &function.names {
                let names = state::names_of(call, *at).into_iter().take(MOST_NAMES);
                named.extend(names.filter_map(|name| self.known(*kind, name.into())));
            }
            for id in &named {
                self.read_object(*id);
            }
            self.join(&named);
        }
    }

    /// Objects of a call that is not known may refer to each other, or be bound by it.
    fn join(&mut self, named: &[Id]) {
        for id in named {
            if matches!(self.get(*id).kind, Kind::VertexArray | Kind::Framebuffer | Kind::Texture | Kind::Pipeline) {
                for part in named.iter().filter(|part| *part != id) {
                    self.get_mut(*id).parts.insert(OF_UNKNOWN | *part, (*part, 0, 0));
                }
            }
        }
        self.context().extras.extend(named);
    }

    /// Whether and where the objects that a call names exist.
    pub(super) fn read_names(&mut self, call: &Call, function: &Function) {
        for (at, kind) in &function.names {
            if let Some(id) = self.known(*kind, key_of(call, *at)) {
                let exists = self.get(id).exists;
                self.read(exists);
            }
        }
    }
}

fn key_of(call: &Call, at: usize) -> u64 {
    u64::from(call.uint(at))
}
