//! Frames by themselves, without resources.

use unspool_gl::call::Call;
use unspool_gl::machine::{Machine, Settings};

use super::Frames;
use crate::reader::CallVisitor;

/// Counts what happens in the frames of a trace whose calls are passed to it.
pub struct Counting {
    machine: Machine,
    frames: Frames,
    /// The number that the machine has for each function, by that of frames, which want all.
    functions: Vec<Option<u32>>,
}

impl Default for Counting {
    fn default() -> Self {
        Self { machine: Machine::observed(), frames: Frames::default(), functions: Vec::new() }
    }
}

impl Counting {
    /// The frames so far.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }
}

impl CallVisitor for Counting {
    fn function(&mut self, name: &str) -> Option<u32> {
        let number = self.frames.function(name);
        if self.functions.len() == number as usize {
            self.functions.push(self.machine.function(name));
        }
        Some(number)
    }

    fn call(&mut self, call: &Call) {
        let mut settings = Settings::default();
        if let Some(Some(function)) = self.functions.get(call.function as usize) {
            self.machine.apply_as(call, *function);
            settings = self.machine.settings();
        }
        self.frames.call_of(call, &self.machine, settings);
    }
}
