//! The parameters of a context: names, groups, and initial values, as the tables of state in the specification have them
//! (OpenGL 4.6 compatibility profile, chapter 23).

use unspool_gl::gl;

use super::cells::Value;
use super::what;

/// What parameters are about: a section of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Viewport,
    Blend,
    Depth,
    Stencil,
    Raster,
    Multisample,
    Clear,
    Buffers,
    Objects,
    Textures,
    PixelStore,
    /// What follows is only in contexts with the fixed function.
    Transform,
    Lighting,
    Current,
    Fog,
    Fixed,
    PixelTransfer,
    Hints,
}

impl Group {
    /// The title of its section.
    pub(super) fn title(self) -> &'static str {
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
    pub(super) fn is_legacy(self) -> bool {
        matches!(self, Self::Transform | Self::Lighting | Self::Current | Self::Fog | Self::Fixed | Self::PixelTransfer)
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) what: u16,
    /// Without the prefix `GL_`.
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// [`Value::Unknown`] if it depends on the driver or the window.
    pub(super) initial: Value,
    /// The group of its constants.
    pub(super) constants: &'static str,
    /// glPushAttrib keeps it if its mask has one of these bits.
    bits: u32,
    /// glEnable takes it.
    is_capability: bool,
}

/// The parameter with this constant.
pub(super) fn find(what: u16) -> Option<&'static Parameter> {
    let all = all();
    all.binary_search_by_key(&what, |parameter| parameter.what).ok().and_then(|at| all.get(at))
}

/// Whether glEnable takes this constant. Clip planes have one each.
pub(super) fn is_capability(what: u16) -> bool {
    matches!(what, what::CLIP_DISTANCE0..=what::CLIP_DISTANCE7 | what::LIGHT0..=what::LIGHT_LAST)
        || find(what).is_some_and(|parameter| parameter.is_capability)
}

/// The bits of glPushAttrib that keep a cell of a context.
pub(super) fn attribute_bits(what: u16) -> u32 {
    match what {
        // Lights, materials and their switches.
        what::LIGHT0..=what::LIGHT_LAST => gl::LIGHTING_BIT | gl::ENABLE_BIT,
        what::LIGHT_FIRST..=what::MATERIAL_LAST => gl::LIGHTING_BIT,
        what::CLIP_DISTANCE0..=what::CLIP_DISTANCE7 => gl::TRANSFORM_BIT | gl::ENABLE_BIT,
        super::fixed::CLIP_PLANE_OF => gl::TRANSFORM_BIT,
        what::TEX_GEN_MODE_OF | what::TEX_GEN_OBJECT | what::TEX_GEN_EYE => gl::TEXTURE_BIT,
        what::TEX_GEN_ENABLED => gl::TEXTURE_BIT | gl::ENABLE_BIT,
        // Targets of the fixed function, environments, and bindings.
        what::TEXTURE_1D | what::TEXTURE_2D | what::TEXTURE_3D | what::TEXTURE_RECTANGLE | what::TEXTURE_CUBE_MAP => {
            gl::TEXTURE_BIT | gl::ENABLE_BIT
        }
        what::TEXTURE_ENV_MODE
        | what::TEXTURE_ENV_COLOR
        | what::COMBINE_RGB..=what::COMBINE_LAST
        | what::ALPHA_SCALE
        | what::TEXTURE_LOD_BIAS => gl::TEXTURE_BIT,
        _ if super::textures::TARGETS.iter().any(|(_, binding, _)| *binding == what) => gl::TEXTURE_BIT,
        _ => find(what).map_or(0, |parameter| parameter.bits),
    }
}

/// All parameters, ascending.
pub(super) fn all() -> &'static [Parameter] {
    static ALL: std::sync::OnceLock<Vec<Parameter>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<Parameter> = TABLE.lines().filter_map(parse).collect();
        all.sort_by_key(|parameter| parameter.what);
        all
    })
}

