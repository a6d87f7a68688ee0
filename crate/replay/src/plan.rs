//! Which draws a picture needs: those before the frame began are not, if the frame clears its
//! window first.

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_trace::sort;

use crate::driver::Replay;
use crate::state::word;

/// A frame of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The first call after the swap before it.
    pub from: u64,
    /// The call that swaps its buffers; `u64::MAX` for the last one if the trace ends before.
    pub to: u64,
    /// The call that clears the window, after which nothing of what it had before can be seen.
    /// `None` if something can.
    pub clears: Option<u64>,
    /// Draws and clears since the swap before it, of windows and framebuffers.
    pub draws: u64,
}

/// A frame that has not ended.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    from: u64,
    color: Option<u64>,
    depth: bool,
    stencil: bool,
    /// Something of before may be seen.
    keeps: bool,
    draws: u64,
}

/// What is known of frames.
#[derive(Clone, Debug, Default)]
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
    /// The call before which draws to windows can be left out for a picture at `call`.
    pub(crate) fn skip_before(&self, call: u64) -> u64 {
        if self.reads_windows || self.frames.len() >= MOST {
            return 0;
        }
        // Each window has a frame at that call. Any may be the one that is shown.
        let first = self.frames.partition_point(|frame| frame.to < call);
        let at_once = self.frames.iter().skip(first).filter(|frame| frame.from <= call);
        at_once.map(|frame| self.begin(*frame, call)).min().unwrap_or_else(|| self.after_all(call))
    }

    /// The same for a call after the last swap, if there is one window.
    fn after_all(&self, call: u64) -> u64 {
        let is_one = self.frames.windows(2).all(|pair| matches!(pair, [a, b] if a.to.checked_add(1) == Some(b.from)));
        match self.frames.last() {
            Some(last) if is_one && last.to < call => {
                self.begin(Frame { from: last.to + 1, to: call, clears: None, draws: 0 }, call)
            }
            _ => 0,
        }
    }

    /// The call from which on the window of a frame is to be drawn to, for what it shows at a call.
    fn begin(&self, frame: Frame, call: u64) -> u64 {
        let (mut frame, mut call) = (frame, call);
        loop {
            if frame.clears.is_some_and(|clear| clear <= call) {
                return frame.from;
            }
            // What the window had when the frame before it ended.
            let Some(end) = frame.from.checked_sub(1) else { return 0 };
            let before = self.frames.partition_point(|frame| frame.to < end);
            match self.frames.get(before) {
                Some(found) if found.to == end => (frame, call) = (*found, end),
                _ => return 0,
            }
        }
    }

    fn push(&mut self, frame: Frame) {
        if self.frames.len() < MOST {
            self.frames.push(frame);
        }
    }

    /// The trace is over.
    pub(crate) fn finish(&mut self) {
        let rest: Vec<Open> = self.open.drain().map(|(_, open)| open).filter(|open| open.draws > 0).collect();
        let order = sort::order(rest.len(), &[&|at| rest.get(at).map_or(0, |open| open.from)]);
        for open in sort::in_order(rest, &order) {
            self.push(closed(&open, u64::MAX));
        }
    }

    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }
}

fn closed(open: &Open, to: u64) -> Frame {
    Frame { from: open.from, to, clears: open.color.filter(|_| !open.keeps), draws: open.draws }
}

impl Replay {
    /// The window is drawn to. What the frame has not cleared before may be seen.
    pub(crate) fn note_draw(&mut self) {
        self.surfaces_drawn();
        let Some(context) = self.bound().filter(|context| context.draw_framebuffer == 0) else { return };
        let (depth, stencil) = (context.state.is_enabled(gl::DEPTH_TEST), context.state.is_enabled(gl::STENCIL_TEST));
        let open = self.plan.open.entry(context.drawable).or_default();
        open.draws += 1;
        open.keeps |= open.color.is_none() || (depth && !open.depth) || (stencil && !open.stencil);
    }

    /// The window is cleared.
    pub(crate) fn note_clear(&mut self, mask: u32) {
        self.surfaces_cleared(mask);
        let Some(context) =
            self.at.and_then(|at| self.contexts.get(&at)).filter(|context| context.draw_framebuffer == 0)
        else {
            return;
        };
        let state = &context.state;
        let whole = !state.is_enabled(gl::SCISSOR_TEST) && !state.is_enabled(gl::RASTERIZER_DISCARD);
        let open = self.plan.open.entry(context.drawable).or_default();
        open.draws += 1;
        if mask & gl::COLOR_BUFFER_BIT != 0 && whole && state.four(word::COLOR_MASK) == [1; 4] {
            open.color = open.color.or(Some(self.call));
        }
        open.depth |= mask & gl::DEPTH_BUFFER_BIT != 0 && whole && state.get(word::DEPTH_MASK) != 0;
        open.stencil |= mask & gl::STENCIL_BUFFER_BIT != 0 && whole;
    }

    /// What the window holds is read.
    pub(crate) fn note_read(&mut self) {
        self.surfaces_read();
        self.plan.reads_windows |= self.context().is_some_and(|context| context.read_framebuffer == 0);
    }

    /// A frame ends with the current call.
    pub(crate) fn note_swap(&mut self) {
        let Some(drawable) = self.bound().map(|context| context.drawable) else { return };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(from: u64, to: u64, clears: Option<u64>) -> Frame {
        Frame { from, to, clears, draws: 1 }
    }

    #[test]
    fn a_picture_needs_the_window_from_the_latest_clear_on() {
        let frames = vec![frame(0, 9, Some(2)), frame(10, 19, Some(15)), frame(20, 29, None), frame(30, 39, Some(31))];
        let mut plan = Plan { frames, ..Plan::default() };
        for (call, begin) in [(39, 30), (31, 30), (30, 10), (25, 10), (16, 10), (14, 0), (5, 0), (99, 30)] {
            assert_eq!(plan.skip_before(call), begin, "call {call}");
        }
        // Another window, which swaps seldom.
        plan.frames.push(frame(12, 50, Some(13)));
        assert_eq!(plan.skip_before(39), 12);
        plan.reads_windows = true;
        assert_eq!(plan.skip_before(39), 0);
    }
}
