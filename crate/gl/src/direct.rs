//! Direct state access: functions that name the object which others find where it is bound or
//! selected (OpenGL 4.5, and `GL_EXT_direct_state_access`). Each is the function for what is bound.
//!
//! ```text
//! glTextureParameteri(texture, name, value)        glTexParameteri(target of texture, name, value)
//! glTextureParameteriEXT(texture, target, …)       glTexParameteri(target, …)
//! glNamedBufferSubData(buffer, …)                  glBufferSubData(target of the reader, …)
//! glVertexArrayAttribBinding(array, …)             glVertexAttribBinding(…)
//! glVertexArrayColorOffsetEXT(array, buffer, …)    glColorPointer(…)
//! ```
//!
//! Functions for several objects, such as `glCopyNamedBufferSubData`, are functions of their own.

use crate::gl;

/// What the first arguments name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A texture, which has a target (OpenGL 4.5).
    Texture,
    /// A texture, whose target is the next argument (`GL_EXT_direct_state_access`).
    TextureOfTarget,
    /// A texture unit: `GL_TEXTURE0` and so on.
    Unit,
    /// A buffer.
    Buffer,
    /// A framebuffer.
    Framebuffer,
    /// A renderbuffer.
    Renderbuffer,
    /// A vertex array.
    VertexArray,
    /// A vertex array, and the buffer that one of its arrays is in.
    ArrayOfBuffer,
    /// The same, and then a texture unit, to which the array belongs.
    ArrayOfUnit,
}

/// How a function becomes the one for what is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct {
    /// What it names.
    pub about: About,
    /// The target that the function for what is bound has in place of the name. `None` if it has
    /// none there, or, of [`About::Texture`], that of the texture. [`ANY`] stands for any target.
    pub target: Option<u32>,
}

/// No target of OpenGL.
pub const ANY: u32 = 0;

impl Direct {
    /// How many arguments name something.
    pub fn names(self) -> usize {
        match self.about {
            About::ArrayOfBuffer => 2,
            About::ArrayOfUnit => 3,
            _ => 1,
        }
    }
}

const fn of(about: About, target: Option<u32>) -> Direct {
    Direct { about, target }
}

/// Functions that are not called as the rules of [`bound_of`] say.
const OTHERS: [(&str, &str, Direct); 14] = [
    ("MapNamedBuffer", "MapBuffer", of(About::Buffer, Some(ANY))),
    ("MapNamedBufferRange", "MapBufferRange", of(About::Buffer, Some(ANY))),
    ("FlushMappedNamedBufferRange", "FlushMappedBufferRange", of(About::Buffer, Some(ANY))),
    ("UnmapNamedBuffer", "UnmapBuffer", of(About::Buffer, Some(ANY))),
    ("EnableVertexArrayAttrib", "EnableVertexAttribArray", of(About::VertexArray, None)),
    ("DisableVertexArrayAttrib", "DisableVertexAttribArray", of(About::VertexArray, None)),
    ("VertexArrayElementBuffer", "BindBuffer", of(About::VertexArray, Some(gl::ELEMENT_ARRAY_BUFFER))),
    ("VertexArrayMultiTexCoordOffset", "TexCoordPointer", of(About::ArrayOfUnit, None)),
    ("EnableVertexArray", "EnableClientState", of(About::VertexArray, None)),
    ("DisableVertexArray", "DisableClientState", of(About::VertexArray, None)),
    ("FramebufferReadBuffer", "ReadBuffer", of(About::Framebuffer, None)),
    ("FramebufferDrawBuffer", "DrawBuffer", of(About::Framebuffer, None)),
    ("FramebufferDrawBuffers", "DrawBuffers", of(About::Framebuffer, None)),
    ("BindMultiTexture", "BindTexture", of(About::Unit, None)),
];

