//! Names of cells: mostly the constant that a program would pass to `glGet`. Numbers below 0x100
//! are our own.

use crate::gl;

macro_rules! whats {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: u16 = $value;)*
    };
}

/// Cells that have the number of the constant of the same name.
macro_rules! constants {
    ($($name:ident)*) => {
        $(#[doc = concat!("The cell of `GL_", stringify!($name), "`.")] pub const $name: u16 = gl::$name as u16;)*
    };
}

whats! {
    /// The label of an object.
    LABEL = 0x02;
    /// The target that a texture was bound to first.
    TARGET = 0x03;
    /// An object is deleted, but still in use.
    DELETED = 0x04;
    /// Of share groups and contexts, by name: the owner of an object. The kind of object is added.
    KIND_FIRST = 0x10;
    /// A level of a texture, by `level | face << 5`.
    LEVEL = 0x20;
    /// Bytes of a buffer.
    SIZE = 0x21;
    /// The content of a buffer of uniforms.
    CONTENT = 0x24;
    /// Of a share group: the buffer of uniforms that was mapped last.
    MAPPED_LAST = 0x25;
    /// The address of a mapped buffer in the memory of the program.
    MAPPED_AT = 0x26;
    /// The first byte of a buffer that is mapped.
    MAPPED_FROM = 0x27;
    /// The number of bytes of a buffer that are mapped.
    MAPPED_SIZE = 0x28;
    /// The usage of a buffer.
    USAGE = 0x22;
    /// A buffer is mapped.
    MAPPED = 0x23;
    /// The shaders of a program.
    ATTACHED = 0x30;
    /// A uniform of a program, by location.
    UNIFORM = 0x31;
    /// The name of a uniform, by location.
    UNIFORM_NAME = 0x32;
    /// A program is linked.
    LINKED = 0x33;
    /// The name of an attribute of a program, by location.
    ATTRIBUTE_NAME = 0x34;
    /// The binding of a uniform block, by its index.
    BLOCK_BINDING = 0x35;
    /// The source of a shader.
    SOURCE = 0x36;
    /// The type of a shader.
    STAGE = 0x37;
    /// A shader is compiled.
    COMPILED = 0x38;
    /// The source of a program's stage, by the low bits of the type of shader.
    STAGE_SOURCE = 0x39;
    /// The name of a uniform block, by its index.
    BLOCK_NAME = 0x3a;
    /// The log of the compiler or linker.
    INFO_LOG = 0x3b;
    /// The image of a renderbuffer.
    STORAGE = 0x40;
    /// An attachment of a framebuffer, by the low bits of the attachment.
    ATTACHMENT = 0x41;
    /// A client array of a vertex array is on, by its number.
    CLIENT_ENABLED = 0x50;
    /// Numbers of an element of a client array.
    CLIENT_SIZE = 0x51;
    /// The type of the numbers of a client array.
    CLIENT_TYPE = 0x52;
    /// The stride of a client array.
    CLIENT_STRIDE = 0x53;
    /// The beginning of a client array.
    CLIENT_POINTER = 0x54;
    /// The buffer that a client array is in.
    CLIENT_BUFFER = 0x55;
    /// Parameters of lights, by light. The number of the parameter is added.
    LIGHT_FIRST = 0x60;
    /// Parameters of materials, by face. The number of the parameter is added.
    MATERIAL_FIRST = 0x70;
    /// The last parameter of materials.
    MATERIAL_LAST = 0x7f;
    /// The generation of texture coordinates, by `unit * 4 + coordinate`.
    TEX_GEN_MODE_OF = 0x80;
    /// Texture coordinates are generated, likewise.
    TEX_GEN_ENABLED = 0x81;
    /// The object plane, likewise.
    TEX_GEN_OBJECT = 0x82;
    /// The eye plane, likewise.
    TEX_GEN_EYE = 0x83;
    /// `GL_ALPHA_SCALE` of the texture environment of a unit: that of pixel transfers has its
    /// number.
    ENV_ALPHA_SCALE = 0x84;
    /// A buffer that is bound to an index, by `number of the target << 8 | index`.
    INDEXED_BUFFER = 0x90;
    /// The beginning of its range.
    INDEXED_OFFSET = 0x91;
    /// The size of its range.
    INDEXED_SIZE = 0x92;
    /// A texture that is bound to an image unit.
    IMAGE_UNIT = 0x93;
    /// The access to the image of an image unit.
    IMAGE_ACCESS = 0x94;
    /// The level of the texture that is the image of an image unit.
    IMAGE_LEVEL = 0x95;
    /// The layer, -1 for all.
    IMAGE_LAYER = 0x96;
    /// The format in which its texels are read and written.
    IMAGE_FORMAT = 0x97;
    /// The program of assembly for a stage, by the low bits of the target.
    ASSEMBLY_PROGRAM = 0x98;
    /// The window of a context that is drawn to.
    DRAWABLE = 0xa0;
    /// The window of a context that is read from.
    READ_DRAWABLE = 0xa1;
    /// The query that runs, by the low bits of its target.
    QUERY_ACTIVE = 0xa2;
    /// Stencil bits of the window, as the program has read them.
    STENCIL_BITS_OF_WINDOW = 0xa5;
    /// The tracer has set the scissor box of a context.
    SCISSOR_OF_WINDOW = 0xa4;
    /// The bounds of depths that are drawn.
    DEPTH_BOUNDS = gl::DEPTH_BOUNDS_EXT as u16;
    /// Depths are drawn within bounds only.
    DEPTH_BOUNDS_TEST = gl::DEPTH_BOUNDS_TEST_EXT as u16;
    /// Stencils have two sides, as `GL_EXT_stencil_two_side` has them.
    STENCIL_TEST_TWO_SIDE = gl::STENCIL_TEST_TWO_SIDE_EXT as u16;
    /// Of a share group: the display list with a name.
    LIST_OF = 0xa3;
}

constants! {
    ACCUM_CLEAR_VALUE ACTIVE_TEXTURE ALPHA_SCALE ALPHA_TEST_FUNC ALPHA_TEST_REF ARRAY_BUFFER_BINDING
    ATOMIC_COUNTER_BUFFER_BINDING ATTRIB_STACK_DEPTH BLEND BLEND_COLOR BLEND_DST_ALPHA BLEND_DST_RGB
    BLEND_EQUATION_ALPHA BLEND_EQUATION_RGB BLEND_SRC_ALPHA BLEND_SRC_RGB CLIENT_ACTIVE_TEXTURE
    CLIENT_ATTRIB_STACK_DEPTH CLIP_DEPTH_MODE CLIP_DISTANCE0 CLIP_DISTANCE7 CLIP_ORIGIN CLIP_PLANE0 COLOR_CLEAR_VALUE
    COLOR_MATERIAL COLOR_MATERIAL_FACE COLOR_MATERIAL_PARAMETER COLOR_MATRIX COLOR_MATRIX_STACK_DEPTH COLOR_WRITEMASK
    COMBINE_RGB COORD_REPLACE COPY_READ_BUFFER COPY_WRITE_BUFFER CULL_FACE_MODE CURRENT_COLOR CURRENT_FOG_COORD CURRENT_INDEX
    CURRENT_NORMAL CURRENT_PROGRAM CURRENT_RASTER_POSITION CURRENT_SECONDARY_COLOR CURRENT_TEXTURE_COORDS
    CURRENT_VERTEX_ATTRIB DEPTH_CLEAR_VALUE DEPTH_FUNC DEPTH_RANGE DEPTH_WRITEMASK DISPATCH_INDIRECT_BUFFER_BINDING
    DRAW_BUFFER0 DRAW_FRAMEBUFFER_BINDING DRAW_INDIRECT_BUFFER_BINDING EDGE_FLAG ELEMENT_ARRAY_BUFFER_BINDING
    FOG_COLOR FRAMEBUFFER_SRGB FRONT_FACE GENERATE_MIPMAP INDEX_CLEAR_VALUE INDEX_WRITEMASK LIGHT0
    LINE_STIPPLE_PATTERN LINE_STIPPLE_REPEAT LINE_WIDTH LINK_STATUS LIST_BASE LOGIC_OP_MODE MATRIX_MODE
    MIN_SAMPLE_SHADING_VALUE MODELVIEW_MATRIX MODELVIEW_STACK_DEPTH NORMALIZE PARAMETER_BUFFER_BINDING PATCH_VERTICES
    PIXEL_PACK_BUFFER_BINDING PIXEL_UNPACK_BUFFER_BINDING POINT_SIZE POINT_SPRITE POLYGON_MODE POLYGON_OFFSET_CLAMP
    POLYGON_OFFSET_FACTOR POLYGON_OFFSET_UNITS PRIMITIVE_RESTART PRIMITIVE_RESTART_FIXED_INDEX PRIMITIVE_RESTART_INDEX
    PRIMITIVE_RESTART_NV PROGRAM_PIPELINE_BINDING PROJECTION_MATRIX PROJECTION_STACK_DEPTH PROVOKING_VERTEX
    QUERY_BUFFER_BINDING READ_BUFFER READ_FRAMEBUFFER_BINDING RENDERBUFFER_BINDING RENDER_MODE RESCALE_NORMAL SAMPLER_BINDING
    SAMPLE_COVERAGE_INVERT SAMPLE_COVERAGE_VALUE SAMPLE_MASK_VALUE SCISSOR_BOX SCISSOR_TEST
    SHADER_STORAGE_BUFFER_BINDING SHADE_MODEL STENCIL_BACK_FAIL STENCIL_BACK_FUNC STENCIL_BACK_PASS_DEPTH_FAIL
    STENCIL_BACK_PASS_DEPTH_PASS STENCIL_BACK_REF STENCIL_BACK_VALUE_MASK STENCIL_BACK_WRITEMASK STENCIL_CLEAR_VALUE
    STENCIL_FAIL STENCIL_FUNC STENCIL_PASS_DEPTH_FAIL STENCIL_PASS_DEPTH_PASS STENCIL_REF STENCIL_VALUE_MASK
    STENCIL_WRITEMASK TEXTURE_1D TEXTURE_2D TEXTURE_3D TEXTURE_BASE_LEVEL TEXTURE_BINDING_1D TEXTURE_BINDING_1D_ARRAY
    TEXTURE_BINDING_2D TEXTURE_BINDING_2D_ARRAY TEXTURE_BINDING_2D_MULTISAMPLE TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY
    TEXTURE_BINDING_3D TEXTURE_BINDING_BUFFER TEXTURE_BINDING_CUBE_MAP TEXTURE_BINDING_CUBE_MAP_ARRAY
    TEXTURE_BINDING_EXTERNAL_OES TEXTURE_BINDING_RECTANGLE TEXTURE_BUFFER TEXTURE_BUFFER_DATA_STORE_BINDING
    TEXTURE_BUFFER_FORMAT_ARB TEXTURE_CUBE_MAP TEXTURE_ENV_COLOR TEXTURE_ENV_MODE TEXTURE_IMMUTABLE_LEVELS
    TEXTURE_LOD_BIAS TEXTURE_MATRIX TEXTURE_MAX_LEVEL TEXTURE_RECTANGLE TEXTURE_STACK_DEPTH TRANSFORM_FEEDBACK_BINDING
    TRANSFORM_FEEDBACK_BUFFER_BINDING UNIFORM_BUFFER_BINDING VERTEX_ARRAY_BINDING VERTEX_ATTRIB_ARRAY_BUFFER_BINDING
    VERTEX_ATTRIB_ARRAY_ENABLED VERTEX_ATTRIB_ARRAY_INTEGER VERTEX_ATTRIB_ARRAY_LONG VERTEX_ATTRIB_ARRAY_NORMALIZED
    VERTEX_ATTRIB_ARRAY_POINTER VERTEX_ATTRIB_ARRAY_SIZE VERTEX_ATTRIB_ARRAY_STRIDE VERTEX_ATTRIB_ARRAY_TYPE
    VERTEX_ATTRIB_BINDING VERTEX_ATTRIB_RELATIVE_OFFSET VERTEX_BINDING_BUFFER VERTEX_BINDING_DIVISOR
    VERTEX_BINDING_OFFSET VERTEX_BINDING_STRIDE VIEWPORT ZOOM_X ZOOM_Y
}

/// The last of 32 lights.
pub const LIGHT_LAST: u16 = LIGHT0 + 31;
/// The last parameter of combiners.
pub const COMBINE_LAST: u16 = super::fixed::COMBINE_LAST as u16;
