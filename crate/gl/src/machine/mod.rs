//! The machine of OpenGL: which call does what, on which context and which object.
//!
//! ```text
//! effects      what a call did to objects, for those who follow them
//! notes        which cells a call reads and writes, for those who ask what depends on it
//! cells        everything that was set, each with the call that set it, as a copy-on-write array
//! what         what cells are
//! parameters   names, groups and initial values of state
//! contexts     contexts, as far as they are more than cells
//! doubts       which cells calls have set to what they held, and whether that is certain
//! objects      names of objects: generated, bound, labelled, deleted
//! direct       functions that name the object which others find where it is bound
//! lists        display lists
//! settings     what contexts have set, for those who keep objects themselves
//! buffers, fixed, framebuffers, matrices, programs, raster, textures   what functions set
//! ```
//!
//! Nothing is guessed. What no call has set has the initial value of the specification, or none
//! where that depends on the driver or the window. A call that failed is not known as such, because
//! traces do not record errors; calls with constants that do not exist change nothing.
//!
//! Calls come in the order in which they returned. Handlers, by function, set *cells*: each belongs
//! to a context, a share group or an object, is known by a constant of OpenGL and an index, and
//! remembers the call that set it. Functions of extensions are those of versions
//! ([`crate::Function`]). Display lists keep calls, and executing them is bounded. Objects have an
//! owner of their own for each time that their name is generated.

pub mod buffers;
pub mod cells;
mod contexts;
mod direct;
mod doubts;
pub mod effects;
pub mod fixed;
mod framebuffers;
pub mod lists;
mod matrices;
pub mod notes;
pub mod objects;
pub mod parameters;
pub mod programs;
pub mod raster;
pub mod settings;
pub mod textures;
pub mod what;

use std::sync::Arc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;

use crate::call::Call;
use crate::contexts::Contexts;
use crate::direct::Direct;
use crate::{Function, Variant, resolve, windows};
use cells::{Cell, Cells, Key, Slots, Value};
use contexts::Context;
use direct::Named;
use doubts::Doubts;
pub use doubts::Settings;
use effects::{Draws, Effect};
use notes::Notes;

/// Execution of a call.
pub(crate) type Run = fn(&mut Machine, &Call, Variant);

/// Functions that change state, and what they do.
pub(crate) type Handlers = crate::Table<Run>;

/// Handlers of all functions.
const ALL: &[Handlers] = &[
    buffers::HANDLERS,
    contexts::HANDLERS,
    doubts::HANDLERS,
    fixed::HANDLERS,
    fixed::SETTINGS,
    framebuffers::HANDLERS,
    lists::HANDLERS,
    matrices::HANDLERS,
    objects::HANDLERS,
    programs::HANDLERS,
    raster::OF_CLIENTS,
    raster::OTHERS,
    raster::SETTINGS,
    textures::HANDLERS,
];

/// Most calls of display lists that one call executes. Lists may nest.
const MAX_LISTED: u32 = 1 << 16;

/// The executor of the calls of a function.
#[derive(Clone, Copy)]
enum Does {
    Nothing,
    Run(Run, Variant),
    Windows(windows::Function),
    Matrices(crate::matrices::Function),
    Textures(crate::textures::Function),
}

/// A function as the machine executes it.
#[derive(Clone, Copy)]
struct Operation {
    does: Does,
    /// What its calls name, if it is the function for what is bound.
    direct: Option<Direct>,
    is_listed: bool,
    /// Its calls draw or clear, unless that is put into a display list.
    may_draw: bool,
    computes: bool,
    /// It sets a current colour, normal, texture coordinate or the like.
    is_current: bool,
    /// It is a function of OpenGL, which needs a context.
    is_gl: bool,
    /// The way in which it draws, if it may.
    draws: Draws,
    /// What was set before its calls is uncertain afterwards.
    changes_much: bool,
}

/// All of the state at a moment. A copy costs little and shares its parts.
#[derive(Clone, Default)]
pub struct Root {
    pub(crate) cells: Cells,
    /// Owners that were given, except 0, which stands for none.
    pub(crate) owners: u32,
    pub(crate) all: Arc<Contexts>,
    /// Contexts, as far as they are more than cells.
    pub(crate) contexts: Arc<Vec<Arc<Context>>>,
}

