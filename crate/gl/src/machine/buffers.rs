//! Buffers, and vertex arrays that refer to them.

use core::ops::Range;
use std::sync::Arc;

use crate::arrays::{Interleaved, NEVER_INTERLEAVED};
use crate::gl;
use crate::several::{One, Several};

use super::cells::{Content, Value};
use super::effects::Effect;
use super::objects::Kind;
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::{self, Call};

/// Targets of buffers and the cells of their bindings.
pub const TARGETS: [(u32, u16); 15] = [
    (gl::ARRAY_BUFFER, what::ARRAY_BUFFER_BINDING),
    (gl::ELEMENT_ARRAY_BUFFER, what::ELEMENT_ARRAY_BUFFER_BINDING),
    (gl::PIXEL_PACK_BUFFER, what::PIXEL_PACK_BUFFER_BINDING),
    (gl::PIXEL_UNPACK_BUFFER, what::PIXEL_UNPACK_BUFFER_BINDING),
    (gl::UNIFORM_BUFFER, what::UNIFORM_BUFFER_BINDING),
    (gl::SHADER_STORAGE_BUFFER, what::SHADER_STORAGE_BUFFER_BINDING),
    (gl::ATOMIC_COUNTER_BUFFER, what::ATOMIC_COUNTER_BUFFER_BINDING),
    (gl::TRANSFORM_FEEDBACK_BUFFER, what::TRANSFORM_FEEDBACK_BUFFER_BINDING),
    (gl::DRAW_INDIRECT_BUFFER, what::DRAW_INDIRECT_BUFFER_BINDING),
    (gl::DISPATCH_INDIRECT_BUFFER, what::DISPATCH_INDIRECT_BUFFER_BINDING),
    (gl::COPY_READ_BUFFER, what::COPY_READ_BUFFER),
    (gl::COPY_WRITE_BUFFER, what::COPY_WRITE_BUFFER),
    (gl::TEXTURE_BUFFER, what::TEXTURE_BUFFER),
    (gl::QUERY_BUFFER, what::QUERY_BUFFER_BINDING),
    (gl::PARAMETER_BUFFER, what::PARAMETER_BUFFER_BINDING),
];

