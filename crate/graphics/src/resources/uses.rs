//! What draws of a context use: the objects that its cells hold, and those that these hold.

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::effects::Parts;
use unspool_gl::machine::{buffers, textures, what};

use super::shaders::Written;
use super::{DRAWS, Resources, WRITES, What};

/// A cell: owner, what and index.
type Key = (u32, u16, u32);

/// What draws of a context use.
#[derive(Default)]
pub(super) struct Uses {
    /// The owner of the cells of the context. 0 before anything is known of it.
    owner: u32,
    /// Draws so far, and those of vertices out of arrays.
    draws: Series,
    arrays: Series,
    /// Draws, clears and copies to the framebuffer that is bound.
    writes: Series,
    /// The objects that draws use, by the cells that hold them.
    held: HashMap<Key, u32>,
    used: HashMap<u32, Use>,
    /// Those that are used since the latest draw.
    fresh: Vec<u32>,
    target: Target,
    /// Transform feedback runs.
    is_feedback: bool,
    /// The bindings that shaders may write have changed since the latest draw.
    are_bindings_fresh: bool,
}

/// Calls of a kind: how many there were, and the latest one.
#[derive(Clone, Copy, Debug, Default)]
struct Series {
    count: u64,
    last: u64,
    /// The thread of the latest one.
    thread: u32,
}

impl Series {
    fn add(&mut self, call: u64, thread: u32) {
        (self.count, self.last, self.thread) = (self.count + 1, call, thread);
    }
}

/// An object that draws use. However many cells hold it, a draw uses it once.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    cells: u32,
    /// The number of draws when the first of these cells got it.
    since: u64,
    /// Draws use what it holds, too.
    refers: bool,
    /// It is a vertex array or one of its buffers, which only draws of arrays use.
    is_array: bool,
}

impl Uses {
    /// The draws that use an object.
    fn series(&self, it: Use) -> Series {
        if it.is_array { self.arrays } else { self.draws }
    }
}

/// The framebuffer that is drawn to.
#[derive(Clone, Debug, Default)]
struct Target {
    /// 0 for the window.
    object: u32,
    /// The number of writes when it was bound.
    since: u64,
    /// Nothing was written to it since.
    is_fresh: bool,
    /// Attachments whose first write since then is noted.
    noted: Vec<u32>,
    /// The parts that draws write may be others than at the latest draw.
    is_changed: bool,
}

/// The meaning of a cell that holds an object, for draws.
enum Role {
    /// Nothing, or what the call says by itself.
    None,
    /// They use it.
    Used,
    /// They use it, and what it holds.
    Container,
    /// They write to it.
    Target,
    /// They write to it while transform feedback runs.
    Feedback,
    /// They use it where no program is in use.
    Pipeline,
}

fn role(cell: u16, index: u32) -> Role {
    match cell {
        what::DRAW_FRAMEBUFFER_BINDING => Role::Target,
        what::VERTEX_ARRAY_BINDING | what::TEXTURE_BINDING_BUFFER => Role::Container,
        what::PROGRAM_PIPELINE_BINDING => Role::Pipeline,
        what::INDEXED_BUFFER if target_of(index) == gl::TRANSFORM_FEEDBACK_BUFFER => Role::Feedback,
        what::INDEXED_BUFFER
        | what::SAMPLER_BINDING
        | what::CURRENT_PROGRAM
        | what::IMAGE_UNIT
        | what::QUERY_ACTIVE
        | what::ELEMENT_ARRAY_BUFFER_BINDING
        | what::VERTEX_BINDING_BUFFER
        | what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING
        | what::CLIENT_BUFFER
        | what::TEXTURE_BUFFER_DATA_STORE_BINDING
        | what::STAGE => Role::Used,
        _ if textures::TARGETS.iter().any(|(_, binding, _)| *binding == cell) => Role::Used,
        _ => Role::None,
    }
}

/// The target of an indexed binding, by the index of its cell.
pub(super) fn target_of(index: u32) -> u32 {
    buffers::TARGETS.get(index as usize >> 8).map_or(0, |(target, _)| *target)
}

/// Whether a call that puts an object into the cell binds it.
pub(super) fn is_binding(cell: u16) -> bool {
    match role(cell, 0) {
        Role::Used => !matches!(
            cell,
            what::VERTEX_ATTRIB_ARRAY_BUFFER_BINDING
                | what::CLIENT_BUFFER
                | what::TEXTURE_BUFFER_DATA_STORE_BINDING
                | what::STAGE
        ),
        Role::None => {
            matches!(cell, what::READ_FRAMEBUFFER_BINDING | what::RENDERBUFFER_BINDING)
                || buffers::TARGETS.iter().any(|(_, binding)| *binding == cell)
        }
        _ => true,
    }
}

