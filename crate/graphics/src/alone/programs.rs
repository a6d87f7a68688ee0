//! Shaders, programs, uniforms and where they are.

use unspool_gl::gl;

use super::rules::{Function, Rule, Rules};
use super::state::names_of;
use super::tape::Effect;
use super::world::{Id, Kind, What, World};
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[
    ("CreateShader", "", Rule::Run(|w, c, _| create(w, c, Kind::Shader))),
    ("CreateProgram", "", Rule::Run(|w, c, _| create(w, c, Kind::Program))),
    ("CreateShaderProgramv", "", Rule::Run(create_whole)),
    ("DeleteShader", "", Rule::Ignored),
    ("DeleteProgram", "", Rule::Ignored),
    ("DeleteObject", "", Rule::Ignored),
    ("ShaderSource", "", Rule::Run(source)),
    ("CompileShader", "", Rule::Run(compile)),
    ("ShaderBinary", "", Rule::Unknown),
    ("AttachShader", "", Rule::Run(attach)),
    ("DetachShader", "", Rule::Run(detach)),
    ("BindAttribLocation", "", Rule::Run(input)),
    ("BindFragDataLocation", "", Rule::Run(input)),
    ("BindFragDataLocationIndexed", "", Rule::Run(input)),
    ("ProgramParameteri", "", Rule::Run(input)),
    ("TransformFeedbackVaryings", "", Rule::Run(input)),
    ("LinkProgram", "", Rule::Run(link)),
    ("ProgramBinary", "", Rule::Run(link)),
    ("UseProgram", "", Rule::Run(use_program)),
    ("GetUniformLocation", "", Rule::Run(location)),
    ("GetUniformBlockIndex", "", Rule::Run(location)),
    ("GetUniformIndices", "", Rule::Run(location)),
    ("GetProgramResourceIndex", "", Rule::Run(location)),
    ("GetProgramResourceLocation", "", Rule::Run(location)),
    ("GetSubroutineIndex", "", Rule::Run(location)),
    ("GetSubroutineUniformLocation", "", Rule::Run(location)),
    ("Uniform*", "", Rule::Run(uniform)),
    ("UniformMatrix*", "", Rule::Run(uniform)),
    ("ProgramUniform*", "", Rule::Run(uniform)),
    ("ProgramUniformMatrix*", "", Rule::Run(uniform)),
    ("UniformBlockBinding", "", Rule::Run(block)),
    ("ShaderStorageBlockBinding", "", Rule::Run(block)),
    ("GenProgramPipelines", "", Rule::Run(|w, c, _| w.generate(Kind::Pipeline, c, 1))),
    ("CreateProgramPipelines", "", Rule::Run(|w, c, _| w.generate(Kind::Pipeline, c, 1))),
    ("DeleteProgramPipelines", "", Rule::Run(|w, c, _| w.delete_all(Kind::Pipeline, c, 1))),
    ("BindProgramPipeline", "", Rule::Run(bind_pipeline)),
    ("UseProgramStages", "", Rule::Run(stages)),
    ("ActiveShaderProgram", "", Rule::Run(stages)),
];

/// Elements of an array of uniforms that are followed one by one.
const MOST_ELEMENTS: u64 = 1024;
/// Texture units that a sampler may have.
const MOST_UNITS: i64 = 192;

fn create(world: &mut World, call: &Call, kind: Kind) {
    let name = call.result().int().unwrap_or_default() as u64;
    if name != 0 {
        world.make(kind, name);
    }
}

/// A program that is made of sources at once.
fn create_whole(world: &mut World, call: &Call, _: &Function) {
    let name = call.result().int().unwrap_or_default() as u64;
    if name != 0 {
        let id = world.make(Kind::Program, name);
        world.get_mut(id).has_any_unit = true;
    }
}

fn object_of(world: &mut World, kind: Kind, call: &Call, at: usize) -> Id {
    world.named(kind, u64::from(call.uint(at)))
}

fn source(world: &mut World, call: &Call, _: &Function) {
    let id = object_of(world, Kind::Shader, call, 0);
    let texts = match call.argument(2) {
        Value::List(values) => values.filter_map(Value::text).any(names_units),
        Value::Text(text) => names_units(text),
        _ => true,
    };
    world.get_mut(id).has_any_unit |= texts;
    let inputs = world.get(id).inputs;
    let cell = world.cell(inputs, What::Content, 0, 0);
    world.whole(cell);
}

