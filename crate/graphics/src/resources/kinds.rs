//! Kinds of resources.

use unspool_gl::machine::objects;
use unspool_gl::{Function, Parameter, Registered, gl};

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Texture.
    Texture,
    /// Buffer.
    Buffer,
    /// Shader.
    Shader,
    /// Program.
    Program,
    /// Framebuffer.
    Framebuffer,
    /// Renderbuffer.
    Renderbuffer,
    /// Query.
    Query,
    /// Sampler.
    Sampler,
    /// Vertex array.
    VertexArray,
    /// Interface of Direct3D or DXGI.
    Interface,
}

/// The kinds, by number, with a word for each.
const KINDS: [(Kind, &str); 10] = [
    (Kind::Texture, "texture"),
    (Kind::Buffer, "buffer"),
    (Kind::Shader, "shader"),
    (Kind::Program, "program"),
    (Kind::Framebuffer, "framebuffer"),
    (Kind::Renderbuffer, "renderbuffer"),
    (Kind::Query, "query"),
    (Kind::Sampler, "sampler"),
    (Kind::VertexArray, "vertexArray"),
    (Kind::Interface, "interface"),
];

impl Kind {
    /// A word for JSON, in camelCase.
    pub fn word(self) -> &'static str {
        KINDS.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// What people call one.
    pub fn noun(self) -> &'static str {
        if self == Self::VertexArray { "vertex array" } else { self.word() }
    }

    /// The kind that the machine knows. `None` for those that are not listed.
    pub(super) fn of_machine(kind: objects::Kind) -> Option<Self> {
        Some(match kind {
            objects::Kind::Texture => Self::Texture,
            objects::Kind::Buffer => Self::Buffer,
            objects::Kind::Program => Self::Program,
            objects::Kind::Shader => Self::Shader,
            objects::Kind::Renderbuffer => Self::Renderbuffer,
            objects::Kind::Sampler => Self::Sampler,
            objects::Kind::VertexArray => Self::VertexArray,
            objects::Kind::Framebuffer => Self::Framebuffer,
            objects::Kind::Query => Self::Query,
            objects::Kind::Pipeline | objects::Kind::TransformFeedback => return None,
        })
    }

    /// The kind that parameters of a class of Khronos' registry name.
    fn of_class(class: &str) -> Option<Self> {
        let word = if class == "vertex_array" { "vertexArray" } else { class };
        KINDS.iter().find(|row| row.1 == word && row.0 != Self::Interface).map(|row| row.0)
    }

    /// Whether contexts of a share group have it in common: OpenGL 4.6, 5.1.3.
    pub(super) fn is_shared(self) -> bool {
        !matches!(self, Self::Framebuffer | Self::Query | Self::VertexArray)
    }
}

/// For each parameter of a function of OpenGL the kind of resources that it names. Empty for other
/// functions.
pub fn objects_of(function: &str) -> Vec<Option<Kind>> {
    let function = Function::of(function);
    let Some(own) = function.registered() else { return Vec::new() };
    // The registry has the classes of some functions of extensions only at those of versions.
    let of_version = Function::of(&format!("gl{}", function.plain())).registered();
    let mut usual = of_version.into_iter().flat_map(Registered::parameters);
    let of = |class: Option<&str>| class.and_then(Kind::of_class);
    let kind = |parameter: Parameter| {
        let usual = usual.next().and_then(|usual| usual.class);
        of(parameter.class).or_else(|| of(usual))
    };
    own.parameters().map(kind).collect()
}

/// The words for a type of shader.
pub(super) fn shader_type(number: u32) -> Option<&'static str> {
    Some(match number {
        gl::VERTEX_SHADER => "vertex shader",
        gl::FRAGMENT_SHADER => "fragment shader",
        gl::GEOMETRY_SHADER => "geometry shader",
        gl::TESS_CONTROL_SHADER => "tessellation control shader",
        gl::TESS_EVALUATION_SHADER => "tessellation evaluation shader",
        gl::COMPUTE_SHADER => "compute shader",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_functions_name_resources() {
        assert_eq!(objects_of("glBindTexture"), [None, Some(Kind::Texture)]);
        assert_eq!(objects_of("glAttachShader"), [Some(Kind::Program), Some(Kind::Shader)]);
        // The unit is called texture, too.
        assert_eq!(objects_of("glActiveTexture"), [None]);
        assert_eq!(objects_of("glDeleteBuffersARB"), [None, Some(Kind::Buffer)]);
        assert_eq!(objects_of("glBindVertexArray"), [Some(Kind::VertexArray)]);
        assert!(objects_of("glXSwapBuffers").is_empty() && objects_of("").is_empty());
    }
}