/// A line of the table.
fn parse(line: &'static str) -> Option<Parameter> {
    let mut words = line.split_ascii_whitespace();
    let what = u16::from_str_radix(words.next()?, 16).ok()?;
    let name = words.next()?;
    let group = match words.next()? {
        "viewport" => Group::Viewport,
        "blend" => Group::Blend,
        "depth" => Group::Depth,
        "stencil" => Group::Stencil,
        "raster" => Group::Raster,
        "multisample" => Group::Multisample,
        "clear" => Group::Clear,
        "buffers" => Group::Buffers,
        "objects" => Group::Objects,
        "textures" => Group::Textures,
        "store" => Group::PixelStore,
        "transform" => Group::Transform,
        "lighting" => Group::Lighting,
        "current" => Group::Current,
        "fog" => Group::Fog,
        "transfer" => Group::PixelTransfer,
        "hints" => Group::Hints,
        _ => Group::Fixed,
    };
    let mut bits = 0;
    for word in words.next()?.split(',') {
        bits |= match word {
            "current" => gl::CURRENT_BIT,
            "point" => gl::POINT_BIT,
            "line" => gl::LINE_BIT,
            "polygon" => gl::POLYGON_BIT,
            "pixel" => gl::PIXEL_MODE_BIT,
            "lighting" => gl::LIGHTING_BIT,
            "fog" => gl::FOG_BIT,
            "depth" => gl::DEPTH_BUFFER_BIT,
            "accum" => gl::ACCUM_BUFFER_BIT,
            "stencil" => gl::STENCIL_BUFFER_BIT,
            "viewport" => gl::VIEWPORT_BIT,
            "transform" => gl::TRANSFORM_BIT,
            "enable" => gl::ENABLE_BIT,
            "color" => gl::COLOR_BUFFER_BIT,
            "hint" => gl::HINT_BIT,
            "list" => gl::LIST_BIT,
            "texture" => gl::TEXTURE_BIT,
            "scissor" => gl::SCISSOR_BIT,
            "multisample" => gl::MULTISAMPLE_BIT,
            _ => 0,
        };
    }
    let kind = words.next()?;
    let rest: Vec<&str> = words.collect();
    let number = |at: usize| rest.get(at).and_then(|word| word.parse::<f64>().ok()).unwrap_or_default();
    let four = || core::array::from_fn(|i| number(i) as f32);
    let (initial, constants) = match kind {
        "switch" | "bool" => (Value::Bool(rest.first() == Some(&"1")), ""),
        "bools" => (Value::Bools([true; 4]), ""),
        "int" => (Value::Int(number(0) as i64), ""),
        "float" => (Value::Float(number(0)), ""),
        "floats" => (Value::Floats(four(), rest.len() as u8), ""),
        "object" => (Value::Object { name: 0, instance: 0 }, ""),
        "matrix" => (Value::Matrix(std::sync::Arc::new(super::matrices::IDENTITY)), ""),
        "constant" => {
            let value = rest.first().and_then(|word| u32::from_str_radix(word, 16).ok()).unwrap_or_default();
            (Value::Constant(value), rest.get(1).copied().unwrap_or_default())
        }
        _ => (Value::Unknown, rest.first().copied().unwrap_or_default()),
    };
    Some(Parameter { what, name, group, initial, constants, bits, is_capability: kind == "switch" })
}

