//! The shadow state machine: what contexts and objects hold after each call.
//!
//! ```text
//! machine      takes calls one by one; handlers of contexts, raster state, matrices, textures, buffers, programs ... set cells
//! cells        everything that was set, each with the call that set it, as a copy-on-write array
//! parameters   names, groups and initial values of state
//! history      roots at the beginning of each piece of a trace, and the fold to any call
//! inputs       what a draw takes its vertices from
//! report       what a context holds at a call, for people and as JSON
//! ```
//!
//! Nothing is guessed. What no call has set has the initial value of the specification, or is left
//! out where that depends on the driver or the window. A call that failed is not known as such,
//! because traces do not record errors; calls with constants that do not exist change nothing.
//!
//! `Machine` takes the calls of an apitrace in the order in which they returned. Its handlers, by
//! function, set *cells*: each belongs to a context, a share group or an object, is known by a
//! constant of OpenGL and an index, and remembers the call that set it. Cells are kept in a
//! copy-on-write array. A `History` keeps a root of it at the beginning of each piece of the trace
//! (at most 4096 calls), so a state is the root of its piece and the calls from there on. A call
//! that returns after its piece has ended makes later folds begin earlier. `Report` puts what a
//! context holds into sections: what a draw uses first.
//!
//! - In the page the calls are read for it (`web/features/graphics/worker/gl_state.ts`) from when
//!   State is first shown; `web/features/graphics/gl_state.ts` asks for the selected call, and
//!   again once that is read.
//! - Of a draw the state also says what it takes its vertices from
//!   (`crate/graphics/src/state/inputs.rs`, `GlDraw`). The survey has the bytes, and the page makes
//!   of both a mesh (`web/features/graphics/mesh.ts`) and suggestions of how a buffer is read
//!   (`web/features/graphics/buffer_layout.ts`).
//! - Functions of extensions are those of versions (`Functions::canonical`). Names and groups come
//!   from Khronos' registry (`cargo xtask gl`).
//! - Display lists keep calls, and executing them is bounded. Objects have an owner of their own
//!   for each time that their name is generated.
//! - What no call has set has the initial value of the specification, or none where that depends on
//!   the driver or the window.

mod blocks;
mod buffers;
mod cells;
mod conditions;
mod contexts;
mod direct;
mod fixed;
mod framebuffers;
mod glsl;
mod history;
mod inputs;
mod json;
mod lists;
mod machine;
mod matrices;
mod objects;
#[cfg(feature = "page")]
mod page;
mod parameters;
mod programs;
mod raster;
mod report;
mod sections;
mod textures;
mod uniforms;
mod what;

pub use cells::{Attachment, Cell, Content, Image, Numbers, Value};
pub use history::{History, Progress};
pub use machine::Machine;
#[cfg(feature = "page")]
pub use page::GlHistory;
pub use report::{Report, Row, Section, Shader};
pub use unspool_gl::contexts::Profile;
