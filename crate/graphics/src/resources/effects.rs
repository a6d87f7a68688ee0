//! What happens to resources, from the effects of calls.

use unspool_gl::gl;
use unspool_gl::machine::cells::{Image, Value};
use unspool_gl::machine::effects::Effect;
use unspool_gl::machine::{objects, what};
use unspool_gl::pixels::Internal;
use unspool_gl::textures::is_cube;

use super::buffer_contents::Does;
use super::kinds::shader_type;
use super::texture::Level;
use super::uses::{Uses, is_binding, target_of};
use super::{BINDS, Kind, Mapped, Resources, Touch, What};

impl Resources {
    /// Notes the effects of the latest call.
    pub(super) fn follow(&mut self, call: u64) {
        if self.machine.effects().is_empty() {
            return;
        }
        let mut effects = core::mem::take(&mut self.effects);
        effects.clear();
        effects.extend_from_slice(self.machine.effects());
        self.bound.clear();
        if let Some((at, mut uses)) = self.take_uses() {
            for effect in &effects {
                self.effect(&mut uses, *effect, call);
            }
            self.put_uses(at, uses);
        }
        self.effects = effects;
    }

    fn effect(&mut self, uses: &mut Uses, effect: Effect, call: u64) {
        match effect {
            Effect::Created { object, kind, name, is_generated } => {
                self.created(object, kind, name, is_generated, call)
            }
            Effect::Deleted { object } => self.deleted(object, call),
            Effect::Labelled { object } => self.labelled(object),
            Effect::Placed { owner, what: cell, index, object } => {
                if let Some(at) = self.of_object(object) {
                    self.bound_at(at, object, (cell, index), call);
                }
                self.place(uses, (owner, cell, index), object);
            }
            Effect::Attached { whole, part } => self.add_part(whole, part),
            Effect::Sized { object, level, image } => self.sized(object, level, image),
            Effect::Drawn { has_arrays, is_indirect } => self.draw(uses, call, has_arrays, is_indirect),
            Effect::Cleared { framebuffer, parts } => self.clear(uses, framebuffer, parts, call),
            Effect::Masked => Self::masked(uses),
            Effect::Linked { program } => {
                self.relink(uses, program);
                if let Some(at) = self.of_object(program) {
                    self.uploaded_to(at, call, 0, 0);
                }
            }
            Effect::Computed => {
                for object in self.written_by_shaders(uses, true) {
                    self.written(object, call);
                }
            }
            Effect::Feedback { is_on } => {
                let objects = self.feed_back(uses, is_on);
                for object in objects.into_iter().filter(|_| is_on) {
                    self.written(object, call);
                }
            }
            Effect::Uploaded { object, bytes } => {
                Self::note_again(uses, object);
                let Some(at) = self.of_object(object) else { return };
                if let Some(shader) = self.all.get_mut(at as usize).filter(|it| it.kind == Kind::Shader) {
                    shader.size = bytes;
                }
                self.uploaded_to(at, call, bytes, 0);
            }
            _ => self.buffer_effect(effect, call),
        }
    }

    fn buffer_effect(&mut self, effect: Effect, call: u64) {
        match effect {
            Effect::Allocated { object, bytes } => {
                if let Some(at) = self.of_object(object)
                    && let Some(resource) = self.all.get_mut(at as usize)
                {
                    resource.size = bytes;
                }
            }
            Effect::Copied { to, from } => {
                let from = self.of_object(from);
                self.changed_by(to, Does::Copy(from), call);
            }
            Effect::Filled { object } => self.changed_by(object, Does::Clear, call),
            Effect::Forgotten { object } => {
                if let Some(at) = self.of_object(object) {
                    self.changed(at, call, Does::Forget);
                }
            }
            Effect::Written { object } => self.written(object, call),
            Effect::Mapped { object, address, offset, length } => {
                let Some(at) = self.of_object(object) else { return };
                self.touch(at, Touch::Map);
                if address != 0 {
                    let size = self.all.get(at as usize).map_or(0, |it| it.size);
                    self.mapped.insert(at, address, length.unwrap_or(size), Mapped { address, offset });
                }
            }
            Effect::Unmapped { object } => {
                let Some(at) = self.of_object(object) else { return };
                self.touch(at, Touch::Map);
                self.mapped.remove(at);
            }
            _ => {}
        }
    }

    /// A call writes an object. Changes are noted of buffers only.
    fn changed_by(&mut self, object: u32, does: Does, call: u64) {
        if let Some(at) = self.of_object(object) {
            self.changed(at, call, does);
        }
        self.write(object, call);
    }

