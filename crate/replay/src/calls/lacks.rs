//! What is not replayed, charged to what needs it: a draw, a primitive between `glBegin` and
//! `glEnd`, or whatever reads what was written. Never to all that follows.

use unspool_formats::apitrace::{NameFlags, Renders};
use unspool_gl::gl;

use super::Run;
use crate::call::Call;
use crate::driver::Replay;

/// What a function does that has no handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// It changes no picture.
    Nothing,
    /// It draws, and its picture lacks that, for this reason.
    Draw(&'static str),
    /// The primitive that is begun lacks vertices.
    Primitive(&'static str),
    /// What it does to pictures is not known.
    Unknown,
}

pub(crate) const TABLE: &[(&str, Run)] = &[
    ("glLogicOp", |r, c| {
        if let Some(context) = r.context() {
            context.logic_op = c.u32(0);
        }
    }),
    ("glLineStipple", |r, c| {
        if let Some(context) = r.context() {
            context.line_stipple = c.u32(1) & 0xFFFF;
        }
    }),
    ("glRenderMode", |r, c| {
        if let Some(context) = r.context() {
            context.fixed.renders = c.u32(0) == gl::RENDER;
        }
    }),
    ("glBindProgramPipeline", |r, c| {
        if let Some(context) = r.context() {
            context.pipeline = c.u32(0);
        }
    }),
    ("glBeginTransformFeedback", |r, _| {
        written(
            r,
            gl::TRANSFORM_FEEDBACK_BUFFER,
            "it reads what transform feedback has written, which is not replayed",
        );
    }),
    ("glDispatchCompute", compute),
    ("glDispatchComputeIndirect", compute),
    ("glDispatchComputeGroupSize", compute),
    ("glBindImageTexture", |r, c| {
        // Only those that shaders may write to.
        let name = if c.u32(5) == gl::READ_ONLY { 0 } else { c.u32(1) };
        note_written(r, gl::TEXTURE, c.u32(0), name);
    }),
    ("glBindImageTextures", |r, c| {
        for (unit, name) in (c.u32(0)..).zip(c.ints(2)) {
            note_written(r, gl::TEXTURE, unit, name as u32);
        }
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
    let Some((context, objects, _)) = r.both() else { return };
    for (_, name) in context.written.iter().filter(|((known, _), _)| *known == target) {
        if target == gl::TEXTURE {
            if let Some(texture) = objects.textures.get_mut(name) {
                texture.problem = Some(reason);
            }
        } else if let Some(buffer) = objects.buffers.get_mut(name) {
            buffer.problem = Some(reason);
        }
    }
}

fn compute(r: &mut Replay, _: &Call) {
    for target in [gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER, gl::TEXTURE] {
        written(r, target, "it reads what a compute shader has written, which WebGL2 lacks");
    }
    r.unshown("compute shaders are not in WebGL2");
}

/// Whether a call of a function changes a picture by itself: it draws or clears, or writes pixels
/// in place of that. Display lists do so by what they hold.
pub(crate) fn is_draw(name: &str) -> bool {
    let others = ["glDispatchCompute", "glClearTex", "glAccum"];
    others.iter().any(|begin| name.starts_with(begin))
        || matches!(NameFlags::of(name).renders, Some(Renders::Draw | Renders::Clear))
}

/// What a function that has no handler does.
pub(crate) fn lack_of(name: &str) -> Lack {
    let begins = |with: &str| name.starts_with(with);
    if begins("glEvalCoord") || begins("glEvalPoint") {
        return Lack::Primitive("evaluators are not replayed");
    }
    if is_draw(name) {
        return Lack::Draw(match name {
            _ if begins("glDrawTransformFeedback") => "draws of transform feedback are not in WebGL2",
            _ if begins("glDrawMeshTasks") => "mesh shaders are not in WebGL2",
            _ if begins("glEval") => "evaluators are not replayed",
            "glAccum" => "the accumulation buffer is not replayed",
            "glDrawPixels" | "glBitmap" | "glCopyPixels" => "pixel rectangles are not replayed",
            _ => "this function is not replayed",
        });
    }
    let is_gl = begins("gl") && !begins("glX");
    if !is_gl || SILENT.iter().any(|silent| begins(silent)) { Lack::Nothing } else { Lack::Unknown }
}

/// Beginnings of functions that change no picture: they ask, wait, measure, label, advise or
/// delete, or set what only functions with a reason of their own read.
const SILENT: &[&str] = &[
    // Questions, waiting and measuring.
    "glGet",
    "glIs",
    "glAre",
    "glRead",
    "glFlush",
    "glFinish",
    "glFenceSync",
    "glClientWaitSync",
    "glWaitSync",
    "glDeleteSync",
    "glBeginQuery",
    "glEndQuery",
    "glDeleteQueries",
    "glQueryCounter",
    "glCheck",
    "glValidate",
    // Names: objects come to be when they are bound.
    "glGen",
    "glCreate",
    // Labels and advice.
    "glDebug",
    "glPushDebug",
    "glPopDebug",
    "glObjectLabel",
    "glObjectPtrLabel",
    "glLabelObject",
    "glInsertEventMarker",
    "glPushGroupMarker",
    "glPopGroupMarker",
    "glStringMarker",
    "glHint",
    "glInvalidate",
    "glDiscardFramebuffer",
    "glMemoryBarrier",
    "glTextureBarrier",
    "glBlendBarrier",
    "glPrioritizeTextures",
    "glReleaseShaderCompiler",
    "glLockArrays",
    "glUnlockArrays",
    "glMaxShaderCompilerThreads",
    // Windows have no samples here, and colours are not dithered.
    "glSampleMask",
    "glSampleCoverage",
    "glMinSampleShading",
    // Draws with what these set are left out, with their reasons.
    "glPolygonStipple",
    "glPatchParameter",
    "glProgramString",
    "glProgramLocalParameter",
    "glProgramEnvParameter",
    "glBindProgram",
    "glDeleteProgram",
    "glDeletePrograms",
    "glUseProgramStages",
    "glActiveShaderProgram",
    "glShaderStorageBlockBinding",
    "glTransformFeedbackVaryings",
    "glEndTransformFeedback",
    "glPauseTransformFeedback",
    "glResumeTransformFeedback",
    "glBindTransformFeedback",
    "glDeleteTransformFeedbacks",
    "glTexBuffer",
    "glTextureBuffer",
    "glTexPageCommitment",
    "glMap1",
    "glMap2",
    "glMapGrid",
    "glRasterPos",
    "glWindowPos",
    "glPixelZoom",
    "glPixelMap",
    "glClearAccum",
    "glClearIndex",
    // Selection and feedback draw nothing.
    "glSelectBuffer",
    "glFeedbackBuffer",
    "glInitNames",
    "glLoadName",
    "glPushName",
    "glPopName",
    "glPassThrough",
    // Colour indices, and edges of polygons that are drawn as lines.
    "glIndex",
    "glEdgeFlag",
    "glDeleteShader",
    "glDeleteObject",
    "glDetachObject",
    "glProgramParameter",
];

/// The capabilities that WebGL2 lacks, and that matter to draws.
const EXTRAS: [u32; 5] =
    [gl::COLOR_LOGIC_OP, gl::POLYGON_STIPPLE, gl::LINE_STIPPLE, gl::VERTEX_PROGRAM_ARB, gl::FRAGMENT_PROGRAM_ARB];

impl Replay {
    /// Enables or disables a capability that WebGL2 lacks.
    pub(crate) fn enable_extra(&mut self, cap: u32, on: bool) {
        let Some(context) = self.context() else { return };
        context.extras.retain(|known| *known != cap);
        if on && EXTRAS.contains(&cap) {
            context.extras.push(cap);
        }
    }

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
        let clips = context.fixed.clips.contains(&true);
        if let Some(reason) = clips.then(|| self.clips_of_program()).flatten() {
            return Some(reason);
        }
        let context = self.context()?;
        context.extras.iter().find_map(|cap| match *cap {
            gl::COLOR_LOGIC_OP if context.logic_op != gl::COPY => Some("logical operations are not in WebGL2"),
            gl::POLYGON_STIPPLE if is_filled => Some("polygon stipple is not replayed"),
            gl::LINE_STIPPLE if is_line && context.line_stipple != 0xFFFF => Some("line stipple is not replayed"),
            gl::VERTEX_PROGRAM_ARB | gl::FRAGMENT_PROGRAM_ARB if is_fixed => Some("assembly programs are not replayed"),
            _ => None,
        })
    }
}
