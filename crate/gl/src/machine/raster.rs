//! Switches, blending, depth, stencil, rasterisation, viewport, clearing, pixel store, and the
//! attribute stacks.

use std::sync::Arc;

use crate::gl;

use super::cells::{Cell, Key, Value};
use super::fixed::{floats, follow_color, list_of};
use super::parameters::{self, Group, find};
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::{self, Call};

/// The layout of pixels, and arrays: all that clients keep.
pub(crate) const OF_CLIENTS: Handlers = &[
    ("PixelStorei", pixel_store),
    ("PixelStoref", pixel_store),
    ("EnableClientState", |m, c, _| m.client_state(c.uint(0), None, true)),
    ("DisableClientState", |m, c, _| m.client_state(c.uint(0), None, false)),
    ("EnableClientStateIndexed", |m, c, _| m.client_state(c.uint(0), Some(c.uint(1)), true)),
    ("DisableClientStateIndexed", |m, c, _| m.client_state(c.uint(0), Some(c.uint(1)), false)),
    ("EnableClientStatei", |m, c, _| m.client_state(c.uint(0), Some(c.uint(1)), true)),
    ("DisableClientStatei", |m, c, _| m.client_state(c.uint(0), Some(c.uint(1)), false)),
    ("ClientActiveTexture", |m, c, _| m.set(what::CLIENT_ACTIVE_TEXTURE, Value::Constant(c.uint(0)))),
    ("PushClientAttrib", push_client),
    ("PopClientAttrib", pop_client),
    ("ClientAttribDefault", client_defaults),
    ("PushClientAttribDefault", |m, c, v| {
        push_client(m, c, v);
        client_defaults(m, c, v);
    }),
];

/// Settings that say nothing about what WebGL2 can draw.
pub(crate) const OTHERS: Handlers = &[
    ("Hint", |m, c, _| {
        if find(c.uint(0) as u16).is_some() {
            m.set(c.uint(0) as u16, Value::Constant(c.uint(1)));
        }
    }),
    ("PatchParameteri", |m, c, _| {
        if c.uint(0) == what::PATCH_VERTICES.into() {
            m.set(what::PATCH_VERTICES, Value::Int(c.int(1)));
        }
    }),
    ("PolygonStipple", |_, _, _| {}),
    ("SampleCoverage", |m, c, _| {
        m.set(what::SAMPLE_COVERAGE_VALUE, Value::Float(c.float(0).clamp(0.0, 1.0)));
        m.set(what::SAMPLE_COVERAGE_INVERT, Value::Bool(c.int(1) != 0));
    }),
    ("SampleMaski", |m, c, _| m.set_at(what::SAMPLE_MASK_VALUE, c.uint(0), Value::Int(c.int(1)))),
    ("MinSampleShading", |m, c, _| m.set(what::MIN_SAMPLE_SHADING_VALUE, Value::Float(c.float(0)))),
];

