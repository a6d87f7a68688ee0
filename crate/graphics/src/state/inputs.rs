//! What a draw takes its vertices from: the arrays that are enabled, where they are, and how many
//! vertices in which order.

use unspool_gl::gl;

use super::json::Json;
use super::report::constant;
use crate::known::Known;
use unspool_gl::call::{self, Call};
use unspool_gl::machine::Machine;
use unspool_gl::machine::buffers::{self, CLIENT_ARRAYS, CLIENT_TEXTURE};
use unspool_gl::machine::cells::{Cell, Value};
use unspool_gl::machine::what;

/// An array that gives the vertices of a draw something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Input {
    /// Its number and what the program calls it, or the name of a client array.
    pub(super) title: String,
    /// Components, or `GL_BGRA`.
    pub(super) size: Value,
    /// The type of a component, or of all.
    pub(super) kind: Value,
    /// Bytes from one element to the next; 0 if there is nothing between them.
    pub(super) stride: Value,
    /// Name and owner of the buffer. 0 for memory of the program.
    pub(super) buffer: (u32, u32),
    /// Where it begins in the buffer.
    pub(super) pointer: Value,
    pub(super) is_normalized: bool,
    /// Instances with one element; 0 if each vertex has its own.
    pub(super) divisor: i64,
    /// The latest call that set any of this.
    pub(super) call: Option<u32>,
    /// The call that set the pointer. For memory of the program it has the bytes.
    pub(super) pointed: Option<u32>,
}

/// The cells of an attribute, of a binding of a buffer for attributes, and of a client array.
const OF_ATTRIBUTE: [u16; 10] = [
    what::VERTEX_ATTRIB_ARRAY_ENABLED,
    what::VERTEX_ATTRIB_ARRAY_SIZE,
    what::VERTEX_ATTRIB_ARRAY_TYPE,
    what::VERTEX_ATTRIB_ARRAY_NORMALIZED,
    what::VERTEX_ATTRIB_ARRAY_INTEGER,
    what::VERTEX_ATTRIB_ARRAY_STRIDE,
    what::VERTEX_ATTRIB_ARRAY_POINTER,
    what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING,
    what::VERTEX_ATTRIB_RELATIVE_OFFSET,
    what::VERTEX_ATTRIB_BINDING,
];
const OF_BINDING: [u16; 4] = [
    what::VERTEX_BINDING_BUFFER,
    what::VERTEX_BINDING_OFFSET,
    what::VERTEX_BINDING_STRIDE,
    what::VERTEX_BINDING_DIVISOR,
];
const OF_CLIENT: [u16; 6] = [
    what::CLIENT_ENABLED,
    what::CLIENT_SIZE,
    what::CLIENT_TYPE,
    what::CLIENT_STRIDE,
    what::CLIENT_POINTER,
    what::CLIENT_BUFFER,
];

/// The call that has the bytes of a pointer, or else that set it.
fn pointed(pointer: &Value, set: Option<u32>) -> Option<u32> {
    if let Value::Memory { call } = pointer { Some(*call) } else { set }
}

