//! Contexts and windows.

use unspool_gl::machine::what;
use unspool_gl::windows::Act;
use unspool_gl::{egl, glx};

use super::functions::{Function, Rule, Rules};
use super::groups::Class;
use super::scene::{Id, Own, Scene, WINDOWS};
use super::tape::Effect;
use unspool_gl::call::Call;

pub(super) const RULES: Rules = &[
    ("eglQuerySurface", Rule::Instead(query_window)),
    ("glXQueryDrawable", Rule::Instead(query_window)),
    (
        "eglSurfaceAttrib",
        Rule::Instead(|s, c, f| {
            s.always();
            query_window(s, c, f);
        }),
    ),
];

/// A program that asks how old the contents of a window are draws only what has changed since.
fn query_window(scene: &mut Scene, call: &Call, _: &Function) {
    let asked = [egl::BUFFER_AGE_EXT, egl::BUFFER_PRESERVED, glx::BACK_BUFFER_AGE_EXT];
    scene.reads_age |= (0..call.len()).any(|at| asked.contains(&call.uint(at)));
}

impl Scene {
    fn window_of(&mut self, handle: u64) -> Id {
        if let Some(id) = self.windows.get(&handle) {
            return *id;
        }
        let id = WINDOWS + self.windows.len() as Id;
        self.object(id).name = handle;
        self.windows.insert(handle, id);
        id
    }

    /// The window that the current context draws to, or reads.
    pub(super) fn window(&mut self, is_read: bool) -> Id {
        let what = if is_read { what::READ_DRAWABLE } else { what::DRAWABLE };
        let handle = self.machine.number(self.machine.context_owner(), what, 0).unwrap_or_default();
        self.window_of(handle as u64)
    }

    /// The windows that contexts draw to.
    pub(super) fn drawn_windows(&mut self) -> Vec<Id> {
        let owners: Vec<Id> = self.contexts.iter().map(|context| context.owner).filter(|owner| *owner != 0).collect();
        let handle = |owner| self.machine.number(owner, what::DRAWABLE, 0).unwrap_or_default() as u64;
        let handles: Vec<u64> = owners.into_iter().map(handle).collect();
        handles.into_iter().map(|handle| self.window_of(handle)).collect()
    }

    /// A call of a function of windows.
    pub(super) fn call_of_windows(&mut self, call: &Call) {
        let Some(Act::MakesCurrent { context, windows }) = self.machine.act() else { return self.always() };
        let cell = self.tape.thread_cell(call.thread);
        self.effects.push(Effect::Whole(cell));
        self.version += 1;
        let [draw, read] = windows.unwrap_or_default();
        // The first time that a context meets a window gives it its size.
        if self.met.insert((call.thread as u32, context)) | self.met.insert((1 << 31, context ^ draw << 1)) {
            self.always();
        }
        for handle in [draw, read] {
            self.window_of(handle);
        }
    }

    /// The replay of apitrace makes a window as large as the largest viewport so far.
    pub(super) fn grow_window(&mut self, width: i64, height: i64) {
        if self.bound(what::DRAW_FRAMEBUFFER_BINDING, 0) != 0 {
            return;
        }
        let window = self.window(false);
        let [width, height] = [width, height].map(|side| u32::try_from(side).unwrap_or_default());
        let [across, up] = self.object(window).size;
        if width > across || height > up {
            let object = self.object(window);
            (object.size, object.is_resized) = ([width.max(across), height.max(up)], true);
            let cell = self.cell(window, Class::State, Own::Size, 0, 0);
            self.part(cell);
            // Only if no framebuffer object is bound.
            let bound = self.setting(what::DRAW_FRAMEBUFFER_BINDING, 0);
            self.read(bound);
        }
    }

    /// A call ends a frame: it shows what is in the window.
    pub(super) fn swap(&mut self, call: &Call) {
        let named = (0..call.len().min(2)).find_map(|at| self.windows.get(&(call.int(at) as u64)).copied());
        let window = named.unwrap_or_else(|| self.window(false));
        if self.is_of_frames {
            self.read_object(window);
        }
        // Mesa finds out how large a window is when it is swapped, and draws into the old size
        // before.
        if core::mem::replace(&mut self.object(window).is_resized, false) {
            let cell = self.cell(window, Class::State, Own::Size, 0, 0);
            self.part(cell);
        }
        self.end_window(window);
    }
}
