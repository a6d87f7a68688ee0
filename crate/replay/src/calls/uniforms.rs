//! Uniforms.

use std::rc::Rc;

use unspool_gl::call::{Call, Value};
use unspool_gl::{Unit, Variant};

use super::{Functions, text};
use crate::driver::{OBJECT, Replay};
use crate::objects::{Linked, Slot};
use crate::ops::Op;

pub(crate) const TABLE: Functions = &[
    ("Uniform*", |r, c, v| vector(r, c, Form::of_numbers(v, 0))),
    ("ProgramUniform*", |r, c, v| vector(r, c, Form::of_numbers(v, 1))),
    ("UniformMatrix*", |r, c, v| matrix(r, c, Form::of_matrices(v, 0))),
    ("ProgramUniformMatrix*", |r, c, v| matrix(r, c, Form::of_matrices(v, 1))),
    ("GetUniformLocation", location),
    ("UniformBlockBinding", block_binding),
    ("GetUniformBlockIndex", |r, c, _| {
        let (name, index) = (text(c, 1).to_owned(), c.returned().unwrap_or_default() as u32);
        if r.reserve(0, OBJECT) {
            r.blocks.insert((c.uint(0), index), name);
        }
    }),
];

/// Words of a command at most: its length has 16 bits.
const MOST_WORDS: usize = 60_000;

/// What the name of a function says of the values that it sets.
#[derive(Clone, Copy)]
struct Form {
    /// Index of the argument that is the location: the program is before it, or the one in use.
    first: usize,
    /// Numbers of an element.
    count: usize,
    /// As in [`Op::Uniform`].
    kind: u32,
    /// The values are an array.
    many: bool,
}

/// Columns and rows of the matrices of [`Op::Uniform`], in the order of its kinds.
const MATRICES: [(u8, u8); 9] = [(2, 2), (3, 3), (4, 4), (2, 3), (2, 4), (3, 2), (3, 4), (4, 2), (4, 3)];

impl Form {
    /// That of numbers. `None` for those of 64 bits: shaders that have them are refused.
    fn of_numbers(v: Variant, first: usize) -> Option<Self> {
        let base = match v.unit {
            Unit::Float => 0,
            Unit::Int => 4,
            Unit::UnsignedInt => 8,
            _ => return None,
        };
        let known = Self { first, count: v.count.into(), kind: base + u32::from(v.count), many: v.is_vector };
        (1..=4).contains(&v.count).then_some(known)
    }

    /// That of matrices.
    fn of_matrices(v: Variant, first: usize) -> Option<Self> {
        let rows = if v.rows == 0 { v.count } else { v.rows };
        let at = MATRICES.iter().position(|known| *known == (v.count, rows))?;
        let known = Self { first, count: usize::from(v.count * rows), kind: 13 + at as u32, many: true };
        (v.unit == Unit::Float).then_some(known)
    }
}

fn vector(r: &mut Replay, c: &Call, form: Option<Form>) {
    let Some(Form { first, count, kind, many }) = form else { return };
    let is_float = kind <= 4;
    // Without commands, no value matters but the units of samplers.
    if !r.stream.on && (is_float || count > 1) {
        return;
    }
    let word = |value: Value<'_>| {
        if is_float {
            (value.float().unwrap_or_default() as f32).to_bits()
        } else {
            value.int().unwrap_or_default() as u32
        }
    };
    let words: Vec<u32> = if many {
        match c.argument(first + 2) {
            Value::List(list) => list.map(word).collect(),
            Value::Bytes(bytes, _) => bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect(),
            one => vec![word(one)],
        }
    } else {
        (0..count).map(|i| word(c.argument(first + 1 + i))).collect()
    };
    set(r, c, first, kind, count, false, &words);
}

fn matrix(r: &mut Replay, c: &Call, form: Option<Form>) {
    let Some(Form { first, count, kind, .. }) = form.filter(|_| r.stream.on) else { return };
    let words: Vec<u32> = c.argument(first + 3).floats().iter().map(|x| x.to_bits()).collect();
    set(r, c, first, kind, count, c.int(first + 2) != 0, &words);
}