pub(crate) const HANDLERS: Handlers = &[
    ("BindBuffer", |m, c, _| m.bind_buffer(c.uint(0), c.uint(1))),
    ("BindBufferBase", |m, c, _| m.bind_range(c.uint(0), c.uint(1), c.uint(2), None)),
    ("BindBufferRange", |m, c, _| m.bind_range(c.uint(0), c.uint(1), c.uint(2), Some((c.int(3), c.int(4))))),
    ("BindBufferOffset", |m, c, _| m.bind_range(c.uint(0), c.uint(1), c.uint(2), Some((c.int(3), -1)))),
    ("BindBuffersBase", |m, c, _| bind_many(m, c, Several::Buffers)),
    ("BindBuffersRange", |m, c, _| bind_many(m, c, Several::Ranges)),
    ("BufferData", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.allocate(instance, c.int(1), Some(c.uint(3)), c.argument(2));
    }),
    ("BufferStorage", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.allocate(instance, c.int(1), None, c.argument(2));
    }),
    ("BufferSubData", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.write_content(instance, c.int(1), c.int(2), c.argument(3));
        m.tell_buffer(instance, |object| Effect::Uploaded { object, bytes: c.argument(3).bytes_of_program() });
    }),
    ("CopyBufferSubData", |m, c, _| {
        let (from, to) = (m.bound_buffer(c.uint(0)), m.bound_buffer(c.uint(1)));
        m.copy_content(from, to, c);
    }),
    ("CopyNamedBufferSubData", |m, c, _| {
        let (from, to) = (m.instance(Kind::Buffer, c.uint(0)), m.instance(Kind::Buffer, c.uint(1)));
        m.copy_content(from, to, c);
    }),
    ("NamedCopyBufferSubData", |m, c, _| {
        let (from, to) = (m.instance(Kind::Buffer, c.uint(0)), m.instance(Kind::Buffer, c.uint(1)));
        m.copy_content(from, to, c);
    }),
    ("ClearBufferData", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.write_content(instance, 0, i64::MAX, call::Value::Null);
        m.tell_buffer(instance, |object| Effect::Filled { object });
    }),
    ("ClearBufferSubData", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.write_content(instance, c.int(2), c.int(3), call::Value::Null);
        m.tell_buffer(instance, |object| Effect::Filled { object });
    }),
    ("InvalidateBufferData", |m, c, _| {
        let instance = m.instance(Kind::Buffer, c.uint(0));
        m.write_content(instance, 0, i64::MAX, call::Value::Null);
        m.tell_buffer(instance, |object| Effect::Forgotten { object });
    }),
    ("InvalidateBufferSubData", |m, c, _| {
        let instance = m.instance(Kind::Buffer, c.uint(0));
        m.write_content(instance, c.int(1), c.int(2), call::Value::Null);
        m.tell_buffer(instance, |object| Effect::Forgotten { object });
    }),
    ("ReadPixels", |m, _, _| m.read_back()),
    ("ReadnPixels", |m, _, _| m.read_back()),
    ("GetTexImage", |m, _, _| m.read_back()),
    ("GetnTexImage", |m, _, _| m.read_back()),
    ("GetTextureImage", |m, _, _| m.read_back()),
    ("GetTextureSubImage", |m, _, _| m.read_back()),
    ("GetCompressedTexImage", |m, _, _| m.read_back()),
    ("GetnCompressedTexImage", |m, _, _| m.read_back()),
    ("GetCompressedTextureImage", |m, _, _| m.read_back()),
    ("GetCompressedTextureSubImage", |m, _, _| m.read_back()),
    ("GetQueryObjectiv", |m, c, _| m.write_result(c, 4)),
    ("GetQueryObjectuiv", |m, c, _| m.write_result(c, 4)),
    ("GetQueryObjecti64v", |m, c, _| m.write_result(c, 8)),
    ("GetQueryObjectui64v", |m, c, _| m.write_result(c, 8)),
    ("GetQueryBufferObjectiv", |m, c, _| m.write_result_to(c, 4)),
    ("GetQueryBufferObjectuiv", |m, c, _| m.write_result_to(c, 4)),
    ("GetQueryBufferObjecti64v", |m, c, _| m.write_result_to(c, 8)),
    ("GetQueryBufferObjectui64v", |m, c, _| m.write_result_to(c, 8)),
    ("BeginTransformFeedback", |m, _, _| m.tell(Effect::Feedback { is_on: true })),
    ("EndTransformFeedback", |m, _, _| m.tell(Effect::Feedback { is_on: false })),
    ("memcpy", copied_to),
    ("MapBuffer", |m, c, _| m.map(c, Some((0, i64::MAX)))),
    ("MapBufferRange", |m, c, _| m.map(c, Some((c.int(1), c.int(2))))),
    ("FlushMappedBufferRange", |m, c, _| {
        let instance = m.bound_buffer(c.uint(0));
        m.tell_buffer(instance, |object| Effect::Flushed { object });
    }),
    ("UnmapBuffer", |m, c, _| m.map(c, None)),
    ("BindVertexArray", |m, c, _| {
        let name = c.uint(0);
        m.bind(Kind::VertexArray, what::VERTEX_ARRAY_BINDING, 0, name);
    }),
    ("VertexArrayElementBuffer", |m, c, _| {
        let array = m.own_or_instance(Kind::VertexArray, c.uint(0));
        let instance = m.instance(Kind::Buffer, c.uint(1));
        m.put(array, what::ELEMENT_ARRAY_BUFFER_BINDING, 0, Value::Object { name: c.uint(1), instance });
    }),
    ("EnableVertexAttribArray", |m, c, _| m.enable_attribute(c.uint(0), true)),
    ("DisableVertexAttribArray", |m, c, _| m.enable_attribute(c.uint(0), false)),
    ("VertexAttribPointer", |m, c, _| m.attribute_pointer(c, [c.int(1), c.int(2), c.int(3)], c.int(4), 5, Form::Float)),
    ("VertexAttribIPointer", |m, c, _| m.attribute_pointer(c, [c.int(1), c.int(2), 0], c.int(3), 4, Form::Integer)),
    ("VertexAttribLPointer", |m, c, _| m.attribute_pointer(c, [c.int(1), c.int(2), 0], c.int(3), 4, Form::Long)),
    ("VertexAttribFormat", |m, c, _| m.format(c.uint(0), [c.int(1), c.int(2), c.int(3)], c.int(4), Form::Float)),
    ("VertexAttribIFormat", |m, c, _| m.format(c.uint(0), [c.int(1), c.int(2), 0], c.int(3), Form::Integer)),
    ("VertexAttribLFormat", |m, c, _| m.format(c.uint(0), [c.int(1), c.int(2), 0], c.int(3), Form::Long)),
    ("VertexAttribBinding", |m, c, _| m.attribute_binding(c.uint(0), c.uint(1))),
    ("BindVertexBuffer", |m, c, _| m.vertex_buffer(c.uint(0), c.uint(1), c.int(2), c.int(3))),
    ("BindVertexBuffers", |m, c, _| {
        for One { index, name, range } in Several::VertexBuffers.bound(c) {
            let (offset, stride) = range.unwrap_or_default();
            m.vertex_buffer(index, name, offset, stride);
        }
    }),
    ("VertexAttribDivisor", |m, c, _| {
        m.attribute_binding(c.uint(0), c.uint(0));
        m.divisor(c.uint(0), c.int(1));
    }),
    ("VertexBindingDivisor", |m, c, _| m.divisor(c.uint(0), c.int(1))),
    ("VertexPointer", |m, c, _| m.client_pointer(0, c.int(0), c.uint(1), c.int(2), c, 3)),
    ("NormalPointer", |m, c, _| m.client_pointer(1, 3, c.uint(0), c.int(1), c, 2)),
    ("ColorPointer", |m, c, _| m.client_pointer(2, c.int(0), c.uint(1), c.int(2), c, 3)),
    ("IndexPointer", |m, c, _| m.client_pointer(3, 1, c.uint(0), c.int(1), c, 2)),
    ("EdgeFlagPointer", |m, c, _| m.client_pointer(4, 1, gl::UNSIGNED_BYTE, c.int(0), c, 1)),
    ("FogCoordPointer", |m, c, _| m.client_pointer(5, 1, c.uint(0), c.int(1), c, 2)),
    ("SecondaryColorPointer", |m, c, _| m.client_pointer(6, c.int(0), c.uint(1), c.int(2), c, 3)),
    ("TexCoordPointer", |m, c, _| {
        let unit = m.client_unit();
        m.client_pointer(CLIENT_TEXTURE + unit, c.int(0), c.uint(1), c.int(2), c, 3);
    }),
    ("InterleavedArrays", interleaved),
];

