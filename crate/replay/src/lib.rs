//! Replays an apitrace: calls of OpenGL and OpenGL ES become commands for WebGL2, so that a browser
//! can show what they drew.
//!
//! ```text
//! file ──pass──▶ Call ──Handlers──▶ Context, Objects ──draw──▶ Stream of commands ──▶ web/features/pictures/gl/gl.ts
//!                                   state as the trace         only what differs       WebGL2
//!                                   has it                     from what WebGL2 has
//! ```
//!
//! Without I/O and without a GPU. A replay that emits no commands still knows which draws could be
//! shown ([`Verdict`]). A trace is hostile input for a GPU: [`Bounds`] says what it may demand.
//!
//! # How it works
//!
//! A trace with the capability `graphics` can be replayed. This crate is a driver: it executes the
//! calls of a pass and says what WebGL2 has to do, as commands of words and bytes (`ops.rs`).
//! `web/features/pictures/gl/gl.ts` executes them on an `OffscreenCanvas`, in a worker of its own
//! that starts when the Picture tab is first shown. Without WebGL2 there, the page says so.
//!
//! - There is one WebGL2 context for all contexts of the trace. The machine of OpenGL
//!   (`unspool_gl::machine`) knows which contexts there are and what their settings are; what it
//!   says has changed is taken over (`calls/states.rs`), and what differs is sent before a draw
//!   (`state.rs`, `driver.rs`). A window is a framebuffer object.
//! - `glsl` preprocesses and translates shaders to GLSL ES 3.00. `glsl/check` finds the types of
//!   all expressions and writes out the conversions that GLSL makes. The fixed function is two
//!   shaders of the compatibility profile that take the same way (`fixed.rs`). Each loop has a
//!   budget of iterations.
//! - Buffers are kept on this side, too: indices, mapped ranges and arrays in formats that WebGL2
//!   lacks are converted from there.
//! - A second player without commands looks at all calls first. It knows which draws can be shown
//!   (`verdict.rs`), the frames, and which of them clear their window: draws to windows before such
//!   a frame are left out (`plan.rs`). So are draws to framebuffers of which a frame reads nothing
//!   (`surfaces.rs`).
//! - `snapshots.rs` copies the replay now and then, so that a jump need not execute all calls
//!   again. `shadow.rs` follows the commands that were sent and knows those that make textures,
//!   framebuffers, renderbuffers and samplers again. A return deletes everything in WebGL2 but
//!   programs and textures that hold the same, and sends these commands; buffers and uniforms go
//!   with the draws that use them. Clones share what is the same.
//! - Programs and values of uniforms are sent with the draw that needs them. A restart keeps
//!   programs (`web/features/pictures/gl/programs.ts`), translations (`glsl/translations.rs`) and
//!   textures that no upload or draw changes from the first draw on (`Replay::unchanged_since`).
//!   `replay_keyframes.ts` copies what was drawn now and then (`keyframes.rs` says what that is),
//!   and a jump draws from the latest copy on.
//! - What is asked of draws beside their picture is a uniform, `_vw`, and an ending of each shader
//!   (`glsl/views.rs`): how often pixels are drawn over, and whether loops were cut.
//!   `web/features/pictures/gl/views.ts` executes draws accordingly, and lists those that touch a
//!   pixel.
//! - `OpenTrace.events.remarks` marks calls in the list of calls. The filmstrip is an `overlay` of
//!   the timeline, in a part of the frames' track that `Timeline.below` makes room for.
//! - A trace is hostile input for a GPU. `Bounds` limits vertices, memory, contexts and display
//!   lists. `glsl/cost.rs` counts the operations of a shader as compilers see it; `Op::Cost` passes
//!   them on before each draw. By these `web/features/pictures/gl/pace.ts` ends portions of
//!   commands, and `parts.ts` divides draws. `web/features/pictures/replay.ts` ends a worker that
//!   says nothing for a few seconds, and `web/features/pictures/worker.ts` starts the next one once
//!   its GPU is done.

#![forbid(unsafe_code)]

mod calls;
mod collector;
mod content;
mod driver;
mod fixed;
mod fixed_shaders;
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
mod written;

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
pub use written::{Holder, Written};
