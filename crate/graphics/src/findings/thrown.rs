//! Draws whose whole result a clear throws away.
//!
//! Only draws and a clear of one framebuffer that stays bound are looked at. Whatever may read a
//! framebuffer, show it or change its parts ends the list of draws. The machine of OpenGL knows
//! what draws and clears write; contexts that are older than the trace are not looked at.

use unspool_gl::machine::effects::{Effect, Parts};
use unspool_gl::machine::{Machine, what};
use unspool_gl::{Function, gl, windows};

use crate::frames::{Kind, Latest, Vertices};
use unspool_gl::call::Call;

/// What a function does to what was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    None,
    /// What was drawn may have been used, or the framebuffer is another one.
    Uses,
    /// The same, in all contexts.
    Shows,
    /// From now on nothing can be said of the context.
    Ends,
    BindFramebuffer,
    DrawBuffer,
    BeginQuery,
    EndQuery,
    Clear,
}

impl Role {
    pub(super) fn of(name: &str, canonical: &str) -> Self {
        let any = |parts: &[&str]| parts.iter().any(|part| canonical.contains(part));
        if Function::of(name).windows().is_some_and(windows::Function::creates) {
            return Self::None;
        }
        if !name.starts_with("gl") || name.starts_with("glX") {
            // Calls for a window may show or read it. Questions do not.
            let asks = name.contains("Get") || name.contains("Query") || name.contains("Choose");
            return if asks || name == "memcpy" { Self::None } else { Self::Shows };
        }
        match canonical {
            "BindFramebuffer" => Self::BindFramebuffer,
            "DrawBuffer" => Self::DrawBuffer,
            "BeginQuery" | "BeginTransformFeedback" | "BeginConditionalRender" => Self::BeginQuery,
            "EndQuery" | "EndTransformFeedback" | "EndConditionalRender" => Self::EndQuery,
            "Clear" => Self::Clear,
            "CheckFramebufferStatus" | "GetFramebufferAttachmentParameteriv" | "GetFramebufferParameteriv" => {
                Self::None
            }
            "BeginQueryIndexed" | "BindBuffersBase" | "BindBuffersRange" | "NewList" => Self::Ends,
            _ if canonical.starts_with("BindImageTexture") || canonical.contains("ImageHandle") => Self::Ends,
            // Shaders may write to these.
            "BindBufferBase" | "BindBufferRange" => Self::Uses,
            "Accum" | "Flush" | "Finish" | "GenerateMipmap" | "GenerateTextureMipmap" => Self::Uses,
            "DrawBuffers" | "FenceSync" => Self::Uses,
            _ if canonical.starts_with("ClearBuffer") && !canonical.ends_with("Data") => Self::Uses,
            _ if any(&[
                "Read",
                "Copy",
                "Blit",
                "List",
                "Dispatch",
                "Barrier",
                "Framebuffer",
                "Invalidate",
                "Discard",
            ]) =>
            {
                Self::Uses
            }
            _ if any(&["Delete", "EGLImage", "TexImage", "TextureImage", "TexStorage", "DrawBuffers"]) => Self::Uses,
            _ => Self::None,
        }
    }
}

/// What is followed of a context.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    queries: u32,
    /// Draws whose results nothing has used.
    draws: u64,
    /// Draws that had passed before these.
    passed: u64,
    /// The parts that they may have written.
    drawn: Parts,
    is_unknown: bool,
    /// [`Targets::forgotten`] when its draws were looked at.
    forgotten: u64,
}

impl Context {
    fn use_up(&mut self) {
        (self.draws, self.drawn) = (0, Parts::default());
    }
}

/// Draws that a clear throws away.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thrown {
    /// The name of the framebuffer, 0 for the window.
    pub(super) framebuffer: u32,
    /// Their number.
    pub(super) draws: u64,
    /// As many have passed since the first of them.
    pub(super) holds: bool,
}

/// `GL_BACK`, `GL_BACK_LEFT`, and the first attachment: other buffers may be in front, or none.
const USUAL_BUFFERS: [u32; 3] = [gl::BACK, gl::BACK_LEFT, gl::COLOR_ATTACHMENT0];

/// What is drawn to, by context.
#[derive(Debug, Default)]
pub(super) struct Targets {
    contexts: Vec<Context>,
    /// The context of the latest call.
    latest: u32,
    /// Number of times that the draws of all contexts were forgotten: those of one go when it is
    /// used again.
    forgotten: u64,
}

impl Targets {
    /// What was drawn may have been used.
    pub(super) fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// A call. Returns the draws that it throws away. `passed`: the draws so far, those of the call
    /// included.
    pub(super) fn call(
        &mut self,
        call: &Call,
        role: Role,
        machine: &Machine,
        latest: &Latest,
        passed: u64,
    ) -> Option<Thrown> {
        if role == Role::Shows {
            self.forget();
            return None;
        }
        let is_draw = matches!(latest.kind, Kind::Draw(_) | Kind::DrawPixels | Kind::End);
        if role == Role::None && !is_draw {
            return None;
        }
        let at = machine.current_on(call.thread)?;
        // Objects that contexts share may have been used in another one.
        if core::mem::replace(&mut self.latest, at) != at {
            self.forget();
        }
        // Of contexts that are older than the trace, the state is not known.
        machine.contexts().get(at as usize)?.created?;
        if self.contexts.len() <= at as usize {
            self.contexts.resize(at as usize + 1, Context::default());
        }
        let it = self.contexts.get_mut(at as usize)?;
        if core::mem::replace(&mut it.forgotten, self.forgotten) != self.forgotten {
            it.use_up();
        }
        if is_draw {
            // What reads one framebuffer and draws to another counts as a draw.
            if role == Role::Uses || latest.kind == Kind::Draw(Vertices::Lists) || it.queries > 0 {
                it.use_up();
            } else if latest.vertices != Some(0) {
                let parts = machine.drawn_parts(false);
                // One that writes nothing may be there for what its shaders do.
                if it.draws == 0 {
                    it.passed = passed.saturating_sub(1);
                }
                it.draws += u64::from(!parts.is_empty());
                it.drawn = it.drawn.and(parts);
            }
            return None;
        }
        match role {
            Role::None | Role::Shows => {}
            Role::Uses => it.use_up(),
            Role::Ends => it.is_unknown = true,
            Role::BindFramebuffer => it.use_up(),
            Role::DrawBuffer => {
                it.use_up();
                it.is_unknown |= !USUAL_BUFFERS.contains(&call.uint(0));
            }
            Role::BeginQuery => {
                it.use_up();
                it.queries += 1;
            }
            Role::EndQuery => it.queries = it.queries.saturating_sub(1),
            Role::Clear => return it.clear(machine, passed),
        }
        None
    }
}

impl Context {
    fn clear(&mut self, machine: &Machine, passed: u64) -> Option<Thrown> {
        let parts = machine.effects().iter().find_map(|effect| match effect {
            Effect::Cleared { parts, .. } => Some(*parts),
            _ => None,
        })?;
        // Of a window, the effect has what the call asks for.
        let parts = parts.within(machine.drawn_parts(true));
        if self.is_unknown || self.draws == 0 || !machine.clears_whole() || !self.drawn.are_among(parts) {
            return None;
        }
        let (framebuffer, _) = machine.object(machine.context_owner(), what::DRAW_FRAMEBUFFER_BINDING, 0);
        let draws = self.draws;
        self.use_up();
        Some(Thrown { framebuffer, draws, holds: draws <= passed.saturating_sub(self.passed) })
    }
}
