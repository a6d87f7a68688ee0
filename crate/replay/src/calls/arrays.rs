//! Arrays of vertices, and what clients keep of them.

use std::rc::Rc;

use unspool_gl::arrays::{Interleaved, NEVER_INTERLEAVED};
use unspool_gl::call::{Call, Value};
use unspool_gl::several::{One, Several};
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::Replay;
use crate::objects::{ATTRIBUTES, Array, Binding, KeptArrays, VertexArray};

/// Limit for the depth of the stack of client attributes: that of all implementations is 16.
const MOST_KEPT: usize = 16;

pub(crate) const TABLE: Functions = &[
    ("BindVertexArray", |r, c, _| r.bind_vertex_array(c.uint(0))),
    ("DeleteVertexArrays", |r, c, _| {
        let Some(context) = r.context() else { return };
        let mut freed = 0;
        for name in c.ints(1) {
            let old = context.vertex_arrays.remove(&(name as u32));
            freed += old.map_or(0, |old| old.client_bytes() + size_of::<VertexArray>() as u64);
            if context.vertex_array == name as u32 {
                context.vertex_array = 0;
            }
        }
        r.reserve(freed, 0);
    }),
    ("VertexAttribPointer", generic),
    ("VertexAttribIPointer", whole),
    ("EnableVertexAttribArray", |r, c, _| enable(r, Which::Generic(c.uint(0)), true)),
    ("DisableVertexAttribArray", |r, c, _| enable(r, Which::Generic(c.uint(0)), false)),
    ("VertexAttribDivisor", |r, c, _| {
        let (index, divisor) = (c.uint(0), c.uint(1));
        with_binding(r, index, |binding| binding.divisor = divisor);
        bind_attribute(r, index, index);
    }),
    // Formats and buffers apart: OpenGL 4.3, section 10.3.2.
    ("VertexAttribFormat", |r, c, _| format(r, c, Array { normalized: c.int(3) != 0, ..Array::default() }, 4)),
    ("VertexAttribIFormat", |r, c, _| format(r, c, Array { integer: true, ..Array::default() }, 3)),
    ("VertexAttribBinding", |r, c, _| bind_attribute(r, c.uint(0), c.uint(1))),
    ("VertexBindingDivisor", |r, c, _| {
        let divisor = c.uint(1);
        with_binding(r, c.uint(0), |binding| binding.divisor = divisor);
    }),
    ("BindVertexBuffer", |r, c, _| bind_vertices(r, c.uint(0), [c.int(1), c.int(2), c.int(3)])),
    ("BindVertexBuffers", |r, c, _| {
        for One { index, name, range } in Several::VertexBuffers.bound(c) {
            let (offset, stride) = range.unwrap_or_default();
            bind_vertices(r, index, [name.into(), offset, stride]);
        }
    }),
    ("VertexPointer", |r, c, _| legacy(r, c, 0, false)),
    ("ColorPointer", |r, c, _| legacy(r, c, 2, true)),
    ("SecondaryColorPointer", |r, c, _| legacy(r, c, 3, true)),
    ("TexCoordPointer", coordinates),
    ("NormalPointer", normals),
    ("FogCoordPointer", fog_coordinates),
    ("InterleavedArrays", interleaved),
    ("ArrayElement", array_element),
    ("EnableClientState", |r, c, _| client_state(r, c.uint(0), true)),
    ("DisableClientState", |r, c, _| client_state(r, c.uint(0), false)),
    ("EnableClientStatei", |r, c, _| client_state_of(r, c, true)),
    ("DisableClientStatei", |r, c, _| client_state_of(r, c, false)),
    ("EnableClientStateIndexed", |r, c, _| client_state_of(r, c, true)),
    ("DisableClientStateIndexed", |r, c, _| client_state_of(r, c, false)),
    ("ClientActiveTexture", |r, c, _| {
        let unit = (c.uint(0).wrapping_sub(gl::TEXTURE0) as usize).min(7);
        if let Some(context) = r.context() {
            context.fixed.client_unit = unit;
        }
    }),
    ("PushClientAttrib", |r, c, _| push(r, c.uint(0))),
    ("PopClientAttrib", |r, _, _| pop(r)),
    ("ClientAttribDefault", |r, c, _| defaults(r, c.uint(0))),
    ("PushClientAttribDefault", |r, c, _| {
        push(r, c.uint(0));
        defaults(r, c.uint(0));
    }),
];

