//! What each function does. A function that is not in one of these tables changes no picture, or
//! has a reason in [`reason_of`].

mod buffers;
mod draws;
mod framebuffers;
mod immediate;
mod lists;
mod shaders;
mod states;
mod textures;
mod uniforms;
mod windows;

pub(crate) use immediate::Kept;
pub(crate) use uniforms::Found;

use hashbrown::HashMap;
use unspool_formats::apitrace::{NameFlags, Renders};

use crate::call::Call;
use crate::driver::Replay;

/// Executes a call.
pub(crate) type Run = fn(&mut Replay, &Call);

/// What functions do, by their names.
pub(crate) struct Handlers {
    by_name: HashMap<&'static str, Run>,
}

/// Endings of functions that came from extensions and do the same.
const ENDINGS: [&str; 8] = ["EXT", "ARB", "OES", "KHR", "APPLE", "NV", "ANGLE", "SGIS"];

impl Handlers {
    pub(crate) fn new() -> Self {
        let tables = [
            buffers::TABLE,
            draws::TABLE,
            framebuffers::TABLE,
            immediate::TABLE,
            lists::TABLE,
            shaders::TABLE,
            states::TABLE,
            textures::TABLE,
            uniforms::TABLE,
            windows::TABLE,
        ];
        let by_name = tables.into_iter().flatten().copied().collect();
        Self { by_name }
    }

    /// The handler of a function, whatever extension it came from.
    pub(crate) fn find(&self, name: &str) -> Option<Run> {
        let found = self.by_name.get(name).or_else(|| {
            let ending = ENDINGS.iter().find(|ending| name.ends_with(**ending))?;
            self.by_name.get(name.strip_suffix(ending)?)
        });
        found.copied()
    }
}

/// Whether a call of a function changes a picture by itself: it draws or clears, or writes pixels
/// in place of that. Display lists do so by what they hold.
pub(crate) fn is_draw(name: &str) -> bool {
    let others = ["glDispatchCompute", "glClearTex", "glAccum"];
    others.iter().any(|begin| name.starts_with(begin))
        || matches!(NameFlags::of(name).renders, Some(Renders::Draw | Renders::Clear))
}

/// Why a function that has no handler is missing in pictures. `None` if it changes none.
pub(crate) fn reason_of(name: &str) -> Option<&'static str> {
    let has = |part: &str| name.contains(part);
    Some(match name {
        _ if has("DispatchCompute") => "compute shaders are not in WebGL2",
        _ if name.starts_with("glDraw") && has("Indirect") => "indirect draws are not in WebGL2",
        _ if name.starts_with("glDrawTransformFeedback") => "draws of transform feedback are not in WebGL2",
        "glBeginTransformFeedback" => "transform feedback is not replayed",
        "glPatchParameteri" => return None,
        _ if has("ShaderStorage") => "shader storage is not in WebGL2",
        "glBindImageTexture" | "glBindImageTextures" => "image units are not in WebGL2",
        "glTexBuffer" | "glTexBufferRange" => "buffer textures are not in WebGL2",
        "glUseProgramStages" | "glBindProgramPipeline" => "program pipelines are not replayed",
        _ if name.starts_with("glProgramString") => "assembly programs are not replayed",
        _ if name.starts_with("glMap1") || name.starts_with("glMap2") || name.starts_with("glEval") => {
            "evaluators are not replayed"
        }
        "glAccum" => "the accumulation buffer is not replayed",
        "glDrawPixels" | "glBitmap" | "glCopyPixels" => "pixel rectangles are not replayed",
        _ if is_draw(name) => "this function is not replayed",
        _ if name.starts_with("glNamed")
            || name.starts_with("glTextureS")
            || name.starts_with("glCreateB")
            || name.starts_with("glCreateT")
            || name.starts_with("glCreateV")
            || name.starts_with("glVertexArray") =>
        {
            "direct state access is not replayed"
        }
        _ => return None,
    })
}

/// Whether `glNewList` compiles a function instead of executing it.
pub(crate) fn is_compiled(name: &str) -> bool {
    const AT_ONCE: [&str; 20] = [
        "glNewList",
        "glEndList",
        "glGenLists",
        "glDeleteLists",
        "glVertexPointer",
        "glNormalPointer",
        "glColorPointer",
        "glTexCoordPointer",
        "glFogCoordPointer",
        "glSecondaryColorPointer",
        "glInterleavedArrays",
        "glEnableClientState",
        "glDisableClientState",
        "glPixelStorei",
        "glPixelStoref",
        "glClientActiveTexture",
        "glVertexAttribPointer",
        "glFlush",
        "glFinish",
        "glReadPixels",
    ];
    !(AT_ONCE.contains(&name)
        || name.starts_with("glGen")
        || name.starts_with("glDelete")
        || !name.starts_with("gl")
        || name.starts_with("glX")
        || name.contains("Buffer") && !name.contains("Clear")
        || name.contains("VertexAttribArray"))
}
