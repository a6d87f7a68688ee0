//! The machine: which call does what, and on which context.

use std::sync::Arc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::contexts::Contexts;
use unspool_gl::direct::{Direct, bound_of, registered};
use unspool_gl::{functions, matrices, plain, windows};

use super::cells::{Cell, Cells, Key, Slots, Value};
use super::contexts::Context;
use super::direct::Named;
use super::what;
use super::{buffers, contexts, fixed, framebuffers, lists, objects, programs, raster, textures};
use unspool_gl::Variant;
use unspool_gl::call::Call;

/// What a call does.
pub(super) type Run = fn(&mut Machine, &Call, Variant);

/// Functions that change state, without the prefix `gl`, and what they do. A name that ends with
/// `*` goes on with what [`Variant`] reads.
pub(super) type Handlers = &'static [(&'static str, Run)];

/// Handlers of all functions.
const ALL: &[Handlers] = &[
    buffers::HANDLERS,
    contexts::HANDLERS,
    fixed::HANDLERS,
    framebuffers::HANDLERS,
    lists::HANDLERS,
    super::matrices::HANDLERS,
    objects::HANDLERS,
    programs::HANDLERS,
    raster::HANDLERS,
    textures::HANDLERS,
];

/// Most calls of display lists that one call executes. Lists may nest.
const MAX_LISTED: u32 = 1 << 16;

/// What executes the calls of a function.
#[derive(Clone, Copy)]
enum Does {
    Nothing,
    Run(Run, Variant),
    Windows(windows::Function),
    Matrices(matrices::Function),
    Textures(unspool_gl::textures::Function),
}

/// What is known of a function.
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
}

/// All of the state at a moment. A copy costs little and shares its parts.
#[derive(Clone, Default)]
pub(super) struct Root {
    pub(super) cells: Cells,
    /// Owners that were given, except 0, which stands for none.
    pub(super) owners: u32,
    pub(super) all: Arc<Contexts>,
    /// What contexts have beside cells.
    pub(super) contexts: Arc<Vec<Arc<Context>>>,
}

/// Takes calls in the order in which they returned.
#[derive(Default)]
pub struct Machine {
    pub(super) root: Root,
    pub(super) slots: Slots,
    /// Numbers of names and handles that are not small numbers.
    interned: HashMap<u64, u32>,
    operations: Vec<Operation>,
    known: HashMap<String, Option<u32>>,
    /// The call that is being executed.
    pub(super) at: u32,
    pub(super) thread: u64,
    /// The owners of the current context and its share group. 0 without a context.
    pub(super) context: u32,
    pub(super) share: u32,
    /// Index of the current context.
    pub(super) current: usize,
    /// How many calls the lists that are executed may still have.
    pub(super) budget: u32,
    pub(super) nesting: u32,
    /// What the call that is being executed names in place of what is bound.
    pub(super) named: Named,
    /// A call has set a parameter of one draw buffer or viewport: until then such cells are not
    /// looked for.
    pub(super) has_indexed: bool,
    /// Bytes that were copied since roots were kept: what these take.
    pub(super) copied: usize,
}

