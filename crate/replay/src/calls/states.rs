//! Settings of contexts, which the machine of OpenGL follows. Those that WebGL2 has, too, become
//! words of [`crate::state::State`]; others decide how draws are replaced, or that they cannot be
//! shown.

use unspool_gl::call::Call;
use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::settings::Setting;
use unspool_gl::machine::what;

use super::lacks::EXTRAS;
use crate::driver::{Replay, slot_of};
use crate::objects::{Context, USUAL_CLIPS};
use crate::state::{State, word};

/// Words by the cell that has them, with their number.
const WORDS: [(u16, usize, usize); 35] = [
    (what::COLOR_CLEAR_VALUE, word::CLEAR_COLOR, 4),
    (what::DEPTH_CLEAR_VALUE, word::CLEAR_DEPTH, 1),
    (what::STENCIL_CLEAR_VALUE, word::CLEAR_STENCIL, 1),
    (what::COLOR_WRITEMASK, word::COLOR_MASK, 4),
    (what::DEPTH_WRITEMASK, word::DEPTH_MASK, 1),
    (what::DEPTH_FUNC, word::DEPTH_FUNC, 1),
    (what::DEPTH_RANGE, word::DEPTH_RANGE, 2),
    (what::BLEND_SRC_RGB, word::BLEND_FUNC, 1),
    (what::BLEND_DST_RGB, word::BLEND_FUNC + 1, 1),
    (what::BLEND_SRC_ALPHA, word::BLEND_FUNC + 2, 1),
    (what::BLEND_DST_ALPHA, word::BLEND_FUNC + 3, 1),
    (what::BLEND_EQUATION_RGB, word::BLEND_EQUATION, 1),
    (what::BLEND_EQUATION_ALPHA, word::BLEND_EQUATION + 1, 1),
    (what::BLEND_COLOR, word::BLEND_COLOR, 4),
    (what::CULL_FACE_MODE, word::CULL_FACE, 1),
    (what::FRONT_FACE, word::FRONT_FACE, 1),
    (what::LINE_WIDTH, word::LINE_WIDTH, 1),
    (what::POLYGON_OFFSET_FACTOR, word::POLYGON_OFFSET, 1),
    (what::POLYGON_OFFSET_UNITS, word::POLYGON_OFFSET + 1, 1),
    (what::STENCIL_FUNC, word::STENCIL_FUNC, 1),
    (what::STENCIL_REF, word::STENCIL_FUNC + 1, 1),
    (what::STENCIL_VALUE_MASK, word::STENCIL_FUNC + 2, 1),
    (what::STENCIL_BACK_FUNC, word::STENCIL_FUNC + 3, 1),
    (what::STENCIL_BACK_REF, word::STENCIL_FUNC + 4, 1),
    (what::STENCIL_BACK_VALUE_MASK, word::STENCIL_FUNC + 5, 1),
    (what::STENCIL_FAIL, word::STENCIL_OP, 1),
    (what::STENCIL_PASS_DEPTH_FAIL, word::STENCIL_OP + 1, 1),
    (what::STENCIL_PASS_DEPTH_PASS, word::STENCIL_OP + 2, 1),
    (what::STENCIL_BACK_FAIL, word::STENCIL_OP + 3, 1),
    (what::STENCIL_BACK_PASS_DEPTH_FAIL, word::STENCIL_OP + 4, 1),
    (what::STENCIL_BACK_PASS_DEPTH_PASS, word::STENCIL_OP + 5, 1),
    (what::STENCIL_WRITEMASK, word::STENCIL_MASK, 1),
    (what::STENCIL_BACK_WRITEMASK, word::STENCIL_MASK + 1, 1),
    (what::VIEWPORT, word::VIEWPORT, 4),
    (what::SCISSOR_BOX, word::SCISSOR, 4),
];

/// Sides of viewports at most.
const MOST_SIDE: i64 = 1 << 15;

impl Replay {
    /// A call that changes settings of the current context.
    pub(super) fn set_by(&mut self, setting: Setting, call: &Call) {
        let Some(at) = self.at else { return };
        let Some(context) = self.contexts.get_mut(&at) else { return };
        self.machine.set_by(setting, call, at);
        while let Some((what, index, value)) = self.machine.next_changed() {
            if matches!(what, what::NORMALIZE | what::RESCALE_NORMAL) {
                let is_on = |what: u16| self.machine.setting(what, 0) == &Value::Bool(true);
                context.fixed.normalize = is_on(what::NORMALIZE) || is_on(what::RESCALE_NORMAL);
            } else {
                context.note(what, index, value, matches!(value, Value::Bool(true)));
            }
        }
    }

    /// A number or constant that a call has set in the current context.
    pub(crate) fn setting(&mut self, what: u16) -> Option<i64> {
        self.machine.look_at(self.at);
        self.machine.number(self.machine.context_owner(), what, 0)
    }
}

