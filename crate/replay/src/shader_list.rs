//! Shaders that cannot be shown, with why.

use std::rc::Rc;

use crate::glsl::{Sources, Stage};

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
}

impl Made {
    /// The source of its vertex shader (0) or fragment shader (1). Empty for anything else.
    pub fn source(&self, stage: usize) -> &str {
        self.sources.get(stage).map_or("", |source| source)
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