impl Resources {
    /// The uses of the current context, which are put back afterwards.
    pub(super) fn take_uses(&mut self) -> Option<(usize, Uses)> {
        let at = self.machine.context_position()?;
        if self.uses.len() <= at {
            self.uses.resize_with(at + 1, Uses::default);
        }
        let mut uses = core::mem::take(self.uses.get_mut(at)?);
        if uses.owner == 0 {
            uses.owner = self.machine.context_owner();
            // Vertex array 0 is an array, too.
            let array = self.machine.vertex_array();
            let key = (uses.owner, what::VERTEX_ARRAY_BINDING, 0);
            self.put(&mut uses, key, array, true);
        }
        Some((at, uses))
    }

    pub(super) fn put_uses(&mut self, at: usize, uses: Uses) {
        if let Some(slot) = self.uses.get_mut(at) {
            *slot = uses;
        }
    }

    /// A cell gets another object, 0 for none.
    pub(super) fn place(&mut self, uses: &mut Uses, (owner, cell, index): Key, object: u32) {
        if cell == what::ATTACHMENT && owner == uses.target.object {
            // The next write to it is one with other things bound.
            uses.target.noted.retain(|other| *other != object);
            uses.target.is_changed = true;
        }
        let is_own = owner == uses.owner;
        if !is_own && !uses.used.get(&owner).is_some_and(|it| it.refers) {
            return;
        }
        let key = (owner, cell, index);
        match role(cell, index) {
            Role::None => return,
            Role::Target => return self.retarget(uses, object),
            Role::Feedback => {
                if uses.is_feedback {
                    self.put(uses, key, object, false);
                }
            }
            Role::Container => {
                let array = cell == what::VERTEX_ARRAY_BINDING && object == 0;
                let object = if array { self.machine.vertex_array() } else { object };
                self.put(uses, key, object, true);
            }
            Role::Used => self.put(uses, key, object, false),
            Role::Pipeline => {}
        }
        if matches!(cell, what::CURRENT_PROGRAM | what::PROGRAM_PIPELINE_BINDING) {
            let (_, program) = self.machine.object(uses.owner, what::CURRENT_PROGRAM, 0);
            let (_, pipeline) = self.machine.object(uses.owner, what::PROGRAM_PIPELINE_BINDING, 0);
            let pipeline = if program == 0 { pipeline } else { 0 };
            self.put(uses, (uses.owner, what::PROGRAM_PIPELINE_BINDING, 0), pipeline, true);
        }
        uses.are_bindings_fresh |=
            matches!(cell, what::INDEXED_BUFFER | what::IMAGE_UNIT | what::CURRENT_PROGRAM | what::STAGE)
                || cell == what::PROGRAM_PIPELINE_BINDING;
    }

    fn put(&mut self, uses: &mut Uses, key: Key, object: u32, refers: bool) {
        if let Some(before) = uses.held.remove(&key) {
            self.release(uses, before);
        }
        if object != 0 {
            uses.held.insert(key, object);
            let (owner, cell, _) = key;
            let is_array = cell == what::VERTEX_ARRAY_BINDING || uses.used.get(&owner).is_some_and(|it| it.is_array);
            self.hold(uses, object, Use { refers, is_array, ..Use::default() });
        }
    }

    fn hold(&mut self, uses: &mut Uses, object: u32, by: Use) {
        let since = uses.series(by).count;
        let it = uses.used.entry(object).or_insert(Use { since, refers: false, ..by });
        it.cells += 1;
        let is_new = it.cells == 1;
        let refers_now = by.refers && !it.refers;
        it.refers |= by.refers;
        if is_new {
            uses.fresh.push(object);
        }
        if refers_now {
            let inner: Vec<(Key, u32)> = self
                .machine
                .cells_of(object)
                .filter(|(cell, index, _)| matches!(role(*cell, *index), Role::Used))
                .filter(|(cell, index, _)| self.machine.is_array_on(object, *cell, *index))
                .filter_map(|(cell, index, it)| match it.value {
                    Value::Object { instance, .. } => Some(((object, cell, index), instance)),
                    _ => None,
                })
                .collect();
            for (key, instance) in inner {
                self.put(uses, key, instance, false);
            }
        }
    }

