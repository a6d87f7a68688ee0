//! Display lists, and stacks of state and matrices.

use std::collections::{BTreeMap, BTreeSet};

use unspool_gl::gl;
use unspool_gl::matrices::Stack;

use super::rules::{Function, Rule, Rules, attribute_of};
use super::tape::{Cell, Effect};
use super::world::{Attached, Id, Kind, Shadow, What, World};
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[
    ("GenLists", "", Rule::Run(generate)),
    ("DeleteLists", "", Rule::Run(delete)),
    ("NewList", "", Rule::Run(begin)),
    ("EndList", "", Rule::Run(end)),
    ("ListBase", "list base", Rule::Run(base)),
    ("CallList", "", Rule::Run(call_list)),
    ("CallLists", "", Rule::Run(call_lists)),
    ("PushAttrib", "", Rule::Run(|w, c, _| push(w, c.uint(0), false))),
    ("PopAttrib", "", Rule::Run(|w, _, _| pop(w, false))),
    ("PushClientAttrib", "", Rule::Run(|w, c, _| push(w, c.uint(0), true))),
    ("PopClientAttrib", "", Rule::Run(|w, _, _| pop(w, true))),
];

/// Most calls of lists that one call executes.
pub(super) const MAX_LISTED: u32 = 1 << 16;
/// Most calls of one list that are kept. A longer one counts as if it did everything.
const MAX_KEPT: usize = 1 << 14;
/// Values of vertices that may be current besides each other.
const MOST_CURRENT: usize = 16;
/// Lists of one call of `glCallLists` that are looked at.
const MOST_LISTS: usize = 1 << 12;
/// Deepest nesting of lists.
const MAX_NESTING: u32 = 64;

/// What a list executes.
#[derive(Debug, Default)]
pub(super) struct List {
    steps: Vec<Step>,
    /// Calls were left out.
    is_cut: bool,
}

/// A step of a list.
#[derive(Debug)]
enum Step {
    /// Something is drawn, with the state of now.
    Draw,
    Call(Box<Call>),
}

/// A list that is being made.
#[derive(Debug)]
pub(super) struct Compiling {
    id: Id,
    executes: bool,
    list: List,
}

impl Compiling {
    pub(super) fn id(&self) -> Id {
        self.id
    }
}

/// Attributes that were pushed.
#[derive(Debug)]
pub(super) struct Saved {
    cell: Cell,
    /// What the push reads: what the pop restores.
    set: u32,
    mask: u32,
    pub(super) shadow: Shadow,
    /// What the vertex array refers to.
    pub(super) parts: BTreeMap<u32, Attached>,
    /// Cells that were written since.
    pub(super) written: BTreeSet<Cell>,
}

fn generate(world: &mut World, call: &Call, _: &Function) {
    let first = call.result().int().unwrap_or_default() as u32;
    let count = call.uint(0);
    let (group, share) = (world.owner_group, world.share);
    let at = world.number;
    let cell = world.cell(group, What::Name, 1 << 60, at.into());
    world.whole(cell);
    world.ranges.insert((share, first), (count, cell));
}

/// Reads how a list got its name.
fn read_range(world: &mut World, name: u32) {
    let share = world.share;
    let before = world.ranges.range(..=(share, name)).next_back();
    let holds = |first: u32, count: u32| name.checked_sub(first).is_some_and(|at| at < count);
    let found = before.filter(|((of, first), (count, _))| *of == share && holds(*first, *count));
    if let Some(cell) = found.map(|(_, (_, cell))| *cell) {
        world.read(cell);
    }
}

fn delete(world: &mut World, call: &Call, _: &Function) {
    for name in call.uint(0)..call.uint(0).saturating_add(call.uint(1).min(1 << 16)) {
        world.delete(Kind::List, name.into());
    }
}

fn begin(world: &mut World, call: &Call, _: &Function) {
    let name = call.uint(0);
    read_range(world, name);
    let id = world.make(Kind::List, name.into());
    let executes = call.uint(1) == gl::COMPILE_AND_EXECUTE;
    world.context().compiling = Some(Compiling { id, executes, list: List::default() });
    let cell = world.content(id, (0, 0), What::Content, 0, 0);
    world.whole(cell);
}

fn end(world: &mut World, _: &Call, _: &Function) {
    let Some(compiling) = world.context().compiling.take() else { return };
    let cell = world.content(compiling.id, (0, 0), What::Content, 0, 0);
    world.part(cell);
    world.get_mut(compiling.id).list = compiling.list;
}

