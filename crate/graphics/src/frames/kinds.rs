//! What calls of a function do to a frame, by the function's name.

use super::settings::Setting;
use unspool_formats::apitrace::{NameFlags, Renders};

/// A kind of upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// Texels, compressed or not.
    Texture,
    /// Contents of buffer objects, written by a call or while mapped.
    Buffer,
    /// Vertices and indices in memory of the program, which the driver reads at each draw.
    Client,
    /// Sources and binaries of shaders and programs.
    Shader,
    /// Pixels that are drawn without a texture, and stipples.
    Pixels,
}

/// How the vertices of a draw are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vertices {
    /// It has none: pixels are copied.
    None,
    /// Always this many.
    Fixed(u64),
    /// An argument says it.
    Counted,
    /// Those of display lists.
    Lists,
    /// Those of Direct3D are not followed.
    Direct3d,
    /// The trace does not say: a buffer of the graphics processor has them.
    Unknown,
}

/// What calls of a function do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing that is counted.
    Other,
    /// Ends the frame.
    FrameEnd,
    /// Submits geometry or pixels.
    Draw(Vertices),
    /// Draws an array of pixels, which is uploaded for that.
    DrawPixels,
    /// `glClear` and its relatives.
    Clear,
    /// `glBegin`.
    Begin,
    /// `glVertex…`.
    Vertex,
    /// `glEnd`, which draws.
    End,
    /// Display lists.
    NewList,
    /// See [`Kind::NewList`].
    EndList,
    /// Hands data over.
    Upload(Upload),
    /// `glGetError`.
    Error,
    /// Sets state.
    State(Setting),
}

impl Kind {
    /// The kind of the function with this name. `canonical` is its name without `gl` and suffixes
    /// ([`unspool_gl::Function::plain`]).
    pub(crate) fn of(name: &str, canonical: &str) -> Self {
        let flags = NameFlags::of(name);
        if flags.frame_end {
            return Self::FrameEnd;
        }
        if flags.renders == Some(Renders::Clear) {
            return Self::Clear;
        }
        if matches!(canonical, "DrawPixels" | "Bitmap") {
            return Self::DrawPixels;
        }
        if canonical == "End" {
            return Self::End;
        }
        if flags.renders.is_some() {
            return Self::Draw(vertices(name, canonical));
        }
        match canonical {
            "Begin" => return Self::Begin,
            "NewList" => return Self::NewList,
            "EndList" => return Self::EndList,
            "GetError" | "eglGetError" => return Self::Error,
            "memcpy" => return Self::Upload(Upload::Buffer),
            _ => {}
        }
        if !name.starts_with("gl") || name.starts_with("glX") {
            return Self::Other;
        }
        if canonical.starts_with("Vertex") && canonical.as_bytes().get(6).is_some_and(|b| (b'2'..=b'4').contains(b)) {
            return Self::Vertex;
        }
        if let Some(upload) = upload(canonical) {
            return Self::Upload(upload);
        }
        Setting::of(canonical).map_or(Self::Other, Self::State)
    }
}

fn vertices(name: &str, canonical: &str) -> Vertices {
    let any = |parts: &[&str]| parts.iter().any(|part| canonical.contains(part));
    match canonical {
        _ if name.contains("::") => Vertices::Direct3d,
        _ if canonical.starts_with("CallList") => Vertices::Lists,
        _ if canonical.starts_with("Rect") => Vertices::Fixed(4),
        _ if canonical.starts_with("Blit") || canonical.starts_with("CopyPixels") => Vertices::None,
        // A rectangle of the window.
        _ if canonical.starts_with("DrawTex") => Vertices::None,
        _ if any(&["Indirect", "TransformFeedback", "EvalMesh", "DrawMesh", "ElementArray"]) => Vertices::Unknown,
        _ => Vertices::Counted,
    }
}

/// The kind of upload of a function, without its "gl".
fn upload(gl: &str) -> Option<Upload> {
    let any = |parts: &[&str]| parts.iter().any(|part| gl.contains(part));
    if gl.starts_with("Get") || gl.starts_with("Copy") {
        return None;
    }
    if any(&[
        "TexImage",
        "TexSubImage",
        "TextureImage",
        "TextureSubImage",
        "MultiTexImage",
        "MultiTexSubImage",
        "ClearTex",
    ]) {
        return (!gl.contains("Invalidate")).then_some(Upload::Texture);
    }
    if any(&["BufferData", "BufferSubData", "BufferStorage"]) {
        return (!gl.contains("Renderbuffer") && !gl.contains("Invalidate")).then_some(Upload::Buffer);
    }
    match gl {
        "ShaderSource" | "ShaderBinary" | "ProgramBinary" | "ProgramString" | "CreateShaderProgramv" => {
            Some(Upload::Shader)
        }
        "PolygonStipple" => Some(Upload::Pixels),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_their_names_say() {
        let of = |name| Kind::of(name, &crate::known::Known::of(name).canonical);
        assert_eq!(of("glXSwapBuffers"), Kind::FrameEnd);
        assert_eq!(of("glClear"), Kind::Clear);
        assert_eq!(of("glClearBufferfv"), Kind::Clear);
        assert_eq!(of("glClearNamedFramebufferfi"), Kind::Clear);
        assert_eq!(of("IDirect3DDevice9::Clear"), Kind::Clear);
        assert!(matches!(of("glClearColor"), Kind::State(_)));
        assert_eq!(of("glEnd"), Kind::End);
        assert_eq!(of("glVertex3fv"), Kind::Vertex);
        assert_eq!(of("glDrawArrays"), Kind::Draw(Vertices::Counted));
        assert_eq!(of("glMultiDrawElementsIndirect"), Kind::Draw(Vertices::Unknown));
        assert_eq!(of("glRectf"), Kind::Draw(Vertices::Fixed(4)));
        assert_eq!(of("glTexSubImage2D"), Kind::Upload(Upload::Texture));
        assert_eq!(of("glCompressedTextureSubImage3D"), Kind::Upload(Upload::Texture));
        assert_eq!(of("glGetTexImage"), Kind::Other);
        assert_eq!(of("glCopyTexImage2D"), Kind::Other);
        assert_eq!(of("glNamedBufferStorage"), Kind::Upload(Upload::Buffer));
        assert_eq!(of("glRenderbufferStorage"), Kind::Other);
        assert_eq!(of("glDeleteTextures"), Kind::Other);
        assert_eq!(of("glGetIntegerv"), Kind::Other);
        assert_eq!(of("glBitmap"), Kind::DrawPixels);
    }
}