/// Targets of buffers that shaders write to: storage, counters, transform feedback.
const WRITTEN: [u32; 3] = [gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER, gl::TRANSFORM_FEEDBACK_BUFFER];
/// Bytes of a buffer of uniforms up to which its content is kept.
const MOST_CONTENT: usize = 1 << 16;

/// The program has written to memory, which may be that of a mapped buffer.
fn copied_to(machine: &mut Machine, call: &Call, _: Variant) {
    let (_, instance) = machine.object(machine.share, what::MAPPED_LAST, 0);
    let number = |what| machine.number(instance, what, 0).unwrap_or_default();
    let within = (call.int(0)).wrapping_sub(number(what::MAPPED_AT));
    if instance != 0 && (0..number(what::MAPPED_SIZE)).contains(&within) {
        let offset = number(what::MAPPED_FROM).saturating_add(within);
        machine.write_content(instance, offset, call.int(2), call.argument(1));
    }
}

/// Client arrays by number; those of texture coordinates follow, one a unit.
pub const CLIENT_ARRAYS: [(u32, &str); 7] = [
    (gl::VERTEX_ARRAY, "GL_VERTEX_ARRAY"),
    (gl::NORMAL_ARRAY, "GL_NORMAL_ARRAY"),
    (gl::COLOR_ARRAY, "GL_COLOR_ARRAY"),
    (gl::INDEX_ARRAY, "GL_INDEX_ARRAY"),
    (gl::EDGE_FLAG_ARRAY, "GL_EDGE_FLAG_ARRAY"),
    (gl::FOG_COORD_ARRAY, "GL_FOG_COORD_ARRAY"),
    (gl::SECONDARY_COLOR_ARRAY, "GL_SECONDARY_COLOR_ARRAY"),
];
/// The first of the client arrays of texture coordinates.
pub const CLIENT_TEXTURE: u32 = 8;

