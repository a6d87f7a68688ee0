//! Shaders that cannot be shown, with why.

use std::rc::Rc;

use crate::glsl::{Output, Sources, Stage};

/// A shader that was not translated.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The call that compiled it.
    pub call: u64,
    /// As the trace has it.
    pub source: Rc<str>,
    /// As WebGL2 got it. Empty if it got nothing.
    pub shown: String,
    /// What is wrong with it.
    pub error: String,
}

/// What a program of WebGL2 was made from.
#[derive(Clone, Debug)]
pub struct Made {
    /// The calls that compiled its vertex and its fragment shader; 0 for the fixed function.
    pub calls: [u64; 2],
    /// As the trace has them.
    pub(crate) sources: Sources,
    /// Outputs of its vertex shader.
    pub(crate) outputs: Vec<Output>,
}

/// What the emulation of the fixed function calls what its vertex shader passes on, and what
/// shaders call it.
#[cfg(feature = "page")]
const OF_FIXED: [(&str, &str); 3] =
    [("ffSum", "gl_FrontSecondaryColor"), ("ffBack", "gl_BackColor"), ("ffBackSum", "gl_BackSecondaryColor")];

impl Made {
    /// The source of its vertex shader (0) or fragment shader (1). Empty for anything else.
    pub fn source(&self, stage: usize) -> &str {
        self.sources.get(stage).map_or("", |source| source)
    }

    /// The outputs of its vertex shader, each with its name in the trace. What the emulation of the
    /// fixed function needs for itself is left out.
    #[cfg(feature = "page")]
    pub(crate) fn named_outputs(&self) -> impl Iterator<Item = (&str, &Output)> {
        let is_fixed = self.calls[0] == 0;
        self.outputs.iter().filter_map(move |output| {
            let of_fixed = || Some(OF_FIXED.iter().find(|(own, _)| *own == output.name)?.1);
            let name = if is_fixed && output.name.starts_with("ff") { of_fixed()? } else { &output.name };
            Some((name, output))
        })
    }

    /// Its shader of a stage, which was not translated.
    pub(crate) fn failed(&self, stage: Stage, error: String) -> Listed {
        let ([vertex, fragment], [first, second]) = (&self.sources, self.calls);
        let (call, source) = match stage {
            Stage::Vertex => (first, vertex),
            Stage::Fragment => (second, fragment),
        };
        Listed { call, source: Rc::clone(source), shown: String::new(), error }
    }
}