/// The arrays that are enabled: attributes first.
pub(super) fn inputs(machine: &Machine, array: u32, program: u32) -> Vec<Input> {
    let latest = |whats: &[u16], index| {
        whats.iter().filter_map(|what| machine.cell(array, *what, index)).map(|cell: &Cell| cell.call).max()
    };
    let mut all = Vec::new();
    for index in 0..buffers::MAX_ATTRIBUTES {
        let of = |what| machine.value(array, what, index).clone();
        if of(what::VERTEX_ATTRIB_ARRAY_ENABLED) != Value::Bool(true) {
            continue;
        }
        let (buffer, pointer, stride) = match of(what::VERTEX_ATTRIB_BINDING) {
            Value::Int(binding) => {
                let at = |what| machine.value(array, what, binding as u32).clone();
                let buffer = machine.object(array, what::VERTEX_BINDING_BUFFER, binding as u32);
                let number = |value: &Value| if let Value::Int(n) = value { *n } else { 0 };
                let offset =
                    number(&at(what::VERTEX_BINDING_OFFSET)) + number(&of(what::VERTEX_ATTRIB_RELATIVE_OFFSET));
                (buffer, Value::Int(offset), at(what::VERTEX_BINDING_STRIDE))
            }
            _ => {
                let buffer = machine.object(array, what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, index);
                (buffer, of(what::VERTEX_ATTRIB_ARRAY_POINTER), of(what::VERTEX_ATTRIB_ARRAY_STRIDE))
            }
        };
        let binding = match of(what::VERTEX_ATTRIB_BINDING) {
            Value::Int(binding) => binding as u32,
            _ => index,
        };
        all.push(Input {
            title: match machine.value(program, what::ATTRIBUTE_NAME, index) {
                Value::Text(name) => format!("{index} {name}"),
                _ => format!("{index}"),
            },
            size: of(what::VERTEX_ATTRIB_ARRAY_SIZE),
            kind: of(what::VERTEX_ATTRIB_ARRAY_TYPE),
            stride,
            buffer,
            pointed: pointed(&pointer, latest(&[what::VERTEX_ATTRIB_ARRAY_POINTER], index)),
            pointer,
            is_normalized: of(what::VERTEX_ATTRIB_ARRAY_NORMALIZED) == Value::Bool(true),
            divisor: machine.number(array, what::VERTEX_BINDING_DIVISOR, binding).unwrap_or_default(),
            call: latest(&OF_ATTRIBUTE, index).max(latest(&OF_BINDING, binding)),
        });
    }
    for number in 0..CLIENT_TEXTURE + 32 {
        let of = |what| machine.value(array, what, number).clone();
        if of(what::CLIENT_ENABLED) != Value::Bool(true) {
            continue;
        }
        all.push(Input {
            title: match CLIENT_ARRAYS.get(number as usize) {
                Some((_, name)) => (*name).to_string(),
                None => format!("GL_TEXTURE_COORD_ARRAY {}", number - CLIENT_TEXTURE),
            },
            size: of(what::CLIENT_SIZE),
            kind: of(what::CLIENT_TYPE),
            stride: of(what::CLIENT_STRIDE),
            buffer: machine.object(array, what::CLIENT_BUFFER, number),
            pointer: of(what::CLIENT_POINTER),
            // Colours and normals are; no other input has integers that stand for less.
            is_normalized: matches!(number, 1 | 2 | 6),
            divisor: 0,
            call: latest(&OF_CLIENT, number),
            pointed: pointed(&of(what::CLIENT_POINTER), latest(&[what::CLIENT_POINTER], number)),
        });
    }
    all
}

/// How many vertices a draw takes, and in which order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    mode: u32,
    /// Where each of its parts begins: the first vertex, or the offset of its indices. Then their
    /// number, and what is added to them.
    ranges: Vec<[i64; 3]>,
    instances: i64,
    /// Added to the element of inputs that differ by instance.
    base_instance: i64,
    /// The type of the indices, 0 without any.
    indexed: u32,
    /// The indices are bytes of the call.
    is_own: bool,
    /// Ranges are in a buffer: number of parts, offset, and stride.
    indirect: Option<[i64; 3]>,
}

/// Limit for the parts of a draw.
const MOST_RANGES: usize = 1 << 16;

impl Order {
    /// The order of a draw of arrays or elements. `None` for all other calls. `canonical`: the name
    /// of the function without prefix and suffix.
    pub(super) fn of(call: &Call, name: &str, canonical: &str) -> Option<Self> {
        let rest = canonical.strip_prefix("Multi").unwrap_or(canonical).strip_prefix("Draw")?;
        let rest = rest.strip_prefix("Range").unwrap_or(rest);
        let (is_indexed, rest) = match (rest.strip_prefix("Elements"), rest.strip_prefix("Arrays")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return None,
        };
        let known = Known::of(name);
        let number = |names: &[&str]| names.iter().find_map(|name| known.int(call, name));
        let mut order = Self {
            mode: known.uint(call, "mode")?,
            instances: number(&["instancecount", "primcount"]).unwrap_or(1),
            base_instance: number(&["baseinstance"]).unwrap_or_default(),
            indexed: if is_indexed { known.uint(call, "type").unwrap_or_default() } else { 0 },
            ..Self::default()
        };
        if rest.starts_with("Indirect") {
            let [offset, stride] = [number(&["indirect"]), number(&["stride"])].map(Option::unwrap_or_default);
            order.indirect = Some([number(&["drawcount"]).unwrap_or(1), offset, stride]);
            return Some(order);
        }
        let list = |name: &str| match known.arg(call, name) {
            call::Value::List(values) => {
                values.take(MOST_RANGES).map(|value| value.int().unwrap_or_default()).collect()
            }
            value => vec![value.int().unwrap_or_default()],
        };
        let counts = list("count");
        let from = match (is_indexed, known.place("first")) {
            (true, _) => "indices",
            (_, Some(_)) => "first",
            _ => "start",
        };
        order.is_own = matches!(known.arg(call, from), call::Value::Bytes(..));
        let (firsts, bases) = (list(from), list("basevertex"));
        let of = |list: &[i64], i: usize| list.get(i).copied().unwrap_or_default();
        order.ranges = counts.iter().enumerate().map(|(i, count)| [of(&firsts, i), *count, of(&bases, i)]).collect();
        if canonical.starts_with("Multi") {
            order.instances = 1;
        }
        Some(order)
    }
}

