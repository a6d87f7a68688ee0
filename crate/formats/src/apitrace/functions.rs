//! Frame ends, draws, display lists and markers, recognised by the name of the function. Nothing
//! else in a file marks them.
//!
//! Follows apitrace's `lib/trace/trace_parser_flags.cpp`, with code in place of its regular
//! expressions.

use serde::{Deserialize, Serialize};

/// What the name of a function says about its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameFlags {
    /// The call ends a frame, and is part of that frame.
    pub frame_end: bool,
    /// What the call puts into a framebuffer when it is executed. `None` if that is nothing.
    pub renders: Option<Renders>,
    /// What the call does with display lists.
    pub list: Option<ListRole>,
    /// The kind of marker, if the call is one.
    pub marker: Option<Marker>,
    /// Which of its values are uploaded.
    pub uploads: Uploads,
}

/// What a call hands over for the graphics library to keep or to draw: contents of textures,
/// buffers and client arrays, pixels, shaders. The only place that decides what counts as uploaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Uploads {
    /// Its blobs, if it has any.
    #[default]
    Blobs,
    /// Its texts, too: they are sources.
    Texts,
    /// Nothing: it reads back, or its blobs are numbers of lists.
    Nothing,
}

/// What is put into a framebuffer. The only place that decides what a draw is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Renders {
    /// Geometry or pixels. Copies between framebuffers are pixels, too.
    Draw,
    /// One value everywhere. apitrace calls that a draw, as far as it looks for it.
    Clear,
    /// What display lists or a command list hold, which may be nothing.
    Lists,
}

/// What a function does with display lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListRole {
    /// `glNewList(list, mode)`
    New,
    /// `glEndList()`
    End,
    /// `glCallList(list)`
    Call,
    /// `glCallLists(n, type, lists)`
    CallMany,
    /// `glListBase(base)`
    Base,
    /// `glDeleteLists(list, range)`
    Delete,
    /// `glXUseXFont(font, first, count, listBase)` and its relatives: makes a list for each
    /// character.
    Font,
    /// `ID3D11Device::CreateDeferredContext(flags, context)`
    Defer,
    /// `ID3D11DeviceContext::FinishCommandList(restores, list)`
    Finish,
    /// `ID3D11DeviceContext::ExecuteCommandList(list, restores)`
    Execute,
    /// A draw or a clear of an `ID3D11DeviceContext`, which may be a deferred one.
    Context,
    /// `ID3D11Device::GetImmediateContext(context)`, `D3D11CreateDevice(…, context)` and its
    /// relatives: returns an immediate context through the last argument.
    Immediate,
}

impl ListRole {
    /// It is about contexts of Direct3D 11 and their command lists.
    pub(crate) fn is_of_commands(self) -> bool {
        matches!(self, Self::Defer | Self::Finish | Self::Execute | Self::Context | Self::Immediate)
    }
}

/// A kind of label that programs put into their traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Marker {
    /// A single label.
    Plain,
    /// Begins a labelled group.
    Push,
    /// Ends a labelled group.
    Pop,
}

impl NameFlags {
    /// The flags of the function with this name.
    pub fn of(name: &str) -> Self {
        Self {
            frame_end: is_frame_end(name),
            renders: renders(name),
            list: list_role(name),
            marker: marker(name),
            uploads: uploads(name),
        }
    }

    /// The values of a call say what it does: a label, or which lists, or how long a source is.
    pub(crate) fn needs_values(&self) -> bool {
        self.marker.is_some() || self.list.is_some() || self.uploads == Uploads::Texts
    }
}

fn uploads(name: &str) -> Uploads {
    if list_role(name) == Some(ListRole::CallMany) {
        return Uploads::Nothing;
    }
    let gl = name.strip_prefix("gl").unwrap_or_default();
    let bare = name.split_once("::").map_or(gl, |(_, method)| method);
    if bare.starts_with("Get") || bare.starts_with("Read") {
        return Uploads::Nothing;
    }
    let is_source = ["ShaderSource", "CreateShaderProgram", "ProgramString", "NamedProgramString"];
    if is_source.iter().any(|it| gl.starts_with(it)) { Uploads::Texts } else { Uploads::Blobs }
}

