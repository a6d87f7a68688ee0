//! Reads of draws from what is bound: arrays, buffers, programs, textures by the units of those,
//! framebuffers.

use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::objects::{Kind, NAMELESS};
use unspool_gl::machine::{textures, what};

use super::groups::{Class, OF_CONTEXT};
use super::scene::{Id, Object, Scene};
use super::tape::Effect;

/// A part of a framebuffer: an object, its level and its layer or face.
pub(super) type Part = (Id, u32, u32);
/// A part that is drawn to, and whether it is colour, depth or stencil.
pub(super) type Drawn = (Part, u32);

pub(super) const COLOUR: u32 = 0;
pub(super) const DEPTH: u32 = 1;
pub(super) const STENCIL: u32 = 2;

impl Scene {
    /// Whether a switch of the current context is on.
    pub(super) fn is_on(&self, what: u32) -> bool {
        self.machine.value(self.machine.context_owner(), what as u16, 0) == &Value::Bool(true)
    }

    /// The parts of a framebuffer, 0 for the window.
    pub(super) fn attachments(&mut self, framebuffer: Id, is_read: bool) -> Vec<Drawn> {
        if framebuffer == 0 {
            let window = self.window(is_read);
            return [COLOUR, DEPTH, STENCIL].map(|aspect| ((window, 0, 0), aspect)).into();
        }
        let Some(object) = self.objects.get(&framebuffer) else { return Vec::new() };
        let attachments = object.places.iter().filter(|(cell, _)| *cell == what::ATTACHMENT);
        let drawn = attachments.filter_map(|(cell, index)| match self.machine.value(framebuffer, *cell, *index) {
            Value::Attachment(it) => {
                let aspect = match *index {
                    gl::DEPTH_ATTACHMENT => DEPTH,
                    gl::STENCIL_ATTACHMENT => STENCIL,
                    _ => COLOUR,
                };
                Some(((it.instance, it.level, it.layer.unwrap_or(it.face)), aspect))
            }
            _ => None,
        });
        drawn.collect()
    }

    /// The framebuffer that is drawn to or read, 0 for the window.
    pub(super) fn framebuffer(&self, is_read: bool) -> Id {
        self.bound(if is_read { what::READ_FRAMEBUFFER_BINDING } else { what::DRAW_FRAMEBUFFER_BINDING }, 0)
    }

    /// Reads all state of the context, and what is bound.
    pub(super) fn read_everything(&mut self) {
        OF_CONTEXT.into_iter().for_each(|class| self.read_context(class));
        self.read_bound(true);
        for target in [what::PIXEL_UNPACK_BUFFER_BINDING, what::ARRAY_BUFFER_BINDING] {
            self.read_buffer(target);
        }
    }

    /// Reads what a draw reads: state, programs, buffers, textures and the framebuffer.
    pub(super) fn read_bound(&mut self, is_any_unit: bool) {
        self.read_tops(self.at);
        let version = self.version;
        if let Some((_, set)) = self.context().bound.filter(|(at, _)| *at == version && !is_any_unit) {
            return self.effects.push(Effect::ReadSet(set));
        }
        let mut all = [Class::State, Class::Current].map(|class| Effect::ReadAll(self.context_group(class))).to_vec();
        // Of some only what they are is read, of others what they hold, too.
        let framebuffer = self.framebuffer(false);
        let mut defined = vec![self.machine.vertex_array(), self.owner_of(framebuffer)];
        let mut held = self.buffers_read();
        let units = self.programs_read(&mut defined, &mut held).filter(|_| !is_any_unit);
        let textures = self.textures_read(units.as_deref());
        held.extend(textures.iter().flat_map(|id| self.parts(*id)));
        held.extend(textures);
        defined.extend(self.attachments(framebuffer, false).into_iter().map(|(part, _)| part.0));
        for ids in [&mut held, &mut defined] {
            ids.retain(|id| *id != 0);
            ids.sort_unstable();
            ids.dedup();
        }
        defined.retain(|id| held.binary_search(id).is_err());
        for id in held {
            all.extend([Class::State, Class::Contents].map(|class| Effect::ReadAll(self.group(id, class))));
        }
        for id in defined {
            all.push(Effect::ReadAll(self.group(id, Class::State)));
        }
        let set = self.tape.set_of(&all);
        if !is_any_unit {
            self.context().bound = Some((version, set));
        }
        self.effects.push(Effect::ReadSet(set));
    }

