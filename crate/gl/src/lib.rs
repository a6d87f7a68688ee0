//! OpenGL: what is known of it without a trace, and the calls of a trace.
//!
//! ```text
//! gl         constants of OpenGL and OpenGL ES by name, which build.rs makes of gl.txt
//! egl, glx   the constants of EGL and GLX that traces are searched for
//! absent     functions that are not executed, and why
//! arrays     interleaved client arrays
//! call       a call with its arguments
//! contexts   contexts, which share objects, and which is current on each thread
//! direct     functions that name the object which others find where it is bound
//! example    calls that tests write down
//! functions  parameters of functions, and the names of constants, read from gl.txt at run time
//! lists      which functions display lists hold
//! machine    what every context and object holds, cell by cell
//! matrices   stacks of matrices, and what functions do with them
//! matrix     matrices of four columns
//! pixel_formats   what windows hold, as far as programs ask for it and drivers answer
//! pixels     pixels as programs hand them over, and textures as they hold them
//! resolve    functions by the names that traces have
//! several    functions that bind several objects at once
//! variant    what the ends of functions' names say of their arguments
//! textures   functions that give textures sizes and contents
//! windows    what GLX, EGL, WGL and CGL do with contexts
//! ```
//!
//! `cargo xtask gl` extracts `gl.txt` from Khronos' registry, `gl.xml`.
//!
//! A function of a trace is resolved once, by [`Function`]: who follows calls has tables of what it
//! does by the names that this gives ([`Table`]).
//!
//! [`machine`] follows calls for all who ask what a context or an object holds: State reads it,
//! Resources what it tells of objects, redundant calls what calls set again, frames that replay by
//! themselves what calls read and write, and the replay which settings of contexts change. What
//! calls mean is written once: where their arguments are ([`call::Call`]), which object they are
//! about, what they change.
//!
//! The replay keeps its objects, matrices and arrays, and what is current of vertices until a stack
//! or a material asks for it. Findings keep digests of uploads and which draws nothing has used.

#![forbid(unsafe_code)]

mod absent;
pub mod arrays;
pub mod call;
pub mod contexts;
pub mod direct;
mod endings;
pub mod example;
mod functions;
mod lists;
pub mod machine;
pub mod mappings;
pub mod matrices;
pub mod matrix;
pub mod pixel_formats;
pub mod pixels;
mod resolve;
pub mod several;
pub mod textures;
mod variant;
pub mod windows;

pub use absent::{Absence, Charged};
pub use functions::{Functions, Parameter, Registered, functions, names};
pub use resolve::{Does, Function, Handler, Table};
pub use several::Several;
pub use variant::{Unit, Variant};

/// Constants of OpenGL and OpenGL ES without the prefix `GL_`. A name that would begin with a digit
/// begins with `_`.
#[allow(
    missing_docs,
    non_upper_case_globals,
    reason = "the specification explains its names, and has some lower-case letters"
)]
pub mod gl {
    include!(concat!(env!("OUT_DIR"), "/constants.rs"));

    // gl.txt has one name of an extension for each value. These are the names of
    // GL_EXT_texture_compression_s3tc.
    pub const COMPRESSED_RGBA_S3TC_DXT3_EXT: u32 = COMPRESSED_RGBA_S3TC_DXT3_ANGLE;
    pub const COMPRESSED_RGBA_S3TC_DXT5_EXT: u32 = COMPRESSED_RGBA_S3TC_DXT5_ANGLE;
}

/// Constants of EGL without the prefix `EGL_`: EGL 1.5, sections 3.1, 3.7 and 3.7.1.
#[allow(missing_docs, reason = "the specification explains its names")]
pub mod egl {
    pub const SUCCESS: u32 = 0x3000;
    pub const CONTEXT_MAJOR_VERSION: u32 = 0x3098;
    pub const OPENGL_ES_API: u32 = 0x30A0;
    pub const OPENGL_API: u32 = 0x30A2;
    pub const CONTEXT_MINOR_VERSION: u32 = 0x30FB;
    pub const CONTEXT_OPENGL_PROFILE_MASK: u32 = 0x30FD;
    /// `EGL_EXT_buffer_age`.
    pub const BUFFER_AGE_EXT: u32 = 0x313D;
    pub const BUFFER_PRESERVED: u32 = 0x3094;
}

/// Constants of GLX without the prefix `GLX_`, from `GLX_ARB_create_context` and
/// `GLX_EXT_create_context_es2_profile`. Those of WGL have the same numbers.
#[allow(missing_docs, reason = "the extensions explain their names")]
pub mod glx {
    pub const CONTEXT_ES2_PROFILE_BIT_EXT: u32 = 0x0004;
    pub const CONTEXT_MAJOR_VERSION_ARB: u32 = 0x2091;
    pub const CONTEXT_MINOR_VERSION_ARB: u32 = 0x2092;
    /// `GLX_EXT_buffer_age`.
    pub const BACK_BUFFER_AGE_EXT: u32 = 0x20F4;
}
