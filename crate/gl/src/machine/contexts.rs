//! What contexts have beside cells.

use std::sync::Arc;

use crate::gl;
use crate::matrices::Stacks;
use crate::pixel_formats::PixelFormats;
use crate::windows::{Act, Function};

use super::cells::Value;
use super::lists::Compiling;
use super::raster::Saved;
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::Call;

pub(crate) const HANDLERS: Handlers = &[
    ("GetString", get_string),
    ("glXChooseVisual", |m, c, _| m.pixel_formats().choose_visual(c)),
    ("glXChooseFBConfig", |m, c, _| m.pixel_formats().choose_of_glx(c)),
    ("glXChooseFBConfigSGIX", |m, c, _| m.pixel_formats().choose_of_glx(c)),
    ("glXGetVisualFromFBConfig", |m, c, _| m.pixel_formats().visual_of(c)),
    ("glXGetFBConfigAttrib", |m, c, _| m.pixel_formats().answer(c, false)),
    ("eglChooseConfig", |m, c, _| m.pixel_formats().choose_of_egl(c)),
    ("eglGetConfigAttrib", |m, c, _| m.pixel_formats().answer(c, true)),
];

/// A context.
#[derive(Clone, Default)]
pub(crate) struct Context {
    /// The owner of its cells. The next one is that of names of objects, if it is the first of its
    /// group.
    pub(crate) owner: u32,
    /// The latest two draws.
    pub(crate) last_draw: Option<u32>,
    pub(crate) previous_draw: Option<u32>,
    pub(crate) compiling: Option<Compiling>,
    pub(crate) stacks: Arc<Stacks<f64>>,
    /// What glPushAttrib and glPushClientAttrib have kept: numbers of cells.
    pub(crate) attributes: Arc<Vec<Saved>>,
    pub(crate) client_attributes: Arc<Vec<Saved>>,
}

impl Context {
    /// A call has drawn.
    pub(crate) fn drawn(&mut self, at: u32) {
        self.previous_draw = self.last_draw;
        self.last_draw = Some(at);
    }
}

impl Machine {
    fn pixel_formats(&mut self) -> &mut PixelFormats {
        &mut Arc::make_mut(&mut self.root.all).pixel_formats
    }

    /// Creates contexts, makes them current and so on. Returns what the call does, `None` if it has
    /// failed.
    pub fn call_of_windows(&mut self, function: Function, call: &Call) -> Option<Act> {
        let act = Arc::make_mut(&mut self.root.all).call(function, call);
        self.act = act;
        self.hold();
        if let Some(Act::MakesCurrent { windows: Some([draw, read]), .. }) = act {
            self.set(what::DRAWABLE, Value::Int(draw as i64));
            self.set(what::READ_DRAWABLE, Value::Int(read as i64));
        }
        act
    }

    /// A context for calls of a thread that has none: the trace begins after the program did.
    pub(crate) fn imply_context(&mut self) {
        Arc::make_mut(&mut self.root.all).imply(self.thread);
        self.hold();
    }

    /// Makes what new contexts hold, and enters the current one.
    fn hold(&mut self) {
        while let at = self.root.contexts.len()
            && let Some(group) = self.root.all.all().get(at).map(|context| context.group)
        {
            let owner = self.new_owner();
            if group as usize == at {
                // For names of objects.
                self.new_owner();
            }
            Arc::make_mut(&mut self.root.contexts).push(Arc::new(Context { owner, ..Context::default() }));
        }
        self.enter_context();
    }
}

fn get_string(machine: &mut Machine, call: &Call, _: Variant) {
    let (gl::VERSION, Some(text)) = (call.uint(0), call.result().text()) else { return };
    let at = machine.current;
    if machine.root.all.all().get(at).is_some_and(|context| context.version.as_deref() != Some(text)) {
        Arc::make_mut(&mut machine.root.all).set_version(at as u32, text);
    }
}