/// Vertex attributes, and bindings of buffers for them.
pub const MAX_ATTRIBUTES: u32 = 64;

/// What a shader gets of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Float,
    Integer,
    Long,
}

impl Machine {
    /// The vertex array that is bound, or that the call names: the owner of its cells.
    pub fn vertex_array(&mut self) -> u32 {
        if let Some(named) = self.named(Kind::VertexArray) {
            return named;
        }
        match self.object(self.context, what::VERTEX_ARRAY_BINDING, 0) {
            (_, 0) => self.own(Kind::VertexArray, 0),
            (_, instance) => instance,
        }
    }

    /// The number of the binding that an attribute of a vertex array takes its vertices from, and
    /// the buffer there.
    pub fn binding_of(&self, array: u32, attribute: u32) -> (u32, &Value) {
        match self.value(array, what::VERTEX_ATTRIB_BINDING, attribute) {
            Value::Int(binding) => (*binding as u32, self.value(array, what::VERTEX_BINDING_BUFFER, *binding as u32)),
            _ => (attribute, self.value(array, what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, attribute)),
        }
    }

    fn bind_buffer(&mut self, target: u32, name: u32) {
        let Some((_, what)) = TARGETS.iter().find(|(of, _)| *of == target) else { return };
        let instance = self.instance(Kind::Buffer, name);
        // The buffer of indices belongs to the vertex array.
        let owner = if *what == what::ELEMENT_ARRAY_BUFFER_BINDING { self.vertex_array() } else { self.context };
        self.put(owner, *what, 0, Value::Object { name, instance });
    }

    fn bound_buffer(&mut self, target: u32) -> u32 {
        if let Some(named) = self.named(Kind::Buffer) {
            return named;
        }
        let Some((_, what)) = TARGETS.iter().find(|(of, _)| *of == target) else { return 0 };
        let owner = if *what == what::ELEMENT_ARRAY_BUFFER_BINDING { self.vertex_array() } else { self.context };
        self.object(owner, *what, 0).1
    }

    fn bind_range(&mut self, target: u32, index: u32, name: u32, range: Option<(i64, i64)>) {
        let Some(number) = TARGETS.iter().position(|(of, _)| *of == target) else { return };
        self.bind_buffer(target, name);
        self.put_range(number as u32, index, name, range);
    }

    fn put_range(&mut self, target: u32, index: u32, name: u32, range: Option<(i64, i64)>) {
        if index >= 256 {
            return;
        }
        let instance = self.instance(Kind::Buffer, name);
        let is_written = TARGETS.get(target as usize).is_some_and(|(target, _)| WRITTEN.contains(target));
        if is_written && self.is_set(instance, what::CONTENT, 0) {
            self.put(instance, what::CONTENT, 0, Value::Unset);
        }
        let at = target << 8 | index;
        self.set_at(what::INDEXED_BUFFER, at, Value::Object { name, instance });
        let part = |number: i64| if number < 0 { Value::Unset } else { Value::Int(number) };
        self.set_at(what::INDEXED_OFFSET, at, range.map_or(Value::Unset, |(offset, _)| part(offset)));
        self.set_at(what::INDEXED_SIZE, at, range.map_or(Value::Unset, |(_, size)| part(size)));
    }

