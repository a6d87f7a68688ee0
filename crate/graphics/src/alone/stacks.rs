//! Stacks of attributes and of matrices: a push is kept with its pop, if something between them is.

use std::collections::BTreeSet;

use unspool_gl::gl;
use unspool_gl::machine::raster::is_client;
use unspool_gl::machine::what;
use unspool_gl::matrices::Stack;

use super::functions::{Function, Rule, Rules};
use super::groups::{Class, OF_CONTEXT};
use super::scene::{OWN, Own, Scene};
use super::settings::is_restored;
use super::tape::{Cell, Effect};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("PushAttrib", Rule::Instead(|s, c, _| push(s, c.uint(0), false))),
    ("PopAttrib", Rule::With(|s, _, _| pop(s, false))),
    ("PushClientAttrib", Rule::Instead(|s, c, _| push(s, c.uint(0), true))),
    ("PopClientAttrib", Rule::With(|s, _, _| pop(s, true))),
    (
        "PushClientAttribDefault",
        Rule::With(|s, c, _| {
            // What is set at once is taken back, too.
            let set = core::mem::take(&mut s.effects);
            push(s, c.uint(0), true);
            for effect in set {
                match effect {
                    Effect::Whole(cell) => s.whole(cell),
                    other => s.effects.push(other),
                }
            }
        }),
    ),
];

/// Attributes that were pushed.
#[derive(Debug)]
pub(super) struct Saved {
    cell: Cell,
    /// The set of what the push reads: what the pop restores.
    set: u32,
    mask: u32,
    /// The vertex array that is kept, 0 for none.
    array: u32,
    /// Cells that were written since.
    pub(super) written: BTreeSet<Cell>,
}

/// Attributes that the machine has on a stack.
fn depth(scene: &Scene, is_client: bool) -> u64 {
    let what = if is_client { what::CLIENT_ATTRIB_STACK_DEPTH } else { what::ATTRIB_STACK_DEPTH };
    scene.machine.number(scene.machine.context_owner(), what, 0).unwrap_or_default() as u64
}

fn push(scene: &mut Scene, mask: u32, is_client: bool) {
    let context = scene.context();
    let pushed = if is_client { context.saved_clients.len() } else { context.saved.len() } as u64;
    // A push beyond what drivers have changes nothing.
    if depth(scene, is_client) <= pushed {
        return;
    }
    let set = scene.tape.open_set();
    let cell = scene.own(Own::Saved, u64::MAX, pushed << 1 | u64::from(is_client));
    scene.effects.push(Effect::Whole(cell));
    scene.effects.push(Effect::ReadSet(set));
    let keeps_arrays = is_client && mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0;
    let array = if keeps_arrays { scene.machine.vertex_array() } else { 0 };
    let saved = Saved { cell, set, mask, array, written: BTreeSet::new() };
    let context = scene.context();
    if is_client { context.saved_clients.push(saved) } else { context.saved.push(saved) }
}

fn pop(scene: &mut Scene, is_client: bool) {
    let context = scene.context();
    let saved = if is_client { context.saved_clients.pop() } else { context.saved.pop() };
    let Some(saved) = saved else { return };
    scene.read(saved.cell);
    let groups = OF_CONTEXT.map(|class| scene.context_group(class));
    let array = if saved.array == 0 { None } else { Some(scene.group(saved.array, Class::State)) };
    let mut restored = Vec::new();
    for cell in saved.written {
        let (group, what) = (scene.tape.group_of(cell), scene.tape.kind_of(cell));
        let is_of_context = groups.contains(&group);
        let is_restored = match (is_client, is_of_context) {
            (true, true) => Some(is_client_restored(what, saved.mask)),
            (true, false) => Some(array == Some(group)),
            (false, true) => is_restored(what, saved.mask),
            // Parameters of textures are restored with the textures that are bound, and not what
            // these hold.
            (false, false) => (saved.mask & gl::TEXTURE_BIT == 0 || what >= OWN).then_some(false),
        };
        if is_restored != Some(false) {
            restored.push(cell);
            if is_restored.is_some() { scene.whole(cell) } else { scene.part(cell) }
        } else if let Some(outer) = if is_client { None } else { scene.context().saved.last_mut() } {
            // It may be restored by the pop of an earlier push.
            outer.written.insert(cell);
        }
    }
    scene.version += 1;
    scene.tape.close_set(saved.set, restored.into_iter().map(Effect::Read));
}

