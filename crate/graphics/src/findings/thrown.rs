//! Draws whose whole result a clear throws away.
//!
//! Only draws and a clear of one framebuffer that stays bound are looked at. Whatever may read a
//! framebuffer, show it or change its parts ends the list of draws. State that decides what draws
//! and clears write is followed from the creation of a context on.

use unspool_gl::contexts::Contexts;
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
    Enable(bool),
    DepthMask,
    ColorMask,
    StencilMask,
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
            "Enable" => Self::Enable(true),
            "Disable" => Self::Enable(false),
            "DepthMask" => Self::DepthMask,
            "ColorMask" => Self::ColorMask,
            "StencilMask" => Self::StencilMask,
            "BeginQuery" | "BeginTransformFeedback" | "BeginConditionalRender" => Self::BeginQuery,
            "EndQuery" | "EndTransformFeedback" | "EndConditionalRender" => Self::EndQuery,
            "Clear" => Self::Clear,
            "CheckFramebufferStatus" | "GetFramebufferAttachmentParameteriv" | "GetFramebufferParameteriv" => {
                Self::None
            }
            "PopAttrib" | "ColorMaski" | "StencilMaskSeparate" | "Enablei" | "Disablei" => Self::Ends,
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
#[derive(Clone, Copy, Debug)]
struct Context {
    scissor: bool,
    depth_test: bool,
    stencil_test: bool,
    discards: bool,
    writes_depth: bool,
    writes_colour: bool,
    writes_stencil: bool,
    queries: u32,
    framebuffer: u32,
    /// Draws whose results nothing has used.
    draws: u64,
    /// Some of them may have written depth, or stencil values.
    has_depth: bool,
    has_stencil: bool,
    is_unknown: bool,
    /// [`Targets::forgotten`] when its draws were looked at.
    forgotten: u64,
}

impl Context {
    /// A context after its creation: OpenGL 4.6, chapter 23.
    const NEW: Self = Self {
        scissor: false,
        depth_test: false,
        stencil_test: false,
        discards: false,
        writes_depth: true,
        writes_colour: true,
        writes_stencil: true,
        queries: 0,
        framebuffer: 0,
        draws: 0,
        has_depth: false,
        has_stencil: false,
        is_unknown: false,
        forgotten: 0,
    };

    fn use_up(&mut self) {
        (self.draws, self.has_depth, self.has_stencil) = (0, false, false);
    }
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

    /// A call. Returns the framebuffer and the draws that it throws away.
    pub(super) fn call(&mut self, call: &Call, role: Role, contexts: &Contexts, latest: &Latest) -> Option<(u32, u64)> {
        if role == Role::Shows {
            self.forget();
            return None;
        }
        let is_draw = matches!(latest.kind, Kind::Draw(_) | Kind::DrawPixels | Kind::End);
        if role == Role::None && !is_draw {
            return None;
        }
        let at = contexts.current(call.thread)?;
        // Objects that contexts share may have been used in another one.
        if core::mem::replace(&mut self.latest, at) != at {
            self.forget();
        }
        // Of contexts that are older than the trace, the state is not known.
        contexts.all().get(at as usize)?.created?;
        if self.contexts.len() <= at as usize {
            self.contexts.resize(at as usize + 1, Context::NEW);
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
                it.draws += 1;
                it.has_depth |= it.depth_test && it.writes_depth;
                it.has_stencil |= it.stencil_test;
            }
            return None;
        }
        match role {
            Role::None | Role::Shows => {}
            Role::Uses => it.use_up(),
            Role::Ends => it.is_unknown = true,
            Role::BindFramebuffer => {
                it.use_up();
                if call.uint(0) != gl::READ_FRAMEBUFFER {
                    it.framebuffer = call.uint(1);
                }
            }
            Role::DrawBuffer => {
                it.use_up();
                it.is_unknown |= !USUAL_BUFFERS.contains(&call.uint(0));
            }
            Role::Enable(is) => match call.uint(0) {
                gl::SCISSOR_TEST => it.scissor = is,
                gl::DEPTH_TEST => it.depth_test = is,
                gl::STENCIL_TEST => it.stencil_test = is,
                gl::RASTERIZER_DISCARD => it.discards = is,
                _ => {}
            },
            Role::DepthMask => it.writes_depth = call.int(0) != 0,
            Role::ColorMask => it.writes_colour = (0..4).all(|channel| call.int(channel) != 0),
            Role::StencilMask => it.writes_stencil = call.uint(0) & 0xff == 0xff,
            Role::BeginQuery => {
                it.use_up();
                it.queries += 1;
            }
            Role::EndQuery => it.queries = it.queries.saturating_sub(1),
            Role::Clear => return it.clear(call.uint(0)),
        }
        None
    }
}

impl Context {
    fn clear(&mut self, buffers: u32) -> Option<(u32, u64)> {
        if self.scissor || self.discards || self.is_unknown {
            return None;
        }
        self.has_depth &= buffers & gl::DEPTH_BUFFER_BIT == 0 || !self.writes_depth;
        self.has_stencil &= buffers & gl::STENCIL_BUFFER_BIT == 0 || !self.writes_stencil;
        let is_all = buffers & gl::COLOR_BUFFER_BIT != 0 && self.writes_colour && !self.has_depth && !self.has_stencil;
        let thrown = (self.framebuffer, self.draws);
        if !is_all || self.draws == 0 {
            return None;
        }
        self.use_up();
        Some(thrown)
    }
}