fn generic(r: &mut Replay, c: &Call, _: Variant) {
    let array =
        Array { size: c.uint(1), kind: c.uint(2), normalized: c.int(3) != 0, stride: c.uint(4), ..Array::default() };
    pointer(r, Which::Generic(c.uint(0)), array, c.argument(5));
}

fn whole(r: &mut Replay, c: &Call, _: Variant) {
    let array = Array { size: c.uint(1), kind: c.uint(2), integer: true, stride: c.uint(3), ..Array::default() };
    pointer(r, Which::Generic(c.uint(0)), array, c.argument(4));
}

fn coordinates(r: &mut Replay, c: &Call, _: Variant) {
    let unit = r.context().map_or(0, |context| context.fixed.client_unit);
    legacy(r, c, 5 + unit, false);
}

fn normals(r: &mut Replay, c: &Call, _: Variant) {
    let array = Array { size: 3, kind: c.uint(0), normalized: true, stride: c.uint(1), ..Array::default() };
    pointer(r, Which::Legacy(1), array, c.argument(2));
}

fn fog_coordinates(r: &mut Replay, c: &Call, _: Variant) {
    let array = Array { size: 1, kind: c.uint(0), stride: c.uint(1), ..Array::default() };
    pointer(r, Which::Legacy(4), array, c.argument(2));
}

/// What clients keep becomes what it was at first: EXT_direct_state_access,
/// `ClientAttribDefaultEXT`.
fn defaults(r: &mut Replay, mask: u32) {
    let Some(context) = r.context() else { return };
    if mask & gl::CLIENT_PIXEL_STORE_BIT != 0 {
        context.unpack.store = unspool_gl::pixels::PixelStore::default();
        context.buffers.insert(gl::PIXEL_UNPACK_BUFFER, 0);
    }
    if mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0 {
        context.fixed.client_unit = 0;
        context.buffers.insert(gl::ARRAY_BUFFER, 0);
        let old = core::mem::take(context.arrays());
        r.reserve(old.client_bytes(), 0);
    }
}

/// The state of an array of a texture unit: its number, or `GL_TEXTURE0` and so on.
fn client_state_of(r: &mut Replay, c: &Call, on: bool) {
    let given = c.uint(1);
    r.with_unit(if given >= gl::TEXTURE0 { given - gl::TEXTURE0 } else { given }, |r| client_state(r, c.uint(0), on));
}

impl Replay {
    pub(crate) fn bind_vertex_array(&mut self, name: u32) {
        let Some(context) = self.context() else { return };
        context.vertex_array = name;
        if !context.vertex_arrays.contains_key(&name) {
            context.arrays();
            self.reserve(0, size_of::<VertexArray>() as u64);
        }
    }
}

#[derive(Clone, Copy)]
enum Which {
    Generic(u32),
    Legacy(usize),
}

fn array_of(r: &mut Replay, which: Which) -> Option<&mut Array> {
    let arrays = r.context()?.arrays();
    match which {
        Which::Generic(index) => arrays.generic.get_mut(index as usize),
        Which::Legacy(index) => arrays.legacy.get_mut(index),
    }
}

fn enable(r: &mut Replay, which: Which, on: bool) {
    if let Some(array) = array_of(r, which) {
        array.enabled = on;
    }
}

fn client_state(r: &mut Replay, array: u32, on: bool) {
    let unit = r.context().map_or(0, |context| context.fixed.client_unit);
    let index = match array {
        gl::VERTEX_ARRAY => 0,
        gl::NORMAL_ARRAY => 1,
        gl::COLOR_ARRAY => 2,
        gl::SECONDARY_COLOR_ARRAY => 3,
        gl::FOG_COORD_ARRAY => 4,
        gl::TEXTURE_COORD_ARRAY => 5 + unit,
        // EXT_direct_state_access names the unit.
        gl::TEXTURE0..=gl::TEXTURE7 => 5 + (array - gl::TEXTURE0) as usize,
        _ => return,
    };
    enable(r, Which::Legacy(index), on);
}

fn legacy(r: &mut Replay, c: &Call, index: usize, normalized: bool) {
    let array = Array { size: c.uint(0), kind: c.uint(1), normalized, stride: c.uint(2), ..Array::default() };
    pointer(r, Which::Legacy(index), array, c.argument(3));
}