fn set(r: &mut Replay, c: &Call, first: usize, kind: u32, count: usize, transposed: bool, words: &[u32]) {
    let location = c.int(first);
    let program = if first == 1 { c.uint(0) } else { r.context().map_or(0, |context| context.program) };
    let next = r.next_slot + 1;
    let Some(linked) = r.program(program).and_then(|program| program.linked.as_mut()) else { return };
    let Some(slot) = linked.locations.get(&location).cloned().or_else(|| element(linked, location)) else { return };
    let slot = match slot {
        Found::Known(slot) => slot,
        Found::Name(name, elements) => {
            let slot = Slot { slot: next, elements, sampler: linked.sampler(&name) };
            linked.names.push((next, name));
            linked.locations.insert(location, Found::Known(slot));
            slot
        }
    };
    // More elements than there are would be an error of WebGL2, not of OpenGL.
    let most = (slot.elements.max(1) as usize).saturating_mul(count).min(MOST_WORDS);
    let words = words.get(..most).unwrap_or(words);
    if words.is_empty() || words.len() % count != 0 {
        return;
    }
    if let Some((sampler, from)) = slot.sampler
        && let Some(sampler) = linked.samplers.as_mut().and_then(|all| all.get_mut(sampler))
    {
        sampler.units.iter_mut().skip(from).zip(words).for_each(|(unit, word)| *unit = *word);
    }
    linked.set([&[slot.slot, kind, transposed.into()], words].concat());
    r.next_slot = r.next_slot.max(slot.slot);
}

/// What a location stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    Known(Slot),
    /// A name in the translation, with its elements from there on.
    Name(String, u32),
}

/// An element of an array, by a location that the trace never asked for: locations of elements
/// follow each other.
fn element(linked: &Linked, location: i64) -> Option<Found> {
    if let Some(uniform) = linked.made.uniforms.iter().find(|uniform| {
        uniform
            .location
            .is_some_and(|at| (i64::from(at)..i64::from(at) + i64::from(uniform.elements.max(1))).contains(&location))
    }) {
        let index = location - i64::from(uniform.location.unwrap_or(0));
        return Some(match uniform.elements {
            0 => Found::Name(uniform.shown.clone(), 1),
            elements => Found::Name(format!("{}[{index}]", uniform.shown), elements - index as u32),
        });
    }
    let (at, name) = linked.asked.range(..=location).next_back()?;
    let uniform = linked.made.uniforms.iter().find(|uniform| uniform.name == *name)?;
    let index = location - at;
    (index < i64::from(uniform.elements))
        .then(|| Found::Name(format!("{}[{index}]", uniform.shown), uniform.elements - index as u32))
}

fn location(r: &mut Replay, c: &Call, _: Variant) {
    let (name, location) = (text(c, 1), c.returned().unwrap_or_default());
    if location < 0 {
        return;
    }
    let Some(linked) = r.program(c.uint(0)).and_then(|program| program.linked.as_mut()) else { return };
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let (base, rest) = name.split_at_checked(end).unwrap_or((name, ""));
    let uniform = linked.made.uniforms.iter().find(|uniform| uniform.name == base);
    let Some(uniform) = uniform else { return };
    let index: u32 = rest.trim_start_matches('[').trim_end_matches(']').parse().unwrap_or(0);
    let elements = if rest.contains('.') { 64 } else { uniform.elements.saturating_sub(index).max(1) };
    let shown = format!("{}{rest}", uniform.shown);
    if rest.is_empty() || rest == "[0]" {
        linked.asked.insert(location, base.to_owned());
    }
    let bytes = OBJECT + shown.len() as u64;
    if linked.locations.insert(location, Found::Name(shown, elements)).is_none() {
        r.reserve(0, bytes);
    }
}

