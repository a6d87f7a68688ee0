//! Buffers, vertex arrays, and memory that is mapped.

use unspool_gl::gl;
use unspool_gl::several::{One, Several};

use super::rules::{Function, Rule, Rules};
use super::tape::Effect;
use super::world::{Id, Kind, Mapping, What, World};
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[
    ("GenBuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Buffer, c, 1))),
    ("CreateBuffers", "", Rule::Run(|w, c, _| w.generate(Kind::Buffer, c, 1))),
    ("DeleteBuffers", "", Rule::Run(|w, c, _| w.delete_all(Kind::Buffer, c, 1))),
    ("BindBuffer", "", Rule::Run(bind)),
    ("BindBufferBase", "", Rule::Run(bind_indexed)),
    ("BindBufferRange", "", Rule::Run(bind_indexed)),
    ("BindBuffersBase", "", Rule::Run(|w, c, _| bind_several(w, c, Several::Buffers))),
    ("BindBuffersRange", "", Rule::Run(|w, c, _| bind_several(w, c, Several::Ranges))),
    ("BufferData", "", Rule::Run(data)),
    ("NamedBufferData", "", Rule::Run(data)),
    ("BufferStorage", "", Rule::Run(data)),
    ("NamedBufferStorage", "", Rule::Run(data)),
    ("BufferSubData", "", Rule::Run(sub_data)),
    ("NamedBufferSubData", "", Rule::Run(sub_data)),
    ("CopyBufferSubData", "", Rule::Run(copy)),
    ("CopyNamedBufferSubData", "", Rule::Run(copy_named)),
    ("ClearBufferData", "", Rule::Run(clear)),
    ("ClearBufferSubData", "", Rule::Run(clear)),
    ("MapBuffer", "", Rule::Run(map)),
    ("MapNamedBuffer", "", Rule::Run(map)),
    ("MapBufferRange", "", Rule::Run(map_range)),
    ("MapNamedBufferRange", "", Rule::Run(map_range)),
    ("FlushMappedBufferRange", "", Rule::Run(flush)),
    ("FlushMappedNamedBufferRange", "", Rule::Run(flush)),
    ("UnmapBuffer", "", Rule::Run(unmap)),
    ("UnmapNamedBuffer", "", Rule::Run(unmap)),
    ("memcpy", "", Rule::Run(memcpy)),
    ("GenVertexArrays", "", Rule::Run(|w, c, _| w.generate(Kind::VertexArray, c, 1))),
    ("CreateVertexArrays", "", Rule::Run(|w, c, _| w.generate(Kind::VertexArray, c, 1))),
    ("DeleteVertexArrays", "", Rule::Run(|w, c, _| w.delete_all(Kind::VertexArray, c, 1))),
    ("BindVertexArray", "", Rule::Run(bind_array)),
    ("EnableVertexAttribArray", "", Rule::Run(enable_attribute)),
    ("DisableVertexAttribArray", "", Rule::Run(enable_attribute)),
    ("VertexAttribPointer", "", Rule::Run(attribute)),
    ("VertexAttribIPointer", "", Rule::Run(attribute)),
    ("VertexAttribLPointer", "", Rule::Run(attribute)),
    ("VertexAttribFormat", "", Rule::Run(attribute_format)),
    ("VertexAttribIFormat", "", Rule::Run(attribute_format)),
    ("VertexAttribLFormat", "", Rule::Run(attribute_format)),
    ("VertexAttribBinding", "", Rule::Run(attribute_binding)),
    ("VertexAttribDivisor", "", Rule::Run(attribute_divisor)),
    ("VertexBindingDivisor", "", Rule::Run(attribute_divisor)),
    ("BindVertexBuffer", "", Rule::Run(vertex_buffer)),
    ("VertexPointer", "", Rule::Run(|w, _, _| pointer(w, gl::VERTEX_ARRAY))),
    ("NormalPointer", "", Rule::Run(|w, _, _| pointer(w, gl::NORMAL_ARRAY))),
    ("ColorPointer", "", Rule::Run(|w, _, _| pointer(w, gl::COLOR_ARRAY))),
    ("SecondaryColorPointer", "", Rule::Run(|w, _, _| pointer(w, gl::SECONDARY_COLOR_ARRAY))),
    ("IndexPointer", "", Rule::Run(|w, _, _| pointer(w, gl::INDEX_ARRAY))),
    ("EdgeFlagPointer", "", Rule::Run(|w, _, _| pointer(w, gl::EDGE_FLAG_ARRAY))),
    ("FogCoordPointer", "", Rule::Run(|w, _, _| pointer(w, gl::FOG_COORD_ARRAY))),
    ("TexCoordPointer", "", Rule::Run(|w, _, _| pointer(w, gl::TEXTURE_COORD_ARRAY))),
    ("InterleavedArrays", "", Rule::Run(interleaved)),
    ("EnableClientState", "", Rule::Run(client_state)),
    ("DisableClientState", "", Rule::Run(client_state)),
];

/// Numbers of parts of a vertex array: attributes and bindings have their own, the others these.
const OF_CLIENTS: u32 = 1 << 16;

impl World {
    /// The buffer that is bound to a target. That it is bound is read.
    fn bound_buffer(&mut self, target: u32) -> Id {
        let cell = self.buffer_cell(target);
        self.read(cell);
        if target == gl::ELEMENT_ARRAY_BUFFER {
            let array = self.array();
            return self.get(array).parts.get(&u32::MAX).map_or(0, |part| part.0);
        }
        self.shadow().buffers.get(&target).copied().unwrap_or_default()
    }

    /// Reads what is in the buffer that is bound to a target, if one is.
    pub(super) fn read_buffer(&mut self, target: u32) {
        let id = self.bound_buffer(target);
        if id != 0 {
            self.read_object(id);
        }
    }

    /// The current call writes a buffer in a way that is not followed.
    pub(super) fn write_buffer(&mut self, id: Id) {
        let cell = self.content(id, (0, 0), What::Drawn, 0, 0);
        self.part(cell);
    }

    /// The buffer that a call is about: of a name or bound to a target.
    fn buffer_of(&mut self, call: &Call, function: &Function) -> Id {
        if function.known.canonical.contains("Named") {
            self.named(Kind::Buffer, call.uint(0).into())
        } else {
            self.bound_buffer(call.uint(0))
        }
    }

    /// A part of the vertex array that is bound.
    fn set_array(&mut self, index: u32, which: u64) {
        let bound = self.state(What::Bound, gl::VERTEX_ARRAY_BINDING.into(), 0);
        self.read(bound);
        let array = self.array();
        let def = self.get(array).def;
        let cell = self.cell(def, What::Array, index.into(), which);
        self.whole(cell);
    }

    /// A part of the vertex array reads the buffer of a target, or a named one.
    fn refer(&mut self, index: u32, buffer: Id) {
        let array = self.array();
        if buffer == 0 {
            self.get_mut(array).parts.remove(&index);
        } else {
            self.get_mut(array).parts.insert(index, (buffer, 0, 0));
        }
    }
}

fn bind(world: &mut World, call: &Call, _: &Function) {
    let target = call.uint(0);
    let id = world.named(Kind::Buffer, call.uint(1).into());
    world.used(id);
    if target == gl::ELEMENT_ARRAY_BUFFER {
        let bound = world.state(What::Bound, gl::VERTEX_ARRAY_BINDING.into(), 0);
        world.read(bound);
        world.refer(u32::MAX, id);
    } else {
        world.shadow().buffers.insert(target, id);
    }
    let cell = world.buffer_cell(target);
    world.whole(cell);
}

fn bind_indexed(world: &mut World, call: &Call, _: &Function) {
    let target = call.uint(0);
    let id = bind_at(world, target, call.uint(1), call.uint(2));
    world.shadow().buffers.insert(target, id);
    let cell = world.buffer_cell(target);
    world.whole(cell);
}

/// Binds a buffer to an index of a target.
fn bind_at(world: &mut World, target: u32, index: u32, name: u32) -> Id {
    let id = world.named(Kind::Buffer, name.into());
    world.used(id);
    if id == 0 {
        world.shadow().indexed.remove(&(target, index));
    } else {
        world.shadow().indexed.insert((target, index), id);
    }
    let cell = world.state(What::Bound, target.into(), 1 << 32 | u64::from(index));
    world.whole(cell);
    id
}

/// Binds buffers to indices in a row. What is bound to the target itself stays.
fn bind_several(world: &mut World, call: &Call, several: Several) {
    for One { index, name, .. } in several.bound(call) {
        bind_at(world, call.uint(0), index, name);
    }
}

fn data(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    world.replace(id, (0, 0));
    world.get_mut(id).bytes = call.int(1) as u64;
    let def = world.get(id).def;
    let shape = world.cell(def, What::Shape, 0, 0);
    world.whole(shape);
    let cell = world.content(id, (0, 0), What::Whole, 0, 0);
    world.whole(cell);
}

/// A range of a buffer is replaced.
fn write_range(world: &mut World, id: Id, offset: u64, length: u64) {
    let def = world.get(id).def;
    world.read_all(def);
    if offset == 0 && length > 0 && length >= world.get(id).bytes {
        world.replace(id, (0, 0));
    }
    let cell = world.content(id, (0, 0), What::Part, offset, length);
    world.whole(cell);
}

fn sub_data(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    write_range(world, id, call.int(1) as u64, call.int(2) as u64);
}

fn copy(world: &mut World, call: &Call, _: &Function) {
    let [from, to] = [0, 1].map(|at| world.bound_buffer(call.uint(at)));
    world.read_object(from);
    write_range(world, to, call.int(3) as u64, call.int(4) as u64);
}

fn copy_named(world: &mut World, call: &Call, _: &Function) {
    let [from, to] = [0, 1].map(|at| world.named(Kind::Buffer, call.uint(at).into()));
    world.read_object(from);
    write_range(world, to, call.int(3) as u64, call.int(4) as u64);
}

fn clear(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    let def = world.get(id).def;
    world.read_all(def);
    world.write_buffer(id);
}

fn map_at(world: &mut World, call: &Call, id: Id, offset: u64, length: u64, access: u32) {
    let Some(address) = call.result().int().map(|address| address as u64).filter(|address| *address != 0) else {
        return;
    };
    let def = world.get(id).def;
    world.read_all(def);
    let number = world.number;
    // Each mapping has a cell of its own, which its copies read.
    let inputs = world.get(id).inputs;
    let cell = world.cell(inputs, What::Mapped, number.into(), 0);
    world.whole(cell);
    if access & gl::MAP_INVALIDATE_BUFFER_BIT != 0 {
        world.replace(id, (0, 0));
        let cell = world.content(id, (0, 0), What::Whole, 0, 0);
        world.whole(cell);
    }
    world.mappings.insert(id, address, length, Mapping { address, offset, cell, call: number });
}

fn map(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    let length = world.get(id).bytes;
    map_at(world, call, id, 0, length, 0);
}

fn map_range(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    map_at(world, call, id, call.int(1) as u64, call.int(2) as u64, call.uint(3));
}

fn flush(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    if let Some(mapping) = world.mappings.get(id).copied() {
        world.read(mapping.cell);
    }
    let cell = world.content(id, (0, 0), What::Drawn, 1, 0);
    world.part(cell);
}

fn unmap(world: &mut World, call: &Call, function: &Function) {
    let id = world.buffer_of(call, function);
    let Some(mapping) = world.mappings.remove(id) else { return };
    world.read(mapping.cell);
    // It is kept with the call that has mapped the buffer, which copies ask for.
    let number = world.number;
    world.tape.pair(mapping.call, number);
}

/// The tracer's record of what a program wrote into mapped memory.
fn memcpy(world: &mut World, call: &Call, _: &Function) {
    let (address, length) = (call.int(0) as u64, call.int(2) as u64);
    let length = match call.argument(1) {
        Value::Bytes(_, length) => length,
        _ => length,
    };
    match world.mappings.around(address).map(|(buffer, mapping)| (buffer, *mapping)) {
        Some((buffer, mapping)) => {
            world.read(mapping.cell);
            let offset = mapping.offset.saturating_add(address - mapping.address);
            write_range(world, buffer, offset, length);
        }
        None => world.always(),
    }
}

fn bind_array(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::VertexArray, call.uint(0).into());
    world.used(id);
    world.shadow().array = id;
    let cell = world.state(What::Bound, gl::VERTEX_ARRAY_BINDING.into(), 0);
    world.whole(cell);
}