fn list_role(name: &str) -> Option<ListRole> {
    Some(match name {
        "glNewList" => ListRole::New,
        "glEndList" => ListRole::End,
        "glCallList" => ListRole::Call,
        "glCallLists" => ListRole::CallMany,
        "glListBase" => ListRole::Base,
        "glDeleteLists" => ListRole::Delete,
        "glXUseXFont" => ListRole::Font,
        _ if name.starts_with("wglUseFontBitmaps") || name.starts_with("wglUseFontOutlines") => ListRole::Font,
        _ => return command_role(name),
    })
}

/// The role of a function or method of Direct3D 11.
fn command_role(name: &str) -> Option<ListRole> {
    if matches!(name, "D3D11CreateDevice" | "D3D11CreateDeviceAndSwapChain") {
        return Some(ListRole::Immediate);
    }
    let is_number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    if let Some((digits, method)) = method_of(name, "ID3D11Device")
        && is_number(digits)
    {
        let is_any = |prefix: &str| method.strip_prefix(prefix).is_some_and(is_number);
        let immediate = is_any("GetImmediateContext").then_some(ListRole::Immediate);
        return is_any("CreateDeferredContext").then_some(ListRole::Defer).or(immediate);
    }
    let (digits, method) = method_of(name, "ID3D11DeviceContext")?;
    match method {
        _ if !is_number(digits) => None,
        "FinishCommandList" => Some(ListRole::Finish),
        "ExecuteCommandList" => Some(ListRole::Execute),
        _ => (is_view_clear(name) || is_render(name)).then_some(ListRole::Context),
    }
}

fn renders(name: &str) -> Option<Renders> {
    // Those of apitrace, and what it leaves out.
    let is_clear = (name.starts_with("glClear") && (name == "glClear" || is_buffer_clear(name)))
        || (name.ends_with("::Clear") && is_render(name))
        || is_view_clear(name);
    if is_clear {
        return Some(Renders::Clear);
    }
    if name.starts_with("glCallList") {
        return is_render(name).then_some(Renders::Lists);
    }
    if command_role(name) == Some(ListRole::Execute) {
        return Some(Renders::Lists);
    }
    let gl = name.strip_prefix("gl").unwrap_or_default();
    let is_other = matches!(gl, "Bitmap" | "CopyPixels" | "BlitNamedFramebuffer")
        || gl.starts_with("Draw") && !gl.starts_with("DrawBuffer")
        || gl.starts_with("MultiDraw");
    (is_other || is_render(name)).then_some(Renders::Draw)
}

/// `glClearBufferfv` and its relatives, not `glClearBufferData`.
fn is_buffer_clear(name: &str) -> bool {
    let kind = name.strip_prefix("glClearBuffer").or_else(|| name.strip_prefix("glClearNamedFramebuffer"));
    kind.is_some_and(|kind| matches!(kind, "iv" | "uiv" | "fv" | "fi"))
}

fn is_frame_end(name: &str) -> bool {
    if let Some(method) = method_of(name, "IDXGISwapChain").or_else(|| method_of(name, "IDXGIDecodeSwapChain")) {
        return is_word(method.0) && method.1.starts_with("Present") && is_word(method.1);
    }
    matches!(
        name,
        "glXSwapBuffers"
            | "glXSwapBuffersMscOML"
            | "eglSwapBuffers"
            | "eglSwapBuffersWithDamageEXT"
            | "eglSwapBuffersWithDamageKHR"
            | "wglSwapBuffers"
            | "wglSwapLayerBuffers"
            | "wglSwapMultipleBuffers"
            | "CGLFlushDrawable"
            | "glFrameTerminatorGREMEDY"
            | "IDirect3DDevice8::Present"
            | "IDirect3DDevice9::Present"
            | "IDirect3DDevice9Ex::Present"
            | "IDirect3DDevice9Ex::PresentEx"
            | "IDirect3DSwapChain9::Present"
            | "IDirect3DSwapChain9Ex::Present"
            | "IDirect3DDevice9::GetRenderTargetData"
            | "IDirect3DDevice9Ex::GetRenderTargetData"
    )
}

fn marker(name: &str) -> Option<Marker> {
    Some(match name {
        "glPushDebugGroup"
        | "glPushDebugGroupKHR"
        | "glPushGroupMarkerEXT"
        | "D3DPERF_BeginEvent"
        | "ID3DUserDefinedAnnotation::BeginEvent" => Marker::Push,
        "glPopDebugGroup"
        | "glPopDebugGroupKHR"
        | "glPopGroupMarkerEXT"
        | "D3DPERF_EndEvent"
        | "ID3DUserDefinedAnnotation::EndEvent" => Marker::Pop,
        "glStringMarkerGREMEDY"
        | "glInsertEventMarkerEXT"
        | "glDebugMessageInsert"
        | "glDebugMessageInsertARB"
        | "glDebugMessageInsertAMD"
        | "glDebugMessageInsertKHR"
        | "D3DPERF_SetMarker"
        | "ID3DUserDefinedAnnotation::SetMarker" => Marker::Plain,
        _ => return None,
    })
}