/// The function that does the same for what is bound, as far as `exists` knows it. `None` if the
/// name does not belong to direct state access. All names are without the prefix `gl`, and `plain`
/// is the name without the ending of an extension.
pub(crate) fn bound_of(name: &str, plain: &str, exists: &dyn Fn(&str) -> bool) -> Option<(String, Direct)> {
    if let Some((_, bound, direct)) = OTHERS.iter().find(|(known, ..)| *known == plain) {
        return exists(bound).then(|| ((*bound).into(), *direct));
    }
    if let Some(array) = plain.strip_prefix("VertexArray").and_then(|rest| rest.strip_suffix("Offset")) {
        let bound = format!("{array}Pointer");
        return exists(&bound).then(|| (bound, of(About::ArrayOfBuffer, None)));
    }
    let texture = if plain == name { About::Texture } else { About::TextureOfTarget };
    let rules: [(&str, &[&str], Direct); 9] = [
        ("Texture", &["Tex"], of(texture, None)),
        ("MultiTex", &["Tex"], of(About::Unit, None)),
        ("NamedBuffer", &["Buffer"], of(About::Buffer, Some(ANY))),
        ("ClearNamedBuffer", &["ClearBuffer"], of(About::Buffer, Some(ANY))),
        ("NamedFramebuffer", &["Framebuffer"], of(About::Framebuffer, Some(gl::FRAMEBUFFER))),
        ("NamedFramebuffer", &[""], of(About::Framebuffer, None)),
        ("ClearNamedFramebuffer", &["ClearBuffer"], of(About::Framebuffer, None)),
        ("NamedRenderbuffer", &["Renderbuffer"], of(About::Renderbuffer, Some(gl::RENDERBUFFER))),
        ("VertexArray", &["", "Vertex", "Bind"], of(About::VertexArray, None)),
    ];
    rules.into_iter().find_map(|(begin, bound, direct)| {
        let rest = plain.strip_prefix(begin)?;
        let found = bound.iter().map(|bound| format!("{bound}{rest}")).find(|bound| exists(bound))?;
        Some((found, direct))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Function, names};

    #[test]
    fn functions_are_those_for_what_is_bound() {
        let all = names();
        // Handlers are those of functions without the ends of extensions, and of none that names
        // its object.
        let is_direct = |name: &str| OTHERS.iter().any(|(other, ..)| *other == name);
        let exists = |name: &str| {
            !is_direct(name) && ["", "EXT", "NV"].iter().any(|end| all.contains(&&*format!("gl{name}{end}")))
        };
        let bound = |name: &str| bound_of(name.strip_prefix("gl")?, Function::of(name).plain(), &exists);
        for (name, to, about) in [
            ("glTextureParameterfv", "TexParameterfv", About::Texture),
            ("glTextureParameteriEXT", "TexParameteri", About::TextureOfTarget),
            ("glTextureBufferRange", "TexBufferRange", About::Texture),
            ("glMultiTexEnvfEXT", "TexEnvf", About::Unit),
            ("glMultiTexCoordPointerEXT", "TexCoordPointer", About::Unit),
            ("glBindMultiTextureEXT", "BindTexture", About::Unit),
            ("glNamedBufferStorage", "BufferStorage", About::Buffer),
            ("glClearNamedBufferSubData", "ClearBufferSubData", About::Buffer),
            ("glUnmapNamedBufferEXT", "UnmapBuffer", About::Buffer),
            ("glNamedFramebufferTexture2DEXT", "FramebufferTexture2D", About::Framebuffer),
            ("glNamedFramebufferDrawBuffers", "DrawBuffers", About::Framebuffer),
            ("glFramebufferReadBufferEXT", "ReadBuffer", About::Framebuffer),
            (
                "glNamedRenderbufferStorageMultisampleCoverageEXT",
                "RenderbufferStorageMultisampleCoverage",
                About::Renderbuffer,
            ),
            ("glVertexArrayVertexBuffers", "BindVertexBuffers", About::VertexArray),
            ("glVertexArrayBindVertexBufferEXT", "BindVertexBuffer", About::VertexArray),
            ("glVertexArrayAttribLFormat", "VertexAttribLFormat", About::VertexArray),
            ("glVertexArrayBindingDivisor", "VertexBindingDivisor", About::VertexArray),
            ("glEnableVertexArrayAttribEXT", "EnableVertexAttribArray", About::VertexArray),
            ("glVertexArrayVertexAttribIOffsetEXT", "VertexAttribIPointer", About::ArrayOfBuffer),
            ("glVertexArrayFogCoordOffsetEXT", "FogCoordPointer", About::ArrayOfBuffer),
            ("glVertexArrayMultiTexCoordOffsetEXT", "TexCoordPointer", About::ArrayOfUnit),
        ] {
            assert_eq!(bound(name).map(|(to, direct)| (to, direct.about)), Some((to.into(), about)), "{name}");
        }
        for name in ["glTexParameteri", "glCopyNamedBufferSubData", "glVertexArrayRangeNV", "glBindVertexArray"] {
            assert_eq!(bound(name), None, "{name}");
        }
    }
}
