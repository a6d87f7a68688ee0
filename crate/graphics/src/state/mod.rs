//! State: what every context and object holds after any call.
//!
//! ```text
//! history      roots of the machine at the beginning of each piece of a trace, and the fold to any call
//! report       what a context holds at a call, for people and as JSON
//! sections     the rows of a report: what a draw uses first
//! inputs       what a draw takes its vertices from
//! sampling     the parameters by which textures are sampled
//! uniforms     uniforms of programs, blocks of uniforms, and what shaders declare (glsl, conditions)
//! ```
//!
//! What calls set is followed by [`unspool_gl::machine`]. A `History` keeps a root of it at the
//! beginning of each piece of the trace (at most 4096 calls), so a state is the root of its piece
//! and the calls from there on. A call that returns after its piece has ended makes later folds
//! begin earlier. `Report` puts what a context holds into sections.
//!
//! - In the page the calls are read for it (`web/features/graphics/worker/gl_state.ts`) from when
//!   State is first shown; `web/features/graphics/gl_state.ts` asks for the selected call, and
//!   again once that is read.
//! - Of a draw the state also says what it takes its vertices from
//!   (`crate/graphics/src/state/inputs.rs`, `GlDraw`). The survey has the bytes, and the page makes
//!   of both a mesh (`web/features/graphics/mesh.ts`) and suggestions of how a buffer is read
//!   (`web/features/graphics/buffer_layout.ts`).

mod blocks;
mod conditions;
mod glsl;
mod history;
mod inputs;
mod json;
#[cfg(feature = "page")]
mod page;
mod report;
mod sampling;
mod sections;
mod uniforms;

pub use history::{History, Progress};
#[cfg(feature = "page")]
pub use page::GlHistory;
pub use report::{Report, Row, Section, Shader};
pub use unspool_gl::contexts::Profile;
pub use unspool_gl::machine::Machine;
pub use unspool_gl::machine::cells::{Attachment, Cell, Content, Image, Numbers, Value};
