//! The parameters of a context: names, groups, and initial values, as the tables of state in the
//! specification have them (OpenGL 4.6 compatibility profile, chapter 23).

use std::sync::{Arc, OnceLock};

use crate::gl;

use super::cells::Value;
use super::what;

/// What parameters are about: a section of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Viewport and scissor.
    Viewport,
    /// Blending.
    Blend,
    /// The depth test.
    Depth,
    /// The stencil test.
    Stencil,
    /// Rasterization.
    Raster,
    /// Multisampling.
    Multisample,
    /// Clear values and write masks.
    Clear,
    /// Bindings of buffers.
    Buffers,
    /// Other bindings.
    Objects,
    /// Texture units.
    Textures,
    /// The layout of pixels in memory.
    PixelStore,
    /// Matrices. Only contexts with the fixed function have this and what follows.
    Transform,
    /// Lights and materials.
    Lighting,
    /// Current attributes of vertices.
    Current,
    /// Fog.
    Fog,
    /// Other state of the fixed function.
    Fixed,
    /// Changes to pixels on their way.
    PixelTransfer,
    /// Hints.
    Hints,
}

impl Group {
    /// The title of its section.
    pub fn title(self) -> &'static str {
        match self {
            Self::Viewport => "Viewport and scissor",
            Self::Blend => "Blending",
            Self::Depth => "Depth test",
            Self::Stencil => "Stencil test",
            Self::Raster => "Rasterization",
            Self::Multisample => "Multisampling",
            Self::Clear => "Clear values and write masks",
            Self::Buffers => "Buffer bindings",
            Self::Objects => "Other bindings",
            Self::Textures => "Texture units",
            Self::PixelStore => "Pixel store",
            Self::Transform => "Matrices",
            Self::Lighting => "Lighting",
            Self::Current => "Current attributes",
            Self::Fog => "Fog",
            Self::Fixed => "Fixed function",
            Self::PixelTransfer => "Pixel transfer",
            Self::Hints => "Hints",
        }
    }

    /// Whether only contexts with the fixed function have it.
    pub fn is_legacy(self) -> bool {
        matches!(self, Self::Transform | Self::Lighting | Self::Current | Self::Fog | Self::Fixed | Self::PixelTransfer)
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its cell.
    pub what: u16,
    /// Without the prefix `GL_`.
    pub name: &'static str,
    /// The section that has it.
    pub group: Group,
    /// [`Value::Unknown`] if it depends on the driver or the window.
    pub initial: Value,
    /// The group of its constants.
    pub constants: &'static str,
}

/// The parameter with this constant.
pub fn find(what: u16) -> Option<&'static Parameter> {
    let all = all();
    all.binary_search_by_key(&what, |parameter| parameter.what).ok().and_then(|at| all.get(at))
}

/// Whether glEnable takes this constant. Clip planes have one each.
pub(crate) fn is_capability(what: u16) -> bool {
    matches!(what, what::CLIP_DISTANCE0..=what::CLIP_DISTANCE7 | what::LIGHT0..=what::LIGHT_LAST)
        || matches!(what, what::DEPTH_BOUNDS_TEST | what::STENCIL_TEST_TWO_SIDE)
        || brief(what).is_some_and(|row| matches!(row.initial, Initial::Switch(_)))
}

