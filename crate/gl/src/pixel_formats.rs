//! Pixel formats of windows, as far as the calls say: what a program asked for when it chose a
//! configuration of GLX or EGL, and what the driver answered.
//!
//! What a driver gives may be more than what is asked for: a depth of 16 bits is often one of 24.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::call::{Call, Value};

/// Something that a pixel format has: a word for people, and its attributes of GLX 1.4 (table 3.1;
/// multisampling: GLX_ARB_multisample) and EGL 1.5 (table 3.1).
const FACTS: [(&str, i64, i64); 8] = [
    ("red", 8, 0x3024),
    ("green", 9, 0x3023),
    ("blue", 10, 0x3022),
    ("alpha", 11, 0x3021),
    ("depth", 12, 0x3025),
    ("stencil", 13, 0x3026),
    ("samples", 100_001, 0x3031),
    ("double buffer", 5, 0),
];
/// Attributes of `glXChooseVisual` that stand without a value: what they ask for is there.
const FLAGS_OF_VISUALS: [i64; 4] = [1, 4, 5, 6];
const EGL_NONE: i64 = 0x3038;

/// A pixel format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PixelFormat {
    /// Numbers by the positions of [`FACTS`]: those that were asked for.
    asked: [Option<i64>; FACTS.len()],
    /// Those that the driver answered.
    answered: [Option<i64>; FACTS.len()],
}

impl PixelFormat {
    /// The numbers for people: those that the driver answered, and of the rest those that the
    /// program asked for. `None` if that is nothing.
    pub fn text(&self) -> Option<String> {
        let said = |numbers: &[Option<i64>; FACTS.len()], skips: &[Option<i64>; FACTS.len()]| {
            let all = FACTS.iter().zip(numbers).zip(skips);
            let known = all.filter(|(_, skip)| skip.is_none()).filter_map(|(((word, ..), number), _)| {
                let number = (*number).filter(|number| *number > 0)?;
                Some(if *word == "double buffer" { (*word).into() } else { format!("{word} {number}") })
            });
            known.collect::<Vec<String>>().join(", ")
        };
        let (answered, asked) = (said(&self.answered, &Default::default()), said(&self.asked, &self.answered));
        match (answered.is_empty(), asked.is_empty()) {
            (true, true) => None,
            (false, true) => Some(answered),
            (true, false) => Some(format!("asked for: {asked}")),
            (false, false) => Some(format!("{answered}; asked for: {asked}")),
        }
    }
}

/// The pixel formats that programs have chosen, by their handles.
#[derive(Clone, Debug, Default)]
pub(crate) struct PixelFormats {
    all: HashMap<u64, Arc<PixelFormat>>,
}

/// The first number of a value: of a structure its first member.
fn first(value: Value<'_>) -> u64 {
    value.ints().first().copied().unwrap_or_default() as u64
}

/// The numbers that attributes ask for. `has_flags`: some stand without a value.
fn asked(attributes: &[i64], is_egl: bool, has_flags: bool) -> [Option<i64>; FACTS.len()] {
    let (mut asked, mut rest) = ([None; FACTS.len()], attributes.iter().copied());
    while let Some(attribute) = rest.next().filter(|it| *it != 0 && *it != EGL_NONE) {
        let is_flag = has_flags && FLAGS_OF_VISUALS.contains(&attribute);
        let number = if is_flag { Some(1) } else { rest.next() };
        let at = FACTS.iter().position(|(_, glx, egl)| attribute == if is_egl { *egl } else { *glx });
        if let Some(slot) = at.and_then(|at| asked.get_mut(at)) {
            *slot = number;
        }
    }
    asked
}

impl PixelFormats {
    /// The pixel format that a call creates a context for: the first that its arguments name.
    pub(crate) fn of_context(&self, call: &Call) -> Option<Arc<PixelFormat>> {
        self.all.get(&first(call.argument(1))).cloned()
    }