    /// Tells what happens to a buffer, if there is one.
    fn tell_buffer(&mut self, buffer: u32, effect: impl FnOnce(u32) -> Effect) {
        if buffer != 0 && self.is_observed {
            self.tell(effect(buffer));
        }
    }

    /// Pixels are read, to the buffer that they are packed to if one is bound.
    fn read_back(&mut self) {
        self.tell(Effect::ReadBack);
        let instance = self.bound_buffer(gl::PIXEL_PACK_BUFFER);
        self.write_content(instance, 0, i64::MAX, call::Value::Null);
        self.tell_buffer(instance, |object| Effect::Written { object });
    }

    /// The result of a query goes to the buffer that is bound for it, if one is: then the parameter
    /// is an offset.
    fn write_result(&mut self, call: &Call, size: i64) {
        let instance = self.bound_buffer(gl::QUERY_BUFFER);
        self.write_content(instance, call.int(2), size, call::Value::Null);
        self.tell_buffer(instance, |object| Effect::Written { object });
    }

    fn write_result_to(&mut self, call: &Call, size: i64) {
        let instance = self.instance(Kind::Buffer, call.uint(1));
        self.write_content(instance, call.int(3), size, call::Value::Null);
        self.tell_buffer(instance, |object| Effect::Written { object });
    }

    /// Copies a range of a buffer to another one, or to itself.
    fn copy_content(&mut self, from: u32, to: u32, call: &Call) {
        if let (Value::Content(source), Value::Content(content)) =
            (self.value(from, what::CONTENT, 0).clone(), self.value(to, what::CONTENT, 0).clone())
        {
            let place = |at: usize| usize::try_from(call.int(at)).unwrap_or(usize::MAX);
            let (first, begin) = (place(2), place(3));
            let given = |i: usize| {
                let at = first.saturating_add(i);
                source.bytes.get(at).copied().filter(|_| source.known.get(at) == Some(&true))
            };
            self.replace_content(to, (*content).clone(), begin..begin.saturating_add(place(4)), given);
        } else {
            self.write_content(to, call.int(3), call.int(4), call::Value::Null);
        }
        self.tell_buffer(to, |to| Effect::Copied { to, from });
    }

    fn allocate(&mut self, instance: u32, size: i64, usage: Option<u32>, data: call::Value<'_>) {
        // A negative size is an error.
        if let Ok(bytes) = u64::try_from(size) {
            self.tell_buffer(instance, |object| Effect::Allocated { object, bytes });
        }
        self.tell_buffer(instance, |object| Effect::Uploaded { object, bytes: data.bytes_of_program() });
        self.put(instance, what::SIZE, 0, Value::Int(size));
        self.put(instance, what::USAGE, 0, usage.map_or(Value::Unset, Value::Constant));
        self.put(instance, what::MAPPED, 0, Value::Bool(false));
        let length = usize::try_from(size).ok().filter(|size| (1..=MOST_CONTENT).contains(size));
        let is_kept = self.is_of_uniforms(instance) && length.is_some();
        if !is_kept && !self.is_set(instance, what::CONTENT, 0) {
            return;
        }
        let length = length.unwrap_or(0);
        let content = Content { bytes: vec![0; length], known: vec![false; length] };
        self.put(instance, what::CONTENT, 0, if is_kept { Value::Content(Arc::new(content)) } else { Value::Unset });
        self.write_content(instance, 0, size, data);
    }

    /// Whether a buffer may be one of uniforms: only these are looked into. It is bound as such, or
    /// where it is filled before that: by its name, by copies, by queries. Streams of vertices,
    /// which are written most, are not among these.
    fn is_of_uniforms(&self, instance: u32) -> bool {
        const BINDINGS: [u16; 3] = [what::UNIFORM_BUFFER_BINDING, what::COPY_WRITE_BUFFER, what::QUERY_BUFFER_BINDING];
        let is_bound = |what: &u16| self.object(self.context, *what, 0).1 == instance;
        instance != 0 && !self.is_observed && (self.named(Kind::Buffer).is_some() || BINDINGS.iter().any(is_bound))
    }

