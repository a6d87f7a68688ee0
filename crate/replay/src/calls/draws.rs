//! Draws and clears.

use unspool_gl::call::{Call, Value};
use unspool_gl::{Variant, gl};

use super::Functions;
use crate::driver::Replay;
use crate::glsl::Source;
use crate::objects::{ATTRIBUTES, Linked};
use crate::ops::{Op, Stream};

const SHORT: &str = "the indices of this draw are not all in the trace";
const BEYOND: &str = "the draw reads indices beyond its buffer";
/// Limit for the parts of a multi-draw.
const PARTS: usize = 1 << 16;
/// Limit for the vertices of a primitive that is replaced by triangles or lines: each is up to six
/// numbers.
const REPLACED: usize = 1 << 22;
/// Limit for the ranges of a buffer of indices whose highest one is kept.
const RANGES: usize = 64;

pub(crate) const TABLE: Functions = &[
    ("Clear", clear),
    ("ClearBufferfv", |r, c, _| clear_buffer(r, c, 0)),
    ("ClearBufferiv", |r, c, _| clear_buffer(r, c, 1)),
    ("ClearBufferuiv", |r, c, _| clear_buffer(r, c, 2)),
    ("ClearBufferfi", |r, c, _| clear_buffer(r, c, 3)),
    ("DrawArrays", |r, c, _| arrays(r, c, 1, 0)),
    ("DrawArraysInstanced", |r, c, _| arrays(r, c, c.int(3), 0)),
    ("DrawArraysInstancedBaseInstance", |r, c, _| arrays(r, c, c.int(3), c.uint(4))),
    ("DrawElements", |r, c, _| elements(r, c, [0, 1, 2, 3], 1, 0, 0)),
    ("DrawRangeElements", |r, c, _| elements(r, c, [0, 3, 4, 5], 1, 0, 0)),
    ("DrawElementsInstanced", |r, c, _| elements(r, c, [0, 1, 2, 3], c.int(4), 0, 0)),
    ("DrawElementsInstancedBaseInstance", |r, c, _| elements(r, c, [0, 1, 2, 3], c.int(4), 0, c.uint(5))),
    ("DrawElementsBaseVertex", |r, c, _| elements(r, c, [0, 1, 2, 3], 1, c.int(4), 0)),
    ("DrawRangeElementsBaseVertex", |r, c, _| elements(r, c, [0, 3, 4, 5], 1, c.int(6), 0)),
    ("DrawElementsInstancedBaseVertex", |r, c, _| elements(r, c, [0, 1, 2, 3], c.int(4), c.int(5), 0)),
    ("DrawElementsInstancedBaseVertexBaseInstance", |r, c, _| {
        elements(r, c, [0, 1, 2, 3], c.int(4), c.int(5), c.uint(6));
    }),
    ("DrawArraysIndirect", |r, c, _| indirect(r, c.uint(0), 0, c.argument(1), [1, 0])),
    ("MultiDrawArraysIndirect", |r, c, _| indirect(r, c.uint(0), 0, c.argument(1), [c.int(2), c.int(3)])),
    ("DrawElementsIndirect", |r, c, _| indirect(r, c.uint(0), c.uint(1), c.argument(2), [1, 0])),
    ("MultiDrawElementsIndirect", |r, c, _| indirect(r, c.uint(0), c.uint(1), c.argument(2), [c.int(3), c.int(4)])),
    ("MultiDrawArraysIndirectCount", |r, c, _| {
        if let Some(count) = count_of(r, c.int(2), c.int(3)) {
            indirect(r, c.uint(0), 0, c.argument(1), [count, c.int(4)]);
        }
    }),
    ("MultiDrawElementsIndirectCount", |r, c, _| {
        if let Some(count) = count_of(r, c.int(3), c.int(4)) {
            indirect(r, c.uint(0), c.uint(1), c.argument(2), [count, c.int(5)]);
        }
    }),
    ("MultiDrawArrays", |r, c, _| {
        for (first, count) in c.ints(1).into_iter().zip(c.ints(2)).take(PARTS) {
            r.draw(&Draw { mode: c.uint(0), first, count, ..Draw::default() }, Value::Null);
        }
    }),
    ("MultiDrawElements", |r, c, _| {
        let Some(all) = c.argument(3).list() else { return r.unshown("the indices of this draw are not in the trace") };
        for (count, indices) in c.ints(1).into_iter().zip(all).take(PARTS) {
            r.draw(&Draw { mode: c.uint(0), count, kind: c.uint(2), ..Draw::default() }, indices);
        }
    }),
    ("MultiDrawElementsBaseVertex", |r, c, _| {
        let Some(all) = c.argument(3).list() else { return r.unshown("the indices of this draw are not in the trace") };
        for ((count, indices), base) in c.ints(1).into_iter().zip(all).zip(c.ints(5)).take(PARTS) {
            r.draw(&Draw { mode: c.uint(0), count, kind: c.uint(2), base, ..Draw::default() }, indices);
        }
    }),
];