fn base(world: &mut World, call: &Call, function: &Function) {
    world.shadow().list_base = call.uint(0);
    let cell = world.state(What::Setting(function.setting), 0, 0);
    world.whole(cell);
}

fn call_list(world: &mut World, call: &Call, _: &Function) {
    execute(world, call.uint(0));
}

/// The numbers of lists in the bytes of a call.
fn numbers(bytes: &[u8], kind: u32) -> Option<Vec<i64>> {
    let of = |size: usize| bytes.chunks_exact(size);
    let number = |bytes: &[u8], is_big: bool| {
        let fold = |sum: i64, byte: &u8| sum << 8 | i64::from(*byte);
        if is_big { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) }
    };
    Some(match kind {
        gl::BYTE => bytes.iter().map(|byte| i64::from(*byte as i8)).collect(),
        gl::UNSIGNED_BYTE => bytes.iter().map(|byte| i64::from(*byte)).collect(),
        gl::SHORT => of(2).map(|bytes| i64::from(number(bytes, false) as i16)).collect(),
        gl::UNSIGNED_SHORT => of(2).map(|bytes| number(bytes, false)).collect(),
        gl::INT => of(4).map(|bytes| i64::from(number(bytes, false) as i32)).collect(),
        gl::UNSIGNED_INT => of(4).map(|bytes| number(bytes, false)).collect(),
        gl::_2_BYTES => of(2).map(|bytes| number(bytes, true)).collect(),
        gl::_3_BYTES => of(3).map(|bytes| number(bytes, true)).collect(),
        gl::_4_BYTES => of(4).map(|bytes| number(bytes, true)).collect(),
        _ => return None,
    })
}

fn call_lists(world: &mut World, call: &Call, _: &Function) {
    let base = world.shadow().list_base;
    let setting = super::rules::number_of_setting("list base");
    let cell = world.state(What::Setting(setting), 0, 0);
    world.read(cell);
    let count = call.uint(0) as usize;
    let names = match call.argument(2) {
        Value::Bytes(bytes, length) if bytes.len() as u64 == length => numbers(bytes, call.uint(1)),
        Value::List(values) => values.map(Value::int).collect(),
        _ => None,
    };
    match names.filter(|names| names.len() >= count && count <= MOST_LISTS) {
        Some(names) => {
            for name in names.into_iter().take(count) {
                execute(world, base.wrapping_add(name as u32));
            }
        }
        None => any_list(world),
    }
}

/// Lists that are not known are executed: all are read, and anything may be changed.
fn any_list(world: &mut World) {
    let share = world.share;
    let lists: Vec<Id> = world
        .names
        .iter()
        .filter(|((of, kind, _), _)| *of == share && *kind == Kind::List)
        .map(|(_, id)| *id)
        .collect();
    for id in lists {
        world.read_object(id);
    }
    world.always();
    world.read_everything();
    world.draw();
}

fn execute(world: &mut World, name: u32) {
    let Some(id) = world.known(Kind::List, name.into()).filter(|_| world.nesting < MAX_NESTING) else { return };
    read_range(world, name);
    world.read_object(id);
    let list = core::mem::take(&mut world.get_mut(id).list);
    if list.is_cut || world.budget < list.steps.len() as u32 {
        world.budget = 0;
        world.always();
        world.read_everything();
        world.draw();
    } else {
        world.budget -= list.steps.len() as u32;
        world.nesting += 1;
        for step in &list.steps {
            match step {
                Step::Draw => world.draw(),
                Step::Call(call) => {
                    if let Some(function) = world.rules.get(call.function) {
                        world.run(call, &function);
                    }
                }
            }
        }
        world.nesting -= 1;
    }
    // A list that executes itself is empty meanwhile.
    world.get_mut(id).list = list;
}

/// Whether a call of a list only gives vertices to a primitive.
fn is_vertex(bare: &str) -> bool {
    let begins = ["Vertex", "EvalCoord", "EvalPoint", "ArrayElement"];
    let is_given = begins.iter().any(|begin| bare.starts_with(begin)) && !bare.starts_with("VertexAttrib");
    is_given || matches!(bare, "Begin" | "End")
}