impl Machine {
    /// The number of a function for [`Machine::apply`]. `None` if its calls change no state.
    pub fn function(&mut self, name: &str) -> Option<u32> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let found = operation(name).map(|operation| {
            self.operations.push(operation);
            self.operations.len() as u32 - 1
        });
        self.known.insert(name.into(), found);
        found
    }

    /// Executes a call.
    pub fn apply(&mut self, call: &Call) {
        if call.is_incomplete {
            return;
        }
        self.at = call.number.min(u32::MAX.into()) as u32;
        self.thread = call.thread;
        self.budget = MAX_LISTED;
        self.nesting = 0;
        self.enter_context();
        self.execute(call, true);
    }

    /// Executes a call of the current context, or records it if a list is being compiled.
    pub(super) fn execute(&mut self, call: &Call, may_record: bool) {
        let Some(operation) = self.operations.get(call.function as usize).copied() else { return };
        if self.context == 0 && operation.is_gl {
            self.imply_context();
        }
        if may_record && operation.is_listed && !lists::record(self, call, operation.is_current) {
            return;
        }
        match operation.does {
            Does::Nothing => {}
            Does::Run(run, variant) => match operation.direct {
                Some(direct) => self.run_direct(direct, run, call, variant),
                None => run(self, call, variant),
            },
            Does::Windows(function) => self.call_of_windows(function, call),
            Does::Matrices(function) => self.call_of_matrices(function, call),
            Does::Textures(function) => self.call_of_textures(function, call),
        }
        if operation.may_draw && may_record && (operation.computes || call.rendered.is_any()) {
            let at = self.at;
            self.change_context(|context| context.drawn(at));
        }
    }

    /// Looks at the context of a thread.
    pub(super) fn look(&mut self, thread: u64) {
        self.thread = thread;
        self.enter_context();
    }

    /// Whether a function sets a current colour, normal or the like.
    pub(super) fn is_current(&self, function: u32) -> bool {
        self.operations.get(function as usize).is_some_and(|operation| operation.is_current)
    }

    /// Looks up the current context of the thread.
    pub(super) fn enter_context(&mut self) {
        self.current = self.root.all.current(self.thread).map_or(usize::MAX, |at| at as usize);
        let owner = |at: usize| self.root.contexts.get(at).map_or(0, |context| context.owner);
        let group = self.root.all.all().get(self.current).map(|context| context.group as usize);
        (self.context, self.share) = (owner(self.current), group.map_or(0, |group| owner(group) + 1));
    }

    /// What is known of the current context as a whole.
    pub(super) fn whole(&self) -> Option<&contexts::Whole> {
        self.root.all.all().get(self.current)
    }

    /// Whether the current context was not created within the trace: what no call has set is not
    /// known.
    pub(super) fn is_implicit(&self) -> bool {
        self.whole().is_some_and(|context| context.created.is_none())
    }

    /// The current context. Programs whose trace was trimmed may use one that was never made
    /// current.
    pub(super) fn context(&self) -> Option<&Context> {
        self.root.contexts.get(self.current).map(|context| &**context)
    }

    /// Changes the current context.
    pub(super) fn change_context(&mut self, change: impl FnOnce(&mut Context)) {
        if let Some(context) = Arc::make_mut(&mut self.root.contexts).get_mut(self.current) {
            change(Arc::make_mut(context));
        }
    }

    /// A new owner of cells.
    pub(super) fn new_owner(&mut self) -> u32 {
        self.root.owners += 1;
        self.root.owners
    }

    /// A small number for a name or a handle: itself if it is small.
    pub(super) fn small(&mut self, number: u64) -> u32 {
        if number < 1 << 19 {
            return number as u32;
        }
        let next = (1 << 19) + self.interned.len() as u32;
        *self.interned.entry(number).or_insert(next)
    }

    /// Sets a cell. One that has the value already stays the work of the call that gave it that. A
    /// value that is not known may be another one, and is always that of the latest call.
    pub(super) fn put(&mut self, owner: u32, what: u16, index: u32, value: Value) {
        if owner == 0 {
            return;
        }
        let key = Key { owner, what, index };
        if self.root.cells.find(&self.slots, key).is_some_and(|cell| cell.value == value && value.is_known()) {
            return;
        }
        self.copied += self.root.cells.set(&mut self.slots, key, Cell { value, call: self.at });
    }

    /// Sets a cell of the current context.
    pub(super) fn set(&mut self, what: u16, value: Value) {
        self.put(self.context, what, 0, value);
    }

    /// Sets a cell of the current context that has an index.
    pub(super) fn set_at(&mut self, what: u16, index: u32, value: Value) {
        self.put(self.context, what, index, value);
    }

    /// A cell.
    pub(super) fn cell(&self, owner: u32, what: u16, index: u32) -> Option<&Cell> {
        self.root.cells.find(&self.slots, Key { owner, what, index })
    }

    /// The value of a cell.
    pub(super) fn value(&self, owner: u32, what: u16, index: u32) -> &Value {
        self.cell(owner, what, index).map_or(&Value::Unset, |cell| &cell.value)
    }

    /// A number or constant that a cell holds.
    pub(super) fn number(&self, owner: u32, what: u16, index: u32) -> Option<i64> {
        match self.value(owner, what, index) {
            Value::Int(n) => Some(*n),
            Value::Constant(n) => Some((*n).into()),
            Value::Bool(is) => Some((*is).into()),
            _ => None,
        }
    }

    /// The object that a cell holds: its name and the owner of its cells, both 0 for none.
    pub(super) fn object(&self, owner: u32, what: u16, index: u32) -> (u32, u32) {
        match self.value(owner, what, index) {
            Value::Object { name, instance } => (*name, *instance),
            _ => (0, 0),
        }
    }

    /// The active texture unit.
    pub(super) fn unit(&self) -> u32 {
        self.unit_of(what::ACTIVE_TEXTURE)
    }
}

