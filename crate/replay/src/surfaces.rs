//! From which call on draws to framebuffers are needed for a picture.
//!
//! A *surface* is a texture that is drawn to, or a renderbuffer. What it holds began with the
//! latest clear of all of it. What reads it needs the draws since then, and these read further
//! surfaces. So the least beginning that a frame reads is noted, and for a picture it is followed
//! until it leads no further back.

use hashbrown::HashMap;
use unspool_gl::gl;

use crate::driver::Replay;
use crate::objects::Framebuffer;
use crate::state::word;

/// The number of the surface of a renderbuffer. That of a texture is its number in WebGL2.
pub(crate) fn of_renderbuffer(handle: u32) -> u32 {
    handle | 1 << 31
}

/// When colours or depths, and stencils, began to be what they are.
#[derive(Clone, Copy, Debug)]
struct Since {
    values: u64,
    stencils: u64,
    /// It has parts that no clear of a framebuffer reaches: levels, faces, layers.
    has_parts: bool,
}

/// What is known of surfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surfaces {
    since: HashMap<u32, Since>,
    /// The least beginning that was read since the latest swap.
    least: Option<u64>,
    /// The same for each part between two swaps, with the swap that ends it.
    parts: Vec<(u64, u64)>,
    /// Calls between which a framebuffer is bound that nothing was drawn to yet, with the beginning
    /// of what is seen there.
    looks: Vec<(u64, u64, u64)>,
    /// The look that has not ended, and its context. One that another context's replaces never
    /// ends.
    look: Option<u32>,
}

/// Limit for the parts that are kept, and for the looks.
const MOST: usize = 1 << 21;
const STENCILS: [u32; 2] = [gl::STENCIL_ATTACHMENT, gl::DEPTH_STENCIL_ATTACHMENT];

impl Surfaces {
    fn note(&mut self, since: u64) {
        self.least = Some(self.least.map_or(since, |least| least.min(since)));
    }