/// Settings of contexts, which concern no objects.
pub(crate) const SETTINGS: Handlers = &[
    ("ActiveTexture", |m, c, _| {
        if (gl::TEXTURE0..gl::TEXTURE0 + MAX_UNITS).contains(&c.uint(0)) {
            m.set(what::ACTIVE_TEXTURE, Value::Constant(c.uint(0)));
        }
    }),
    ("ListBase", |m, c, _| m.set(what::LIST_BASE, Value::Int(c.int(0)))),
    ("DepthBounds", |m, c, _| m.set(what::DEPTH_BOUNDS, floats([c.float(0), c.float(1), 0.0, 0.0], 2))),
    ("Enable", |m, c, _| m.enable(c.uint(0), true)),
    ("Disable", |m, c, _| m.enable(c.uint(0), false)),
    ("Enablei", |m, c, _| m.enable_at(c.uint(0), c.uint(1), true)),
    ("Disablei", |m, c, _| m.enable_at(c.uint(0), c.uint(1), false)),
    ("BlendFunc", |m, c, _| m.blend(None, [c.uint(0), c.uint(1), c.uint(0), c.uint(1)])),
    ("BlendFuncSeparate", |m, c, _| m.blend(None, [c.uint(0), c.uint(1), c.uint(2), c.uint(3)])),
    ("BlendFunci", |m, c, _| m.blend(Some(c.uint(0)), [c.uint(1), c.uint(2), c.uint(1), c.uint(2)])),
    ("BlendFuncSeparatei", |m, c, _| m.blend(Some(c.uint(0)), [c.uint(1), c.uint(2), c.uint(3), c.uint(4)])),
    ("BlendEquation", |m, c, _| m.equation(None, c.uint(0), c.uint(0))),
    ("BlendEquationSeparate", |m, c, _| m.equation(None, c.uint(0), c.uint(1))),
    ("BlendEquationi", |m, c, _| m.equation(Some(c.uint(0)), c.uint(1), c.uint(1))),
    ("BlendEquationSeparatei", |m, c, _| m.equation(Some(c.uint(0)), c.uint(1), c.uint(2))),
    ("BlendColor", |m, c, _| m.set(what::BLEND_COLOR, four(c))),
    ("BlendColorx", |m, c, _| m.set(what::BLEND_COLOR, floats(c.floats::<4>(0).0.map(|n| n / 65536.0), 4))),
    ("ClearColor", |m, c, _| m.set(what::COLOR_CLEAR_VALUE, four(c))),
    ("ClearColorx", |m, c, _| {
        m.set(what::COLOR_CLEAR_VALUE, floats(core::array::from_fn(|i| c.float(i) / 65536.0), 4))
    }),
    ("ClearDepth", |m, c, _| m.set(what::DEPTH_CLEAR_VALUE, Value::Float(c.float(0).clamp(0.0, 1.0)))),
    ("ClearDepthf", |m, c, _| m.set(what::DEPTH_CLEAR_VALUE, Value::Float(c.float(0).clamp(0.0, 1.0)))),
    ("ClearDepthx", |m, c, _| m.set(what::DEPTH_CLEAR_VALUE, Value::Float((c.float(0) / 65536.0).clamp(0.0, 1.0)))),
    ("ClearStencil", |m, c, _| m.set(what::STENCIL_CLEAR_VALUE, Value::Int(c.int(0)))),
    ("ColorMask", |m, c, _| {
        m.set_one_or_all(what::COLOR_WRITEMASK, None, Value::Bools(core::array::from_fn(|i| c.int(i) != 0)))
    }),
    ("ColorMaski", |m, c, _| {
        let mask = core::array::from_fn(|i| c.int(i + 1) != 0);
        m.set_one_or_all(what::COLOR_WRITEMASK, Some(c.uint(0)), Value::Bools(mask));
    }),
    ("CullFace", |m, c, _| m.set(what::CULL_FACE_MODE, Value::Constant(c.uint(0)))),
    ("FrontFace", |m, c, _| m.set(what::FRONT_FACE, Value::Constant(c.uint(0)))),
    ("DepthFunc", |m, c, _| m.set(what::DEPTH_FUNC, Value::Constant(c.uint(0)))),
    ("DepthMask", |m, c, _| m.set(what::DEPTH_WRITEMASK, Value::Bool(c.int(0) != 0))),
    ("DepthRange", |m, c, _| m.depth_range(None, c.float(0), c.float(1))),
    ("DepthRangef", |m, c, _| m.depth_range(None, c.float(0), c.float(1))),
    ("DepthRangex", |m, c, _| m.depth_range(None, c.float(0) / 65536.0, c.float(1) / 65536.0)),
    ("DepthRangeIndexedf", |m, c, _| m.depth_range(Some(c.uint(0)), c.float(1), c.float(2))),
    ("DepthRangeIndexed", |m, c, _| m.depth_range(Some(c.uint(0)), c.float(1), c.float(2))),
    ("DepthRangeArrayv", depth_ranges),
    ("DepthRangeArrayfv", depth_ranges),
    ("LineWidth", |m, c, _| m.set(what::LINE_WIDTH, Value::Float(c.float(0)))),
    ("PointSize", |m, c, _| m.set(what::POINT_SIZE, Value::Float(c.float(0)))),
    ("LineWidthx", |m, c, _| m.set(what::LINE_WIDTH, Value::Float(c.float(0) / 65536.0))),
    ("PointSizex", |m, c, _| m.set(what::POINT_SIZE, Value::Float(c.float(0) / 65536.0))),
    ("PolygonOffsetx", |m, c, _| m.polygon_offset(c.float(0) / 65536.0, c.float(1) / 65536.0, 0.0)),
    ("PointParameter*", point_parameter),
    ("PolygonMode", polygon_mode),
    ("PolygonOffset", |m, c, _| m.polygon_offset(c.float(0), c.float(1), 0.0)),
    ("PolygonOffsetClamp", |m, c, _| m.polygon_offset(c.float(0), c.float(1), c.float(2))),
    ("Scissor", |m, c, _| {
        m.rectangles(what::SCISSOR_BOX, None, core::array::from_fn(|i| c.float(i)));
        m.set(what::SCISSOR_OF_WINDOW, Value::Bool(c.is_fake));
    }),
    ("ScissorIndexed", |m, c, _| {
        m.rectangles(what::SCISSOR_BOX, Some(c.uint(0)), core::array::from_fn(|i| c.float(i + 1)))
    }),
    ("ScissorIndexedv", |m, c, _| m.rectangles(what::SCISSOR_BOX, Some(c.uint(0)), c.floats(1).0)),
    ("ScissorArrayv", |m, c, _| m.rectangle_array(what::SCISSOR_BOX, c)),
    ("Viewport", |m, c, _| {
        m.rectangles(what::VIEWPORT, None, core::array::from_fn(|i| c.float(i)));
        m.check_scissor(c.int(0) + c.int(2), c.int(1) + c.int(3));
    }),
    ("ViewportIndexedf", |m, c, _| {
        m.rectangles(what::VIEWPORT, Some(c.uint(0)), core::array::from_fn(|i| c.float(i + 1)))
    }),
    ("ViewportIndexedfv", |m, c, _| m.rectangles(what::VIEWPORT, Some(c.uint(0)), c.floats(1).0)),
    ("ViewportArrayv", |m, c, _| m.rectangle_array(what::VIEWPORT, c)),
    ("StencilFunc", |m, c, _| m.stencil_func(gl::FRONT_AND_BACK, c, 0)),
    ("StencilFuncSeparate", |m, c, _| m.stencil_func(c.uint(0), c, 1)),
    // Of the front and of the back, with one reference and one mask: GL_ATI_separate_stencil.
    ("StencilFuncSeparateATI", |m, c, _| {
        m.stencil_func_as(gl::FRONT, c.uint(0), c.int(2), c.uint(3));
        m.stencil_func_as(gl::BACK, c.uint(1), c.int(2), c.uint(3));
    }),
    ("StencilMask", |m, c, _| m.stencil_mask(gl::FRONT_AND_BACK, c.uint(0))),
    ("StencilMaskSeparate", |m, c, _| m.stencil_mask(c.uint(0), c.uint(1))),
    ("StencilOp", |m, c, _| m.stencil_op(gl::FRONT_AND_BACK, c, 0)),
    ("StencilOpSeparate", |m, c, _| m.stencil_op(c.uint(0), c, 1)),
    ("LogicOp", |m, c, _| m.set(what::LOGIC_OP_MODE, Value::Constant(c.uint(0)))),
    ("ProvokingVertex", |m, c, _| m.set(what::PROVOKING_VERTEX, Value::Constant(c.uint(0)))),
    ("PrimitiveRestartIndex", |m, c, _| m.set(what::PRIMITIVE_RESTART_INDEX, Value::Int(c.int(0)))),
    ("ClipControl", |m, c, _| {
        m.set(what::CLIP_ORIGIN, Value::Constant(c.uint(0)));
        m.set(what::CLIP_DEPTH_MODE, Value::Constant(c.uint(1)));
    }),
    ("PushAttrib", push),
    ("PopAttrib", pop),
];