/// Whether samplers of a source may have units that no call gives them.
fn names_units(source: &str) -> bool {
    source.contains("binding")
}

fn compile(world: &mut World, call: &Call, _: &Function) {
    let id = object_of(world, Kind::Shader, call, 0);
    let inputs = world.get(id).inputs;
    world.read_all(inputs);
    let def = world.get(id).def;
    let cell = world.cell(def, What::Linked, 0, 0);
    world.whole(cell);
}

fn attach(world: &mut World, call: &Call, _: &Function) {
    let program = object_of(world, Kind::Program, call, 0);
    let shader = object_of(world, Kind::Shader, call, 1);
    world.get_mut(program).parts.insert(shader, (shader, 0, 0));
    let inputs = world.get(program).inputs;
    let cell = world.cell(inputs, What::Bound, shader.into(), 0);
    world.whole(cell);
}

fn detach(world: &mut World, call: &Call, _: &Function) {
    let program = object_of(world, Kind::Program, call, 0);
    let shader = object_of(world, Kind::Shader, call, 1);
    world.get_mut(program).parts.remove(&shader);
    let inputs = world.get(program).inputs;
    let cell = world.cell(inputs, What::Bound, shader.into(), 0);
    world.whole(cell);
}

/// Something that the next link takes.
fn input(world: &mut World, call: &Call, _: &Function) {
    let program = object_of(world, Kind::Program, call, 0);
    let inputs = world.get(program).inputs;
    let cell = world.cell(inputs, What::Parameter, 0, 0);
    world.part(cell);
}

fn link(world: &mut World, call: &Call, _: &Function) {
    let program = object_of(world, Kind::Program, call, 0);
    let object = world.get(program);
    let (def, inputs) = (object.def, object.inputs);
    let shaders: Vec<Id> = object.parts.values().map(|part| part.0).collect();
    world.read_all(inputs);
    let mut has_any_unit = shaders.is_empty();
    for shader in shaders {
        let object = world.get(shader);
        has_any_unit |= object.has_any_unit;
        let (def, inputs) = (object.def, object.inputs);
        world.read_all(def);
        world.read_all(inputs);
    }
    let cell = world.cell(def, What::Linked, 0, 0);
    world.whole(cell);
    // Uniforms are zero again.
    world.replace(program, (0, 0));
    world.get_mut(program).has_any_unit |= has_any_unit;
}

fn use_program(world: &mut World, call: &Call, _: &Function) {
    let id = object_of(world, Kind::Program, call, 0);
    world.shadow().program = id;
    if id != 0 {
        let def = world.get(id).def;
        let linked = world.cell(def, What::Linked, 0, 0);
        world.read(linked);
    }
    let cell = world.state(What::Bound, gl::CURRENT_PROGRAM.into(), 0);
    world.whole(cell);
}

/// A replay asks for it again, and translates the number that the program got.
fn location(world: &mut World, call: &Call, function: &Function) {
    let id = object_of(world, Kind::Program, call, 0);
    let object = world.get(id);
    let (def, locations) = (object.def, object.locations);
    let linked = world.cell(def, What::Linked, 0, 0);
    world.read(linked);
    // What it returns decides what it is: the same name may have another place after another link.
    let returned = call.result().int().unwrap_or(-1) as u64;
    let name = (1..call.len()).filter_map(|at| call.argument(at).text()).map(hash).fold(0, |sum, it| sum ^ it);
    let kind = u64::from(function.known.canonical == "GetUniformLocation");
    let cell = world.cell(locations, What::Location, name, returned << 1 | kind);
    world.whole(cell);
}

