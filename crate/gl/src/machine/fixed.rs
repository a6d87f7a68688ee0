//! Current colours, normals and coordinates, lights, materials, fog, texture environments and
//! generated coordinates.

use crate::gl;

use super::cells::{Key, Value};
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::{self, Call};

/// Settings that depend neither on matrices nor on vertices.
pub(crate) const SETTINGS: Handlers = &[
    ("ShadeModel", |m, c, _| m.set(what::SHADE_MODEL, Value::Constant(c.uint(0)))),
    ("AlphaFunc", alpha_func),
    ("AlphaFunc*", alpha_func),
    ("LineStipple", |m, c, _| {
        m.set(what::LINE_STIPPLE_REPEAT, Value::Int(c.int(0)));
        m.set(what::LINE_STIPPLE_PATTERN, Value::Int(c.int(1)));
    }),
    ("LightModel*", light_model),
    ("Material*", material),
    ("ColorMaterial", |m, c, _| {
        m.set(what::COLOR_MATERIAL_FACE, Value::Constant(c.uint(0)));
        m.set(what::COLOR_MATERIAL_PARAMETER, Value::Constant(c.uint(1)));
        follow_color(m);
    }),
    ("Fog*", fog),
    ("TexEnv*", tex_env),
    ("RenderMode", |m, c, _| m.set(what::RENDER_MODE, Value::Constant(c.uint(0)))),
];

pub(crate) const HANDLERS: Handlers = &[
    ("Color*", color),
    ("SecondaryColor*", |m, c, v| m.set(what::CURRENT_SECONDARY_COLOR, floats(v.numbers(c, 0, LAST_ONE, true), 4))),
    ("Normal*", |m, c, v| m.set(what::CURRENT_NORMAL, floats(v.numbers(c, 0, [0.0; 4], true), 3))),
    ("TexCoord*", |m, c, v| m.set_at(what::CURRENT_TEXTURE_COORDS, 0, floats(v.numbers(c, 0, LAST_ONE, false), 4))),
    ("MultiTexCoord*", |m, c, v| {
        let unit = c.uint(0).wrapping_sub(gl::TEXTURE0);
        m.set_at(what::CURRENT_TEXTURE_COORDS, unit, floats(v.numbers(c, 1, LAST_ONE, false), 4));
    }),
    ("FogCoord*", |m, c, v| m.set(what::CURRENT_FOG_COORD, Value::Float(one(v).numbers(c, 0, [0.0; 4], false)[0]))),
    ("Index*", |m, c, v| m.set(what::CURRENT_INDEX, Value::Float(one(v).numbers(c, 0, [0.0; 4], false)[0]))),
    ("EdgeFlag", |m, c, _| m.set(what::EDGE_FLAG, Value::Bool(c.int(0) != 0))),
    ("EdgeFlagv", |m, c, _| {
        m.set(what::EDGE_FLAG, Value::Bool(c.argument(0).ints().first().is_some_and(|is| *is != 0)))
    }),
    ("RasterPos*", |m, _, _| m.set(what::CURRENT_RASTER_POSITION, Value::Unknown)),
    ("WindowPos*", |m, _, _| m.set(what::CURRENT_RASTER_POSITION, Value::Unknown)),
    ("ClearAccum", |m, c, v| m.set(what::ACCUM_CLEAR_VALUE, floats(v.numbers(c, 0, [0.0; 4], false), 4))),
    ("ClearIndex", |m, c, _| m.set(what::INDEX_CLEAR_VALUE, Value::Float(c.float(0)))),
    ("IndexMask", |m, c, _| m.set(what::INDEX_WRITEMASK, Value::Int(c.int(0)))),
    ("Light*", light),
    ("ClipPlane", |m, c, _| clip_plane(m, c, false)),
    ("ClipPlanef", |m, c, _| clip_plane(m, c, false)),
    ("ClipPlanex", |m, c, _| clip_plane(m, c, true)),
    ("ColorP*", |m, c, v| {
        m.set(what::CURRENT_COLOR, packed(c, [0, 1], v, true));
        follow_color(m);
    }),
    ("SecondaryColorP*", |m, c, v| m.set(what::CURRENT_SECONDARY_COLOR, packed(c, [0, 1], v, true))),
    ("NormalP*", |m, c, v| {
        let value = v.unpacked(c, [0, 1], true).map_or(Value::Unknown, |all| floats(all, 3));
        m.set(what::CURRENT_NORMAL, value);
    }),
    ("TexCoordP*", |m, c, v| m.set_at(what::CURRENT_TEXTURE_COORDS, 0, packed(c, [0, 1], v, false))),
    ("MultiTexCoordP*", |m, c, v| {
        let unit = c.uint(0).wrapping_sub(gl::TEXTURE0);
        if unit < 256 {
            m.set_at(what::CURRENT_TEXTURE_COORDS, unit, packed(c, [1, 2], v, false));
        }
    }),
    ("VertexAttribP*", |m, c, v| {
        if c.uint(0) < super::buffers::MAX_ATTRIBUTES {
            m.set_at(what::CURRENT_VERTEX_ATTRIB, c.uint(0), packed(c, [1, 3], v, c.int(2) != 0));
        }
    }),
    ("TexGen*", tex_gen),
    ("PixelZoom", |m, c, _| {
        m.set(what::ZOOM_X, Value::Float(c.float(0)));
        m.set(what::ZOOM_Y, Value::Float(c.float(1)));
    }),
    ("PixelTransfer*", |m, c, v| {
        let number = one(v).numbers(c, 1, [0.0; 4], false)[0];
        let is_switch = matches!(c.uint(0), gl::MAP_COLOR | gl::MAP_STENCIL);
        m.set(c.uint(0) as u16, if is_switch { Value::Bool(number != 0.0) } else { Value::Float(number) });
    }),
];

