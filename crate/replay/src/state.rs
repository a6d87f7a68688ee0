//! The state of a context that WebGL2 has, too, as words. A group of words belongs to one command,
//! so that what has changed is found by comparing.

use unspool_gl::gl;

use crate::ops::{Op, Stream};

/// A group: its command, the words that come first in it, and where its words are.
struct Group {
    op: Op,
    prefix: Option<u32>,
    at: usize,
    len: usize,
}

const fn group(op: Op, at: usize, len: usize) -> Group {
    Group { op, prefix: None, at, len }
}

const fn cap(cap: u32, at: usize) -> Group {
    Group { op: Op::Enable, prefix: Some(cap), at, len: 1 }
}

/// Where words of the state are.
pub(crate) mod word {
    pub(crate) const VIEWPORT: usize = 0;
    pub(crate) const SCISSOR: usize = 4;
    pub(crate) const CLEAR_COLOR: usize = 8;
    pub(crate) const CLEAR_DEPTH: usize = 12;
    pub(crate) const CLEAR_STENCIL: usize = 13;
    pub(crate) const COLOR_MASK: usize = 14;
    pub(crate) const DEPTH_MASK: usize = 18;
    pub(crate) const DEPTH_FUNC: usize = 19;
    pub(crate) const DEPTH_RANGE: usize = 20;
    pub(crate) const BLEND_FUNC: usize = 22;
    pub(crate) const BLEND_EQUATION: usize = 26;
    pub(crate) const BLEND_COLOR: usize = 28;
    pub(crate) const CULL_FACE: usize = 32;
    pub(crate) const FRONT_FACE: usize = 33;
    pub(crate) const LINE_WIDTH: usize = 34;
    pub(crate) const POLYGON_OFFSET: usize = 35;
    pub(crate) const STENCIL_FUNC: usize = 37;
    pub(crate) const STENCIL_OP: usize = 43;
    pub(crate) const STENCIL_MASK: usize = 49;
    pub(crate) const CAPS: usize = 51;
    pub(crate) const COUNT: usize = 61;
}

/// Capabilities, in the order of their words from [`word::CAPS`] on.
const CAPS: [u32; 10] = [
    gl::BLEND,
    gl::CULL_FACE,
    gl::DEPTH_TEST,
    gl::DITHER,
    gl::POLYGON_OFFSET_FILL,
    gl::SAMPLE_ALPHA_TO_COVERAGE,
    gl::SAMPLE_COVERAGE,
    gl::SCISSOR_TEST,
    gl::STENCIL_TEST,
    gl::RASTERIZER_DISCARD,
];

const GROUPS: [Group; 32] = [
    group(Op::Viewport, word::VIEWPORT, 4),
    group(Op::Scissor, word::SCISSOR, 4),
    group(Op::ClearColor, word::CLEAR_COLOR, 4),
    group(Op::ClearDepth, word::CLEAR_DEPTH, 1),
    group(Op::ClearStencil, word::CLEAR_STENCIL, 1),
    group(Op::ColorMask, word::COLOR_MASK, 4),
    group(Op::DepthMask, word::DEPTH_MASK, 1),
    group(Op::DepthFunc, word::DEPTH_FUNC, 1),
    group(Op::DepthRange, word::DEPTH_RANGE, 2),
    group(Op::BlendFunc, word::BLEND_FUNC, 4),
    group(Op::BlendEquation, word::BLEND_EQUATION, 2),
    group(Op::BlendColor, word::BLEND_COLOR, 4),
    group(Op::CullFace, word::CULL_FACE, 1),
    group(Op::FrontFace, word::FRONT_FACE, 1),
    group(Op::LineWidth, word::LINE_WIDTH, 1),
    group(Op::PolygonOffset, word::POLYGON_OFFSET, 2),
    Group { op: Op::StencilFunc, prefix: Some(gl::FRONT), at: word::STENCIL_FUNC, len: 3 },
    Group { op: Op::StencilFunc, prefix: Some(gl::BACK), at: word::STENCIL_FUNC + 3, len: 3 },
    Group { op: Op::StencilOp, prefix: Some(gl::FRONT), at: word::STENCIL_OP, len: 3 },
    Group { op: Op::StencilOp, prefix: Some(gl::BACK), at: word::STENCIL_OP + 3, len: 3 },
    Group { op: Op::StencilMask, prefix: Some(gl::FRONT), at: word::STENCIL_MASK, len: 1 },
    Group { op: Op::StencilMask, prefix: Some(gl::BACK), at: word::STENCIL_MASK + 1, len: 1 },
    cap(CAPS[0], word::CAPS),
    cap(CAPS[1], word::CAPS + 1),
    cap(CAPS[2], word::CAPS + 2),
    cap(CAPS[3], word::CAPS + 3),
    cap(CAPS[4], word::CAPS + 4),
    cap(CAPS[5], word::CAPS + 5),
    cap(CAPS[6], word::CAPS + 6),
    cap(CAPS[7], word::CAPS + 7),
    cap(CAPS[8], word::CAPS + 8),
    cap(CAPS[9], word::CAPS + 9),
];

