//! Events that are held back until one hypothesis is left.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::execution::{Note, Sink};
use unspool_trace::locator::Locator;

/// An event as [`Sink`] receives it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    Begin { name: u32, time: u64, locator: Locator, flags: u8 },
    End { name: u32, began: Locator, time: u64, flags: u8 },
    Point { name: u32, time: u64, locator: Locator },
    Outermost { name: u32, below: bool, time: u64, locator: Locator },
    Note { note: Note, locator: Locator },
}

/// Events that several hypotheses share: those from before they differed.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) events: Vec<Held>,
    pub(super) before: Option<Rc<Common>>,
    /// Number of events, including those in `before`.
    pub(super) count: usize,
}

impl Held {
    /// Passes the event on.
    pub(super) fn tell(self, sink: &mut dyn Sink) {
        match self {
            Self::Begin { name, time, locator, flags } => sink.begin(name, time, locator, flags),
            Self::End { name, began, time, flags } => sink.end(name, began, time, flags),
            Self::Point { name, time, locator } => sink.point(name, time, locator),
            Self::Outermost { name, below, time, locator } => sink.outermost(name, below, time, locator),
            Self::Note { note, locator } => sink.note(note, locator),
        }
    }
}
