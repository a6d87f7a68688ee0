//! Settings of contexts, which the machine of OpenGL follows. Those that WebGL2 has, too, become
//! words of [`crate::state::State`]; others decide how draws are replaced, or that they cannot be
//! shown.

use unspool_gl::call::Call;
use unspool_gl::gl;
use unspool_gl::machine::cells::Value;
use unspool_gl::machine::fixed::CLIP_PLANE_OF;
use unspool_gl::machine::settings::Setting;
use unspool_gl::machine::what;

use super::lacks::EXTRAS;
use crate::driver::{Replay, slot_of};
use crate::fixed::{FIXED_UNITS, Fixed, Light};
use crate::objects::{CURRENT_VALUES, Context, Current, SLOTS, USUAL_CLIPS};
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

/// The place of generic attributes among what is current.
const FIRST_GENERIC: u32 = 4 + FIXED_UNITS as u32;

/// Cells of what is current, but for generic attributes.
const CURRENT: [u16; 5] = [
    what::CURRENT_COLOR,
    what::CURRENT_SECONDARY_COLOR,
    what::CURRENT_NORMAL,
    what::CURRENT_FOG_COORD,
    what::CURRENT_TEXTURE_COORDS,
];

/// Cells of the textures that are bound to a unit, by slot of [`crate::objects::Units`].
const BINDINGS: [u16; SLOTS] = [
    what::TEXTURE_BINDING_2D,
    what::TEXTURE_BINDING_CUBE_MAP,
    what::TEXTURE_BINDING_3D,
    what::TEXTURE_BINDING_2D_ARRAY,
    what::TEXTURE_BINDING_1D,
    what::TEXTURE_BINDING_RECTANGLE,
    what::TEXTURE_BINDING_2D_MULTISAMPLE,
    what::TEXTURE_BINDING_BUFFER,
];

impl Replay {
    /// A call that changes settings of the current context. `reads_current`: what is current of
    /// vertices is among those that it keeps, gives back or follows.
    pub(super) fn set_by(&mut self, setting: Setting, call: &Call, reads_current: bool) {
        // Materials follow the colour that is current when that is enabled.
        if reads_current || call.uint(0) == gl::COLOR_MATERIAL {
            self.place_current();
        }
        let Some(at) = self.at.filter(|at| self.contexts.contains_key(at)) else { return };
        self.machine.set_by(setting, call, at);
        self.note_settings(at);
    }

    /// Sets a cell of the current context.
    pub(super) fn place(&mut self, what: u16, index: u32, value: Value) {
        let Some(at) = self.at.filter(|at| self.contexts.contains_key(at)) else { return };
        self.machine.place(self.call, at, (what, index), value);
        self.note_settings(at);
    }

    /// Takes over what has changed.
    fn note_settings(&mut self, at: u32) {
        let Some(context) = self.contexts.get_mut(&at) else { return };
        let mut is_current = false;
        while let Some((what, index, value)) = self.machine.next_changed() {
            is_current |= CURRENT.contains(&what) || what == what::CURRENT_VERTEX_ATTRIB;
            if matches!(what, what::NORMALIZE | what::RESCALE_NORMAL) {
                let is_on = |what: u16| self.machine.setting(what, 0) == &Value::Bool(true);
                context.fixed.normalize = is_on(what::NORMALIZE) || is_on(what::RESCALE_NORMAL);
            } else {
                context.note(what, index, value);
            }
        }
        if is_current {
            context.placed = context.current();
        }
    }

    /// Tells the machine what is current of vertices. Vertices are made here, and there are too
    /// many calls for them to tell each.
    fn place_current(&mut self) {
        let Some(at) = self.at else { return };
        let Some(context) = self.contexts.get_mut(&at) else { return };
        let now = context.current();
        let before = core::mem::replace(&mut context.placed, now);
        let is_new = |(_, (now, before)): &(u32, (&[f32; 4], [f32; 4]))| *now != before;
        for (i, (numbers, _)) in (0..).zip(now.iter().zip(before)).filter(is_new) {
            let (cell, count) = match i {
                0 => ((what::CURRENT_COLOR, 0), 4),
                1 => ((what::CURRENT_SECONDARY_COLOR, 0), 4),
                2 => ((what::CURRENT_NORMAL, 0), 3),
                3 => ((what::CURRENT_FOG_COORD, 0), 1),
                4..FIRST_GENERIC => ((what::CURRENT_TEXTURE_COORDS, i - 4), 4),
                _ => ((what::CURRENT_VERTEX_ATTRIB, i - FIRST_GENERIC), 4),
            };
            self.machine.place(self.call, at, cell, Value::Floats(*numbers, count));
        }
        self.note_settings(at);
    }

