//! Reads and writes of a call, by what the machine has noted of it and by what it did to objects.
//!
//! The machine says which cells of contexts and objects a call asked for and set. These are cells
//! of the tape, in groups ([`Class`]). What objects hold is not in the machine: cells of contents
//! are made here.

use std::collections::BTreeSet;

use hashbrown::{HashMap, HashSet};
use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::effects::Effect as Told;
use unspool_gl::machine::notes::Note;
use unspool_gl::machine::objects::{Kind, NAMELESS, is_name};
use unspool_gl::machine::{Machine, what};
use unspool_gl::mappings::Mappings;

use super::functions::{Function, Named, Rule, Table};
use super::groups::{ALL, Class, OF_CONTEXT};
use super::recorded::Recording;
use super::stacks::{Pushed, Saved};
use super::tape::{Cell, Effect, Group, Tape};
use super::{MOST_NOTES, Refusal, buffers, recorded, settings, sources, textures};
use unspool_gl::call::{Call, Value as Argument};

/// A context, a share group or an object: the owner of its cells in the machine. 0 stands for no
/// object. Windows and display lists have numbers from [`WINDOWS`] and [`LISTS`] on.
pub(super) type Id = u32;
pub(super) const LISTS: Id = 1 << 28;
pub(super) const WINDOWS: Id = 1 << 29;

/// Bytes that an object takes, about.
const OF_OBJECT: usize = 400;
/// Indexes of cells that the machine holds are below this.
const MOST_INDEXES: u32 = 1 << 20;
/// Names of a call that is not known which are looked at.
const MOST_NAMES: usize = 256;

/// A cell that the tape has and the machine has not, within its group. Its numbers say which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Own {
    Shape = 1,
    Whole,
    Part,
    Drawn,
    Mipmaps,
    Saved,
    Matrix,
    Begun,
    Primitive,
    Size,
    Shader,
    Linked,
    Location,
    Uniform,
    Block,
    Mapped,
    Sync,
    List,
}

/// Numbers of cells of the tape begin here: those of the machine that are below are its own.
pub(super) const OWN: u16 = 0xfe00;

/// Facts on an object, a context or a share group that the machine does not have.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// `None` for contexts, windows and lists.
    pub(super) kind: Option<Kind>,
    /// Its name, 0 if it has none.
    pub(super) name: u64,
    groups: [Group; ALL.len()],
    /// Cells of its contents, by level and face, or by what else is replaced together.
    pub(super) cells: HashMap<(u32, u32), BTreeSet<Cell>>,
    /// Cells of the machine that have held objects.
    pub(super) places: BTreeSet<(u16, u32)>,
    /// Objects that a call which is not known may have joined with it.
    joined: BTreeSet<Id>,
    is_used: bool,
    /// Of a program: units that its samplers may read, and whether these are not known.
    pub(super) units: BTreeSet<u32>,
    pub(super) has_any_unit: bool,
    /// Of a window.
    pub(super) size: [u32; 2],
    /// Of a window: its size has changed since it was last swapped.
    pub(super) is_resized: bool,
}

impl Object {
    /// Its groups of cells.
    pub(super) fn groups(&self) -> impl Iterator<Item = (Class, Group)> {
        ALL.into_iter().zip(self.groups)
    }

    /// Objects that calls which are not known may have joined with it.
    pub(super) fn joined(&self) -> impl Iterator<Item = Id> {
        self.joined.iter().copied()
    }
}

/// Facts on a context that the machine does not have.
#[derive(Debug, Default)]
pub(super) struct Context {
    pub(super) owner: Id,
    groups: [Group; ALL.len()],
    pub(super) saved: Vec<Saved>,
    pub(super) saved_clients: Vec<Saved>,
    /// Stacks of matrices.
    pub(super) stacks: Vec<Pushed>,
    pub(super) recording: Option<Recording>,
    pub(super) is_in_primitive: bool,
    /// Textures that have no name, by the position of their target.
    pub(super) nameless: Vec<(u32, Id)>,
    /// Switches of targets of the fixed function that were ever set, with their units.
    pub(super) switches: BTreeSet<(u16, u32)>,
    /// The queries that run, with their targets.
    pub(super) queries: Vec<(u32, Id)>,
    /// Objects that calls which are not known may have bound.
    pub(super) extras: BTreeSet<Id>,
    /// Calls that have begun something which has not ended.
    pub(super) begun: HashMap<u32, Vec<u32>>,
    /// The version of what is bound at the latest draw, and the set of what that has read.
    pub(super) bound: Option<(u64, u32)>,
}