const LAST_ONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Parameters of a light, and where their cells are.
pub const LIGHT_PARAMETERS: [(u32, u8); 10] = [
    (gl::AMBIENT, 4),
    (gl::DIFFUSE, 4),
    (gl::SPECULAR, 4),
    (gl::POSITION, 4),
    (gl::SPOT_DIRECTION, 3),
    (gl::SPOT_EXPONENT, 1),
    (gl::SPOT_CUTOFF, 1),
    (gl::CONSTANT_ATTENUATION, 1),
    (gl::LINEAR_ATTENUATION, 1),
    (gl::QUADRATIC_ATTENUATION, 1),
];
/// Parameters of a material, and their numbers.
pub const MATERIAL_PARAMETERS: [(u32, u8); 5] =
    [(gl::AMBIENT, 4), (gl::DIFFUSE, 4), (gl::SPECULAR, 4), (gl::EMISSION, 4), (gl::SHININESS, 1)];

/// Numbers as they are kept.
pub(crate) fn floats(numbers: [f64; 4], count: u8) -> Value {
    Value::Floats(numbers.map(|number| number as f32), count)
}

fn one(variant: Variant) -> Variant {
    Variant { count: 1, ..variant }
}

fn color(machine: &mut Machine, call: &Call, variant: Variant) {
    machine.set(what::CURRENT_COLOR, floats(variant.numbers(call, 0, LAST_ONE, true), 4));
    follow_color(machine);
}

/// Numbers that are packed into one, after the argument with their type.
fn packed(call: &Call, places: [usize; 2], variant: Variant, is_normalized: bool) -> Value {
    variant.unpacked(call, places, is_normalized).map_or(Value::Unknown, |all| floats(all, 4))
}

/// Where GL_COLOR_MATERIAL is enabled, materials follow the current colour.
pub(crate) fn follow_color(machine: &mut Machine) {
    let context = machine.context;
    if machine.value(context, what::COLOR_MATERIAL, 0) != &Value::Bool(true) {
        return;
    }
    let color = match machine.value(context, what::CURRENT_COLOR, 0) {
        Value::Floats(color, _) => Value::Floats(*color, 4),
        _ => Value::Floats([1.0; 4], 4),
    };
    let (face, parameters) = tracked(machine);
    for parameter in parameters {
        set_material(machine, face, *parameter, &color);
    }
}