/// A draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(super) mode: u32,
    pub(super) first: i64,
    pub(super) count: i64,
    pub(super) instances: i64,
    /// Type of the indices, or 0 without any.
    pub(super) kind: u32,
    pub(super) base: i64,
    pub(super) base_instance: u32,
}

/// The vertices of a draw: their primitive, the first one and how many.
#[derive(Clone, Copy)]
struct Range {
    mode: u32,
    first: usize,
    count: usize,
}

/// Indices that end a primitive: OpenGL 3.1, section 2.8.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Restart {
    pub(crate) on: bool,
    /// The highest index of the type does, as always in WebGL2.
    pub(crate) is_fixed: bool,
    pub(crate) index: u32,
}

impl Restart {
    /// The index that ends a primitive, among those of some bytes.
    pub(super) fn of(&self, bytes: usize) -> Option<u32> {
        let end = u32::MAX >> (32 - 8 * bytes as u32);
        let own = if self.is_fixed { Some(end) } else { self.on.then_some(self.index) };
        own.filter(|own| *own <= end)
    }
}

impl Default for Draw {
    fn default() -> Self {
        Self { mode: gl::TRIANGLES, first: 0, count: 0, instances: 1, kind: 0, base: 0, base_instance: 0 }
    }
}

impl Replay {
    /// A call clears, or copies to, the framebuffer that is bound. Returns whether it is executed;
    /// why it cannot be shown is noted.
    pub(super) fn may_write(&mut self) -> bool {
        self.note_write();
        if self.is_skipped() {
            return false;
        }
        let problem = if self.flush_state() { self.target_problem() } else { Some("no framebuffer is bound".into()) };
        problem.inspect(|reason| self.unshown(reason)).is_none()
    }
}