/// Memory that a program has mapped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) address: u64,
    /// Its beginning in the buffer.
    pub(super) offset: u64,
    pub(super) cell: Cell,
    /// The call that has mapped it.
    pub(super) call: u32,
}

/// Everything that is known after a call.
pub(super) struct Scene {
    pub(super) tape: Tape,
    pub(super) machine: Machine,
    pub(super) functions: Table,
    /// By their positions in the machine, from 1 on: the first is for calls without a context.
    pub(super) contexts: Vec<Context>,
    nowhere: Context,
    pub(super) no_stack: Pushed,
    pub(super) objects: HashMap<Id, Object>,
    pub(super) windows: HashMap<u64, Id>,
    pub(super) lists: recorded::Lists,
    pub(super) mappings: Mappings<Id, Mapping>,
    /// Cells of the tape by cells of the machine: owner, what and index.
    noted: HashMap<u64, Option<Cell>>,
    notes: Vec<Note>,
    /// The effects of the current call.
    pub(super) effects: Vec<Effect>,
    /// The number of the current call.
    pub(super) number: u32,
    /// Position of the current context.
    pub(super) at: usize,
    pub(super) thread: u64,
    pub(super) is_of_frames: bool,
    pub(super) draws: bool,
    pub(super) refusal: Option<Refusal>,
    /// Calls of lists that may still be executed for the current call, and how deep they nest.
    pub(super) budget: u32,
    pub(super) nesting: u32,
    /// Grows when something else is bound, or samplers read other units.
    pub(super) version: u64,
    /// Pairs of windows and contexts that were current together.
    pub(super) met: HashSet<(u32, u64)>,
    /// Draws into a window without clearing it first let what it held shine through: the first call
    /// that does. The other: windows are drawn to or cleared in the frames.
    pub(super) fades: Option<u32>,
    pub(super) has_filled: bool,
    /// The program relies on what a window holds after it was swapped.
    pub(super) reads_age: bool,
}

impl core::fmt::Debug for Scene {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Scene").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            tape: Tape::default(),
            machine: Machine::of_notes(),
            functions: Table::default(),
            contexts: Vec::new(),
            nowhere: Context::default(),
            no_stack: Pushed::default(),
            objects: HashMap::new(),
            windows: HashMap::new(),
            lists: recorded::Lists::default(),
            mappings: Mappings::default(),
            noted: HashMap::new(),
            notes: Vec::new(),
            effects: Vec::new(),
            number: 0,
            at: 0,
            thread: 0,
            is_of_frames: false,
            draws: false,
            refusal: None,
            budget: 0,
            nesting: 0,
            version: 0,
            met: HashSet::new(),
            fades: None,
            has_filled: false,
            reads_age: false,
        }
    }
}

/// Calls.
impl Scene {
    /// Executes a call of the trace.
    pub(super) fn call(&mut self, call: &Call, function: &Function) {
        (self.thread, self.number) = (call.thread, call.number as u32);
        (self.budget, self.nesting) = (recorded::MAX_LISTED, 0);
        self.machine.look(call.thread);
        if call.is_incomplete {
            self.enter();
        } else {
            self.step(call, function, false);
        }
        if self.is_of_frames && function.is_gl && self.has_context() {
            self.read_names(call, function);
        }
    }

    /// Executes a call of the trace or of a list.
    pub(super) fn step(&mut self, call: &Call, function: &Function, is_listed: bool) {
        let executes = if function.is_listed && !is_listed { self.machine.compiles() } else { None };
        let mut notes = core::mem::take(&mut self.notes);
        notes.clear();
        match function.machine {
            Some(_) if is_listed => self.machine.apply_listed(call, &mut notes),
            Some(number) => self.machine.apply_noting(call, number, &mut notes),
            None => self.machine.forget_latest(),
        }
        self.enter();
        self.act(call, function, executes, &notes);
        self.notes = notes;
    }