/// Draw buffers, and viewports, that may have parameters of their own.
const MOST_INDEXED: u32 = 16;
/// Texture units.
const MAX_UNITS: u32 = 256;

fn four(call: &Call) -> Value {
    floats(core::array::from_fn(|i| call.float(i)), 4)
}

fn number(values: &[call::Value<'_>], at: usize) -> f64 {
    values.get(at).and_then(|value| value.float()).unwrap_or_default()
}

impl Machine {
    fn enable(&mut self, capability: u32, is_on: bool) {
        let what = capability as u16;
        if u32::from(what) != capability {
            return;
        }
        match capability {
            // Generated coordinates, and targets of the fixed function, belong to a texture unit.
            gl::TEXTURE_GEN_S..=gl::TEXTURE_GEN_Q => {
                let unit = self.unit();
                self.set_at(what::TEX_GEN_ENABLED, unit * 4 + (capability - gl::TEXTURE_GEN_S), Value::Bool(is_on));
            }
            gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_RECTANGLE | gl::TEXTURE_CUBE_MAP => {
                let unit = self.unit();
                self.set_at(what, unit, Value::Bool(is_on));
            }
            gl::BLEND | gl::SCISSOR_TEST => self.set_one_or_all(what, None, Value::Bool(is_on)),
            gl::PRIMITIVE_RESTART_NV => self.set(what::PRIMITIVE_RESTART, Value::Bool(is_on)),
            _ if parameters::is_capability(what) => {
                self.set(what, Value::Bool(is_on));
                if capability == u32::from(what::COLOR_MATERIAL) {
                    follow_color(self);
                }
            }
            _ => {}
        }
    }

    fn enable_at(&mut self, capability: u32, index: u32, is_on: bool) {
        let what = capability as u16;
        match capability {
            gl::BLEND | gl::SCISSOR_TEST => self.set_one_or_all(what, Some(index), Value::Bool(is_on)),
            gl::TEXTURE_1D | gl::TEXTURE_2D | gl::TEXTURE_3D | gl::TEXTURE_RECTANGLE | gl::TEXTURE_CUBE_MAP
                if index < MAX_UNITS =>
            {
                self.set_at(what, index, Value::Bool(is_on))
            }
            _ => {}
        }
    }

    /// Sets a parameter that draw buffers or viewports have each: of one, or of all. A cell above
    /// index 0 that is not set is like that of index 0.
    fn set_one_or_all(&mut self, what: u16, index: Option<u32>, value: Value) {
        self.has_indexed |= index.is_some();
        match index {
            Some(index) if index >= MOST_INDEXED => {}
            Some(0) => {
                let first = match self.value(self.context, what, 0) {
                    Value::Unset => parameters::initial(what),
                    found => found.clone(),
                };
                for index in 1..MOST_INDEXED {
                    if !self.has(self.context, what, index) {
                        self.set_at(what, index, first.clone());
                    }
                }
                self.set_at(what, 0, value);
            }
            Some(index) => self.set_at(what, index, value),
            None => {
                if self.has_indexed && self.has_own(what) {
                    for index in 1..MOST_INDEXED {
                        if self.has(self.context, what, index) {
                            self.set_at(what, index, Value::Unset);
                        }
                    }
                }
                self.set_at(what, 0, value);
            }
        }
    }

    /// Whether a parameter was ever set for one draw buffer or viewport.
    fn has_own(&self, what: u16) -> bool {
        (1..MOST_INDEXED).any(|index| self.slots.find(Key { owner: self.context, what, index }).is_some())
    }

    /// Sources and destinations: of colours, then of alpha.
    fn blend(&mut self, buffer: Option<u32>, factors: [u32; 4]) {
        let whats = [what::BLEND_SRC_RGB, what::BLEND_DST_RGB, what::BLEND_SRC_ALPHA, what::BLEND_DST_ALPHA];
        for (what, factor) in whats.into_iter().zip(factors) {
            self.set_one_or_all(what, buffer, Value::Constant(factor));
        }
    }

    fn equation(&mut self, buffer: Option<u32>, of_color: u32, of_alpha: u32) {
        self.set_one_or_all(what::BLEND_EQUATION_RGB, buffer, Value::Constant(of_color));
        self.set_one_or_all(what::BLEND_EQUATION_ALPHA, buffer, Value::Constant(of_alpha));
    }

    fn depth_range(&mut self, index: Option<u32>, near: f64, far: f64) {
        let range = floats([near.clamp(0.0, 1.0), far.clamp(0.0, 1.0), 0.0, 0.0], 2);
        self.set_one_or_all(what::DEPTH_RANGE, index, range);
    }

    fn polygon_offset(&mut self, factor: f64, units: f64, clamp: f64) {
        self.set(what::POLYGON_OFFSET_FACTOR, Value::Float(factor));
        self.set(what::POLYGON_OFFSET_UNITS, Value::Float(units));
        self.set(what::POLYGON_OFFSET_CLAMP, Value::Float(clamp));
    }

    /// A viewport or scissor box: of all indexes, or of one.
    fn rectangles(&mut self, what: u16, index: Option<u32>, numbers: [f64; 4]) {
        if numbers.iter().skip(2).any(|size| *size < 0.0) {
            return;
        }
        let is_whole = numbers.iter().all(|number| number.fract() == 0.0);
        let value = if is_whole { Value::Ints(numbers.map(|number| number as i32), 4) } else { floats(numbers, 4) };
        self.set_one_or_all(what, index, value);
    }

    /// The tracer records the first scissor box as the size of the window. A larger viewport means
    /// that the window was another when the driver looked: then the box is not known.
    fn check_scissor(&mut self, width: i64, height: i64) {
        // The viewport itself depends on nothing.
        if self.notes.is_on {
            return;
        }
        if self.value(self.context, what::SCISSOR_OF_WINDOW, 0) != &Value::Bool(true) {
            return;
        }
        let Value::Ints(numbers, _) = self.value(self.context, what::SCISSOR_BOX, 0) else { return };
        let [_, _, known_width, known_height] = numbers.map(i64::from);
        if width > known_width || height > known_height {
            self.set(what::SCISSOR_BOX, Value::Unknown);
        }
    }

    fn rectangle_array(&mut self, what: u16, call: &Call) {
        let values = list_of(call, 2);
        for (i, four) in (call.uint(0)..).zip(values.chunks_exact(4)).take(16) {
            self.rectangles(what, Some(i), core::array::from_fn(|at| number(four, at)));
        }
    }

    /// The faces that a function without a back side sets, too.
    fn faces(face: u32) -> [bool; 2] {
        [face == gl::FRONT || face == gl::FRONT_AND_BACK, face == gl::BACK || face == gl::FRONT_AND_BACK]
    }

    fn stencil_func(&mut self, face: u32, call: &Call, at: usize) {
        self.stencil_func_as(face, call.uint(at), call.int(at + 1), call.uint(at + 2));
    }

    fn stencil_func_as(&mut self, face: u32, func: u32, reference: i64, mask: u32) {
        let mask = i64::from(mask);
        let [front, back] = Self::faces(face);
        if front {
            self.set(what::STENCIL_FUNC, Value::Constant(func));
            self.set(what::STENCIL_REF, Value::Int(reference));
            self.set(what::STENCIL_VALUE_MASK, Value::Int(mask));
        }
        if back {
            self.set(what::STENCIL_BACK_FUNC, Value::Constant(func));
            self.set(what::STENCIL_BACK_REF, Value::Int(reference));
            self.set(what::STENCIL_BACK_VALUE_MASK, Value::Int(mask));
        }
    }

    fn stencil_mask(&mut self, face: u32, mask: u32) {
        let [front, back] = Self::faces(face);
        if front {
            self.set(what::STENCIL_WRITEMASK, Value::Int(mask.into()));
        }
        if back {
            self.set(what::STENCIL_BACK_WRITEMASK, Value::Int(mask.into()));
        }
    }

    fn stencil_op(&mut self, face: u32, call: &Call, at: usize) {
        let sides = [
            [what::STENCIL_FAIL, what::STENCIL_PASS_DEPTH_FAIL, what::STENCIL_PASS_DEPTH_PASS],
            [what::STENCIL_BACK_FAIL, what::STENCIL_BACK_PASS_DEPTH_FAIL, what::STENCIL_BACK_PASS_DEPTH_PASS],
        ];
        for (whats, _) in sides.iter().zip(Self::faces(face)).filter(|(_, is_meant)| *is_meant) {
            for (i, what) in whats.iter().enumerate() {
                self.set(*what, Value::Constant(call.uint(at + i)));
            }
        }
    }
}

fn polygon_mode(machine: &mut Machine, call: &Call, _: Variant) {
    let (face, mode) = (call.uint(0), call.uint(1));
    for (index, _) in (0..).zip(Machine::faces(face)).filter(|(_, is_meant)| *is_meant) {
        machine.set_at(what::POLYGON_MODE, index, Value::Constant(mode));
    }
}

fn point_parameter(machine: &mut Machine, call: &Call, variant: Variant) {
    let count = if variant.is_vector { 3 } else { 1 };
    let numbers = Variant { count, ..variant }.numbers(call, 1, [0.0; 4], false);
    let value = match call.uint(0) {
        gl::POINT_SIZE_MIN..=gl::POINT_FADE_THRESHOLD_SIZE => Value::Float(numbers[0]),
        gl::POINT_DISTANCE_ATTENUATION => floats(numbers, 3),
        gl::POINT_SPRITE_COORD_ORIGIN => Value::Constant(numbers[0] as u32),
        _ => return,
    };
    machine.set(call.uint(0) as u16, value);
}

fn pixel_store(machine: &mut Machine, call: &Call, _: Variant) {
    let what = call.uint(0) as u16;
    let Some(parameter) = find(what).filter(|parameter| parameter.group == Group::PixelStore) else { return };
    let is_switch = matches!(parameter.initial, Value::Bool(_));
    machine.set(what, if is_switch { Value::Bool(call.int(1) != 0) } else { Value::Int(call.int(1)) });
}

impl Saved {
    /// The values that were kept.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.cells.iter().map(|(.., cell)| &cell.value)
    }
}

