//! Notes on which cells a call reads and writes, for those who ask what a later call depends on.
//!
//! Handlers ask for cells and set them; noting both as that happens says what a call depends on and
//! what it changes, whichever function it is. A cell that is set counts as read before only if it
//! was asked for.

use core::cell::RefCell;

use super::cells::Value;
use super::{Machine, lists};
use crate::call::Call;
use crate::windows::Act;

/// A cell that a call has read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The owner of the cell.
    pub owner: u32,
    /// The cell.
    pub what: u16,
    /// Its index.
    pub index: u32,
    /// It was set as a whole, otherwise it was asked for.
    pub is_set: bool,
    /// It was set to an object, or to none.
    pub is_object: bool,
}

/// The notes of the latest call, in order.
#[derive(Default)]
pub(crate) struct Notes {
    /// Calls are noted.
    pub(crate) is_on: bool,
    /// A call is being executed: who looks at the machine in between is not noted.
    is_running: bool,
    all: RefCell<Vec<Note>>,
}

impl Notes {
    pub(crate) fn read(&self, owner: u32, what: u16, index: u32) {
        if self.is_running && owner != 0 {
            self.all.borrow_mut().push(Note { owner, what, index, is_set: false, is_object: false });
        }
    }

    pub(crate) fn set(&self, owner: u32, what: u16, index: u32, value: &Value) {
        if self.is_running && owner != 0 {
            let is_object = matches!(value, Value::Object { .. } | Value::Attachment(_) | Value::Unset);
            self.all.borrow_mut().push(Note { owner, what, index, is_set: true, is_object });
        }
    }
}

impl Machine {
    /// A machine that notes the cells which calls read and write. Its effects lack where objects
    /// are placed and what is drawn, and have the lists that a call executes
    /// ([`super::effects::Effect::Listed`]), which are not executed. It keeps no matrices.
    pub fn of_notes() -> Self {
        let mut machine = Self { is_observed: true, ..Self::default() };
        machine.notes.is_on = true;
        machine
    }

    /// Executes a call, and adds what it reads and writes to notes.
    pub fn apply_noting(&mut self, call: &Call, function: u32, notes: &mut Vec<Note>) {
        self.noting(notes, |machine| machine.apply_as(call, function));
    }

    /// The same for a call of a list that is executed, which is not recorded again.
    pub fn apply_listed(&mut self, call: &Call, notes: &mut Vec<Note>) {
        self.noting(notes, |machine| {
            machine.effects.clear();
            machine.execute(call, call.function, false);
        });
    }

    fn noting(&mut self, notes: &mut Vec<Note>, does: impl FnOnce(&mut Self)) {
        self.notes.is_running = true;
        self.act = None;
        does(self);
        self.notes.is_running = false;
        notes.append(self.notes.all.get_mut());
    }

    /// The deed of the latest call with contexts and windows, if it is one of their functions and
    /// has not failed.
    pub fn act(&self) -> Option<Act> {
        self.act
    }

    /// The positions of the contexts that are current on any thread.
    pub fn current_contexts(&self) -> Vec<u32> {
        self.root.all.all_current()
    }

    /// Whether calls of a function set or tell something.
    pub fn follows(&self, function: u32) -> bool {
        self.operations.get(function as usize).is_some_and(super::Operation::does_something)
    }