    /// Writes to the content that is kept of a buffer, if any. What the trace does not have of the
    /// bytes is not known afterwards.
    fn write_content(&mut self, instance: u32, offset: i64, size: i64, data: call::Value<'_>) {
        let Value::Content(content) = self.value(instance, what::CONTENT, 0) else { return };
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(content.bytes.len());
        let size = usize::try_from(size).unwrap_or(0);
        let to = from.saturating_add(size).min(content.bytes.len());
        let given = if let call::Value::Bytes(bytes, _) = data { bytes } else { &[] };
        let content = (**content).clone();
        self.replace_content(instance, content, from..to, |i| given.get(i).copied());
    }

    /// Replaces a range of a content by bytes, given by their places in the range. `None` for those
    /// that are not known.
    fn replace_content(
        &mut self,
        instance: u32,
        mut content: Content,
        range: Range<usize>,
        given: impl Fn(usize) -> Option<u8>,
    ) {
        let places = content.bytes.iter_mut().zip(&mut content.known).take(range.end).skip(range.start);
        for (i, (byte, is_known)) in places.enumerate() {
            (*byte, *is_known) = given(i).map_or((0, false), |given| (given, true));
        }
        self.copied += 2 * content.bytes.len();
        self.put(instance, what::CONTENT, 0, Value::Content(Arc::new(content)));
    }

    /// Maps a range of a buffer, or ends that.
    fn map(&mut self, call: &Call, range: Option<(i64, i64)>) {
        let instance = self.bound_buffer(call.uint(0));
        self.tell_mapped(instance, call, range);
        self.put(instance, what::MAPPED, 0, Value::Bool(range.is_some() && call.result().int() != Some(0)));
        let Some((from, size)) = range.filter(|_| self.is_set(instance, what::CONTENT, 0)) else { return };
        // What is written is copied by calls of memcpy, of which only those to the latest mapping
        // are found.
        let (_, last) = self.object(self.share, what::MAPPED_LAST, 0);
        if last != 0 && last != instance && self.value(last, what::MAPPED, 0) == &Value::Bool(true) {
            self.put(last, what::CONTENT, 0, Value::Unset);
        }
        self.put(self.share, what::MAPPED_LAST, 0, Value::Object { name: call.uint(0), instance });
        for (what, value) in [
            (what::MAPPED_AT, call.result().int().unwrap_or_default()),
            (what::MAPPED_FROM, from),
            (what::MAPPED_SIZE, size),
        ] {
            self.put(instance, what, 0, Value::Int(value));
        }
    }

    fn tell_mapped(&mut self, instance: u32, call: &Call, range: Option<(i64, i64)>) {
        let Some((offset, length)) = range else {
            return self.tell_buffer(instance, |object| Effect::Unmapped { object });
        };
        let is_range = length != i64::MAX;
        let access = if is_range { call.uint(3) } else { 0 };
        if access & (gl::MAP_INVALIDATE_RANGE_BIT | gl::MAP_INVALIDATE_BUFFER_BIT) != 0 {
            self.tell_buffer(instance, |object| Effect::Forgotten { object });
        }
        let address = call.result().int().unwrap_or_default() as u64;
        let (offset, length) = (offset.max(0) as u64, is_range.then_some(length.max(0) as u64));
        self.tell_buffer(instance, |object| Effect::Mapped { object, address, offset, length });
    }

    fn enable_attribute(&mut self, index: u32, is_on: bool) {
        let array = self.vertex_array();
        if index < MAX_ATTRIBUTES {
            self.put(array, what::VERTEX_ATTRIB_ARRAY_ENABLED, index, Value::Bool(is_on));
        }
    }