    fn act(&mut self, call: &Call, function: &Function, executes: Option<bool>, notes: &[Note]) {
        // A function of OpenGL changes nothing without a context.
        if function.is_gl && !self.has_context() {
            return;
        }
        if function.is_gl && self.context().is_in_primitive {
            let cell = self.own(Own::Primitive, 0, 0);
            self.part(cell);
        }
        if let Some(executes) = executes {
            recorded::record(self, function);
            if !executes {
                return;
            }
        }
        match function.rule {
            Rule::Ignored => {}
            Rule::Followed => {
                let before = self.effects.len();
                let has_effect = self.follow(call, function, notes);
                let is_set = |effect: &Effect| matches!(effect, Effect::Part(_) | Effect::Whole(_));
                let has_set = self.effects.iter().skip(before).any(is_set);
                if !has_set && !has_effect && function.may_set_more() {
                    self.set(call, function);
                }
            }
            Rule::With(run) => {
                self.follow(call, function, notes);
                run(self, call, function);
            }
            Rule::Instead(run) => run(self, call, function),
            Rule::Sets => self.set(call, function),
            Rule::Windows => self.call_of_windows(call),
            Rule::Unknown => self.unknown(call, function),
        }
    }

    /// Takes over what the machine has noted and the effects. Returns whether there are any.
    fn follow(&mut self, call: &Call, function: &Function, notes: &[Note]) -> bool {
        for note in notes {
            self.take(*note, call, function);
        }
        if self.machine.effects().is_empty() {
            return false;
        }
        let told = self.machine.effects().to_vec();
        let is_allocated = told.iter().any(|effect| matches!(effect, Told::Allocated { .. }));
        for effect in told {
            match effect {
                Told::Created { object, kind, name, .. } => {
                    let object = self.object(object);
                    (object.kind, object.name) = (Some(kind), name.into());
                }
                Told::Uploaded { object, .. } | Told::Written { object } if function.known.texture.is_some() => {
                    textures::image(self, object, call, function);
                }
                Told::Uploaded { object, .. } if !is_allocated && self.is_a(object, Kind::Buffer) => {
                    buffers::write_range(self, object, call.int(1) as u64, call.int(2) as u64);
                }
                Told::Sized { object, .. } if self.is_a(object, Kind::Renderbuffer) => textures::stored(self, object),
                Told::Linked { program } => sources::linked(self, program),
                Told::Listed { name } => recorded::execute(self, name),
                _ => buffers::told(self, effect, call),
            }
        }
        true
    }

    fn take(&mut self, note: Note, call: &Call, function: &Function) {
        let Note { owner, what: cell, index, is_set, is_object } = note;
        match cell {
            _ if is_name(cell) && (NAMELESS..NAMELESS + 64).contains(&index) => return self.found(note),
            what::MODELVIEW_MATRIX if !is_set => {
                let top = self.top(gl::MODELVIEW);
                return self.read(top);
            }
            what::UNIFORM if is_set => return sources::set_uniform(self, note, call, function),
            what::BLOCK_BINDING if is_set => return sources::set_block(self, note),
            what::COMPILED if is_set => self.read_all(owner, Class::Inputs),
            what::TEX_GEN_EYE if is_set => {
                let top = self.top(gl::MODELVIEW);
                self.read(top);
            }
            _ => {}
        }
        let Some(tape) = self.noted(owner, cell, index) else { return };
        if !is_set {
            return self.read(tape);
        }
        self.whole(tape);
        if is_object {
            let held = match self.machine.value(owner, cell, index) {
                Value::Object { instance, .. } => *instance,
                Value::Attachment(attachment) => attachment.instance,
                _ => 0,
            };
            return self.placed(owner, cell, index, held);
        }
        match u32::from(cell) {
            gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_RECTANGLE | gl::TEXTURE_CUBE_MAP => {
                self.context().switches.insert((cell, index));
                self.version += 1;
            }
            gl::VERTEX_PROGRAM_ARB | gl::FRAGMENT_PROGRAM_ARB => self.version += 1,
            _ => {}
        }
    }

    /// A cell holds another object from now on.
    fn placed(&mut self, owner: Id, cell: u16, index: u32, held: Id) {
        let places = &mut self.object(owner).places;
        if held == 0 {
            let has_held = places.contains(&(cell, index));
            self.version += u64::from(has_held);
            return;
        }
        places.insert((cell, index));
        self.version += 1;
        let object = self.object(held);
        let is_first = !core::mem::replace(&mut object.is_used, true);
        let (kind, name) = (object.kind, object.name);
        match kind {
            Some(Kind::Program) if matches!(cell, what::CURRENT_PROGRAM | what::STAGE | what::TARGET) => {
                let linked = self.cell(held, Class::State, Own::Linked, 0, 0);
                self.read(linked);
            }
            // What an object is may be decided by the first use.
            Some(
                kind @ (Kind::Texture | Kind::Buffer | Kind::Renderbuffer | Kind::VertexArray | Kind::Framebuffer),
            ) if is_first => {
                if let Some(cell) = self.name_cell(kind, name as u32) {
                    self.part(cell);
                }
            }
            _ => {}
        }
    }

