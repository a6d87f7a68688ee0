//! Contexts and windows: GLX, EGL, WGL and CGL.

use std::rc::Rc;

use unspool_formats::apitrace::{ListRole, NameFlags};
use unspool_gl::windows::{Act, Function};
use unspool_gl::{egl, gl};

use super::{Listed, Run};
use crate::call::{Call, Value};
use crate::driver::{OBJECT, Replay};

/// Limit for the characters of a font.
const MOST_CHARACTERS: u32 = 1 << 16;

/// The handler of a function of windows.
pub(super) fn of(name: &str) -> Option<Run> {
    if name.starts_with("gl") && !name.starts_with("glX") && name != "glFrameTerminatorGREMEDY" {
        return None;
    }
    if Function::of(name).is_some() {
        return Some(act);
    }
    let flags = NameFlags::of(name);
    match name {
        _ if flags.frame_end || name.contains("SwapBuffers") || name.contains("SwapLayerBuffers") => {
            Some(|r, c| r.swap(c.thread))
        }
        _ if flags.list == Some(ListRole::Font) => Some(font),
        "glXBindTexImageEXT"
        | "wglBindTexImageARB"
        | "eglBindTexImage"
        | "CGLTexImageIOSurface2D"
        | "CGLTexImagePBuffer" => Some(image),
        _ => None,
    }
}

fn act(r: &mut Replay, c: &Call) {
    let returned = (c.ret != Value::Null).then(|| c.ret.int());
    let act = Function::of(&c.name).and_then(|function| function.act(|place| c.int(place) as u64, returned));
    match act {
        Some(Act::Creates { context, shared, .. }) => {
            r.context_of(context as i64, shared as i64);
        }
        Some(Act::MakesCurrent { context, windows }) => {
            let [draw, read] = windows.unwrap_or_default();
            r.make_current(c.thread, context as i64, draw as i64, read as i64);
        }
        Some(Act::Shares(first, second)) => r.share(first as i64, second as i64),
        Some(Act::Destroys(context)) => r.forget_context(context as i64),
        Some(Act::BindsApi(api)) => r.es = api == egl::OPENGL_ES_API,
        Some(Act::ReleasesThread) => r.make_current(c.thread, 0, 0, 0),
        None => {}
    }
}

/// Makes a list for each character of a font, which the trace does not have.
fn font(r: &mut Replay, c: &Call) {
    r.at = r.context_of_thread(c.thread);
    let (count, base) = (c.u32(2).min(MOST_CHARACTERS), c.u32(3));
    if !r.reserve(0, u64::from(count) * OBJECT) {
        return;
    }
    let Some((_, objects, _)) = r.both() else { return };
    let list: Rc<Vec<Listed>> = Rc::new(vec![Listed::Lack("the characters of fonts are not in the trace".into())]);
    objects.lists.extend((0..count).map(|i| (base.wrapping_add(i), Rc::clone(&list))));
}

/// What a window or another surface holds becomes a texture. The tracer uploads it next, if it can.
fn image(r: &mut Replay, c: &Call) {
    r.at = r.context_of_thread(c.thread);
    for target in [gl::TEXTURE_2D, gl::TEXTURE_RECTANGLE] {
        r.external(target);
    }
}
