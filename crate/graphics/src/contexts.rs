//! When contexts became current on threads.

use core::ops::Deref;

use unspool_gl::contexts::Contexts as All;
use unspool_gl::windows::{Act, Function};

use unspool_gl::call::Call;

/// From a call on, a context is current on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The call that made it current.
    pub call: u64,
    /// Number of the thread.
    pub thread: u64,
    /// Position of the context. `None`: there is none from here on.
    pub context: Option<u32>,
}

/// Limit for the number of switches that are kept.
const MOST_SWITCHES: usize = 1 << 20;

/// The contexts of a trace, and their switches.
#[derive(Debug, Default)]
pub struct Contexts {
    contexts: All,
    switches: Vec<Switch>,
    /// Switches were left out.
    pub is_full: bool,
}

impl Deref for Contexts {
    type Target = All;

    fn deref(&self) -> &All {
        &self.contexts
    }
}

impl Contexts {
    /// When contexts became current, in the order of calls that returned. Making the current
    /// context current again does not count.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// [`All::call`]
    pub(crate) fn call(&mut self, function: Function, call: &Call) -> Option<Act> {
        let before = self.current(call.thread);
        let act = self.contexts.call(function, call);
        let context = self.current(call.thread);
        if context != before {
            self.is_full |= self.switches.len() >= MOST_SWITCHES;
            if !self.is_full {
                self.switches.push(Switch { call: call.number, thread: call.thread, context });
            }
        }
        act
    }
}
