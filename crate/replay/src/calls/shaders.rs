//! Shaders and programs.

use std::rc::Rc;

use hashbrown::HashMap;
use unspool_gl::call::{Call, Value};
use unspool_gl::{Variant, gl};
use unspool_trace::beginning;

use super::{Functions, text};
use crate::driver::{OBJECT, Replay};
use crate::glsl::{Source, Translated};
use crate::objects::{BUFFER, Linked, Program, Sampler, Sent, Shader, UNITS};
use crate::ops::{Kind, Op};
use crate::shader_list::Made;

/// Limit for the shaders that are listed because they cannot be translated.
const MOST_LISTED: usize = 256;
/// Limit for the bytes of a source that is kept: more is refused as too long.
const MOST_SOURCE: usize = (1 << 20) + 1;
/// Limit for the names that a program numbers.
const MOST_NUMBERED: usize = 256;

pub(crate) const TABLE: Functions = &[
    ("CreateShader", |r, c, _| create_shader(r, c.returned().unwrap_or_default() as u32, c.uint(0))),
    ("ShaderSource", |r, c, _| {
        let source = source_of(c.argument(2), &c.ints(3));
        let Some(known) = shader(r, c.uint(0)).map(|shader| shader.source.len()) else { return };
        if r.reserve(known as u64, source.len() as u64)
            && let Some(shader) = shader(r, c.uint(0))
        {
            shader.source = source.into();
        }
    }),
    ("CompileShader", |r, c, _| {
        let translations = r.translations.clone();
        if let Some(shader) = shader(r, c.uint(0)) {
            // Compared once, not with each program.
            if !Rc::ptr_eq(&shader.compiled, &shader.source) {
                shader.source = translations.source(&shader.source);
                shader.compiled = Rc::clone(&shader.source);
            }
            shader.call = c.number;
        }
    }),
    ("CreateProgram", |r, c, _| create_program(r, c.returned().unwrap_or_default() as u32)),
    ("AttachShader", attach),
    ("DetachShader", |r, c, _| {
        let shader = c.uint(1);
        if let Some(program) = r.program(c.uint(0)) {
            // A program is linked with what was attached before; programs detach after that.
            program.shaders.retain(|known| *known != shader);
        }
    }),
    ("BindAttribLocation", |r, c, _| {
        let (index, name) = (c.uint(1), text(c, 2).to_owned());
        if let Some(program) = r.program(c.uint(0))
            && program.attributes.len() < MOST_NUMBERED
        {
            program.attributes.insert(name, index);
        }
    }),
    ("BindFragDataLocation", |r, c, _| {
        let (index, name) = (c.uint(1), text(c, 2).to_owned());
        if let Some(program) = r.program(c.uint(0))
            && program.outputs.len() < MOST_NUMBERED
        {
            program.outputs.insert(name, index);
        }
    }),
    ("BindFragDataLocationIndexed", |r, c, _| {
        // The second source of blending is refused where it is used.
        let (number, index, name) = (c.uint(1), c.uint(2), text(c, 3).to_owned());
        if let Some(program) = r.program(c.uint(0)).filter(|_| index == 0)
            && program.outputs.len() < MOST_NUMBERED
        {
            program.outputs.insert(name, number);
        }
    }),
    ("ProgramBinary", |r, c, _| refuse(r, c.uint(0), "the program was made of a binary of the driver")),
    ("ShaderBinary", |r, c, _| c.ints(1).into_iter().for_each(|name| refuse_shader(r, name as u32))),
    ("SpecializeShader", |r, c, _| refuse_shader(r, c.uint(0))),
    ("UniformHandleui64", |r, _, _| {
        if let Some(program) = r.context().map(|context| context.program) {
            refuse(r, program, RESIDENT);
        }
    }),
    ("UniformHandleui64v", |r, _, _| {
        if let Some(program) = r.context().map(|context| context.program) {
            refuse(r, program, RESIDENT);
        }
    }),
    ("ProgramUniformHandleui64", |r, c, _| refuse(r, c.uint(0), RESIDENT)),
    ("ProgramUniformHandleui64v", |r, c, _| refuse(r, c.uint(0), RESIDENT)),
    ("LinkProgram", |r, c, _| r.link(c.uint(0))),
    ("UseProgram", |r, c, _| use_program(r, c.uint(0))),
    ("GetAttribLocation", |r, c, _| {
        let (name, location) = (text(c, 1), c.returned().unwrap_or_default());
        if let Some(linked) = r.program(c.uint(0)).and_then(|program| program.linked.as_mut())
            && let Ok(location) = u32::try_from(location)
            && let Some(input) = linked.inputs.iter_mut().find(|input| input.name == name)
        {
            // The machine that was traced numbered them; with that number the trace means them.
            input.source = Source::Generic(location);
        }
    }),
    ("DeleteProgram", |r, c, _| {
        // One in use stays until another one is used; names are hardly ever used again before.
        let name = c.uint(0);
        let Some((context, objects, stream)) = r.both() else { return };
        if context.program == name {
            return;
        }
        let Some(program) = objects.programs.remove(&name) else { return };
        if let Some(linked) = program.linked.as_ref().filter(|linked| linked.sent_in > 0) {
            stream.put(Op::Delete, &[Kind::Program as u32, linked.handle]);
        }
        r.reserve(OBJECT + program.linked.as_ref().map_or(0, Linked::bytes), 0);
    }),
];

