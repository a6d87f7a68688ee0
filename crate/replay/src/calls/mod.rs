//! What each function does. For a function that is not in one of these tables, [`lack_of`] says
//! what that means.

mod buffers;
mod draws;
mod framebuffers;
mod immediate;
mod lacks;
mod lists;
mod parameters;
mod shaders;
mod states;
mod textures;
mod uniforms;
mod windows;

pub(crate) use immediate::Kept;
pub(crate) use lacks::{Lack, is_draw, lack_of};
pub(crate) use uniforms::Found;

use hashbrown::HashMap;

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
            lacks::TABLE,
            lists::TABLE,
            parameters::TABLE,
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
