//! Buffers.

use std::borrow::Cow;

use unspool_gl::call::{Call, Value};
use unspool_gl::several::{One, Several};
use unspool_gl::{Variant, gl};

use super::Functions;
use super::direct::{OTHER_TARGET, OWN_TARGET};
use super::lacks::note_written;
use crate::content::Content;
use crate::driver::{OBJECT, Replay};
use crate::objects::{Buffer, Indexed, Stale, UNIFORM_BUFFERS};
use crate::ops::{Kind, Op, Stream};

/// Targets that a context may bind buffers to: OpenGL has less.
const MOST_TARGETS: usize = 64;
/// Bytes of a buffer that are sent at once.
const LITTLE: usize = 8 << 20;

pub(crate) const TABLE: Functions = &[
    ("BindBuffer", |r, c, _| r.bind_buffer(c.uint(0), c.uint(1))),
    ("BindBufferBase", |r, c, _| indexed(r, c.uint(0), c.uint(1), Indexed { buffer: c.uint(2), ..Indexed::default() })),
    ("BindBufferRange", |r, c, _| {
        indexed(r, c.uint(0), c.uint(1), Indexed { buffer: c.uint(2), offset: c.uint(3), size: c.uint(4) });
    }),
    ("BindBuffersBase", |r, c, _| buffers(r, c, Several::Buffers)),
    ("BindBuffersRange", |r, c, _| buffers(r, c, Several::Ranges)),
    ("BufferData", |r, c, _| data(r, c, c.int(1), c.argument(2), c.uint(3))),
    ("BufferStorage", |r, c, _| data(r, c, c.int(1), c.argument(2), gl::STATIC_DRAW)),
    ("BufferSubData", |r, c, _| {
        let (target, at) = (c.uint(0), c.int(1));
        if let Some(bytes) = c.argument(3).bytes() {
            r.write(target, at, bytes);
        }
    }),
    ("CopyBufferSubData", |r, c, _| copy(r, [c.uint(0), c.uint(1)], [c.int(2), c.int(3), c.int(4)])),
    ("CopyNamedBufferSubData", |r, c, _| {
        let [from, to] = [OWN_TARGET, OTHER_TARGET];
        let range = [c.int(2), c.int(3), c.int(4)];
        r.with_buffer(from, c.uint(0), |r| r.with_buffer(to, c.uint(1), |r| copy(r, [from, to], range)));
    }),
    ("NamedCopyBufferSubData", |r, c, _| {
        let [from, to] = [OWN_TARGET, OTHER_TARGET];
        let range = [c.int(2), c.int(3), c.int(4)];
        r.with_buffer(from, c.uint(0), |r| r.with_buffer(to, c.uint(1), |r| copy(r, [from, to], range)));
    }),
    ("ClearBufferData", |r, c, _| fill(r, c, [0, i64::MAX], c.argument(4))),
    ("ClearBufferSubData", |r, c, _| fill(r, c, [c.int(2), c.int(3)], c.argument(6))),
    ("MapBuffer", |r, c, _| map(r, c, 0, i64::MAX)),
    ("MapBufferRange", |r, c, _| map(r, c, c.int(1), c.int(2))),
    ("UnmapBuffer", |r, c, _| {
        let target = c.uint(0);
        if let Some(buffer) = r.buffer_at(target) {
            buffer.mapped = None;
        }
        if let Some(buffer) = r.buffer_key(target) {
            r.mapped.remove(buffer);
        }
    }),
    ("memcpy", memcpy),
    ("DeleteBuffers", delete),
];

/// `buffer`, with the range that is bound to an index of a target; all of it if its size is 0.
fn indexed(r: &mut Replay, target: u32, index: u32, Indexed { buffer, offset, size }: Indexed) {
    r.bind_buffer(target, buffer);
    if target == gl::UNIFORM_BUFFER
        && index < UNIFORM_BUFFERS
        && let Some(context) = r.context()
    {
        context.uniform_buffers.insert(index, Indexed { buffer, offset, size });
    }
    if matches!(target, gl::TRANSFORM_FEEDBACK_BUFFER | gl::SHADER_STORAGE_BUFFER | gl::ATOMIC_COUNTER_BUFFER) {
        note_written(r, target, index, buffer);
    }
}

/// Binds several buffers, or none, to the indices of a target from one on.
fn buffers(r: &mut Replay, c: &Call, several: Several) {
    for One { index, name: buffer, range } in several.bound(c) {
        let (offset, size) = range.unwrap_or_default();
        indexed(r, c.uint(0), index, Indexed { buffer, offset: offset as u32, size: size as u32 });
    }
}