    /// Whether a display list is being compiled, and whether its calls are executed as well.
    pub fn compiles(&self) -> Option<bool> {
        self.context()?.compiling.as_ref().map(lists::Compiling::executes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{self, Example};
    use crate::gl;
    use crate::machine::effects::Effect;
    use crate::machine::objects::Kind;
    use crate::machine::what;

    fn apply(machine: &mut Machine, name: &str, args: &[u32]) -> Vec<Note> {
        let args = args.iter().map(|number| example::Value::Int((*number).into())).collect();
        let function = machine.function(name).unwrap();
        let call = Example { name: name.into(), args, ..Example::default() }.call(function);
        let mut notes = Vec::new();
        machine.apply_noting(&call, function, &mut notes);
        notes
    }

    #[test]
    fn calls_read_what_chooses_their_object_and_write_what_they_set() {
        let mut machine = Machine::of_notes();
        apply(&mut machine, "glActiveTexture", &[gl::TEXTURE0 + 2]);
        let bound = apply(&mut machine, "glBindTexture", &[gl::TEXTURE_2D, 5]);
        let (context, texture) =
            (machine.context_owner(), machine.object(machine.context_owner(), what::TEXTURE_BINDING_2D, 2).1);
        let note = |owner, what, index, is_set| Note { owner, what, index, is_set, is_object: false };
        assert_eq!(bound.first(), Some(&note(context, what::ACTIVE_TEXTURE, 0, false)));
        let last = Note { is_object: true, ..note(context, what::TEXTURE_BINDING_2D, 2, true) };
        assert_eq!(bound.last(), Some(&last));
        let name = machine.place_of(Kind::Texture, 5);
        assert!(bound.contains(&note(name.0, name.1, name.2, true)), "{bound:?}");
        let set = apply(&mut machine, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]);
        let expected = [
            note(context, what::ACTIVE_TEXTURE, 0, false),
            note(context, what::TEXTURE_BINDING_2D, 2, false),
            note(texture, gl::TEXTURE_MIN_FILTER as u16, 0, true),
        ];
        assert_eq!(set, expected);
        // The same value again is set again.
        assert_eq!(
            apply(&mut machine, "glTexParameteri", &[gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::NEAREST]),
            expected
        );
        // What is looked at in between is not noted.
        machine.value(context, what::BLEND, 0);
        assert_eq!(apply(&mut machine, "glLineWidth", &[1]), [note(context, what::LINE_WIDTH, 0, true)]);
    }

    #[test]
    fn one_parameter_of_all_draw_buffers_does_not_read_those_of_each() {
        let mut machine = Machine::of_notes();
        apply(&mut machine, "glColorMaski", &[1, 0, 0, 0, 0]);
        let notes = apply(&mut machine, "glColorMask", &[1, 1, 1, 1]);
        assert!(notes.iter().all(|note| note.is_set), "{notes:?}");
        assert_eq!(notes.len(), 2);
    }

    #[test]
    fn lists_are_executed_call_by_call() {
        let mut machine = Machine::of_notes();
        apply(&mut machine, "glNewList", &[3, gl::COMPILE]);
        assert_eq!(machine.compiles(), Some(false));
        assert_eq!(apply(&mut machine, "glLineWidth", &[2]), []);
        // A function that sets nothing is recorded, too.
        apply(&mut machine, "glClampColor", &[gl::CLAMP_READ_COLOR, 0]);
        apply(&mut machine, "glEndList", &[]);
        apply(&mut machine, "glCallList", &[3]);
        assert_eq!(machine.effects(), [Effect::Listed { name: 3 }]);
        let calls = machine.list(3).unwrap();
        assert_eq!(calls.len(), 2);
        let mut notes = Vec::new();
        machine.apply_listed(&calls[0], &mut notes);
        assert_eq!(notes.iter().map(|note| note.what).collect::<Vec<_>>(), [what::LINE_WIDTH]);
    }

    #[test]
    fn objects_are_reachable_while_something_refers_to_them() {
        let mut machine = Machine::of_notes();
        apply(&mut machine, "glBindTexture", &[gl::TEXTURE_2D, 5]);
        let texture = machine.object(machine.context_owner(), what::TEXTURE_BINDING_2D, 0).1;
        apply(&mut machine, "glPushAttrib", &[gl::TEXTURE_BIT]);
        apply(&mut machine, "glDeleteTextures", &[1, 5]);
        assert_eq!(machine.object(machine.context_owner(), what::TEXTURE_BINDING_2D, 0).1, 0);
        assert!(machine.reachable().contains(&texture));
        apply(&mut machine, "glPopAttrib", &[]);
        apply(&mut machine, "glBindTexture", &[gl::TEXTURE_2D, 0]);
        assert!(!machine.reachable().contains(&texture));
    }
}