/// Whether a call of a list sets what the next vertices have. The second: for an index.
fn sets_current(bare: &str) -> (bool, bool) {
    let begins = ["Color", "Normal", "TexCoord", "SecondaryColor", "FogCoord"];
    let is_of_index = bare.starts_with("MultiTexCoord") || bare.starts_with("VertexAttrib");
    let is_plain = begins.iter().any(|begin| bare.strip_prefix(begin).is_some_and(|rest| !rest.starts_with("Ma")));
    (is_plain || is_of_index, is_of_index)
}

/// Puts a call into the list that is being made. Returns whether it is executed as well.
pub(super) fn compile(world: &mut World, call: &Call, function: &Function) -> bool {
    if !function.is_listed {
        return true;
    }
    let Some(compiling) = &mut world.context().compiling else { return true };
    let (id, executes) = (compiling.id, compiling.executes);
    let list = &mut compiling.list;
    let bare = function.known.canonical.as_str();
    let mut reads_arrays = false;
    let has_room = list.steps.len() < MAX_KEPT;
    if is_vertex(bare) {
        // Vertices take what is current where the primitive begins, or what was given since then.
        if bare == "Begin" && has_room && !matches!(list.steps.last(), Some(Step::Draw)) {
            list.steps.push(Step::Draw);
        }
        list.is_cut |= !has_room;
        reads_arrays = bare == "ArrayElement";
    } else if function.may_draw && !bare.starts_with("CallList") && !bare.starts_with("Clear") {
        list.steps.push(Step::Draw);
        list.is_cut |= !has_room;
        reads_arrays = true;
    } else if has_room {
        // What is set for each vertex counts once.
        let (is_current, is_of_index) = sets_current(bare);
        let is_same = |step: &Step| match step {
            Step::Call(it) => it.function == call.function && (!is_of_index || it.uint(0) == call.uint(0)),
            Step::Draw => false,
        };
        let since = list.steps.iter().rev().take(MOST_CURRENT).take_while(|step| matches!(step, Step::Call(_)));
        if !is_current || !since.clone().any(is_same) {
            list.steps.push(Step::Call(Box::new(call.clone())));
        }
    } else {
        list.is_cut = true;
    }
    let cell = world.content(id, (0, 0), What::Content, 0, 0);
    world.part(cell);
    // What a call takes from the memory of the program, it takes now.
    if reads_arrays {
        world.read_everything();
    } else if function.known.texture.is_some() || bare.contains("Bitmap") || bare.contains("PolygonStipple") {
        world.read_pixels();
    }
    executes
}

fn push(world: &mut World, mask: u32, is_client: bool) {
    let set = world.tape.open_set();
    let context = world.context();
    let (group, depth) =
        (context.own, if is_client { context.saved_clients.len() } else { context.saved.len() } as u64);
    let cell = world.cell(group, What::Saved, u64::MAX, depth << 1 | u64::from(is_client));
    world.effects.push(Effect::Whole(cell));
    world.effects.push(Effect::ReadSet(set));
    let array = world.array();
    let parts = if is_client { world.get(array).parts.clone() } else { BTreeMap::new() };
    let context = world.context();
    let saved = Saved { cell, set, mask, shadow: context.shadow.clone(), parts, written: BTreeSet::new() };
    if is_client { context.saved_clients.push(saved) } else { context.saved.push(saved) }
}

fn pop(world: &mut World, is_client: bool) {
    let context = world.context();
    let saved = if is_client { context.saved_clients.pop() } else { context.saved.pop() };
    let Some(mut saved) = saved else { return };
    restore(&mut context.shadow, core::mem::take(&mut saved.shadow), saved.mask, is_client);
    world.read(saved.cell);
    let context = world.context();
    let (state, other, pixels, current) = (context.state, context.other, context.pixels, context.current);
    let array = world.array();
    let def = world.get(array).def;
    if is_client && saved.mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0 {
        world.get_mut(array).parts = saved.parts;
    }
    let mut restored = Vec::new();
    for cell in saved.written {
        let group = world.tape.group_of(cell);
        let is_restored = if is_client {
            let has = |bit: u32| saved.mask & bit != 0;
            let is_array = group == def && has(gl::CLIENT_VERTEX_ARRAY_BIT);
            Some(group == pixels && has(gl::CLIENT_PIXEL_STORE_BIT) || is_array)
        } else if group == state || group == current || group == other {
            is_restored(world.tape.kind_of(cell), saved.mask)
        } else {
            // Parameters of textures are restored with the textures that are bound.
            (saved.mask & gl::TEXTURE_BIT == 0).then_some(false)
        };
        if is_restored != Some(false) {
            restored.push(cell);
            if is_restored.is_some() { world.whole(cell) } else { world.part(cell) }
        } else if let Some(outer) = if is_client { None } else { world.context().saved.last_mut() } {
            // It may be restored by the pop of an earlier push.
            outer.written.insert(cell);
        }
    }
    world.tape.close_set(saved.set, restored.into_iter().map(Effect::Read));
}

