//! Shaders and programs: what compilers and linkers read, where uniforms are, and what they are.

use unspool_gl::Unit;
use unspool_gl::machine::cells::Value as Held;
use unspool_gl::machine::notes::Note;
use unspool_gl::machine::objects::Kind;
use unspool_gl::machine::programs::STAGES;
use unspool_gl::machine::what;

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, Own, Scene, names_of};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("AttachShader", Rule::With(attached)),
    ("DetachShader", Rule::With(attached)),
    ("BindAttribLocation", Rule::Instead(input)),
    ("BindFragDataLocation", Rule::Instead(input)),
    ("BindFragDataLocationIndexed", Rule::Instead(input)),
    ("ProgramParameteri", Rule::Instead(input)),
    ("TransformFeedbackVaryings", Rule::Instead(input)),
    ("GetUniformLocation", Rule::Instead(location)),
    ("GetUniformBlockIndex", Rule::Instead(location)),
    ("GetUniformIndices", Rule::Instead(location)),
    ("GetProgramResourceIndex", Rule::Instead(location)),
    ("GetProgramResourceLocation", Rule::Instead(location)),
    ("GetSubroutineIndex", Rule::Instead(location)),
    ("GetSubroutineUniformLocation", Rule::Instead(location)),
    ("ShaderStorageBlockBinding", Rule::Instead(storage_block)),
];

/// Elements of an array of uniforms that are followed one by one.
const MOST_ELEMENTS: u64 = 1024;
/// Texture units that a sampler may have.
const MOST_UNITS: i64 = 192;

/// The program that a call is about. That it exists is read.
fn program_of(scene: &mut Scene, call: &Call) -> Id {
    let program = scene.known(Kind::Program, call.uint(0)).unwrap_or_default();
    if program != 0
        && let Some(cell) = scene.name_cell(Kind::Program, call.uint(0))
    {
        scene.read(cell);
    }
    program
}

/// A shader becomes a part of a program, or is one no longer.
fn attached(scene: &mut Scene, call: &Call, _: &Function) {
    let program = program_of(scene, call);
    let shader = scene.known(Kind::Shader, call.uint(1)).unwrap_or_default();
    let cell = scene.cell(program, Class::Inputs, Own::Shader, shader.into(), 0);
    scene.whole(cell);
}

/// Something that the next link takes.
fn input(scene: &mut Scene, call: &Call, _: &Function) {
    let program = program_of(scene, call);
    let cell = scene.cell(program, Class::Inputs, Own::Part, 0, 0);
    scene.part(cell);
}

/// A program is linked.
pub(super) fn linked(scene: &mut Scene, program: Id) {
    scene.read_all(program, Class::Inputs);
    if let Held::Instances(shaders) = scene.machine.value(program, what::ATTACHED, 0).clone() {
        for shader in shaders.iter() {
            scene.read_all(*shader, Class::State);
            scene.read_all(*shader, Class::Inputs);
        }
    }
    let cell = scene.cell(program, Class::State, Own::Linked, 0, 0);
    scene.whole(cell);
    // Uniforms are zero again.
    scene.replace(program, (0, 0));
    let sources =
        STAGES.iter().filter_map(|(stage, _)| match scene.machine.value(program, what::STAGE_SOURCE, stage & 0xffff) {
            Held::Text(source) => Some(source.clone()),
            _ => None,
        });
    let sources: Vec<_> = sources.collect();
    // Samplers of a source may have units that no call gives them.
    let has_any_unit =
        sources.is_empty() || sources.iter().any(|source| source.is_empty() || source.contains("binding"));
    let object = scene.object(program);
    object.has_any_unit |= has_any_unit;
    scene.version += 1;
}

/// A replay asks for it again, and translates the number that the program got.
fn location(scene: &mut Scene, call: &Call, function: &Function) {
    let program = program_of(scene, call);
    read_linked(scene, program);
    // What it returns decides what it is: the same name may have another place after another link.
    let returned = call.result().int().unwrap_or(-1) as u64;
    let name = (1..call.len()).filter_map(|at| call.argument(at).text()).map(hash).fold(0, |sum, it| sum ^ it);
    let kind = u64::from(function.bare() == "GetUniformLocation");
    let cell = scene.cell(program, Class::Locations, Own::Location, name, returned << 1 | kind);
    scene.whole(cell);
}

/// FNV-1a of 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn read_linked(scene: &mut Scene, program: Id) {
    let linked = scene.cell(program, Class::State, Own::Linked, 0, 0);
    scene.read(linked);
}

/// Uniforms are set, from a location on.
pub(super) fn set_uniform(scene: &mut Scene, note: Note, call: &Call, function: &Function) {
    let (Some((variant, at)), program) = (function.uniform, note.owner) else { return };
    // Elements that an array takes with it are noted, too.
    if i64::from(note.index) != call.int(at) {
        return;
    }
    read_linked(scene, program);
    scene.read_all(program, Class::Locations);
    let is_vector = variant.is_vector;
    let count = if is_vector { (call.int(at + 1).max(1) as u64).min(MOST_ELEMENTS) } else { 1 };
    if matches!(variant.unit, Unit::Int) && variant.count == 1 {
        let units = if is_vector { names_of(call, at + 2) } else { vec![call.uint(at + 1)] };
        let object = scene.object(program);
        let before = object.units.len();
        object.units.extend(units.into_iter().filter(|unit| i64::from(*unit) < MOST_UNITS));
        let is_changed = object.units.len() != before;
        scene.version += u64::from(is_changed);
    }
    for element in 0..count {
        // An array that is longer than this one keeps its other elements.
        let cell = scene.content(program, (0, 0), Own::Uniform, u64::from(note.index) + element, 0);
        scene.whole(cell);
    }
}

/// The binding of a block of uniforms is set.
pub(super) fn set_block(scene: &mut Scene, note: Note) {
    if scene.machine.value(note.owner, note.what, note.index) != &Held::Unset {
        set_block_of(scene, note.owner, note.index, false);
    }
}

fn storage_block(scene: &mut Scene, call: &Call, _: &Function) {
    let program = program_of(scene, call);
    set_block_of(scene, program, call.uint(1), true);
}

fn set_block_of(scene: &mut Scene, program: Id, block: u32, is_storage: bool) {
    read_linked(scene, program);
    scene.read_all(program, Class::Locations);
    let cell = scene.content(program, (0, 0), Own::Block, block.into(), is_storage.into());
    scene.whole(cell);
}
