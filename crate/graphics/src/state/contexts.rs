//! Contexts of GLX, EGL, WGL and CGL: created, shared, made current, destroyed.

use std::sync::Arc;

use unspool_gl::{egl, gl, glx};

use super::cells::Value;
use super::lists::Compiling;
use super::machine::{Handlers, Machine};
use super::matrices::Stacks;
use super::raster::Saved;
use super::variant::Variant;
use super::what;
use crate::calls::{self, Call};

pub(super) const HANDLERS: Handlers = &[
    ("glXCreateContext", |m, c, _| m.create(c, c.result(), 2, None)),
    ("glXCreateNewContext", |m, c, _| m.create(c, c.result(), 3, None)),
    ("glXCreateContextWithConfigSGIX", |m, c, _| m.create(c, c.result(), 3, None)),
    ("glXCreateContextAttribsARB", |m, c, _| m.create(c, c.result(), 2, Some(4))),
    ("eglCreateContext", |m, c, _| m.create(c, c.result(), 2, Some(3))),
    ("wglCreateContext", |m, c, _| m.create(c, c.result(), usize::MAX, None)),
    ("wglCreateLayerContext", |m, c, _| m.create(c, c.result(), usize::MAX, None)),
    ("wglCreateContextAttribsARB", |m, c, _| m.create(c, c.result(), 1, Some(2))),
    ("CGLCreateContext", |m, c, _| {
        let made = c.argument(2).list().and_then(|mut list| list.next());
        m.create(c, made.unwrap_or(c.argument(2)), 1, None);
    }),
    ("wglShareLists", share_lists),
    ("glXCopyContext", |_, _, _| {}),
    ("eglBindAPI", bind_api),
    ("glXMakeCurrent", |m, c, _| m.make_current(c, 2, 1, 1)),
    ("glXMakeContextCurrent", |m, c, _| m.make_current(c, 3, 1, 2)),
    ("glXMakeCurrentReadSGI", |m, c, _| m.make_current(c, 3, 1, 2)),
    ("eglMakeCurrent", |m, c, _| m.make_current(c, 3, 1, 2)),
    ("wglMakeCurrent", |m, c, _| m.make_current(c, 1, 0, 0)),
    ("wglMakeContextCurrentARB", |m, c, _| m.make_current(c, 2, 0, 1)),
    ("CGLSetCurrentContext", |m, c, _| m.make_current(c, 0, usize::MAX, usize::MAX)),
    ("eglReleaseThread", |m, _, _| m.set_thread(0)),
    ("glXDestroyContext", |m, c, _| m.destroy(c.argument(1))),
    ("eglDestroyContext", |m, c, _| m.destroy(c.argument(1))),
    ("wglDeleteContext", |m, c, _| m.destroy(c.argument(0))),
    ("CGLDestroyContext", |m, c, _| m.destroy(c.argument(0))),
    ("GetString", get_string),
];

/// Which functions and state a context has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// OpenGL with everything that was ever in it.
    Compatibility,
    /// OpenGL without what version 3.1 removed.
    Core,
    /// OpenGL ES 1.
    Es1,
    /// OpenGL ES 2 and later.
    Es2,
}

impl Profile {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compatibility => "OpenGL",
            Self::Core => "OpenGL, core profile",
            Self::Es1 => "OpenGL ES 1",
            Self::Es2 => "OpenGL ES",
        }
    }

    /// Whether it has matrices, lights and other state of the fixed function.
    pub fn has_fixed_function(self) -> bool {
        matches!(self, Self::Compatibility | Self::Es1)
    }
}

/// A context.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) owner: u32,
    /// The owner of the names of objects that contexts share.
    pub(super) share: u32,
    pub(super) handle: u64,
    pub(super) profile: Profile,
    /// What GL_VERSION is, as far as the program has asked.
    pub(super) version: Option<Arc<str>>,
    /// It was not created within the trace: what no call has set is not known.
    pub(super) is_implicit: bool,
    pub(super) created: u32,
    pub(super) is_destroyed: bool,
    /// The latest two draws.
    pub(super) last_draw: Option<u32>,
    pub(super) previous_draw: Option<u32>,
    pub(super) compiling: Option<Compiling>,
    pub(super) stacks: Arc<Stacks>,
    /// What glPushAttrib and glPushClientAttrib have kept: numbers of cells.
    pub(super) attributes: Arc<Vec<Saved>>,
    pub(super) client_attributes: Arc<Vec<Saved>>,
}