/// Whether attributes of a mask have a cell of the state. `None` if that is not known.
fn is_restored(kind: u16, mask: u32) -> Option<bool> {
    if kind == What::Enabled.number() {
        return (mask & gl::ENABLE_BIT != 0).then_some(true);
    }
    if kind == What::Texture.number() {
        return Some(mask & gl::TEXTURE_BIT != 0);
    }
    let bit = What::setting(kind).and_then(attribute_of)?;
    Some(mask & bit != 0)
}

/// Takes back what the attributes of a mask have.
fn restore(now: &mut Shadow, then: Shadow, mask: u32, is_client: bool) {
    if is_client {
        if mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0 {
            now.client_unit = then.client_unit;
            now.array = then.array;
            if let Some(id) = then.buffers.get(&gl::ARRAY_BUFFER) {
                now.buffers.insert(gl::ARRAY_BUFFER, *id);
            } else {
                now.buffers.remove(&gl::ARRAY_BUFFER);
            }
        }
        return;
    }
    let has = |bits: u32| mask & bits != 0;
    if has(gl::TEXTURE_BIT) {
        now.unit = then.unit;
        now.textures = then.textures;
        now.samplers = then.samplers;
    }
    if has(gl::TEXTURE_BIT | gl::ENABLE_BIT) {
        now.fixed = then.fixed;
    }
    if has(gl::SCISSOR_BIT | gl::ENABLE_BIT) {
        now.scissors = then.scissors;
    }
    if has(gl::SCISSOR_BIT) {
        now.scissor = then.scissor;
    }
    if has(gl::DEPTH_BUFFER_BIT | gl::ENABLE_BIT) {
        now.tests_depth = then.tests_depth;
    }
    if has(gl::DEPTH_BUFFER_BIT) {
        now.masks_depth = then.masks_depth;
    }
    if has(gl::STENCIL_BUFFER_BIT | gl::ENABLE_BIT) {
        now.tests_stencil = then.tests_stencil;
    }
    if has(gl::STENCIL_BUFFER_BIT) {
        now.masks_stencil = then.masks_stencil;
    }
    if has(gl::COLOR_BUFFER_BIT) {
        now.masks_colour = then.masks_colour;
    }
    if has(gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT) {
        now.blends = then.blends;
    }
    if has(gl::CURRENT_BIT) {
        now.is_translucent = then.is_translucent;
    }
    if has(gl::ENABLE_BIT) {
        now.discards = then.discards;
    }
    if has(gl::TRANSFORM_BIT) {
        now.mode = then.mode;
    }
    if has(gl::LIGHTING_BIT | gl::ENABLE_BIT) {
        now.tracks_material = then.tracks_material;
    }
    if has(gl::LIST_BIT) {
        now.list_base = then.list_base;
    }
}

impl World {
    /// How many matrices were pushed onto a stack.
    fn depth(&mut self, stack: u32) -> u64 {
        self.context().matrices.get(&stack).map_or(0, |pushed| pushed.len() as u64)
    }

    /// The cell of the matrix on top of a stack. Each depth has its own, so that a pop changes
    /// none.
    pub(super) fn top(&mut self, stack: u32) -> Cell {
        let depth = self.depth(stack);
        let context = self.context();
        let group = if depth == 0 { context.state } else { context.own };
        self.cell(group, What::Matrix, stack.into(), depth)
    }

    /// The cell of the push that a stack has its depth from, if there was one.
    fn pushed(&mut self, stack: u32) -> Option<Cell> {
        let depth = self.depth(stack);
        let group = self.context().own;
        (depth > 0).then(|| self.cell(group, What::Saved, stack.into(), depth))
    }

    /// What draws read of the stacks of a context, besides its state.
    pub(super) fn tops_of(&mut self, at: usize) -> Vec<Effect> {
        let Some(context) = self.all.get(at) else { return Vec::new() };
        let group = context.own;
        let pushed = context.matrices.iter().filter(|(_, pushed)| !pushed.is_empty());
        let mut tops: Vec<(u32, u64)> = pushed.map(|(stack, pushed)| (*stack, pushed.len() as u64)).collect();
        tops.sort_unstable();
        tops.into_iter()
            .map(|(stack, depth)| Effect::Read(self.cell(group, What::Matrix, stack.into(), depth)))
            .collect()
    }
}