    fn put_format(&mut self, array: u32, index: u32, [size, kind, is_normalized]: [i64; 3], form: Form) {
        self.put(array, what::VERTEX_ATTRIB_ARRAY_SIZE, index, Value::Int(size));
        self.put(array, what::VERTEX_ATTRIB_ARRAY_TYPE, index, Value::Constant(kind as u32));
        self.put(array, what::VERTEX_ATTRIB_ARRAY_NORMALIZED, index, Value::Bool(is_normalized != 0));
        self.put(array, what::VERTEX_ATTRIB_ARRAY_INTEGER, index, Value::Bool(form == Form::Integer));
        self.put(array, what::VERTEX_ATTRIB_ARRAY_LONG, index, Value::Bool(form == Form::Long));
    }

    fn attribute_pointer(&mut self, call: &Call, format: [i64; 3], stride: i64, pointer: usize, form: Form) {
        let (array, index) = (self.vertex_array(), call.uint(0));
        if index >= MAX_ATTRIBUTES {
            return;
        }
        self.put_format(array, index, format, form);
        self.put(array, what::VERTEX_ATTRIB_ARRAY_STRIDE, index, Value::Int(stride));
        self.put(array, what::VERTEX_ATTRIB_ARRAY_POINTER, index, pointer_of(self.at, call, pointer));
        let (name, instance) = self.array_buffer();
        self.put(array, what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, index, Value::Object { name, instance });
        if self.is_set(array, what::VERTEX_ATTRIB_BINDING, index) {
            self.put(array, what::VERTEX_ATTRIB_BINDING, index, Value::Unset);
        }
        // It is the buffer of the binding of the same number, too.
        if self.is_set(array, what::VERTEX_BINDING_BUFFER, index) {
            self.put(array, what::VERTEX_BINDING_BUFFER, index, Value::Object { name, instance });
            self.put(array, what::VERTEX_BINDING_OFFSET, index, pointer_of(self.at, call, pointer));
            // 0 stands for the bytes of a vertex.
            let stride = if stride == 0 { Value::Unknown } else { Value::Int(stride) };
            self.put(array, what::VERTEX_BINDING_STRIDE, index, stride);
        }
        if self.is_set(array, what::VERTEX_ATTRIB_RELATIVE_OFFSET, index) {
            self.put(array, what::VERTEX_ATTRIB_RELATIVE_OFFSET, index, Value::Int(0));
        }
    }

    fn format(&mut self, index: u32, format: [i64; 3], offset: i64, form: Form) {
        let array = self.vertex_array();
        if index < MAX_ATTRIBUTES {
            self.put_format(array, index, format, form);
            self.put(array, what::VERTEX_ATTRIB_RELATIVE_OFFSET, index, Value::Int(offset));
        }
    }

    fn attribute_binding(&mut self, index: u32, binding: u32) {
        let array = self.vertex_array();
        // A binding that was made by glVertexAttribPointer is that of its attribute.
        let is_plain = binding == index && !self.is_set(array, what::VERTEX_ATTRIB_BINDING, index);
        if index < MAX_ATTRIBUTES && !is_plain {
            self.put(array, what::VERTEX_ATTRIB_BINDING, index, Value::Int(binding.into()));
        }
    }

    fn vertex_buffer(&mut self, binding: u32, buffer: u32, offset: i64, stride: i64) {
        let array = self.vertex_array();
        let instance = self.instance(Kind::Buffer, buffer);
        if binding < MAX_ATTRIBUTES {
            self.put(array, what::VERTEX_BINDING_BUFFER, binding, Value::Object { name: buffer, instance });
            self.put(array, what::VERTEX_BINDING_OFFSET, binding, Value::Int(offset));
            self.put(array, what::VERTEX_BINDING_STRIDE, binding, Value::Int(stride));
            // The attribute of the same number takes its vertices from there, unless a call says
            // otherwise later.
            if !self.is_set(array, what::VERTEX_ATTRIB_BINDING, binding) {
                self.put(array, what::VERTEX_ATTRIB_BINDING, binding, Value::Int(binding.into()));
            }
        }
    }

