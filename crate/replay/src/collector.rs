//! Collects the calls of a pass.

use std::rc::Rc;

use unspool_formats::apitrace::{self, CallVisitor};
use unspool_gl::call::Call;
use unspool_trace::records::{Record, RecordName};

use crate::calls::Handlers;

/// Collects the calls of a pass, one after the other.
pub(crate) struct Collector<F> {
    call: Call,
    handlers: Rc<Handlers>,
    /// Takes a call that is complete, and the number of calls before it. Returns whether the pass
    /// must stop after it.
    take: F,
    full: bool,
    /// The call that is waited for.
    goal: u64,
    /// It has come.
    pub(crate) passed: bool,
    /// Calls so far, of any function.
    pub(crate) seen: u64,
}

impl<F: FnMut(&Call, u64) -> bool> Collector<F> {
    pub(crate) fn new(goal: u64, handlers: Rc<Handlers>, take: F) -> Self {
        Self { call: Call::default(), handlers, take, full: false, goal, passed: false, seen: 0 }
    }
}

/// Whether a call of this function can change a picture, or says something about one.
fn is_wanted(name: &str) -> bool {
    let is_question = name.starts_with("glGet") || name.starts_with("glIs");
    let is_window = ["glX", "egl", "wgl", "CGL"].iter().any(|prefix| name.starts_with(prefix));
    if is_window {
        return !["Get", "Query", "Choose"].iter().any(|part| name.contains(part));
    }
    !is_question || ["UniformLocation", "AttribLocation", "UniformBlockIndex"].iter().any(|part| name.contains(part))
}

impl<F: FnMut(&Call, u64) -> bool> CallVisitor for Collector<F> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let RecordName::Text(name) = record.name else { return false };
        self.passed = record.row == self.goal;
        self.seen += 1;
        let is_wanted = is_wanted(name);
        // Nothing is to be done, but what comes before it has been.
        self.full |= self.passed && !is_wanted;
        is_wanted
    }

    fn call(&mut self, call: &apitrace::Call<'_>) {
        let function = self.handlers.number_of(call.function(), call.name());
        self.call.take(call, function);
        self.full = (self.take)(&self.call, self.seen - 1);
    }

    fn is_full(&self) -> bool {
        self.full
    }
}

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn calls_about_contexts_and_frames_are_wanted() {
        for name in
            ["wglShareLists", "eglReleaseThread", "eglBindAPI", "glXMakeCurrent", "CGLFlushDrawable", "SwapBuffers"]
        {
            assert!(is_wanted(name), "{name}");
        }
        for name in ["glXQueryContext", "glXGetCurrentContext", "glGetString"] {
            assert!(!is_wanted(name), "{name}");
        }
    }
}
