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

use std::borrow::Cow;

use crate::{functions, gl};

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
    ("glMapNamedBuffer", "glMapBuffer", of(About::Buffer, Some(ANY))),
    ("glMapNamedBufferRange", "glMapBufferRange", of(About::Buffer, Some(ANY))),
    ("glFlushMappedNamedBufferRange", "glFlushMappedBufferRange", of(About::Buffer, Some(ANY))),
    ("glUnmapNamedBuffer", "glUnmapBuffer", of(About::Buffer, Some(ANY))),
    ("glEnableVertexArrayAttrib", "glEnableVertexAttribArray", of(About::VertexArray, None)),
    ("glDisableVertexArrayAttrib", "glDisableVertexAttribArray", of(About::VertexArray, None)),
    ("glVertexArrayElementBuffer", "glBindBuffer", of(About::VertexArray, Some(gl::ELEMENT_ARRAY_BUFFER))),
    ("glVertexArrayMultiTexCoordOffset", "glTexCoordPointer", of(About::ArrayOfUnit, None)),
    ("glEnableVertexArray", "glEnableClientState", of(About::VertexArray, None)),
    ("glDisableVertexArray", "glDisableClientState", of(About::VertexArray, None)),
    ("glFramebufferReadBuffer", "glReadBuffer", of(About::Framebuffer, None)),
    ("glFramebufferDrawBuffer", "glDrawBuffer", of(About::Framebuffer, None)),
    ("glFramebufferDrawBuffers", "glDrawBuffers", of(About::Framebuffer, None)),
    ("glBindMultiTexture", "glBindTexture", of(About::Unit, None)),
];

/// The function that does the same for what is bound, as far as `exists` knows it. `None` if the
/// name does not belong to direct state access.
pub fn bound_of(name: &str, exists: impl Fn(&str) -> bool) -> Option<(String, Direct)> {
    let plain = name.strip_suffix("EXT").unwrap_or(name);
    if let Some((_, bound, direct)) = OTHERS.iter().find(|(known, ..)| *known == plain) {
        return exists(bound).then(|| ((*bound).into(), *direct));
    }
    if let Some(array) = plain.strip_prefix("glVertexArray").and_then(|rest| rest.strip_suffix("Offset")) {
        let bound = format!("gl{array}Pointer");
        return exists(&bound).then(|| (bound, of(About::ArrayOfBuffer, None)));
    }
    let texture = if plain == name { About::Texture } else { About::TextureOfTarget };
    let rules: [(&str, &[&str], Direct); 9] = [
        ("glTexture", &["glTex"], of(texture, None)),
        ("glMultiTex", &["glTex"], of(About::Unit, None)),
        ("glNamedBuffer", &["glBuffer"], of(About::Buffer, Some(ANY))),
        ("glClearNamedBuffer", &["glClearBuffer"], of(About::Buffer, Some(ANY))),
        ("glNamedFramebuffer", &["glFramebuffer"], of(About::Framebuffer, Some(gl::FRAMEBUFFER))),
        ("glNamedFramebuffer", &["gl"], of(About::Framebuffer, None)),
        ("glClearNamedFramebuffer", &["glClearBuffer"], of(About::Framebuffer, None)),
        ("glNamedRenderbuffer", &["glRenderbuffer"], of(About::Renderbuffer, Some(gl::RENDERBUFFER))),
        ("glVertexArray", &["gl", "glVertex", "glBind"], of(About::VertexArray, None)),
    ];
    rules.into_iter().find_map(|(begin, bound, direct)| {
        let rest = plain.strip_prefix(begin)?;
        let found = bound.iter().map(|bound| format!("{bound}{rest}")).find(|bound| exists(bound))?;
        Some((found, direct))
    })
}

/// The name under which the registry has a function for what is bound: some are those of an
/// extension alone.
pub fn registered(bound: &str) -> Cow<'_, str> {
    match functions().find(bound) {
        Some(_) => bound.into(),
        None => format!("{bound}EXT").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn functions_are_those_for_what_is_bound() {
        let all = names();
        // Handlers are those of functions without the ends of extensions, and of none that names
        // its object.
        let is_direct = |name: &str| OTHERS.iter().any(|(other, ..)| *other == name);
        let exists = |name: &str| {
            !is_direct(name) && ["", "EXT", "NV"].iter().any(|end| all.contains(&&*format!("{name}{end}")))
        };
        let bound = |name: &str| bound_of(name, exists);
        for (name, to, about) in [
            ("glTextureParameterfv", "glTexParameterfv", About::Texture),
            ("glTextureParameteriEXT", "glTexParameteri", About::TextureOfTarget),
            ("glTextureBufferRange", "glTexBufferRange", About::Texture),
            ("glMultiTexEnvfEXT", "glTexEnvf", About::Unit),
            ("glMultiTexCoordPointerEXT", "glTexCoordPointer", About::Unit),
            ("glBindMultiTextureEXT", "glBindTexture", About::Unit),
            ("glNamedBufferStorage", "glBufferStorage", About::Buffer),
            ("glClearNamedBufferSubData", "glClearBufferSubData", About::Buffer),
            ("glUnmapNamedBufferEXT", "glUnmapBuffer", About::Buffer),
            ("glNamedFramebufferTexture2DEXT", "glFramebufferTexture2D", About::Framebuffer),
            ("glNamedFramebufferDrawBuffers", "glDrawBuffers", About::Framebuffer),
            ("glFramebufferReadBufferEXT", "glReadBuffer", About::Framebuffer),
            (
                "glNamedRenderbufferStorageMultisampleCoverageEXT",
                "glRenderbufferStorageMultisampleCoverage",
                About::Renderbuffer,
            ),
            ("glVertexArrayVertexBuffers", "glBindVertexBuffers", About::VertexArray),
            ("glVertexArrayBindVertexBufferEXT", "glBindVertexBuffer", About::VertexArray),
            ("glVertexArrayAttribLFormat", "glVertexAttribLFormat", About::VertexArray),
            ("glVertexArrayBindingDivisor", "glVertexBindingDivisor", About::VertexArray),
            ("glEnableVertexArrayAttribEXT", "glEnableVertexAttribArray", About::VertexArray),
            ("glVertexArrayVertexAttribIOffsetEXT", "glVertexAttribIPointer", About::ArrayOfBuffer),
            ("glVertexArrayFogCoordOffsetEXT", "glFogCoordPointer", About::ArrayOfBuffer),
            ("glVertexArrayMultiTexCoordOffsetEXT", "glTexCoordPointer", About::ArrayOfUnit),
        ] {
            assert_eq!(bound(name).map(|(to, direct)| (to, direct.about)), Some((to.into(), about)), "{name}");
        }
        for name in ["glTexParameteri", "glCopyNamedBufferSubData", "glVertexArrayRangeNV", "glBindVertexArray"] {
            assert_eq!(bound(name), None, "{name}");
        }
    }
}
