//! Contexts: which of them share objects, and when each was current on a thread.

use hashbrown::HashMap;

/// A context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOf {
    /// What the program knows it by. It may be given again once the context is destroyed.
    pub handle: u64,
    /// The call that created it. `None` if it was there before the trace began.
    pub created: Option<u64>,
    /// Position of the first context of those that it shares objects with: its own if it is the
    /// first.
    pub group: u32,
}

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

/// The contexts of a trace.
#[derive(Debug, Default)]
pub struct Contexts {
    all: Vec<ContextOf>,
    /// The latest context of each handle.
    by_handle: HashMap<u64, u32>,
    current: HashMap<u64, Option<u32>>,
    switches: Vec<Switch>,
    /// Switches were left out.
    pub is_full: bool,
}

impl Contexts {
    /// All contexts, in the order in which they were created or first made current.
    pub fn all(&self) -> &[ContextOf] {
        &self.all
    }

    /// When contexts became current, in the order of calls that returned. Making the current
    /// context current again does not count.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// A call has created a context, which shares with another one if that handle is not 0. Returns
    /// the positions of the context and of the first one of its group.
    pub(crate) fn create(&mut self, handle: u64, shared: u64, call: u64) -> (u32, u32) {
        let at = self.all.len() as u32;
        let other = self.by_handle.get(&shared).filter(|_| shared != 0);
        let group = other.and_then(|at| self.all.get(*at as usize)).map_or(at, |other| other.group);
        self.add(ContextOf { handle, created: Some(call), group })
    }

    fn add(&mut self, context: ContextOf) -> (u32, u32) {
        let at = self.all.len() as u32;
        self.by_handle.insert(context.handle, at);
        self.all.push(context);
        (at, context.group)
    }

    /// A call has made a context current, or with handle 0 none. Returns the position of the
    /// context if it was not known.
    pub(crate) fn make_current(&mut self, thread: u64, handle: u64, call: u64) -> Option<u32> {
        let mut new = None;
        let context = match self.by_handle.get(&handle) {
            _ if handle == 0 => None,
            Some(at) => Some(*at),
            None => {
                let at = self.all.len() as u32;
                new = Some(self.add(ContextOf { handle, created: None, group: at }).0);
                new
            }
        };
        if self.current.insert(thread, context) != Some(context) {
            self.is_full |= self.switches.len() >= MOST_SWITCHES;
            if !self.is_full {
                self.switches.push(Switch { call, thread, context });
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_share_and_are_current_on_threads() {
        let mut contexts = Contexts::default();
        assert_eq!(contexts.create(0x10, 0, 1), (0, 0));
        assert_eq!(contexts.create(0x20, 0x10, 2), (1, 0));
        assert_eq!(contexts.make_current(0, 0x10, 3), None);
        assert_eq!(contexts.make_current(1, 0x20, 4), None);
        // What is current already is not a switch.
        assert_eq!(contexts.make_current(0, 0x10, 5), None);
        assert_eq!(contexts.make_current(0, 0, 6), None);
        // It was created before the trace began.
        assert_eq!(contexts.make_current(0, 0x30, 7), Some(2));
        // A handle that is given again is another context.
        assert_eq!(contexts.create(0x20, 0, 8), (3, 3));
        assert_eq!(contexts.make_current(1, 0x20, 9), None);
        let switches: Vec<_> = contexts.switches().iter().map(|it| (it.call, it.thread, it.context)).collect();
        let expected = [(3, 0, Some(0)), (4, 1, Some(1)), (6, 0, None), (7, 0, Some(2)), (9, 1, Some(3))];
        assert_eq!(switches, expected);
        assert_eq!(contexts.all()[2], ContextOf { handle: 0x30, created: None, group: 2 });
    }
}