const RESIDENT: &str = "resident textures are not in WebGL2";

/// No draw of a program can be shown until it is linked again.
fn refuse(r: &mut Replay, program: u32, reason: &str) {
    if let Some(program) = r.program(program) {
        program.problem = Some(reason.into());
    }
}

/// A shader without a source.
fn refuse_shader(r: &mut Replay, name: u32) {
    let source = r.translations.source(&"#error it is a binary, not a text\n".into());
    if let Some(shader) = shader(r, name) {
        (shader.source, shader.compiled) = (Rc::clone(&source), source);
    }
}

fn shader(r: &mut Replay, name: u32) -> Option<&mut Shader> {
    r.both()?.1.shaders.get_mut(&name)
}

fn create_shader(r: &mut Replay, name: u32, kind: u32) {
    r.reserve(0, OBJECT);
    if let Some((_, objects, _)) = r.both() {
        objects.shaders.insert(name, Shader { kind, ..Shader::default() });
    }
}

fn create_program(r: &mut Replay, name: u32) {
    r.reserve(0, OBJECT);
    if let Some((_, objects, _)) = r.both() {
        objects.programs.insert(name, Rc::new(Program::default()));
    }
}

fn attach(r: &mut Replay, c: &Call, _: Variant) {
    let shader = c.uint(1);
    if let Some(program) = r.program(c.uint(0))
        && program.shaders.len() < 16
    {
        program.shaders.push(shader);
    }
}

fn use_program(r: &mut Replay, name: u32) {
    if let Some(context) = r.context() {
        context.program = name;
    }
}

/// The strings of `glShaderSource` as one, each cut to its length.
fn source_of(strings: Value<'_>, lengths: &[i64]) -> String {
    let (list, one) = (strings.list(), strings.text());
    let mut source = String::new();
    let all = list.into_iter().flatten().map(|string| string.text().unwrap_or_default());
    for (i, text) in all.chain(one.filter(|_| list.is_none())).enumerate() {
        let length = lengths.get(i).and_then(|length| usize::try_from(*length).ok());
        source.push_str(length.and_then(|length| text.get(..length)).unwrap_or(text));
        if source.len() > MOST_SOURCE {
            source.truncate(beginning(&source, MOST_SOURCE).len());
            break;
        }
    }
    source
}

/// The type of a sampler or image without that of its numbers.
fn kind_of(type_name: &str) -> &str {
    let rest =
        type_name.strip_prefix(['i', 'u']).filter(|rest| rest.starts_with("sampler") || rest.starts_with("image"));
    rest.unwrap_or(type_name)
}

/// Why WebGL2 has no uniforms of a type.
fn lacking(type_name: &str) -> Option<&'static str> {
    Some(match kind_of(type_name) {
        "sampler2DMS" | "sampler2DMSArray" => "textures with several samples a pixel are not in WebGL2",
        "samplerCubeArray" | "samplerCubeArrayShadow" => "arrays of cube textures are not in WebGL2",
        "atomic_uint" => "atomic counters are not in WebGL2",
        kind if kind.starts_with("image") => "image units are not in WebGL2",
        _ => return None,
    })
}

/// A uniform of a structure, which may have samplers in it.
struct Opaque;

/// What a uniform samples. `None` for one that samples nothing.
fn sampler_of(shown: &str, type_name: &str, elements: u32, binding: Option<u32>) -> Option<Result<Sampler, Opaque>> {
    let slot = match kind_of(type_name) {
        "sampler2D" | "sampler2DShadow" => 0,
        "samplerCube" | "samplerCubeShadow" => 1,
        "sampler3D" => 2,
        "sampler2DArray" | "sampler2DArrayShadow" => 3,
        "samplerBuffer" => BUFFER,
        _ => {
            let is_plain = PLAIN.iter().any(|begin| type_name.starts_with(begin));
            return (!is_plain).then_some(Err(Opaque));
        }
    };
    let count = elements.clamp(1, UNITS as u32);
    let units = (0..count).map(|element| binding.map_or(0, |first| first.saturating_add(element))).collect();
    Some(Ok(Sampler { shown: shown.into(), slot, units }))
}

