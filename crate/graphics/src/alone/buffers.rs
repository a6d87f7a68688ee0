//! Contents of buffers, and memory of programs that is mapped.

use unspool_gl::gl;
use unspool_gl::machine::effects::Effect as Told;
use unspool_gl::machine::what;

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, Mapping, Own, Scene};
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[("memcpy", Rule::Instead(memcpy))];

impl Scene {
    /// Reads what is in the buffer that a cell of the context holds, if one is.
    pub(super) fn read_buffer(&mut self, binding: u16) {
        let cell = self.setting(binding, 0);
        self.read(cell);
        let id = self.bound(binding, 0);
        if id != 0 {
            self.read_object(id);
        }
    }

    /// The current call writes a buffer in a way that is not followed.
    pub(super) fn write_buffer(&mut self, id: Id) {
        let cell = self.content(id, (0, 0), Own::Drawn, 0, 0);
        self.part(cell);
    }

    /// The bytes of a buffer.
    fn bytes_of(&self, id: Id) -> u64 {
        self.machine.number(id, what::SIZE, 0).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default()
    }
}

/// Something happens to a buffer.
pub(super) fn told(scene: &mut Scene, effect: Told, call: &Call) {
    match effect {
        Told::Allocated { object, .. } => {
            scene.replace(object, (0, 0));
            let cell = scene.content(object, (0, 0), Own::Whole, 0, 0);
            scene.whole(cell);
        }
        Told::Copied { to, from } => {
            scene.read_object(from);
            write_range(scene, to, call.int(3) as u64, call.int(4) as u64);
        }
        Told::Filled { object } => {
            scene.read_all(object, Class::State);
            scene.write_buffer(object);
        }
        Told::Mapped { object, address, offset, length } if address != 0 => {
            let access = if length.is_some() { call.uint(3) } else { 0 };
            let length = length.unwrap_or_else(|| scene.bytes_of(object));
            map(scene, object, address, offset, length, access);
        }
        Told::Flushed { object } => {
            if let Some(mapping) = scene.mappings.get(object).copied() {
                scene.read(mapping.cell);
            }
            let cell = scene.content(object, (0, 0), Own::Drawn, 1, 0);
            scene.part(cell);
        }
        Told::Unmapped { object } => {
            let Some(mapping) = scene.mappings.remove(object) else { return };
            scene.read(mapping.cell);
            // It is kept with the call that has mapped the buffer, which copies ask for.
            let number = scene.number;
            scene.tape.pair(mapping.call, number);
        }
        _ => {}
    }
}

/// A range of a buffer is replaced.
pub(super) fn write_range(scene: &mut Scene, id: Id, offset: u64, length: u64) {
    scene.read_all(id, Class::State);
    if offset == 0 && length > 0 && length >= scene.bytes_of(id) {
        scene.replace(id, (0, 0));
    }
    let cell = scene.content(id, (0, 0), Own::Part, offset, length);
    scene.whole(cell);
}

fn map(scene: &mut Scene, id: Id, address: u64, offset: u64, length: u64, access: u32) {
    scene.read_all(id, Class::State);
    let number = scene.number;
    // Each mapping has a cell of its own, which its copies read.
    let cell = scene.cell(id, Class::Inputs, Own::Mapped, number.into(), 0);
    scene.whole(cell);
    if access & gl::MAP_INVALIDATE_BUFFER_BIT != 0 {
        scene.replace(id, (0, 0));
        let cell = scene.content(id, (0, 0), Own::Whole, 0, 0);
        scene.whole(cell);
    }
    scene.mappings.insert(id, address, length, Mapping { address, offset, cell, call: number });
}

/// The tracer's record of what a program wrote into mapped memory.
fn memcpy(scene: &mut Scene, call: &Call, _: &Function) {
    let (address, length) = (call.int(0) as u64, call.int(2) as u64);
    let length = match call.argument(1) {
        Value::Bytes(_, length) => length,
        _ => length,
    };
    match scene.mappings.around(address).map(|(buffer, mapping)| (buffer, *mapping)) {
        Some((buffer, mapping)) => {
            scene.read(mapping.cell);
            let offset = mapping.offset.saturating_add(address - mapping.address);
            write_range(scene, buffer, offset, length);
        }
        None => scene.always(),
    }
}