fn block_binding(r: &mut Replay, c: &Call, _: Variant) {
    let (program, index, binding) = (c.uint(0), c.uint(1), c.uint(2));
    let named = r.blocks.get(&(program, index)).cloned();
    let Some(linked) = r.program(program).and_then(|program| program.linked.as_mut()) else { return };
    // Without its name, an index is that of the declaration.
    let name = named.or_else(|| linked.made.blocks.get(index as usize).map(|(name, _)| name.clone()));
    if let Some(name) = name {
        linked.bindings.retain(|(known, _)| *known != name);
        linked.bindings.push((name, binding.min(23)));
    }
}

impl Replay {
    /// Sets a uniform that the replay itself has, if it has changed. `kind` as in [`Op::Uniform`].
    pub(crate) fn set_named(&mut self, linked: &mut Linked, name: &str, kind: u32, words: &[u32]) {
        let known = linked.parts.get_mut(name);
        let slot = match known {
            Some((_, known)) if known == words => return,
            Some((slot, known)) => {
                known.clear();
                known.extend_from_slice(words);
                *slot
            }
            None => {
                self.next_slot += 1;
                linked.names.push((self.next_slot, name.to_owned()));
                linked.parts.insert(name.to_owned(), (self.next_slot, words.to_vec()));
                self.next_slot
            }
        };
        linked.set([&[slot, kind, 0], words].concat());
    }

    /// Makes a program the current one, with its uniforms as the trace has set them.
    pub(crate) fn send_program(&mut self, linked: &mut Linked) {
        let handle = linked.handle;
        if linked.sent_in != self.epoch {
            if linked.sent_in > 0 {
                linked.again();
            }
            linked.sent_in = self.epoch;
            // A compiler takes its time: the page is to hear that something goes on.
            self.stream.slow = true;
            let vertex = self.stream.put_bytes(linked.made.vertex.as_bytes());
            let fragment = self.stream.put_bytes(linked.made.fragment.as_bytes());
            let (size, heaviest) = (linked.made.size.min(u32::MAX.into()) as u32, linked.made.heaviest);
            self.stream.put(Op::Program, &[handle, vertex.0, vertex.1, fragment.0, fragment.1, size, heaviest]);
            self.programs.insert(handle, Rc::clone(&linked.origin));
        }
        for (name, binding) in linked.bindings.drain(..) {
            let (at, len) = self.stream.put_bytes(name.as_bytes());
            self.stream.put(Op::UniformBlock, &[handle, at, len, binding]);
            linked.sent.binding(name, binding);
        }
        for (slot, name) in linked.names.drain(..) {
            let (at, len) = self.stream.put_bytes(name.as_bytes());
            self.stream.put(Op::UniformLocation, &[slot, handle, at, len]);
            linked.sent.name(slot, name);
        }
        self.use_program(handle);
        for words in linked.values.drain(..) {
            self.stream.put(Op::Uniform, &words);
            linked.sent.value(words);
        }
    }

    /// The values that declarations give to uniforms, and the units that samplers are bound to by
    /// the shader.
    pub(crate) fn initial_uniforms(&mut self, linked: &mut Linked) {
        let made = Rc::clone(&linked.made);
        for uniform in &made.uniforms {
            if let Some(binding) = uniform.binding.filter(|_| uniform.type_name.contains("sampler")) {
                self.set_named(linked, &uniform.shown, 5, &[binding]);
            }
            let (kind, count) = match uniform.type_name.as_str() {
                "float" => (1, 1),
                "vec2" => (2, 2),
                "vec3" => (3, 3),
                "vec4" => (4, 4),
                "int" | "bool" => (5, 1),
                "ivec2" => (6, 2),
                "ivec3" => (7, 3),
                "ivec4" => (8, 4),
                "uint" => (9, 1),
                "mat2" => (13, 4),
                "mat3" => (14, 9),
                "mat4" => (15, 16),
                _ => continue,
            };
            let mut values = uniform.initial.clone();
            if values.is_empty() {
                continue;
            }
            if values.len() == 1 && (2..=4).contains(&count) {
                let value = values.first().copied().unwrap_or(0.0);
                values.resize(count, value);
            }
            if values.len() != count {
                continue;
            }
            let words: Vec<u32> =
                values.iter().map(|x| if (5..=12).contains(&kind) { *x as i32 as u32 } else { x.to_bits() }).collect();
            self.set_named(linked, &uniform.shown, kind, &words);
        }
    }
}