fn clear(r: &mut Replay, c: &Call, _: Variant) {
    if !r.may_write() {
        return;
    }
    // WebGL2 has no accumulation buffer.
    let mask = c.uint(0) & (gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
    r.note_clear(mask);
    let pixels = r.target_pixels();
    r.stream.put(Op::Clear, &[mask, pixels]);
    r.verdict.add(r.call, None);
}

fn clear_buffer(r: &mut Replay, c: &Call, kind: u32) {
    if !r.may_write() {
        return;
    }
    let mut words = [kind, c.uint(0), c.uint(1), 0, 0, 0, 0, r.target_pixels()];
    let values: Vec<u32> = match kind {
        0 => c.argument(2).floats().iter().map(|x| x.to_bits()).collect(),
        3 => vec![c.f32(2).to_bits(), c.uint(3)],
        _ => c.ints(2).iter().map(|n| *n as u32).collect(),
    };
    for (slot, word) in words.iter_mut().skip(3).take(4).zip(values) {
        *slot = word;
    }
    r.note_draw();
    r.stream.put(Op::ClearBuffer, &words);
    r.verdict.add(r.call, None);
}

fn arrays(r: &mut Replay, c: &Call, instances: i64, base_instance: u32) {
    let (mode, first, count) = (c.uint(0), c.int(1), c.int(2));
    r.draw(&Draw { mode, first, count, instances, base_instance, ..Draw::default() }, Value::Null);
}

/// `at`: the indexes of the arguments mode, count, type and indices.
fn elements(r: &mut Replay, c: &Call, at: [usize; 4], instances: i64, base: i64, base_instance: u32) {
    let [mode, count, kind, indices] = at;
    let (mode, count, kind) = (c.uint(mode), c.int(count), c.uint(kind));
    r.draw(&Draw { mode, first: 0, count, instances, kind, base, base_instance }, c.argument(indices));
}

/// Draws whose parameters are in memory or in a buffer: OpenGL 4.3, sections 10.5 and 2.10.3.
/// `kind` is the type of indices, or 0. Number of draws, and bytes from one to the next or 0.
fn indirect(r: &mut Replay, mode: u32, kind: u32, at: Value<'_>, [count, stride]: [i64; 2]) {
    let words = if kind == 0 { 4 } else { 5 };
    let stride = if stride == 0 { 4 * words } else { usize::try_from(stride).unwrap_or(usize::MAX) };
    for i in 0..usize::try_from(count).unwrap_or(0).min(PARTS) {
        let from = i.saturating_mul(stride);
        let bytes = match at.bytes() {
            Some(memory) => memory.get(from..).and_then(|rest| rest.get(..4 * words)).map(<[u8]>::to_vec),
            None => {
                let offset = usize::try_from(at.int().unwrap_or_default()).unwrap_or(usize::MAX).saturating_add(from);
                let buffer = r.buffer_at(gl::DRAW_INDIRECT_BUFFER);
                if let Some(problem) = buffer.as_ref().and_then(|buffer| buffer.problem) {
                    return r.unshown(problem);
                }
                buffer.and_then(|buffer| buffer.data.get(offset, 4 * words)).map(std::borrow::Cow::into_owned)
            }
        };
        let Some(bytes) = bytes else { return r.unshown("the parameters of this draw are not all in the trace") };
        let word = |i: usize| {
            let bytes = bytes.get(4 * i..4 * i + 4).unwrap_or_default();
            bytes.try_into().map_or(0, u32::from_le_bytes)
        };
        let (count, instances) = (word(0).into(), word(1).into());
        let rest = Draw { mode, count, instances, kind, ..Draw::default() };
        let Some(size) = index_size(kind) else {
            r.draw(&Draw { first: word(2).into(), base_instance: word(3), ..rest }, Value::Null);
            continue;
        };
        let indices = Value::Int(i64::from(word(2)).saturating_mul(size as i64));
        r.draw(&Draw { base: i64::from(word(3) as i32), base_instance: word(4), ..rest }, indices);
    }
}

/// The number of draws in the buffer that is bound for that, from an offset on, at most `most`:
/// OpenGL 4.6, section 10.4. `None` if it is not in the trace, which is said.
fn count_of(r: &mut Replay, at: i64, most: i64) -> Option<i64> {
    let buffer = r.buffer_at(gl::PARAMETER_BUFFER);
    let problem = buffer.as_ref().and_then(|buffer| buffer.problem);
    let bytes = buffer.and_then(|buffer| buffer.data.get(usize::try_from(at).ok()?, 4)?.into_owned().try_into().ok());
    match bytes.map(u32::from_le_bytes).filter(|_| problem.is_none()) {
        Some(count) => Some(i64::from(count).min(most)),
        None => {
            r.unshown(problem.unwrap_or("the number of draws is not in the trace"));
            None
        }
    }
}

/// Bytes of an index.
pub(super) fn index_size(kind: u32) -> Option<usize> {
    match kind {
        gl::UNSIGNED_BYTE => Some(1),
        gl::UNSIGNED_SHORT => Some(2),
        gl::UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// How primitives are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    /// As lines.
    lines: bool,
    /// The first vertex of each has the colour of a flat one, not the last.
    first: bool,
}

/// The numbers of vertices of triangles or lines that a primitive consists of, in terms of its own,
/// if WebGL2 does not have it. The last vertex of each is the one whose colour a flat primitive
/// has: OpenGL 3.2, table 2.12. `None` if WebGL2 has the primitive.
fn replaced(mode: u32, count: usize, Style { lines, first }: Style) -> Option<(u32, Vec<u32>)> {
    let n = count as u32;
    let mut out = Vec::new();
    let mut put = |all: &[u32]| out.extend_from_slice(all);
    match mode {
        gl::LINES if first => (0..n / 2).map(|i| 2 * i).for_each(|i| put(&[i + 1, i])),
        gl::LINE_STRIP | gl::LINE_LOOP if first => {
            (1..n).for_each(|i| put(&[i, i - 1]));
            if mode == gl::LINE_LOOP && n > 1 {
                put(&[0, n - 1]);
            }
        }
        gl::QUADS if first => (0..n / 4).map(|i| 4 * i).for_each(|i| put(&[i + 1, i + 2, i, i + 2, i + 3, i])),
        gl::QUADS => (0..n / 4).map(|i| 4 * i).for_each(|i| put(&[i, i + 1, i + 3, i + 1, i + 2, i + 3])),
        gl::QUAD_STRIP if n >= 4 => (0..(n - 2) / 2).map(|i| 2 * i).for_each(|i| {
            put(&if first { [i + 1, i + 3, i, i + 3, i + 2, i] } else { [i, i + 1, i + 3, i + 2, i, i + 3] });
        }),
        gl::POLYGON if n >= 3 => (1..n - 1).for_each(|i| put(&[i, i + 1, 0])),
        gl::TRIANGLES if first => (0..n / 3).map(|i| 3 * i).for_each(|i| put(&[i + 1, i + 2, i])),
        gl::TRIANGLES if lines => (0..n / 3 * 3).for_each(|i| put(&[i])),
        gl::TRIANGLE_STRIP if (lines || first) && n >= 3 => (0..n - 2).for_each(|i| match (first, i % 2) {
            (false, _) => put(&[i, i + 1, i + 2]),
            (true, 0) => put(&[i + 1, i + 2, i]),
            (true, _) => put(&[i + 2, i + 1, i]),
        }),
        gl::TRIANGLE_FAN if (lines || first) && n >= 3 => {
            (1..n - 1).for_each(|i| put(&if first { [i + 1, 0, i] } else { [0, i, i + 1] }));
        }
        gl::LINES..=gl::TRIANGLE_FAN if first => {}
        gl::POINTS..=gl::TRIANGLE_FAN => return None,
        _ => {}
    }
    if matches!(mode, gl::LINES..=gl::LINE_STRIP) {
        return Some((gl::LINES, out));
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
        let (stride, reach) = self.context().map_or((15, 1), |context| (context.fixed.stride(), context.fixed.reach));
        let count = vertices.len() / stride;
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
                Source::Texture(unit) if (unit as usize) < reach => Some((4, 11 + 4 * unit)),
                _ => None,
            };
            used |= 1 << input.location;
            match place {
                Some((size, at)) => {
                    self.point(input.location, [buffer, size, gl::FLOAT, 0, 4 * stride as u32, 4 * at, 0, 0]);
                }
                None => self.constant_input(input),
            }
        }
        linked.inputs = inputs;
        self.disable_others(used);
        let style = self.style(&linked, mode);
        match replaced(mode, count.min(REPLACED), style) {
            None => self.stream.put(Op::DrawArrays, &[mode, 0, count as u32, 1]),
            Some((mode, indices)) => self.draw_indices(mode, &indices, 1),
        }
        self.restore(linked);
        self.verdict.add(self.call, None);
    }

    fn style(&mut self, linked: &Linked, mode: u32) -> Style {
        let lines = self.wireframe || self.context().is_some_and(|context| context.polygon_mode == gl::LINE);
        let first = self.context().is_some_and(|context| {
            // Programs of the compatibility profile have a uniform for that.
            let is_flat = !linked.made.fragment.contains("uniform bool _flat;") || context.fixed.flat;
            // Gaps of lines are counted from their first vertex on.
            let is_stippled = context.program == 0 && mode <= gl::LINE_STRIP && context.fixed.is_stippled();
            is_stippled || (context.first_provokes && is_flat && linked.made.vertex.contains("flat out"))
        });
        Style { lines, first }
    }

    /// Draws with indices of our own.
    fn draw_indices(&mut self, mode: u32, indices: &[u32], instances: u32) {
        let buffer = self.scratch(ATTRIBUTES + 1);
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.bind_elements(buffer);
        let (at, len) = self.stream.put_bytes(&bytes);
        self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
        self.stream.put(Op::DrawElements, &[mode, indices.len() as u32, gl::UNSIGNED_INT, 0, instances]);
    }

    /// A draw of arrays. `indices`: memory, an offset in the buffer of indices, or nothing.
    pub(crate) fn draw(&mut self, draw: &Draw, indices: Value<'_>) {
        if self.is_compiling {
            return self.compile_draw(draw, indices);
        }
        if draw.count <= 0 || draw.instances <= 0 {
            return self.verdict.add(self.call, None);
        }
        if let Err(reason) = self.draw_arrays(draw, indices) {
            self.unshown(&reason);
        }
    }

    fn draw_arrays(&mut self, draw: &Draw, indices: Value<'_>) -> Result<(), String> {
        let Draw { mode, first, count, instances, .. } = *draw;
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
        let range = Range { mode, first, count: size };
        let result = if draw.kind == 0 {
            self.draw_range(&linked, &range, draw)
        } else {
            self.draw_list(&linked, &range, draw, indices)
        };
        self.restore(linked);
        result?;
        self.verdict.add(self.call, None);
        Ok(())
    }

    /// How primitives are drawn, if there are not too many that WebGL2 lacks.
    fn style_of(&mut self, linked: &Linked, &Range { mode, count, .. }: &Range) -> Result<Style, String> {
        let style = self.style(linked, mode);
        if count > REPLACED && (mode > gl::TRIANGLE_FAN || style.first || (style.lines && mode > gl::LINE_STRIP)) {
            return Err(format!("the draw has more than {REPLACED} vertices of a primitive that WebGL2 lacks"));
        }
        Ok(style)
    }

    /// Draws vertices in their order.
    fn draw_range(&mut self, linked: &Linked, range: &Range, draw: &Draw) -> Result<(), String> {
        let style = self.style_of(linked, range)?;
        let (Range { mode, first, count }, instances) = (*range, draw.instances as u32);
        let last = first.saturating_add(count - 1);
        let used = self.point_inputs(linked, last, instances, draw.base_instance)?;
        self.disable_others(used);
        match replaced(mode, count, style) {
            None => self.stream.put(Op::DrawArrays, &[mode, first as u32, count as u32, instances]),
            Some((mode, own)) => {
                let all: Vec<u32> = own.iter().map(|i| i + first as u32).collect();
                self.draw_indices(mode, &all, instances);
            }
        }
        Ok(())
    }

    /// Draws vertices in the order of indices.
    fn draw_list(&mut self, linked: &Linked, range: &Range, draw: &Draw, indices: Value<'_>) -> Result<(), String> {
        let style = self.style_of(linked, range)?;
        let (Range { mode, count, .. }, Draw { kind, base, .. }) = (*range, *draw);
        let instances = draw.instances as u32;
        let bytes = index_size(kind).ok_or("the indices have no type")?;
        let end = u32::MAX >> (32 - 8 * bytes as u32);
        let restart = self.context().and_then(|context| context.restart.of(bytes));
        // WebGL2 restarts at the highest index. Others are looked at, and so are those of
        // primitives that it lacks, and those with a base.
        let is_odd = restart.is_some_and(|restart| restart != end);
        if base == 0 && !is_odd && replaced(mode, 0, style).is_none() {
            let last = match self.highest(kind, count, indices)? {
                Some(highest) => highest as usize,
                // It only restarts primitives.
                None => return Ok(()),
            };
            let used = self.point_inputs(linked, last, instances, draw.base_instance)?;
            self.disable_others(used);
            return self.draw_own_list(range, draw, indices, bytes);
        }
        let read = self.read_indices(kind, count, indices)?;
        let shifted = |i: u32| (i64::from(i) + base).clamp(0, i64::from(u32::MAX) - 1) as u32;
        let last = read.iter().filter(|i| Some(**i) != restart).map(|i| shifted(*i)).max();
        let Some(last) = last else { return Ok(()) };
        let used = self.point_inputs(linked, last as usize, instances, draw.base_instance)?;
        self.disable_others(used);
        let mut all = Vec::new();
        let mut drawn = mode;
        for run in read.split(|i| Some(*i) == restart) {
            match replaced(mode, run.len(), style) {
                Some((other, own)) => {
                    drawn = other;
                    all.extend(own.iter().filter_map(|i| run.get(*i as usize)).map(|i| shifted(*i)));
                }
                None => {
                    if !all.is_empty() {
                        all.push(u32::MAX);
                    }
                    all.extend(run.iter().map(|i| shifted(*i)));
                }
            }
        }
        self.draw_indices(drawn, &all, instances);
        Ok(())
    }

    /// Draws indices as they are, of memory or of a buffer.
    fn draw_own_list(&mut self, range: &Range, draw: &Draw, indices: Value<'_>, bytes: usize) -> Result<(), String> {
        let (Range { mode, count, .. }, kind, instances) = (*range, draw.kind, draw.instances as u32);
        let Some(memory) = indices.bytes() else {
            let name = self.context().map_or(0, |context| context.arrays().element);
            let offset = indices.int().unwrap_or_default().max(0) as usize;
            let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&name));
            let (len, problem) = buffer.map_or((0, None), |buffer| (buffer.data.len(), buffer.problem));
            if let Some(problem) = problem {
                return Err(problem.into());
            }
            if offset.saturating_add(count * bytes) > len {
                return Err(BEYOND.into());
            }
            let buffer = self.uploaded(name, true);
            self.bind_elements(buffer);
            self.stream.put(Op::DrawElements, &[mode, count as u32, kind, offset as u32, instances]);
            return Ok(());
        };
        if memory.len() < count * bytes {
            return Err(SHORT.into());
        }
        let buffer = self.scratch(ATTRIBUTES + 1);
        self.bind_elements(buffer);
        let (at, len) = self.stream.put_bytes(memory);
        self.stream.put(Op::BufferData, &[buffer, at, len, gl::STREAM_DRAW]);
        self.stream.put(Op::DrawElements, &[mode, count as u32, kind, 0, instances]);
        Ok(())
    }

    /// The highest index of a draw, without those that restart a primitive. `None` without any.
    fn highest(&mut self, kind: u32, count: usize, indices: Value<'_>) -> Result<Option<u32>, String> {
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
        let at = indices.int().unwrap_or_default().max(0) as usize;
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

    pub(super) fn read_indices(&mut self, kind: u32, count: usize, indices: Value<'_>) -> Result<Vec<u32>, String> {
        let size = index_size(kind).ok_or("the indices have no type")?;
        let all = match indices.bytes() {
            Some(memory) => memory.to_vec(),
            None => {
                let name = self.context().map_or(0, |context| context.arrays().element);
                let at = indices.int().unwrap_or_default().max(0) as usize;
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
}
