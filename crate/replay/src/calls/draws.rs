//! Draws and clears.

use std::borrow::Cow;

use unspool_gl::gl;

use super::Run;
use crate::call::{Call, Value};
use crate::driver::Replay;
use crate::fixed::VERTEX;
use crate::glsl::{Input, Source};
use crate::objects::{ATTRIBUTES, Array, Linked};
use crate::ops::{Op, Stream};
use crate::pixels::half;

const SHORT: &str = "the indices of this draw are not all in the trace";
const BEYOND: &str = "the draw reads indices beyond its buffer";
/// Limit for the parts of a multi-draw.
const PARTS: usize = 1 << 16;
/// Limit for the vertices of a primitive that is replaced by triangles or lines: each is up to six
/// numbers.
const REPLACED: usize = 1 << 22;
/// Limit for the ranges of a buffer of indices whose highest one is kept.
const RANGES: usize = 64;

pub(crate) const TABLE: &[(&str, Run)] = &[
    ("glClear", clear),
    ("glClearBufferfv", |r, c| clear_buffer(r, c, 0)),
    ("glClearBufferiv", |r, c| clear_buffer(r, c, 1)),
    ("glClearBufferuiv", |r, c| clear_buffer(r, c, 2)),
    ("glClearBufferfi", |r, c| clear_buffer(r, c, 3)),
    ("glDrawArrays", |r, c| arrays(r, c, 1)),
    ("glDrawArraysInstanced", |r, c| arrays(r, c, c.int(3))),
    ("glDrawArraysInstancedBaseInstance", |r, c| {
        if c.int(4) != 0 {
            return r.unshown("draws with a base instance are not in WebGL2");
        }
        arrays(r, c, c.int(3));
    }),
    ("glDrawElements", |r, c| elements(r, c, [0, 1, 2, 3], 1, 0)),
    ("glDrawRangeElements", |r, c| elements(r, c, [0, 3, 4, 5], 1, 0)),
    ("glDrawElementsInstanced", |r, c| elements(r, c, [0, 1, 2, 3], c.int(4), 0)),
    ("glDrawElementsBaseVertex", |r, c| elements(r, c, [0, 1, 2, 3], 1, c.int(4))),
    ("glDrawRangeElementsBaseVertex", |r, c| elements(r, c, [0, 3, 4, 5], 1, c.int(6))),
    ("glDrawElementsInstancedBaseVertex", |r, c| elements(r, c, [0, 1, 2, 3], c.int(4), c.int(5))),
    ("glMultiDrawArrays", |r, c| {
        for (first, count) in c.ints(1).into_iter().zip(c.ints(2)).take(PARTS) {
            r.draw(&Draw { mode: c.u32(0), first, count, ..Draw::default() }, &Value::Null);
        }
    }),
    ("glMultiDrawElements", |r, c| {
        let Value::List(all) = c.arg(3) else { return r.unshown("the indices of this draw are not in the trace") };
        for (count, indices) in c.ints(1).into_iter().zip(all).take(PARTS) {
            r.draw(&Draw { mode: c.u32(0), count, kind: c.u32(2), ..Draw::default() }, indices);
        }
    }),
];

/// A draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    mode: u32,
    first: i64,
    count: i64,
    instances: i64,
    /// Type of the indices, or 0 without any.
    kind: u32,
    base: i64,
}

impl Default for Draw {
    fn default() -> Self {
        Self { mode: gl::TRIANGLES, first: 0, count: 0, instances: 1, kind: 0, base: 0 }
    }
}