/// Takes calls in the order in which they returned.
#[derive(Default)]
pub struct Machine {
    pub(crate) root: Root,
    pub(crate) slots: Slots,
    /// Numbers of names and handles that are not small numbers.
    interned: HashMap<u64, u32>,
    operations: Vec<Operation>,
    known: HashMap<String, Option<u32>>,
    /// The call that is being executed.
    pub(crate) at: u32,
    pub(crate) thread: u64,
    /// The owners of the current context and its share group. 0 without a context.
    pub(crate) context: u32,
    pub(crate) share: u32,
    /// Index of the current context.
    pub(crate) current: usize,
    /// How many calls the lists that are executed may still have.
    pub(crate) budget: u32,
    pub(crate) nesting: u32,
    /// What the call that is being executed names in place of what is bound.
    pub(crate) named: Named,
    /// A call has set a parameter of one draw buffer or viewport: until then such cells are not
    /// looked for.
    pub(crate) has_indexed: bool,
    /// Bytes that were copied since roots were kept: what these take.
    pub(crate) copied: usize,
    pub(crate) is_observed: bool,
    /// Current attributes of vertices, matrices, lights and materials are not followed: programs
    /// set them most often.
    pub(crate) lacks_vertices: bool,
    pub(crate) effects: Vec<Effect>,
    pub(crate) doubts: Doubts,
    pub(crate) settings: Settings,
    /// The cells that calls read and write, if these are noted.
    pub(crate) notes: Notes,
    /// The deed of the latest call with contexts and windows.
    pub(crate) act: Option<windows::Act>,
    /// Cells of contexts that have changed, where they are noted: what, index and number.
    changed: Option<Vec<(u16, u32, u32)>>,
}

impl Root {
    /// Bytes of memory of the parts that a copy does not share.
    pub fn bytes(&self) -> usize {
        self.cells.root_bytes()
    }
}

/// Reading of the state.
impl Machine {
    /// All of the state as it is now.
    pub fn root(&self) -> Root {
        self.root.clone()
    }

    /// Does something with another state. The one that the machine has now is there again
    /// afterwards, and what was copied for it is gone.
    pub fn with_root<T>(&mut self, root: Root, does: impl FnOnce(&mut Self) -> T) -> T {
        let copied = self.copied;
        let latest = core::mem::replace(&mut self.root, root);
        let done = does(self);
        self.root = latest;
        self.copied = copied;
        done
    }

    /// Bytes of memory of all roots together, about, but for [`Root::bytes`] of each.
    pub fn memory(&self) -> usize {
        self.copied + self.slots.bytes()
    }

    /// Looks at the context that is current on a thread: what is asked from now on is about it.
    pub fn look(&mut self, thread: u64) {
        self.thread = thread;
        self.enter_context();
    }

    /// Looks at the context of the latest call's thread.
    pub fn look_again(&mut self) {
        self.enter_context();
    }

    /// The owner of the cells of the context that is looked at. 0 without a context.
    pub fn context_owner(&self) -> u32 {
        self.context
    }

    /// The position of the context that is looked at, in [`Machine::contexts`]. `None` without one.
    pub fn context_position(&self) -> Option<usize> {
        (self.current < self.root.contexts.len()).then_some(self.current)
    }

    /// All contexts so far. Those that calls without a context imply have no handle.
    pub fn contexts(&self) -> &[crate::contexts::Context] {
        self.root.all.all()
    }

    /// The position of the context that is current on a thread, in [`Machine::contexts`].
    pub fn current_on(&self, thread: u64) -> Option<u32> {
        self.root.all.current(thread)
    }

    /// The latest two draws of the context that is looked at, the latest one first. `None` without
    /// a context.
    pub fn latest_draws(&self) -> Option<[Option<u32>; 2]> {
        self.context().map(|context| [context.last_draw, context.previous_draw])
    }

    /// What an owner's cells hold: what, index and cell, in the order in which they were first set.
    pub fn cells_of(&self, owner: u32) -> impl Iterator<Item = (u16, u32, &Cell)> {
        let cells = self.slots.of(owner).iter();
        let cell = |(what, index, number): &(u16, u32, u32)| Some((*what, *index, self.root.cells.get(*number)?));
        cells.filter_map(cell).filter(|(.., cell)| cell.value != Value::Unset)
    }
}

