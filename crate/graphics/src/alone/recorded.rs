//! Display lists: what is recorded, and what is executed.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_gl::machine::lists::MAX_CALLS;

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, LISTS, Own, Scene};
use super::tape::Cell;
use unspool_gl::call::{Call, Value};

pub(super) const RULES: Rules = &[
    ("GenLists", Rule::Instead(generate)),
    ("DeleteLists", Rule::Instead(delete)),
    ("NewList", Rule::Instead(begin)),
    ("EndList", Rule::Instead(end)),
    ("CallLists", Rule::With(call_lists)),
];

/// Most calls of lists that one call executes.
pub(super) const MAX_LISTED: u32 = 1 << 16;
/// Deepest nesting of lists.
const MAX_NESTING: u32 = 64;
/// Lists of one call that are looked at.
const MOST_LISTS: usize = 1 << 12;

/// The display lists of all groups of contexts.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// By group and name.
    known: HashMap<(u32, u32), Id>,
    there: HashMap<Id, (u32, u32)>,
    /// Ranges of names that were generated, by group and first name: how many, and by whom.
    ranges: BTreeMap<(u32, u32), (u32, Cell)>,
    count: u32,
}

impl Lists {
    /// Whether calls can still refer to a list.
    pub(super) fn has(&self, id: Id) -> bool {
        self.there.contains_key(&id)
    }
}

/// A list that is being made.
#[derive(Debug)]
pub(super) struct Recording {
    id: Id,
    /// The call that has begun it.
    begun: u32,
}

/// The group of contexts that share lists with the current one.
fn share(scene: &Scene) -> u32 {
    scene.machine.whole().map_or(0, |context| context.group)
}

fn generate(scene: &mut Scene, call: &Call, _: &Function) {
    let first = call.result().int().unwrap_or_default() as u32;
    let number = scene.number;
    let cell = scene.cell(0, Class::Names, Own::List, number.into(), 0);
    scene.whole(cell);
    let share = share(scene);
    scene.lists.ranges.insert((share, first), (call.uint(0), cell));
}

/// Reads how a list got its name.
fn read_range(scene: &mut Scene, name: u32) {
    let share = share(scene);
    let before = scene.lists.ranges.range(..=(share, name)).next_back();
    let holds = |first: u32, count: u32| name.checked_sub(first).is_some_and(|at| at < count);
    let found = before.filter(|((of, first), (count, _))| *of == share && holds(*first, *count));
    if let Some(cell) = found.map(|(_, (_, cell))| *cell) {
        scene.read(cell);
    }
}

/// Reads how a list got its name, if there is one.
pub(super) fn read_name(scene: &mut Scene, name: u32) {
    if scene.lists.known.contains_key(&(share(scene), name)) {
        read_range(scene, name);
    }
}

fn delete(scene: &mut Scene, call: &Call, _: &Function) {
    let share = share(scene);
    for name in call.uint(0)..call.uint(0).saturating_add(call.uint(1).min(1 << 16)) {
        if let Some(id) = scene.lists.known.remove(&(share, name)) {
            scene.lists.there.remove(&id);
        }
    }
}

fn begin(scene: &mut Scene, call: &Call, _: &Function) {
    let name = call.uint(0);
    read_range(scene, name);
    let share = share(scene);
    if let Some(earlier) = scene.lists.known.remove(&(share, name)) {
        scene.lists.there.remove(&earlier);
    }
    scene.lists.count += 1;
    let id = LISTS + scene.lists.count;
    scene.lists.known.insert((share, name), id);
    scene.lists.there.insert(id, (share, name));
    scene.object(id).name = name.into();
    let begun = scene.number;
    scene.context().recording = Some(Recording { id, begun });
    let cell = content(scene, id);
    scene.whole(cell);
}

fn end(scene: &mut Scene, _: &Call, _: &Function) {
    let Some(Recording { id, begun }) = scene.context().recording.take() else { return };
    let (cell, number) = (content(scene, id), scene.number);
    scene.part(cell);
    // Of the frames, it is kept whatever it ends.
    scene.read(cell);
    scene.tape.pair(begun, number);
}

fn content(scene: &mut Scene, id: Id) -> Cell {
    scene.content(id, (0, 0), Own::List, 0, 0)
}

/// Whether lists that are executed are known: their names are in the call.
fn are_known(call: &Call) -> bool {
    let count = call.uint(0) as usize;
    let size = match call.uint(1) {
        gl::BYTE | gl::UNSIGNED_BYTE => 1,
        gl::SHORT | gl::UNSIGNED_SHORT | gl::_2_BYTES => 2,
        gl::_3_BYTES => 3,
        gl::INT | gl::UNSIGNED_INT | gl::_4_BYTES => 4,
        _ => return false,
    };
    let given = match call.argument(2) {
        Value::Bytes(bytes, length) if bytes.len() as u64 == length => bytes.len() / size,
        Value::List(values) => values.count(),
        Value::Text(text) => text.len(),
        _ => return count == 0,
    };
    count <= MOST_LISTS && count <= given
}

fn call_lists(scene: &mut Scene, call: &Call, _: &Function) {
    if are_known(call) {
        return;
    }
    let share = share(scene);
    let lists: Vec<Id> = scene.lists.known.iter().filter(|((of, _), _)| *of == share).map(|(_, id)| *id).collect();
    for id in lists {
        scene.read_object(id);
    }
    anything(scene);
}

/// Lists that are not known are executed: they may read and change anything.
fn anything(scene: &mut Scene) {
    scene.always();
    scene.read_everything();
    scene.draw();
}

/// A list is executed.
pub(super) fn execute(scene: &mut Scene, name: u32) {
    let Some(id) = scene.lists.known.get(&(share(scene), name)).copied() else { return };
    if scene.nesting >= MAX_NESTING {
        return;
    }
    read_range(scene, name);
    scene.read_object(id);
    let Some(calls) = scene.machine.list(name) else { return };
    if calls.len() >= MAX_CALLS || scene.budget < calls.len() as u32 {
        scene.budget = 0;
        return anything(scene);
    }
    scene.budget -= calls.len() as u32;
    scene.nesting += 1;
    for call in calls.iter() {
        if let Some(function) = scene.functions.of_machine(call.function) {
            scene.step(call, &function, true);
        }
    }
    scene.nesting -= 1;
}

/// A call becomes a part of the list that is being made.
pub(super) fn record(scene: &mut Scene, function: &Function) {
    let Some(id) = scene.context().recording.as_ref().map(|recording| recording.id) else { return };
    let cell = content(scene, id);
    scene.part(cell);
    let bare = function.bare();
    // Vertices between glBegin and glEnd are in the calls.
    let draws = function.may_draw && !["CallList", "Clear", "End"].iter().any(|begin| bare.starts_with(begin));
    // What a call takes from the memory of the program, it takes now.
    if draws || bare == "ArrayElement" {
        scene.read_everything();
    } else if function.known.texture.is_some() || bare.contains("Bitmap") || bare.contains("PolygonStipple") {
        scene.read_pixels();
    }
}