    fn divisor(&mut self, binding: u32, divisor: i64) {
        let array = self.vertex_array();
        if binding < MAX_ATTRIBUTES {
            self.put(array, what::VERTEX_BINDING_DIVISOR, binding, Value::Int(divisor));
        }
    }

    fn client_unit(&self) -> u32 {
        self.unit_of(what::CLIENT_ACTIVE_TEXTURE).min(255)
    }

    /// Enables or disables a client array.
    pub(crate) fn client_state(&mut self, array: u32, unit: Option<u32>, is_on: bool) {
        let number = match CLIENT_ARRAYS.iter().position(|(of, _)| *of == array) {
            Some(number) => number as u32,
            None if array == gl::TEXTURE_COORD_ARRAY => {
                CLIENT_TEXTURE + unit.unwrap_or_else(|| self.client_unit()).min(255)
            }
            None => return,
        };
        let owner = self.vertex_array();
        self.put(owner, what::CLIENT_ENABLED, number, Value::Bool(is_on));
    }

    fn client_pointer(&mut self, number: u32, size: i64, kind: u32, stride: i64, call: &Call, pointer: usize) {
        let array = self.vertex_array();
        self.put(array, what::CLIENT_SIZE, number, Value::Int(size));
        self.put(array, what::CLIENT_TYPE, number, Value::Constant(kind));
        self.put(array, what::CLIENT_STRIDE, number, Value::Int(stride));
        self.put(array, what::CLIENT_POINTER, number, pointer_of(self.at, call, pointer));
        let (name, instance) = self.array_buffer();
        self.put(array, what::CLIENT_BUFFER, number, Value::Object { name, instance });
    }
}

/// An offset in a buffer, or an address of the program. The tracer puts the vertices themselves in
/// place of an address. `number`: that of the call.
fn pointer_of(number: u32, call: &Call, at: usize) -> Value {
    match call.argument(at) {
        call::Value::Null => Value::Int(0),
        call::Value::Bytes(..) => Value::Memory { call: number },
        other => other.int().map_or(Value::Unknown, Value::Int),
    }
}

fn interleaved(machine: &mut Machine, call: &Call, _: Variant) {
    let Some((parts, total)) = crate::arrays::interleaved(call.uint(0)) else { return };
    let stride = if call.int(1) == 0 { total.into() } else { call.int(1) };
    let owner = machine.vertex_array();
    for Interleaved { array, size, kind, offset } in parts {
        machine.client_state(array, None, size > 0);
        let number = CLIENT_ARRAYS.iter().position(|(of, _)| *of == array).map(|number| number as u32);
        let number = number.unwrap_or_else(|| CLIENT_TEXTURE + machine.client_unit());
        if size > 0 {
            machine.client_pointer(number, size.into(), kind, stride, call, 2);
            if let Value::Int(first) = *machine.value(owner, what::CLIENT_POINTER, number) {
                machine.put(owner, what::CLIENT_POINTER, number, Value::Int(first.saturating_add(offset.into())));
            }
        }
    }
    for array in NEVER_INTERLEAVED {
        machine.client_state(array, None, false);
    }
}

fn bind_many(machine: &mut Machine, call: &Call, several: Several) {
    let Some(target) = TARGETS.iter().position(|(of, _)| *of == call.uint(0)) else { return };
    for One { index, name, range } in several.bound(call) {
        machine.put_range(target as u32, index, name, range);
    }
}

/// Reads what the name of a function says of its arguments, for attributes that no array gives.
pub(crate) fn current_attribute(machine: &mut Machine, call: &Call, variant: Variant, is_integer: bool) {
    let index = call.uint(0);
    if index >= MAX_ATTRIBUTES {
        return;
    }
    let numbers = variant.numbers(call, 1, [0.0, 0.0, 0.0, 1.0], variant.is_normalized);
    let value = if is_integer {
        Value::Ints(numbers.map(|number| number as i64 as i32), 4)
    } else {
        super::fixed::floats(numbers, 4)
    };
    machine.set_at(what::CURRENT_VERTEX_ATTRIB, index, value);
}