/// The face and the parameters of materials that follow the current colour where that is enabled.
fn tracked(machine: &Machine) -> (u32, &'static [u32]) {
    let number = |what| machine.number(machine.context, what, 0).and_then(|number| u32::try_from(number).ok());
    let face = number(what::COLOR_MATERIAL_FACE).unwrap_or(gl::FRONT_AND_BACK);
    let parameters: &[u32] = match number(what::COLOR_MATERIAL_PARAMETER) {
        Some(gl::AMBIENT) => &[gl::AMBIENT],
        Some(gl::DIFFUSE) => &[gl::DIFFUSE],
        Some(gl::SPECULAR) => &[gl::SPECULAR],
        Some(gl::EMISSION) => &[gl::EMISSION],
        // GL_AMBIENT_AND_DIFFUSE, which is the initial one.
        _ => &[gl::AMBIENT, gl::DIFFUSE],
    };
    (face, parameters)
}

/// Gives materials what a call says, but for those that follow the colour: OpenGL 2.1, 2.14.3.
fn give_material(machine: &mut Machine, face: u32, parameter: u32, value: &Value) {
    let follows = machine.value(machine.context, what::COLOR_MATERIAL, 0) == &Value::Bool(true);
    let (tracked_face, parameters) = tracked(machine);
    for side in [gl::FRONT, gl::BACK].into_iter().filter(|side| face == *side || face == gl::FRONT_AND_BACK) {
        let is_tracked = tracked_face == side || tracked_face == gl::FRONT_AND_BACK;
        if !(follows && is_tracked && parameters.contains(&parameter)) {
            set_material(machine, side, parameter, value);
        }
    }
}

fn set_material(machine: &mut Machine, face: u32, parameter: u32, value: &Value) {
    let Some(at) = MATERIAL_PARAMETERS.iter().position(|(of, _)| *of == parameter) else { return };
    for (number, of) in [(0, gl::FRONT), (1, gl::BACK)] {
        if face == of || face == gl::FRONT_AND_BACK {
            machine.set_at(what::MATERIAL_FIRST + at as u16, number, value.clone());
        }
    }
}

fn material(machine: &mut Machine, call: &Call, variant: Variant) {
    let (face, parameter) = (call.uint(0), call.uint(1));
    let numbers = variant.parameter(call, 2, variant.is_integer());
    if parameter == gl::AMBIENT_AND_DIFFUSE {
        give_material(machine, face, gl::AMBIENT, &floats(numbers, 4));
        give_material(machine, face, gl::DIFFUSE, &floats(numbers, 4));
    } else if parameter == gl::SHININESS {
        let shininess = one(variant).numbers(call, 2, [0.0; 4], false)[0];
        give_material(machine, face, parameter, &Value::Float(shininess));
    } else {
        give_material(machine, face, parameter, &floats(numbers, 4));
    }
}

fn alpha_func(machine: &mut Machine, call: &Call, variant: Variant) {
    machine.set(what::ALPHA_TEST_FUNC, Value::Constant(call.uint(0)));
    machine.set(what::ALPHA_TEST_REF, Value::Float(f64::from(variant.single(call, 1)).clamp(0.0, 1.0)));
}

/// A matrix of the current context.
fn matrix(machine: &Machine, what: u16) -> Option<[f64; 16]> {
    match machine.value(machine.context, what, 0) {
        Value::Matrix(matrix) => Some(**matrix),
        _ if machine.is_implicit() => None,
        _ => Some(crate::matrix::IDENTITY),
    }
}

/// A point or direction in eye coordinates.
fn transformed(matrix: &[f64; 16], [x, y, z, w]: [f64; 4]) -> [f64; 4] {
    core::array::from_fn(|row| {
        let at = |column: usize| matrix.get(4 * column + row).copied().unwrap_or_default();
        at(0) * x + at(1) * y + at(2) * z + at(3) * w
    })
}