#[cfg(test)]
mod tests {
    use unspool_gl::example::{Example, Value};
    use unspool_gl::gl;

    use super::*;
    use crate::Bounds;
    use crate::ops::tests::commands;

    #[test]
    fn a_program_is_sent_with_its_first_draw_and_its_latest_values() {
        let mut replay = Replay::new(Bounds::default(), true);
        let mut number = 0;
        let mut execute = |replay: &mut Replay, name: &str, args: &[Value], ret: i64| {
            let (args, result) = (args.to_vec(), Value::Int(ret));
            replay.execute_example(&Example { number, name: name.into(), args, result, ..Example::default() });
            number += 1;
        };
        let numbers = |all: &[u32]| all.iter().map(|n| Value::Int((*n).into())).collect::<Vec<_>>();
        execute(&mut replay, "glXMakeCurrent", &numbers(&[1, 2, 3]), 1);
        execute(&mut replay, "glViewport", &numbers(&[0, 0, 8, 8]), 0);
        execute(&mut replay, "glCreateShader", &numbers(&[gl::FRAGMENT_SHADER]), 1);
        let source =
            Value::Text("uniform float a[3]; void main() { gl_FragColor = vec4(a[0], a[1], a[2], 1.0); }".into());
        execute(&mut replay, "glShaderSource", &[Value::Int(1), Value::Int(1), source], 0);
        execute(&mut replay, "glCompileShader", &numbers(&[1]), 0);
        execute(&mut replay, "glCreateProgram", &[], 2);
        execute(&mut replay, "glAttachShader", &numbers(&[2, 1]), 0);
        execute(&mut replay, "glLinkProgram", &numbers(&[2]), 0);
        execute(&mut replay, "glUseProgram", &numbers(&[2]), 0);
        execute(&mut replay, "glGetUniformLocation", &[Value::Int(2), Value::Text("a".into())], 5);
        for (location, values) in
            [(5, vec![1.0]), (5, vec![2.0, 3.0, 4.0]), (6, vec![5.0]), (5, vec![6.0]), (6, vec![7.0])]
        {
            let values = Value::List(values.into_iter().map(Value::Float).collect());
            execute(&mut replay, "glUniform1fv", &[Value::Int(location), Value::Int(1), values], 0);
        }
        assert!(commands(&replay.stream, Op::Program).is_empty());
        execute(&mut replay, "glRecti", &numbers(&[0, 0, 1, 1]), 0);
        assert_eq!(commands(&replay.stream, Op::Program).len(), 1);
        let names: Vec<u32> = commands(&replay.stream, Op::UniformLocation).iter().map(|words| words[0]).collect();
        let [first, second] = [names[0], names[1]];
        let of_trace: Vec<(u32, &[u32])> = commands(&replay.stream, Op::Uniform)
            .into_iter()
            .map(|words| (words[0], &words[3..]))
            .filter(|(slot, _)| [first, second].contains(slot))
            .collect();
        let bits = |x: f32| x.to_bits();
        // The first value is written over by the longer one, and that of the second element by a
        // later one.
        assert_eq!(
            of_trace,
            [(first, &[bits(2.0), bits(3.0), bits(4.0)][..]), (first, &[bits(6.0)]), (second, &[bits(7.0)]),]
        );
        replay.stream.words.clear();
        execute(&mut replay, "glRecti", &numbers(&[0, 0, 1, 1]), 0);
        assert!(commands(&replay.stream, Op::Program).is_empty() && commands(&replay.stream, Op::Uniform).is_empty());
    }
}