fn data(r: &mut Replay, c: &Call, size: i64, content: Value<'_>, usage: u32) {
    let size = u64::try_from(size).unwrap_or(0);
    let target = c.uint(0);
    let Some(buffer) = r.buffer_at(target) else { return };
    let old = buffer.data.len() as u64;
    if !r.reserve(old, size) {
        return;
    }
    let keeps = r.keeps(content.bytes().map_or(0, <[u8]>::len));
    let Some(buffer) = r.buffer_at(target) else { return };
    buffer.data = Content::zeros(size as usize);
    if let Some(bytes) = content.bytes().filter(|_| keeps) {
        buffer.data.put(0, bytes.get(..size as usize).unwrap_or(bytes));
    }
    (buffer.usage, buffer.problem, buffer.written) = (usage, None, None);
    buffer.stale = [Stale::All; 2];
    buffer.version += 1;
    buffer.highest.clear();
}

/// Repeats what the call has for one texel over a range; zeros without that.
fn fill(r: &mut Replay, c: &Call, [at, len]: [i64; 2], texel: Value<'_>) {
    let target = c.uint(0);
    let Some(buffer) = r.buffer_at(target) else { return };
    let Ok(at) = usize::try_from(at) else { return };
    let left = buffer.data.len().saturating_sub(at);
    let len = usize::try_from(len).unwrap_or(0).min(left);
    let texel = texel.bytes().filter(|bytes| !bytes.is_empty()).unwrap_or(&[0]);
    let bytes: Vec<u8> = texel.iter().copied().cycle().take(len).collect();
    r.work += len as u64;
    r.write(target, at as i64, &bytes);
    r.wrote_buffer(target, None);
}

/// Copies a range: where it begins in both buffers, and its length.
fn copy(r: &mut Replay, [from, to]: [u32; 2], [at, into, len]: [i64; 3]) {
    let range = || Some((usize::try_from(at).ok()?, usize::try_from(len).ok()?));
    let Some((at, len)) = range() else { return };
    let Some(buffer) = r.buffer_at(from) else { return };
    let Some(bytes) = buffer.data.get(at, len).map(Cow::into_owned) else { return };
    let problem = buffer.problem;
    r.work += len as u64;
    r.write(to, into, &bytes);
    r.wrote_buffer(to, problem);
}

fn map(r: &mut Replay, c: &Call, offset: i64, len: i64) {
    let (target, pointer) = (c.uint(0), c.returned().unwrap_or_default());
    let Some(buffer) = r.buffer_at(target) else { return };
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let len = usize::try_from(len).unwrap_or(usize::MAX).min(buffer.data.len().saturating_sub(offset));
    buffer.mapped = (pointer != 0).then_some((pointer, offset, len));
    let Some(buffer) = r.buffer_key(target) else { return };
    if pointer == 0 {
        r.mapped.remove(buffer);
    } else {
        r.mapped.insert(buffer, pointer as u64, len as u64, ());
    }
}

/// The tracer writes what the program has put into a mapped buffer.
fn memcpy(r: &mut Replay, c: &Call, _: Variant) {
    let (to, Some(bytes)) = (c.int(0), c.argument(1).bytes()) else { return };
    if !r.keeps(bytes.len()) {
        return;
    }
    let Some(((group, name), ())) = r.mapped.around(to as u64) else { return };
    let Some(buffer) = r.groups.get_mut(&group).and_then(|objects| objects.buffers.get_mut(&name)) else { return };
    let Some((pointer, offset, len)) = buffer.mapped else { return };
    if let Some(at) = to.checked_sub(pointer).and_then(|at| usize::try_from(at).ok()).filter(|at| *at < len) {
        put(buffer, offset + at, bytes.get(..len - at).unwrap_or(bytes));
    }
}

fn put(buffer: &mut Buffer, at: usize, bytes: &[u8]) {
    if buffer.data.put(at, bytes) {
        buffer.version += 1;
        buffer.highest.clear();
        for stale in &mut buffer.stale {
            stale.add(at, at + bytes.len());
        }
    }
}

fn delete(r: &mut Replay, c: &Call, _: Variant) {
    for name in c.ints(1) {
        let name = name as u32;
        if let Some(group) = r.context().map(|context| context.group) {
            r.mapped.remove((group, name));
        }
        let Some((context, objects, stream)) = r.both() else { return };
        let Some(buffer) = objects.buffers.remove(&name) else { continue };
        for handle in [buffer.handle, buffer.index_handle] {
            if handle != 0 {
                stream.put(Op::Delete, &[Kind::Buffer as u32, handle]);
            }
        }
        context.buffers.retain(|_, bound| *bound != name);
        context.uniform_buffers.retain(|_, bound| bound.buffer != name);
        for arrays in context.vertex_arrays.values_mut() {
            if arrays.element == name {
                arrays.element = 0;
            }
        }
        r.unbound_buffer(buffer.handle);
        r.unbound_buffer(buffer.index_handle);
        let objects = 1 + u64::from(buffer.handle > 0) + u64::from(buffer.index_handle > 0);
        r.reserve(buffer.data.len() as u64 + objects * OBJECT, 0);
    }
}