/// A call that changes a stack of matrices. Nothing but the pop after it undoes a push, so they are
/// kept together: if something between them is.
pub(super) fn matrix(world: &mut World, call: &Call, function: &Function) {
    let bare = function.known.canonical.as_str();
    let names_stack = bare.starts_with("Matrix");
    let mode = if names_stack { call.uint(0) } else { world.shadow().mode };
    if !names_stack {
        let cell = world.mode_cell();
        world.read(cell);
    }
    let unit = world.shadow().unit;
    let stack = match Stack::of(mode, unit) {
        Stack::Modelview => gl::MODELVIEW,
        Stack::Projection => gl::PROJECTION,
        Stack::Color => gl::COLOR,
        Stack::Texture(unit) => {
            let active = world.unit_cell();
            world.read(active);
            gl::TEXTURE0 + unit
        }
        Stack::Other => mode,
    };
    let (number, top) = (world.number, world.top(stack));
    let pushed = world.pushed(stack);
    world.effects.extend(pushed.map(Effect::Read));
    if bare.contains("Push") {
        world.context().matrices.entry(stack).or_default().push(number);
        let copy = world.top(stack);
        world.effects.push(Effect::Whole(copy));
        let pushed = world.pushed(stack);
        world.effects.extend(pushed.map(Effect::Whole));
        world.effects.push(Effect::Read(top));
    } else if bare.contains("Pop") {
        let pushed = world.context().matrices.get_mut(&stack).and_then(Vec::pop);
        if let Some(pushed) = pushed.filter(|pushed| *pushed != number) {
            world.tape.pair(pushed, number);
        }
    } else {
        world.effects.push(if bare.contains("Load") { Effect::Whole(top) } else { Effect::Part(top) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits that have an attribute, its name, and a change of it.
    type Attribute = (u32, &'static str, fn(&mut Shadow));

    /// All that are followed.
    const ATTRIBUTES: &[Attribute] = &[
        (gl::CURRENT_BIT, "translucent", |it| it.is_translucent = true),
        (gl::DEPTH_BUFFER_BIT | gl::ENABLE_BIT, "depth test", |it| it.tests_depth = true),
        (gl::DEPTH_BUFFER_BIT, "depth mask", |it| it.masks_depth = true),
        (gl::STENCIL_BUFFER_BIT | gl::ENABLE_BIT, "stencil test", |it| it.tests_stencil = true),
        (gl::STENCIL_BUFFER_BIT, "stencil mask", |it| it.masks_stencil = true),
        (gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT, "blending", |it| it.blends = true),
        (gl::COLOR_BUFFER_BIT, "colour mask", |it| it.masks_colour = true),
        (gl::LIGHTING_BIT | gl::ENABLE_BIT, "colour material", |it| it.tracks_material = true),
        (gl::TRANSFORM_BIT, "matrix mode", |it| it.mode = gl::PROJECTION),
        (gl::SCISSOR_BIT | gl::ENABLE_BIT, "scissor test", |it| it.scissors = true),
        (gl::SCISSOR_BIT, "scissor", |it| it.scissor = [1, 2, 3, 4]),
        (gl::ENABLE_BIT, "discard", |it| it.discards = true),
        (gl::TEXTURE_BIT | gl::ENABLE_BIT, "enabled textures", |it| it.fixed = [(0, gl::TEXTURE_2D)].into()),
        (gl::TEXTURE_BIT, "unit", |it| it.unit = 3),
        (gl::LIST_BIT, "list base", |it| it.list_base = 7),
        // No mask has these.
        (0, "program", |it| it.program = 5),
        (0, "client unit", |it| it.client_unit = 2),
    ];

    #[test]
    fn each_bit_takes_back_its_attributes_and_no_others() {
        for (bits, name, set) in ATTRIBUTES {
            for bit in (0..20).map(|bit| 1 << bit).filter(|bit| gl::ALL_ATTRIB_BITS & bit != 0) {
                let mut now = Shadow::default();
                set(&mut now);
                let changed = format!("{now:?}");
                restore(&mut now, Shadow::default(), bit, false);
                let expected = if bits & bit == 0 { changed } else { format!("{:?}", Shadow::default()) };
                assert_eq!(format!("{now:?}"), expected, "{name}, bit {bit:#x}");
            }
        }
    }
}