fn light(machine: &mut Machine, call: &Call, variant: Variant) {
    let (light, parameter) = (call.uint(0).wrapping_sub(gl::LIGHT0), call.uint(1));
    let Some(at) = LIGHT_PARAMETERS.iter().position(|(of, _)| *of == parameter) else { return };
    let count = LIGHT_PARAMETERS.get(at).map_or(1, |(_, count)| *count);
    if light >= 32 {
        return;
    }
    let is_color = matches!(parameter, gl::AMBIENT..=gl::SPECULAR);
    let numbers = variant.parameter(call, 2, is_color && variant.is_integer());
    let value = match parameter {
        gl::POSITION => matrix(machine, what::MODELVIEW_MATRIX).map(|matrix| floats(transformed(&matrix, numbers), 4)),
        gl::SPOT_DIRECTION => {
            let [x, y, z, _] = numbers;
            matrix(machine, what::MODELVIEW_MATRIX).map(|matrix| floats(transformed(&matrix, [x, y, z, 0.0]), 3))
        }
        _ if count == 1 => Some(Value::Float(numbers[0])),
        _ => Some(floats(numbers, count)),
    };
    machine.set_at(what::LIGHT_FIRST + at as u16, light, value.unwrap_or(Value::Unknown));
}

fn light_model(machine: &mut Machine, call: &Call, variant: Variant) {
    let what = call.uint(0);
    let is_mapped = variant.is_integer() && what == gl::LIGHT_MODEL_AMBIENT;
    let numbers = variant.of_parameter(what).parameter(call, 1, is_mapped);
    let value = match what {
        gl::LIGHT_MODEL_AMBIENT => floats(numbers, 4),
        gl::LIGHT_MODEL_LOCAL_VIEWER | gl::LIGHT_MODEL_TWO_SIDE => Value::Bool(numbers[0] != 0.0),
        gl::LIGHT_MODEL_COLOR_CONTROL => Value::Constant(numbers[0] as u32),
        _ => return,
    };
    machine.set(what as u16, value);
}

fn fog(machine: &mut Machine, call: &Call, variant: Variant) {
    let what = call.uint(0);
    let is_mapped = variant.is_integer() && what == u32::from(what::FOG_COLOR);
    let numbers = variant.of_parameter(what).parameter(call, 1, is_mapped);
    let value = match what {
        gl::FOG_INDEX..=gl::FOG_END => Value::Float(numbers[0]),
        gl::FOG_MODE | gl::FOG_COORD_SRC | gl::FOG_DISTANCE_MODE_NV => Value::Constant(numbers[0] as u32),
        gl::FOG_COLOR => floats(numbers, 4),
        _ => return,
    };
    machine.set(what as u16, value);
}

/// Planes are kept in eye coordinates.
fn clip_plane(machine: &mut Machine, call: &Call, is_fixed: bool) {
    let (mut plane, _) = call.floats::<4>(1);
    if is_fixed {
        plane = plane.map(|n| n / 65536.0);
    }
    let number = call.uint(0).wrapping_sub(what::CLIP_PLANE0.into());
    if number >= 32 {
        return;
    }
    let inverse = matrix(machine, what::MODELVIEW_MATRIX).and_then(|matrix| inverse(&matrix));
    let value = match inverse {
        // A plane is a row vector: it is multiplied by the inverse from the left.
        Some(inverse) => {
            let at = |row: usize, column: usize| inverse.get(4 * column + row).copied().unwrap_or_default();
            let eye = core::array::from_fn(|column| plane.iter().enumerate().map(|(row, n)| n * at(row, column)).sum());
            floats(eye, 4)
        }
        None => Value::Unknown,
    };
    machine.set_at(CLIP_PLANE_OF, number, value);
}

/// Where the cells of clip planes are: GL_CLIP_PLANE0 itself is the switch.
pub const CLIP_PLANE_OF: u16 = 0x00f0;

