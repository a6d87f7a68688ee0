//! Which functions display lists hold.

/// Beginnings of functions that are executed while a list is compiled: OpenGL 4.6 compatibility
/// profile, 21.4, *Commands Not Usable in Display Lists*. Lists, names of objects, questions, and
/// what clients keep.
const BEGINNINGS: [&str; 21] = [
    "NewList",
    "EndList",
    "Gen",
    "Create",
    "Delete",
    "Get",
    "Is",
    "PixelStore",
    "ReadPixels",
    "Flush",
    "Finish",
    "InterleavedArrays",
    "PrimitiveRestartIndex",
    "VertexBindingDivisor",
    "LinkProgram",
    "ProgramBinary",
    "UseProgramStages",
    "BindAttribLocation",
    "UniformBlockBinding",
    "BindTransformFeedback",
    "BindImageTexture",
];

/// Parts of their names: of arrays, buffers, framebuffers, shaders and other objects.
const PARTS: [&str; 15] = [
    "Pointer",
    "Client",
    "VertexArray",
    "VertexAttribArray",
    "VertexArrayAttrib",
    "VertexAttribDivisor",
    "VertexAttribBinding",
    "Format",
    "Framebuffer",
    "Renderbuffer",
    "Shader",
    "Sampler",
    "Pipeline",
    "Label",
    "Buffer",
];

/// Those of the parts whose functions are compiled nevertheless: they draw, clear, or are state of
/// the framebuffer.
const COMPILED: [&str; 5] = ["Blit", "Clear", "DrawBuffer", "ReadBuffer", "ClampColor"];

/// Whether `glNewList` compiles a function, by its name without the prefix `gl`. Others are
/// executed at once.
pub(crate) fn is_compiled(bare: &str) -> bool {
    // Those of images of EGL.
    if bare.starts_with("EGL") {
        return false;
    }
    // Objects that are named; those of GL_EXT_direct_state_access are compiled.
    let is_named_texture = bare.starts_with("Texture") && !bare.ends_with("EXT");
    let is_of_parts = PARTS.iter().any(|part| bare.contains(part));
    let is_kept = COMPILED.iter().any(|begin| bare.starts_with(begin)) && !bare.contains("Data");
    !is_named_texture && !BEGINNINGS.iter().any(|begin| bare.starts_with(begin)) && (is_kept || !is_of_parts)
}

#[cfg(test)]
mod tests {
    use crate::Function;

    #[test]
    fn lists_hold_what_draws_and_sets_state() {
        for name in [
            "glBegin",
            "glVertex3f",
            "glVertexAttrib4fv",
            "glDrawElements",
            "glBindTexture",
            "glTexImage2D",
            "glTextureParameteriEXT",
            "glEnable",
            "glUseProgram",
            "glUniform4fv",
            "glCallList",
            "glListBase",
            "glPushAttrib",
            "glBlitFramebuffer",
            "glClearBufferfv",
            "glClearNamedFramebufferfv",
            "glDrawBuffers",
            "glBeginQuery",
            "glMap1f",
        ] {
            assert!(Function::of(name).is_compiled(), "{name}");
        }
        for name in [
            "glNewList",
            "glEndList",
            "glGenTextures",
            "glGenerateMipmap",
            "glDeleteLists",
            "glPixelStorei",
            "glVertexPointer",
            "glVertexAttribPointerARB",
            "glVertexAttribFormat",
            "glVertexArrayElementBuffer",
            "glVertexArrayBindingDivisor",
            "glBindVertexArray",
            "glEnableVertexAttribArray",
            "glEnableClientState",
            "glPushClientAttrib",
            "glBindBuffer",
            "glBufferDataARB",
            "glClearBufferData",
            "glMapBufferRange",
            "glBindFramebufferEXT",
            "glFramebufferTexture2D",
            "glRenderbufferStorage",
            "glShaderSource",
            "glLinkProgram",
            "glTextureStorage2D",
            "glBindSampler",
            "glObjectLabel",
            "glXMakeCurrent",
            "eglMakeCurrent",
            "memcpy",
            "glFlush",
        ] {
            assert!(!Function::of(name).is_compiled(), "{name}");
        }
    }
}
