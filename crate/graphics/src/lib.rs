//! What the OpenGL calls of an apitrace mean, without a graphics driver.
//!
//! ```text
//! alone       which calls frames need to replay by themselves
//! known       a function of a trace, with the places of its arguments
//! contexts    contexts, and when each was current on a thread
//! frames      what happens in each frame: draws, vertices, uploads, redundant calls
//! findings    what a program wastes or does wrong
//! resources   textures, buffers, shaders and other objects: what happened to them, and what they hold
//! times       how long calls took in a replay of apitrace
//! reader      the Reader that passes the calls of a trace on
//! survey      one pass over all calls, for frames and resources
//! state       what every context and object holds at any call
//! page        the surfaces for JavaScript (feature `page`)
//! ```
//!
//! Everything begins with [`Reader`]: it has the index that the session made of the file
//! ([`unspool_trace::records`]) and a [`unspool_records::ByteSource`], and passes the calls of any
//! *pieces* (at most 4096 calls each) to a [`CallVisitor`]. A visitor says which functions it
//! wants, so that the values of others are skipped. Calls come in the order in which they returned.
//!
//! In the page this is one wasm module (feature `page`), which one worker loads when something of
//! it is first shown (`web/features/graphics/worker/graphics.ts`). Its parts, survey, state,
//! findings and the cut of frames, read the file together
//! (`web/features/graphics/worker/calls_reading.ts`).

#![forbid(unsafe_code)]

pub mod alone;
pub mod contexts;
pub mod findings;
pub mod frames;
mod known;
mod numbered;
mod reader;
pub mod resources;
pub mod state;
mod survey;
pub mod times;

#[cfg(feature = "page")]
mod alone_page;
#[cfg(feature = "page")]
mod survey_page;

pub use reader::{CallVisitor, Reader};
pub use survey::Survey;
#[cfg(feature = "page")]
pub use unspool_decompressors::provide_decompressors;
pub use unspool_gl::call::{Call, Value, Values};