impl Replay {
    /// The share group and the name of the buffer that is bound to a target.
    fn buffer_key(&mut self, target: u32) -> Option<(u32, u32)> {
        let context = self.context()?;
        let name = match target {
            gl::ELEMENT_ARRAY_BUFFER => context.arrays().element,
            _ => context.buffers.get(&target).copied().unwrap_or(0),
        };
        Some((context.group, name))
    }

    pub(crate) fn bind_buffer(&mut self, target: u32, name: u32) {
        let Some(context) = self.context() else { return };
        if target == gl::ELEMENT_ARRAY_BUFFER {
            context.arrays().element = name;
        } else if context.buffers.len() < MOST_TARGETS || context.buffers.contains_key(&target) {
            context.buffers.insert(target, name);
        }
    }

    /// The buffer that is bound to a target.
    pub(crate) fn buffer_at(&mut self, target: u32) -> Option<&mut Buffer> {
        let (_, name) = self.buffer_key(target)?;
        let (_, objects, _) = self.both()?;
        if name != 0 && !objects.buffers.contains_key(&name) {
            objects.buffers.insert(name, Buffer::default());
            self.reserve(0, OBJECT);
        }
        self.both()?.1.buffers.get_mut(&name)
    }

    /// Writes into the buffer that is bound to `target`, from the offset `at` on, as far as its
    /// contents are kept.
    pub(crate) fn write(&mut self, target: u32, at: i64, bytes: &[u8]) {
        if self.keeps(bytes.len())
            && let (Ok(at), Some(buffer)) = (usize::try_from(at), self.buffer_at(target))
        {
            put(buffer, at, bytes);
        }
    }

    /// The buffer of WebGL2 with the content of a buffer, for indices or anything else. 0 without
    /// one.
    pub(crate) fn uploaded(&mut self, name: u32, indices: bool) -> u32 {
        let side = usize::from(indices);
        let Some(buffer) = self.both().and_then(|(_, objects, _)| objects.buffers.get(&name)) else { return 0 };
        let known = if indices { buffer.index_handle } else { buffer.handle };
        let handle = if known == 0 { self.handle(Kind::Buffer) } else { known };
        let Some(buffer) = self.both().and_then(|(_, objects, _)| objects.buffers.get_mut(&name)) else { return 0 };
        *(if indices { &mut buffer.index_handle } else { &mut buffer.handle }) = handle;
        if indices && known == 0 {
            // Before the target for uploads: what a buffer is first bound to says what it is.
            self.bind_elements(handle);
        }
        let Some((_, objects, stream)) = self.both() else { return 0 };
        let Some(buffer) = objects.buffers.get_mut(&name) else { return 0 };
        let stale = buffer.stale.get(side).copied().unwrap_or_default();
        match stale {
            Stale::None => {}
            Stale::All => {
                let len = buffer.data.len();
                let usage = usage(buffer.usage);
                // As a whole, if that is little and all of it was written.
                if len <= LITTLE && buffer.data.held() == len {
                    let place = stream.put_bytes(&buffer.data.get(0, len).unwrap_or_default());
                    stream.put(Op::BufferData, &[handle, place.0, place.1, usage]);
                } else {
                    stream.put(Op::BufferStorage, &[handle, len as u32, usage]);
                    put_parts(stream, buffer, handle, 0, len);
                }
            }
            Stale::Range(from, to) => put_parts(stream, buffer, handle, from, to),
        }
        if let Some(stale) = buffer.stale.get_mut(side) {
            *stale = Stale::None;
        }
        handle
    }
}

/// Sends what was written to a range of a buffer.
fn put_parts(stream: &mut Stream, buffer: &Buffer, handle: u32, from: usize, to: usize) {
    for (at, part) in buffer.data.written(from, to) {
        stream.put_part(Op::BufferSubData, &[handle, at as u32], part);
    }
}

/// How often a buffer changes, as the trace has it. Nothing is read back here: of a buffer that is
/// said to be read, Chromium makes a copy with each fence, which loses the context if indices are
/// in it.
fn usage(usage: u32) -> u32 {
    if (gl::STREAM_DRAW..=gl::DYNAMIC_COPY).contains(&usage) { usage & !3 } else { gl::DYNAMIC_DRAW }
}

#[cfg(test)]
mod tests {
    use unspool_gl::example::{Example, Value};

    use super::*;
    use crate::Bounds;
    use crate::ops::tests::{commands, each_command};