    /// An object without a name.
    fn found(&mut self, note: Note) {
        let Some(object) = self.machine.number(note.owner, note.what, note.index).map(|object| object as Id) else {
            return;
        };
        if note.is_set && note.what == Kind::Texture.what() {
            self.object(object).kind = Some(Kind::Texture);
            let context = self.context();
            context.nameless.push((note.index - NAMELESS, object));
            self.version += 1;
        } else if note.is_set {
            let is_array = note.what == Kind::VertexArray.what();
            self.object(object).kind = Some(if is_array { Kind::VertexArray } else { Kind::Framebuffer });
            self.version += 1;
        }
    }

    /// Sets what the machine has no cell of.
    fn set(&mut self, call: &Call, function: &Function) {
        let Some(setting) = function.setting else {
            let cell = self.of_context(Class::State, settings::OTHERS, 0, 0);
            return self.part(cell);
        };
        let key = |at: u8| if at < setting.keys { u64::from(call.uint(at.into())) } else { 0 };
        let unit = if setting.is_of_unit {
            let active = self.active_unit();
            self.read(active);
            u64::from(self.machine.unit())
        } else {
            0
        };
        let cell = self.of_context(setting.class, setting.what(), unit << 32 | key(0), key(1));
        self.whole(cell);
    }

    /// Keeps a call of which nothing is known, with all that it may read.
    fn unknown(&mut self, call: &Call, function: &Function) {
        self.always();
        if !function.is_gl {
            return;
        }
        self.read_everything();
        let mut named = Vec::new();
        for (at, of) in &function.names {
            let names = names_of(call, *at).into_iter().take(MOST_NAMES);
            named.extend(names.filter_map(|name| match of {
                Named::Object(kind) => self.known(*kind, name),
                Named::List => None,
            }));
        }
        for id in &named {
            self.read_object(*id);
        }
        // They may refer to each other, or be bound by it.
        for id in &named {
            if matches!(
                self.object(*id).kind,
                Some(Kind::VertexArray | Kind::Framebuffer | Kind::Texture | Kind::Pipeline)
            ) {
                self.object(*id).joined.extend(named.iter().filter(|part| *part != id));
            }
        }
        self.context().extras.extend(named);
        self.version += 1;
    }

    /// Reads that the objects which a call names exist.
    fn read_names(&mut self, call: &Call, function: &Function) {
        for (at, of) in &function.names {
            match of {
                Named::Object(kind) => {
                    if self.known(*kind, call.uint(*at)).is_some()
                        && let Some(cell) = self.name_cell(*kind, call.uint(*at))
                    {
                        self.read(cell);
                    }
                }
                Named::List => recorded::read_name(self, call.uint(*at)),
            }
        }
    }
}

/// The numbers in a list.
pub(super) fn names_of(call: &Call, at: usize) -> Vec<u32> {
    match call.argument(at) {
        Argument::List(values) => values.map(|value| value.int().unwrap_or_default() as u32).collect(),
        value => value.int().map(|name| name as u32).into_iter().collect(),
    }
}

/// Reads and writes of the current call.
impl Scene {
    pub(super) fn part(&mut self, cell: Cell) {
        self.note(cell);
        self.effects.push(Effect::Part(cell));
    }

    pub(super) fn whole(&mut self, cell: Cell) {
        self.note(cell);
        self.effects.push(Effect::Whole(cell));
    }

    pub(super) fn read(&mut self, cell: Cell) {
        self.effects.push(Effect::Read(cell));
    }

    pub(super) fn read_all(&mut self, id: Id, class: Class) {
        let group = self.group(id, class);
        self.effects.push(Effect::ReadAll(group));
    }

    pub(super) fn always(&mut self) {
        self.effects.push(Effect::Always);
    }

    /// Notes that attributes which were pushed have changed.
    fn note(&mut self, cell: Cell) {
        let context = self.context();
        for saved in [context.saved.last_mut(), context.saved_clients.last_mut()].into_iter().flatten() {
            saved.written.insert(cell);
        }
    }

