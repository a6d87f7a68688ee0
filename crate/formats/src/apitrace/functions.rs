//! Frame ends, draws and markers, recognised by the name of the function. Nothing else in a file marks them.
//!
//! Follows apitrace's `lib/trace/trace_parser_flags.cpp`, with code in place of its regular expressions.

use serde::{Deserialize, Serialize};

/// What the name of a function says about its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameFlags {
    /// The call ends a frame, and is part of that frame.
    pub frame_end: bool,
    /// The call draws or clears. apitrace calls both draws.
    pub render: bool,
    /// The call clears, and draws nothing.
    pub clear: bool,
    /// The kind of marker, if the call is one.
    pub marker: Option<Marker>,
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
        let render = is_render(name);
        let clear = render && (name.starts_with("glClear") || name.ends_with("::Clear"));
        Self { frame_end: is_frame_end(name), render, clear, marker: marker(name) }
    }
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

/// `^gl(CallLists?|Clear|End|DrawPixels|DrawTransformFeedback([A-Z][a-zA-Z]*)?|BlitFramebuffer|Rect[dfis]v?|
/// EvalMesh[0-9]+)[0-9A-Z]*$`, without its "gl".
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

/// The suffix of the interface's name, and the method: `("1", "Present")` for `IDXGISwapChain1::Present`.
fn method_of<'a>(name: &'a str, interface: &str) -> Option<(&'a str, &'a str)> {
    name.strip_prefix(interface)?.split_once("::")
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
    fn clears_draw_nothing() {
        for (name, clear) in
            [("glClear", true), ("IDirect3DDevice9::Clear", true), ("glDrawArrays", false), ("glClearColor", false)]
        {
            assert_eq!(NameFlags::of(name).clear, clear, "{name}");
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
            assert!(NameFlags::of(name).render, "{name}");
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
            assert_eq!(NameFlags::of(name).render, name == "glRects3", "{name}");
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
