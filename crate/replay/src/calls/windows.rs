//! Contexts and windows: GLX, EGL, WGL and CGL.

use std::rc::Rc;

use unspool_formats::apitrace::{ListRole, NameFlags};
use unspool_gl::call::Call;
use unspool_gl::windows::{Act, Function};
use unspool_gl::{Variant, gl};

use super::{Listed, Run};
use crate::driver::{OBJECT, Replay};
use crate::objects::Context;

/// Groups of contexts that share nothing, for each context that there may be at once: what
/// destroyed ones made stays.
const GROUPS: usize = 64;
/// Limit for the characters of a font.
const MOST_CHARACTERS: u32 = 1 << 16;

/// The handler of a function of windows that does nothing with contexts.
pub(super) fn of(function: &unspool_gl::Function) -> Option<Run> {
    let name = function.name();
    let flags = NameFlags::of(name);
    match name {
        _ if function.is_gl() && !flags.frame_end => None,
        _ if flags.frame_end || name.contains("SwapBuffers") || name.contains("SwapLayerBuffers") => Some(swap),
        _ if flags.list == Some(ListRole::Font) => Some(font),
        "glXBindTexImageEXT"
        | "wglBindTexImageARB"
        | "eglBindTexImage"
        | "CGLTexImageIOSurface2D"
        | "CGLTexImagePBuffer" => Some(image),
        _ => None,
    }
}

/// Creates contexts, makes them current and so on.
pub(super) fn contexts(r: &mut Replay, c: &Call, function: Function) {
    let Some(act) = r.machine.call_of_windows(function, c) else { return };
    make(r);
    let most = r.bounds.contexts;
    if r.contexts.len() > most || r.groups.len() > GROUPS * most {
        return r.halt(format!("The trace has more than {most} contexts. The replay ends at the next one."));
    }
    match act {
        Act::MakesCurrent { context, windows } if context != 0 => {
            r.at = r.machine.all().current(c.thread);
            // CGL does not name a window.
            let [draw, read] = windows.unwrap_or([context; 2]).map(|window| window as i64);
            if r.drawables.len() >= 4 * most && !r.drawables.contains_key(&draw) {
                return r.halt("The trace draws to too many windows. The replay ends at the next one.");
            }
            if let Some(context) = r.context() {
                (context.drawable, context.read_drawable) = (draw, read);
            }
        }
        // WGL lets two contexts share what they have when both are empty.
        Act::Shares(..) => {
            for (at, context) in &mut r.contexts {
                context.group = r.machine.contexts().get(*at as usize).map_or(context.group, |of| of.group);
            }
        }
        _ => {}
    }
    drop_destroyed(r);
}

/// Makes what new contexts hold.
fn make(r: &mut Replay) {
    while let Some(of) = r.machine.contexts().get(r.made as usize) {
        r.groups.entry(of.group).or_default();
        r.contexts.insert(r.made, Context::new(of.group));
        r.made += 1;
    }
}

/// Drops what contexts hold that are destroyed and current nowhere.
fn drop_destroyed(r: &mut Replay) {
    let is_gone = |at: &u32| {
        r.at != Some(*at)
            && !r.machine.all().is_current(*at)
            && r.machine.contexts().get(*at as usize).is_some_and(|of| of.is_destroyed)
    };
    let gone: Vec<u32> = r.contexts.keys().copied().filter(is_gone).collect();
    for context in gone.into_iter().filter_map(|at| r.contexts.remove(&at)).collect::<Vec<_>>() {
        context.framebuffers.values().for_each(|framebuffer| r.delete_framebuffer(framebuffer));
    }
}

/// The buffers of a frame were swapped. What is left of the old one is undefined; here it stays.
fn swap(r: &mut Replay, c: &Call, _: Variant) {
    r.at = r.machine.all().current(c.thread);
    r.swapped = Some(r.call);
    r.note_swap();
}

/// Makes a list for each character of a font, which the trace does not have.
fn font(r: &mut Replay, c: &Call, _: Variant) {
    r.at = r.machine.all().current(c.thread);
    let (count, base) = (c.uint(2).min(MOST_CHARACTERS), c.uint(3));
    if !r.reserve(0, u64::from(count) * OBJECT) {
        return;
    }
    let Some((_, objects, _)) = r.both() else { return };
    let list: Rc<Vec<Listed>> = Rc::new(vec![Listed::Lack("the characters of fonts are not in the trace".into())]);
    objects.lists.extend((0..count).map(|i| (base.wrapping_add(i), Rc::clone(&list))));
}

/// What a window or another surface holds becomes a texture. The tracer uploads it next, if it can.
fn image(r: &mut Replay, c: &Call, _: Variant) {
    r.at = r.machine.all().current(c.thread);
    for target in [gl::TEXTURE_2D, gl::TEXTURE_RECTANGLE] {
        r.external(target);
    }
}