/// The bits of glPushAttrib that keep a cell of a context.
pub fn attribute_bits(what: u16) -> u32 {
    match what {
        // Lights, materials and their switches.
        what::LIGHT0..=what::LIGHT_LAST => gl::LIGHTING_BIT | gl::ENABLE_BIT,
        what::LIGHT_FIRST..=what::MATERIAL_LAST => gl::LIGHTING_BIT,
        what::CLIP_DISTANCE0..=what::CLIP_DISTANCE7 => gl::TRANSFORM_BIT | gl::ENABLE_BIT,
        super::fixed::CLIP_PLANE_OF => gl::TRANSFORM_BIT,
        what::COORD_REPLACE => gl::POINT_BIT,
        what::CURRENT_VERTEX_ATTRIB => gl::CURRENT_BIT,
        what::DEPTH_BOUNDS => gl::DEPTH_BUFFER_BIT,
        what::DEPTH_BOUNDS_TEST => gl::DEPTH_BUFFER_BIT | gl::ENABLE_BIT,
        what::STENCIL_TEST_TWO_SIDE => gl::STENCIL_BUFFER_BIT | gl::ENABLE_BIT,
        what::TEX_GEN_MODE_OF | what::TEX_GEN_OBJECT | what::TEX_GEN_EYE => gl::TEXTURE_BIT,
        what::TEX_GEN_ENABLED => gl::TEXTURE_BIT | gl::ENABLE_BIT,
        // Targets of the fixed function, environments, and bindings.
        what::TEXTURE_1D | what::TEXTURE_2D | what::TEXTURE_3D | what::TEXTURE_RECTANGLE | what::TEXTURE_CUBE_MAP => {
            gl::TEXTURE_BIT | gl::ENABLE_BIT
        }
        what::TEXTURE_ENV_MODE
        | what::TEXTURE_ENV_COLOR
        | what::COMBINE_RGB..=what::COMBINE_LAST
        | what::ENV_ALPHA_SCALE
        | what::TEXTURE_LOD_BIAS => gl::TEXTURE_BIT,
        _ if super::textures::TARGETS.iter().any(|(_, binding, _)| *binding == what) => gl::TEXTURE_BIT,
        _ => brief(what).map_or(0, |row| row.bits),
    }
}

/// The initial value of a parameter.
pub(crate) fn initial(what: u16) -> Value {
    brief(what).map_or(Value::Unset, |row| row.initial.value())
}

/// A row without what only readers want of it.
#[derive(Clone, Copy)]
struct Brief {
    what: u16,
    /// glPushAttrib keeps it if its mask has one of these bits.
    bits: u32,
    initial: Initial,
}

/// The rows, ascending.
#[allow(clippy::indexing_slicing, reason = "the compiler does it, and would say so")]
const BRIEF: [Brief; ROWS.len()] = {
    let mut all = [Brief { what: 0, bits: 0, initial: Initial::Unknown }; ROWS.len()];
    let mut count = 0;
    while count < ROWS.len() {
        let Row { what, bits, initial, .. } = ROWS[count];
        let bits = if matches!(initial, Initial::Switch(_)) { bits | gl::ENABLE_BIT } else { bits };
        let mut at = count;
        while at > 0 && all[at - 1].what > what {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = Brief { what, bits, initial };
        count += 1;
    }
    all
};

/// The row of a parameter.
fn brief(what: u16) -> Option<&'static Brief> {
    static ALL: &[Brief] = &BRIEF;
    ALL.binary_search_by_key(&what, |row| row.what).ok().and_then(|at| ALL.get(at))
}

/// All parameters, ascending.
pub fn all() -> &'static [Parameter] {
    static ALL: OnceLock<Vec<Parameter>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Parameter> = ROWS.iter().map(Row::parameter).collect();
        all.sort_by_key(|parameter| parameter.what);
        all
    })
}

