//! Which cells calls have set to what they held, and whether that is certain.
//!
//! A value is certain if a call of the trace has set it, and nothing since then can have changed it
//! that is not followed. A *doubt* makes all that was set before it uncertain: an error (the call
//! that raised it has set nothing), another context (objects that contexts share may have changed
//! there), and calls that change much at once: those that take attributes back, execute display
//! lists, delete objects or link programs. What these do is followed; but a program that sets state
//! again after them is not blamed for it. A cell that is set again is certain again.

use crate::gl;

use super::{Handlers, Machine, what};

pub(crate) const HANDLERS: Handlers = &[
    ("GetError", |m, c, _| {
        if c.result().int().is_some_and(|error| error != i64::from(gl::NO_ERROR)) {
            m.doubt();
        }
    }),
    // The face that other calls are about is not followed.
    ("ActiveStencilFace", |m, _, _| m.doubt()),
];

/// Whether calls of a function change much of the state at once, or what it refers to. `bare`: its
/// name, without the prefix `gl` and endings of extensions.
pub(super) fn changes_much(bare: &str) -> bool {
    const NAMES: [&str; 7] =
        ["PopAttrib", "PopClientAttrib", "CallList", "CallLists", "LinkProgram", "ProgramBinary", "UseProgramStages"];
    NAMES.contains(&bare) || bare.starts_with("Delete")
}

/// What the latest call did to cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Cells that held the value already, which is certain.
    pub same: u32,
    /// Cells that held the value already, as far as is known.
    pub doubtful: u32,
    /// Cells that got another value, or one that is not known.
    pub changed: u32,
}

impl Settings {
    /// Whether the call has set what was set, and nothing else.
    pub fn repeats(self) -> bool {
        self.same > 0 && self.doubtful == 0 && self.changed == 0
    }

    pub(super) fn note_same(&mut self, is_certain: bool) {
        *(if is_certain { &mut self.same } else { &mut self.doubtful }) += 1;
    }
}

/// When what was set became uncertain.
#[derive(Debug, Default)]
pub(crate) struct Doubts {
    /// Calls that were executed.
    executed: u32,
    /// [`Doubts::executed`] at the latest doubt.
    latest: u32,
    /// The context of the latest call.
    context: u32,
    /// The active texture unit is not known, so that what is set may be that of another one.
    is_unit_unknown: bool,
    /// The program in use, likewise.
    is_program_unknown: bool,
}

impl Doubts {
    /// When a cell that is set now is set. 0 if it may be another one.
    pub(super) fn now(&self) -> u32 {
        if self.is_unit_unknown || self.is_program_unknown { 0 } else { self.executed }
    }

    /// A list was executed of which not all is followed: it may have chosen another unit and
    /// program.
    pub(super) fn note_unknown_list(&mut self) {
        (self.is_unit_unknown, self.is_program_unknown) = (true, true);
    }

    /// A call chooses what later ones set.
    pub(super) fn note_chosen(&mut self, what: u16) {
        match what {
            what::ACTIVE_TEXTURE => self.is_unit_unknown = false,
            what::CURRENT_PROGRAM => self.is_program_unknown = false,
            _ => {}
        }
    }

    /// Whether a cell that was set then has its value for certain.
    pub(super) fn is_certain(&self, since: u32) -> bool {
        since > self.latest
    }
}

impl Machine {
    /// What the latest call did to cells. Those of calls that lists have executed count.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The number of times that cells were written so far: another account of what calls change
    /// than [`Machine::settings`], which is of what they set.
    pub fn writes(&self) -> u64 {
        self.root.cells.writes()
    }

    /// What was set before now is uncertain.
    pub(super) fn doubt(&mut self) {
        self.doubts.latest = self.doubts.executed;
    }

    /// Notes that a call is executed in the context that is current.
    pub(super) fn begin_call(&mut self) {
        if self.context != 0 {
            let before = core::mem::replace(&mut self.doubts.context, self.context);
            if before != 0 && before != self.context {
                self.doubt();
            }
        }
        // A machine that has executed as many calls as can be counted is sure of nothing more.
        self.doubts.executed = self.doubts.executed.saturating_add(1);
        if self.doubts.executed == u32::MAX {
            self.doubt();
        }
    }
}