    /// Binds a texture to a unit.
    pub(super) fn bind_texture(&mut self, unit: u32, slot: usize, name: u32) {
        if let Some(what) = BINDINGS.get(slot).filter(|_| (unit as usize) < 32) {
            self.place(*what, unit, Value::Object { name, instance: 0 });
        }
    }

    /// No unit of the current context has a texture any more.
    pub(super) fn unbind_texture(&mut self, name: u32) {
        let Some(units) = self.context().map(|context| context.units) else { return };
        for (unit, slots) in (0..).zip(units) {
            for (slot, _) in slots.into_iter().enumerate().filter(|(_, bound)| *bound == name) {
                self.bind_texture(unit, slot, 0);
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
pub(super) fn viewport(r: &mut Replay) {
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

/// The value of a setting that has changed.
struct Changed {
    words: [u32; 4],
    /// 0 if no call has set it: it is that of a new context then.
    count: usize,
    is_on: bool,
}

impl Changed {
    fn word(&self, otherwise: u32) -> u32 {
        let [first, ..] = self.words;
        if self.count == 0 { otherwise } else { first }
    }

    fn float(&self, otherwise: f32) -> f32 {
        f32::from_bits(self.word(otherwise.to_bits()))
    }

    fn floats(&self, otherwise: [f32; 4]) -> [f32; 4] {
        if self.count == 0 { otherwise } else { self.words.map(f32::from_bits) }
    }
}

const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

impl Context {
    /// All that is current of vertices.
    pub(crate) fn current(&self) -> Current {
        let Fixed { color, secondary, normal: [x, y, z], fog_coordinate, coordinates, .. } = &self.fixed;
        let mut all = [[0.0; 4]; CURRENT_VALUES];
        let first = [*color, *secondary, [*x, *y, *z, 0.0], [*fog_coordinate, 0.0, 0.0, 0.0]];
        let values = first.iter().chain(coordinates).chain(&self.values);
        all.iter_mut().zip(values).for_each(|(slot, value)| *slot = *value);
        all
    }

    /// Takes over a setting that has changed.
    fn note(&mut self, what: u16, index: u32, value: &Value) {
        if index == 0 && self.note_words(what, value) {
            return;
        }
        let (words, count) = words_of(value);
        let new = Changed { words, count, is_on: matches!(value, Value::Bool(true)) };
        let at = index as usize;
        match u32::from(what) {
            gl::CLIP_ORIGIN => self.clips[0] = new.word(USUAL_CLIPS[0]),
            gl::CLIP_DEPTH_MODE => self.clips[1] = new.word(USUAL_CLIPS[1]),
            gl::DEPTH_BOUNDS_EXT => {
                let [near, far, ..] = new.floats([0.0, 1.0, 0.0, 0.0]);
                self.bounds = [near, far];
            }
            gl::POLYGON_MODE if index == 0 => self.polygon_mode = new.word(gl::FILL),
            gl::PROVOKING_VERTEX => self.first_provokes = new.word(0) == gl::FIRST_VERTEX_CONVENTION,
            gl::PRIMITIVE_RESTART => self.restart.on = new.is_on,
            gl::PRIMITIVE_RESTART_FIXED_INDEX => self.restart.is_fixed = new.is_on,
            gl::PRIMITIVE_RESTART_INDEX => self.restart.index = new.word(0),
            gl::ACTIVE_TEXTURE => self.active = (new.word(gl::TEXTURE0) - gl::TEXTURE0).min(31) as usize,
            gl::CURRENT_VERTEX_ATTRIB => put(self.values.get_mut(at), new.floats(BLACK)),
            _ if BINDINGS.contains(&what) => {
                let name = if let Value::Object { name, .. } = value { *name } else { 0 };
                let slot = BINDINGS.iter().position(|binding| *binding == what);
                put(slot.and_then(|slot| self.units.get_mut(at)?.get_mut(slot)), name);
            }
            cap if index == 0 && self.state.enable(cap, new.is_on) => {}
            cap if EXTRAS.contains(&cap) => {
                self.extras.retain(|known| *known != cap);
                self.extras.extend(new.is_on.then_some(cap));
            }
            cap if self.fixed.enable(cap, new.is_on) || self.fixed.note(what, at, &new) => {}
            _ if self.fixed.note_unit(what, at, &new) => {}
            _ => {}
        }
    }

    /// Takes over words that have changed. Returns false for other settings.
    fn note_words(&mut self, what: u16, value: &Value) -> bool {
        let Some((_, at, len)) = WORDS.iter().find(|(of, ..)| *of == what).copied() else { return false };
        let (mut words, count) = words_of(value);
        match (what, value) {
            (_, Value::Unset) if what == what::SCISSOR_BOX => words = self.first_box,
            (_, Value::Unset) => {
                self.state.copy(&State::new(), at, len);
                return true;
            }
            (what::VIEWPORT | what::SCISSOR_BOX, _) => {
                let Some([x, y, w, h]) = rectangle(value) else { return true };
                let most = if what == what::VIEWPORT { MOST_SIDE } else { 1 << 20 };
                words = [x as u32, y as u32, w.clamp(0, most) as u32, h.clamp(0, most) as u32];
            }
            (what::LINE_WIDTH, _) => words[0] = f32::from_bits(words[0]).max(1e-3).to_bits(),
            _ if count != len => return true,
            _ => {}
        }
        self.state.put(at, words.get(..len).unwrap_or_default());
        true
    }
}

/// Sets what there may be.
fn put<T>(slot: Option<&mut T>, value: T) {
    if let Some(slot) = slot {
        *slot = value;
    }
}

impl Fixed {
    /// Takes over a setting of the fixed function that has changed. Returns false for others.
    fn note(&mut self, what: u16, at: usize, new: &Changed) -> bool {
        match u32::from(what) {
            gl::CURRENT_COLOR => self.color = new.floats([1.0; 4]),
            gl::CURRENT_SECONDARY_COLOR => self.secondary = new.floats(BLACK),
            gl::CURRENT_NORMAL => {
                let [x, y, z, _] = new.floats([0.0, 0.0, 1.0, 0.0]);
                self.normal = [x, y, z];
            }
            gl::CURRENT_FOG_COORD => self.fog_coordinate = new.float(0.0),
            gl::CURRENT_TEXTURE_COORDS => put(self.coordinates.get_mut(at), new.floats(BLACK)),
            gl::MATRIX_MODE => self.mode = new.word(gl::MODELVIEW),
            gl::SHADE_MODEL => self.flat = new.word(0) == gl::FLAT,
            gl::ALPHA_TEST_FUNC => self.alpha.0 = new.word(gl::ALWAYS),
            gl::ALPHA_TEST_REF => self.alpha.1 = new.float(0.0),
            gl::RENDER_MODE => self.renders = new.word(gl::RENDER) == gl::RENDER,
            gl::LINE_STIPPLE_REPEAT => self.stipple[0] = new.word(1).clamp(1, 256),
            gl::LINE_STIPPLE_PATTERN => self.stipple[1] = new.word(0xFFFF) & 0xFFFF,
            gl::POINT_SIZE => self.point_size = new.float(1.0),
            gl::POINT_SIZE_MIN => self.point_range[0] = new.float(1.0),
            gl::POINT_SIZE_MAX => self.point_range[1] = new.float(255.0),
            gl::POINT_DISTANCE_ATTENUATION => {
                let [constant, linear, quadratic, _] = new.floats([1.0, 0.0, 0.0, 0.0]);
                self.point_fade = [constant, linear, quadratic];
            }
            gl::LIGHT_MODEL_LOCAL_VIEWER => self.local_viewer = new.is_on,
            gl::LIGHT_MODEL_TWO_SIDE => self.two_side = new.is_on,
            gl::LIGHT_MODEL_COLOR_CONTROL => self.separate = new.word(0) == gl::SEPARATE_SPECULAR_COLOR,
            gl::LIGHT_MODEL_AMBIENT => self.model_ambient = new.floats([0.2, 0.2, 0.2, 1.0]),
            gl::COLOR_MATERIAL_FACE => self.tracked = new.word(gl::FRONT_AND_BACK),
            gl::COLOR_MATERIAL_PARAMETER => self.tracks = new.word(gl::AMBIENT_AND_DIFFUSE),
            gl::FOG_MODE => self.fog_mode = new.word(gl::EXP),
            gl::FOG_DENSITY => self.fog.density = new.float(1.0),
            gl::FOG_START => self.fog.start = new.float(0.0),
            gl::FOG_END => self.fog.end = new.float(1.0),
            gl::FOG_COLOR => self.fog.color = new.floats([0.0; 4]),
            _ if what == CLIP_PLANE_OF => put(self.planes.get_mut(at), new.floats([0.0; 4])),
            _ if (what::LIGHT_FIRST..what::MATERIAL_FIRST).contains(&what) => {
                let is_first = at == 0;
                put_light(self.lights.get_mut(at), is_first, what - what::LIGHT_FIRST, new);
            }
            _ if (what::MATERIAL_FIRST..=what::MATERIAL_LAST).contains(&what) => {
                if let Some(material) = self.materials.get_mut(at) {
                    match what - what::MATERIAL_FIRST {
                        0 => material.ambient = new.floats([0.2, 0.2, 0.2, 1.0]),
                        1 => material.diffuse = new.floats([0.8, 0.8, 0.8, 1.0]),
                        2 => material.specular = new.floats(BLACK),
                        3 => material.emission = new.floats(BLACK),
                        _ => material.shininess = new.float(0.0),
                    }
                }
            }
            _ => return false,
        }
        true
    }

    /// Takes over a setting of a texture unit that has changed. Returns false for others.
    fn note_unit(&mut self, what: u16, at: usize, new: &Changed) -> bool {
        let is_of_coordinate = (what::TEX_GEN_MODE_OF..=what::TEX_GEN_EYE).contains(&what);
        let (unit, coordinate) = if is_of_coordinate { (at / 4, at % 4) } else { (at, 0) };
        let Some(e) = self.environments.get_mut(unit) else { return false };
        let axis = core::array::from_fn(|i| if i == coordinate && i < 2 { 1.0 } else { 0.0 });
        let side = |sides: &mut [[u32; 3]; 2], alpha: usize, number: u32, otherwise: u32| {
            put(sides.get_mut(alpha).and_then(|all| all.get_mut(number as usize)), new.word(otherwise));
        };
        const SOURCES: [u32; 3] = [gl::TEXTURE, gl::PREVIOUS, gl::CONSTANT];
        let source = |number: u32| SOURCES.get(number as usize).copied().unwrap_or(0);
        let operand = |number: u32| if number == 2 { gl::SRC_ALPHA } else { gl::SRC_COLOR };
        match u32::from(what) {
            cap @ (gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_CUBE_MAP | gl::TEXTURE_RECTANGLE) => {
                put(slot_of(cap).and_then(|slot| e.enabled.get_mut(slot)), new.is_on);
            }
            gl::TEXTURE_ENV_MODE => e.mode = new.word(gl::MODULATE),
            gl::TEXTURE_ENV_COLOR => e.color = new.floats([0.0; 4]),
            gl::COMBINE_RGB => e.combine[0] = new.word(gl::MODULATE),
            gl::COMBINE_ALPHA => e.combine[1] = new.word(gl::MODULATE),
            gl::RGB_SCALE => e.scales[0] = new.float(1.0),
            _ if what == what::ENV_ALPHA_SCALE => e.scales[1] = new.float(1.0),
            n @ gl::SRC0_RGB..=gl::SRC2_RGB => side(&mut e.sources, 0, n - gl::SRC0_RGB, source(n - gl::SRC0_RGB)),
            n @ gl::SRC0_ALPHA..=gl::SRC2_ALPHA => {
                side(&mut e.sources, 1, n - gl::SRC0_ALPHA, source(n - gl::SRC0_ALPHA));
            }
            n @ gl::OPERAND0_RGB..=gl::OPERAND2_RGB => {
                side(&mut e.operands, 0, n - gl::OPERAND0_RGB, operand(n - gl::OPERAND0_RGB));
            }
            n @ gl::OPERAND0_ALPHA..=gl::OPERAND2_ALPHA => {
                side(&mut e.operands, 1, n - gl::OPERAND0_ALPHA, gl::SRC_ALPHA);
            }
            gl::TEXTURE_LOD_BIAS => e.bias = new.float(0.0),
            gl::COORD_REPLACE => e.replaces = new.is_on,
            _ => match what {
                what::TEX_GEN_ENABLED => put(e.generates.get_mut(coordinate), new.is_on),
                what::TEX_GEN_MODE_OF => put(e.generated.get_mut(coordinate), new.word(gl::EYE_LINEAR)),
                what::TEX_GEN_OBJECT => put(e.object_planes.get_mut(coordinate), new.floats(axis)),
                what::TEX_GEN_EYE => put(e.eye_planes.get_mut(coordinate), new.floats(axis)),
                _ => return false,
            },
        }
        true
    }
}

/// Takes over a parameter of a light, by its number in the machine.
fn put_light(light: Option<&mut Light>, is_first: bool, number: u16, new: &Changed) {
    let Some(light) = light else { return };
    let bright = if is_first { [1.0; 4] } else { BLACK };
    match number {
        0 => light.ambient = new.floats(BLACK),
        1 => light.diffuse = new.floats(bright),
        2 => light.specular = new.floats(bright),
        3 => light.position = new.floats([0.0, 0.0, 1.0, 0.0]),
        4 => {
            let [x, y, z, _] = new.floats([0.0, 0.0, -1.0, 0.0]);
            light.direction = [x, y, z];
        }
        5 => light.exponent = new.float(0.0),
        6 => light.cutoff = new.float(180.0),
        number => {
            let slot = usize::from(number - 7);
            put(light.attenuation.get_mut(slot), new.float(if slot == 0 { 1.0 } else { 0.0 }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;
    use unspool_gl::example::{Example, Value};

    /// The bits that have an attribute, a call that sets it, and what the context has of it.
    type Row = (u32, &'static str, &'static [f64], fn(&mut Context) -> String);

    const ROWS: &[Row] = &[
        (gl::CURRENT_BIT, "glColor4f", &[0.5, 0.25, 0.0, 0.5], |c| format!("{:?}", c.fixed.color)),
        (gl::CURRENT_BIT, "glSecondaryColor3f", &[0.5, 0.25, 0.5], |c| format!("{:?}", c.fixed.secondary)),
        (gl::CURRENT_BIT, "glNormal3f", &[1.0, 0.0, 0.0], |c| format!("{:?}", c.fixed.normal)),
        (gl::CURRENT_BIT, "glTexCoord2f", &[0.5, 0.25], |c| format!("{:?}", c.fixed.coordinates)),
        (gl::CURRENT_BIT, "glFogCoordf", &[2.0], |c| format!("{:?}", c.fixed.fog_coordinate)),
        (gl::CURRENT_BIT, "glVertexAttrib4f", &[3.0, 1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.values)),
        (gl::POINT_BIT, "glPointSize", &[4.0], |c| format!("{:?}", c.fixed.point_size)),
        (gl::POINT_BIT, "glTexEnvi", &[gl::POINT_SPRITE as f64, gl::COORD_REPLACE as f64, 1.0], |c| {
            format!("{:?}", c.fixed.environments[0].replaces)
        }),
        (gl::LINE_BIT, "glLineWidth", &[4.0], |c| format!("{:x}", c.state.get(word::LINE_WIDTH))),
        (gl::LINE_BIT, "glLineStipple", &[2.0, 255.0], |c| format!("{:?}", c.fixed.stipple)),
        (gl::POLYGON_BIT, "glCullFace", &[gl::FRONT as f64], |c| c.state.get(word::CULL_FACE).to_string()),
        (gl::POLYGON_BIT, "glFrontFace", &[gl::CW as f64], |c| c.state.get(word::FRONT_FACE).to_string()),
        (gl::POLYGON_BIT, "glPolygonMode", &[gl::FRONT_AND_BACK as f64, gl::LINE as f64], |c| {
            c.polygon_mode.to_string()
        }),
        (gl::LIGHTING_BIT, "glShadeModel", &[gl::FLAT as f64], |c| c.fixed.flat.to_string()),
        (gl::LIGHTING_BIT, "glProvokingVertex", &[gl::FIRST_VERTEX_CONVENTION as f64], |c| {
            c.first_provokes.to_string()
        }),
        (gl::LIGHTING_BIT, "glMaterialf", &[gl::FRONT as f64, gl::SHININESS as f64, 9.0], |c| {
            format!("{:?}", c.fixed.materials[0].shininess)
        }),
        (gl::FOG_BIT, "glFogf", &[gl::FOG_DENSITY as f64, 3.0], |c| format!("{:?}", c.fixed.fog.density)),
        (gl::DEPTH_BUFFER_BIT, "glDepthFunc", &[gl::GEQUAL as f64], |c| c.state.get(word::DEPTH_FUNC).to_string()),
        (gl::DEPTH_BUFFER_BIT, "glDepthBoundsEXT", &[0.25, 0.5], |c| format!("{:?}", c.bounds)),
        (gl::STENCIL_BUFFER_BIT, "glStencilMask", &[3.0], |c| c.state.get(word::STENCIL_MASK).to_string()),
        (gl::VIEWPORT_BIT, "glViewport", &[1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.state.four(word::VIEWPORT))),
        (gl::TRANSFORM_BIT, "glMatrixMode", &[gl::PROJECTION as f64], |c| c.fixed.mode.to_string()),
        (gl::TRANSFORM_BIT, "glClipControl", &[gl::UPPER_LEFT as f64, gl::ZERO_TO_ONE as f64], |c| {
            format!("{:?}", c.clips)
        }),
        (gl::COLOR_BUFFER_BIT, "glBlendFunc", &[gl::ZERO as f64, gl::ONE as f64], |c| {
            format!("{:?}", c.state.four(word::BLEND_FUNC))
        }),
        (gl::COLOR_BUFFER_BIT, "glAlphaFunc", &[gl::LESS as f64, 0.5], |c| format!("{:?}", c.fixed.alpha)),
        (gl::TEXTURE_BIT, "glActiveTexture", &[(gl::TEXTURE0 + 1) as f64], |c| c.active.to_string()),
        (
            gl::TEXTURE_BIT,
            "glTexEnvi",
            &[gl::TEXTURE_ENV as f64, gl::TEXTURE_ENV_MODE as f64, gl::REPLACE as f64],
            |c| c.fixed.environments[0].mode.to_string(),
        ),
        (gl::SCISSOR_BIT, "glScissor", &[1.0, 2.0, 3.0, 4.0], |c| format!("{:?}", c.state.four(word::SCISSOR))),
        (gl::MULTISAMPLE_BIT | gl::ENABLE_BIT, "glEnable", &[gl::SAMPLE_COVERAGE as f64], |c| {
            c.state.get(word::CAPS + 6).to_string()
        }),
        (gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT, "glEnable", &[gl::BLEND as f64], |c| {
            c.state.get(word::CAPS).to_string()
        }),
        (gl::ENABLE_BIT | gl::LIGHTING_BIT, "glEnable", &[gl::LIGHTING as f64], |c| c.fixed.lighting.to_string()),
        (gl::ENABLE_BIT | gl::TEXTURE_BIT, "glEnable", &[gl::TEXTURE_2D as f64], |c| {
            format!("{:?}", c.fixed.environments[0].enabled)
        }),
        (gl::ENABLE_BIT | gl::DEPTH_BUFFER_BIT, "glEnable", &[gl::DEPTH_BOUNDS_TEST_EXT as f64], |c| {
            format!("{:?}", c.extras)
        }),
    ];

    fn execute(replay: &mut Replay, name: &str, args: &[f64]) {
        let value = |n: &f64| if n.fract() == 0.0 { Value::Int(*n as i64) } else { Value::Float(*n) };
        let args = args.iter().map(value).collect();
        replay.execute_example(&Example { name: name.into(), args, ..Example::default() });
    }

    #[test]
    fn each_bit_takes_back_its_attributes_and_no_others() {
        for (bits, name, args, of) in ROWS {
            for (mask, is_kept) in [(*bits, true), (gl::ALL_ATTRIB_BITS & !bits, false)] {
                let mut replay = Replay::new(Bounds::default(), true);
                execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
                let first = of(replay.context().unwrap());
                execute(&mut replay, "glPushAttrib", &[mask.into()]);
                execute(&mut replay, name, args);
                let changed = of(replay.context().unwrap());
                execute(&mut replay, "glPopAttrib", &[]);
                assert_ne!(first, changed, "{name}");
                let expected = if is_kept { first } else { changed };
                assert_eq!(of(replay.context().unwrap()), expected, "{name} {args:?}, mask {mask:#x}");
            }
        }
    }

    /// Either of two capabilities makes normals as long as they are to be.
    #[test]
    fn normals_are_made_as_long_until_nothing_wants_it() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        let calls = [("glEnable", gl::NORMALIZE, true), ("glDisable", gl::RESCALE_NORMAL, true)];
        for (name, cap, is_on) in calls.into_iter().chain([("glDisable", gl::NORMALIZE, false)]) {
            execute(&mut replay, name, &[cap.into()]);
            assert_eq!(replay.context().unwrap().fixed.normalize, is_on, "{name} {cap}");
        }
    }

    #[test]
    fn materials_follow_the_colour_that_is_taken_back() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        execute(&mut replay, "glColorMaterial", &[gl::FRONT_AND_BACK.into(), gl::DIFFUSE.into()]);
        execute(&mut replay, "glEnable", &[gl::COLOR_MATERIAL.into()]);
        execute(&mut replay, "glColor4f", &[0.25, 0.5, 0.75, 1.0]);
        execute(&mut replay, "glPushAttrib", &[gl::CURRENT_BIT.into()]);
        execute(&mut replay, "glColor4f", &[1.0, 0.0, 0.0, 1.0]);
        execute(&mut replay, "glPopAttrib", &[]);
        assert_eq!(replay.context().unwrap().fixed.materials[0].diffuse, [0.25, 0.5, 0.75, 1.0]);
    }

    /// A material that was given while it follows the colour is that of the next draw, each time.
    #[test]
    fn materials_that_follow_the_colour_cannot_be_given() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        execute(&mut replay, "glEnable", &[gl::COLOR_MATERIAL.into()]);
        for _ in 0..2 {
            execute(&mut replay, "glColor4f", &[1.0, 0.0, 0.0, 1.0]);
            assert_eq!(replay.context().unwrap().fixed.materials[0].diffuse, [1.0, 0.0, 0.0, 1.0]);
            let blue = vec![
                Value::Int(gl::FRONT.into()),
                Value::Int(gl::DIFFUSE.into()),
                Value::List([0.0, 0.0, 1.0, 1.0].map(Value::Float).to_vec()),
            ];
            replay.execute_example(&Example { name: "glMaterialfv".into(), args: blue, ..Example::default() });
            // OpenGL 2.1, 2.14.3; nor does a call about something else change it.
            execute(&mut replay, "glMaterialf", &[gl::FRONT.into(), gl::SHININESS.into(), 9.0]);
            assert_eq!(replay.context().unwrap().fixed.materials[0].diffuse, [1.0, 0.0, 0.0, 1.0]);
        }
        execute(&mut replay, "glDisable", &[gl::COLOR_MATERIAL.into()]);
        let blue = vec![
            Value::Int(gl::FRONT.into()),
            Value::Int(gl::DIFFUSE.into()),
            Value::List([0.0, 0.0, 1.0, 1.0].map(Value::Float).to_vec()),
        ];
        replay.execute_example(&Example { name: "glMaterialfv".into(), args: blue, ..Example::default() });
        assert_eq!(replay.context().unwrap().fixed.materials[0].diffuse, [0.0, 0.0, 1.0, 1.0]);
    }

    /// The names of a text are relative to a base of its own.
    #[test]
    fn an_outer_base_of_lists_is_that_of_the_lists_after_a_text() {
        let mut replay = Replay::new(Bounds::default(), true);
        execute(&mut replay, "glXMakeCurrent", &[1.0, 2.0, 3.0]);
        for (list, width) in [(101.0, 2.0), (201.0, 5.0)] {
            execute(&mut replay, "glNewList", &[list, gl::COMPILE.into()]);
            execute(&mut replay, "glLineWidth", &[width]);
            execute(&mut replay, "glEndList", &[]);
        }
        let call = |replay: &mut Replay| {
            let args = vec![Value::Int(1), Value::Int(gl::UNSIGNED_BYTE.into()), Value::Bytes(vec![1])];
            replay.execute_example(&Example { name: "glCallLists".into(), args, ..Example::default() });
            f32::from_bits(replay.context().unwrap().state.get(word::LINE_WIDTH))
        };
        execute(&mut replay, "glListBase", &[100.0]);
        execute(&mut replay, "glPushAttrib", &[gl::LIST_BIT.into()]);
        execute(&mut replay, "glListBase", &[200.0]);
        assert_eq!(call(&mut replay), 5.0);
        execute(&mut replay, "glPopAttrib", &[]);
        assert_eq!(call(&mut replay), 2.0);
    }
}