    #[test]
    fn buffers_of_indices_are_first_bound_as_such() {
        let mut replay = Replay::new(Bounds::default(), true);
        let ints = |args: &[u32]| args.iter().map(|n| Value::Int((*n).into())).collect::<Vec<_>>();
        let positions = [0f32, 0.0, 1.0, 0.0, 0.0, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let data = |target, bytes: Vec<u8>| {
            vec![
                Value::Int(i64::from(target)),
                Value::Int(bytes.len() as i64),
                Value::Bytes(bytes),
                Value::Int(gl::STATIC_DRAW.into()),
            ]
        };
        let calls = [
            ("glXMakeCurrent", ints(&[1, 2, 3])),
            ("glViewport", ints(&[0, 0, 8, 8])),
            ("glBindBuffer", ints(&[gl::ARRAY_BUFFER, 1])),
            ("glBufferData", data(gl::ARRAY_BUFFER, positions)),
            ("glVertexPointer", ints(&[2, gl::FLOAT, 0, 0])),
            ("glEnableClientState", ints(&[gl::VERTEX_ARRAY])),
            ("glBindBuffer", ints(&[gl::ELEMENT_ARRAY_BUFFER, 2])),
            ("glBufferData", data(gl::ELEMENT_ARRAY_BUFFER, vec![0, 1, 2])),
            ("glDrawElements", ints(&[gl::TRIANGLES, 3, gl::UNSIGNED_BYTE, 0])),
            // The same buffer for something else, too.
            ("glBindBuffer", ints(&[gl::ARRAY_BUFFER, 2])),
            ("glColorPointer", ints(&[3, gl::UNSIGNED_BYTE, 1, 0])),
        ];
        for (number, (name, args)) in calls.into_iter().enumerate() {
            replay.execute_example(&Example { number: number as u64, name: name.into(), args, ..Example::default() });
        }
        let (bind, upload) = (Op::ElementBuffer as u32, Op::BufferData as u32);
        let all = each_command(&replay.stream).filter(|(op, _)| [bind, upload].contains(op));
        let order: Vec<(u32, u32)> = all.map(|(op, words)| (op, words[0])).collect();
        let drawn = commands(&replay.stream, Op::ElementBuffer)[0][0];
        let first = order.iter().find(|(_, buffer)| *buffer == drawn).unwrap();
        assert_eq!(first.0, bind, "{order:?}");
        assert!(order.contains(&(upload, drawn)));
    }

    #[test]
    fn no_buffer_is_said_to_be_read_back() {
        let mut replay = Replay::new(Bounds::default(), true);
        let mut number = 0;
        let mut execute = |name: &str, args: Vec<Value>| {
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
            number += 1;
        };
        let ints = |args: &[u32]| args.iter().map(|n| Value::Int((*n).into())).collect::<Vec<_>>();
        execute("glXMakeCurrent", ints(&[1, 2, 3]));
        execute("glViewport", ints(&[0, 0, 8, 8]));
        execute("glBindBuffer", ints(&[gl::ELEMENT_ARRAY_BUFFER, 1]));
        execute(
            "glVertexPointer",
            vec![Value::Int(2), Value::Int(gl::FLOAT.into()), Value::Int(0), Value::Bytes(vec![0; 32])],
        );
        execute("glEnableClientState", ints(&[gl::VERTEX_ARRAY]));
        // As STREAM_READ, STATIC_COPY and DYNAMIC_DRAW; then memory of the program; then a
        // primitive that WebGL2 lacks.
        for usage in [gl::STREAM_READ, gl::STATIC_COPY, gl::DYNAMIC_DRAW] {
            execute(
                "glBufferData",
                vec![
                    Value::Int(gl::ELEMENT_ARRAY_BUFFER.into()),
                    Value::Int(4),
                    Value::Bytes(vec![0, 1, 2, 3]),
                    Value::Int(i64::from(usage)),
                ],
            );
            execute("glDrawElements", ints(&[gl::TRIANGLES, 3, gl::UNSIGNED_BYTE, 0]));
        }
        execute("glBindBuffer", ints(&[gl::ELEMENT_ARRAY_BUFFER, 0]));
        execute(
            "glDrawElements",
            vec![Value::Int(4), Value::Int(3), Value::Int(gl::UNSIGNED_BYTE.into()), Value::Bytes(vec![0, 1, 2])],
        );
        execute("glDrawArrays", ints(&[gl::QUADS, 0, 4]));
        let usages: Vec<u32> = commands(&replay.stream, Op::BufferData).iter().map(|words| words[3]).collect();
        assert!(usages.len() >= 6, "{usages:?}");
        assert!(
            usages.iter().all(|usage| [gl::STREAM_DRAW, gl::STATIC_DRAW, gl::DYNAMIC_DRAW].contains(usage)),
            "{usages:x?}"
        );
        assert!([gl::STREAM_DRAW, gl::STATIC_DRAW, gl::DYNAMIC_DRAW].iter().all(|usage| usages.contains(usage)));
    }
}