/// The state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    words: [u32; word::COUNT],
}

impl State {
    /// That of a new context.
    pub(crate) fn new() -> Self {
        let mut state = Self { words: [0; word::COUNT] };
        state.put(word::COLOR_MASK, &[1; 4]);
        state.put(word::DEPTH_MASK, &[1, gl::LESS]);
        state.floats(word::CLEAR_DEPTH, &[1.0]);
        state.floats(word::DEPTH_RANGE, &[0.0, 1.0]);
        state.put(word::BLEND_FUNC, &[gl::ONE, gl::ZERO, gl::ONE, gl::ZERO, gl::FUNC_ADD, gl::FUNC_ADD]);
        state.put(word::CULL_FACE, &[gl::BACK, gl::CCW]);
        state.floats(word::LINE_WIDTH, &[1.0]);
        for side in 0..2 {
            state.put(word::STENCIL_FUNC + 3 * side, &[gl::ALWAYS, 0, u32::MAX]);
            state.put(word::STENCIL_OP + 3 * side, &[gl::KEEP; 3]);
            state.put(word::STENCIL_MASK + side, &[u32::MAX]);
        }
        // Dithering is on, but no two machines dither alike.
        state
    }

    /// Sets words.
    pub(crate) fn put(&mut self, at: usize, words: &[u32]) {
        for (slot, word) in self.words.iter_mut().skip(at).zip(words) {
            *slot = *word;
        }
    }

    /// Sets words that are floats.
    pub(crate) fn floats(&mut self, at: usize, numbers: &[f32]) {
        for (slot, number) in self.words.iter_mut().skip(at).zip(numbers) {
            *slot = number.to_bits();
        }
    }

    /// Copies words of another state.
    pub(crate) fn copy(&mut self, from: &Self, at: usize, len: usize) {
        for i in at..at + len {
            self.put(i, &[from.get(i)]);
        }
    }

    pub(crate) fn get(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Four words.
    pub(crate) fn four(&self, at: usize) -> [u32; 4] {
        [self.get(at), self.get(at + 1), self.get(at + 2), self.get(at + 3)]
    }

    /// Enables or disables a capability. Returns false if WebGL2 has no such.
    pub(crate) fn enable(&mut self, cap: u32, on: bool) -> bool {
        let found = CAPS.iter().position(|known| *known == cap);
        if let Some(i) = found
            && cap != gl::DITHER
        {
            self.put(word::CAPS + i, &[on.into()]);
        }
        found.is_some()
    }

    pub(crate) fn is_enabled(&self, cap: u32) -> bool {
        CAPS.iter().position(|known| *known == cap).is_some_and(|i| self.get(word::CAPS + i) != 0)
    }

    /// Adds commands for what differs from `actual`, which is equal afterwards. `None`: nothing is
    /// known of it.
    pub(crate) fn flush(&self, actual: &mut Option<State>, stream: &mut Stream) {
        for Group { op, prefix, at, len } in &GROUPS {
            let words = self.words.get(*at..at + len).unwrap_or_default();
            let known = actual.as_ref().and_then(|actual| actual.words.get(*at..at + len));
            if words.is_empty() || known == Some(words) {
                continue;
            }
            match prefix {
                None => stream.put(*op, words),
                Some(prefix) => {
                    let mut all = [0; 4];
                    for (slot, word) in all.iter_mut().zip([*prefix].iter().chain(words)) {
                        *slot = *word;
                    }
                    stream.put(*op, all.get(..words.len() + 1).unwrap_or_default());
                }
            }
        }
        *actual = Some(self.clone());
    }
}