/// FNV-1a of 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn uniform(world: &mut World, call: &Call, function: &Function) {
    let is_named = function.known.canonical.starts_with("Program");
    let (program, at) = if is_named {
        (object_of(world, Kind::Program, call, 0), 1)
    } else {
        let cell = world.state(What::Bound, gl::CURRENT_PROGRAM.into(), 0);
        world.read(cell);
        let shadow = world.shadow();
        if shadow.program == 0 && shadow.pipeline != 0 {
            // Of the program that is active in the pipeline.
            let pipeline = shadow.pipeline;
            let programs: Vec<Id> = world.get(pipeline).parts.values().map(|part| part.0).collect();
            for program in programs {
                write_uniform(world, program, call, function, 0, false);
            }
            return;
        }
        (shadow.program, 0)
    };
    write_uniform(world, program, call, function, at, true);
}

fn write_uniform(world: &mut World, program: Id, call: &Call, function: &Function, at: usize, is_sure: bool) {
    let location = call.int(at);
    if location < 0 {
        return;
    }
    let object = world.get(program);
    let (def, locations) = (object.def, object.locations);
    let linked = world.cell(def, What::Linked, 0, 0);
    world.read(linked);
    world.read_all(locations);
    let is_vector = function.variant.is_vector;
    let count = if is_vector { (call.int(at + 1).max(1) as u64).min(MOST_ELEMENTS) } else { 1 };
    if matches!(function.variant.unit, unspool_gl::Unit::Int) && function.variant.count == 1 {
        let units = if is_vector { names_of(call, at + 2) } else { vec![call.uint(at + 1)] };
        let units = units.into_iter().filter(|unit| i64::from(*unit) < MOST_UNITS);
        world.get_mut(program).units.extend(units);
    }
    for element in 0..count {
        let cell = world.content(program, (0, 0), What::Uniform, location as u64 + element, 0);
        // An array that is longer than this one keeps its other elements.
        if is_sure { world.whole(cell) } else { world.part(cell) }
    }
}

fn block(world: &mut World, call: &Call, function: &Function) {
    let program = object_of(world, Kind::Program, call, 0);
    let object = world.get(program);
    let (def, locations) = (object.def, object.locations);
    let linked = world.cell(def, What::Linked, 0, 0);
    world.read(linked);
    world.read_all(locations);
    let kind = u64::from(function.known.canonical.starts_with("Shader"));
    let cell = world.content(program, (0, 0), What::Bound, call.uint(1).into(), kind);
    world.whole(cell);
}

fn bind_pipeline(world: &mut World, call: &Call, _: &Function) {
    let id = object_of(world, Kind::Pipeline, call, 0);
    world.shadow().pipeline = id;
    let cell = world.state(What::Bound, gl::PROGRAM_PIPELINE_BINDING.into(), 0);
    world.whole(cell);
}

fn stages(world: &mut World, call: &Call, function: &Function) {
    let pipeline = object_of(world, Kind::Pipeline, call, 0);
    let at = if function.known.canonical == "UseProgramStages" { 2 } else { 1 };
    let program = object_of(world, Kind::Program, call, at);
    world.get_mut(pipeline).parts.insert(program, (program, 0, 0));
    let object = world.get(program);
    let linked = object.def;
    world.read_all(linked);
    let def = world.get(pipeline).def;
    let cell = world.cell(def, What::Bound, 0, 0);
    world.part(cell);
}

impl World {
    /// What a draw reads of programs, and the units whose textures it may read. `None` for all.
    pub(super) fn programs_read(&mut self, all: &mut Vec<Effect>) -> Option<Vec<u32>> {
        let shadow = self.shadow();
        let has_assembly = shadow.has_assembly;
        let fixed: Vec<u32> = shadow.fixed.iter().map(|(unit, _)| *unit).collect();
        let (program, pipeline) = (shadow.program, shadow.pipeline);
        let mut programs = vec![program];
        if program == 0 && pipeline != 0 {
            all.push(Effect::ReadAll(self.get(pipeline).def));
            programs = self.get(pipeline).parts.values().map(|part| part.0).collect();
        }
        programs.retain(|program| *program != 0);
        if programs.is_empty() {
            return (!has_assembly).then_some(fixed);
        }
        let mut units = vec![0];
        let mut is_any = has_assembly;
        for program in programs {
            let object = self.get(program);
            all.extend([Effect::ReadAll(object.def), Effect::ReadAll(object.contents)]);
            units.extend(&object.units);
            is_any |= object.has_any_unit;
        }
        (!is_any).then_some(units)
    }
}