    /// A call that chooses pixel formats: the place of the attributes, and the handles.
    fn choose(&mut self, attributes: &[i64], is_egl: bool, has_flags: bool, handles: Vec<i64>) {
        let asked = asked(attributes, is_egl, has_flags);
        for handle in handles {
            // What a driver has answered stays true.
            Arc::make_mut(self.all.entry(handle as u64).or_default()).asked = asked;
        }
    }

    /// `glXChooseVisual`, which returns a visual.
    pub(crate) fn choose_visual(&mut self, call: &Call) {
        self.choose(&call.ints(2), false, true, vec![first(call.result()) as i64]);
    }

    /// `glXChooseFBConfig`, which returns several.
    pub(crate) fn choose_of_glx(&mut self, call: &Call) {
        self.choose(&call.ints(2), false, false, call.result().ints());
    }

    /// `eglChooseConfig`, which writes several.
    pub(crate) fn choose_of_egl(&mut self, call: &Call) {
        self.choose(&call.ints(1), true, false, call.ints(2));
    }

    /// `glXGetVisualFromFBConfig`: a visual has the pixel format of the configuration.
    pub(crate) fn visual_of(&mut self, call: &Call) {
        if let Some(format) = self.all.get(&first(call.argument(1))).cloned() {
            self.all.insert(first(call.result()), format);
        }
    }

    /// `glXGetFBConfigAttrib` and `eglGetConfigAttrib`: the driver answers a number.
    pub(crate) fn answer(&mut self, call: &Call, is_egl: bool) {
        let (handle, attribute) = (first(call.argument(1)), call.int(2));
        // GLX returns 0 for success, EGL for failure.
        if call.returned().is_some_and(|result| (result == 0) == is_egl) {
            return;
        }
        let at = FACTS.iter().position(|(_, glx, egl)| attribute == if is_egl { *egl } else { *glx });
        let number = call.argument(3).ints().first().copied();
        if let (Some(at), Some(number)) = (at, number) {
            let format = self.all.entry(handle).or_default();
            if let Some(slot) = Arc::make_mut(format).answered.get_mut(at) {
                *slot = Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(attributes: &[i64], at: usize, handles: &[i64], result: i64) -> Call {
        let mut call = Call::default();
        call.set_list(at, attributes.iter().map(|number| Value::Int(*number)));
        if !handles.is_empty() {
            call.set_list(2, handles.iter().map(|number| Value::Int(*number)));
        }
        call.set_result(Value::Int(result));
        call
    }

    fn text(formats: &PixelFormats, handle: i64) -> Option<String> {
        let mut create = Call::default();
        create.set(1, Value::Int(handle));
        formats.of_context(&create)?.text()
    }

    #[test]
    fn what_was_asked_for_is_known_by_the_handle() {
        let mut formats = PixelFormats::default();
        // GLX_RGBA and GLX_DOUBLEBUFFER have no value here.
        formats.choose_visual(&call(&[4, 5, 12, 16, 0], 2, &[], 7));
        assert_eq!(text(&formats, 7).as_deref(), Some("asked for: depth 16, double buffer"));
        // Red, stencil, and -1 for a number that does not matter.
        formats.choose_of_egl(&call(&[0x3024, 8, 0x3026, 8, 0x3025, -1, EGL_NONE], 1, &[20, 21], 1));
        assert_eq!(text(&formats, 21).as_deref(), Some("asked for: red 8, stencil 8"));
        assert_eq!(text(&formats, 22), None);
    }

    #[test]
    fn what_the_driver_answered_takes_its_place() {
        let mut formats = PixelFormats::default();
        formats.choose_of_egl(&call(&[0x3024, 5, 0x3025, 16, EGL_NONE], 1, &[20], 1));
        let mut answered = Call::default();
        for (at, number) in [(1, 20), (2, 0x3025), (3, 24)] {
            answered.set(at, Value::Int(number));
        }
        formats.answer(&answered, true);
        assert_eq!(text(&formats, 20).as_deref(), Some("depth 24; asked for: red 5"));
    }
}
