//! Kinds of resources, and what calls do to them.

use unspool_formats::apitrace::NameFlags;
use unspool_gl::{Function, Parameter, Several, functions, gl, textures, windows};

use super::interfaces::Method;
use crate::known::Known;

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

/// The kinds, by number, with the words that calls have for several of them.
const KINDS: [(Kind, &str, &str); 10] = [
    (Kind::Texture, "texture", "Textures"),
    (Kind::Buffer, "buffer", "Buffers"),
    (Kind::Shader, "shader", "Shaders"),
    (Kind::Program, "program", "Programs"),
    (Kind::Framebuffer, "framebuffer", "Framebuffers"),
    (Kind::Renderbuffer, "renderbuffer", "Renderbuffers"),
    (Kind::Query, "query", "Queries"),
    (Kind::Sampler, "sampler", "Samplers"),
    (Kind::VertexArray, "vertexArray", "VertexArrays"),
    // No call of OpenGL has several of them.
    (Kind::Interface, "interface", " "),
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

    /// The kind that `glObjectLabel` or `glLabelObjectEXT` names.
    pub(super) fn of_identifier(identifier: u32) -> Option<Self> {
        Some(match identifier {
            gl::TEXTURE => Self::Texture,
            gl::BUFFER | gl::BUFFER_OBJECT_EXT => Self::Buffer,
            gl::SHADER | gl::SHADER_OBJECT_ARB => Self::Shader,
            gl::PROGRAM | gl::PROGRAM_OBJECT_ARB => Self::Program,
            gl::FRAMEBUFFER => Self::Framebuffer,
            gl::RENDERBUFFER => Self::Renderbuffer,
            gl::QUERY | gl::QUERY_OBJECT_EXT => Self::Query,
            gl::SAMPLER => Self::Sampler,
            gl::VERTEX_ARRAY | gl::VERTEX_ARRAY_OBJECT_EXT => Self::VertexArray,
            _ => return None,
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
    let all = functions();
    let Some(own) = all.find(function) else { return Vec::new() };
    // The registry has the classes of some functions of extensions only at those of versions.
    let canonical = all.canonical(function).and_then(|name| all.find(&format!("gl{name}")));
    let mut usual = canonical.into_iter().flat_map(Function::parameters);
    let of = |class: Option<&str>| class.and_then(Kind::of_class);
    let kind = |parameter: Parameter| {
        let usual = usual.next().and_then(|usual| usual.class);
        of(parameter.class).or_else(|| of(usual))
    };
    own.parameters().map(kind).collect()
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    None,
    /// A method of Direct3D.
    Method,
    /// Contexts are created or made current.
    Context,
    /// Makes several names, which are its last argument.
    Generate(Kind),
    /// Makes one, which it returns.
    Create(Kind),
    Delete(Kind),
    /// Deletes one. Old functions do not say what it is.
    DeleteOne(Option<Kind>),
    ActiveTexture,
    PixelStore,
    BindTexture,
    BindTextureUnit,
    BindBuffer,
    BindBufferIndexed,
    BindFramebuffer,
    /// Binds a texture to an image unit.
    BindImage,
    BindVertexBuffer,
    BindSeveral(Several),
    /// Binds its last argument.
    Bind(Kind),
    EndQuery,
    Attach,
    AttachShader,
    DetachShader,
    Link,
    /// Takes vertices from the bound buffer.
    Pointer,
    Label,
    /// Sources of a shader.
    Source,
    Texture(textures::Function),
    BufferData {
        named: bool,
        allocates: bool,
    },
    Map {
        named: bool,
    },
    Unmap {
        named: bool,
    },
    /// `memcpy` to where a buffer may be mapped.
    Copy,
    /// Contents of a buffer become undefined.
    Invalidate,
    /// The graphics processor writes buffers, or an image.
    Write(Wrote),
    Draw,
}

/// What the graphics processor writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrote {
    /// The buffer that a parameter names.
    Named(&'static str),
    /// The buffer that is bound to the target that a parameter says.
    Bound(&'static str),
    /// The buffer that pixels are packed to.
    Packed,
    /// The buffers that are bound to the indices of one of two targets.
    Indexed([u32; 2]),
    /// The texture or renderbuffer that an image is copied to.
    Image,
}

impl Act {
    pub(super) fn of(name: &str, known: &Known) -> Self {
        let (canonical, texture) = (known.canonical.as_str(), known.texture);
        if Method::of(name).is_some() {
            return Self::Method;
        }
        if NameFlags::of(name).renders.is_some() {
            return Self::Draw;
        }
        let several = |prefix: &str| {
            let rest = canonical.strip_prefix(prefix)?;
            KINDS.iter().find(|row| row.2 == rest).map(|row| row.0)
        };
        if let Some(kind) = several("Gen").or_else(|| several("Create")) {
            return Self::Generate(kind);
        }
        if let Some(kind) = several("Delete") {
            return Self::Delete(kind);
        }
        if let Some(function) = texture {
            return Self::Texture(function);
        }
        if let Some(several) = Several::of(canonical) {
            return Self::BindSeveral(several);
        }
        match canonical {
            "CreateShader" | "CreateShaderObjectARB" => Self::Create(Kind::Shader),
            "CreateProgram" | "CreateProgramObjectARB" | "CreateShaderProgramv" => Self::Create(Kind::Program),
            "DeleteShader" => Self::DeleteOne(Some(Kind::Shader)),
            "DeleteProgram" => Self::DeleteOne(Some(Kind::Program)),
            "DeleteObjectARB" => Self::DeleteOne(None),
            "ActiveTexture" => Self::ActiveTexture,
            "PixelStorei" | "PixelStoref" => Self::PixelStore,
            "BindTexture" => Self::BindTexture,
            "BindTextureUnit" => Self::BindTextureUnit,
            "BindBuffer" => Self::BindBuffer,
            "BindBufferBase" | "BindBufferRange" => Self::BindBufferIndexed,
            "BindFramebuffer" => Self::BindFramebuffer,
            "BindImageTexture" => Self::BindImage,
            "BindVertexBuffer" => Self::BindVertexBuffer,
            "BindRenderbuffer" => Self::Bind(Kind::Renderbuffer),
            "BindSampler" => Self::Bind(Kind::Sampler),
            "BindVertexArray" => Self::Bind(Kind::VertexArray),
            "UseProgram" | "UseProgramObjectARB" => Self::Bind(Kind::Program),
            "BeginQuery" => Self::Bind(Kind::Query),
            "EndQuery" => Self::EndQuery,
            "AttachShader" | "AttachObjectARB" => Self::AttachShader,
            "DetachShader" | "DetachObjectARB" => Self::DetachShader,
            "LinkProgram" | "LinkProgramARB" => Self::Link,
            "ObjectLabel" | "LabelObjectEXT" => Self::Label,
            "ShaderSource" | "ShaderSourceARB" => Self::Source,
            "VertexAttribPointer"
            | "VertexAttribIPointer"
            | "VertexAttribLPointer"
            | "VertexPointer"
            | "NormalPointer"
            | "ColorPointer"
            | "TexCoordPointer"
            | "SecondaryColorPointer"
            | "FogCoordPointer"
            | "IndexPointer"
            | "EdgeFlagPointer" => Self::Pointer,
            "BufferData" | "BufferStorage" => Self::BufferData { named: false, allocates: true },
            "BufferSubData" => Self::BufferData { named: false, allocates: false },
            "NamedBufferData" | "NamedBufferStorage" => Self::BufferData { named: true, allocates: true },
            "NamedBufferSubData" => Self::BufferData { named: true, allocates: false },
            "MapBuffer" | "MapBufferRange" => Self::Map { named: false },
            "MapNamedBuffer" | "MapNamedBufferRange" => Self::Map { named: true },
            "UnmapBuffer" => Self::Unmap { named: false },
            "UnmapNamedBuffer" => Self::Unmap { named: true },
            "memcpy" => Self::Copy,
            "InvalidateBufferData" | "InvalidateBufferSubData" => Self::Invalidate,
            "CopyImageSubData" => Self::Write(Wrote::Image),
            "CopyBufferSubData" => Self::Write(Wrote::Bound("writeTarget")),
            "CopyNamedBufferSubData" | "NamedCopyBufferSubData" => Self::Write(Wrote::Named("writeBuffer")),
            "ClearBufferData" | "ClearBufferSubData" => Self::Write(Wrote::Bound("target")),
            "ClearNamedBufferData" | "ClearNamedBufferSubData" => Self::Write(Wrote::Named("buffer")),
            "ReadPixels" | "ReadnPixels" | "GetTexImage" | "GetTextureImage" => Self::Write(Wrote::Packed),
            "BeginTransformFeedback" => Self::Write(Wrote::Indexed([gl::TRANSFORM_FEEDBACK_BUFFER; 2])),
            "DispatchCompute" | "DispatchComputeIndirect" | "DispatchComputeGroupSize" => {
                Self::Write(Wrote::Indexed([gl::SHADER_STORAGE_BUFFER, gl::ATOMIC_COUNTER_BUFFER]))
            }
            _ if canonical.contains("FramebufferTexture") || canonical.contains("FramebufferRenderbuffer") => {
                Self::Attach
            }
            _ if windows::Function::of(name).is_some() => Self::Context,
            _ => Self::None,
        }
    }
}

/// Bindings of buffers for attributes, after attributes.
pub(super) fn vertex_binding(index: u32) -> u32 {
    index.saturating_add(2000)
}

/// Attributes without a number, after those with one.
pub(super) fn attribute(canonical: &str) -> u32 {
    1000 + canonical.len() as u32
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