impl Machine {
    /// The number of a function for [`Machine::apply`]. `None` if its calls change no state.
    pub fn function(&mut self, name: &str) -> Option<u32> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let function = Function::of(name);
        let is_wanted = |_: &Operation| !(self.lacks_vertices && sets_vertices(&function));
        // If calls are noted, lists hold all that they record.
        let found = operation(&function, self.notes.is_on).filter(is_wanted).map(|mut operation| {
            // Who asks what draws depend on asks for the calls, and not for the products.
            if self.notes.is_on && matches!(operation.does, Does::Matrices(_)) {
                operation.does = Does::Nothing;
            }
            self.operations.push(operation);
            self.operations.len() as u32 - 1
        });
        self.known.insert(name.into(), found);
        found
    }

    /// Executes a call.
    pub fn apply(&mut self, call: &Call) {
        self.apply_as(call, call.function);
    }

    /// Executes a call of the function with this number, as [`Machine::function`] has returned it.
    pub fn apply_as(&mut self, call: &Call, function: u32) {
        self.effects.clear();
        self.settings = Settings::default();
        if call.is_incomplete {
            return;
        }
        self.at = call.number.min(u32::MAX.into()) as u32;
        self.thread = call.thread;
        self.budget = MAX_LISTED;
        self.nesting = 0;
        self.enter_context();
        self.begin_call();
        self.execute(call, function, true);
    }

    /// Executes a call of the current context, or records it if a list is being compiled.
    pub(crate) fn execute(&mut self, call: &Call, function: u32, may_record: bool) {
        let Some(operation) = self.operations.get(function as usize).copied() else { return };
        if self.context == 0 && operation.is_gl {
            // After a context was released, calls of the thread have none. Without that, the trace
            // began after the program did.
            if self.root.all.latest(self.thread).is_some() {
                return;
            }
            self.imply_context();
        }
        if may_record && operation.is_listed && !lists::record(self, call, function, operation.is_current) {
            return;
        }
        match operation.does {
            Does::Nothing => {}
            Does::Run(run, variant) => match operation.direct {
                Some(direct) => self.run_direct(direct, run, call, variant),
                None => run(self, call, variant),
            },
            Does::Windows(function) => drop(self.call_of_windows(function, call)),
            Does::Matrices(function) => self.call_of_matrices(function, call),
            Does::Textures(function) => self.call_of_textures(function, call),
        }
        if operation.changes_much {
            self.doubt();
        }
        if operation.may_draw && may_record && (operation.computes || call.rendered.is_any()) {
            let at = self.at;
            self.change_context(|context| context.drawn(at));
            self.tell_drawn(call, operation.draws);
        }
    }

    /// Whether the machine tells where objects are placed, and what is drawn.
    pub(crate) fn tells_objects(&self) -> bool {
        self.is_observed && !self.notes.is_on
    }

    /// Whether a function sets a current colour, normal or the like.
    pub(crate) fn is_current(&self, function: u32) -> bool {
        self.operations.get(function as usize).is_some_and(|operation| operation.is_current)
    }

    /// Looks up the current context of the thread.
    pub(crate) fn enter_context(&mut self) {
        self.enter(self.root.all.current(self.thread));
    }

    /// The current context is the one at a position.
    pub(crate) fn enter(&mut self, at: Option<u32>) {
        self.current = at.map_or(usize::MAX, |at| at as usize);
        let owner = |at: usize| self.root.contexts.get(at).map_or(0, |context| context.owner);
        let group = self.root.all.all().get(self.current).map(|context| context.group as usize);
        (self.context, self.share) = (owner(self.current), group.map_or(0, |group| owner(group) + 1));
    }

    /// What is known of the current context as a whole.
    pub fn whole(&self) -> Option<&crate::contexts::Context> {
        self.root.all.all().get(self.current)
    }

    /// Whether the current context was not created within the trace: what no call has set is not
    /// known.
    pub fn is_implicit(&self) -> bool {
        self.whole().is_some_and(|context| context.created.is_none())
    }

    /// The current context. Programs whose trace was trimmed may use one that was never made
    /// current.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.root.contexts.get(self.current).map(|context| &**context)
    }

    /// Changes the current context.
    pub(crate) fn change_context(&mut self, change: impl FnOnce(&mut Context)) {
        if let Some(context) = Arc::make_mut(&mut self.root.contexts).get_mut(self.current) {
            change(Arc::make_mut(context));
        }
    }

    /// A new owner of cells.
    pub(crate) fn new_owner(&mut self) -> u32 {
        self.root.owners += 1;
        self.root.owners
    }

    /// A small number for a name or a handle: itself if it is small.
    pub(crate) fn small(&mut self, number: u64) -> u32 {
        if number < 1 << 19 {
            return number as u32;
        }
        let next = (1 << 19) + self.interned.len() as u32;
        *self.interned.entry(number).or_insert(next)
    }

    /// The small number of a name or a handle, if it has one.
    pub(crate) fn small_of(&self, number: u64) -> Option<u32> {
        if number < 1 << 19 { Some(number as u32) } else { self.interned.get(&number).copied() }
    }

    /// Sets a cell. One that has the value already stays the work of the call that gave it that. A
    /// value that is not known may be another one, and is always that of the latest call.
    pub(crate) fn put(&mut self, owner: u32, what: u16, index: u32, value: Value) {
        if owner == 0 {
            return;
        }
        self.notes.set(owner, what, index, &value);
        self.tell_placed(owner, what, index, &value);
        let key = Key { owner, what, index };
        let number = self.slots.find(key);
        let cell = number.and_then(|number| self.root.cells.get(number));
        self.doubts.note_chosen(what);
        if value == Value::Unset && cell.is_none_or(|cell| cell.value == Value::Unset) {
            return;
        }
        if let Some(cell) = cell.filter(|cell| cell.value == value && value.is_known()) {
            let is_certain = self.doubts.is_certain(cell.since);
            self.settings.note_same(is_certain);
            if !is_certain && let Some(number) = number {
                let cell = Cell { since: self.doubts.now(), ..cell.clone() };
                self.copied += self.root.cells.put(number, cell);
            }
            return;
        }
        self.settings.changed += 1;
        if effects::is_mask(what) {
            self.tell(Effect::Masked);
        }
        let cell = Cell { value, call: self.at, since: self.doubts.now() };
        self.copied += match number {
            Some(number) => self.root.cells.put(number, cell),
            None => self.root.cells.set(&mut self.slots, key, cell),
        };
        self.note_change(key, number);
    }

    /// Notes that a cell has changed, which has a number.
    fn note_change(&mut self, key: Key, number: Option<u32>) {
        if let Some(changed) = self.changed.as_mut().filter(|_| key.owner == self.context)
            && let Some(number) = number.or_else(|| self.slots.find(key))
        {
            changed.push((key.what, key.index, number));
        }
    }

    /// Gives a cell, by its number, what it held before.
    pub(crate) fn put_back(&mut self, number: u32, key: Key, before: &Cell) {
        let value = before.value.clone();
        self.notes.set(key.owner, key.what, key.index, &value);
        self.tell_placed(key.owner, key.what, key.index, &value);
        self.settings.changed += 1;
        if effects::is_mask(key.what) {
            self.tell(Effect::Masked);
        }
        // What was uncertain then is so now.
        self.copied += self.root.cells.put(number, Cell { value, call: self.at, since: before.since });
        self.note_change(key, Some(number));
    }

    /// Sets a cell of the current context.
    pub(crate) fn set(&mut self, what: u16, value: Value) {
        self.put(self.context, what, 0, value);
    }

    /// Sets a cell of the current context that has an index.
    pub(crate) fn set_at(&mut self, what: u16, index: u32, value: Value) {
        self.put(self.context, what, index, value);
    }

    /// A cell.
    pub fn cell(&self, owner: u32, what: u16, index: u32) -> Option<&Cell> {
        self.notes.read(owner, what, index);
        self.root.cells.find(&self.slots, Key { owner, what, index })
    }

    /// The value of a cell.
    pub fn value(&self, owner: u32, what: u16, index: u32) -> &Value {
        self.cell(owner, what, index).map_or(&Value::Unset, |cell| &cell.value)
    }

    /// A number or constant that a cell holds.
    pub fn number(&self, owner: u32, what: u16, index: u32) -> Option<i64> {
        match self.value(owner, what, index) {
            Value::Int(n) => Some(*n),
            Value::Constant(n) => Some((*n).into()),
            Value::Bool(is) => Some((*is).into()),
            _ => None,
        }
    }

    /// The object that a cell holds: its name and the owner of its cells, both 0 for none.
    pub fn object(&self, owner: u32, what: u16, index: u32) -> (u32, u32) {
        match self.value(owner, what, index) {
            Value::Object { name, instance } => (*name, *instance),
            _ => (0, 0),
        }
    }

    /// The active texture unit.
    pub fn unit(&self) -> u32 {
        self.unit_of(what::ACTIVE_TEXTURE)
    }
}

