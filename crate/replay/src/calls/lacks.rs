//! What is not replayed, charged to what needs it: a draw, a primitive between `glBegin` and
//! `glEnd`, or whatever reads what was written. Never to all that follows.

use unspool_formats::apitrace::{NameFlags, Renders};
use unspool_gl::call::Call;
use unspool_gl::machine::what;
use unspool_gl::{Several, Variant, gl};

use super::Functions;
use crate::driver::Replay;

pub(crate) const TABLE: Functions = &[
    ("BindProgramPipeline", |r, c, _| {
        if let Some(context) = r.context() {
            context.pipeline = c.uint(0);
        }
    }),
    ("BeginTransformFeedback", |r, _, _| {
        written(
            r,
            gl::TRANSFORM_FEEDBACK_BUFFER,
            "it reads what transform feedback has written, which is not replayed",
        );
    }),
    ("DispatchCompute", compute),
    ("DispatchComputeIndirect", compute),
    ("DispatchComputeGroupSize", compute),
    ("BindImageTexture", |r, c, _| {
        // Only those that shaders may write to.
        let name = if c.uint(5) == gl::READ_ONLY { 0 } else { c.uint(1) };
        note_written(r, gl::TEXTURE, c.uint(0), name);
    }),
    ("TransformFeedbackBufferBase", |r, c, _| note_written(r, gl::TRANSFORM_FEEDBACK_BUFFER, c.uint(1), c.uint(2))),
    ("TransformFeedbackBufferRange", |r, c, _| note_written(r, gl::TRANSFORM_FEEDBACK_BUFFER, c.uint(1), c.uint(2))),
    ("BindBufferOffset", |r, c, _| note_written(r, gl::TRANSFORM_FEEDBACK_BUFFER, c.uint(1), c.uint(2))),
    ("ReadPixels", |r, _, _| read_back(r)),
    ("ReadnPixels", |r, _, _| read_back(r)),
    ("BindImageTextures", |r, c, _| {
        super::textures::bind_units(r, c, Several::Images, |r, unit, name| note_written(r, gl::TEXTURE, unit, name));
    }),
];

/// Buffers and images that are remembered because shaders may write to them.
const MOST_WRITTEN: usize = 1024;

/// A shader may write to a buffer of this target and index, or to the texture of an image unit.
pub(crate) fn note_written(r: &mut Replay, target: u32, index: u32, name: u32) {
    let Some(context) = r.context() else { return };
    if name == 0 {
        context.written.remove(&(target, index));
    } else if context.written.len() < MOST_WRITTEN {
        context.written.insert((target, index), name);
    }
}

/// What is bound to a target is not what it is in the trace from now on.
fn written(r: &mut Replay, target: u32, reason: &'static str) {
    let call = r.call;
    let Some((context, objects, _)) = r.both() else { return };
    for (_, name) in context.written.iter().filter(|((known, _), _)| *known == target) {
        if target == gl::TEXTURE {
            if let Some(texture) = objects.textures.get_mut(name) {
                texture.problem = Some(reason);
            }
        } else if let Some(buffer) = objects.buffers.get_mut(name) {
            (buffer.problem, buffer.written) = (Some(reason), Some(call));
        }
    }
}

/// Pixels are read into a buffer, if one is bound for that.
fn read_back(r: &mut Replay) {
    let bound = r.context().and_then(|context| context.buffers.get(&gl::PIXEL_PACK_BUFFER).copied());
    if bound.is_some_and(|name| name != 0) {
        r.wrote_buffer(gl::PIXEL_PACK_BUFFER, Some("it reads pixels that were read back into a buffer"));
    }
}

fn compute(r: &mut Replay, _: &Call, _: Variant) {
    for target in [gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER, gl::TEXTURE] {
        written(r, target, "it reads what a compute shader has written, which WebGL2 lacks");
    }
    r.unshown("compute shaders are not in WebGL2");
}

/// Whether a call of a function changes a picture by itself: it draws or clears, or writes pixels
/// in place of that. Display lists do so by what they hold.
pub(crate) fn is_draw(name: &str) -> bool {
    let others = ["glDispatchCompute", "glAccum"];
    others.iter().any(|begin| name.starts_with(begin))
        || matches!(NameFlags::of(name).renders, Some(Renders::Draw | Renders::Clear))
}

/// The capabilities that WebGL2 lacks, and that matter to draws.
pub(super) const EXTRAS: [u32; 6] = [
    gl::COLOR_LOGIC_OP,
    gl::POLYGON_STIPPLE,
    gl::VERTEX_PROGRAM_ARB,
    gl::FRAGMENT_PROGRAM_ARB,
    gl::DEPTH_BOUNDS_TEST_EXT,
    gl::STENCIL_TEST_TWO_SIDE_EXT,
];

impl Replay {
    /// Why a draw with the program in use cannot be clipped. Those that say nothing about clipping
    /// are taken not to need it.
    fn clips_of_program(&mut self) -> Option<&'static str> {
        let name = self.context()?.program;
        let linked = self.program(name)?.linked.as_ref()?;
        linked.origin.source(0).contains("gl_Clip").then_some("clip planes of programs are not replayed")
    }

    /// Why no draw of this primitive can be shown as the context is now.
    pub(crate) fn lacks(&mut self, mode: u32) -> Option<&'static str> {
        let context = self.context()?;
        let is_line = matches!(mode, gl::LINES..=gl::LINE_STRIP) || context.polygon_mode == gl::LINE;
        let is_filled = mode >= gl::TRIANGLES && context.polygon_mode == gl::FILL;
        let is_fixed = context.program == 0;
        if is_fixed && context.pipeline != 0 {
            return Some("program pipelines are not replayed");
        }
        if context.clips[0] == gl::UPPER_LEFT && is_fixed && context.fixed.is_stippled() && is_line {
            return Some("line stipple with another origin, of glClipControl, is not replayed");
        }
        let clips = context.fixed.clips.contains(&true);
        if let Some(reason) = clips.then(|| self.clips_of_program()).flatten() {
            return Some(reason);
        }
        let logic = self.setting(what::LOGIC_OP_MODE).filter(|mode| *mode != gl::COPY.into());
        let context = self.context()?;
        // The fixed function has gaps in its lines, but not in those of polygons.
        if context.fixed.is_stippled() && is_line && (!is_fixed || mode >= gl::TRIANGLES) {
            return Some("line stipple of polygons and programs is not replayed");
        }
        context.extras.iter().find_map(|cap| match *cap {
            gl::COLOR_LOGIC_OP if logic.is_some() => Some("logical operations are not in WebGL2"),
            gl::DEPTH_BOUNDS_TEST_EXT if context.bounds != [0.0, 1.0] => Some("bounds of depths are not in WebGL2"),
            gl::STENCIL_TEST_TWO_SIDE_EXT if context.state.is_enabled(gl::STENCIL_TEST) => {
                Some("stencil tests of GL_EXT_stencil_two_side are not replayed")
            }
            gl::POLYGON_STIPPLE if is_filled => Some("polygon stipple is not replayed"),
            gl::VERTEX_PROGRAM_ARB | gl::FRAGMENT_PROGRAM_ARB if is_fixed => Some("assembly programs are not replayed"),
            _ => None,
        })
    }
}