impl Context {
    /// A call has drawn.
    pub(super) fn drawn(&mut self, at: u32) {
        self.previous_draw = self.last_draw;
        self.last_draw = Some(at);
    }
}

/// Bits of the profile masks of GLX, WGL and EGL.
const CORE: i64 = gl::CONTEXT_CORE_PROFILE_BIT as i64;
const ES: i64 = glx::CONTEXT_ES2_PROFILE_BIT_EXT as i64;

impl Machine {
    /// A handle as a number. Displays may pass numbers or pointers.
    fn handle(value: calls::Value<'_>) -> u64 {
        value.int().unwrap_or_default() as u64
    }

    fn create(&mut self, call: &Call, made: calls::Value<'_>, shared: usize, attributes: Option<usize>) {
        let handle = Self::handle(made);
        if handle == 0 {
            return;
        }
        let with = if shared == usize::MAX { 0 } else { Self::handle(call.argument(shared)) };
        // Only eglCreateContext has its attributes there.
        let is_egl = attributes == Some(3);
        let profile = self.profile_of(call, attributes, is_egl);
        self.new_context(handle, with, profile, false);
    }

    /// What profile the attributes of a new context ask for.
    fn profile_of(&self, call: &Call, attributes: Option<usize>, is_egl: bool) -> Profile {
        let mut list = Vec::new();
        if let Some(calls::Value::List(values)) = attributes.map(|at| call.argument(at)) {
            list.extend(values.map(|value| value.int().unwrap_or_default()));
        }
        let of = |wanted: u32| {
            list.chunks_exact(2).find(|pair| pair.first() == Some(&wanted.into())).and_then(|pair| pair.get(1).copied())
        };
        if is_egl {
            // OpenGL ES is the API that a thread has if it binds none.
            let is_desktop = self.threads_api() == Some(egl::OPENGL_API.into());
            let major = of(egl::CONTEXT_MAJOR_VERSION).unwrap_or(1);
            return match (is_desktop, major) {
                (false, ..2) => Profile::Es1,
                (false, _) => Profile::Es2,
                (true, 3..)
                    if of(egl::CONTEXT_OPENGL_PROFILE_MASK).unwrap_or(CORE) & CORE != 0
                        && of(egl::CONTEXT_MINOR_VERSION).unwrap_or(0) + 10 * major >= 32 =>
                {
                    Profile::Core
                }
                (true, _) => Profile::Compatibility,
            };
        }
        let mask = of(gl::CONTEXT_PROFILE_MASK).unwrap_or(CORE);
        let version =
            10 * of(glx::CONTEXT_MAJOR_VERSION_ARB).unwrap_or(1) + of(glx::CONTEXT_MINOR_VERSION_ARB).unwrap_or(0);
        match (mask & ES != 0, version) {
            (true, ..20) => Profile::Es1,
            (true, _) => Profile::Es2,
            (false, 32..) if mask & CORE != 0 => Profile::Core,
            _ => Profile::Compatibility,
        }
    }

    /// The API that this thread has bound by eglBindAPI. Kept with owner 1, which is reserved for
    /// that.
    fn threads_api(&self) -> Option<i64> {
        self.number(APIS, what::TARGET, self.thread.min(0xffff) as u32)
    }

    fn new_context(&mut self, handle: u64, with: u64, profile: Profile, is_implicit: bool) -> u32 {
        let shared = self.find_context(with).and_then(|at| self.root.contexts.get(at)).map(|context| context.share);
        self.root.owners = self.root.owners.max(APIS);
        let owner = self.new_owner();
        let share = match shared {
            Some(share) => share,
            None => self.new_owner(),
        };
        let context = Context {
            owner,
            share,
            handle,
            profile,
            version: None,
            is_implicit,
            created: self.at,
            is_destroyed: false,
            last_draw: None,
            previous_draw: None,
            compiling: None,
            stacks: Arc::default(),
            attributes: Arc::default(),
            client_attributes: Arc::default(),
        };
        let contexts = Arc::make_mut(&mut self.root.contexts);
        contexts.push(Arc::new(context));
        contexts.len() as u32
    }