fn is_render(name: &str) -> bool {
    if let Some(gl) = name.strip_prefix("gl") {
        return is_gl_draw(gl) || is_gl_other(gl);
    }
    for interface in ["ID3D10Device", "ID3D11DeviceContext"] {
        if let Some((digits, method)) = method_of(name, interface) {
            let fits = method.starts_with("Draw") && is_word(method) || method == "ExecuteCommandList";
            return fits && digits.bytes().all(|b| b.is_ascii_digit());
        }
    }
    for interface in ["IDirect3DDevice7", "IDirect3DDevice8", "IDirect3DDevice9", "IDirect3DDevice9Ex"] {
        if let Some(("", method)) = method_of(name, interface) {
            return method == "Clear" || method.starts_with("Draw");
        }
    }
    false
}

/// `^gl([A-Z][a-z]+)*Draw(Range|Mesh)?(Arrays|Elements)([A-Z][a-zA-Z]*)?$`, without its "gl".
fn is_gl_draw(mut gl: &str) -> bool {
    loop {
        if let Some(rest) = gl.strip_prefix("Draw") {
            let rest = rest.strip_prefix("Range").or_else(|| rest.strip_prefix("Mesh")).unwrap_or(rest);
            if let Some(tail) = rest.strip_prefix("Arrays").or_else(|| rest.strip_prefix("Elements")) {
                let capital = tail.bytes().next().is_none_or(|b| b.is_ascii_uppercase());
                if capital && tail.bytes().all(|b| b.is_ascii_alphabetic()) {
                    return true;
                }
            }
        }
        // Skip one word: an uppercase letter and at least one lowercase letter.
        let mut bytes = gl.bytes();
        if !bytes.next().is_some_and(|b| b.is_ascii_uppercase()) {
            return false;
        }
        let small = bytes.take_while(u8::is_ascii_lowercase).count();
        if small == 0 {
            return false;
        }
        gl = gl.get(1 + small..).unwrap_or_default();
    }
}

/// `^gl(CallLists?|Clear|End|DrawPixels|DrawTransformFeedback([A-Z][a-zA-Z]*)?|BlitFramebuffer|Rect[dfis]v?| EvalMesh[0-9]+)[0-9A-Z]*$`,
/// without its "gl".
fn is_gl_other(gl: &str) -> bool {
    let suffix = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let plain = ["CallList", "CallLists", "Clear", "End", "DrawPixels", "BlitFramebuffer"];
    if plain.iter().any(|p| gl.strip_prefix(p).is_some_and(suffix)) {
        return true;
    }
    if let Some(rest) = gl.strip_prefix("DrawTransformFeedback") {
        // Digits may follow the letters, and uppercase letters the digits.
        let letters = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let capital = rest.bytes().next().is_none_or(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        return capital && suffix(letters);
    }
    if let Some(rest) = gl.strip_prefix("Rect") {
        let Some(rest) = rest.strip_prefix(['d', 'f', 'i', 's']) else { return false };
        return suffix(rest.strip_prefix('v').unwrap_or(rest));
    }
    gl.strip_prefix("EvalMesh")
        .is_some_and(|rest| rest.bytes().next().is_some_and(|b| b.is_ascii_digit()) && suffix(rest))
}

/// The suffix of the interface's name, and the method: `("1", "Present")` for
/// `IDXGISwapChain1::Present`.
fn method_of<'a>(name: &'a str, interface: &str) -> Option<(&'a str, &'a str)> {
    name.strip_prefix(interface)?.split_once("::")
}