/// The operation of a function.
fn operation(name: &str) -> Option<Operation> {
    let bare = functions().canonical(name).unwrap_or(name);
    let is_gl = functions().canonical(name).is_some();
    let computes = computes(bare);
    let may_draw = is_gl && (computes || NameFlags::of(name).renders.is_some());
    let is_current = ["Color", "SecondaryColor", "Normal", "TexCoord", "FogCoord"].iter().any(|begin| {
        let end = bare.strip_prefix(begin).map(|end| end.strip_prefix('P').unwrap_or(end));
        end.is_some_and(|end| Variant::parse(end).is_some())
    });
    // Handlers have names without the ends of extensions.
    let plain = if is_gl { plain(bare) } else { bare };
    let is_listed = unspool_gl::lists::is_compiled(name);
    let textures = || unspool_gl::textures::Function::of(name.strip_prefix("gl")?).map(Does::Textures);
    let matrices = || matrices::Function::of(bare).filter(|_| is_gl).map(Does::Matrices);
    let shared = windows::Function::of(name).map(Does::Windows).or_else(matrices).or_else(textures);
    let mut found = (0, shared.unwrap_or(Does::Nothing));
    for (pattern, run) in ALL.iter().copied().flatten() {
        let variant = match pattern.strip_suffix('*') {
            Some(begin) => plain.strip_prefix(begin).and_then(Variant::parse),
            None => (*pattern == bare || *pattern == plain).then(Variant::default),
        };
        // The longest pattern says most.
        if let Some(variant) = variant.filter(|_| found.0 < pattern.len()) {
            found = (pattern.len(), Does::Run(*run, variant));
        }
    }
    let (_, does) = found;
    let direct = || if matches!(does, Does::Nothing) { direct_operation(name) } else { None };
    let (does, direct) = direct().unwrap_or((does, None));
    let operation = Operation { does, direct, is_listed, may_draw, computes, is_current, is_gl };
    (may_draw || !matches!(does, Does::Nothing)).then_some(operation)
}

/// What executes a function that names its object.
fn direct_operation(name: &str) -> Option<(Does, Option<Direct>)> {
    let does_of = |bound: &str| {
        let found = operation(&registered(bound))?;
        (found.direct.is_none() && matches!(found.does, Does::Run(..))).then_some(found.does)
    };
    let (bound, direct) = bound_of(name, |bound| does_of(bound).is_some())?;
    Some((does_of(&bound)?, Some(direct)))
}

/// Whether state is compared from one call of a function to the next although it draws nothing.
fn computes(bare: &str) -> bool {
    bare.starts_with("DispatchCompute")
}

/// Whether a call draws, clears, copies pixels or computes: state is compared from one such call to
/// the next.
pub(super) fn is_draw(call: &Call, name: &str) -> bool {
    call.rendered.is_any() || functions().canonical(name).is_some_and(computes)
}

#[cfg(test)]
mod tests {
    use unspool_gl::{absence, names};

    use super::*;

    /// Functions that set nothing that State shows: contents of objects, vertices, what is read,
    /// what programs are made of, swaps. With the beginnings of their names, without the prefix
    /// `gl`.
    const OTHERS: [&str; 30] = [
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
        "CopyImageSubData",
        "ClearTex",
        "ReadPixels",
        "ReadnPixels",
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
    fn each_function_has_a_handler_or_a_reason() {
        let has_none = |name: &&str| {
            let has_run = operation(name).is_some();
            let is_own = name.strip_prefix("gl").is_some_and(|bare| !bare.starts_with('X'));
            let is_other = OTHERS.iter().any(|begin| name.strip_prefix("gl").is_some_and(|it| it.starts_with(begin)));
            is_own && !has_run && !is_other && absence(name).is_none()
        };
        let none: Vec<&str> = names().into_iter().filter(has_none).collect();
        assert!(none.is_empty(), "{}: {}", none.len(), none.join(" "));
    }
}
