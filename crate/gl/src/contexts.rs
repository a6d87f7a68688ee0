//! Contexts: which share objects, what they are contexts of, and which is current on each thread.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::call::Call;
use crate::pixel_formats::{PixelFormat, PixelFormats};
use crate::windows::{self, Act};
use crate::{egl, gl, glx};

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

    /// Whether it is one of OpenGL ES.
    pub fn is_es(self) -> bool {
        matches!(self, Self::Es1 | Self::Es2)
    }
}

/// A context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// What the program knows it by, which may be given again once the context is destroyed. 0 if
    /// no call names it.
    pub handle: u64,
    /// The call that created it. `None` if it was there before the trace began: what no call has
    /// set is not known.
    pub created: Option<u64>,
    /// Position of the first context of those that it shares objects with: its own if it is the
    /// first.
    pub group: u32,
    /// What its attributes ask for, or `GL_VERSION` says.
    pub profile: Profile,
    /// `GL_VERSION`, as far as the program has asked.
    pub version: Option<Arc<str>>,
    /// The pixel format that it was created for, as far as the calls say.
    pub pixel_format: Option<Arc<PixelFormat>>,
    /// It is destroyed. It lives on while it is current.
    pub is_destroyed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    current: Option<u32>,
    latest: Option<u32>,
    /// What `eglBindAPI` has bound.
    api: Option<u32>,
}

/// Threads beyond this number count as one: tracers count them from 0.
const MOST_THREADS: u64 = 1 << 16;

/// The contexts of a trace.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    all: Vec<Context>,
    /// The latest context of each handle, unless it is destroyed.
    by_handle: HashMap<u64, u32>,
    threads: Vec<Thread>,
    /// On how many threads each context is current, of those that are on any.
    uses: HashMap<u32, u32>,
    pub(crate) pixel_formats: PixelFormats,
}

impl Contexts {
    /// All contexts, in the order in which they were created or first made current.
    pub fn all(&self) -> &[Context] {
        &self.all
    }

    /// The position of the context that is current on a thread.
    pub fn current(&self, thread: u64) -> Option<u32> {
        self.thread(thread).current
    }

    /// The position of the context that was the latest to be current on a thread.
    pub fn latest(&self, thread: u64) -> Option<u32> {
        self.thread(thread).latest
    }

    /// Whether the context at a position is current on any thread.
    pub fn is_current(&self, at: u32) -> bool {
        self.uses.contains_key(&at)
    }

    /// The positions of the contexts that are current on any thread, ascending.
    pub fn all_current(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.uses.keys().copied().collect();
        all.sort_unstable();
        all
    }

    fn thread(&self, thread: u64) -> Thread {
        self.threads.get(thread.min(MOST_THREADS) as usize).copied().unwrap_or_default()
    }

