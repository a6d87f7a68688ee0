//! What functions of GLX, EGL, WGL and CGL do with contexts and windows, in the order of arguments
//! of the headers of X.Org, Khronos, Microsoft and Apple.

/// What a call does. Contexts and windows are handles, 0 for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It creates a context.
    Creates {
        /// The context.
        context: u64,
        /// One that it shares objects with.
        shared: u64,
        /// The argument with its attributes, and whether they are those of EGL.
        attributes: Option<(usize, bool)>,
    },
    /// It makes a context current on its thread.
    MakesCurrent {
        /// The context.
        context: u64,
        /// The windows that are drawn to and read, if the function names them.
        windows: Option<[u64; 2]>,
    },
    /// The second context shares the objects of the first from now on.
    Shares(u64, u64),
    /// It destroys a context, which stays while it is current.
    Destroys(u64),
    /// The thread creates contexts of this API of EGL.
    BindsApi(u32),
    /// The thread has neither a context nor an API of EGL.
    ReleasesThread,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function(Does);

/// Numbers are places of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// Where the shared context and the attributes are.
    Create(Option<u8>, Option<u8>),
    CreateOfEgl,
    /// That of CGL returns an error, and passes the context as a pointer.
    CreateOfCgl,
    /// Where the context and both windows are.
    Current(u8, [u8; 2]),
    CurrentOfCgl,
    Share,
    Destroy(u8),
    BindApi,
    ReleaseThread,
}

use Does::{BindApi, Create, CreateOfCgl, CreateOfEgl, Current, CurrentOfCgl, Destroy, ReleaseThread, Share};

const TABLE: &[(&str, Does)] = &[
    ("glXCreateContext", Create(Some(2), None)),
    ("glXCreateNewContext", Create(Some(3), None)),
    ("glXCreateContextWithConfigSGIX", Create(Some(3), None)),
    ("glXCreateContextAttribsARB", Create(Some(2), Some(4))),
    ("eglCreateContext", CreateOfEgl),
    ("wglCreateContext", Create(None, None)),
    ("wglCreateLayerContext", Create(None, None)),
    ("wglCreateContextAttribsARB", Create(Some(1), Some(2))),
    ("CGLCreateContext", CreateOfCgl),
    ("glXMakeCurrent", Current(2, [1, 1])),
    ("glXMakeContextCurrent", Current(3, [1, 2])),
    ("glXMakeCurrentReadSGI", Current(3, [1, 2])),
    ("eglMakeCurrent", Current(3, [1, 2])),
    ("wglMakeCurrent", Current(1, [0, 0])),
    ("wglMakeContextCurrentARB", Current(2, [0, 1])),
    ("wglMakeContextCurrentEXT", Current(2, [0, 1])),
    ("CGLSetCurrentContext", CurrentOfCgl),
    ("wglShareLists", Share),
    ("glXDestroyContext", Destroy(1)),
    ("eglDestroyContext", Destroy(1)),
    ("wglDeleteContext", Destroy(0)),
    ("CGLDestroyContext", Destroy(0)),
    ("eglBindAPI", BindApi),
    ("eglReleaseThread", ReleaseThread),
];

impl Function {
    /// The function with this name. `None` for all that do nothing with contexts.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let known = TABLE.iter().find(|(known, _)| *known == name);
        known.map(|(_, does)| Self(*does))
    }

    /// Whether its calls make a context current.
    pub fn makes_current(self) -> bool {
        matches!(self.0, Current(..) | CurrentOfCgl)
    }

    /// Whether its calls create a context.
    pub fn creates(self) -> bool {
        matches!(self.0, Create(..) | CreateOfEgl | CreateOfCgl)
    }

    /// What a call does, by its arguments as numbers, a list as its first one, and what it has
    /// returned, if anything. `None` if it has failed.
    pub fn act(self, argument: impl Fn(usize) -> u64, returned: Option<i64>) -> Option<Act> {
        let at = |place: u8| argument(place.into());
        let made = |context: u64, shared: Option<u8>, attributes| {
            let shared = shared.map_or(0, at);
            (context != 0).then_some(Act::Creates { context, shared, attributes })
        };
        let result = returned.unwrap_or_default() as u64;
        Some(match self.0 {
            Create(shared, attributes) => return made(result, shared, attributes.map(|place| (place.into(), false))),
            CreateOfEgl => return made(result, Some(2), Some((3, true))),
            CreateOfCgl => return made(at(2), Some(1), None),
            // All but that of CGL return whether they have succeeded.
            Current(..) if returned == Some(0) => return None,
            Current(context, windows) => Act::MakesCurrent { context: at(context), windows: Some(windows.map(at)) },
            CurrentOfCgl => Act::MakesCurrent { context: at(0), windows: None },
            Share => Act::Shares(at(0), at(1)),
            Destroy(context) => Act::Destroys(at(context)),
            BindApi => Act::BindsApi(at(0) as u32),
            ReleaseThread => Act::ReleasesThread,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_where_each_interface_has_them() {
        let act = |name: &str, returned| Function::of(name).unwrap().act(|place| 10 + place as u64, returned);
        let attributes = Some((3, true));
        assert_eq!(act("eglCreateContext", Some(7)), Some(Act::Creates { context: 7, shared: 12, attributes }));
        let made = Act::Creates { context: 12, shared: 11, attributes: None };
        assert_eq!(act("CGLCreateContext", Some(0)), Some(made));
        assert_eq!(act("wglCreateContext", Some(0)), None);
        let current = Act::MakesCurrent { context: 13, windows: Some([11, 12]) };
        assert_eq!(act("glXMakeContextCurrent", Some(1)), Some(current));
        assert_eq!(act("glXMakeContextCurrent", Some(0)), None);
        // What was not recorded has not failed.
        assert_eq!(act("glXMakeContextCurrent", None), Some(current));
        assert_eq!(act("CGLSetCurrentContext", Some(0)), Some(Act::MakesCurrent { context: 10, windows: None }));
        assert_eq!((Function::of("glXSwapBuffers"), Function::of("glBindTexture")), (None, None));
    }
}