fn enable_attribute(world: &mut World, call: &Call, _: &Function) {
    world.set_array(call.uint(0), 1);
}

fn attribute(world: &mut World, call: &Call, _: &Function) {
    let id = world.bound_buffer(gl::ARRAY_BUFFER);
    world.refer(call.uint(0), id);
    world.set_array(call.uint(0), 0);
    // It also gives the attribute the binding of its number.
    world.set_array(call.uint(0), 2);
    let index = call.uint(0);
    world.set_array(index, 3);
}

fn attribute_format(world: &mut World, call: &Call, _: &Function) {
    world.set_array(call.uint(0), 3);
}

fn attribute_binding(world: &mut World, call: &Call, _: &Function) {
    world.set_array(call.uint(0), 2);
}

fn attribute_divisor(world: &mut World, call: &Call, _: &Function) {
    world.set_array(call.uint(0), 4);
}

fn vertex_buffer(world: &mut World, call: &Call, _: &Function) {
    let id = world.named(Kind::Buffer, call.uint(1).into());
    world.used(id);
    // Numbers of bindings are those that `VertexAttribPointer` gives attributes.
    world.refer(call.uint(0), id);
    world.set_array(call.uint(0), 0);
}

/// An array of the fixed function, which has its place in the unit that is active for clients.
fn pointer(world: &mut World, which: u32) {
    let id = world.bound_buffer(gl::ARRAY_BUFFER);
    let unit = if which == gl::TEXTURE_COORD_ARRAY {
        let active = world.other(What::Bound, gl::CLIENT_ACTIVE_TEXTURE.into(), 0);
        world.read(active);
        world.shadow().client_unit
    } else {
        0
    };
    world.refer(OF_CLIENTS + (which << 8) + unit, id);
    world.set_array(OF_CLIENTS + which, u64::from(unit) << 8);
}