    /// Reads all of an object, and of what it refers to.
    pub(super) fn read_object(&mut self, id: Id) {
        let is_program = self.is_a(id, Kind::Program);
        for of in core::iter::once(id).chain(self.parts(id).into_iter().filter(|part| *part != id)) {
            self.read_all(of, Class::State);
            self.read_all(of, Class::Contents);
        }
        if is_program {
            self.read_all(id, Class::Locations);
        }
    }

    /// Reads the state of contexts: it is what it was, whatever the frames read of it.
    pub(super) fn read_contexts(&mut self) {
        for at in self.machine.current_contexts().into_iter().map(|at| at as usize + 1) {
            let owner = self.contexts.get(at).map_or(0, |context| context.owner);
            if owner != 0 {
                OF_CONTEXT.into_iter().for_each(|class| self.read_all(owner, class));
                self.read_tops(at);
            }
        }
    }
}

/// Cells.
impl Scene {
    /// A group of the current context.
    pub(super) fn context_group(&mut self, class: Class) -> Group {
        self.context().groups.get(class as usize).copied().unwrap_or_default()
    }

    /// Reads all of a group of the current context.
    pub(super) fn read_context(&mut self, class: Class) {
        let group = self.context_group(class);
        self.effects.push(Effect::ReadAll(group));
    }

    pub(super) fn group(&mut self, id: Id, class: Class) -> Group {
        self.object(id).groups.get(class as usize).copied().unwrap_or_default()
    }

    /// The cell of the tape for a cell of the machine. `None` if it is not followed as such.
    pub(super) fn noted(&mut self, owner: Id, what: u16, index: u32) -> Option<Cell> {
        if index >= MOST_INDEXES {
            // The machine does not hold these. Without names, objects are not told apart.
            if is_name(what) {
                self.refusal.get_or_insert(Refusal::TooMany(MOST_NOTES as u64));
            }
            return None;
        }
        let key = u64::from(owner) << 36 | u64::from(what) << 20 | u64::from(index);
        if let Some(known) = self.noted.get(&key) {
            return *known;
        }
        let cell = Class::of(what).map(|class| {
            let group = self.group(owner, class);
            self.tape.add_cell(group, what)
        });
        self.noted.insert(key, cell);
        cell
    }

    /// A cell that only the tape has.
    pub(super) fn cell(&mut self, id: Id, class: Class, own: Own, a: u64, b: u64) -> Cell {
        let group = self.group(id, class);
        self.tape.cell(group, OWN + own as u16, a, b)
    }

    /// One that is followed by itself, of the current context.
    pub(super) fn own(&mut self, own: Own, a: u64, b: u64) -> Cell {
        self.of_context(Class::Own, OWN + own as u16, a, b)
    }

    /// A cell of the current context by its number on the tape.
    pub(super) fn of_context(&mut self, class: Class, what: u16, a: u64, b: u64) -> Cell {
        let group = self.context_group(class);
        self.tape.cell(group, what, a, b)
    }

    /// The cell of a binding or setting of the current context.
    pub(super) fn setting(&mut self, what: u16, index: u32) -> Cell {
        let owner = self.context().owner;
        self.noted(owner, what, index).unwrap_or_default()
    }

    /// The cell of the active texture unit.
    pub(super) fn active_unit(&mut self) -> Cell {
        self.setting(what::ACTIVE_TEXTURE, 0)
    }

    /// The cell of what has last happened to a name.
    pub(super) fn name_cell(&mut self, kind: Kind, name: u32) -> Option<Cell> {
        let (owner, what, index) = self.machine.place_of(kind, name);
        self.noted(owner, what, index)
    }

    /// A cell of what an object holds, which is replaced with others of the place.
    pub(super) fn content(&mut self, id: Id, place: (u32, u32), own: Own, a: u64, b: u64) -> Cell {
        let cell = self.cell(id, Class::Contents, own, a, b);
        self.object(id).cells.entry(place).or_default().insert(cell);
        cell
    }

    /// The current call replaces all that an object holds at a place.
    pub(super) fn replace(&mut self, id: Id, place: (u32, u32)) {
        let cells = core::mem::take(self.object(id).cells.entry(place).or_default());
        cells.into_iter().for_each(|cell| self.whole(cell));
    }
}