    fn change_thread(&mut self, thread: u64, change: impl FnOnce(&mut Thread)) {
        let at = thread.min(MOST_THREADS) as usize;
        if self.threads.len() <= at {
            self.threads.resize(at + 1, Thread::default());
        }
        let Some(thread) = self.threads.get_mut(at) else { return };
        let before = thread.current;
        change(thread);
        if before == thread.current {
            return;
        }
        if let Some(at) = thread.current {
            *self.uses.entry(at).or_default() += 1;
        }
        if let Some(at) = before
            && let Some(uses) = self.uses.get_mut(&at)
        {
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(&at);
            }
        }
    }

    /// A call of a function of windows. Returns what it does, `None` if it has failed.
    pub fn call(&mut self, function: windows::Function, call: &Call) -> Option<Act> {
        let act = function.act(|place| call.int(place) as u64, call.returned())?;
        let (thread, number) = (call.thread, call.number);
        match act {
            Act::Creates { context, shared, attributes } => {
                let list = attributes.map_or_else(Vec::new, |(place, _)| call.ints(place));
                let is_egl = attributes.is_some_and(|(_, is_egl)| is_egl);
                let profile = profile_of(&list, is_egl, self.thread(thread).api);
                let other = self.by_handle.get(&shared).filter(|_| shared != 0);
                let group = other.and_then(|at| self.all.get(*at as usize)).map(|other| other.group);
                let at = self.add(context, Some(number), group, profile);
                let format = self.pixel_formats.of_context(call);
                self.change(at, |it| it.pixel_format = format);
            }
            Act::MakesCurrent { context: 0, .. } => self.change_thread(thread, |it| it.current = None),
            Act::MakesCurrent { context, .. } => {
                let known = self.by_handle.get(&context).copied();
                let at = known.unwrap_or_else(|| self.add(context, None, None, Profile::Compatibility));
                self.make_current(thread, at);
            }
            Act::Shares(first, second) => {
                let [first, second] = [first, second].map(|handle| self.by_handle.get(&handle).copied());
                if let (Some(first), Some(second)) = (first, second) {
                    let group = self.all.get(first as usize).map_or(first, |first| first.group);
                    self.change(second, |second| second.group = group);
                }
            }
            Act::Destroys(context) => {
                if let Some(at) = self.by_handle.remove(&context) {
                    self.change(at, |it| it.is_destroyed = true);
                }
            }
            Act::BindsApi(api) => self.change_thread(thread, |it| it.api = Some(api)),
            Act::ReleasesThread => self.change_thread(thread, |it| (it.current, it.api) = (None, None)),
        }
        Some(act)
    }

    /// A context for calls of a thread that has none: the trace begins after the program did.
    /// Returns its position.
    pub fn imply(&mut self, thread: u64) -> u32 {
        let at = self.add(0, None, None, Profile::Compatibility);
        self.make_current(thread, at);
        at
    }

    /// `GL_VERSION` of a context says more than its attributes: a driver may give a later version,
    /// or another profile.
    pub fn set_version(&mut self, at: u32, version: &str) {
        let profile = match version.strip_prefix("OpenGL ES") {
            Some(rest) if rest.contains("-CM ") || rest.contains("-CL ") => Some(Profile::Es1),
            Some(_) => Some(Profile::Es2),
            None if version.contains("Core Profile") => Some(Profile::Core),
            None if version.contains("Compatibility Profile") => Some(Profile::Compatibility),
            None => None,
        };
        self.change(at, |context| {
            context.version = Some(version.into());
            context.profile = profile.unwrap_or(context.profile);
        });
    }

    fn make_current(&mut self, thread: u64, at: u32) {
        self.change_thread(thread, |it| (it.current, it.latest) = (Some(at), Some(at)));
    }

    fn change(&mut self, at: u32, change: impl FnOnce(&mut Context)) {
        self.all.get_mut(at as usize).map(change);
    }

    fn add(&mut self, handle: u64, created: Option<u64>, group: Option<u32>, profile: Profile) -> u32 {
        let at = self.all.len() as u32;
        if handle != 0 {
            self.by_handle.insert(handle, at);
        }
        let group = group.unwrap_or(at);
        let (version, pixel_format) = (None, None);
        self.all.push(Context { handle, created, group, profile, version, pixel_format, is_destroyed: false });
        at
    }
}

/// Bits of the profile masks of GLX, WGL and EGL.
const CORE: i64 = gl::CONTEXT_CORE_PROFILE_BIT as i64;
const ES: i64 = glx::CONTEXT_ES2_PROFILE_BIT_EXT as i64;