impl Operation {
    fn does_something(&self) -> bool {
        !matches!(self.does, Does::Nothing)
    }
}

/// The operation of a function. `None` for one that does nothing and draws nothing, unless all are
/// wanted.
fn operation(function: &Function, is_any: bool) -> Option<Operation> {
    let (is_gl, plain) = (function.is_gl(), function.plain());
    let computes = is_gl && computes(plain);
    let may_draw = is_gl && (computes || NameFlags::of(function.name()).renders.is_some());
    let is_current = ["Color", "SecondaryColor", "Normal", "TexCoord", "FogCoord"].iter().any(|begin| {
        let end = plain.strip_prefix(begin).map(|end| end.strip_prefix('P').unwrap_or(end));
        end.is_some_and(|end| Variant::parse(end).is_some())
    });
    let shared = || {
        let does = match function.does()? {
            resolve::Does::Windows(function) => Does::Windows(function),
            resolve::Does::Matrices(function) => Does::Matrices(function),
            resolve::Does::Textures(function) => Does::Textures(function),
        };
        Some((does, None))
    };
    let handled = function.handler(ALL).map(|handler| (Does::Run(handler.run, handler.form), handler.direct));
    // Several functions of textures begin as others do that name their object.
    let (does, direct) = shared().or(handled).unwrap_or((Does::Nothing, None));
    let is_listed = function.is_compiled();
    let draws = Draws::of(plain, computes);
    let changes_much = is_gl && doubts::changes_much(plain);
    let operation = Operation { does, direct, is_listed, may_draw, computes, is_current, is_gl, draws, changes_much };
    (is_any || may_draw || operation.does_something()).then_some(operation)
}