fn pointer(r: &mut Replay, which: Which, made: Array, at: Value<'_>) {
    let Some(context) = r.context() else { return };
    let buffer = context.buffers.get(&gl::ARRAY_BUFFER).copied().unwrap_or(0);
    let Some(array) = array_of(r, which) else { return };
    let freed = array.client.as_ref().map_or(0, |client| client.len() as u64);
    if !r.reserve(freed, at.bytes().map_or(0, |bytes| bytes.len() as u64)) {
        return;
    }
    let Some(array) = array_of(r, which) else { return };
    let client = at.bytes().map(|bytes| Rc::new(bytes.to_vec()));
    // The tracer gives memory of the program only where there is some; a pointer of the program
    // itself says nothing.
    let buffer = if client.is_some() { 0 } else { buffer };
    let offset = if client.is_some() { 0 } else { usize::try_from(at.int().unwrap_or_default()).unwrap_or(usize::MAX) };
    let Array { enabled, divisor, .. } = *array;
    *array = Array { enabled, divisor, buffer, offset, client, ..made };
    // A pointer is a format, a buffer and their binding at once.
    if let Which::Generic(index) = which {
        let stride = if made.stride == 0 { made.element() as u32 } else { made.stride };
        array.binding = index as usize;
        with_binding(r, index, |binding| (binding.buffer, binding.offset, binding.stride) = (buffer, offset, stride));
    }
}

/// Changes where arrays of a binding index come from. Those that use it follow.
fn with_binding(r: &mut Replay, index: u32, change: impl FnOnce(&mut Binding)) {
    let Some(arrays) = r.context().map(|context| context.arrays()) else { return };
    let Some(binding) = arrays.bindings.get_mut(index as usize) else { return };
    change(binding);
    let binding = *binding;
    for array in arrays.generic.iter_mut().filter(|array| array.binding == index as usize) {
        array.follow(&binding);
    }
}

fn bind_vertices(r: &mut Replay, index: u32, [buffer, offset, stride]: [i64; 3]) {
    let mut freed = 0;
    if let Some(context) = r.context() {
        for array in context.arrays().generic.iter_mut().filter(|array| array.binding == index as usize) {
            freed += array.client.take().map_or(0, |client| client.len() as u64);
        }
    }
    r.reserve(freed, 0);
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    with_binding(r, index, |it| (it.buffer, it.offset, it.stride) = (buffer as u32, offset, stride as u32));
}

fn bind_attribute(r: &mut Replay, index: u32, to: u32) {
    let Some(arrays) = r.context().map(|context| context.arrays()) else { return };
    let Some(binding) = arrays.bindings.get(to as usize).copied() else { return };
    if let Some(array) = arrays.generic.get_mut(index as usize) {
        array.binding = to as usize;
        array.follow(&binding);
    }
}

/// The format of an attribute. `rest` has what its function says of numbers; `relative` is the
/// index of the argument with the offset within a vertex.
fn format(r: &mut Replay, c: &Call, rest: Array, relative: usize) {
    let Some(arrays) = r.context().map(|context| context.arrays()) else { return };
    let Some(array) = arrays.generic.get_mut(c.uint(0) as usize) else { return };
    let old = array.clone();
    let relative = usize::try_from(c.int(relative)).unwrap_or(usize::MAX);
    let Array { enabled, binding, divisor, buffer, client, .. } = old;
    *array = Array { size: c.uint(1), kind: c.uint(2), relative, enabled, binding, divisor, buffer, client, ..rest };
    if let Some(from) = arrays.bindings.get(binding).copied() {
        array.follow(&from);
    }
}

fn interleaved(r: &mut Replay, c: &Call, _: Variant) {
    let Some((parts, total)) = unspool_gl::arrays::interleaved(c.uint(0)) else { return };
    let unit = r.context().map_or(0, |context| context.fixed.client_unit);
    let stride = if c.uint(1) == 0 { total } else { c.uint(1) };
    for Interleaved { array, size, kind, offset } in parts {
        client_state(r, array, size > 0);
        let index = match array {
            gl::VERTEX_ARRAY => 0,
            gl::NORMAL_ARRAY => 1,
            gl::COLOR_ARRAY => 2,
            _ => 5 + unit,
        };
        if size > 0 {
            let from = match c.argument(2) {
                Value::Bytes(bytes, _) => bytes.get(offset as usize..).unwrap_or_default().into(),
                other => Value::Int(other.int().unwrap_or_default().saturating_add(offset.into())),
            };
            let normalized = kind == gl::UNSIGNED_BYTE;
            pointer(r, Which::Legacy(index), Array { size, kind, normalized, stride, ..Array::default() }, from);
        }
    }
    // Arrays of further texture units stay.
    for array in NEVER_INTERLEAVED {
        client_state(r, array, false);
    }
}

