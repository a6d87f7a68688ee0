//! Shaders, programs and uniforms.

use std::sync::Arc;

use crate::gl;

use super::buffers::current_attribute;
use super::cells::{Numbers, Value};
use super::effects::Effect;
use super::fixed::{floats, list_of};
use super::objects::Kind;
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::{self, Call};

pub(crate) const HANDLERS: Handlers = &[
    ("CreateShader", |m, c, _| create_shader(m, c, c.result(), c.uint(0))),
    ("CreateProgram", |m, c, _| {
        if let Some(name) = c.result().int().filter(|name| *name != 0) {
            m.make(Kind::Program, name as u32);
        }
    }),
    ("CreateShaderProgramv", create_shader_program),
    ("ShaderSource", |m, c, _| {
        let source = text_of(c, 2, 3);
        let shader = m.instance(Kind::Shader, c.uint(0));
        let bytes = source.len() as u64;
        m.put(shader, what::SOURCE, 0, Value::Text(source.into()));
        m.tell(Effect::Uploaded { object: shader, bytes });
    }),
    ("CompileShader", |m, c, _| {
        let shader = m.instance(Kind::Shader, c.uint(0));
        m.put(shader, what::COMPILED, 0, Value::Unset);
        m.put(shader, what::COMPILED, 0, Value::Int(m.at.into()));
    }),
    ("AttachShader", |m, c, _| attach(m, c, true)),
    ("DetachShader", |m, c, _| attach(m, c, false)),
    ("LinkProgram", |m, c, _| link(m, c.uint(0))),
    ("ProgramBinary", |m, c, _| link(m, c.uint(0))),
    ("DeleteShader", |m, c, _| delete(m, Kind::Shader, c.uint(0))),
    ("DeleteProgram", |m, c, _| delete(m, Kind::Program, c.uint(0))),
    ("DeleteObject", |m, c, _| {
        let (owner, what, index) = m.place_of(Kind::Shader, c.uint(0));
        let kind = if m.is_set(owner, what, index) { Kind::Shader } else { Kind::Program };
        delete(m, kind, c.uint(0));
    }),
    ("GetUniformLocation", |m, c, _| {
        if let (Some(location), Some(name)) = (c.result().int().filter(|at| *at >= 0), c.argument(1).text()) {
            let program = m.instance(Kind::Program, c.uint(0));
            m.note(program, what::UNIFORM_NAME, location as u32, name);
        }
    }),
    ("GetAttribLocation", |m, c, _| {
        if let (Some(location), Some(name)) = (c.result().int().filter(|at| *at >= 0), c.argument(1).text()) {
            let program = m.instance(Kind::Program, c.uint(0));
            m.note(program, what::ATTRIBUTE_NAME, location as u32, name);
        }
    }),
    ("BindAttribLocation", |m, c, _| {
        if let Some(name) = c.argument(2).text() {
            let program = m.instance(Kind::Program, c.uint(0));
            m.note(program, what::ATTRIBUTE_NAME, c.uint(1), name);
        }
    }),
    ("GetUniformBlockIndex", |m, c, _| {
        if let (Some(index), Some(name)) = (c.result().int().filter(|at| *at < 1 << 16), c.argument(1).text()) {
            let program = m.instance(Kind::Program, c.uint(0));
            m.note(program, what::BLOCK_NAME, index as u32, name);
        }
    }),
    ("UniformBlockBinding", |m, c, _| {
        let program = m.instance(Kind::Program, c.uint(0));
        m.put(program, what::BLOCK_BINDING, c.uint(1), Value::Int(c.int(2)));
    }),
    ("GetShaderInfoLog", |m, c, _| log(m, c, Kind::Shader)),
    ("GetProgramInfoLog", |m, c, _| log(m, c, Kind::Program)),
    ("GetShaderiv", |m, c, _| status(m, c, Kind::Shader)),
    ("GetProgramiv", |m, c, _| status(m, c, Kind::Program)),
    ("UseProgramStages", |m, c, _| {
        let pipeline = m.instance(Kind::Pipeline, c.uint(0));
        let program = m.instance(Kind::Program, c.uint(2));
        for (bit, stage) in STAGE_BITS {
            if c.uint(1) & bit != 0 {
                m.put(pipeline, what::STAGE, stage & 0xffff, Value::Object { name: c.uint(2), instance: program });
            }
        }
    }),
    ("ActiveShaderProgram", |m, c, _| {
        let pipeline = m.instance(Kind::Pipeline, c.uint(0));
        let program = m.instance(Kind::Program, c.uint(1));
        m.put(pipeline, what::TARGET, 0, Value::Object { name: c.uint(1), instance: program });
    }),
    ("BindProgram", |m, c, _| m.set_at(what::ASSEMBLY_PROGRAM, c.uint(0) & 0xffff, Value::Int(c.int(1)))),
    // One that was bound is not any more: see `doubts`.
    ("DeletePrograms", |_, _, _| {}),
    ("UseProgram", |m, c, _| m.bind(Kind::Program, what::CURRENT_PROGRAM, 0, c.uint(0))),
    ("Uniform*", |m, c, v| {
        let program = m.active_program();
        uniform(m, c, v, program, 0);
    }),
    ("ProgramUniform*", |m, c, v| {
        let program = m.instance(Kind::Program, c.uint(0));
        uniform(m, c, v, program, 1);
    }),
    ("UniformMatrix*", |m, c, v| {
        let program = m.active_program();
        uniform_matrix(m, c, v, program, 0);
    }),
    ("ProgramUniformMatrix*", |m, c, v| {
        let program = m.instance(Kind::Program, c.uint(0));
        uniform_matrix(m, c, v, program, 1);
    }),
    ("VertexAttrib*", |m, c, v| current_attribute(m, c, v, false)),
    ("VertexAttribI*", |m, c, v| current_attribute(m, c, v, true)),
    ("VertexAttribL*", |m, c, v| current_attribute(m, c, v, false)),
];