fn clear(r: &mut Replay, c: &Call) {
    if r.is_skipped() {
        return;
    }
    if !r.flush_state() {
        return r.unshown("no framebuffer is bound");
    }
    if let Some(reason) = r.target_problem() {
        return r.unshown(&reason);
    }
    // WebGL2 has no accumulation buffer.
    let mask = c.u32(0) & (gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
    r.note_clear(mask);
    let pixels = r.target_pixels();
    r.stream.put(Op::Clear, &[mask, pixels]);
    r.verdict.add(c.number, None);
}

fn clear_buffer(r: &mut Replay, c: &Call, kind: u32) {
    if r.is_skipped() {
        return;
    }
    if !r.flush_state() {
        return r.unshown("no framebuffer is bound");
    }
    if let Some(reason) = r.target_problem() {
        return r.unshown(&reason);
    }
    let mut words = [kind, c.u32(0), c.u32(1), 0, 0, 0, 0, r.target_pixels()];
    let values: Vec<u32> = match kind {
        0 => c.floats(2).iter().map(|x| x.to_bits()).collect(),
        3 => vec![c.f32(2).to_bits(), c.u32(3)],
        _ => c.ints(2).iter().map(|n| *n as u32).collect(),
    };
    for (slot, word) in words.iter_mut().skip(3).take(4).zip(values) {
        *slot = word;
    }
    r.note_draw();
    r.stream.put(Op::ClearBuffer, &words);
    r.verdict.add(c.number, None);
}

fn arrays(r: &mut Replay, c: &Call, instances: i64) {
    r.draw(&Draw { mode: c.u32(0), first: c.int(1), count: c.int(2), instances, ..Draw::default() }, &Value::Null);
}

/// `at`: the indexes of the arguments mode, count, type and indices.
fn elements(r: &mut Replay, c: &Call, at: [usize; 4], instances: i64, base: i64) {
    let [mode, count, kind, indices] = at;
    let draw = Draw { mode: c.u32(mode), first: 0, count: c.int(count), instances, kind: c.u32(kind), base };
    r.draw(&draw, c.arg(indices));
}

/// Bytes of an index.
fn index_size(kind: u32) -> Option<usize> {
    match kind {
        gl::UNSIGNED_BYTE => Some(1),
        gl::UNSIGNED_SHORT => Some(2),
        gl::UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// The numbers of vertices of triangles or lines that a primitive without a counterpart consists
/// of, in terms of its own. The last vertex of each is the one whose colour a flat primitive has.
/// `None` if WebGL2 has the primitive.
fn replaced(mode: u32, count: usize, lines: bool) -> Option<(u32, Vec<u32>)> {
    let n = count as u32;
    let mut out = Vec::new();
    match mode {
        gl::QUADS => (0..n / 4).map(|i| 4 * i).for_each(|i| out.extend([i, i + 1, i + 3, i + 1, i + 2, i + 3])),
        gl::QUAD_STRIP if n >= 4 => {
            (0..(n - 2) / 2).map(|i| 2 * i).for_each(|i| out.extend([i, i + 1, i + 3, i + 2, i, i + 3]))
        }
        gl::POLYGON if n >= 3 => (1..n - 1).for_each(|i| out.extend([i, i + 1, 0])),
        gl::TRIANGLES if lines => out.extend(0..n / 3 * 3),
        gl::TRIANGLE_STRIP if lines && n >= 3 => (0..n - 2).for_each(|i| out.extend([i, i + 1, i + 2])),
        gl::TRIANGLE_FAN if lines && n >= 3 => (1..n - 1).for_each(|i| out.extend([0, i, i + 1])),
        gl::POINTS..=gl::TRIANGLE_FAN => return None,
        _ => {}
    }
    if !lines {
        return Some((gl::TRIANGLES, out));
    }
    let edges = out.chunks_exact(3).flat_map(|t| match t {
        [a, b, c] => [*a, *b, *b, *c, *c, *a],
        _ => [0; 6],
    });
    Some((gl::LINES, edges.collect()))
}

impl Replay {
    /// Pixels of what is drawn to, in thousands.
    fn target_pixels(&mut self) -> u32 {
        let (_, width, height) = self.target().unwrap_or_default();
        Stream::thousands(u64::from(width) * u64::from(height))
    }

    /// A vertex array in the layout of [`crate::fixed::Fixed::vertex`].
    pub(crate) fn draw_vertices(&mut self, mode: u32, vertices: &[f32]) {
        let count = vertices.len() / VERTEX;
        if count == 0 {
            return self.verdict.add(self.call, None);
        }
        let mut linked = match self.prepare(mode, count as u64, 1) {
            Ok(Some(linked)) => linked,
            Ok(None) => return,
            Err(reason) => return self.unshown(&reason),
        };
        let buffer = self.scratch(ATTRIBUTES);
        let bytes: Vec<u8> = vertices.iter().flat_map(|x| x.to_le_bytes()).collect();
        let (at, len) = self.stream.put_bytes(&bytes);
        self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
        let mut used = 0u32;
        let inputs = core::mem::take(&mut linked.inputs);
        for input in &inputs {
            let place = match input.source {
                Source::Vertex | Source::Generic(0) => Some((4, 0)),
                Source::Normal => Some((3, 4)),
                Source::Color => Some((4, 7)),
                Source::Texture(unit) if (unit as usize) < crate::fixed::FIXED_UNITS => Some((4, 11 + 4 * unit)),
                _ => None,
            };
            used |= 1 << input.location;
            match place {
                Some((size, at)) => {
                    self.point(input.location, [buffer, size, gl::FLOAT, 0, 4 * VERTEX as u32, 4 * at, 0, 0]);
                }
                None => self.constant_input(input),
            }
        }
        linked.inputs = inputs;
        self.disable_others(used);
        let lines = self.draws_lines();
        match replaced(mode, count.min(REPLACED), lines) {
            None => self.stream.put(Op::DrawArrays, &[mode, 0, count as u32, 1]),
            Some((mode, indices)) => self.draw_indices(mode, &indices),
        }
        self.restore(linked);
        self.verdict.add(self.call, None);
    }

    fn draws_lines(&mut self) -> bool {
        self.wireframe || self.context().is_some_and(|context| context.polygon_mode == gl::LINE)
    }

    /// Draws with indices of our own.
    fn draw_indices(&mut self, mode: u32, indices: &[u32]) {
        let buffer = self.scratch(ATTRIBUTES + 1);
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.bind_elements(buffer);
        let (at, len) = self.stream.put_bytes(&bytes);
        self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
        self.stream.put(Op::DrawElements, &[mode, indices.len() as u32, gl::UNSIGNED_INT, 0, 1]);
    }

    /// A draw of arrays. `indices`: memory, an offset in the buffer of indices, or nothing.
    pub(crate) fn draw(&mut self, draw: &Draw, indices: &Value) {
        if draw.count <= 0 || draw.instances <= 0 {
            return self.verdict.add(self.call, None);
        }
        if let Err(reason) = self.draw_arrays(draw, indices) {
            self.unshown(&reason);
        }
    }

    fn draw_arrays(&mut self, draw: &Draw, indices: &Value) -> Result<(), String> {
        let Draw { mode, first, count, instances, kind, base } = *draw;
        let (Ok(first), Ok(size)) = (usize::try_from(first), usize::try_from(count)) else {
            return Err("the draw has a negative range".into());
        };
        if mode > gl::POLYGON {
            return Err(match mode {
                gl::LINES_ADJACENCY..=gl::TRIANGLE_STRIP_ADJACENCY => {
                    "adjacent primitives need geometry shaders".into()
                }
                gl::PATCHES => "tessellation shaders are not in WebGL2".into(),
                _ => format!("{mode:#x} is no primitive"),
            });
        }
        let Some(linked) = self.prepare(mode, count as u64, instances as u64)? else { return Ok(()) };
        let result = self.draw_prepared(&linked, (mode, first, size, instances as u32, kind, base), indices);
        self.restore(linked);
        result?;
        self.verdict.add(self.call, None);
        Ok(())
    }

    fn draw_prepared(
        &mut self,
        linked: &Linked,
        (mode, first, count, instances, kind, base): (u32, usize, usize, u32, u32, i64),
        indices: &Value,
    ) -> Result<(), String> {
        let lines = self.draws_lines();
        if count > REPLACED && (mode > gl::TRIANGLE_FAN || (lines && mode > gl::LINE_STRIP)) {
            return Err(format!("the draw has more than {REPLACED} vertices of a primitive that WebGL2 lacks"));
        }
        // Indices that have to be looked at: of memory, with a base, or of a primitive that is
        // replaced.
        let own = replaced(mode, count, lines);
        let is_list = kind != 0;
        let needs = is_list && (base != 0 || own.is_some());
        let read = if needs { Some(self.read_indices(kind, count, indices)?) } else { None };
        let last = match (&read, is_list) {
            (Some(read), _) => read.iter().map(|i| i64::from(*i) + base).max().unwrap_or(0).max(0) as usize,
            (None, true) => match self.highest(kind, count, indices)? {
                Some(highest) => highest as usize,
                // It only restarts primitives.
                None => return Ok(()),
            },
            (None, false) => first.saturating_add(count - 1),
        };
        let used = self.point_inputs(linked, last, instances)?;
        self.disable_others(used);
        if let Some(read) = read {
            let shifted: Vec<u32> =
                read.iter().map(|i| (i64::from(*i) + base).clamp(0, u32::MAX.into()) as u32).collect();
            match own {
                None => self.draw_indices(mode, &shifted),
                Some((mode, own)) => {
                    let all: Vec<u32> = own.iter().filter_map(|i| shifted.get(*i as usize).copied()).collect();
                    self.draw_indices(mode, &all);
                }
            }
            return Ok(());
        }
        if !is_list {
            match own {
                None => self.stream.put(Op::DrawArrays, &[mode, first as u32, count as u32, instances]),
                Some((mode, own)) => {
                    let all: Vec<u32> = own.iter().map(|i| i + first as u32).collect();
                    self.draw_indices(mode, &all);
                }
            }
            return Ok(());
        }
        let Some(bytes) = index_size(kind) else { return Err("the indices have no type".into()) };
        match indices.bytes() {
            Some(memory) => {
                if memory.len() < count * bytes {
                    return Err(SHORT.into());
                }
                let buffer = self.scratch(ATTRIBUTES + 1);
                self.bind_elements(buffer);
                let (at, len) = self.stream.put_bytes(memory);
                self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
                self.stream.put(Op::DrawElements, &[mode, count as u32, kind, 0, instances]);
            }
            None => {
                let name = self.context().map_or(0, |context| context.arrays().element);
                let offset = indices.int().max(0) as usize;
                let len =
                    self.both().and_then(|(_, objects, _)| objects.buffers.get(&name)).map_or(0, |b| b.data.len());
                if offset.saturating_add(count * bytes) > len {
                    return Err(BEYOND.into());
                }
                let buffer = self.uploaded(name, true);
                self.bind_elements(buffer);
                self.stream.put(Op::DrawElements, &[mode, count as u32, kind, offset as u32, instances]);
            }
        }
        Ok(())
    }

    /// The highest index of a draw, without those that restart a primitive. `None` without any.
    fn highest(&mut self, kind: u32, count: usize, indices: &Value) -> Result<Option<u32>, String> {
        let size = index_size(kind).ok_or("the indices have no type")?;
        let end = u32::MAX >> (32 - 8 * size as u32);
        let most = |bytes: &[u8]| {
            let all = bytes.chunks_exact(size).take(count);
            all.map(|bytes| bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
                .filter(|i| *i != end)
                .max()
        };
        if let Some(memory) = indices.bytes() {
            self.work += memory.len().min(count * size) as u64;
            return if memory.len() < count * size { Err(SHORT.into()) } else { Ok(most(memory)) };
        }
        let name = self.context().map_or(0, |context| context.arrays().element);
        let at = indices.int().max(0) as usize;
        let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get_mut(&name)).ok_or(BEYOND)?;
        let range = [at, count, size];
        if let Some((_, highest)) = buffer.highest.iter().find(|(known, _)| *known == range) {
            return Ok(*highest);
        }
        let found = most(&buffer.data.get(at, count * size).ok_or(BEYOND)?);
        if buffer.highest.len() >= RANGES {
            buffer.highest.clear();
        }
        buffer.highest.push((range, found));
        self.work += (count * size) as u64;
        Ok(found)
    }

    fn read_indices(&mut self, kind: u32, count: usize, indices: &Value) -> Result<Vec<u32>, String> {
        let size = index_size(kind).ok_or("the indices have no type")?;
        let all = match indices.bytes() {
            Some(memory) => memory.to_vec(),
            None => {
                let name = self.context().map_or(0, |context| context.arrays().element);
                let at = indices.int().max(0) as usize;
                let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&name));
                let found = buffer.and_then(|buffer| buffer.data.get(at, count * size));
                found.ok_or(BEYOND)?.into_owned()
            }
        };
        self.work += all.len() as u64;
        if all.len() < count * size {
            return Err(SHORT.into());
        }
        Ok(all
            .chunks_exact(size)
            .take(count)
            .map(|bytes| bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
            .collect())
    }

    /// Points the inputs of a program at what feeds them. `last` is the highest vertex. Returns the
    /// locations that are used.
    fn point_inputs(&mut self, linked: &Linked, last: usize, instances: u32) -> Result<u32, String> {
        let mut used = 0u32;
        let mut pending = core::mem::take(&mut self.pending);
        pending.clear();
        for input in &linked.inputs {
            let Some(context) = self.context() else { break };
            let arrays = context.arrays();
            let legacy = |index: usize| arrays.legacy.get(index).filter(|array| array.enabled).cloned();
            let generic = |index: u32| arrays.generic.get(index as usize).filter(|array| array.enabled).cloned();
            for column in 0..input.columns {
                let array = match input.source {
                    Source::Generic(index) => {
                        generic(index + column).or_else(|| if index == 0 { legacy(0) } else { None })
                    }
                    // Attribute 0 is the position.
                    Source::Vertex => legacy(0).or_else(|| generic(0)),
                    Source::Normal => legacy(1),
                    Source::Color => legacy(2),
                    Source::SecondaryColor => legacy(3),
                    Source::FogCoord => legacy(4),
                    Source::Texture(unit) => legacy(5 + unit as usize),
                };
                used |= 1 << (input.location + column);
                pending.push((input.clone(), column, array));
            }
        }
        let mut result = Ok(used);
        for (input, column, array) in &pending {
            match array {
                None => self.constant_column(input, *column),
                Some(array) => {
                    let last =
                        instances.saturating_sub(1).checked_div(array.divisor).map_or(last, |last| last as usize);
                    if let Err(reason) = self.point_array(input, *column, array, last) {
                        result = Err(reason);
                        break;
                    }
                }
            }
        }
        self.pending = pending;
        result
    }

    fn point_array(&mut self, input: &Input, column: u32, array: &Array, last: usize) -> Result<(), String> {
        let location = input.location + column;
        let bgra = array.size == gl::BGRA;
        let size = if bgra { 4 } else { array.size.clamp(1, 4) };
        let width = match array.kind {
            gl::BYTE | gl::UNSIGNED_BYTE => 1,
            gl::SHORT | gl::UNSIGNED_SHORT | gl::HALF_FLOAT | gl::HALF_FLOAT_OES => 2,
            gl::DOUBLE => 8,
            _ => 4,
        };
        let packed = matches!(array.kind, gl::INT_2_10_10_10_REV | gl::UNSIGNED_INT_2_10_10_10_REV);
        let element = if packed { 4 } else { width * size as usize };
        let stride = if array.stride == 0 { element } else { array.stride as usize };
        // What WebGL2 does not take: doubles, fixed point, other orders, long strides, odd offsets.
        let odd = bgra
            || matches!(array.kind, gl::DOUBLE | gl::FIXED)
            || stride > 255
            || !stride.is_multiple_of(width)
            || !array.offset.is_multiple_of(width);
        let words = |buffer: u32, kind: u32, stride: usize, offset: usize| {
            let integer = u32::from(array.integer);
            [buffer, size, kind, array.normalized.into(), stride as u32, offset as u32, integer, array.divisor]
        };
        let kind = if array.kind == gl::HALF_FLOAT_OES { gl::HALF_FLOAT } else { array.kind };
        let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&array.buffer));
        let (len, problem) = buffer.map_or((0, None), |buffer| (buffer.data.len(), buffer.problem));
        if let Some(problem) = problem.filter(|_| array.client.is_none()) {
            return Err(problem.into());
        }
        if array.client.is_none() && !odd {
            let needed = array.offset.saturating_add(last.saturating_mul(stride)).saturating_add(element);
            if len == 0 {
                return Err(format!("input {} has an array without a buffer", input.name));
            }
            if needed > len {
                return Err("the draw reads vertices beyond its buffers".into());
            }
            let buffer = self.uploaded(array.buffer, false);
            self.point(location, words(buffer, kind, stride, array.offset));
            return Ok(());
        }
        // No more than the draw reads.
        let needed = last.saturating_mul(stride).saturating_add(element);
        let content = match &array.client {
            Some(client) => client.get(..needed).map(<[u8]>::to_vec),
            None => {
                let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&array.buffer));
                buffer.and_then(|buffer| buffer.data.get(array.offset, needed)).map(Cow::into_owned)
            }
        };
        let Some(content) = content else { return Err("the draw reads vertices beyond its buffers".into()) };
        self.work += needed as u64;
        if !self.stream.on {
            return Ok(());
        }
        let buffer = self.scratch(location as usize);
        let (bytes, kind, stride) = if odd {
            (
                converted(&content, array, size as usize, width, stride, packed),
                if array.integer { kind } else { gl::FLOAT },
                0,
            )
        } else {
            (content, kind, stride)
        };
        let (at, len) = self.stream.put_bytes(&bytes);
        self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
        let mut words = words(buffer, kind, stride, 0);
        if odd && !array.integer {
            words[3] = 0;
        }
        self.point(location, words);
        Ok(())
    }

    fn constant_column(&mut self, input: &Input, column: u32) {
        if column == 0 && input.columns == 1 {
            return self.constant_input(input);
        }
        let Source::Generic(index) = input.source else { return };
        let value = self.context().and_then(|c| c.values.get((index + column) as usize).copied());
        self.constant(input, column, value.unwrap_or_default());
    }

    /// Gives an input the current value of what feeds it.
    fn constant_input(&mut self, input: &Input) {
        let Some(context) = self.context() else { return };
        let fixed = &context.fixed;
        let [x, y, z] = fixed.normal;
        let value = match input.source {
            Source::Generic(index) => context.values.get(index as usize).copied().unwrap_or_default(),
            Source::Vertex => [0.0, 0.0, 0.0, 1.0],
            Source::Normal => [x, y, z, 0.0],
            Source::Color => fixed.color,
            Source::SecondaryColor => fixed.secondary,
            Source::FogCoord => [fixed.fog_coordinate, 0.0, 0.0, 1.0],
            Source::Texture(unit) => fixed.coordinates.get(unit as usize).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]),
        };
        self.constant(input, 0, value);
    }
}

