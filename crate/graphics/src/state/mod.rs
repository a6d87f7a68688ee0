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
//! Nothing is guessed. What no call has set has the initial value of the specification, or is left out where that depends on the
//! driver or the window. A call that failed is not known as such, because traces do not record errors; calls with constants that
//! do not exist change nothing.

mod blocks;
mod buffers;
mod cells;
mod conditions;
mod contexts;
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
#[cfg(feature = "state")]
mod page;
mod parameters;
mod programs;
mod raster;
mod report;
mod sections;
mod textures;
mod uniforms;
mod variant;
mod what;

pub use cells::{Attachment, Cell, Content, Image, Numbers, Value};
pub use contexts::Profile;
pub use history::{History, Progress};
pub use machine::Machine;
#[cfg(feature = "state")]
pub use page::GlHistory;
pub use report::{Report, Row, Section, Shader};
