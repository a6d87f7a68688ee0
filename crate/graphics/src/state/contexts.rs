//! Contexts of GLX, EGL, WGL and CGL: created, shared, made current, destroyed.

use std::sync::Arc;

use unspool_gl::windows::Act;
use unspool_gl::{egl, gl, glx};

use super::cells::Value;
use super::lists::Compiling;
use super::machine::{Handlers, Machine};
use super::matrices::Stacks;
use super::raster::Saved;
use super::variant::Variant;
use super::what;
use crate::calls::{self, Call};

pub(super) const HANDLERS: Handlers = &[("GetString", get_string)];

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
    /// Creates contexts, makes them current and so on.
    pub(super) fn act_on_contexts(&mut self, call: &Call, act: Act) {
        match act {
            Act::Creates { context, shared, attributes } => {
                let profile = self.profile_of(call, attributes);
                self.new_context(context, shared, profile, false);
            }
            Act::MakesCurrent { context, windows } => self.make_current(context, windows),
            Act::Shares(first, second) => self.share_lists(first, second),
            Act::Destroys(context) => {
                // A context that is current lives until it is not.
                let Some(at) = self.find_context(context) else { return };
                if let Some(context) = Arc::make_mut(&mut self.root.contexts).get_mut(at) {
                    Arc::make_mut(context).is_destroyed = true;
                }
            }
            Act::BindsApi(api) => {
                self.root.owners = self.root.owners.max(APIS);
                let thread = self.thread.min(0xffff) as u32;
                self.put(APIS, what::TARGET, thread, Value::Int(api.into()));
            }
            Act::ReleasesThread => self.set_thread(0),
        }
    }

    /// What profile the attributes of a new context ask for.
    fn profile_of(&self, call: &Call, attributes: Option<(usize, bool)>) -> Profile {
        let is_egl = attributes.is_some_and(|(_, is_egl)| is_egl);
        let mut list = Vec::new();
        if let Some(calls::Value::List(values)) = attributes.map(|(at, _)| call.argument(at)) {
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

    fn make_current(&mut self, handle: u64, windows: Option<[u64; 2]>) {
        if handle == 0 {
            return self.set_thread(0);
        }
        let number = match self.find_context(handle) {
            Some(at) => at as u32 + 1,
            None => self.new_context(handle, 0, Profile::Compatibility, true),
        };
        self.set_thread(number);
        if let Some(owner) = self.root.contexts.get(number as usize - 1).map(|context| context.owner) {
            if let Some([draw, read]) = windows {
                self.put(owner, what::DRAWABLE, 0, Value::Int(draw as i64));
                self.put(owner, what::READ_DRAWABLE, 0, Value::Int(read as i64));
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

    fn share_lists(&mut self, first: u64, second: u64) {
        let (Some(first), Some(second)) = (self.find_context(first), self.find_context(second)) else { return };
        let share = self.root.contexts.get(first).map_or(0, |context| context.share);
        if let Some(context) = Arc::make_mut(&mut self.root.contexts).get_mut(second) {
            Arc::make_mut(context).share = share;
        }
    }
}

/// The owner of what threads have bound by eglBindAPI.
const APIS: u32 = 1;

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