/// The components of an array that WebGL2 does not take, as floats, or as they are if they are
/// whole numbers.
fn converted(content: &[u8], array: &Array, size: usize, width: usize, stride: usize, packed: bool) -> Vec<u8> {
    let element = if packed { 4 } else { width * size };
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(bytes) = content.get(at..at + element) {
        at += stride.max(1);
        if array.integer {
            out.extend_from_slice(bytes);
            continue;
        }
        let mut values = [0.0f32; 4];
        if packed {
            let raw = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
            for (i, slot) in values.iter_mut().enumerate() {
                let bits = if i == 3 { 2 } else { 10 };
                let field = raw >> (10 * i) & ((1 << bits) - 1);
                let signed = (field << (32 - bits)) as i32 >> (32 - bits);
                *slot = match (array.kind == gl::INT_2_10_10_10_REV, array.normalized) {
                    (true, true) => (signed as f32 / ((1 << (bits - 1)) - 1) as f32).max(-1.0),
                    (true, false) => signed as f32,
                    (false, true) => field as f32 / ((1 << bits) - 1) as f32,
                    (false, false) => field as f32,
                };
            }
        } else {
            for (slot, bytes) in values.iter_mut().zip(bytes.chunks_exact(width)) {
                *slot = component(bytes, array.kind, array.normalized);
            }
        }
        if array.size == gl::BGRA {
            values.swap(0, 2);
        }
        out.extend(values.iter().take(size).flat_map(|x| x.to_le_bytes()));
    }
    out
}

fn component(bytes: &[u8], kind: u32, normalized: bool) -> f32 {
    let raw = bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    let (value, most) = match kind {
        gl::BYTE => (f64::from(raw as u8 as i8), 127.0),
        gl::UNSIGNED_BYTE => (raw as f64, 255.0),
        gl::SHORT => (f64::from(raw as u16 as i16), 32767.0),
        gl::UNSIGNED_SHORT => (raw as f64, 65535.0),
        gl::INT => (f64::from(raw as u32 as i32), 2147483647.0),
        gl::UNSIGNED_INT => (raw as f64, 4294967295.0),
        gl::DOUBLE => return f64::from_bits(raw) as f32,
        gl::HALF_FLOAT | gl::HALF_FLOAT_OES => return half(raw as u16),
        gl::FIXED => return (f64::from(raw as u32 as i32) / 65536.0) as f32,
        _ => return f32::from_bits(raw as u32),
    };
    (if normalized { (value / most).max(-1.0) } else { value }) as f32
}
