//! Replays an apitrace: calls of OpenGL and OpenGL ES become commands for WebGL2, so that a browser can show what they drew.
//!
//! ```text
//! file ──pass──▶ Call ──Handlers──▶ Context, Objects ──draw──▶ Stream of commands ──▶ web/base/replay/gl.ts
//!                                   state as the trace         only what differs       WebGL2
//!                                   has it                     from what WebGL2 has
//! ```
//!
//! Without I/O and without a GPU. A replay that emits no commands still knows which draws could be shown ([`Verdict`]).
//! A trace is hostile input for a GPU: [`Bounds`] says what it may demand.

mod call;
mod calls;
mod content;
mod driver;
mod fixed;
mod glsl;
mod keyframes;
mod matrix;
mod objects;
mod ops;
#[cfg(feature = "page")]
mod page;
mod pixels;
mod plan;
mod player;
mod prepare;
mod s3tc;
mod shader_list;
mod shadow;
mod snapshots;
mod state;
mod surfaces;
mod verdict;

pub use call::{Call, Value};
pub use driver::{Bounds, Replay};
pub use keyframes::Drawn;
pub use objects::Kept;
pub use ops::{Kind, Op, Stream};
pub use plan::Frame;
pub use player::{Player, Turn};
pub use shader_list::{Listed, Made};
#[cfg(feature = "page")]
pub use unspool_decompressors::provide_decompressors;
pub use verdict::Verdict;