/// What the attributes of a new context ask for. `api`: what the thread has bound by `eglBindAPI`.
fn profile_of(attributes: &[i64], is_egl: bool, api: Option<u32>) -> Profile {
    let of = |wanted: u32| {
        let pair = attributes.chunks_exact(2).find(|pair| pair.first() == Some(&wanted.into()));
        pair.and_then(|pair| pair.get(1).copied())
    };
    if is_egl {
        let major = of(egl::CONTEXT_MAJOR_VERSION).unwrap_or(1);
        // OpenGL ES is the API that a thread has if it binds none.
        return match (api == Some(egl::OPENGL_API), major) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Value;

    /// Number, thread, arguments, result of a call. What is beyond the arguments of its function is
    /// the list of the last one.
    struct Row<'a>(u64, u64, &'a [i64], Option<i64>);

    fn run(contexts: &mut Contexts, name: &str, Row(number, thread, arguments, result): Row<'_>) {
        let mut call = Call::default();
        (call.number, call.thread) = (number, thread);
        let count = match name {
            "eglCreateContext" => 3,
            "glXCreateContextAttribsARB" => 4,
            _ => arguments.len(),
        };
        let (plain, list) = arguments.split_at(count);
        plain.iter().enumerate().for_each(|(i, number)| call.set(i, Value::Int(*number)));
        call.set_list(count, list.iter().map(|number| Value::Int(*number)));
        result.into_iter().for_each(|result| call.set_result(Value::Int(result)));
        contexts.call(windows::Function::of(name).unwrap(), &call);
    }

    #[test]
    fn contexts_share_and_are_current_on_threads() {
        let mut contexts = Contexts::default();
        let all = &mut contexts;
        run(all, "glXCreateContext", Row(1, 0, &[9, 9, 0], Some(0x10)));
        run(all, "glXCreateContext", Row(2, 0, &[9, 9, 0x10], Some(0x20)));
        assert_eq!((all.all()[0].group, all.all()[1].group), (0, 0));
        run(all, "glXMakeCurrent", Row(3, 0, &[9, 5, 0x10], Some(1)));
        run(all, "glXMakeCurrent", Row(4, 1, &[9, 5, 0x20], Some(1)));
        assert_eq!((all.current(0), all.current(1), all.current(2)), (Some(0), Some(1), None));
        // One that failed.
        run(all, "glXMakeCurrent", Row(5, 0, &[9, 5, 0x20], Some(0)));
        assert_eq!(all.current(0), Some(0));
        run(all, "glXMakeCurrent", Row(6, 0, &[9, 0, 0], Some(1)));
        assert_eq!((all.current(0), all.latest(0)), (None, Some(0)));
        // It was created before the trace began.
        run(all, "glXMakeCurrent", Row(7, 0, &[9, 5, 0x30], Some(1)));
        assert_eq!((all.all()[2].created, all.all()[2].group, all.current(0)), (None, 2, Some(2)));
        // A handle that is given again is another context.
        run(all, "glXCreateContext", Row(8, 0, &[9, 9, 0], Some(0x20)));
        run(all, "glXMakeCurrent", Row(9, 1, &[9, 5, 0x20], Some(1)));
        assert_eq!((all.current(1), all.all()[3].group), (Some(3), 3));
        // A destroyed one stays current, and its handle may be given again.
        run(all, "glXDestroyContext", Row(10, 1, &[9, 0x20], None));
        assert!(all.is_current(3) && all.all()[3].is_destroyed);
        run(all, "glXMakeCurrent", Row(11, 1, &[9, 5, 0x20], Some(1)));
        assert_eq!((all.current(1), all.is_current(3)), (Some(4), false));
        assert!(all.all_current().iter().all(|at| all.threads.iter().any(|thread| thread.current == Some(*at))));
        assert_eq!((all.imply(7), all.current(7)), (5, Some(5)));
        assert_eq!(all.current(u64::MAX), None);
    }

    #[test]
    fn groups_of_wgl_are_joined_later() {
        let mut contexts = Contexts::default();
        for (call, handle) in [(1, 0x10), (2, 0x20)] {
            run(&mut contexts, "wglCreateContext", Row(call, 0, &[5], Some(handle)));
        }
        run(&mut contexts, "wglShareLists", Row(3, 0, &[0x10, 0x20], Some(1)));
        assert_eq!(contexts.all().iter().map(|it| it.group).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn attributes_apis_and_versions_say_what_a_context_is_of() {
        let mut contexts = Contexts::default();
        let major = i64::from(egl::CONTEXT_MAJOR_VERSION);
        // OpenGL ES unless the thread has bound another API.
        run(&mut contexts, "eglCreateContext", Row(1, 0, &[9, 9, 0, major, 2], Some(1)));
        run(&mut contexts, "eglBindAPI", Row(2, 0, &[egl::OPENGL_API.into()], Some(1)));
        run(&mut contexts, "eglCreateContext", Row(3, 0, &[9, 9, 0, major, 4], Some(2)));
        run(&mut contexts, "eglReleaseThread", Row(4, 0, &[], Some(1)));
        run(&mut contexts, "eglCreateContext", Row(5, 0, &[9, 9, 0, major, 1], Some(3)));
        let version = i64::from(glx::CONTEXT_MAJOR_VERSION_ARB);
        let mask = i64::from(gl::CONTEXT_PROFILE_MASK);
        run(&mut contexts, "glXCreateContextAttribsARB", Row(6, 0, &[9, 9, 0, 1, version, 4], Some(4)));
        run(&mut contexts, "glXCreateContextAttribsARB", Row(7, 0, &[9, 9, 0, 1, version, 3, mask, ES], Some(5)));
        run(&mut contexts, "glXCreateContext", Row(8, 0, &[9, 9, 0], Some(6)));
        use Profile::{Compatibility, Core, Es1, Es2};
        let profiles = |contexts: &Contexts| contexts.all().iter().map(|it| it.profile).collect::<Vec<_>>();
        assert_eq!(profiles(&contexts), [Es2, Core, Es1, Core, Es2, Compatibility]);
        contexts.set_version(5, "4.6 (Core Profile) Mesa");
        contexts.set_version(0, "OpenGL ES-CM 1.1 Mesa");
        contexts.set_version(1, "4.6.0");
        assert_eq!(profiles(&contexts), [Es1, Core, Es1, Core, Es2, Core]);
        assert!(Es2.is_es() && Es1.has_fixed_function() && !Core.has_fixed_function());
    }
}