/// The elements of all arrays that are enabled become current, and the position a vertex: OpenGL
/// 2.1, section 2.8.
fn array_element(r: &mut Replay, c: &Call, _: Variant) {
    let Ok(index) = usize::try_from(c.int(0)) else { return };
    let values = elements(r, index);
    if r.is_compiling { r.list(super::Listed::Element(values)) } else { set_elements(r, &values) }
}

/// The elements of all arrays that are enabled, each with its slot. Positions come last; the
/// generic one only without the other.
pub(super) fn elements(r: &mut Replay, index: usize) -> Vec<(usize, [f32; 4])> {
    let arrays = r.context().map(|context| context.arrays().enabled()).unwrap_or_default();
    let has_position = arrays.iter().any(|(slot, _)| *slot == ATTRIBUTES);
    let (positions, others): (Vec<_>, Vec<_>) =
        arrays.into_iter().partition(|(slot, _)| matches!(*slot, 0 | ATTRIBUTES));
    let position = positions.into_iter().filter(|(slot, _)| *slot != 0 || !has_position);
    let all = others.into_iter().chain(position);
    all.filter_map(|(slot, array)| Some((slot, r.element_of(&array, index)?))).collect()
}

/// Makes elements current.
pub(super) fn set_elements(r: &mut Replay, values: &[(usize, [f32; 4])]) {
    const POSITION: usize = ATTRIBUTES;
    for (slot, value) in values.iter().copied() {
        let Some(context) = r.context() else { return };
        let [x, y, z, _] = value;
        match slot {
            0 | POSITION => super::immediate::vertex_at(r, value),
            1..POSITION => {
                if let Some(known) = context.values.get_mut(slot) {
                    *known = value;
                }
            }
            _ => match slot - POSITION {
                1 => context.fixed.normal = [x, y, z],
                2 => {
                    context.fixed.color = value;
                    context.fixed.track();
                }
                3 => context.fixed.secondary = value,
                4 => context.fixed.fog_coordinate = x,
                unit => context.fixed.set_coordinates(unit - 5, value),
            },
        }
    }
}

fn push(r: &mut Replay, mask: u32) {
    let Some(context) = r.context() else { return };
    if context.kept_arrays.len() >= MOST_KEPT {
        return;
    }
    let bound = |target: u32| context.buffers.get(&target).copied().unwrap_or(0);
    let buffers = [gl::ARRAY_BUFFER, gl::PIXEL_UNPACK_BUFFER].map(bound);
    let name = context.vertex_array;
    let has_arrays = mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0;
    let arrays = has_arrays.then(|| context.arrays().clone());
    let bytes = arrays.as_ref().map_or(0, |arrays| arrays.client_bytes() + size_of::<VertexArray>() as u64);
    let (unpack, unit) = (context.unpack, context.fixed.client_unit);
    context.kept_arrays.push(KeptArrays { mask, name, arrays, buffers, unpack, unit });
    r.reserve(0, bytes);
}

fn pop(r: &mut Replay) {
    let Some(context) = r.context() else { return };
    let Some(KeptArrays { mask, name, arrays, buffers: [vertices, pixels], unpack, unit }) = context.kept_arrays.pop()
    else {
        return;
    };
    if mask & gl::CLIENT_PIXEL_STORE_BIT != 0 {
        // What becomes of pixels is state of the server.
        context.unpack.store = unpack.store;
        context.buffers.insert(gl::PIXEL_UNPACK_BUFFER, pixels);
    }
    let Some(arrays) = arrays else { return };
    (context.vertex_array, context.fixed.client_unit) = (name, unit);
    context.buffers.insert(gl::ARRAY_BUFFER, vertices);
    let old = core::mem::replace(context.arrays(), arrays);
    r.reserve(old.client_bytes() + size_of::<VertexArray>() as u64, 0);
}