/// A buffer: its name and the call that gave it its size, by which the survey knows it.
fn buffer(json: &mut Json, machine: &Machine, (name, instance): (u32, u32)) {
    if name == 0 {
        return json.null();
    }
    json.object(|json| {
        json.key("name").int(name.into());
        match machine.cell(instance, what::SIZE, 0) {
            Some(cell) => json.key("sized").int(cell.call.into()),
            None => json.key("sized").null(),
        }
    });
}

/// Writes what a draw takes: a `GlDraw` of `web/features/graphics/gl_state_protocol.ts`.
pub(super) fn write(machine: &Machine, array: u32, inputs: &[Input], order: &Order) -> String {
    let is_on = |what| machine.value(machine.context_owner(), what, 0) == &Value::Bool(true);
    let restart = if is_on(what::PRIMITIVE_RESTART_FIXED_INDEX) {
        Some(match order.indexed {
            gl::UNSIGNED_BYTE => 0xff,
            gl::UNSIGNED_SHORT => 0xffff,
            _ => 0xffff_ffff,
        })
    } else if is_on(what::PRIMITIVE_RESTART) || is_on(what::PRIMITIVE_RESTART_NV) {
        Some(machine.number(machine.context_owner(), what::PRIMITIVE_RESTART_INDEX, 0).unwrap_or_default())
    } else {
        None
    };
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        Value::Constant(number) => (*number).into(),
        _ => 0,
    };
    let mut json = Json::default();
    json.object(|json| {
        json.key("mode").text(&constant(order.mode, "PrimitiveType"));
        json.key("ranges").list(|json| {
            for range in &order.ranges {
                json.list(|json| range.iter().for_each(|number| json.int(*number)));
            }
        });
        json.key("instances").int(order.instances);
        json.key("baseInstance").int(order.base_instance);
        json.key("indexed").int(order.indexed.into());
        json.key("isOwn").bool(order.is_own);
        json.key("indices");
        buffer(json, machine, machine.object(array, what::ELEMENT_ARRAY_BUFFER_BINDING, 0));
        match restart {
            Some(restart) => json.key("restart").int(restart),
            None => json.key("restart").null(),
        }
        match order.indirect {
            Some([count, offset, stride]) => json.key("indirect").object(|json| {
                json.key("buffer");
                buffer(json, machine, machine.object(machine.context_owner(), what::DRAW_INDIRECT_BUFFER_BINDING, 0));
                json.key("count").int(count);
                json.key("offset").int(offset);
                json.key("stride").int(stride);
            }),
            None => json.key("indirect").null(),
        }
        json.key("inputs").list(|json| {
            for input in inputs {
                json.object(|json| {
                    json.key("title").text(&input.title);
                    json.key("size").int(number(&input.size));
                    json.key("type").int(number(&input.kind));
                    json.key("isNormalized").bool(input.is_normalized);
                    json.key("stride").int(number(&input.stride));
                    json.key("offset").int(number(&input.pointer));
                    json.key("divisor").int(input.divisor);
                    json.key("buffer");
                    buffer(json, machine, input.buffer);
                    match input.pointed {
                        Some(call) => json.key("call").int(call.into()),
                        None => json.key("call").null(),
                    }
                });
            }
        });
    });
    json.into_text()
}