/// Stages of pipelines: bits of glUseProgramStages, and types of shaders.
const STAGE_BITS: [(u32, u32); 6] = [
    (gl::VERTEX_SHADER_BIT, gl::VERTEX_SHADER),
    (gl::FRAGMENT_SHADER_BIT, gl::FRAGMENT_SHADER),
    (gl::GEOMETRY_SHADER_BIT, gl::GEOMETRY_SHADER),
    (gl::TESS_CONTROL_SHADER_BIT, gl::TESS_CONTROL_SHADER),
    (gl::TESS_EVALUATION_SHADER_BIT, gl::TESS_EVALUATION_SHADER),
    (gl::COMPUTE_SHADER_BIT, gl::COMPUTE_SHADER),
];
/// Types of shaders, in the order of the pipeline.
pub const STAGES: [(u32, &str); 6] = [
    (gl::VERTEX_SHADER, "GL_VERTEX_SHADER"),
    (gl::TESS_CONTROL_SHADER, "GL_TESS_CONTROL_SHADER"),
    (gl::TESS_EVALUATION_SHADER, "GL_TESS_EVALUATION_SHADER"),
    (gl::GEOMETRY_SHADER, "GL_GEOMETRY_SHADER"),
    (gl::FRAGMENT_SHADER, "GL_FRAGMENT_SHADER"),
    (gl::COMPUTE_SHADER, "GL_COMPUTE_SHADER"),
];

/// Numbers of a uniform that are kept.
const MOST_NUMBERS: usize = 1 << 16;

impl Machine {
    /// The program whose uniforms glUniform sets: that in use, or the active one of the pipeline.
    fn active_program(&mut self) -> u32 {
        match self.object(self.context, what::CURRENT_PROGRAM, 0) {
            (_, 0) => {
                let (_, pipeline) = self.object(self.context, what::PROGRAM_PIPELINE_BINDING, 0);
                self.object(pipeline, what::TARGET, 0).1
            }
            (_, program) => program,
        }
    }