    fn release(&mut self, uses: &mut Uses, object: u32) {
        let Some(it) = uses.used.get_mut(&object) else { return };
        it.cells -= 1;
        if it.cells > 0 {
            return;
        }
        let it = *it;
        uses.used.remove(&object);
        uses.fresh.retain(|other| *other != object);
        self.settle_use(uses, object, it);
        if it.refers {
            let inner: Vec<Key> = self.machine.cells_of(object).map(|(cell, index, _)| (object, cell, index)).collect();
            for key in inner {
                if let Some(instance) = uses.held.remove(&key) {
                    self.release(uses, instance);
                }
            }
        }
    }

    /// Adds the draws that have used an object.
    fn settle_use(&mut self, uses: &Uses, object: u32, it: Use) {
        let Series { count, last, thread } = uses.series(it);
        let draws = count - it.since;
        if let Some(at) = self.of_object(object).filter(|_| draws > 0) {
            self.count(at, DRAWS, draws);
            self.event_on(at, last, thread, What::DrawnUntil);
            if self.programs.contains_key(&object) {
                self.count_shaders(object, draws);
            }
        }
    }

    /// A program gets other shaders: the draws so far were those of the ones before.
    pub(super) fn relink(&mut self, uses: &mut Uses, program: u32) {
        if let Some(it) = uses.used.get(&program).copied() {
            let since = uses.series(it).count;
            uses.used.insert(program, Use { since, ..it });
            self.settle_use(uses, program, it);
            if !uses.fresh.contains(&program) {
                uses.fresh.push(program);
            }
        }
        self.link(program);
        uses.are_bindings_fresh = true;
    }

    fn retarget(&mut self, uses: &mut Uses, object: u32) {
        let writes = uses.writes.count - uses.target.since;
        if let Some(at) = self.of_object(uses.target.object).filter(|_| writes > 0) {
            self.count(at, WRITES, writes);
            self.event_on(at, uses.writes.last, uses.writes.thread, What::DrawnUntil);
        }
        uses.target = Target { object, since: uses.writes.count, is_fresh: true, noted: Vec::new(), is_changed: true };
    }

    /// A draw.
    pub(super) fn draw(&mut self, uses: &mut Uses, call: u64, has_arrays: bool, is_indirect: bool) {
        uses.draws.add(call, self.thread);
        if has_arrays {
            uses.arrays.add(call, self.thread);
        }
        let Uses { fresh, used, .. } = uses;
        let is_used = |object: &mut u32| has_arrays || !used.get(object).is_some_and(|it| it.is_array);
        let drawn: Vec<u32> = fresh.extract_if(.., is_used).collect();
        for object in drawn {
            if let Some(at) = self.of_object(object) {
                self.event(at, call, What::Drawn);
            }
        }
        self.write_target(uses, call, None);
        if is_indirect {
            let (_, buffer) = self.machine.object(uses.owner, what::DRAW_INDIRECT_BUFFER_BINDING, 0);
            if let Some(at) = self.of_object(buffer).filter(|_| !uses.used.contains_key(&buffer)) {
                self.count(at, DRAWS, 1);
                self.event(at, call, What::Drawn);
            }
        }
        if core::mem::take(&mut uses.are_bindings_fresh) {
            for object in self.written_by_shaders(uses, false) {
                self.write(object, call);
            }
        }
    }

    /// The graphics processor writes an object.
    pub(super) fn write(&mut self, object: u32, call: u64) {
        if let Some(at) = self.of_object(object) {
            self.count(at, WRITES, 1);
            self.event(at, call, What::Written);
        }
    }

    /// A clear of parts of a framebuffer, or a copy to them.
    pub(super) fn clear(&mut self, uses: &mut Uses, framebuffer: u32, parts: Parts, call: u64) {
        if parts.is_empty() {
            return;
        }
        if framebuffer == uses.target.object {
            return self.write_target(uses, call, Some(parts));
        }
        self.write(framebuffer, call);
        for part in self.machine.attachments(framebuffer, parts) {
            self.write(part, call);
        }
    }