/// What glPushAttrib or glPushClientAttrib has kept.
#[derive(Clone)]
pub(crate) struct Saved {
    mask: u32,
    /// The owner of the vertex array that was kept, 0 for none.
    array: u32,
    /// Cells, as [`cells`] has them.
    cells: Vec<(u32, Key, Cell)>,
}

/// Pushes beyond this are errors, and change nothing: what drivers have.
const DEEPEST: usize = 16;

fn push(machine: &mut Machine, call: &Call, _: Variant) {
    if machine.context().is_some_and(|context| context.attributes.len() >= DEEPEST) {
        return;
    }
    let mask = call.uint(0);
    let saved = Saved { mask, array: 0, cells: cells(machine, 0, |what| parameters::attribute_bits(what) & mask != 0) };
    machine.change_context(|context| Arc::make_mut(&mut context.attributes).push(saved));
    depth(machine);
}

fn pop(machine: &mut Machine, _: &Call, _: Variant) {
    let mut popped = None;
    machine.change_context(|context| popped = Arc::make_mut(&mut context.attributes).pop());
    if let Some(saved) = popped {
        let now = cells(machine, 0, |what| parameters::attribute_bits(what) & saved.mask != 0);
        restore(machine, &saved, &now);
        // Materials follow the colour that is current now.
        follow_color(machine);
    }
    depth(machine);
}