    /// The owner of what a framebuffer is: of the window, the object that has no name.
    pub(super) fn owner_of(&self, framebuffer: Id) -> Id {
        let own = || self.machine.number(self.machine.context_owner(), Kind::Framebuffer.what(), NAMELESS);
        if framebuffer == 0 { own().map_or(0, |own| own as Id) } else { framebuffer }
    }

    /// The objects that cells of an owner hold, with what these cells are.
    fn held_by(&self, owner: Id) -> impl Iterator<Item = (u16, u32, Id)> {
        let places = self.objects.get(&owner).into_iter().flat_map(|object| &object.places);
        places.map(move |(what, index)| (*what, *index, self.machine.object(owner, *what, *index).1))
    }

    /// The buffers of the vertex array that is bound, and those that are bound to where draws find
    /// them.
    fn buffers_read(&mut self) -> Vec<Id> {
        let array = self.machine.vertex_array();
        let of_context = self.held_by(self.machine.context_owner()).filter(|(what, ..)| {
            matches!(
                *what,
                what::INDEXED_BUFFER
                    | what::DRAW_INDIRECT_BUFFER_BINDING
                    | what::PARAMETER_BUFFER_BINDING
                    | what::DISPATCH_INDIRECT_BUFFER_BINDING
            )
        });
        let mut buffers: Vec<Id> = of_context.chain(self.held_by(array)).map(|(.., buffer)| buffer).collect();
        buffers.extend(self.objects.get(&array).into_iter().flat_map(Object::joined));
        buffers
    }

    /// The programs that draws execute, and the pipeline that has them.
    pub(super) fn programs(&self) -> (Vec<Id>, Id) {
        let program = self.bound(what::CURRENT_PROGRAM, 0);
        if program != 0 {
            return (vec![program], 0);
        }
        let pipeline = self.bound(what::PROGRAM_PIPELINE_BINDING, 0);
        let stages = self.held_by(pipeline).filter(|(what, _, program)| *what == what::STAGE && *program != 0);
        (stages.map(|(.., program)| program).collect(), pipeline)
    }

    /// Whether assembly programs are executed.
    pub(super) fn has_assembly(&self) -> bool {
        self.is_on(gl::VERTEX_PROGRAM_ARB) || self.is_on(gl::FRAGMENT_PROGRAM_ARB)
    }

    /// Units whose textures the fixed function reads.
    pub(super) fn fixed_units(&mut self) -> Vec<u32> {
        let owner = self.machine.context_owner();
        let switches = self.context().switches.clone();
        let on =
            switches.into_iter().filter(|(what, unit)| self.machine.value(owner, *what, *unit) == &Value::Bool(true));
        on.map(|(_, unit)| unit).collect()
    }

    /// Adds what a draw reads of programs, and returns the units whose textures it may read. `None`
    /// for all.
    fn programs_read(&mut self, defined: &mut Vec<Id>, held: &mut Vec<Id>) -> Option<Vec<u32>> {
        let (programs, pipeline) = self.programs();
        defined.push(pipeline);
        let has_assembly = self.has_assembly();
        if programs.is_empty() {
            return (!has_assembly).then(|| self.fixed_units());
        }
        let mut units = vec![0];
        let mut is_any = has_assembly;
        for program in programs {
            let object = self.object(program);
            units.extend(&object.units);
            is_any |= object.has_any_unit;
            held.push(program);
        }
        (!is_any).then_some(units)
    }

    /// Textures, samplers and images that units read, `None` for all, and what may be bound
    /// besides.
    fn textures_read(&mut self, units: Option<&[u32]>) -> Vec<Id> {
        let owner = self.machine.context_owner();
        let is_read = |unit: &u32| units.is_none_or(|units| units.contains(unit));
        let is_binding = |what: u16| textures::TARGETS.iter().any(|(_, binding, _)| *binding == what);
        let read = self.held_by(owner).filter(|(what, unit, _)| match *what {
            what::IMAGE_UNIT => true,
            what::SAMPLER_BINDING => is_read(unit),
            what => is_binding(what) && is_read(unit),
        });
        let mut read: Vec<Id> = read.map(|(.., id)| id).collect();
        // Those without a name, if a unit has no other one of the target.
        let nameless = self.context().nameless.clone();
        let is_bare = |at: u32, unit: u32| {
            let binding = textures::TARGETS.get(at as usize).map_or(0, |(_, binding, _)| *binding);
            self.machine.object(owner, binding, unit).1 == 0
        };
        let is_used = |at: u32| units.is_none_or(|units| units.iter().any(|unit| is_bare(at, *unit)));
        read.extend(nameless.into_iter().filter(|(at, _)| is_used(*at)).map(|(_, id)| id));
        read.extend(&self.context().extras);
        read
    }
}