/// Contexts and objects.
impl Scene {
    pub(super) fn object(&mut self, id: Id) -> &mut Object {
        let tape = &mut self.tape;
        self.objects
            .entry(id)
            .or_insert_with(|| Object { groups: core::array::from_fn(|_| tape.group()), ..Object::default() })
    }

    pub(super) fn is_a(&self, id: Id, kind: Kind) -> bool {
        self.objects.get(&id).is_some_and(|object| object.kind == Some(kind))
    }

    pub(super) fn has_context(&self) -> bool {
        self.machine.context_owner() != 0
    }

    pub(super) fn context(&mut self) -> &mut Context {
        if self.contexts.len() <= self.at {
            self.contexts.resize_with(self.at + 1, Context::default);
        }
        self.contexts.get_mut(self.at).unwrap_or(&mut self.nowhere)
    }

    /// Enters the context that is current for the machine.
    pub(super) fn enter(&mut self) {
        self.at = self.machine.context_position().map_or(0, |at| at + 1);
        let owner = self.machine.context_owner();
        if self.context().owner != owner {
            let groups = self.object(owner).groups;
            let context = self.context();
            (context.owner, context.groups) = (owner, groups);
        }
    }

    /// The object that is bound to a cell of the current context.
    pub(super) fn bound(&self, what: u16, index: u32) -> Id {
        self.machine.object(self.machine.context_owner(), what, index).1
    }

    /// The object of a name, if there is one.
    pub(super) fn known(&mut self, kind: Kind, name: u32) -> Option<Id> {
        let (owner, what, index) = self.machine.place_of(kind, name);
        self.machine.number(owner, what, index).map(|object| object as Id).filter(|_| name != 0)
    }

    /// The objects that an object refers to.
    pub(super) fn parts(&self, id: Id) -> Vec<Id> {
        let Some(object) = self.objects.get(&id) else { return Vec::new() };
        let mut parts: Vec<Id> = object.joined.iter().copied().collect();
        parts.extend(object.places.iter().filter_map(|(what, index)| match self.machine.value(id, *what, *index) {
            Value::Object { instance, .. } => Some(*instance),
            Value::Attachment(attachment) => Some(attachment.instance),
            _ => None,
        }));
        if let Value::Instances(shaders) = self.machine.value(id, what::ATTACHED, 0) {
            parts.extend(shaders.iter());
        }
        parts.retain(|part| *part != 0);
        parts
    }

    /// Bytes that it takes besides the machine, about.
    pub(super) fn bytes(&self) -> usize {
        self.tape.bytes() + self.objects.len() * OF_OBJECT + self.noted.len() * 24
    }

    /// Groups of cells of objects that no call can refer to any more.
    pub(super) fn gone(&mut self) -> HashSet<Group> {
        let mut there = self.machine.reachable();
        there.insert(0);
        there.extend(self.mappings.buffers());
        let mut joined = Vec::new();
        for context in &self.contexts {
            there.extend(context.queries.iter().map(|(_, query)| *query));
            joined.extend(context.extras.iter().copied());
        }
        while let Some(id) = joined.pop() {
            if there.insert(id) {
                joined.extend(self.parts(id));
            }
        }
        let (mut groups, mut gone) = (HashSet::new(), HashSet::new());
        for (id, object) in &mut self.objects {
            let is_there = match *id {
                WINDOWS.. => true,
                LISTS.. => self.lists.has(*id),
                _ => there.contains(id),
            };
            if !is_there {
                groups.extend(object.groups);
                gone.insert(*id);
                (object.cells, object.places, object.joined) = Default::default();
            }
        }
        self.noted.retain(|key, _| !gone.contains(&((key >> 36) as Id)));
        // Sets of what draws read may be others now.
        self.version += 1;
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_those_that_the_machine_holds_are_refused() {
        let mut scene = Scene::default();
        let last = MOST_INDEXES - 1;
        let [name, mask] = [Kind::Texture.what(), what::SAMPLE_MASK_VALUE];
        assert!(scene.noted(1, name, last).is_some() && scene.noted(1, mask, last).is_some());
        assert_ne!(scene.noted(1, name, last), scene.noted(1, mask, last));
        assert_eq!(scene.noted(1, mask, MOST_INDEXES), None);
        assert_eq!(scene.refusal, None);
        assert_eq!(scene.noted(1, name, MOST_INDEXES), None);
        assert!(matches!(scene.refusal, Some(Refusal::TooMany(_))));
    }
}