    /// Sets a uniform, or as many elements of an array of uniforms, which have a location each.
    fn put_uniform(&mut self, program: u32, location: u32, count: usize, value: Value) {
        let held = match &value {
            Value::Numbers(all) => all.values.len() / usize::from(all.rows * all.columns).max(1),
            _ => 1,
        };
        let held = held.min(count);
        // As much work as many calls.
        self.budget = self.budget.saturating_sub(held as u32 / 16);
        let others = location.saturating_add(1)..location.saturating_add(held as u32);
        for at in others {
            if self.is_set(program, what::UNIFORM, at) {
                self.put(program, what::UNIFORM, at, Value::Unset);
            }
        }
        if count != 1 {
            // Calls for single elements may have changed what an array holds.
            self.settings.changed += 1;
        }
        self.put(program, what::UNIFORM, location, value);
    }

    /// Notes the name of something that a program has.
    fn note(&mut self, program: u32, what: u16, index: u32, name: &str) {
        let is_known = matches!(self.value(program, what, index), Value::Text(known) if &**known == name);
        if !is_known {
            self.put(program, what, index, Value::Text(name.into()));
        }
    }
}

/// The strings of a source, which may have lengths.
fn text_of(call: &Call, strings: usize, lengths: usize) -> String {
    let lengths = list_of(call, lengths);
    let mut source = String::new();
    for (i, part) in list_of(call, strings).into_iter().enumerate() {
        let Some(part) = part.text() else { continue };
        let length = lengths.get(i).and_then(|length| length.int()).filter(|length| *length >= 0);
        let part = length.and_then(|length| part.get(..usize::try_from(length).ok()?)).unwrap_or(part);
        source.push_str(part);
    }
    source
}

fn create_shader(machine: &mut Machine, _: &Call, made: call::Value<'_>, stage: u32) {
    if let Some(name) = made.int().filter(|name| *name != 0) {
        let shader = machine.make(Kind::Shader, name as u32);
        machine.put(shader, what::STAGE, 0, Value::Constant(stage));
    }
}

fn create_shader_program(machine: &mut Machine, call: &Call, _: Variant) {
    let Some(name) = call.result().int().filter(|name| *name != 0) else { return };
    let program = machine.make(Kind::Program, name as u32);
    let source = text_of(call, 2, usize::MAX);
    machine.put(program, what::STAGE_SOURCE, call.uint(0) & 0xffff, Value::Text(source.into()));
    machine.put(program, what::LINKED, 0, Value::Int(machine.at.into()));
    machine.tell(Effect::Linked { program });
}

fn attach(machine: &mut Machine, call: &Call, is_attached: bool) {
    let program = machine.instance(Kind::Program, call.uint(0));
    let shader = machine.instance(Kind::Shader, call.uint(1));
    let mut shaders = match machine.value(program, what::ATTACHED, 0) {
        Value::Instances(shaders) => (**shaders).clone(),
        _ => Vec::new(),
    };
    shaders.retain(|it| *it != shader);
    if is_attached {
        shaders.push(shader);
        machine.tell(Effect::Attached { whole: program, part: shader });
    }
    machine.put(program, what::ATTACHED, 0, Value::Instances(Arc::new(shaders)));
}

/// A program that is linked gets the sources that its shaders have now, and new uniforms.
fn link(machine: &mut Machine, name: u32) {
    let program = machine.instance(Kind::Program, name);
    let is_again = machine.is_set(program, what::LINKED, 0);
    let shaders = match machine.value(program, what::ATTACHED, 0) {
        Value::Instances(shaders) => shaders.clone(),
        _ => Arc::default(),
    };
    if is_again {
        let gone: Vec<(u16, u32)> = machine
            .slots
            .of(program)
            .iter()
            .filter(|(what, ..)| {
                matches!(
                    *what,
                    what::UNIFORM | what::UNIFORM_NAME | what::STAGE_SOURCE | what::BLOCK_BINDING | what::BLOCK_NAME
                )
            })
            .map(|(what, index, _)| (*what, *index))
            .collect();
        for (what, index) in gone {
            machine.put(program, what, index, Value::Unset);
        }
    }
    for (stage, _) in STAGES {
        let mut source: Option<Arc<str>> = None;
        for shader in shaders.iter().filter(|shader| machine.number(**shader, what::STAGE, 0) == Some(stage.into())) {
            if let Value::Text(text) = machine.value(*shader, what::SOURCE, 0) {
                source = Some(match source {
                    None => text.clone(),
                    Some(before) => format!("{before}\n{text}").into(),
                });
            }
        }
        if let Some(source) = source {
            machine.put(program, what::STAGE_SOURCE, stage & 0xffff, Value::Text(source));
        }
    }
    machine.put(program, what::LINKED, 0, Value::Int(machine.at.into()));
    machine.tell(Effect::Linked { program });
}