/// The initial value of a parameter.
#[derive(Clone, Copy)]
enum Initial {
    /// It depends on the driver or the window.
    Unknown,
    Bool(bool),
    /// Of a capability.
    Switch(bool),
    /// All four are set.
    Bools,
    Int(i64),
    Float(f64),
    Floats(&'static [f32]),
    /// None is bound.
    Object,
    /// The identity.
    Matrix,
    Constant(u32),
    /// The constant, and the group that it belongs to.
    ConstantOf(u32, &'static str),
}

/// A row of the table.
struct Row {
    what: u16,
    name: &'static str,
    group: Group,
    bits: u32,
    initial: Initial,
}

impl Row {
    fn parameter(&self) -> Parameter {
        let Self { what, name, group, initial, .. } = *self;
        let constants = if let Initial::ConstantOf(_, constants) = initial { constants } else { "" };
        Parameter { what, name, group, initial: initial.value(), constants }
    }
}

impl Initial {
    fn value(self) -> Value {
        match self {
            Self::Unknown => Value::Unknown,
            Self::Bool(is) | Self::Switch(is) => Value::Bool(is),
            Self::Bools => Value::Bools([true; 4]),
            Self::Int(number) => Value::Int(number),
            Self::Float(number) => Value::Float(number),
            Self::Floats(numbers) => {
                let four = core::array::from_fn(|i| numbers.get(i).copied().unwrap_or_default());
                Value::Floats(four, numbers.len() as u8)
            }
            Self::Object => Value::Object { name: 0, instance: 0 },
            Self::Matrix => Value::Matrix(Arc::new(crate::matrix::IDENTITY)),
            Self::Constant(constant) | Self::ConstantOf(constant, _) => Value::Constant(constant),
        }
    }
}

/// By group: the constant, the bits of glPushAttrib (of capabilities also `GL_ENABLE_BIT`), and the
/// initial value.
macro_rules! parameters {
    ($($group:ident { $($name:ident [$($bit:ident)*] $initial:expr;)* })*) => {
        const ROWS: &[Row] = &[$($(Row {
            what: gl::$name as u16,
            name: stringify!($name),
            group: Group::$group,
            bits: 0 $(| gl::$bit)*,
            initial: $initial,
        },)*)*];
    };
}

use Initial::{Bool, Bools, Constant, ConstantOf, Float, Floats, Int, Matrix, Object, Switch, Unknown};

parameters! {
    Viewport {
        VIEWPORT [VIEWPORT_BIT] Unknown;
        SCISSOR_BOX [SCISSOR_BIT] Unknown;
        SCISSOR_TEST [SCISSOR_BIT] Switch(false);
        DEPTH_RANGE [VIEWPORT_BIT] Floats(&[0.0, 1.0]);
        CLIP_ORIGIN [TRANSFORM_BIT] Constant(gl::LOWER_LEFT);
        CLIP_DEPTH_MODE [TRANSFORM_BIT] Constant(gl::NEGATIVE_ONE_TO_ONE);
    }
    Depth {
        DEPTH_CLAMP [TRANSFORM_BIT] Switch(false);
        DEPTH_TEST [DEPTH_BUFFER_BIT] Switch(false);
        DEPTH_FUNC [DEPTH_BUFFER_BIT] Constant(gl::LESS);
        DEPTH_WRITEMASK [DEPTH_BUFFER_BIT] Bool(true);
    }
    Blend {
        BLEND [COLOR_BUFFER_BIT] Switch(false);
        BLEND_SRC_RGB [COLOR_BUFFER_BIT] ConstantOf(gl::ONE, "BlendingFactor");
        BLEND_DST_RGB [COLOR_BUFFER_BIT] ConstantOf(gl::ZERO, "BlendingFactor");
        BLEND_SRC_ALPHA [COLOR_BUFFER_BIT] ConstantOf(gl::ONE, "BlendingFactor");
        BLEND_DST_ALPHA [COLOR_BUFFER_BIT] ConstantOf(gl::ZERO, "BlendingFactor");
        BLEND_EQUATION [COLOR_BUFFER_BIT] Constant(gl::FUNC_ADD);
        BLEND_EQUATION_ALPHA [COLOR_BUFFER_BIT] Constant(gl::FUNC_ADD);
        BLEND_COLOR [COLOR_BUFFER_BIT] Floats(&[0.0, 0.0, 0.0, 0.0]);
        COLOR_LOGIC_OP [COLOR_BUFFER_BIT] Switch(false);
        LOGIC_OP_MODE [COLOR_BUFFER_BIT] Constant(gl::COPY);
        FRAMEBUFFER_SRGB [COLOR_BUFFER_BIT] Switch(false);
        DITHER [COLOR_BUFFER_BIT] Switch(true);
    }
    Fixed {
        INDEX_LOGIC_OP [COLOR_BUFFER_BIT] Switch(false);
        ALPHA_TEST [COLOR_BUFFER_BIT] Switch(false);
        ALPHA_TEST_FUNC [COLOR_BUFFER_BIT] Constant(gl::ALWAYS);
        ALPHA_TEST_REF [COLOR_BUFFER_BIT] Float(0.0);
        POINT_SMOOTH [POINT_BIT] Switch(false);
        POINT_SPRITE [POINT_BIT] Switch(false);
        POINT_SIZE_MIN [POINT_BIT] Float(0.0);
        POINT_SIZE_MAX [POINT_BIT] Unknown;
        POINT_DISTANCE_ATTENUATION [POINT_BIT] Floats(&[1.0, 0.0, 0.0]);
        LINE_STIPPLE [LINE_BIT] Switch(false);
        LINE_STIPPLE_PATTERN [LINE_BIT] Int(65535);
        LINE_STIPPLE_REPEAT [LINE_BIT] Int(1);
        POLYGON_STIPPLE [POLYGON_BIT] Switch(false);
        VERTEX_PROGRAM_TWO_SIDE [] Switch(false);
        VERTEX_PROGRAM_ARB [] Switch(false);
        FRAGMENT_PROGRAM_ARB [] Switch(false);
        AUTO_NORMAL [EVAL_BIT] Switch(false);
        CLIENT_ACTIVE_TEXTURE [] Constant(gl::TEXTURE0);
        LIST_BASE [LIST_BIT] Int(0);
        ACCUM_CLEAR_VALUE [ACCUM_BUFFER_BIT] Floats(&[0.0, 0.0, 0.0, 0.0]);
        INDEX_CLEAR_VALUE [COLOR_BUFFER_BIT] Float(0.0);
        RENDER_MODE [] Constant(gl::RENDER);
        ATTRIB_STACK_DEPTH [] Int(0);
        CLIENT_ATTRIB_STACK_DEPTH [] Int(0);
    }
    Stencil {
        STENCIL_TEST [STENCIL_BUFFER_BIT] Switch(false);
        STENCIL_FUNC [STENCIL_BUFFER_BIT] Constant(gl::ALWAYS);
        STENCIL_REF [STENCIL_BUFFER_BIT] Int(0);
        STENCIL_VALUE_MASK [STENCIL_BUFFER_BIT] Int(255);
        STENCIL_WRITEMASK [STENCIL_BUFFER_BIT] Int(255);
        STENCIL_FAIL [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
        STENCIL_PASS_DEPTH_FAIL [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
        STENCIL_PASS_DEPTH_PASS [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
        STENCIL_BACK_FUNC [STENCIL_BUFFER_BIT] Constant(gl::ALWAYS);
        STENCIL_BACK_REF [STENCIL_BUFFER_BIT] Int(0);
        STENCIL_BACK_VALUE_MASK [STENCIL_BUFFER_BIT] Int(255);
        STENCIL_BACK_WRITEMASK [STENCIL_BUFFER_BIT] Int(255);
        STENCIL_BACK_FAIL [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
        STENCIL_BACK_PASS_DEPTH_FAIL [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
        STENCIL_BACK_PASS_DEPTH_PASS [STENCIL_BUFFER_BIT] ConstantOf(gl::KEEP, "StencilOp");
    }
    Raster {
        CULL_FACE [POLYGON_BIT] Switch(false);
        CULL_FACE_MODE [POLYGON_BIT] Constant(gl::BACK);
        FRONT_FACE [POLYGON_BIT] Constant(gl::CCW);
        POLYGON_MODE [POLYGON_BIT] Constant(gl::FILL);
        POLYGON_SMOOTH [POLYGON_BIT] Switch(false);
        POLYGON_OFFSET_POINT [POLYGON_BIT] Switch(false);
        POLYGON_OFFSET_LINE [POLYGON_BIT] Switch(false);
        POLYGON_OFFSET_FILL [POLYGON_BIT] Switch(false);
        POLYGON_OFFSET_FACTOR [POLYGON_BIT] Float(0.0);
        POLYGON_OFFSET_UNITS [POLYGON_BIT] Float(0.0);
        POLYGON_OFFSET_CLAMP [POLYGON_BIT] Float(0.0);
        LINE_WIDTH [LINE_BIT] Float(1.0);
        LINE_SMOOTH [LINE_BIT] Switch(false);
        POINT_SIZE [POINT_BIT] Float(1.0);
        PROGRAM_POINT_SIZE [] Switch(false);
        POINT_FADE_THRESHOLD_SIZE [POINT_BIT] Float(1.0);
        POINT_SPRITE_COORD_ORIGIN [POINT_BIT] Constant(gl::UPPER_LEFT);
        PROVOKING_VERTEX [LIGHTING_BIT] Constant(gl::LAST_VERTEX_CONVENTION);
        PRIMITIVE_RESTART [] Switch(false);
        PRIMITIVE_RESTART_FIXED_INDEX [] Switch(false);
        PRIMITIVE_RESTART_INDEX [] Int(0);
        RASTERIZER_DISCARD [] Switch(false);
        PATCH_VERTICES [] Int(3);
    }
    Multisample {
        MULTISAMPLE [MULTISAMPLE_BIT] Switch(true);
        SAMPLE_ALPHA_TO_COVERAGE [MULTISAMPLE_BIT] Switch(false);
        SAMPLE_ALPHA_TO_ONE [MULTISAMPLE_BIT] Switch(false);
        SAMPLE_COVERAGE [MULTISAMPLE_BIT] Switch(false);
        SAMPLE_COVERAGE_VALUE [MULTISAMPLE_BIT] Float(1.0);
        SAMPLE_COVERAGE_INVERT [MULTISAMPLE_BIT] Bool(false);
        SAMPLE_MASK [MULTISAMPLE_BIT] Switch(false);
        SAMPLE_SHADING [MULTISAMPLE_BIT] Switch(false);
        MIN_SAMPLE_SHADING_VALUE [MULTISAMPLE_BIT] Float(0.0);
    }
    Clear {
        COLOR_CLEAR_VALUE [COLOR_BUFFER_BIT] Floats(&[0.0, 0.0, 0.0, 0.0]);
        COLOR_WRITEMASK [COLOR_BUFFER_BIT] Bools;
        DEPTH_CLEAR_VALUE [DEPTH_BUFFER_BIT] Float(1.0);
        STENCIL_CLEAR_VALUE [STENCIL_BUFFER_BIT] Int(0);
    }
    Buffers {
        ARRAY_BUFFER_BINDING [] Object;
        ELEMENT_ARRAY_BUFFER_BINDING [] Object;
        PIXEL_PACK_BUFFER_BINDING [] Object;
        PIXEL_UNPACK_BUFFER_BINDING [] Object;
        UNIFORM_BUFFER_BINDING [] Object;
        SHADER_STORAGE_BUFFER_BINDING [] Object;
        ATOMIC_COUNTER_BUFFER_BINDING [] Object;
        TRANSFORM_FEEDBACK_BUFFER_BINDING [] Object;
        DRAW_INDIRECT_BUFFER_BINDING [] Object;
        DISPATCH_INDIRECT_BUFFER_BINDING [] Object;
        COPY_READ_BUFFER_BINDING [] Object;
        COPY_WRITE_BUFFER_BINDING [] Object;
        TEXTURE_BUFFER_BINDING [] Object;
        QUERY_BUFFER_BINDING [] Object;
        PARAMETER_BUFFER_BINDING [] Object;
    }
    Objects {
        CURRENT_PROGRAM [] Object;
        PROGRAM_PIPELINE_BINDING [] Object;
        VERTEX_ARRAY_BINDING [] Object;
        DRAW_FRAMEBUFFER_BINDING [] Object;
        READ_FRAMEBUFFER_BINDING [] Object;
        RENDERBUFFER_BINDING [] Object;
        TRANSFORM_FEEDBACK_BINDING [] Object;
        DEBUG_OUTPUT [ENABLE_BIT] Unknown;
        DEBUG_OUTPUT_SYNCHRONOUS [] Switch(false);
    }
    Textures {
        ACTIVE_TEXTURE [TEXTURE_BIT] Constant(gl::TEXTURE0);
        TEXTURE_CUBE_MAP_SEAMLESS [TEXTURE_BIT] Switch(false);
    }
    PixelStore {
        UNPACK_SWAP_BYTES [] Bool(false);
        UNPACK_LSB_FIRST [] Bool(false);
        UNPACK_ROW_LENGTH [] Int(0);
        UNPACK_SKIP_ROWS [] Int(0);
        UNPACK_SKIP_PIXELS [] Int(0);
        UNPACK_ALIGNMENT [] Int(4);
        UNPACK_SKIP_IMAGES [] Int(0);
        UNPACK_IMAGE_HEIGHT [] Int(0);
        UNPACK_COMPRESSED_BLOCK_WIDTH [] Int(0);
        UNPACK_COMPRESSED_BLOCK_HEIGHT [] Int(0);
        UNPACK_COMPRESSED_BLOCK_DEPTH [] Int(0);
        UNPACK_COMPRESSED_BLOCK_SIZE [] Int(0);
        PACK_SWAP_BYTES [] Bool(false);
        PACK_LSB_FIRST [] Bool(false);
        PACK_ROW_LENGTH [] Int(0);
        PACK_SKIP_ROWS [] Int(0);
        PACK_SKIP_PIXELS [] Int(0);
        PACK_ALIGNMENT [] Int(4);
        PACK_SKIP_IMAGES [] Int(0);
        PACK_IMAGE_HEIGHT [] Int(0);
        PACK_COMPRESSED_BLOCK_WIDTH [] Int(0);
        PACK_COMPRESSED_BLOCK_HEIGHT [] Int(0);
        PACK_COMPRESSED_BLOCK_DEPTH [] Int(0);
        PACK_COMPRESSED_BLOCK_SIZE [] Int(0);
    }
    Transform {
        MATRIX_MODE [TRANSFORM_BIT] Constant(gl::MODELVIEW);
        MODELVIEW_STACK_DEPTH [] Int(1);
        MODELVIEW_MATRIX [] Matrix;
        PROJECTION_STACK_DEPTH [] Int(1);
        PROJECTION_MATRIX [] Matrix;
        TEXTURE_STACK_DEPTH [] Int(1);
        TEXTURE_MATRIX [] Matrix;
        NORMALIZE [TRANSFORM_BIT] Switch(false);
        RESCALE_NORMAL [TRANSFORM_BIT] Switch(false);
    }
    Lighting {
        LIGHTING [LIGHTING_BIT] Switch(false);
        LIGHT_MODEL_AMBIENT [LIGHTING_BIT] Floats(&[0.2, 0.2, 0.2, 1.0]);
        LIGHT_MODEL_LOCAL_VIEWER [LIGHTING_BIT] Bool(false);
        LIGHT_MODEL_TWO_SIDE [LIGHTING_BIT] Bool(false);
        LIGHT_MODEL_COLOR_CONTROL [LIGHTING_BIT] Constant(gl::SINGLE_COLOR);
        COLOR_MATERIAL [LIGHTING_BIT] Switch(false);
        COLOR_MATERIAL_FACE [LIGHTING_BIT] Constant(gl::FRONT_AND_BACK);
        COLOR_MATERIAL_PARAMETER [LIGHTING_BIT] Constant(gl::AMBIENT_AND_DIFFUSE);
        SHADE_MODEL [LIGHTING_BIT] Constant(gl::SMOOTH);
    }
    Current {
        CURRENT_COLOR [CURRENT_BIT] Floats(&[1.0, 1.0, 1.0, 1.0]);
        CURRENT_NORMAL [CURRENT_BIT] Floats(&[0.0, 0.0, 1.0]);
        CURRENT_TEXTURE_COORDS [CURRENT_BIT] Floats(&[0.0, 0.0, 0.0, 1.0]);
        CURRENT_SECONDARY_COLOR [CURRENT_BIT] Floats(&[0.0, 0.0, 0.0, 1.0]);
        CURRENT_FOG_COORD [CURRENT_BIT] Float(0.0);
        CURRENT_INDEX [CURRENT_BIT] Float(1.0);
        EDGE_FLAG [CURRENT_BIT] Bool(true);
        CURRENT_RASTER_POSITION [CURRENT_BIT] Floats(&[0.0, 0.0, 0.0, 1.0]);
    }
    Fog {
        FOG [FOG_BIT] Switch(false);
        FOG_MODE [FOG_BIT] Constant(gl::EXP);
        FOG_DENSITY [FOG_BIT] Float(1.0);
        FOG_START [FOG_BIT] Float(0.0);
        FOG_END [FOG_BIT] Float(1.0);
        FOG_INDEX [FOG_BIT] Float(0.0);
        FOG_COLOR [FOG_BIT] Floats(&[0.0, 0.0, 0.0, 0.0]);
        FOG_COORD_SRC [FOG_BIT] Constant(gl::FRAGMENT_DEPTH);
        COLOR_SUM [FOG_BIT] Switch(false);
    }
    PixelTransfer {
        ZOOM_X [PIXEL_MODE_BIT] Float(1.0);
        ZOOM_Y [PIXEL_MODE_BIT] Float(1.0);
        MAP_COLOR [PIXEL_MODE_BIT] Bool(false);
        MAP_STENCIL [PIXEL_MODE_BIT] Bool(false);
        INDEX_SHIFT [PIXEL_MODE_BIT] Float(0.0);
        INDEX_OFFSET [PIXEL_MODE_BIT] Float(0.0);
        RED_SCALE [PIXEL_MODE_BIT] Float(1.0);
        RED_BIAS [PIXEL_MODE_BIT] Float(0.0);
        GREEN_SCALE [PIXEL_MODE_BIT] Float(1.0);
        GREEN_BIAS [PIXEL_MODE_BIT] Float(0.0);
        BLUE_SCALE [PIXEL_MODE_BIT] Float(1.0);
        BLUE_BIAS [PIXEL_MODE_BIT] Float(0.0);
        DEPTH_SCALE [PIXEL_MODE_BIT] Float(1.0);
        DEPTH_BIAS [PIXEL_MODE_BIT] Float(0.0);
    }
    Hints {
        PERSPECTIVE_CORRECTION_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        POINT_SMOOTH_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        LINE_SMOOTH_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        POLYGON_SMOOTH_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        FOG_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        GENERATE_MIPMAP_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        TEXTURE_COMPRESSION_HINT [HINT_BIT] Constant(gl::DONT_CARE);
        FRAGMENT_SHADER_DERIVATIVE_HINT [HINT_BIT] Constant(gl::DONT_CARE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_parameter_with_a_name_of_the_registry() {
        assert_eq!(all().len(), ROWS.len());
        for pair in all().windows(2) {
            assert!(pair[0].what < pair[1].what, "{} is there twice", pair[1].name);
        }
        for parameter in all() {
            let known = crate::functions().names(parameter.what.into());
            let name = format!("GL_{}", parameter.name);
            assert!(known.is_empty() || known.contains(&name), "{:x} is {known:?}, not {name}", parameter.what);
            if let Value::Constant(constant) = parameter.initial {
                let text = crate::functions().constant(constant, parameter.constants);
                assert!(text.is_some(), "{}: {constant:x}", parameter.name);
            }
        }
        assert!(is_capability(what::BLEND) && !is_capability(what::DEPTH_FUNC) && is_capability(what::LIGHT0 + 1));
        assert_eq!(attribute_bits(what::BLEND), gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT);
        assert_eq!(attribute_bits(what::MODELVIEW_MATRIX), 0);
    }
}