    /// The framebuffer that is bound is written: these parts, or those that draws write.
    fn write_target(&mut self, uses: &mut Uses, call: u64, parts: Option<Parts>) {
        uses.writes.add(call, self.thread);
        if uses.target.object == 0 || (parts.is_none() && !core::mem::take(&mut uses.target.is_changed)) {
            return;
        }
        if core::mem::take(&mut uses.target.is_fresh)
            && let Some(at) = self.of_object(uses.target.object)
        {
            self.event(at, call, What::Written);
        }
        let parts = parts.unwrap_or_else(|| self.machine.drawn_parts(false));
        for part in self.machine.attachments(uses.target.object, parts) {
            if !uses.target.noted.contains(&part) {
                uses.target.noted.push(part);
                self.write(part, call);
            }
        }
    }

    /// The next write to an object, which got other contents, is noted again.
    pub(super) fn note_again(uses: &mut Uses, object: u32) {
        let before = uses.target.noted.len();
        uses.target.noted.retain(|other| *other != object);
        uses.target.is_changed |= uses.target.noted.len() < before;
    }

    /// The parts of a framebuffer that draws write may have changed.
    pub(super) fn masked(uses: &mut Uses) {
        uses.target.is_changed = true;
    }

    /// The objects that the shaders in use write through their bindings. Of shaders whose sources
    /// are not known a dispatch writes all, a draw none.
    pub(super) fn written_by_shaders(&self, uses: &Uses, is_dispatch: bool) -> Vec<u32> {
        let machine = &self.machine;
        let (_, program) = machine.object(uses.owner, what::CURRENT_PROGRAM, 0);
        let (_, pipeline) = machine.object(uses.owner, what::PROGRAM_PIPELINE_BINDING, 0);
        let of_pipeline = machine.cells_of(pipeline).filter(|(cell, ..)| *cell == what::STAGE && pipeline != 0);
        let stages = of_pipeline.map(|(_, index, _)| machine.object(pipeline, what::STAGE, index).1);
        let programs: Vec<u32> = if program == 0 { stages.collect() } else { vec![program] };
        let written: Vec<Option<Written>> =
            programs.iter().map(|program| self.programs.get(program).and_then(|it| it.written)).collect();
        let is_unknown = is_dispatch && (written.is_empty() || written.contains(&None));
        let is_written = |of: &dyn Fn(Written) -> bool| is_unknown || written.iter().flatten().any(|it| of(*it));
        let mut all: Vec<u32> = Vec::new();
        for ((owner, cell, index), object) in &uses.held {
            let is_it = *owner == uses.owner
                && match *cell {
                    what::INDEXED_BUFFER => {
                        let target = target_of(*index);
                        matches!(target, gl::SHADER_STORAGE_BUFFER | gl::ATOMIC_COUNTER_BUFFER)
                            && is_written(&|it| it.has_buffer(target, index & 0xff))
                    }
                    what::IMAGE_UNIT => {
                        let access = machine.number(uses.owner, what::IMAGE_ACCESS, *index);
                        access != Some(gl::READ_ONLY.into()) && is_written(&|it| it.has_image(*index))
                    }
                    _ => false,
                };
            if is_it {
                all.push(*object);
            }
        }
        // A table has them in any order.
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Transform feedback begins or ends. Returns the buffers that it writes.
    pub(super) fn feed_back(&mut self, uses: &mut Uses, is_on: bool) -> Vec<u32> {
        uses.is_feedback = is_on;
        let cells = self.machine.cells_of(uses.owner);
        let indexed = cells.filter(|(cell, index, _)| matches!(role(*cell, *index), Role::Feedback));
        let bound: Vec<(Key, u32)> = indexed
            .filter_map(|(cell, index, it)| match it.value {
                Value::Object { instance: instance @ 1.., .. } => Some(((uses.owner, cell, index), instance)),
                _ => None,
            })
            .collect();
        for (key, object) in &bound {
            self.put(uses, *key, if is_on { *object } else { 0 }, false);
        }
        bound.into_iter().map(|(_, object)| object).collect()
    }

    /// Adds what is still bound was drawn with, and puts events in the order of their calls: the
    /// latest draw with an object is known when something else is bound. Called at the end.
    pub fn settle(&mut self) {
        for mut uses in core::mem::take(&mut self.uses) {
            self.retarget(&mut uses, 0);
            // A table has them in any order.
            let mut used: Vec<(u32, Use)> = core::mem::take(&mut uses.used).into_iter().collect();
            used.sort_unstable_by_key(|(object, _)| *object);
            for (object, it) in used {
                self.settle_use(&uses, object, it);
            }
        }
        for resource in &mut self.all {
            resource.events.sort_by_key(|event| event.call);
        }
    }
}