fn client_state(world: &mut World, call: &Call, _: &Function) {
    let which = call.uint(0);
    let unit = if which == gl::TEXTURE_COORD_ARRAY {
        let active = world.other(What::Bound, gl::CLIENT_ACTIVE_TEXTURE.into(), 0);
        world.read(active);
        world.shadow().client_unit
    } else {
        0
    };
    world.set_array(OF_CLIENTS + which, u64::from(unit) << 8 | 1);
}

/// Sets and enables several arrays, and disables the others.
fn interleaved(world: &mut World, _: &Call, _: &Function) {
    let active = world.other(What::Bound, gl::CLIENT_ACTIVE_TEXTURE.into(), 0);
    world.read(active);
    let id = world.bound_buffer(gl::ARRAY_BUFFER);
    let unit = world.shadow().client_unit;
    world.set_array(OF_CLIENTS, 2);
    let arrays = [
        gl::VERTEX_ARRAY,
        gl::NORMAL_ARRAY,
        gl::COLOR_ARRAY,
        gl::SECONDARY_COLOR_ARRAY,
        gl::INDEX_ARRAY,
        gl::EDGE_FLAG_ARRAY,
        gl::FOG_COORD_ARRAY,
        gl::TEXTURE_COORD_ARRAY,
    ];
    for which in arrays {
        let unit = if which == gl::TEXTURE_COORD_ARRAY { unit } else { 0 };
        world.set_array(OF_CLIENTS + which, u64::from(unit) << 8 | 1);
        // Which of the pointers it sets depends on the format.
        let array = world.array();
        let def = world.get(array).def;
        let cell = world.cell(def, What::Array, (OF_CLIENTS + which).into(), u64::from(unit) << 8);
        world.part(cell);
        if id != 0 {
            world.refer(OF_CLIENTS + (which << 8) + unit, id);
        }
    }
}

impl World {
    /// What a draw reads of the arrays and buffers that are bound.
    pub(super) fn buffers_read(&mut self, all: &mut Vec<Effect>) {
        let array = self.array();
        all.push(Effect::ReadAll(self.get(array).def));
        let parts: Vec<Id> = self.get(array).parts.values().map(|part| part.0).collect();
        let shadow = self.shadow();
        let mut buffers: Vec<Id> = shadow.indexed.values().copied().collect();
        for target in [gl::DRAW_INDIRECT_BUFFER, gl::PARAMETER_BUFFER, gl::DISPATCH_INDIRECT_BUFFER] {
            buffers.extend(shadow.buffers.get(&target));
        }
        buffers.extend(parts);
        buffers.sort_unstable();
        buffers.dedup();
        for id in buffers.into_iter().filter(|id| *id != 0) {
            let object = self.get(id);
            all.extend([Effect::ReadAll(object.def), Effect::ReadAll(object.contents)]);
        }
    }
}