    /// The graphics processor writes an object: of a buffer all, as far as is known.
    fn written(&mut self, object: u32, call: u64) {
        self.changed_by(object, Does::Write, call);
    }

    fn created(&mut self, object: u32, kind: objects::Kind, name: u32, is_generated: bool, call: u64) {
        let Some(kind) = Kind::of_machine(kind) else { return };
        let group = self.group_of(kind);
        let Some(at) = self.create(group, kind, name, call, is_generated) else { return };
        if self.by_object.len() <= object as usize {
            self.by_object.resize(object as usize + 1, 0);
        }
        if let Some(slot) = self.by_object.get_mut(object as usize) {
            *slot = at + 1;
        }
        let stage = self.machine.number(object, what::STAGE, 0).and_then(|stage| shader_type(stage as u32));
        if let (Kind::Shader, Some(resource)) = (kind, self.all.get_mut(at as usize)) {
            resource.facts = stage.unwrap_or_default().into();
        }
    }

    /// The number of the context or share group that objects of a kind belong to now: 0 without a
    /// context.
    fn group_of(&mut self, kind: Kind) -> u32 {
        let (Some(at), Some(whole)) = (self.machine.context_position(), self.machine.whole()) else { return 0 };
        let of = if kind.is_shared() { whole.group as usize } else { at };
        self.listed_context(of).map_or(0, |listed| listed + 1)
    }

    /// The position in [`Resources::contexts`] of the context that has this one in the machine.
    pub(super) fn listed_context(&mut self, at: usize) -> Option<u32> {
        // Contexts that are only implied are not listed.
        let all = self.machine.contexts();
        for context in all.iter().skip(self.listed.len()) {
            let before = self.listed.last().copied().unwrap_or_default();
            self.listed.push(before + u32::from(context.handle != 0));
        }
        all.get(at).filter(|context| context.handle != 0)?;
        self.listed.get(at)?.checked_sub(1)
    }

    fn deleted(&mut self, object: u32, call: u64) {
        let Some(at) = self.of_object(object) else { return };
        if let Some(resource) = self.all.get_mut(at as usize) {
            resource.deleted = Some(call);
        }
        self.event(at, call, What::Deleted);
    }

    fn labelled(&mut self, object: u32) {
        let label = match self.machine.value(object, what::LABEL, 0) {
            Value::Text(text) => text.to_string(),
            _ => String::new(),
        };
        if let Some(at) = self.of_object(object)
            && let Some(resource) = self.all.get_mut(at as usize)
        {
            resource.label = label;
        }
    }

    /// A cell got an object.
    fn bound_at(&mut self, at: u32, object: u32, (cell, index): (u16, u32), call: u64) {
        if is_binding(cell) && self.bound.insert(object) {
            self.count(at, BINDS, 1);
            self.event(at, call, What::Bound);
        }
        match cell {
            what::INDEXED_BUFFER => self.exposed(at, target_of(index), call),
            what::QUERY_BUFFER_BINDING => self.exposed(at, gl::QUERY_BUFFER, call),
            _ => {}
        }
        self.set_target(at, object);
    }

    fn set_target(&mut self, at: u32, object: u32) {
        let target = self.machine.number(object, what::TARGET, 0).unwrap_or_default();
        if let Some(resource) = self.all.get_mut(at as usize).filter(|it| it.kind == Kind::Texture) {
            resource.texture.target = target as u32;
        }
    }

    fn sized(&mut self, object: u32, level: u32, image: Image) {
        let Some(at) = self.of_object(object) else { return };
        self.set_target(at, object);
        let Some(resource) = self.all.get_mut(at as usize) else { return };
        let Image { width, height, depth, format, samples, pixels } = image;
        if resource.kind == Kind::Texture {
            let depth = if is_cube(resource.texture.target) { 6 } else { depth };
            resource.texture.set(Level { level, size: [width, height, depth], internal: format, of: pixels, samples });
            resource.size = resource.texture.bytes();
            return;
        }
        let known = Internal::of(format, 0);
        let name = known.map_or_else(|| format!("{format:#06x}"), |known| known.name().into());
        resource.facts = format!("{width} × {height} {name}");
        if samples > 0 {
            resource.facts += &format!(", {samples} samples");
        }
        let texel = known.map_or(0, |known| known.texel_bytes());
        let sides = [width, height, samples.max(1)].map(u64::from);
        resource.size = sides.into_iter().fold(texel, u64::saturating_mul);
    }
}
