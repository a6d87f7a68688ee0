//! Pairs of what begins and must end: queries, conditional rendering, transform feedback, groups of
//! messages for debuggers. Beginnings and ends are kept together, or not at all.

use unspool_gl::gl;
use unspool_gl::machine::objects::Kind;

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, Own, Scene};
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("BeginQuery", Rule::With(begin_query)),
    ("EndQuery", Rule::With(end_query)),
    ("QueryCounter", Rule::With(count)),
    ("BeginConditionalRender", Rule::Instead(begin_condition)),
    ("EndConditionalRender", Rule::Instead(end_condition)),
    ("BeginTransformFeedback", Rule::Instead(begin_feedback)),
    ("EndTransformFeedback", Rule::Instead(|s, _, _| s.end(gl::TRANSFORM_FEEDBACK))),
    ("PushDebugGroup", Rule::Instead(|s, _, _| s.begin(gl::DEBUG_GROUP_STACK_DEPTH))),
    ("PopDebugGroup", Rule::Instead(|s, _, _| s.end(gl::DEBUG_GROUP_STACK_DEPTH))),
    ("PushGroupMarker", Rule::Instead(|s, _, _| s.begin(gl::DEBUG_GROUP_STACK_DEPTH + 1))),
    ("PopGroupMarker", Rule::Instead(|s, _, _| s.end(gl::DEBUG_GROUP_STACK_DEPTH + 1))),
];

impl Scene {
    /// The current call begins something that a later one ends.
    fn begin(&mut self, which: u32) {
        let number = self.number;
        let begun = self.context().begun.entry(which).or_default();
        begun.push(number);
        let depth = begun.len() as u64;
        let cell = self.own(Own::Begun, which.into(), depth);
        self.whole(cell);
    }

    /// The current call ends what an earlier one has begun.
    fn end(&mut self, which: u32) {
        let begun = self.context().begun.entry(which).or_default();
        let depth = begun.len() as u64;
        if let Some(call) = begun.pop() {
            let cell = self.own(Own::Begun, which.into(), depth);
            // A call without effects would not be on the tape.
            self.read(cell);
            let number = self.number;
            self.tape.pair(call, number);
        }
    }

    /// Reads that something has begun, if it has. Returns whether it has.
    pub(super) fn read_begun(&mut self, which: u32) -> bool {
        let depth = self.context().begun.get(&which).map_or(0, |begun| begun.len() as u64);
        if depth > 0 {
            let cell = self.own(Own::Begun, which.into(), depth);
            self.read(cell);
        }
        depth > 0
    }
}

/// The query that a call names.
pub(super) fn query_of(scene: &mut Scene, name: u32) -> Id {
    if let Some(cell) = scene.name_cell(Kind::Query, name) {
        scene.read(cell);
    }
    scene.known(Kind::Query, name).unwrap_or_default()
}

fn begin_query(scene: &mut Scene, call: &Call, _: &Function) {
    let (target, id) = (call.uint(0), query_of(scene, call.uint(1)));
    scene.context().queries.push((target, id));
    let cell = scene.content(id, (0, 0), Own::Whole, 0, 0);
    scene.whole(cell);
    scene.begin(target);
}

fn end_query(scene: &mut Scene, call: &Call, _: &Function) {
    let target = call.uint(0);
    let queries = &mut scene.context().queries;
    let ended: Vec<Id> = queries.iter().filter(|(of, _)| *of == target).map(|(_, id)| *id).collect();
    queries.retain(|(of, _)| *of != target);
    for id in ended {
        let cell = scene.content(id, (0, 0), Own::Whole, 0, 0);
        scene.part(cell);
    }
    scene.end(target);
}

/// The time is written to a query.
fn count(scene: &mut Scene, call: &Call, _: &Function) {
    let id = query_of(scene, call.uint(0));
    let cell = scene.content(id, (0, 0), Own::Whole, 0, 0);
    scene.whole(cell);
}

fn begin_condition(scene: &mut Scene, call: &Call, _: &Function) {
    let id = query_of(scene, call.uint(0));
    scene.read_object(id);
    let cell = scene.of_context(Class::State, super::settings::CONDITION, 0, 0);
    scene.whole(cell);
    scene.begin(gl::QUERY);
}

fn end_condition(scene: &mut Scene, _: &Call, _: &Function) {
    let cell = scene.of_context(Class::State, super::settings::CONDITION, 0, 0);
    scene.whole(cell);
    scene.end(gl::QUERY);
}

fn begin_feedback(scene: &mut Scene, _: &Call, _: &Function) {
    scene.read_bound(false);
    scene.begin(gl::TRANSFORM_FEEDBACK);
}