/// Whether `glPushClientAttrib` keeps a cell of a context.
pub fn is_client(what: u16, mask: u32) -> bool {
    let is_store = find(what).is_some_and(|parameter| parameter.group == Group::PixelStore);
    let is_binding =
        matches!(what, what::VERTEX_ARRAY_BINDING | what::ARRAY_BUFFER_BINDING | what::CLIENT_ACTIVE_TEXTURE);
    (is_store && mask & gl::CLIENT_PIXEL_STORE_BIT != 0) || (is_binding && mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0)
}

fn push_client(machine: &mut Machine, call: &Call, _: Variant) {
    if machine.context().is_some_and(|context| context.client_attributes.len() >= DEEPEST) {
        return;
    }
    let mask = call.uint(0);
    let array = if mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0 { machine.vertex_array() } else { 0 };
    let saved = Saved { mask, array, cells: cells(machine, array, |what| is_client(what, mask)) };
    machine.change_context(|context| Arc::make_mut(&mut context.client_attributes).push(saved));
    depth(machine);
}

fn pop_client(machine: &mut Machine, _: &Call, _: Variant) {
    let mut popped = None;
    machine.change_context(|context| popped = Arc::make_mut(&mut context.client_attributes).pop());
    if let Some(saved) = popped {
        let now = cells(machine, saved.array, |what| is_client(what, saved.mask));
        restore(machine, &saved, &now);
    }
    depth(machine);
}