/// Whether a method of Direct3D 10 or 11 clears what is drawn to.
fn is_view_clear(name: &str) -> bool {
    ["ID3D10Device", "ID3D11DeviceContext"].iter().filter_map(|interface| method_of(name, interface)).any(
        |(digits, method)| {
            digits.bytes().all(|b| b.is_ascii_digit())
                && matches!(method, "ClearRenderTargetView" | "ClearDepthStencilView")
        },
    )
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_end_with_a_swap_or_a_present() {
        for name in [
            "glXSwapBuffers",
            "IDXGISwapChain::Present",
            "IDXGISwapChain4::Present1",
            "IDXGIDecodeSwapChain::PresentBuffer",
            "IDirect3DDevice9Ex::GetRenderTargetData",
        ] {
            assert!(NameFlags::of(name).frame_end, "{name}");
        }
        for name in ["glXSwapBuffersFoo", "IDXGISwapChain::GetBuffer", "IDXGISwapChain1::ResizeBuffers", "glFinish"] {
            assert!(!NameFlags::of(name).frame_end, "{name}");
        }
    }

    #[test]
    fn draws_clears_and_lists_are_told_apart() {
        use Renders::{Clear, Draw, Lists};
        for (name, renders) in [
            ("glClear", Some(Clear)),
            ("glClearBufferfv", Some(Clear)),
            ("glClearNamedFramebufferfi", Some(Clear)),
            ("IDirect3DDevice9::Clear", Some(Clear)),
            ("glClearColor", None),
            ("glClearBufferData", None),
            ("glClearTexImage", None),
            ("glDrawArrays", Some(Draw)),
            ("glEnd", Some(Draw)),
            ("glBitmap", Some(Draw)),
            ("glCopyPixels", Some(Draw)),
            ("glDrawTexfOES", Some(Draw)),
            ("glBlitFramebuffer", Some(Draw)),
            ("ID3D11DeviceContext::Draw", Some(Draw)),
            ("glDrawBuffers", None),
            ("glBegin", None),
            ("glCallList", Some(Lists)),
            ("glCallLists", Some(Lists)),
            ("ID3D11DeviceContext1::ExecuteCommandList", Some(Lists)),
            ("glEndList", None),
            ("glDispatchCompute", None),
        ] {
            assert_eq!(NameFlags::of(name).renders, renders, "{name}");
        }
    }

    #[test]
    fn draws_are_recognised_by_name() {
        for name in [
            "glDrawArrays",
            "glMultiDrawElementsIndirect",
            "glDrawRangeElements",
            "glDrawMeshArraysSUN",
            "glDrawElementsInstancedBaseVertexEXT",
            "glClear",
            "glEnd",
            "glCallLists",
            "glRectfv",
            "glEvalMesh2",
            "glDrawTransformFeedbackInstanced",
            "glBlitFramebufferEXT",
            "glDrawPixels",
            "ID3D11DeviceContext1::DrawIndexed",
            "ID3D10Device::Draw",
            "IDirect3DDevice9::Clear",
            "IDirect3DDevice8::DrawPrimitive",
            "glMultiModeDrawArraysIBM",
        ] {
            assert!(is_render(name) && NameFlags::of(name).renders.is_some(), "{name}");
        }
        for name in [
            "glDrawBuffer",
            "glClearColor",
            "glEndList",
            "glRects3",
            "glEvalMesh",
            "ID3D11DeviceContext::Map",
            "glGetString",
            "glRecti3x",
            "glEndQuery",
            "glCallListsfoo",
        ] {
            assert_eq!(is_render(name), name == "glRects3", "{name}");
        }
    }

    #[test]
    fn what_is_handed_over_is_uploaded() {
        for (name, uploads) in [
            ("glTexImage2D", Uploads::Blobs),
            ("glDrawElements", Uploads::Blobs),
            ("glProgramBinary", Uploads::Blobs),
            ("memcpy", Uploads::Blobs),
            ("glShaderSourceARB", Uploads::Texts),
            ("glCreateShaderProgramv", Uploads::Texts),
            ("glGetProgramBinary", Uploads::Nothing),
            ("glReadPixels", Uploads::Nothing),
            ("glCallLists", Uploads::Nothing),
            ("ID3D11DeviceContext::UpdateSubresource", Uploads::Blobs),
            ("ID3D11DeviceContext::GetData", Uploads::Nothing),
        ] {
            assert_eq!(NameFlags::of(name).uploads, uploads, "{name}");
        }
    }

    #[test]
    fn markers_push_pop_or_are_plain() {
        assert_eq!(NameFlags::of("glPushDebugGroupKHR").marker, Some(Marker::Push));
        assert_eq!(NameFlags::of("D3DPERF_EndEvent").marker, Some(Marker::Pop));
        assert_eq!(NameFlags::of("glStringMarkerGREMEDY").marker, Some(Marker::Plain));
        assert_eq!(NameFlags::of("glPushMatrix").marker, None);
    }
}