/// Whether calls of a function only set current attributes of vertices, matrices, lights and
/// materials.
fn sets_vertices(function: &Function) -> bool {
    const OF_VERTICES: [&str; 21] = [
        "Color*",
        "ColorP*",
        "SecondaryColor*",
        "SecondaryColorP*",
        "Normal*",
        "NormalP*",
        "TexCoord*",
        "TexCoordP*",
        "MultiTexCoord*",
        "MultiTexCoordP*",
        "FogCoord*",
        "Index*",
        "EdgeFlag",
        "RasterPos*",
        "WindowPos*",
        "VertexAttrib*",
        "VertexAttribI*",
        "VertexAttribL*",
        "VertexAttribP*",
        "Light*",
        "Material*",
    ];
    let is_matrix = matches!(function.does(), Some(resolve::Does::Matrices(_)));
    is_matrix || OF_VERTICES.iter().any(|pattern| function.is(pattern))
}

/// Whether state is compared from one call of a function to the next although it draws nothing.
fn computes(plain: &str) -> bool {
    plain.starts_with("DispatchCompute")
}

/// Whether a call draws, clears, copies pixels or computes: state is compared from one such call to
/// the next.
pub fn is_draw(call: &Call, name: &str) -> bool {
    call.rendered.is_any() || name.strip_prefix("gl").is_some_and(computes)
}

#[cfg(test)]
mod tests {
    use crate::names;

    use super::*;

    /// Functions that set nothing that State shows: contents of objects, vertices, what is read,
    /// what programs are made of, swaps. With the beginnings of their names, without the prefix
    /// `gl`.
    const OTHERS: [&str; 26] = [
        "ArrayElement",
        "Begin",
        "BindFragDataLocation",
        "Vertex2",
        "Vertex3",
        "Vertex4",
        "VertexP",
        "TexSubImage",
        "TextureSubImage",
        "MultiTexSubImage",
        "CompressedTexSubImage",
        "CompressedTextureSubImage",
        "CompressedMultiTexSubImage",
        "CopyTexSubImage",
        "CopyTextureSubImage",
        "CopyMultiTexSubImage",
        "Rectx",
        "ShaderBinary",
        "SpecializeShader",
        "UniformHandle",
        "ProgramUniformHandle",
        "DepthBounds",
        "TransformFeedbackBuffer",
        "BindBufferOffset",
        "FrameTerminator",
        "PixelStorex",
    ];

    #[test]
    fn each_row_is_that_of_a_function() {
        let all: Vec<Function> = names().into_iter().map(Function::of).collect();
        let rows = ALL.iter().copied().flatten().map(|(pattern, _)| *pattern);
        let unused: Vec<&str> = rows.filter(|pattern| !all.iter().any(|it| it.is(pattern))).collect();
        // The tracer records it where a program writes to mapped memory.
        assert_eq!(unused, ["memcpy"]);
    }

    #[test]
    fn each_function_has_a_handler_or_a_reason() {
        let has_none = |name: &&str| {
            let function = Function::of(name);
            let is_other = OTHERS.iter().any(|begin| function.plain().starts_with(begin));
            function.is_gl() && operation(&function, false).is_none() && !is_other && function.absence().is_none()
        };
        let none: Vec<&str> = names().into_iter().filter(has_none).collect();
        assert!(none.is_empty(), "{}: {}", none.len(), none.join(" "));
    }
}