/// The viewport was set. That of a new context is the window, which is at least as large.
pub(super) fn viewport(r: &mut Replay, _: &Call) {
    let Some(context) = r.context() else { return };
    let own = context.state.four(word::VIEWPORT);
    if !context.had_viewport {
        // So is the scissor.
        context.had_viewport = true;
        if context.state.four(word::SCISSOR) == [0; 4] {
            context.first_box = own;
            context.state.put(word::SCISSOR, &own);
        }
    }
    if context.draw_framebuffer == 0 {
        let [x, y, w, h] = own.map(|n| i64::from(n as i32));
        r.grow((x + w).clamp(0, MOST_SIDE) as u32, (y + h).clamp(0, MOST_SIDE) as u32);
    }
}

/// The numbers of a rectangle.
fn rectangle(value: &Value) -> Option<[i64; 4]> {
    match value {
        Value::Ints(numbers, _) => Some(numbers.map(i64::from)),
        Value::Floats(numbers, _) => Some(numbers.map(|number| number as i64)),
        _ => None,
    }
}

/// A value as words, and how many these are.
fn words_of(value: &Value) -> ([u32; 4], usize) {
    let one = |word: u32| ([word, 0, 0, 0], 1);
    match value {
        Value::Bool(is) => one((*is).into()),
        Value::Bools(all) => (all.map(u32::from), 4),
        Value::Int(number) => one(*number as u32),
        Value::Constant(constant) => one(*constant),
        Value::Float(number) => one((*number as f32).to_bits()),
        Value::Floats(numbers, count) => (numbers.map(f32::to_bits), (*count).into()),
        _ => ([0; 4], 0),
    }
}

impl Context {
    /// Takes over a setting that has changed. One that no call has set is that of a new context.
    fn note(&mut self, what: u16, index: u32, value: &Value, is_on: bool) {
        let ([first, second, ..], count) = words_of(value);
        let or = |otherwise: u32| if count == 0 { otherwise } else { first };
        let unit = index as usize;
        match u32::from(what) {
            gl::CLIP_ORIGIN => self.clips[0] = or(USUAL_CLIPS[0]),
            gl::CLIP_DEPTH_MODE => self.clips[1] = or(USUAL_CLIPS[1]),
            gl::DEPTH_BOUNDS_EXT => {
                self.bounds = if count == 2 { [first, second].map(f32::from_bits) } else { [0.0, 1.0] };
            }
            gl::POLYGON_MODE if index == 0 => self.polygon_mode = or(gl::FILL),
            gl::PROVOKING_VERTEX => self.first_provokes = first == gl::FIRST_VERTEX_CONVENTION,
            gl::PRIMITIVE_RESTART => self.restart.on = is_on,
            gl::PRIMITIVE_RESTART_FIXED_INDEX => self.restart.is_fixed = is_on,
            gl::PRIMITIVE_RESTART_INDEX => self.restart.index = first,
            gl::ACTIVE_TEXTURE => self.active = (or(gl::TEXTURE0) - gl::TEXTURE0).min(31) as usize,
            gl::POINT_SIZE => self.fixed.point_size = f32::from_bits(or(1.0f32.to_bits())),
            _ if u32::from(what::TEX_GEN_ENABLED) == what.into() => {
                let of = self.fixed.environments.get_mut(unit / 4).and_then(|e| e.generates.get_mut(unit % 4));
                of.into_iter().for_each(|on| *on = is_on);
            }
            cap @ (gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_CUBE_MAP | gl::TEXTURE_RECTANGLE) => {
                let enabled = self.fixed.environments.get_mut(unit).map(|e| &mut e.enabled);
                if let (Some(slot), Some(enabled)) = (slot_of(cap), enabled) {
                    enabled.get_mut(slot).into_iter().for_each(|on| *on = is_on);
                }
            }
            _ if index != 0 => {}
            cap if self.state.enable(cap, is_on) => {}
            cap if EXTRAS.contains(&cap) => {
                self.extras.retain(|known| *known != cap);
                self.extras.extend(is_on.then_some(cap));
            }
            cap if self.fixed.enable(cap, is_on) => {}
            _ => self.note_words(what, value),
        }
    }

    fn note_words(&mut self, what: u16, value: &Value) {
        let Some((_, at, len)) = WORDS.iter().find(|(of, ..)| *of == what).copied() else { return };
        let (mut words, count) = words_of(value);
        match (what, value) {
            (_, Value::Unset) if what == what::SCISSOR_BOX => words = self.first_box,
            (_, Value::Unset) => return self.state.copy(&State::new(), at, len),
            (what::VIEWPORT | what::SCISSOR_BOX, _) => {
                let Some([x, y, w, h]) = rectangle(value) else { return };
                let most = if what == what::VIEWPORT { MOST_SIDE } else { 1 << 20 };
                words = [x as u32, y as u32, w.clamp(0, most) as u32, h.clamp(0, most) as u32];
            }
            (what::LINE_WIDTH, _) => words[0] = f32::from_bits(words[0]).max(1e-3).to_bits(),
            _ if count != len => return,
            _ => {}
        }
        self.state.put(at, words.get(..len).unwrap_or_default());
    }
}
