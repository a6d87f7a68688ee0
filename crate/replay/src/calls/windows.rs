//! Contexts and windows: GLX, EGL, WGL and CGL.

use unspool_formats::apitrace::NameFlags;
use unspool_gl::egl;
use unspool_gl::windows::{Act, Function};

use super::Run;
use crate::call::{Call, Value};
use crate::driver::Replay;

/// The handler of a function that is about contexts, or swaps the buffers of a window.
pub(crate) fn of_windows(name: &str) -> Option<Run> {
    // wglSwapBuffers of OpenGL is SwapBuffers of Windows.
    let swaps = NameFlags::of(name).frame_end || name == "SwapBuffers";
    if swaps { Some(|r, c| r.swap(c.thread)) } else { Function::of(name).map(|_| act as Run) }
}

fn act(r: &mut Replay, c: &Call) {
    let returned = (c.ret != Value::Null).then(|| c.ret.int());
    let act = Function::of(&c.name).and_then(|function| function.act(|place| c.int(place) as u64, returned));
    match act {
        Some(Act::Creates { context, shared, .. }) => {
            r.context_of(context as i64, shared as i64);
        }
        Some(Act::MakesCurrent { context, windows }) => {
            let [draw, read] = windows.unwrap_or([context; 2]);
            r.make_current(c.thread, context as i64, draw as i64, read as i64);
        }
        Some(Act::Shares(first, second)) => r.share(first as i64, second as i64),
        Some(Act::Destroys(context)) => r.forget_context(context as i64),
        Some(Act::BindsApi(api)) => r.es = api == egl::OPENGL_ES_API,
        Some(Act::ReleasesThread) => r.make_current(c.thread, 0, 0, 0),
        None => {}
    }
}
