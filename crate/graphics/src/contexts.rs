//! When contexts became current on threads.

use hashbrown::HashMap;

/// From a call on, a context is current on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The call that made it current.
    pub call: u64,
    /// Number of the thread.
    pub thread: u64,
    /// Position of the context, in [`crate::resources::Resources::contexts`]. `None`: there is none
    /// from here on.
    pub context: Option<u32>,
}

/// Limit for the number of switches that are kept.
const MOST_SWITCHES: usize = 1 << 20;

/// The switches between contexts, in the order of calls that returned. Making the current context
/// current again does not count.
#[derive(Debug, Default)]
pub struct Switches {
    current: HashMap<u64, u32>,
    all: Vec<Switch>,
    /// Switches were left out.
    pub is_full: bool,
}

impl Switches {
    /// The switches.
    pub fn all(&self) -> &[Switch] {
        &self.all
    }

    /// Notes the context of a thread after a call.
    pub(crate) fn note(&mut self, call: u64, thread: u64, context: Option<u32>) {
        let before = match context {
            Some(context) => self.current.insert(thread, context),
            None => self.current.remove(&thread),
        };
        if before != context {
            self.is_full |= self.all.len() >= MOST_SWITCHES;
            if !self.is_full {
                self.all.push(Switch { call, thread, context });
            }
        }
    }
}
