//! Which draws a picture needs: those before the frame began are not, if the frame clears its window first.

use hashbrown::HashMap;

use crate::driver::Replay;
use crate::state::word;

/// A frame of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The first call after the swap before it.
    pub from: u64,
    /// The call that swaps its buffers; `u64::MAX` for the last one if the trace ends before.
    pub to: u64,
    /// Nothing of what the window had before can be seen.
    pub clears: bool,
    /// Draws and clears since the swap before it, of windows and framebuffers.
    pub draws: u64,
}

/// A frame that has not ended.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    from: u64,
    color: bool,
    depth: bool,
    stencil: bool,
    /// Something of before may be seen.
    keeps: bool,
    draws: u64,
}

/// What is known of frames.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    frames: Vec<Frame>,
    open: HashMap<i64, Open>,
    /// Draws up to the latest swap.
    counted: u64,
    /// Something of a window was read into a texture, or by the program.
    reads_windows: bool,
}

/// Limit for the frames that are kept.
const MOST: usize = 1 << 22;

impl Plan {
    /// The frame that a call belongs to.
    pub(crate) fn frame_of(&self, call: u64) -> Option<Frame> {
        let first = self.frames.partition_point(|frame| frame.to < call);
        self.frames.get(first..)?.iter().take(64).find(|frame| frame.from <= call).copied()
    }

    /// The call before which draws to windows can be left out for a picture at `call`.
    pub(crate) fn skip_before(&self, call: u64) -> u64 {
        match self.frame_of(call) {
            Some(frame) if frame.clears && !self.reads_windows => frame.from,
            _ => 0,
        }
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() < MOST {
            self.frames.push(frame);
        }
    }

    /// The trace is over.
    pub(crate) fn finish(&mut self) {
        let mut rest: Vec<Open> = self.open.drain().map(|(_, open)| open).filter(|open| open.draws > 0).collect();
        rest.sort_unstable_by_key(|open| open.from);
        for open in rest {
            self.push(closed(&open, u64::MAX));
        }
    }

    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }
}

fn closed(open: &Open, to: u64) -> Frame {
    Frame { from: open.from, to, clears: open.color && !open.keeps, draws: open.draws }
}

impl Replay {
    /// The window is drawn to. What the frame has not cleared before may be seen.
    pub(crate) fn note_draw(&mut self) {
        self.surfaces_drawn();
        let Some(at) = self.at else { return };
        let Some(context) = self.contexts.get(at).filter(|context| context.draw_framebuffer == 0) else { return };
        let (depth, stencil) = (context.state.is_enabled(0xB71), context.state.is_enabled(0xB90));
        let open = self.plan.open.entry(context.drawable).or_default();
        open.draws += 1;
        open.keeps |= !open.color || (depth && !open.depth) || (stencil && !open.stencil);
    }

    /// The window is cleared.
    pub(crate) fn note_clear(&mut self, mask: u32) {
        self.surfaces_cleared(mask);
        let Some(at) = self.at else { return };
        let Some(context) = self.contexts.get(at).filter(|context| context.draw_framebuffer == 0) else { return };
        let state = &context.state;
        let whole = !state.is_enabled(0xC11) && !state.is_enabled(0x8C89);
        let open = self.plan.open.entry(context.drawable).or_default();
        open.draws += 1;
        open.color |= mask & 0x4000 != 0 && whole && state.four(word::COLOR_MASK) == [1; 4];
        open.depth |= mask & 0x100 != 0 && whole && state.get(word::DEPTH_MASK) != 0;
        open.stencil |= mask & 0x400 != 0 && whole;
    }

    /// What the window holds is read.
    pub(crate) fn note_read(&mut self) {
        self.surfaces_read();
        self.plan.reads_windows |= self.context().is_some_and(|context| context.read_framebuffer == 0);
    }

    /// A frame ends with the current call.
    pub(crate) fn note_swap(&mut self, thread: i64) {
        let Some(at) = self.context_of_thread(thread) else { return };
        let Some(drawable) = self.contexts.get(at).map(|context| context.drawable) else { return };
        let to = self.call;
        self.surfaces.end(to);
        // What is drawn to stays that in the next frame.
        self.surfaces_shown();
        let open = self.plan.open.insert(drawable, Open { from: to + 1, ..Open::default() }).unwrap_or_default();
        let all = self.verdict.draws;
        let frame = Frame { draws: all - self.plan.counted, ..closed(&open, to) };
        self.plan.counted = all;
        self.plan.push(frame);
    }
}