/// Constant, name, group, bits of glPushAttrib, kind, initial value, group of constants.
const TABLE: &str = "\
0ba2 VIEWPORT viewport viewport unknown
0c10 SCISSOR_BOX viewport scissor unknown
0c11 SCISSOR_TEST viewport scissor,enable switch 0
0b70 DEPTH_RANGE viewport viewport floats 0 1
864f DEPTH_CLAMP depth transform,enable switch 0
935c CLIP_ORIGIN viewport transform constant 8ca1
935d CLIP_DEPTH_MODE viewport transform constant 935e
0be2 BLEND blend color,enable switch 0
80c9 BLEND_SRC_RGB blend color constant 1 BlendingFactor
80c8 BLEND_DST_RGB blend color constant 0 BlendingFactor
80cb BLEND_SRC_ALPHA blend color constant 1 BlendingFactor
80ca BLEND_DST_ALPHA blend color constant 0 BlendingFactor
8009 BLEND_EQUATION blend color constant 8006
883d BLEND_EQUATION_ALPHA blend color constant 8006
8005 BLEND_COLOR blend color floats 0 0 0 0
0bf2 COLOR_LOGIC_OP blend color,enable switch 0
0bf1 INDEX_LOGIC_OP fixed color,enable switch 0
0bf0 LOGIC_OP_MODE blend color constant 1503
8db9 FRAMEBUFFER_SRGB blend color,enable switch 0
0bd0 DITHER blend color,enable switch 1
0b71 DEPTH_TEST depth depth,enable switch 0
0b74 DEPTH_FUNC depth depth constant 201
0b72 DEPTH_WRITEMASK depth depth bool 1
0b90 STENCIL_TEST stencil stencil,enable switch 0
0b92 STENCIL_FUNC stencil stencil constant 207
0b97 STENCIL_REF stencil stencil int 0
0b93 STENCIL_VALUE_MASK stencil stencil int 255
0b98 STENCIL_WRITEMASK stencil stencil int 255
0b94 STENCIL_FAIL stencil stencil constant 1e00 StencilOp
0b95 STENCIL_PASS_DEPTH_FAIL stencil stencil constant 1e00 StencilOp
0b96 STENCIL_PASS_DEPTH_PASS stencil stencil constant 1e00 StencilOp
8800 STENCIL_BACK_FUNC stencil stencil constant 207
8ca3 STENCIL_BACK_REF stencil stencil int 0
8ca4 STENCIL_BACK_VALUE_MASK stencil stencil int 255
8ca5 STENCIL_BACK_WRITEMASK stencil stencil int 255
8801 STENCIL_BACK_FAIL stencil stencil constant 1e00 StencilOp
8802 STENCIL_BACK_PASS_DEPTH_FAIL stencil stencil constant 1e00 StencilOp
8803 STENCIL_BACK_PASS_DEPTH_PASS stencil stencil constant 1e00 StencilOp
0b44 CULL_FACE raster polygon,enable switch 0
0b45 CULL_FACE_MODE raster polygon constant 405
0b46 FRONT_FACE raster polygon constant 901
0b40 POLYGON_MODE raster polygon constant 1b02
0b41 POLYGON_SMOOTH raster polygon,enable switch 0
2a01 POLYGON_OFFSET_POINT raster polygon,enable switch 0
2a02 POLYGON_OFFSET_LINE raster polygon,enable switch 0
8037 POLYGON_OFFSET_FILL raster polygon,enable switch 0
8038 POLYGON_OFFSET_FACTOR raster polygon float 0
2a00 POLYGON_OFFSET_UNITS raster polygon float 0
8e1b POLYGON_OFFSET_CLAMP raster polygon float 0
0b21 LINE_WIDTH raster line float 1
0b20 LINE_SMOOTH raster line,enable switch 0
0b11 POINT_SIZE raster point float 1
8642 PROGRAM_POINT_SIZE raster enable switch 0
8128 POINT_FADE_THRESHOLD_SIZE raster point float 1
8ca0 POINT_SPRITE_COORD_ORIGIN raster point constant 8ca2
8e4f PROVOKING_VERTEX raster lighting constant 8e4e
8f9d PRIMITIVE_RESTART raster enable switch 0
8d69 PRIMITIVE_RESTART_FIXED_INDEX raster enable switch 0
8f9e PRIMITIVE_RESTART_INDEX raster none int 0
8c89 RASTERIZER_DISCARD raster enable switch 0
8e72 PATCH_VERTICES raster none int 3
809d MULTISAMPLE multisample multisample,enable switch 1
809e SAMPLE_ALPHA_TO_COVERAGE multisample multisample,enable switch 0
809f SAMPLE_ALPHA_TO_ONE multisample multisample,enable switch 0
80a0 SAMPLE_COVERAGE multisample multisample,enable switch 0
80aa SAMPLE_COVERAGE_VALUE multisample multisample float 1
80ab SAMPLE_COVERAGE_INVERT multisample multisample bool 0
8e51 SAMPLE_MASK multisample multisample,enable switch 0
8c36 SAMPLE_SHADING multisample multisample,enable switch 0
8c37 MIN_SAMPLE_SHADING_VALUE multisample multisample float 0
0c22 COLOR_CLEAR_VALUE clear color floats 0 0 0 0
0c23 COLOR_WRITEMASK clear color bools
0b73 DEPTH_CLEAR_VALUE clear depth float 1
0b91 STENCIL_CLEAR_VALUE clear stencil int 0
8894 ARRAY_BUFFER_BINDING buffers none object
8895 ELEMENT_ARRAY_BUFFER_BINDING buffers none object
88ed PIXEL_PACK_BUFFER_BINDING buffers none object
88ef PIXEL_UNPACK_BUFFER_BINDING buffers none object
8a28 UNIFORM_BUFFER_BINDING buffers none object
90d3 SHADER_STORAGE_BUFFER_BINDING buffers none object
92c1 ATOMIC_COUNTER_BUFFER_BINDING buffers none object
8c8f TRANSFORM_FEEDBACK_BUFFER_BINDING buffers none object
8f43 DRAW_INDIRECT_BUFFER_BINDING buffers none object
90ef DISPATCH_INDIRECT_BUFFER_BINDING buffers none object
8f36 COPY_READ_BUFFER_BINDING buffers none object
8f37 COPY_WRITE_BUFFER_BINDING buffers none object
8c2a TEXTURE_BUFFER_BINDING buffers none object
9193 QUERY_BUFFER_BINDING buffers none object
80ef PARAMETER_BUFFER_BINDING buffers none object
8b8d CURRENT_PROGRAM objects none object
825a PROGRAM_PIPELINE_BINDING objects none object
85b5 VERTEX_ARRAY_BINDING objects none object
8ca6 DRAW_FRAMEBUFFER_BINDING objects none object
8caa READ_FRAMEBUFFER_BINDING objects none object
8ca7 RENDERBUFFER_BINDING objects none object
8e25 TRANSFORM_FEEDBACK_BINDING objects none object
84e0 ACTIVE_TEXTURE textures texture constant 84c0
884f TEXTURE_CUBE_MAP_SEAMLESS textures texture,enable switch 0
92e0 DEBUG_OUTPUT objects enable unknown
8242 DEBUG_OUTPUT_SYNCHRONOUS objects enable switch 0
0cf0 UNPACK_SWAP_BYTES store none bool 0
0cf1 UNPACK_LSB_FIRST store none bool 0
0cf2 UNPACK_ROW_LENGTH store none int 0
0cf3 UNPACK_SKIP_ROWS store none int 0
0cf4 UNPACK_SKIP_PIXELS store none int 0
0cf5 UNPACK_ALIGNMENT store none int 4
806d UNPACK_SKIP_IMAGES store none int 0
806e UNPACK_IMAGE_HEIGHT store none int 0
9127 UNPACK_COMPRESSED_BLOCK_WIDTH store none int 0
9128 UNPACK_COMPRESSED_BLOCK_HEIGHT store none int 0
9129 UNPACK_COMPRESSED_BLOCK_DEPTH store none int 0
912a UNPACK_COMPRESSED_BLOCK_SIZE store none int 0
0d00 PACK_SWAP_BYTES store none bool 0
0d01 PACK_LSB_FIRST store none bool 0
0d02 PACK_ROW_LENGTH store none int 0
0d03 PACK_SKIP_ROWS store none int 0
0d04 PACK_SKIP_PIXELS store none int 0
0d05 PACK_ALIGNMENT store none int 4
806b PACK_SKIP_IMAGES store none int 0
806c PACK_IMAGE_HEIGHT store none int 0
912b PACK_COMPRESSED_BLOCK_WIDTH store none int 0
912c PACK_COMPRESSED_BLOCK_HEIGHT store none int 0
912d PACK_COMPRESSED_BLOCK_DEPTH store none int 0
912e PACK_COMPRESSED_BLOCK_SIZE store none int 0
0ba0 MATRIX_MODE transform transform constant 1700
0ba3 MODELVIEW_STACK_DEPTH transform none int 1
0ba6 MODELVIEW_MATRIX transform none matrix
0ba4 PROJECTION_STACK_DEPTH transform none int 1
0ba7 PROJECTION_MATRIX transform none matrix
0ba5 TEXTURE_STACK_DEPTH transform none int 1
0ba8 TEXTURE_MATRIX transform none matrix
0ba1 NORMALIZE transform transform,enable switch 0
803a RESCALE_NORMAL transform transform,enable switch 0
0b50 LIGHTING lighting lighting,enable switch 0
0b53 LIGHT_MODEL_AMBIENT lighting lighting floats 0.2 0.2 0.2 1
0b51 LIGHT_MODEL_LOCAL_VIEWER lighting lighting bool 0
0b52 LIGHT_MODEL_TWO_SIDE lighting lighting bool 0
81f8 LIGHT_MODEL_COLOR_CONTROL lighting lighting constant 81f9
0b57 COLOR_MATERIAL lighting lighting,enable switch 0
0b55 COLOR_MATERIAL_FACE lighting lighting constant 408
0b56 COLOR_MATERIAL_PARAMETER lighting lighting constant 1602
0b54 SHADE_MODEL lighting lighting constant 1d01
0b00 CURRENT_COLOR current current floats 1 1 1 1
0b02 CURRENT_NORMAL current current floats 0 0 1
0b03 CURRENT_TEXTURE_COORDS current current floats 0 0 0 1
8459 CURRENT_SECONDARY_COLOR current current floats 0 0 0 1
8453 CURRENT_FOG_COORD current current float 0
0b01 CURRENT_INDEX current current float 1
0b43 EDGE_FLAG current current bool 1
0b07 CURRENT_RASTER_POSITION current current floats 0 0 0 1
0b60 FOG fog fog,enable switch 0
0b65 FOG_MODE fog fog constant 800
0b62 FOG_DENSITY fog fog float 1
0b63 FOG_START fog fog float 0
0b64 FOG_END fog fog float 1
0b61 FOG_INDEX fog fog float 0
0b66 FOG_COLOR fog fog floats 0 0 0 0
8450 FOG_COORD_SRC fog fog constant 8452
8458 COLOR_SUM fog fog,enable switch 0
0bc0 ALPHA_TEST fixed color,enable switch 0
0bc1 ALPHA_TEST_FUNC fixed color constant 207
0bc2 ALPHA_TEST_REF fixed color float 0
0b10 POINT_SMOOTH fixed point,enable switch 0
8861 POINT_SPRITE fixed point,enable switch 0
8126 POINT_SIZE_MIN fixed point float 0
8127 POINT_SIZE_MAX fixed point unknown
8129 POINT_DISTANCE_ATTENUATION fixed point floats 1 0 0
0b24 LINE_STIPPLE fixed line,enable switch 0
0b25 LINE_STIPPLE_PATTERN fixed line int 65535
0b26 LINE_STIPPLE_REPEAT fixed line int 1
0b42 POLYGON_STIPPLE fixed polygon,enable switch 0
8643 VERTEX_PROGRAM_TWO_SIDE fixed enable switch 0
8620 VERTEX_PROGRAM_ARB fixed enable switch 0
8804 FRAGMENT_PROGRAM_ARB fixed enable switch 0
0d80 AUTO_NORMAL fixed eval,enable switch 0
84e1 CLIENT_ACTIVE_TEXTURE fixed none constant 84c0
0b32 LIST_BASE fixed list int 0
0b80 ACCUM_CLEAR_VALUE fixed accum floats 0 0 0 0
0c20 INDEX_CLEAR_VALUE fixed color float 0
0c40 RENDER_MODE fixed none constant 1c00
0bb0 ATTRIB_STACK_DEPTH fixed none int 0
0bb1 CLIENT_ATTRIB_STACK_DEPTH fixed none int 0
0d16 ZOOM_X transfer pixel float 1
0d17 ZOOM_Y transfer pixel float 1
0d10 MAP_COLOR transfer pixel bool 0
0d11 MAP_STENCIL transfer pixel bool 0
0d12 INDEX_SHIFT transfer pixel float 0
0d13 INDEX_OFFSET transfer pixel float 0
0d14 RED_SCALE transfer pixel float 1
0d15 RED_BIAS transfer pixel float 0
0d18 GREEN_SCALE transfer pixel float 1
0d19 GREEN_BIAS transfer pixel float 0
0d1a BLUE_SCALE transfer pixel float 1
0d1b BLUE_BIAS transfer pixel float 0
0d1e DEPTH_SCALE transfer pixel float 1
0d1f DEPTH_BIAS transfer pixel float 0
0c50 PERSPECTIVE_CORRECTION_HINT hints hint constant 1100
0c51 POINT_SMOOTH_HINT hints hint constant 1100
0c52 LINE_SMOOTH_HINT hints hint constant 1100
0c53 POLYGON_SMOOTH_HINT hints hint constant 1100
0c54 FOG_HINT hints hint constant 1100
8192 GENERATE_MIPMAP_HINT hints hint constant 1100
84ef TEXTURE_COMPRESSION_HINT hints hint constant 1100
8b8b FRAGMENT_SHADER_DERIVATIVE_HINT hints hint constant 1100
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_parameter_with_a_name_of_the_registry() {
        let lines = TABLE.lines().count();
        assert_eq!(all().len(), lines);
        for pair in all().windows(2) {
            assert!(pair[0].what < pair[1].what, "{} is there twice", pair[1].name);
        }
        for parameter in all() {
            let known = unspool_gl::functions().names(parameter.what.into());
            let name = format!("GL_{}", parameter.name);
            assert!(known.is_empty() || known.contains(&name), "{:x} is {known:?}, not {name}", parameter.what);
            if let Value::Constant(constant) = parameter.initial {
                let text = unspool_gl::functions().constant(constant, parameter.constants);
                assert!(text.is_some(), "{}: {constant:x}", parameter.name);
            }
        }
        assert!(is_capability(what::BLEND) && !is_capability(what::DEPTH_FUNC) && is_capability(what::LIGHT0 + 1));
        assert_eq!(attribute_bits(what::BLEND), gl::COLOR_BUFFER_BIT | gl::ENABLE_BIT);
        assert_eq!(attribute_bits(what::MODELVIEW_MATRIX), 0);
    }
}