fn depth_ranges(machine: &mut Machine, call: &Call, _: Variant) {
    let values = list_of(call, 2);
    for (i, pair) in (call.uint(0)..).zip(values.chunks_exact(2)).take(256) {
        machine.depth_range(Some(i), number(pair, 0), number(pair, 1));
    }
}

/// What clients keep becomes what it was at first.
fn client_defaults(machine: &mut Machine, call: &Call, _: Variant) {
    let mask = call.uint(0);
    let array = if mask & gl::CLIENT_VERTEX_ARRAY_BIT != 0 { machine.vertex_array() } else { 0 };
    for (number, key, _) in cells(machine, array, |what| is_client(what, mask)) {
        machine.notes.set(key.owner, key.what, key.index, &Value::Unset);
        machine.tell_placed(key.owner, key.what, key.index, &Value::Unset);
        machine.settings.changed += 1;
        machine.copied += machine.root.cells.put(number, Cell::default());
    }
}

/// The cells of the current context that are meant and all those of a vertex array, in the order of
/// their owners' cells.
fn cells(machine: &Machine, array: u32, is_meant: impl Fn(u16) -> bool) -> Vec<(u32, Key, Cell)> {
    let key =
        |owner| move |(what, index, number): &(u16, u32, u32)| (*number, Key { owner, what: *what, index: *index });
    let context = machine.context;
    let of_context = machine.slots.of(context).iter().filter(|(what, ..)| is_meant(*what)).map(key(context));
    let of_array = if array == 0 { &[] } else { machine.slots.of(array) };
    let keys = of_context.chain(of_array.iter().map(key(array)));
    let cell = |number| machine.root.cells.get(number).cloned().unwrap_or_default();
    keys.map(|(number, key)| (number, key, cell(number))).collect()
}

/// Gives cells the values that they had. Those that got their number later were not set.
fn restore(machine: &mut Machine, saved: &Saved, now: &[(u32, Key, Cell)]) {
    // Both have the cells of an owner in the same order, later ones last.
    let mut before = saved.cells.iter().peekable();
    for (number, key, cell) in now {
        let kept = before.next_if(|(kept, ..)| kept == number).map(|(.., kept)| kept.clone()).unwrap_or_default();
        // What is not known is the same only if no call has set it in between.
        if cell.value != kept.value || (cell.call != kept.call && !kept.value.is_known()) {
            machine.put_back(*number, *key, &kept);
        }
    }
}

fn depth(machine: &mut Machine) {
    let Some(context) = machine.context() else { return };
    let (attributes, client) = (context.attributes.len() as i64, context.client_attributes.len() as i64);
    machine.set(what::ATTRIB_STACK_DEPTH, Value::Int(attributes));
    machine.set(what::CLIENT_ATTRIB_STACK_DEPTH, Value::Int(client));
}