    /// The index of the context with a handle. A handle that is used again is the newer one's.
    fn find_context(&self, handle: u64) -> Option<usize> {
        let is_it = |context: &Arc<Context>| context.handle == handle && !context.is_destroyed;
        (handle != 0).then(|| self.root.contexts.iter().rposition(is_it)).flatten()
    }

    fn make_current(&mut self, call: &Call, context: usize, draw: usize, read: usize) {
        if call.result().int() == Some(0) && !matches!(call.result(), calls::Value::Null) && draw != usize::MAX {
            return;
        }
        let handle = Self::handle(call.argument(context));
        if handle == 0 {
            return self.set_thread(0);
        }
        let number = match self.find_context(handle) {
            Some(at) => at as u32 + 1,
            None => self.new_context(handle, 0, Profile::Compatibility, true),
        };
        self.set_thread(number);
        if let Some(owner) = self.root.contexts.get(number as usize - 1).map(|context| context.owner) {
            if draw != usize::MAX {
                let of = |at: usize| super::cells::Value::Int(Self::handle(call.argument(at)) as i64);
                self.put(owner, what::DRAWABLE, 0, of(draw));
                self.put(owner, what::READ_DRAWABLE, 0, of(read));
            }
            self.use_context(number as usize - 1);
        }
    }

    fn use_context(&mut self, at: usize) {
        self.current = at;
        (self.context, self.share) = self.context().map_or((0, 0), |context| (context.owner, context.share));
    }

    /// Makes a context current for this thread; 0 for none.
    fn set_thread(&mut self, number: u32) {
        let thread = self.thread.min(1 << 20) as usize;
        if self.root.threads.get(thread).copied().unwrap_or(0) == number {
            return;
        }
        let threads = Arc::make_mut(&mut self.root.threads);
        if threads.len() <= thread {
            threads.resize(thread + 1, 0);
        }
        if let Some(current) = threads.get_mut(thread) {
            *current = number;
        }
    }

    /// A context for calls of a thread that has none: the trace begins after the program did.
    pub(super) fn imply_context(&mut self) {
        let number = self.new_context(0, 0, Profile::Compatibility, true);
        self.set_thread(number);
        self.use_context(number as usize - 1);
    }

    fn destroy(&mut self, handle: calls::Value<'_>) {
        // A context that is current lives until it is not.
        let Some(at) = self.find_context(Self::handle(handle)) else { return };
        if let Some(context) = Arc::make_mut(&mut self.root.contexts).get_mut(at) {
            Arc::make_mut(context).is_destroyed = true;
        }
    }
}

/// The owner of what threads have bound by eglBindAPI.
const APIS: u32 = 1;

fn bind_api(machine: &mut Machine, call: &Call, _: Variant) {
    machine.root.owners = machine.root.owners.max(APIS);
    let thread = machine.thread.min(0xffff) as u32;
    machine.put(APIS, what::TARGET, thread, Value::Int(call.int(0)));
}

fn share_lists(machine: &mut Machine, call: &Call, _: Variant) {
    let find = |at| machine.find_context(Machine::handle(call.argument(at)));
    let (Some(first), Some(second)) = (find(0), find(1)) else { return };
    let share = machine.root.contexts.get(first).map_or(0, |context| context.share);
    if let Some(context) = Arc::make_mut(&mut machine.root.contexts).get_mut(second) {
        Arc::make_mut(context).share = share;
    }
}

/// GL_VERSION says more than the attributes: a driver may give a later version, or another profile.
fn get_string(machine: &mut Machine, call: &Call, _: Variant) {
    let (gl::VERSION, Some(text)) = (call.uint(0), call.result().text()) else { return };
    if machine.context().is_none_or(|context| context.version.as_deref() == Some(text)) {
        return;
    }
    let profile = match text.strip_prefix("OpenGL ES") {
        Some(rest) if rest.contains("-CM ") || rest.contains("-CL ") => Some(Profile::Es1),
        Some(_) => Some(Profile::Es2),
        None if text.contains("Core Profile") => Some(Profile::Core),
        None if text.contains("Compatibility Profile") => Some(Profile::Compatibility),
        None => None,
    };
    machine.change_context(|context| {
        context.version = Some(text.into());
        context.profile = profile.unwrap_or(context.profile);
    });
}
