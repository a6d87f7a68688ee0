//! What feeds the inputs of a program: arrays and current values.

use std::borrow::Cow;

use unspool_gl::gl;
use unspool_gl::pixels::component;

use crate::driver::Replay;
use crate::glsl::{Input, Source};
use crate::objects::{Array, Linked};
use crate::ops::Op;

impl Replay {
    /// Points the inputs of a program at what feeds them. `last` is the highest vertex. Returns the
    /// locations that are used.
    pub(super) fn point_inputs(
        &mut self,
        linked: &Linked,
        last: usize,
        instances: u32,
        base_instance: u32,
    ) -> Result<u32, String> {
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
                    // WebGL2 counts instances from 0. Those of an array that is the same for all do
                    // not matter.
                    let moves = !matches!(array.divisor, 0 | u32::MAX);
                    let first = if moves { base_instance as usize } else { 0 };
                    if let Err(reason) = self.point_array(input, *column, array, first, last) {
                        result = Err(reason);
                        break;
                    }
                }
            }
        }
        self.pending = pending;
        result
    }

    /// `first` is the element that is its first one.
    fn point_array(
        &mut self,
        input: &Input,
        column: u32,
        array: &Array,
        first: usize,
        last: usize,
    ) -> Result<(), String> {
        let location = input.location + column;
        let (size, width, element) = (array.components(), array.width(), array.element());
        let stride = if array.stride == 0 { element } else { array.stride as usize };
        let skipped = first.saturating_mul(stride);
        let from = array.offset.saturating_add(skipped);
        // What WebGL2 does not take: doubles, fixed point, other orders, long strides, odd offsets.
        let odd = array.size == gl::BGRA
            || matches!(array.kind, gl::DOUBLE | gl::FIXED)
            || stride > 255
            || !stride.is_multiple_of(width)
            || !from.is_multiple_of(width);
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
            let needed = from.saturating_add(last.saturating_mul(stride)).saturating_add(element);
            if len == 0 {
                return Err(format!("input {} has an array without a buffer", input.name));
            }
            if needed > len {
                return Err("the draw reads vertices beyond its buffers".into());
            }
            let buffer = self.uploaded(array.buffer, false);
            self.point(location, words(buffer, kind, stride, from));
            return Ok(());
        }
        // No more than the draw reads.
        let needed = last.saturating_mul(stride).saturating_add(element);
        let content = match &array.client {
            Some(client) => client.get(skipped..).and_then(|rest| rest.get(..needed)).map(<[u8]>::to_vec),
            None => {
                let buffer = self.both().and_then(|(_, objects, _)| objects.buffers.get(&array.buffer));
                buffer.and_then(|buffer| buffer.data.get(from, needed)).map(Cow::into_owned)
            }
        };
        let Some(content) = content else { return Err("the draw reads vertices beyond its buffers".into()) };
        self.work += needed as u64;
        if !self.stream.on {
            return Ok(());
        }
        let buffer = self.scratch(location as usize);
        let (bytes, kind, stride) = if odd {
            (converted(&content, array, stride), if array.integer { kind } else { gl::FLOAT }, 0)
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
    pub(super) fn constant_input(&mut self, input: &Input) {
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

    /// An element of an array, with what it lacks of four numbers. `None` if it is not in the
    /// trace.
    pub(super) fn element_of(&mut self, array: &Array, index: usize) -> Option<[f32; 4]> {
        let len = array.element();
        let at = index.checked_mul(if array.stride == 0 { len } else { array.stride as usize })?;
        let bytes = match &array.client {
            Some(client) => client.get(at..)?.get(..len)?.to_vec(),
            None => {
                let buffer = self.both()?.1.buffers.get(&array.buffer)?;
                buffer.data.get(array.offset.checked_add(at)?, len)?.into_owned()
            }
        };
        let mut out = [0.0, 0.0, 0.0, 1.0];
        for (slot, bytes) in out.iter_mut().zip(converted(&bytes, array, len).chunks_exact(4)) {
            *slot = f32::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Some(out)
    }
}

/// The components of an array that WebGL2 does not take, as floats, or as they are if they are
/// whole numbers.
fn converted(content: &[u8], array: &Array, stride: usize) -> Vec<u8> {
    let (size, width, element) = (array.components() as usize, array.width(), array.element());
    let packed = array.is_packed();
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
                *slot = component(bytes, array.kind, array.normalized).unwrap_or_default() as f32;
            }
        }
        if array.size == gl::BGRA {
            values.swap(0, 2);
        }
        out.extend(values.iter().take(size).flat_map(|x| x.to_le_bytes()));
    }
    out
}