    /// A texture or renderbuffer is read.
    pub(crate) fn read(&mut self, surface: u32) {
        if let Some(since) = self.since.get(&surface).copied() {
            self.note(since.values);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    /// A swap ends a part, or the trace does.
    pub(crate) fn end(&mut self, call: u64) {
        let least = self.least.take().unwrap_or(u64::MAX);
        if self.parts.len() < MOST {
            self.parts.push((call, least));
        }
    }

    /// The call from which on draws to framebuffers are needed for a picture after `call`, if those
    /// to windows are from `from` on.
    pub(crate) fn needed(&self, call: u64, from: u64) -> u64 {
        if self.parts.len() >= MOST || self.looks.len() >= MOST {
            return 0;
        }
        let looks = self.looks.iter().filter(|(begin, end, _)| (*begin..*end).contains(&call));
        let from = looks.fold(from, |from, (.., since)| from.min(*since));
        let last = self.parts.partition_point(|(end, _)| *end < call);
        let mut from = from;
        for i in (0..=last).rev() {
            // A part begins after the swap before it.
            match self.parts.get(i) {
                Some((end, least)) if *end >= from => from = from.min(*least),
                Some(_) => break,
                None => {}
            }
        }
        from
    }
}

impl Replay {
    /// All of a surface is new at this call.
    pub(crate) fn surface_made(&mut self, surface: u32) {
        let call = self.call;
        let since =
            self.surfaces.since.entry(surface).or_insert(Since { values: call, stencils: call, has_parts: false });
        if !since.has_parts {
            (since.values, since.stencils) = (call, call);
        }
    }

    /// The content of a texture is new, if it was drawn to before.
    pub(crate) fn surface_uploaded(&mut self, surface: u32) {
        if self.surfaces.since.contains_key(&surface) {
            self.surface_made(surface);
        }
    }

    /// A surface can be drawn to. What it has had until now, no draw has made. `is_whole`: it has
    /// no other parts.
    pub(crate) fn surface_attached(&mut self, surface: u32, is_whole: bool) {
        if surface & !(1 << 31) != 0 {
            let call = self.call;
            let since =
                self.surfaces.since.entry(surface).or_insert(Since { values: call, stencils: call, has_parts: false });
            since.has_parts |= !is_whole;
        }
    }

    /// The framebuffer of the current context that is drawn to, or read from.
    fn bound_framebuffer(&self, is_read: bool) -> Option<&Framebuffer> {
        let context = self.bound()?;
        let name = if is_read { context.read_framebuffer } else { context.draw_framebuffer };
        context.framebuffers.get(&name).filter(|_| name != 0)
    }

    /// What the current framebuffer holds can be seen, until something is drawn to it.
    pub(crate) fn surfaces_shown(&mut self) {
        self.look_ended();
        let all: Vec<u32> = self.bound_framebuffer(false).map_or(Vec::new(), surfaces_of);
        let since = all.iter().filter_map(|surface| self.surfaces.since.get(surface)).map(|since| since.values).min();
        if let (Some(since), Some(at)) = (since, self.at)
            && self.surfaces.looks.len() < MOST
        {
            self.surfaces.looks.push((self.call, u64::MAX, since));
            self.surfaces.look = Some(at);
        }
    }

    fn look_ended(&mut self) {
        if self.surfaces.look.is_some() && self.surfaces.look == self.at {
            self.surfaces.look = None;
            if let Some((_, end, _)) = self.surfaces.looks.last_mut() {
                *end = self.call;
            }
        }
    }

    /// The framebuffer that is bound for reading is read.
    pub(crate) fn surfaces_read(&mut self) {
        let all: Vec<u32> = self.bound_framebuffer(true).map_or(Vec::new(), surfaces_of);
        all.into_iter().for_each(|surface| self.surfaces.read(surface));
    }

    /// The current framebuffer is drawn to: what it had before may be seen.
    pub(crate) fn surfaces_drawn(&mut self) {
        let Some(framebuffer) = self.bound_framebuffer(false) else { return };
        let Some(context) = self.bound() else { return };
        let (depth, stencil) = (context.state.is_enabled(gl::DEPTH_TEST), context.state.is_enabled(gl::STENCIL_TEST));
        let all: Vec<(u32, bool, bool)> = framebuffer
            .attachments
            .iter()
            .map(|a| (a.surface, is_color(a.point) || depth, stencil && STENCILS.contains(&a.point)))
            .collect();
        self.look_ended();
        for (surface, has_values, has_stencils) in all {
            let Some(since) = self.surfaces.since.get(&surface).copied() else { continue };
            if has_values {
                self.surfaces.note(since.values);
            }
            if has_stencils {
                self.surfaces.note(since.stencils);
            }
        }
    }

    /// The current framebuffer is cleared. What is cleared as a whole starts over.
    pub(crate) fn surfaces_cleared(&mut self, mask: u32) {
        let Some(framebuffer) = self.bound_framebuffer(false) else { return };
        let Some(context) = self.bound() else { return };
        let state = &context.state;
        let is_whole = !state.is_enabled(gl::SCISSOR_TEST) && !state.is_enabled(gl::RASTERIZER_DISCARD);
        let colors = framebuffer.attachments.iter().filter(|a| is_color(a.point)).count();
        let color = mask & gl::COLOR_BUFFER_BIT != 0
            && is_whole
            && colors == 1
            && !framebuffer.is_masked
            && state.four(word::COLOR_MASK) == [1; 4];
        let depth = mask & gl::DEPTH_BUFFER_BIT != 0 && is_whole && state.get(word::DEPTH_MASK) != 0;
        let stencil = mask & gl::STENCIL_BUFFER_BIT != 0 && is_whole && state.get(word::STENCIL_MASK) & 255 == 255;
        let all: Vec<(u32, bool, bool, bool)> = framebuffer
            .attachments
            .iter()
            .map(|a| {
                let values = if a.point == gl::COLOR_ATTACHMENT0 {
                    color
                } else {
                    depth && matches!(a.point, gl::DEPTH_ATTACHMENT | gl::DEPTH_STENCIL_ATTACHMENT)
                };
                let is_cleared =
                    mask & if is_color(a.point) { gl::COLOR_BUFFER_BIT } else { gl::DEPTH_BUFFER_BIT } != 0;
                (a.surface, is_cleared, values && a.is_whole, stencil && a.is_whole && STENCILS.contains(&a.point))
            })
            .collect();
        let call = self.call;
        self.look_ended();
        for (surface, is_cleared, values, stencils) in all {
            if values {
                self.cleared(surface);
            }
            let Some(since) = self.surfaces.since.get_mut(&surface) else { continue };
            if values && !since.has_parts {
                since.values = call;
            }
            if stencils && !since.has_parts {
                since.stencils = call;
            }
            let since = since.values;
            if is_cleared {
                self.surfaces.note(since);
            }
        }
    }
}

fn is_color(point: u32) -> bool {
    (gl::COLOR_ATTACHMENT0..gl::COLOR_ATTACHMENT0 + 16).contains(&point)
}

fn surfaces_of(framebuffer: &Framebuffer) -> Vec<u32> {
    framebuffer.attachments.iter().map(|attachment| attachment.surface).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_followed_until_they_lead_no_further_back() {
        let mut surfaces = Surfaces::default();
        // Parts end with calls 9, 19, 29 and 39. The third reads what began in the second, and that
        // what began in the first.
        for (end, least) in [(9, None), (19, Some(5)), (29, Some(15)), (39, Some(32))] {
            surfaces.least = least;
            surfaces.end(end);
        }
        assert_eq!(surfaces.needed(39, 30), 30);
        assert_eq!(surfaces.needed(25, 20), 5);
        assert_eq!(surfaces.needed(8, 0), 0);
        // After the last swap.
        assert_eq!(surfaces.needed(44, 40), 40);
        // A window that is needed from before.
        assert_eq!(surfaces.needed(39, 21), 5);
    }

    /// Three frames of ten calls that draw to a texture and sample it. Returns what the last one
    /// needs.
    fn needed(of_frame: &[(&str, &[u32])]) -> u64 {
        use unspool_gl::example::{Example, Value};
        let mut replay = Replay::new(crate::Bounds::default(), false);
        let mut number = 0;
        let mut execute = |name: &str, args: &[u32]| {
            let args = args.iter().map(|n| Value::Int((*n).into())).collect();
            replay.execute_example(&Example { number, name: name.into(), args, ..Example::default() });
            number += 1;
        };
        execute("glXMakeCurrent", &[1, 2, 3]);
        execute("glViewport", &[0, 0, 8, 8]);
        execute("glBindTexture", &[gl::TEXTURE_2D, 1]);
        execute("glTexImage2D", &[gl::TEXTURE_2D, 0, gl::RGBA8, 8, 8, 0, gl::RGBA, gl::UNSIGNED_BYTE]);
        execute("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
        execute("glFramebufferTexture2D", &[gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::TEXTURE_2D, 1, 0]);
        let mut begin = 0;
        for frame in 0..3 {
            if frame == 2 {
                begin = 6 + 2 * (of_frame.len() as u64 + 5);
            }
            execute("glBindFramebuffer", &[gl::FRAMEBUFFER, 1]);
            of_frame.iter().for_each(|(name, args)| execute(name, args));
            execute("glBindFramebuffer", &[gl::FRAMEBUFFER, 0]);
            execute("glClear", &[gl::COLOR_BUFFER_BIT]);
            execute("glRecti", &[0, 0, 1, 1]);
            execute("glXSwapBuffers", &[1, 2]);
        }
        let needed = replay.surfaces.needed(number - 1, begin);
        assert!(begin >= 20 && needed <= begin);
        begin - needed
    }

    #[test]
    fn draws_before_a_clear_of_all_are_not_needed() {
        let draw: (&str, &[u32]) = ("glRecti", &[0, 0, 1, 1]);
        let clear: (&str, &[u32]) = ("glClear", &[gl::COLOR_BUFFER_BIT]);
        assert_eq!(needed(&[clear, draw]), 0);
        // Without a clear, or with one of a part or of some colours, all draws since the texture
        // was attached are.
        let all = needed(&[draw, draw]);
        assert!(all > 12, "{all}");
        let before: [(&str, &[u32]); 2] = [("glEnable", &[gl::SCISSOR_TEST]), ("glColorMask", &[1, 0, 1, 1])];
        for before in before {
            assert!(needed(&[before, clear, draw]) > 12, "{before:?}");
        }
    }
}
