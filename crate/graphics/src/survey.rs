//! One pass over all calls of a trace, for all that is counted and listed.
//!
//! `Survey` visits all calls of an apitrace once, in pieces, without contents of blobs. `Frames`
//! counts by the names of functions and by arguments (`frames/kinds.rs`). A call is redundant if
//! the machine of OpenGL has everything already that it sets, and nothing since then can have
//! changed it; in doubt it is not (`unspool_gl::machine::Settings`). In the page it is a part of
//! the worker of graphics (`web/features/graphics/worker/survey.ts`, `web/trace/survey.ts`), begun
//! when one of its panels is first shown. `unspool frame-list` uses it natively.
//!
//! `Survey::open_frame` reads the calls of one frame again and groups them (`frames/opened.rs`);
//! `web/features/graphics/frame_rows.ts` says which rows are in sight.

use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Error;

use crate::frames::{Frames, OpenedFrame, Opening};
use crate::reader::{CallVisitor, Reader, Steps};
use crate::resources::Resources;
use unspool_gl::call::Call;

/// Bytes of a blob that are needed: those of lists of display lists.
const BYTES: u64 = 4096;

/// What the calls of a trace add up to. It is made in steps, and what is there so far can be looked
/// at in between.
pub struct Survey<S> {
    steps: Steps<S>,
    found: Found,
}

/// What was found so far.
struct Found {
    frames: Frames,
    resources: Resources,
    /// The number that resources have for each function, by that of frames, which want all.
    functions: Vec<Option<u32>>,
}

impl CallVisitor for Found {
    fn function(&mut self, name: &str) -> Option<u32> {
        let number = self.frames.function(name);
        if self.functions.len() == number as usize {
            self.functions.push(self.resources.function(name));
        }
        Some(number)
    }

    fn call(&mut self, call: &Call) {
        self.resources.begin_call();
        if let Some(Some(function)) = self.functions.get(call.function as usize) {
            self.resources.call_of(call, *function);
        }
        let machine = self.resources.machine();
        self.frames.call_of(call, machine, machine.settings());
    }
}

impl<S: ByteSource> Survey<S> {
    /// A survey that has read nothing yet. `index` is what the decoder of the trace handed over.
    ///
    /// # Errors
    ///
    /// Returns [`unspool_trace::Cause::Misuse`] for bytes that are not an index of an apitrace.
    pub fn open(index: &[u8], source: S) -> Result<Self, Error> {
        let found = Found { frames: Frames::default(), resources: Resources::new(), functions: Vec::new() };
        Ok(Self { steps: Steps::new(Reader::keeping(index, source, BYTES)?), found })
    }

    /// Whether passes need a decompressor that is provided.
    pub fn needs_decompressor(&self) -> bool {
        self.steps.reader.needs_decompressor()
    }

    /// Reads `budget` further pieces of the file. Returns whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn step(&mut self, budget: u32) -> Result<bool, Unreadable> {
        let before = self.steps.progress();
        let is_done = self.steps.step(budget, &mut self.found)?;
        if is_done && before != self.steps.progress() {
            self.found.resources.settle();
        }
        Ok(is_done)
    }

    /// Number of pieces read, and of all.
    pub fn progress(&self) -> (u32, u32) {
        self.steps.progress()
    }

    /// The calls of a frame, in groups.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn open_frame(&mut self, frame: u32) -> Result<OpenedFrame, Unreadable> {
        let Some(of) = self.found.frames.frames().get(frame as usize) else { return Ok(OpenedFrame::default()) };
        let reader = &mut self.steps.reader;
        let mut opening = Opening::new(frame.into());
        reader.pass(reader.piece_of(of.first)..reader.piece_of(of.last) + 1, &mut opening)?;
        let mut opened = opening.finish();
        // What a call repeats may have been set in an earlier frame.
        let redundant = self.found.frames.redundant(of);
        for row in opened.rows.iter_mut().filter(|row| !row.is_group) {
            row.is_redundant = redundant.binary_search(&row.call).is_ok();
        }
        Ok(opened)
    }

    /// The frames so far.
    pub fn frames(&self) -> &Frames {
        &self.found.frames
    }

    /// The resources so far. What is still bound was drawn with more often once all is read.
    pub fn resources(&self) -> &Resources {
        &self.found.resources
    }
}