fn is_client_restored(what: u16, mask: u32) -> bool {
    let is_setting = super::settings::Setting::with(what).is_some_and(|setting| setting.class == Class::Pixels);
    is_client(what, mask) || is_setting && mask & gl::CLIENT_PIXEL_STORE_BIT != 0
}

/// Matrices that were pushed onto a stack.
#[derive(Debug, Default)]
pub(super) struct Pushed {
    stack: u32,
    /// The calls.
    calls: Vec<u32>,
    /// The cells of the tops, by depth, and those of the pushes before them.
    cells: Vec<[Cell; 2]>,
}

impl Scene {
    /// A stack of the current context.
    fn stack(&mut self, stack: u32) -> &mut Pushed {
        let stacks = &mut self.context().stacks;
        let at = stacks.iter().position(|it| it.stack == stack).unwrap_or(stacks.len());
        if at == stacks.len() {
            stacks.push(Pushed { stack, ..Pushed::default() });
        }
        // There is one at this position.
        let context = self.contexts.get_mut(self.at);
        context.and_then(|context| context.stacks.get_mut(at)).unwrap_or(&mut self.no_stack)
    }

    /// The cell of the matrix on top of a stack, and that of the push that it has its depth from.
    /// Each depth has its own, so that a pop changes none.
    fn top_and_push(&mut self, stack: u32) -> [Cell; 2] {
        let pushed = self.stack(stack);
        let depth = pushed.calls.len();
        if let Some(cells) = pushed.cells.get(depth) {
            return *cells;
        }
        let class = if depth == 0 { Class::State } else { Class::Own };
        let owner = self.context().owner;
        let top = self.cell(owner, class, Own::Matrix, stack.into(), depth as u64);
        let push = self.own(Own::Saved, stack.into(), depth as u64);
        self.stack(stack).cells.push([top, push]);
        [top, push]
    }

    /// The cell of the matrix on top of a stack.
    pub(super) fn top(&mut self, stack: u32) -> Cell {
        let [top, _] = self.top_and_push(stack);
        top
    }

    /// Reads of draws from the stacks of a context, besides its state.
    pub(super) fn read_tops(&mut self, at: usize) {
        let Some(context) = self.contexts.get(at) else { return };
        for pushed in context.stacks.iter().filter(|it| !it.calls.is_empty()) {
            let cells = pushed.cells.get(pushed.calls.len()).into_iter();
            self.effects.extend(cells.map(|[top, _]| Effect::Read(*top)));
        }
    }
}

/// A call that changes a stack of matrices. Nothing but the pop after it undoes a push, so they are
/// kept together: if something between them is.
pub(super) fn matrix(scene: &mut Scene, call: &Call, function: &Function) {
    let bare = function.bare();
    let names_stack = bare.starts_with("Matrix");
    let mode = if names_stack {
        call.uint(0)
    } else {
        let cell = scene.setting(what::MATRIX_MODE, 0);
        scene.read(cell);
        let mode = scene.machine.number(scene.machine.context_owner(), what::MATRIX_MODE, 0);
        mode.map_or(gl::MODELVIEW, |mode| mode as u32)
    };
    let stack = match Stack::of(mode, scene.machine.unit()) {
        Stack::Modelview => gl::MODELVIEW,
        Stack::Projection => gl::PROJECTION,
        Stack::Color => gl::COLOR,
        Stack::Texture(unit) => {
            let active = scene.active_unit();
            scene.read(active);
            gl::TEXTURE0 + unit
        }
        Stack::Other => mode,
    };
    let number = scene.number;
    let [top, push] = scene.top_and_push(stack);
    if !scene.stack(stack).calls.is_empty() {
        scene.read(push);
    }
    if bare.contains("Push") {
        scene.stack(stack).calls.push(number);
        let [copy, push] = scene.top_and_push(stack);
        scene.effects.extend([Effect::Whole(copy), Effect::Whole(push), Effect::Read(top)]);
    } else if bare.contains("Pop") {
        let pushed = scene.stack(stack).calls.pop();
        if let Some(pushed) = pushed.filter(|pushed| *pushed != number) {
            scene.tape.pair(pushed, number);
        }
    } else {
        scene.effects.push(if bare.contains("Load") { Effect::Whole(top) } else { Effect::Part(top) });
    }
}