/// Beginnings of the types that are neither samplers nor structures.
const PLAIN: [&str; 10] = ["float", "vec", "int", "ivec", "uint", "uvec", "bool", "bvec", "mat", "double"];

impl Replay {
    pub(crate) fn program(&mut self, name: u32) -> Option<&mut Program> {
        self.both()?.1.programs.get_mut(&name).map(Rc::make_mut)
    }

    /// Translates and links a program.
    pub(crate) fn link(&mut self, name: u32) {
        let translations = self.translations.clone();
        let whole = self.at.and_then(|at| self.machine.contexts().get(at as usize));
        let es = whole.is_some_and(|context| context.profile.is_es());
        let Some((_, objects, _)) = self.both() else { return };
        let Some(program) = objects.programs.get(&name) else { return };
        let find = |kind: u32| {
            // Several shaders of a kind are one program text in desktop OpenGL; the first has
            // `main` nearly always.
            program.shaders.iter().filter_map(|name| objects.shaders.get(name)).find(|shader| shader.kind == kind)
        };
        let others = program.shaders.iter().filter_map(|name| objects.shaders.get(name)).map(|shader| shader.kind);
        let other = others.into_iter().find_map(|kind| match kind {
            gl::GEOMETRY_SHADER => Some("geometry shaders are not in WebGL2"),
            gl::TESS_EVALUATION_SHADER | gl::TESS_CONTROL_SHADER => Some("tessellation shaders are not in WebGL2"),
            gl::COMPUTE_SHADER => Some("compute shaders are not in WebGL2"),
            _ => None,
        });
        let (vertex, fragment) = (find(gl::VERTEX_SHADER), find(gl::FRAGMENT_SHADER));
        let calls = [vertex.map_or(0, |shader| shader.call), fragment.map_or(0, |shader| shader.call)];
        let [vertex_of_old, fragment_of_old] = crate::fixed_shaders::Parts::ALL.shaders();
        let sources = [
            vertex.map_or_else(|| translations.source(&vertex_of_old), |shader| Rc::clone(&shader.compiled)),
            fragment.map_or_else(|| translations.source(&fragment_of_old), |shader| Rc::clone(&shader.compiled)),
        ];
        let origin = Made { calls, sources, outputs: Vec::new() };
        let made = match other {
            Some(reason) => Err((reason.to_owned(), None)),
            None => translations.link(&origin.sources, es, &program.attributes, &program.outputs).map_err(
                |(stage, error)| (format!("a shader cannot be translated: {error}"), Some(origin.failed(stage, error))),
            ),
        };
        let linked = match made {
            Ok(made) => match made.uniforms.iter().find_map(|uniform| lacking(&uniform.type_name)) {
                Some(reason) => Err(reason.to_owned()),
                None => Ok(self.link_translated(made, origin)),
            },
            Err((problem, listed)) => {
                let room = MOST_LISTED.saturating_sub(self.verdict.shaders.len());
                self.verdict.shaders.extend(listed.into_iter().take(room));
                Err(problem)
            }
        };
        let Some((_, objects, stream)) = self.both() else { return };
        let Some(program) = objects.programs.get_mut(&name).map(Rc::make_mut) else { return };
        let old = program.linked.take();
        if let Some(old) = old.as_ref().filter(|old| old.sent_in > 0) {
            stream.put(Op::Delete, &[Kind::Program as u32, old.handle]);
        }
        let freed = old.map_or(0, |old| old.bytes());
        match linked {
            Ok(linked) => (program.linked, program.problem) = (Some(linked), None),
            Err(problem) => program.problem = Some(problem),
        }
        self.reserve(freed, 0);
    }

    /// A program that WebGL2 does not have yet.
    pub(crate) fn link_translated(&mut self, made: Rc<Translated>, mut origin: Made) -> Linked {
        origin.outputs.clone_from(&made.outputs);
        // A block without a binding has 0 until the trace gives it another.
        let bindings = made.blocks.iter().map(|(block, binding)| (block.clone(), binding.unwrap_or(0))).collect();
        self.reserve(0, made.bytes());
        let samplers = made
            .uniforms
            .iter()
            .filter_map(|it| sampler_of(&it.shown, &it.type_name, it.elements, it.binding))
            .collect::<Result<_, Opaque>>()
            .ok();
        let mut linked = Linked {
            samplers,
            handle: self.handle(Kind::Program),
            inputs: made.inputs.clone(),
            made,
            origin: Rc::new(origin),
            locations: HashMap::new(),
            asked: std::collections::BTreeMap::new(),
            parts: HashMap::new(),
            sent_in: 0,
            sent: Sent::default(),
            names: Vec::new(),
            bindings,
            values: Vec::new(),
        };
        self.initial_uniforms(&mut linked);
        linked
    }
}