/// Deletes a shader or program. Sources stay with the programs that were linked from them. Its name
/// stays valid while it is attached or in use (OpenGL 4.6, 7.1 and 7.3), and for another object
/// only once a call makes one of that name.
fn delete(machine: &mut Machine, kind: Kind, name: u32) {
    if name == 0 {
        return;
    }
    let (owner, what, index) = machine.place_of(kind, name);
    let Some(instance) = machine.number(owner, what, index).map(|instance| instance as u32) else { return };
    if machine.is_set(instance, what::DELETED, 0) {
        return;
    }
    machine.put(instance, what::DELETED, 0, Value::Bool(true));
    machine.tell(Effect::Deleted { object: instance });
}

fn log(machine: &mut Machine, call: &Call, kind: Kind) {
    let text = call.argument(3).text().unwrap_or_default();
    let object = machine.instance(kind, call.uint(0));
    machine.note(object, what::INFO_LOG, 0, text);
}

/// A status that the program asked for.
fn status(machine: &mut Machine, call: &Call, kind: Kind) {
    let parameter = call.uint(1);
    if parameter == gl::COMPILE_STATUS || parameter == gl::LINK_STATUS {
        let object = machine.instance(kind, call.uint(0));
        let value = list_of(call, 2).first().and_then(|value| value.int());
        if let Some(value) = value {
            machine.put(object, parameter as u16, 0, Value::Bool(value != 0));
        }
    }
}

fn uniform(machine: &mut Machine, call: &Call, variant: Variant, program: u32, first: usize) {
    let Some(location) = u32::try_from(call.int(first)).ok() else { return };
    let count = if variant.is_vector { call.int(first + 1).max(0) as usize } else { 1 };
    let is_integer = variant.is_integer();
    let value = if count == 1 && variant.unit != crate::Unit::Double {
        let at = if variant.is_vector { first + 2 } else { first + 1 };
        let numbers = variant.numbers(call, at, [0.0; 4], false);
        match (is_integer, variant.count) {
            (true, 1) => Value::Int(numbers[0] as i64),
            (true, _) => Value::Ints(numbers.map(|number| number as i64 as i32), variant.count),
            (false, 1) => Value::Float(numbers[0]),
            (false, _) => floats(numbers, variant.count),
        }
    } else {
        let values = list_of(call, if variant.is_vector { first + 2 } else { first + 1 });
        let all = count.saturating_mul(variant.count.into()).min(MOST_NUMBERS);
        let values = values.into_iter().take(all).map(|value| value.float().unwrap_or_default()).collect();
        Value::Numbers(Arc::new(Numbers { rows: variant.count, columns: 1, is_integer, values }))
    };
    machine.put_uniform(program, location, count, value);
}

fn uniform_matrix(machine: &mut Machine, call: &Call, variant: Variant, program: u32, first: usize) {
    let Some(location) = u32::try_from(call.int(first)).ok() else { return };
    let (columns, rows) = (variant.count, if variant.rows == 0 { variant.count } else { variant.rows });
    let (columns_len, rows_len) = (usize::from(columns), usize::from(rows));
    let count = call.int(first + 1).max(0) as usize;
    let is_transposed = call.int(first + 2) != 0;
    let all = count.saturating_mul(columns_len * rows_len).min(MOST_NUMBERS);
    let mut values: Vec<f64> =
        list_of(call, first + 3).into_iter().take(all).map(|value| value.float().unwrap_or_default()).collect();
    if is_transposed && rows > 0 && columns > 0 {
        for matrix in values.chunks_exact_mut(columns_len * rows_len) {
            let given = matrix.to_vec();
            for (i, slot) in matrix.iter_mut().enumerate() {
                *slot = given.get(i % rows_len * columns_len + i / rows_len).copied().unwrap_or_default();
            }
        }
    }
    let numbers = Numbers { rows, columns, is_integer: false, values };
    machine.put_uniform(program, location, count, Value::Numbers(Arc::new(numbers)));
}