/// The inverse of a matrix, by Gauss and Jordan. `None` if there is none.
#[allow(clippy::indexing_slicing, reason = "rows are below 4 and columns below 8")]
fn inverse(matrix: &[f64; 16]) -> Option<[f64; 16]> {
    let mut rows: [[f64; 8]; 4] = core::array::from_fn(|row| {
        core::array::from_fn(|column| match column {
            0..4 => matrix.get(4 * column + row).copied().unwrap_or_default(),
            _ => f64::from(u8::from(column - 4 == row)),
        })
    });
    for pivot in 0..4 {
        let best = (pivot..4).max_by(|a, b| rows[*a][pivot].abs().total_cmp(&rows[*b][pivot].abs()))?;
        rows.swap(pivot, best);
        let of_pivot = rows[pivot];
        if of_pivot[pivot] == 0.0 {
            return None;
        }
        for (at, row) in rows.iter_mut().enumerate() {
            let factor = if at == pivot { 1.0 - 1.0 / of_pivot[pivot] } else { row[pivot] / of_pivot[pivot] };
            for (slot, number) in row.iter_mut().zip(of_pivot) {
                *slot -= factor * number;
            }
        }
    }
    Some(core::array::from_fn(|i| rows[i % 4][4 + i / 4]))
}

/// Parameters of combiners follow `GL_COMBINE_RGB`, up to the last number that was reserved for
/// them.
pub(crate) const COMBINE_LAST: u32 = 0x859f;

fn tex_env(machine: &mut Machine, call: &Call, variant: Variant) {
    let (target, parameter, unit) = (call.uint(0), call.uint(1), machine.unit());
    let is_color = parameter == u32::from(what::TEXTURE_ENV_COLOR);
    let numbers = variant.of_parameter(parameter).parameter(call, 2, is_color && variant.is_integer());
    let value = match (target, parameter) {
        (gl::TEXTURE_ENV, _) if is_color => floats(numbers, 4),
        (gl::TEXTURE_ENV, gl::ALPHA_SCALE | gl::RGB_SCALE) => Value::Float(numbers[0]),
        (gl::TEXTURE_ENV, gl::TEXTURE_ENV_MODE | gl::COMBINE_RGB..=COMBINE_LAST) => Value::Constant(numbers[0] as u32),
        (gl::TEXTURE_FILTER_CONTROL, gl::TEXTURE_LOD_BIAS) => Value::Float(numbers[0]),
        (gl::POINT_SPRITE, gl::COORD_REPLACE) => Value::Bool(numbers[0] != 0.0),
        _ => return,
    };
    let is_scale = parameter == gl::ALPHA_SCALE;
    machine.set_at(if is_scale { what::ENV_ALPHA_SCALE } else { parameter as u16 }, unit, value);
}

fn tex_gen(machine: &mut Machine, call: &Call, variant: Variant) {
    let (coordinate, parameter, unit) = (call.uint(0).wrapping_sub(gl::S), call.uint(1), machine.unit());
    if coordinate >= 4 {
        return;
    }
    let numbers = variant.of_parameter(parameter).parameter(call, 2, false);
    let (what, value) = match parameter {
        gl::TEXTURE_GEN_MODE => (what::TEX_GEN_MODE_OF, Value::Constant(numbers[0] as u32)),
        gl::OBJECT_PLANE => (what::TEX_GEN_OBJECT, floats(numbers, 4)),
        gl::EYE_PLANE => (what::TEX_GEN_EYE, Value::Unknown),
        _ => return,
    };
    machine.set_at(what, unit * 4 + coordinate, value);
}

impl Machine {
    /// Whether a cell exists with a value.
    pub fn is_set(&self, owner: u32, what: u16, index: u32) -> bool {
        self.notes.read(owner, what, index);
        self.has(owner, what, index)
    }

    /// The same, for what does not depend on it.
    pub(crate) fn has(&self, owner: u32, what: u16, index: u32) -> bool {
        self.root.cells.find(&self.slots, Key { owner, what, index }).is_some()
    }
}

/// The numbers of an argument that is a list; a single number if it is not one.
pub(crate) fn list_of(call: &Call, at: usize) -> Vec<call::Value<'_>> {
    match call.argument(at) {
        call::Value::List(values) => values.collect(),
        call::Value::Null => Vec::new(),
        other => vec![other],
    }
}
